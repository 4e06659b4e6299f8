//! Runs a compiler with a command line as a person would type it, and collects all output.
//!
//! This is for texts that show an author what a compiler does. The drivers use their own command
//! lines and options; this module adds only a header that some packages of a compiler lack.

use std::fs;
use std::io;
use std::path::Path;

use layoutproof_readers::spirv::disassembly;

use crate::child::{OUTPUT_LIMIT, ProcessOutput};
use crate::compiler::{Compiler, CompilerAnswer};
use crate::drivers::{CompilerDriver, driver_named, first_error};
use crate::regular_file;
use crate::scratch::ScratchFolder;

#[derive(Clone, Copy, Debug)]
pub struct TypedCommand<'a> {
    pub arguments: &'a [&'a str],
    pub file: &'a str,
    pub text: &'a str,
    /// Output files to read; those that end in `.spv` are disassembled.
    pub outputs: &'a [String],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedAnswer {
    pub end: TypedEnd,
    /// Standard output, standard error and the output files, in this order.
    pub output: String,
    /// True if our header replaced the compiler's own.
    pub has_stand_in_header: bool,
}

/// The end of a compiler that ran with a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypedEnd {
    Accepted,
    Refused,
    /// It crashed, caught an internal crash, failed without a diagnostic or did not end; a fragment that starts with its name.
    Broken(String),
}

impl TypedCommand<'_> {
    /// Runs the command line in a temporary folder.
    pub fn run(&self, compiler: &Compiler) -> io::Result<TypedAnswer> {
        let folder = ScratchFolder::new()?;
        fs::write(folder.path().join(self.file), self.text)?;

        let driver = driver_named(compiler.name());
        let header = driver.and_then(CompilerDriver::stand_in_header);
        let mut arguments = self.arguments.to_vec();
        if let Some(header) = &header {
            let path = folder.path().join(header.file.path);
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(path, header.file.text)?;
            arguments.splice(0..0, header.arguments.iter().copied());
        }

        let answer = compiler.ask(folder.path(), &arguments);
        let (end, mut output) = match answer {
            CompilerAnswer::Accepted(finished) => (TypedEnd::Accepted, printed(&finished)),
            CompilerAnswer::Refused(finished) => {
                let first = first_error(&finished.stderr, &finished.stdout);
                let crash = driver.and_then(|driver| driver.caught_crash(compiler.name(), &finished.stderr, &first));
                (crash.map_or(TypedEnd::Refused, TypedEnd::Broken), printed(&finished))
            }
            CompilerAnswer::Broken(sentence) => (TypedEnd::Broken(sentence), String::new()),
        };

        if end == TypedEnd::Accepted {
            for name in self.outputs {
                output.push_str(&read_output(&folder.path().join(name))?);
                output.push('\n');
            }
        }
        Ok(TypedAnswer { end, output, has_stand_in_header: header.is_some() })
    }
}

fn printed(finished: &ProcessOutput) -> String {
    format!("{}\n{}\n", finished.stdout, finished.stderr)
}

fn read_output(path: &Path) -> io::Result<String> {
    let bytes = regular_file::read(path, OUTPUT_LIMIT).map_err(|error| io::Error::other(error.to_string()))?;
    if path.extension().is_some_and(|extension| extension == "spv") {
        return disassembly(&bytes).map_err(io::Error::other);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn ask(script: &str) -> TypedAnswer {
        let outputs = ["out.txt".to_owned()];
        let command = TypedCommand { arguments: &["a"], file: "b.hlsl", text: "source", outputs: &outputs };
        command.run(&Compiler::script("dxc", script)).expect("a temporary folder")
    }

    #[test]
    fn all_that_comes_of_a_command_line_is_collected() {
        let answer = ask("cat b.hlsl; echo word >&2; echo file > out.txt");
        assert_eq!(answer.end, TypedEnd::Accepted);
        assert_eq!(answer.output.split_whitespace().collect::<Vec<_>>(), ["source", "word", "file"]);
    }

    #[test]
    fn a_silent_end_is_no_refusal() {
        assert!(matches!(ask("exit 1").end, TypedEnd::Broken(sentence) if sentence.contains("without a diagnostic")));
        assert_eq!(ask("echo error; exit 1").end, TypedEnd::Refused);
        assert!(matches!(ask("kill -SEGV $$").end, TypedEnd::Broken(sentence) if sentence.contains("SIGSEGV")));
    }
}
