//! A compiler's command line for one source, and helpers that several drivers use to write command
//! lines and to read results.

use layoutproof_bindings::SourceText;
use layoutproof_device::{Shader, words_of};
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_readers::toolchain::{CompileOutcome, CompileRequest, CompiledShader, Report, Toolchain};

use crate::child::ProcessOutput;
use crate::compile_folder::CompileFolder;
use crate::regular_file::ReadError;

/// Name of the source file, without extension.
pub(crate) const SOURCE: &str = "probe";

/// Name of the SPIR-V module, which is written next to the source.
pub(super) const MODULE: &str = "probe.spv";

/// DXC's option that turns 16-bit types on.
pub(super) const SIXTEEN_BIT_TYPES: &str = "-enable-16bit-types";

/// A compiler's command line for one source, and the function that reads the result.
pub(crate) struct CommandLine {
    pub(crate) source: String,
    pub(crate) arguments: Vec<String>,
    /// Extra files in the source's folder.
    pub(crate) headers: &'static [HeaderFile],
    /// The compiler that processes the first one's output.
    pub(crate) second: Option<SecondCommand>,
    /// Reads the result from the folder and from the last process's output.
    pub(crate) read: fn(&CompileFolder, &ProcessOutput) -> Result<CompileOutcome, BadOutput>,
}

/// The reason why a compiler that accepted a source has no usable result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadOutput {
    #[error("it wrote no {what}: {error}")]
    Missing { what: &'static str, error: ReadError },
    #[error("its {file} cannot be read: {error}")]
    Unreadable { file: &'static str, error: ReadError },
    #[error("it reported success but wrote no SPIR-V file")]
    NoSpirv,
    #[error("invalid SPIR-V: {0} bytes, expected a non-zero multiple of 4")]
    SpirvLength(usize),
    #[error("it printed no whole listing but {bytes} bytes: {start}")]
    Listing { bytes: usize, start: String },
}

/// A file that a compiler needs in the source's folder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeaderFile {
    /// Path relative to the source's folder.
    pub(crate) path: &'static str,
    pub(crate) text: &'static str,
}

/// Our replacement for a header that a compiler's package may lack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StandInHeader {
    pub(crate) file: HeaderFile,
    /// The arguments with which the compiler finds it, after its own headers.
    pub(crate) arguments: &'static [&'static str],
}

/// The command line of a second compiler.
pub(crate) struct SecondCommand {
    pub(crate) compiler: &'static str,
    pub(crate) arguments: Vec<String>,
}

/// Macros and search folders, in the syntax that all compilers here accept.
pub(super) fn preprocessing(source: &SourceText) -> impl Iterator<Item = String> {
    let defines = source.defines.iter().map(|(name, value)| format!("-D{name}={value}"));
    let folders = source.include_paths.iter().flat_map(|folder| ["-I".to_owned(), absolute(folder)]);
    defines.chain(folders)
}

/// The options in the toolchain's row.
pub(super) fn toolchain_flags(toolchain: &Toolchain) -> impl Iterator<Item = String> {
    toolchain.flags.iter().map(|flag| (*flag).to_owned())
}

/// The matrix order as an option for FXC, DXC and Clang in DXC's mode.
pub(super) fn matrix_option(order: MatrixOrder) -> String {
    let option = match order {
        MatrixOrder::Row => "-Zpr",
        MatrixOrder::Column => "-Zpc",
    };
    option.to_owned()
}

/// The request as options for DXC and for Clang in DXC's mode: entry point, layout options, macros
/// and search folders.
pub(super) fn dxc_options(request: &CompileRequest<'_>) -> Vec<String> {
    let mut options = vec!["-E".to_owned(), request.entry.to_owned(), matrix_option(request.options.matrix)];
    if request.options.sixteen_bit == SixteenBit::On {
        options.push(SIXTEEN_BIT_TYPES.to_owned());
    }
    options.extend(preprocessing(&request.source));
    options
}

/// An absolute path, which is valid in any working folder.
fn absolute(folder: &str) -> String {
    std::path::absolute(folder).map_or(folder.to_owned(), |path| path.display().to_string())
}

/// The first error in a compiler's output, without the place, which points into a deleted file.
pub(crate) fn first_error(stderr: &str, stdout: &str) -> String {
    let lines = || stderr.lines().chain(stdout.lines()).map(str::trim);

    // glslang: `ERROR: probe.comp:4: 'm' : no such thing`.
    if let Some(line) = lines().find_map(|line| line.strip_prefix("ERROR: ")) {
        let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let parts: Vec<&str> = line.splitn(3, ':').collect();
        return match parts.as_slice() {
            [_, number, words] if is_number(number) => words.trim().to_owned(),
            _ => line.to_owned(),
        };
    }

    if let Some(error) = slang_error(lines()) {
        return error;
    }
    let error = lines().find(|line| line.contains("error"));
    let line = error.or_else(|| lines().find(|line| !line.is_empty())).unwrap_or("without a word");
    line.split_once("error").map_or(line, |(_, behind)| behind.trim_start_matches([':', ' '])).to_owned()
}

/// slangc's first error: its title, and the text at the source line, which has the names that the
/// title omits.
///
/// ```text
/// error[E30015]: undefined identifier
///  --> probe.slang:1:16
///   |
/// 1 | cbuffer Half { min16float a; };
///   |                ^^^^^^^^^^ undefined identifier 'min16float'.
/// --'
/// ```
fn slang_error<'t>(mut lines: impl Iterator<Item = &'t str>) -> Option<String> {
    let title = lines.find_map(|line| line.strip_prefix("error["))?;
    let (code, title) = title.split_once("]: ")?;
    let detail = lines.take_while(|line| *line != "--'").find_map(|line| {
        let (before, said) = line.strip_prefix('|')?.rsplit_once('^')?;
        let is_pointer = before.chars().all(|letter| letter == ' ' || letter == '^');
        Some(said.trim().trim_end_matches('.')).filter(|said| is_pointer && !said.is_empty())
    });
    Some(match detail {
        Some(detail) if detail.starts_with(title) => format!("[{code}]: {detail}"),
        Some(detail) => format!("[{code}]: {title}: {detail}"),
        None => format!("[{code}]: {title}"),
    })
}

/// The number of slangc's first error: 30015 for `error[E30015]: undefined identifier`.
pub(crate) fn slang_error_number(stderr: &str, stdout: &str) -> Option<u32> {
    let mut lines = stderr.lines().chain(stdout.lines()).map(str::trim);
    let (code, _) = lines.find_map(|line| line.strip_prefix("error[E"))?.split_once(']')?;
    code.parse().ok()
}

/// Reads the SPIR-V module of a compiler without a report.
pub(super) fn read_module(folder: &CompileFolder, _: &ProcessOutput) -> Result<CompileOutcome, BadOutput> {
    Ok(made(Shader::Spirv(read_spirv(folder)?), Report::None))
}

pub(super) fn read_spirv(folder: &CompileFolder) -> Result<Vec<u32>, BadOutput> {
    let bytes = folder.read(MODULE).map_err(|error| match error {
        error if error.is_not_found() => BadOutput::NoSpirv,
        error => BadOutput::Unreadable { file: "module", error },
    })?;

    if bytes.is_empty() || !bytes.len().is_multiple_of(4) {
        return Err(BadOutput::SpirvLength(bytes.len()));
    }
    Ok(words_of(&bytes))
}

/// A compiled shader without a Direct3D container.
pub(super) fn made(shader: Shader, report: Report) -> CompileOutcome {
    CompileOutcome::Compiled(CompiledShader { shader, container: None, report })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_stands_without_its_place() {
        for (said, expected) in [
            // glslangValidator 12.0.0, DXC 1.7.2308, glslangValidator again, and no output at all.
            (
                "probe.comp\nERROR: probe.comp:4: 'm' : no such thing \nERROR: 2 compilation errors.\n",
                "'m' : no such thing",
            ),
            ("probe.hlsl:3:5: error: unknown type name 'flat'\n", "unknown type name 'flat'"),
            ("ERROR: Linking compute stage: Missing entry point\n", "Linking compute stage: Missing entry point"),
            // slangc 2026.14.1.
            (
                "error[E30015]: undefined identifier\n --> probe.hlsl:1:16\n  |\n1 | cbuffer Half { min16float a; };\n  |      \
                 \u{20}         ^^^^^^^^^^ undefined identifier 'min16float'.\n--'\n",
                "[E30015]: undefined identifier 'min16float'",
            ),
            (
                "warning[E30081]: no\n  |  ^ other\n--'\nerror[E39007]: unknown register class\n --> p:1:3\n  |\n1 | x ^ y;\n  |  \
                 ^^ unknown register class: 'c'\n--'\n",
                "[E39007]: unknown register class: 'c'",
            ),
            ("error[E00041]: conflicting profiles\nmore\n", "[E00041]: conflicting profiles"),
            ("", "without a word"),
        ] {
            assert_eq!(first_error("", said), expected);
        }
    }
}
