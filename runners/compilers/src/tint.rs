//! Tint's answer to the question who it is.
//!
//! The program that `ci/setup.sh` puts in Tint's place tells its version. Tint's own knows no such option; its help says at
//! least what it writes, which not every build does.

use crate::child::run;
use crate::compiler::{Compiler, Invocation, VERSION_LIMIT, answering as answering_version};

/// The compiler's name.
pub(crate) const NAME: &str = "tint";

/// The parts of the driver that Dawn writes for, below the tools folder, as `dawn/tint.js` takes them.
pub(crate) const DRIVER: [&str; 2] = ["drivers/swiftshader.json", "swiftshader"];

/// How Tint's help begins the line that lists what it writes.
const FORMATS: &str = "--format ";

/// The Tint that is started so, or why it is none, or none that is of use here.
pub(crate) fn answering(invocation: Invocation) -> Result<Compiler, String> {
    answering_version(NAME, invocation.clone(), &["--version"]).or_else(|reason| {
        let program = invocation.program.display();
        let finished = run(invocation.command().arg("--help"), VERSION_LIMIT);
        let finished = finished.map_err(|error| format!("{program}: {error}"))?;
        let mut lines = finished.stdout.lines().chain(finished.stderr.lines()).map(str::trim);
        match lines.find(|line| line.starts_with(FORMATS)) {
            None => Err(reason),
            Some(formats) if formats.contains("spirv") => Ok(Compiler::without_version(NAME, invocation)),
            Some(formats) => {
                Err(format!("{program} writes no SPIR-V ({})", formats.split("  ").next().unwrap_or(formats)))
            }
        }
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// What a shell script in Tint's place comes to; `$0` is the question.
    fn asked(script: &str) -> Result<String, String> {
        let leading = vec!["-c".into(), script.into()];
        let found = answering(Invocation { leading, ..Invocation::program("sh".into()) });
        found.map(|compiler| compiler.version().to_owned())
    }

    /// The lines are those of Tint's own help, of builds with and without the writer.
    #[test]
    fn a_tint_of_use_tells_a_version_or_writes_spirv() {
        let help = |formats: &str| {
            asked(&format!("test $0 = --help && echo '--format <{formats}>      Output format.'; exit 1"))
        };
        assert_eq!(asked("echo Tint 7"), Ok("Tint 7".to_owned()));
        assert_eq!(help("none|spirv|spvasm|wgsl|ir"), Ok("tells no version".to_owned()));
        assert_eq!(help("none|wgsl|ir"), Err("sh writes no SPIR-V (--format <none|wgsl|ir>)".to_owned()));
        assert!(asked("exit 1").unwrap_err().contains("asked for its version"));
    }
}
