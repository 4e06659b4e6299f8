//! The texts in `ci/upstream` equal the current output of `layoutproof bugs --issue`, with the builds
//! of compilers that they name.

use std::fs;
use std::path::Path;
use std::process::Command;

use layoutproof_built_in::UPSTREAM;
use layoutproof_compilers::compiler::Compiler;
use layoutproof_compilers::tools_folder::ToolsFolder;
use layoutproof_core::results::known::ReducedSource;
use layoutproof_readers::toolchain::toolchains;
use layoutproof_source::sources::SourceMap;
use libtest_mimic::{Failed, Trial};

use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    let tools = ToolsFolder::find().ok();
    let compilers = Compiler::look(tools.as_ref()).compilers;

    let texts = UPSTREAM.iter().map(|file| {
        let reduced = read(file.name, file.text);
        let text = written(file.name).unwrap_or_default();
        let lacking = reduced.toolchains.iter().find_map(|name| {
            let toolchain = toolchains().iter().find(|toolchain| toolchain.name == name.as_str());
            let needed = toolchain.map_or(name.as_str(), |toolchain| toolchain.compiler);
            match compilers.iter().find(|compiler| compiler.name() == needed) {
                None => Some(format!("{needed} is not there")),
                Some(other) if !(text.is_empty() || text.contains(other.version())) => {
                    Some(format!("{needed} is another build than the text's"))
                }
                Some(_) => None,
            }
        });
        let known = reduced.known.first().cloned().unwrap_or_default();
        trial(&format!("upstream::{}", file.name), lacking, move || is_written_again(file.name, &known))
    });
    texts.collect()
}

fn read(name: &str, text: &str) -> ReducedSource {
    let mut sources = SourceMap::default();
    let file = sources.add(name, text);
    ReducedSource::read(file, &sources).unwrap_or_else(|problems| panic!("{name}: {problems:?}"))
}

/// The committed text.
fn written(name: &str) -> std::io::Result<String> {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ci/upstream").join(format!("{name}.md")))
}

fn is_written_again(name: &str, known: &str) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_layoutproof"));
    let output = command.args(["bugs", known, "--issue", "--out"]).arg(folder.path()).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }

    let now = fs::read_to_string(folder.path().join(format!("{name}.md")))?;
    let before = written(name)?;
    if now != before {
        let hint = "`layoutproof bugs --issue --out ci/upstream` writes it";
        return Err(format!("ci/upstream/{name}.md is not what is written today ({hint}):\n{now}").into());
    }
    Ok(())
}
