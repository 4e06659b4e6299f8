//! A replacement for `dxc` on machines that have only its library:
//! `layoutproof dxc-library --library PATH [--abi old|new] DXC-ARGUMENTS`.
//!
//! It accepts the program's arguments and compiles the same way. `-dumpbin FILE` lists a DXIL
//! container instead of compiling. Diagnostics go to stderr, the listing of DXIL to stdout or with
//! `-Fc FILE` to a file, and `-Fo FILE` writes the object. Exit status 0: compiled; 1: DXC refused
//! the source; 2: DXC could not be called. `--version` prints the library's version instead. With
//! `--serve` the process runs one command line after the other, as `dxc_service` requests.
//!
//! Nothing else may call the library: this is a separate process because DXC crashes on some inputs.

mod calls;

use std::ffi::c_int;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::compiler::Compiler;
use crate::service::{LibraryAnswer, LibraryService, serve};
use crate::user_files::LIST;
use calls::{Abi, DxcLibrary, DxcLibraryError};

/// The name of the command, and the option that keeps its process running.
pub(crate) const COMMAND: &str = "dxc-library";
const SERVE: &str = "--serve";

/// The service for this DXC; `None` if the DXC is a program.
pub(crate) fn dxc_service(compiler: &Compiler) -> Option<LibraryService> {
    let leading = compiler.library_arguments()?.iter().cloned();
    let arguments = leading.chain([SERVE.into()]).collect();
    let service = LibraryService::start(compiler.program().to_owned(), arguments, compiler.version())?;
    Some(service.with_fallback(compiler))
}

#[derive(Debug, thiserror::Error)]
enum DxcDriverError {
    #[error("{0}")]
    Usage(String),
    #[error("{path}: {source}")]
    File { path: String, source: io::Error },
    #[error(transparent)]
    Library(#[from] DxcLibraryError),
    #[error("{0}")]
    Pipe(#[from] io::Error),
}

/// The command line: our options, then dxc's.
#[derive(Debug, Default)]
struct DriverOptions {
    library: Option<PathBuf>,
    abi: Abi,
    version: bool,
    /// True if the command lines arrive as requests.
    serve: bool,
    /// `-Fc FILE`: an option of the dxc program, which the library does not know.
    listing: Option<String>,
    /// `-dumpbin FILE`: the container to list, also an option of the program only.
    container: Option<String>,
    dxc: Vec<String>,
}

unsafe extern "C" {
    // DXC's static destructors can crash, so the process ends without running them.
    safe fn _exit(status: c_int) -> !;
}

/// Runs the command with these arguments and ends the process.
pub fn compile_and_exit(arguments: &[String]) -> ! {
    let status = run(arguments.iter().cloned()).unwrap_or_else(|error| {
        // If stderr is closed, the error is lost.
        let _ = writeln!(io::stderr(), "layoutproof dxc-library: error: {error}");
        2
    });
    let _ = io::stdout().flush();
    _exit(status)
}

fn run(arguments: impl Iterator<Item = String>) -> Result<c_int, DxcDriverError> {
    let options = parse(arguments)?;
    let path = options.library.as_ref().ok_or_else(|| DxcDriverError::Usage("--library PATH is missing".to_owned()))?;
    let library = DxcLibrary::open(path, options.abi)?;
    if options.version {
        write_stdout(&format!("{}\n", library.version()?))?;
        return Ok(0);
    }

    if options.serve {
        let compile = |arguments: &[String]| compile(&library, &parse(arguments.iter().cloned())?);
        return serve(&library.version()?, compile).map(|()| 0);
    }

    let answer = compile(&library, &options)?;
    io::stderr().write_all(answer.stderr.as_bytes()).map_err(|error| at("stderr", error))?;
    write_stdout(&answer.stdout)?;
    Ok(answer.status)
}

/// Lists a container or compiles a source, and writes the files that the options name.
fn compile(library: &DxcLibrary, options: &DriverOptions) -> Result<LibraryAnswer, DxcDriverError> {
    if let Some(path) = &options.container {
        let container = std::fs::read(path).map_err(|error| at(path, error))?;
        return Ok(LibraryAnswer { stdout: library.disassemble(&container)?, ..LibraryAnswer::default() });
    }

    let object_path = object_path(&options.dxc);
    let source_path = source_path(&options.dxc, object_path)?;
    let source = std::fs::read(source_path).map_err(|error| at(source_path, error))?;

    let compilation = library.compile(&source, &options.dxc)?;
    let mut answer = LibraryAnswer { stderr: compilation.diagnostics, ..LibraryAnswer::default() };
    if !compilation.succeeded {
        return Ok(LibraryAnswer { status: 1, ..answer });
    }

    if let Some(path) = object_path {
        std::fs::write(path, &compilation.object).map_err(|error| at(path, error))?;
    }
    // Only DXIL has a listing; a preprocessed source or SPIR-V has none.
    if compilation.object.starts_with(b"DXBC") {
        let listing = library.disassemble(&compilation.object)?;
        match &options.listing {
            Some(path) => std::fs::write(path, listing).map_err(|error| at(path, error))?,
            None => answer.stdout = listing,
        }
    }
    Ok(answer)
}

fn parse(mut arguments: impl Iterator<Item = String>) -> Result<DriverOptions, DxcDriverError> {
    let mut options = DriverOptions::default();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--library" => options.library = arguments.next().map(PathBuf::from),
            "--abi" => options.abi = abi(arguments.next().as_deref())?,
            "--version" => options.version = true,
            SERVE => options.serve = true,
            "-Fc" => options.listing = arguments.next(),
            LIST => options.container = arguments.next(),
            _ => options.dxc.push(argument),
        }
    }
    Ok(options)
}

fn abi(name: Option<&str>) -> Result<Abi, DxcDriverError> {
    match name {
        Some("old") => Ok(Abi::Old),
        Some("new") => Ok(Abi::New),
        Some(_) | None => Err(DxcDriverError::Usage("--abi takes old or new".to_owned())),
    }
}

/// The value of `-Fo FILE` or `-FoFILE`.
fn object_path(arguments: &[String]) -> Option<&str> {
    let place = arguments.iter().position(|argument| argument.starts_with("-Fo"))?;
    match &arguments[place]["-Fo".len()..] {
        "" => arguments.get(place + 1).map(String::as_str),
        joined => Some(joined),
    }
}

/// The source: the last argument that names a file. Values of options precede it or name no file,
/// except the value of `-Fo`.
fn source_path<'a>(arguments: &'a [String], object_path: Option<&str>) -> Result<&'a str, DxcDriverError> {
    arguments
        .iter()
        .map(String::as_str)
        .rfind(|argument| !argument.starts_with('-') && Some(*argument) != object_path && Path::new(argument).is_file())
        .ok_or_else(|| DxcDriverError::Usage("no argument names a source file".to_owned()))
}

fn write_stdout(text: &str) -> Result<(), DxcDriverError> {
    io::stdout().write_all(text.as_bytes()).map_err(|error| at("stdout", error))
}

fn at(path: &str, source: io::Error) -> DxcDriverError {
    DxcDriverError::File { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn our_options_are_taken_out_of_dxcs() {
        let options = parse(words("--library a.so --abi old -T cs_6_6 -Fc x.ll x.hlsl").into_iter()).unwrap();
        assert_eq!(options.listing, Some("x.ll".to_owned()));
        assert_eq!(options.library, Some(PathBuf::from("a.so")));
        assert_eq!(options.abi, Abi::Old);
        assert_eq!(options.dxc, words("-T cs_6_6 x.hlsl"));
    }

    #[test]
    fn the_object_file_may_be_joined_to_its_option() {
        assert_eq!(object_path(&words("-spirv -Fo a.spv x.hlsl")), Some("a.spv"));
        assert_eq!(object_path(&words("-spirv -Foa.spv x.hlsl")), Some("a.spv"));
        assert_eq!(object_path(&words("-spirv x.hlsl")), None);
    }

    #[test]
    fn an_object_file_that_exists_is_not_the_source() {
        // Cargo runs tests in the package's folder, which contains both files.
        let arguments = words("-T cs_6_6 Cargo.toml -Fo src/lib.rs");
        assert_eq!(source_path(&arguments, object_path(&arguments)).unwrap(), "Cargo.toml");
    }

    #[test]
    fn a_missing_library_and_a_wrong_abi_are_named() {
        let message = |line: &str| run(words(line).into_iter()).unwrap_err().to_string();
        assert_eq!(message("-T cs_6_6 x.hlsl"), "--library PATH is missing");
        assert_eq!(message("--abi newer"), "--abi takes old or new");
        assert!(message("--library no/such.so x.hlsl").starts_with("cannot load no/such.so: "));
    }
}
