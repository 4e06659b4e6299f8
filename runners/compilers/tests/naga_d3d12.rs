//! Checks naga's HLSL, compiled by DXC as `naga-d3d12`: the addresses that its code uses in a
//! buffer and in immediates. Ignored, not passed, if DXC is missing.

use std::collections::BTreeMap;
use std::sync::Arc;

use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_compilers::tools_folder::ToolsFolder;
use layoutproof_core::case::Case;
use layoutproof_core::check::produce::CompiledOffsets;
use layoutproof_core::check::{Settings, ShaderModule, Source, Subject, SubjectShaders};
use layoutproof_events::producer::Generator;
use layoutproof_layout::{ElementChoice, find};
use layoutproof_probes::{AddressSpace, Form};
use layoutproof_readers::toolchain::{CodeTarget, Compilers, toolchains};
use layoutproof_source::sources::SourceMap;
use libtest_mimic::{Arguments, Failed, Trial};

const ARRAY: &str = "struct S { float a; float b[2]; float c; };";

/// Types for which naga's declarations differ: it splits matrices with two rows, alone and in
/// arrays, and it fills gaps.
const SHAPES: [&str; 6] = [
    "struct S { float a; float3 b; float c; };",
    "struct I { float2 uv; float w; }; struct S { float a; I b; float c; I d[2]; float e; };",
    "struct S { float a; float3x3 b; float c; float4x4 d; };",
    "struct S { float a; float2x3 b; float c; };",
    "struct S { float2x3 a[2]; float b; float2x2 c; float d; };",
    "struct S { float2 a; float b[3]; float2 c[2]; float d; float3 e[2]; float f; };",
];

fn main() {
    let arguments = Arguments::from_args();
    let tools = ToolsFolder::find().ok();
    let found = Toolchains::find(tools.as_ref());
    let naga = toolchains().iter().find(|toolchain| toolchain.name == "naga-d3d12").filter(|naga| found.has(naga));
    let compiled = move |declared: &str| -> Result<SubjectShaders, Failed> {
        let (naga, settings) = (naga.ok_or("no DXC")?, settings());
        Ok(SubjectShaders::compiled(&subject(declared)?, naga, &found, CodeTarget::Newest, &settings))
    };
    let compiled = Arc::new(compiled);

    let array = Arc::clone(&compiled);
    let packed = move || addresses_what_hlsl_packs(&array(ARRAY)?);
    let foretold = move || SHAPES.iter().try_for_each(|shape| is_foretold(shape, &compiled(shape)?));
    let trials = vec![
        Trial::test("naga_d3d12::immediates_are_packed_as_a_constant_buffer", packed),
        Trial::test("naga_d3d12::what_dxc_compiles_is_what_the_declaration_says", foretold),
    ];
    let trials = trials.into_iter().map(|trial| trial.with_ignored_flag(naga.is_none())).collect();
    libtest_mimic::run(&arguments, trials).exit();
}

/// Immediates and storage buffers, in every form.
fn settings() -> Settings {
    let spaces = [AddressSpace::Storage, AddressSpace::PushConstant].into();
    Settings { spaces: Some(spaces), ..Settings::usual(ElementChoice::Sample) }
}

fn subject(declared: &str) -> Result<Subject, Failed> {
    let case = format!(
        "schema = 1\nsummary = \"a test\"\ndeclare = \"{declared} StructuredBuffer<S> s;\"\n[expect.wgsl-storage]\n\
         authority = {{ spec = \"WGSL, 14.4.1 Alignment and Size\" }}\npartial = true\noffsets = {{ \"s.a\" = 0 }}\n"
    );
    let mut sources = SourceMap::default();
    let file = sources.add("test.toml", case);
    let case = Case::read("test", file, &mut sources).map_err(|found| format!("{found:?}"))?;
    let source =
        Source::of_case(&case, &mut sources).map_err(|found| format!("{found:?}"))?.ok_or("no declarations")?;
    Ok(Subject::new(Arc::new(source), find("wgsl-storage").ok_or("no such rules")?))
}

/// WGSL, 14.4.1 Alignment and Size: a 0, b 4 and 8, c 12. Microsoft, "Packing rules for constant
/// variables": each element of an array starts a register of 16 bytes, so b is at 16 and 32, and c
/// follows it at 36.
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

/// DXC's code reads immediates at the offsets that our witness for the HLSL of wgpu's devices
/// predicts. The witness only knows naga's text and the packing of constant buffers.
fn is_foretold(shape: &str, compiled: &SubjectShaders) -> Result<(), Failed> {
    let foretold = SubjectShaders::new(&subject(shape)?, Generator::Naga, &settings());
    let of_hlsl = offsets(&foretold, |module| module.hlsl_compiled.clone().unwrap_or_default());
    let of_code = offsets(compiled, |module| module.compiled.clone());

    if of_code.is_empty() {
        return Err(format!("{shape}: no immediates were compiled: {compiled:?}").into());
    }
    for (probed, offset) in of_code {
        if of_hlsl.get(&probed) != Some(&offset) {
            let told = of_hlsl.get(&probed);
            return Err(format!("{shape}: {probed:?} is read at {offset:?}, but {told:?} was predicted").into());
        }
    }
    Ok(())
}

/// A leaf of immediates and the form of the read.
type ProbedLeaf = (String, Form);

/// The offsets of all leaves of immediates, by path and form.
fn offsets(
    produced: &SubjectShaders,
    of: impl Fn(&ShaderModule) -> CompiledOffsets,
) -> BTreeMap<ProbedLeaf, Option<u32>> {
    let modules = produced.modules.iter().filter(|it| it.plan.entries[0].space == AddressSpace::PushConstant);
    let all = modules.flat_map(|module| {
        let path = |leaf: u32| module.plan.leaves[leaf as usize].path.clone();
        of(module).into_iter().map(move |((_, form, leaf), offset)| ((path(leaf), form), offset)).collect::<Vec<_>>()
    });
    all.collect()
}
