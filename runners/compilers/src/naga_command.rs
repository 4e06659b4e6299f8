//! Runs the built-in naga as a command: `layoutproof naga-spirv SOURCE.wgsl OBJECT.spv`, for
//! transcribing its numbers into tests.
//!
//! Writes naga's SPIR-V for a WGSL file, with names, so that the decorations show where naga puts
//! each member; no layout rule of layoutproof plays a part. Exit status 0: compiled; 1: naga
//! refuses the source, with the reason on stderr; 2: naga could not be called. `--version` prints
//! the version of the built-in naga.

use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;

use layoutproof_device::word_bytes;
use layoutproof_readers::version::NAGA_VERSION;
use naga::back::spv;
use naga::valid::{Capabilities, ValidationFlags, Validator};

#[derive(Debug, thiserror::Error)]
enum NagaDriverError {
    #[error("layoutproof naga-spirv: error: usage: layoutproof naga-spirv SOURCE.wgsl OBJECT.spv")]
    Usage,
    #[error("layoutproof naga-spirv: error: {path}: {source}")]
    File { path: String, source: io::Error },
    #[error("{0}")]
    Refused(String),
}

pub fn compile_file(arguments: &[String]) -> ExitCode {
    let Err(failure) = run(arguments) else { return ExitCode::SUCCESS };
    // If stderr is closed, the error is lost.
    let _ = writeln!(io::stderr(), "{failure}");
    match failure {
        NagaDriverError::Refused(_) => ExitCode::from(1),
        NagaDriverError::Usage | NagaDriverError::File { .. } => ExitCode::from(2),
    }
}

fn run(arguments: &[String]) -> Result<(), NagaDriverError> {
    match arguments {
        [option] if option == "--version" => {
            writeln!(io::stdout(), "{NAGA_VERSION}").map_err(|error| at("stdout", error))
        }
        [source, object] => {
            let text = fs::read_to_string(source).map_err(|error| at(source, error))?;
            let words = compile(&text)?;
            let bytes = word_bytes(&words);
            fs::write(object, bytes).map_err(|error| at(object, error))
        }
        _ => Err(NagaDriverError::Usage),
    }
}

/// Compiles a WGSL module with all its entry points to SPIR-V.
fn compile(text: &str) -> Result<Vec<u32>, NagaDriverError> {
    let module =
        naga::front::wgsl::parse_str(text).map_err(|error| NagaDriverError::Refused(error.emit_to_string(text)))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|error| NagaDriverError::Refused(error.emit_to_string(text)))?;
    // Without this flag the module has no names.
    let options = spv::Options { flags: spv::WriterFlags::DEBUG, ..spv::Options::default() };
    spv::write_vec(&module, &info, &options, None).map_err(|error| NagaDriverError::Refused(format!("error: {error}")))
}

fn at(path: &str, source: io::Error) -> NagaDriverError {
    NagaDriverError::File { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// naga 30 decorates Offset 16 for `b`: WGSL, 14.4 Memory Layout, aligns `vec3<f32>` to 16 bytes.
    #[test]
    fn a_module_has_names_and_offsets() {
        let text = "struct S { a: f32, b: vec3f }\n@group(0) @binding(0) var<uniform> s: S;\n\
            @compute @workgroup_size(1) fn main() {}\n";
        let words = compile(text).unwrap();
        // OpMemberName and OpMemberDecorate ... Offset 16 (SPIR-V, 3.52.3 and 3.20: opcodes 6 and 72, decoration 35).
        let named = words.windows(4).any(|w| w[0] == (4 << 16) + 6 && w[2] == 1 && w[3] == u32::from(b'b'));
        assert!(named, "no name `b` in {words:X?}");
        assert!(
            words.windows(5).any(|w| w[0] == (5 << 16) + 72 && w[2..] == [1, 35, 16]),
            "no Offset 16 in {words:X?}"
        );
    }

    #[test]
    fn refusals_are_in_nagas_words() {
        let refused = compile("struct S { a: Unknown }").unwrap_err();
        assert!(
            matches!(&refused, NagaDriverError::Refused(text) if text.starts_with("error: no definition in scope"))
        );
        let text = "struct S { a: array<f32, 2> }\n@group(0) @binding(0) var<uniform> s: S;\n";
        let invalid = compile(text).unwrap_err().to_string();
        assert!(invalid.contains("The array stride 4 is not a multiple of the required alignment 16"), "{invalid}");
    }

    #[test]
    fn a_wrong_call_is_told_apart_from_a_refusal() {
        assert!(matches!(run(&["a.wgsl".to_owned()]), Err(NagaDriverError::Usage)));
        let absent = run(&["absent.wgsl".to_owned(), "a.spv".to_owned()]);
        assert!(matches!(absent, Err(NagaDriverError::File { path, .. }) if path == "absent.wgsl"));
    }
}
