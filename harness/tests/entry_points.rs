//! The entry points that compilers get: the probe's entry point has the parameters of the user's.

use std::sync::{Arc, Mutex};

use layoutproof_core::check::{Settings, Source, Subject, SubjectShaders};
use layoutproof_frontend::DeclareOptions;
use layoutproof_layout::{ElementChoice, LayoutOptions, Span, find};
use layoutproof_readers::module_reader::{InProcessReader, ModuleReader};
use layoutproof_readers::toolchain::{
    CodeTarget, Compilation, CompileOutcome, CompileRequest, Compilers, Toolchain, toolchains,
};
use layoutproof_source::sources::SourceMap;

/// Records the line of each probe's entry point and rejects every source.
#[derive(Debug, Default)]
struct Listener(Mutex<Vec<String>>);

impl Compilers for Listener {
    fn has(&self, _: &Toolchain) -> bool {
        true
    }

    fn version(&self, _: &Toolchain) -> Option<&str> {
        None
    }

    fn compile(&self, request: &CompileRequest<'_>) -> Compilation {
        let head = format!("void {}(", request.entry);
        // The user's own file, after the probes.
        let Some(line) = request.source.text.lines().find(|line| line.starts_with(&head)) else {
            return CompileOutcome::Rejected("it only listens".to_owned()).into();
        };
        let block = request.name.rsplit_once('/').expect("a folder of its own").1;
        // A second request has fewer forms of access and a name that contains them.
        if !block.contains("_leaf") {
            self.0.lock().expect("no listener panics").push(format!("{block}: {line}"));
        }
        CompileOutcome::Rejected("it only listens".to_owned()).into()
    }

    fn reader(&self) -> &dyn ModuleReader {
        &InProcessReader
    }
}

/// The entry points that the compiler of `toolchain` gets for the blocks of `text` under `rules`.
fn asked(text: &str, toolchain: &str, rules: &str) -> Vec<String> {
    let mut sources = SourceMap::default();
    let file = sources.add("test.slang", text);
    let span = Span { file, start: 0, end: u32::try_from(text.len()).expect("the texts are short") };
    let source = Source::of_file(span, LayoutOptions::default(), &DeclareOptions::default(), &mut sources);
    let subject = Subject::new(Arc::new(source.expect("it is Slang")), find(rules).expect("a row of the table"));
    let toolchain = toolchains().iter().find(|one| one.name == toolchain).expect("a toolchain");
    let listener = Listener::default();
    let produced = SubjectShaders::compiled(
        &subject,
        toolchain,
        &listener,
        CodeTarget::Newest,
        &Settings::usual(ElementChoice::Sample),
    );
    assert!(produced.modules.is_empty() && produced.broken.is_empty(), "{produced:?}");
    listener.0.into_inner().expect("no listener panics")
}

#[test]
fn the_probe_takes_the_uniform_parameters_over_as_written() {
    let text = "#define COUNT 3
        [shader(\"compute\")] [numthreads(1, 1, 1)]
        void main(uint3 id : SV_DispatchThreadID, uniform float x, Texture2D t, uniform row_major float2x3 m[COUNT], float y)
        {}";
    let head = "$Entry.main: void read_push(uniform float x, Texture2D t, uniform row_major float2x3 m[3], float y)";
    assert_eq!(asked(text, "slang-vulkan", "std430@slang"), [head]);
    let head = head.replace("read_push", "read_uniform");
    assert_eq!(asked(text, "slang-d3d12", "slang-cbuffer"), [head]);
}

#[test]
fn what_varies_stays_behind() {
    let text = "[shader(\"vertex\")] float4 main(float3 n : NORMAL, uniform float4x4 m, float2 uv) : SV_Position { return 0; }";
    let head = "$Entry.main: void read_push(uniform float4x4 m)";
    assert_eq!(asked(text, "slang-vulkan", "std430@slang"), [head]);
}

#[test]
fn a_buffer_among_the_parameters_is_read_there() {
    let text = "struct T { float a; };
        [shader(\"compute\")] [numthreads(1, 1, 1)] void main(ConstantBuffer<T> own) {}";
    assert_eq!(asked(text, "slang-vulkan", "std140@slang"), ["own: void read_uniform(ConstantBuffer<T> own)"]);
}

#[test]
fn the_parameters_are_those_of_the_entry_point_with_the_buffer() {
    let text = "struct T { float a; };
        [shader(\"vertex\")] float4 first(float4 own : A) : SV_Position { return own; }
        [shader(\"compute\")] [numthreads(1, 1, 1)] void main(ConstantBuffer<T> own) {}";
    assert_eq!(asked(text, "slang-vulkan", "std140@slang"), ["own: void read_uniform(ConstantBuffer<T> own)"]);
}

#[test]
fn a_global_buffer_of_the_same_name_is_read_at_its_place() {
    let text = "struct T { float a; }; ConstantBuffer<T> own;
        [shader(\"compute\")] [numthreads(1, 1, 1)] void main(uniform float own) {}";
    assert_eq!(asked(text, "slang-vulkan", "std140@slang"), ["own: void read_uniform()"]);
}
