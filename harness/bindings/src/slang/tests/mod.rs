//! Tables of declarations with the rows that they get.
//!
//! Authority of all rows: slangc 2026.14.1, `-no-codegen -reflection-json` with `-target hlsl
//! -profile sm_6_6`, `-target spirv`, `-target wgsl` or `-target metal`, with relative offsets
//! added up as the Slang user guide describes (Using the Reflection API, cumulative offsets). That
//! file omits the rows `$Globals` and `$Entry`; these and the uniform parameters of entry points
//! are those of slangc's code (`-target hlsl`, `glsl`, `wgsl`).

mod arrays;
mod blocks;
mod documented;
mod explicit;
mod refused;
mod scopes;
mod tree;

use layoutproof_layout::shape::Count;
use layoutproof_layout::{LayoutUnit, Span};

use crate::{Binding, BindingRequest, BoundModule, Convention, Target, bind};
use layoutproof_frontend::module::Module;
use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_render::render;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::sources::SourceMap;

const D3D: Target = Target::D3d12;
const VULKAN: Target = Target::Vulkan;
const WEBGPU: Target = Target::Webgpu;
const METAL: Target = Target::Metal;

/// A source with its rows for some targets.
type Case = (&'static str, &'static [(Target, &'static str)]);

/// Makes the request for slangc: on D3D with `-profile sm_6_6`.
fn request(target: Target) -> BindingRequest {
    let profile = (target == D3D).then(|| "sm_6_6".to_owned());
    BindingRequest { profile, ..BindingRequest::new(target, Convention::Slang) }
}

fn module_with(source: &str, options: &DeclareOptions) -> Module {
    let mut sources = SourceMap::default();
    let file = sources.add("test.slang", source);
    let end = u32::try_from(source.len()).unwrap();
    declare(&mut sources, Span { file, start: 0, end }, options)
        .unwrap_or_else(|problems| panic!("{}", render(&problems, &sources, false)))
}

fn module(source: &str) -> Module {
    module_with(source, &DeclareOptions::default())
}

/// Returns the rows of `source`, as text: `a t3+2 space1`, and `a SET.BINDING` for descriptors.
fn rows(source: &str, request: &BindingRequest) -> String {
    let BoundModule { bindings, .. } = bind(&module(source), request).unwrap();
    bindings.iter().map(row).collect::<Vec<_>>().join(", ")
}

fn row(binding: &Binding) -> String {
    let Binding { path, unit, space, index, count, .. } = binding;
    let name = match unit {
        LayoutUnit::Binding => format!("{space}."),
        LayoutUnit::PushConstant => "push".to_owned(),
        LayoutUnit::ConstantId => "id".to_owned(),
        LayoutUnit::LocationIn => "in".to_owned(),
        LayoutUnit::LocationOut => "out".to_owned(),
        LayoutUnit::ShaderRecord => "record".to_owned(),
        LayoutUnit::InputAttachment => "attach".to_owned(),
        other => other.as_str().trim_start_matches("metal-").to_owned(),
    };
    let count = match count {
        Count::Finite(1) => String::new(),
        Count::Finite(count) => format!("+{count}"),
        Count::Unbounded => "+inf".to_owned(),
    };
    let has_space = *space > 0 && *unit != LayoutUnit::Binding;
    let space = if has_space { format!(" space{space}") } else { String::new() };
    format!("{path} {name}{index}{count}{space}")
}

fn check(cases: &[Case]) {
    for (source, expected) in cases {
        for (target, expected) in *expected {
            assert_eq!(rows(source, &request(*target)), *expected, "{target}: {source}");
        }
    }
}

/// Returns the codes of the warnings.
fn warnings(source: &str, request: &BindingRequest) -> Vec<Code> {
    let BoundModule { warnings, .. } = bind(&module(source), request).unwrap();
    warnings.iter().map(|problem| problem.code).collect()
}

/// Returns the codes of the errors.
fn errors(source: &str, request: &BindingRequest) -> Vec<Code> {
    let problems: Vec<Diagnostic> = bind(&module(source), request).unwrap_err();
    problems.iter().map(|problem| problem.code).collect()
}

/// slangc 2026.14.1, decorations of `-target spirv -O0 -fvk-bind-globals 2 1`: `inputs.map` has
/// binding 3 in set 1 and `two.map` binding 6. `plain` and `only.a`, which have no data next to
/// them, are where reflection reports them.
#[test]
fn resources_beside_data_are_bound_with_the_globals_in_the_code() {
    let source = "struct Input { Sampler2D map; float4 texel; }; struct Only { Texture2D a; Texture2D b; };
        Texture2D plain; uniform Input inputs[1]; uniform float gain; uniform Only only; uniform Input two;";
    let told = |options: &str| {
        let options = vec![options.to_owned()];
        let bound = bind(&module(source), &BindingRequest { options, ..request(VULKAN) }).unwrap();
        let uncertain = bound.warnings.into_iter().filter(|warning| warning.code == Code::UncertainLayout);
        uncertain.map(|warning| warning.message.split(':').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let expected =
        ["slangc's code has `inputs[].map` at set 1 binding 3", "slangc's code has `two.map` at set 1 binding 6"];
    assert_eq!(told("-fvk-bind-globals 2 1"), expected);
    assert_eq!(told("-fvk-bind-globals 0 0"), Vec::<String>::new());
}
