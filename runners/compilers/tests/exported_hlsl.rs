//! Compiles the HLSL in exported tests of the offload test suite with DXC, using the options of the
//! test's own `RUN` line. Ignored, not passed, if DXC is missing.

use std::fs;
use std::sync::Arc;

use layoutproof_compilers::compiler::{Compiler, CompilerAnswer};
use layoutproof_compilers::tools_folder::ToolsFolder;
use layoutproof_core::case::Case;
use layoutproof_core::check::{Source, Subject};
use layoutproof_exports::{OffloadApis, offload_test};
use layoutproof_layout::find;
use layoutproof_source::sources::SourceMap;
use libtest_mimic::{Arguments, Failed, Trial};

const CASES: [(&str, &str, &str); 3] = [
    ("uniform", "hlsl-cbuffer", include_str!("../../../cases/arrays/scalar_packs_behind_the_last_element.toml")),
    ("option", "dx-cbuffer", include_str!("../../../cases/arrays/scalar_packs_behind_the_last_element.toml")),
    ("elements", "hlsl-structured", include_str!("../../../cases/structured/writable_buffers_are_laid_out_alike.toml")),
];

fn main() {
    let arguments = Arguments::from_args();
    let tools = ToolsFolder::find().ok();
    let dxc = Compiler::named("dxc", tools.as_ref()).compiler.ok().map(Arc::new);
    let trials = CASES.map(|(name, rules, text)| {
        let (absent, dxc) = (dxc.is_none(), dxc.clone());
        let test = move || compiles(dxc.as_deref().ok_or("no dxc")?, rules, text);
        Trial::test(format!("exported_hlsl::{name}"), test).with_ignored_flag(absent)
    });
    libtest_mimic::run(&arguments, trials.into()).exit();
}

fn compiles(dxc: &Compiler, rules: &str, text: &str) -> Result<(), Failed> {
    let mut sources = SourceMap::default();
    let file = sources.add("case.toml", text);
    let case = Case::read("case", file, &mut sources).map_err(|found| format!("{found:?}"))?;
    let source = Source::of_case(&case, &mut sources).map_err(|found| format!("{found:?}"))?;
    let source = Arc::new(source.ok_or("it declares nothing")?);

    let exported = offload_test(&Subject::new(source, find(rules).ok_or("no such rule set")?))?;
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("source.hlsl"), &exported.hlsl)?;
    let spirv = match exported.apis {
        OffloadApis::Vulkan => Some("-spirv"),
        OffloadApis::DirectX | OffloadApis::Both => None,
    };
    let options = exported.options.iter().map(String::as_str);
    let arguments: Vec<&str> = options.chain(spirv).chain(["-Fo", "out", "source.hlsl"]).collect();

    match dxc.ask(folder.path(), &arguments) {
        CompilerAnswer::Accepted(_) => Ok(()),
        CompilerAnswer::Refused(finished) => Err(finished.stderr.into()),
        CompilerAnswer::Broken(sentence) => Err(sentence.into()),
    }
}
