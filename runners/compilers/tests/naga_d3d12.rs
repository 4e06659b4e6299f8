//! naga's HLSL, compiled by DXC, as `naga-d3d12`: what its code addresses in a buffer and in immediates. Ignored, not
//! passed, where DXC is absent.

use std::collections::BTreeMap;
use std::sync::Arc;

use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_compilers::tools_folder::ToolsFolder;
use layoutproof_core::case::Case;
use layoutproof_core::check::{Settings, Source, Subject, SubjectShaders};
use layoutproof_core::input::sources::SourceMap;
use layoutproof_core::inspect::toolchain::{CodeTarget, Compilers, toolchains};
use layoutproof_core::probe::AddressSpace;
use layoutproof_layout::{ElementChoice, find};
use libtest_mimic::{Arguments, Failed, Trial};

const CASE: &str = "
schema = 1
summary = \"a test\"
declare = \"struct S { float a; float b[2]; float c; }; StructuredBuffer<S> s;\"
[expect.wgsl-storage]
authority = { spec = \"WGSL, 14.4.1 Alignment and Size\" }
partial = true
offsets = { \"s.a\" = 0 }
";

fn main() {
    let arguments = Arguments::from_args();
    let tools = ToolsFolder::find().ok();
    let found = Toolchains::find(tools.as_ref());
    let naga = toolchains().iter().find(|toolchain| toolchain.name == "naga-d3d12").filter(|naga| found.has(naga));
    let test = move || {
        let naga = naga.ok_or("no DXC")?;
        let subject = subject()?;
        let settings = Settings::usual(ElementChoice::Sample);
        addresses_what_hlsl_packs(&SubjectShaders::compiled(&subject, naga, &found, CodeTarget::Newest, &settings))
    };
    let trial = Trial::test("naga_d3d12::immediates_are_packed_as_a_constant_buffer", test);
    libtest_mimic::run(&arguments, vec![trial.with_ignored_flag(naga.is_none())]).exit();
}

fn subject() -> Result<Subject, Failed> {
    let mut sources = SourceMap::default();
    let file = sources.add("test.toml", CASE);
    let case = Case::read("test", file, &mut sources).map_err(|found| format!("{found:?}"))?;
    let source =
        Source::of_case(&case, &mut sources).map_err(|found| format!("{found:?}"))?.ok_or("no declarations")?;
    Ok(Subject::new(Arc::new(source), find("wgsl-storage").ok_or("no such rules")?))
}

/// WGSL, 14.4.1 Alignment and Size: a 0, b 4 and 8, c 12. Microsoft, "Packing rules for constant variables": each element
/// of an array begins a register of 16 bytes, so b is at 16 and 32, and c behind it at 36.
fn addresses_what_hlsl_packs(produced: &SubjectShaders) -> Result<(), Failed> {
    let found_in = |space: AddressSpace| {
        let modules = produced.modules.iter().filter(|module| module.plan.entries[0].space == space);
        let offsets = modules.flat_map(|module| {
            let path = |leaf: &u32| module.plan.leaves[*leaf as usize].path.clone();
            module.compiled.iter().map(move |((_, _, leaf), offset)| (path(leaf), *offset))
        });
        offsets.collect::<BTreeMap<_, _>>()
    };
    let of = |space| {
        let found = found_in(space);
        ["a", "b[0]", "b[1]", "c"].map(|path| found.get(path).copied().flatten())
    };

    if of(AddressSpace::Storage) != [Some(0), Some(4), Some(8), Some(12)] {
        return Err(format!("in a storage buffer: {produced:?}").into());
    }
    if of(AddressSpace::PushConstant) != [Some(0), Some(16), Some(32), Some(36)] {
        return Err(format!("in immediates: {produced:?}").into());
    }
    Ok(())
}
