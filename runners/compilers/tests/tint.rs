//! Checks the Tint that `ci/setup.sh` installs with a block of each kind: the addresses in its
//! code, and the text of a refusal. Ignored, not passed, if Tint is missing.

use std::array::TryFromSliceError;
use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;

use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_compilers::tools_folder::ToolsFolder;
use layoutproof_core::check::{Settings, Subject, SubjectShaders};
use layoutproof_device::{Shader, word_bytes};
use layoutproof_layout::ElementChoice;
use layoutproof_readers::spirv::{bound_variables, declared};
use layoutproof_readers::toolchain::{CodeTarget, CompileOutcome, CompileRequest, Compilers, Toolchain, toolchains};
use layoutproof_source::sources::SourceMap;
use layoutproof_wgsl::WgslLayouts;
use libtest_mimic::{Arguments, Failed, Trial};

/// Bindings with gaps, and groups; Dawn renumbers them, buffers before textures.
const BOUND: &str = "
struct S { a: f32, v: vec3<f32>, c: mat2x2<f32> }
@group(1) @binding(7) var<storage, read> block: S;
@group(0) @binding(9) var<storage, read_write> output: array<u32>;
@binding(1) @group(0) var image: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(3) var<storage, read> input: array<u32>;
@compute @workgroup_size(1)
fn read_storage() {
    output[0] = input[0];
    textureStore(image, vec2u(0), vec4f(1));
    output[1] = bitcast<u32>(block.c[1].y);
}
";

fn main() {
    let arguments = Arguments::from_args();
    let tools = ToolsFolder::find().ok();
    let found = Arc::new(Toolchains::find(tools.as_ref()));
    let tint = toolchains().iter().find(|toolchain| toolchain.name == "tint").filter(|tint| found.has(tint));
    let trial = |name: &str, test: fn(&Asked) -> Result<(), Failed>| {
        let found = Arc::clone(&found);
        let test = move || test(&Asked { found: &found, tint: tint.ok_or("no tint")? });
        Trial::test(format!("tint::{name}"), test).with_ignored_flag(tint.is_none())
    };
    let trials = vec![
        trial("the_module_has_the_names_and_numbers_of_the_source", keeps_names),
        trial("structs_in_storage_buffers_are_decorated", decorates),
        trial("a_users_text_is_probed_as_it_stands", probes_own),
        trial("the_words_of_a_refusal_are_tints", refuses),
        trial("a_process_that_serves_answers_as_one_for_each_source", serves),
    ];
    libtest_mimic::run(&arguments, trials).exit();
}

struct Asked<'a> {
    found: &'a Toolchains,
    tint: &'static Toolchain,
}

impl Asked<'_> {
    fn compile(&self, text: &str, entry: &str) -> CompileOutcome {
        self.found.compile(&CompileRequest { entry, ..CompileRequest::of_text(self.tint, text) }).outcome
    }

    fn module(&self) -> Result<Vec<u32>, Failed> {
        match self.compile(BOUND, "read_storage") {
            CompileOutcome::Compiled(made) => match made.shader {
                Shader::Spirv(words) => Ok(words),
                other => Err(format!("{other:?} is no SPIR-V").into()),
            },
            CompileOutcome::Rejected(words) | CompileOutcome::Failed(words) => Err(words.into()),
        }
    }
}

fn keeps_names(asked: &Asked<'_>) -> Result<(), Failed> {
    let words = asked.module()?;
    let bound = bound_variables(&words).map_err(|error| error.to_string())?;
    // Tint leaves the variables of buffers without a name.
    let mut sockets: Vec<_> = bound.iter().map(|it| (it.set, it.binding, it.name == "image")).collect();
    sockets.sort_unstable();
    assert_eq!(sockets, [(0, 1, true), (0, 3, false), (0, 9, false), (1, 7, false)]);
    // A SPIR-V string: its bytes in order, four per word.
    let bytes = word_bytes(&words);
    assert!(bytes.windows(13).any(|window| window == b"read_storage\0"));
    Ok(())
}

/// WGSL, 14.4.1 Alignment and Size: a 0, v 16, c 32.
fn decorates(asked: &Asked<'_>) -> Result<(), Failed> {
    let blocks = declared(&asked.module()?).map_err(|error| error.to_string())?;
    let block = blocks.iter().find(|block| block.binding == Some(7)).ok_or("no block at binding 7")?;
    let leaves = block.layout.leaves();
    // Tint may wrap the block in a struct; the leaves keep their offsets.
    let of = |end: &str| leaves.iter().find(|leaf| leaf.path.ends_with(end)).map(|leaf| leaf.offset);
    assert_eq!(["a", "v.x", "c[0][0]"].map(of), [Some(0), Some(16), Some(32)], "{leaves:?}");
    Ok(())
}

/// WGSL, 14.4.1 Alignment and Size: a Light has 64 bytes, with its kind at 32; lights 64, count
/// 256, scale 320.
fn probes_own(asked: &Asked<'_>) -> Result<(), Failed> {
    let text = "
struct Light { @align(32) position: vec3<f32>, @size(20) power: f32, kind: u32 }
struct Scene { view: mat4x3<f32>, lights: array<Light, 3>, @size(64) count: u32, scale: mat2x2<f32> }
@group(0) @binding(2) var<uniform> scene: Scene;
@group(0) @binding(1) var image: texture_2d<f32>;
";
    let mut sources = SourceMap::default();
    let layouts = WgslLayouts::read(text, sources.add("user.wgsl", text))
        .and_then(WgslLayouts::allowed)
        .map_err(|found| format!("{found:?}"))?
        .blocks;
    let subject = Subject::declared("user.wgsl", layouts, Some(text.to_owned()));
    let settings = Settings::usual(ElementChoice::Sample);
    let produced = SubjectShaders::compiled(&subject, asked.tint, asked.found, CodeTarget::Newest, &settings);
    let mut found = BTreeMap::new();
    for module in &produced.modules {
        for ((_, _, leaf), offset) in &module.compiled {
            found.insert(module.plan.leaves[*leaf as usize].path.as_str(), *offset);
        }
    }
    let of = |path: &str| found.get(path).copied().flatten();
    let paths = ["view[2][3]", "lights[2].kind", "count", "scale[1][1]"];
    assert_eq!(paths.map(of), [Some(56), Some(224), Some(256), Some(332)], "{produced:?}");
    Ok(())
}

fn refuses(asked: &Asked<'_>) -> Result<(), Failed> {
    let refused = |text: &str, entry| match asked.compile(text, entry) {
        CompileOutcome::Rejected(words) => Ok(words),
        other => Err(Failed::from(format!("{other:?}"))),
    };
    assert_eq!(refused(&BOUND.replace("mat2x2", "mat2x7"), "read_storage")?, "unresolved type 'mat2x7'");
    assert!(refused(BOUND, "other")?.contains("other"));
    Ok(())
}

/// A serving process returns the same module, after a source that it refused, as a Tint that is
/// started for this source alone.
fn serves(asked: &Asked<'_>) -> Result<(), Failed> {
    let compiler = asked.found.compilers().iter().find(|compiler| compiler.name() == "tint").ok_or("no tint")?;
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("bound.wgsl"), BOUND)?;
    let mut alone = Command::new(compiler.program());
    alone.args(["--format", "spirv", "-o", "bound.spv", "--entry-point", "read_storage", "bound.wgsl"]);
    let ended = alone.current_dir(folder.path()).status()?;
    assert!(ended.success(), "{ended}");

    let bytes = std::fs::read(folder.path().join("bound.spv"))?;
    let words = bytes.chunks(4).map(|word| Ok(u32::from_le_bytes(word.try_into()?)));
    let expected: Vec<u32> = words.collect::<Result<_, TryFromSliceError>>()?;
    for _ in 0..3 {
        refuses(asked)?;
        assert_eq!(asked.module()?, expected);
    }
    Ok(())
}
