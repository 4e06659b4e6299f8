//! Writes a program around declarations without an entry point. It uses every parameter, so that
//! compilers bind it.
//!
//! The program reads one leaf of each block and queries the dimensions of resources, which all
//! resources except samplers have. For an array it uses only the first element.

use std::fmt::Write;

use layoutproof_layout::BlockLayout;
use layoutproof_layout::resource::{Access, Dimension, Resource, ResourceKind, Texture};
use layoutproof_layout::shape::{StructType, Type};

use super::hlsl::expression;
use layoutproof_frontend::module::{Module, ParameterKind};
use layoutproof_probes::reserved::{MARK, Reserved};

/// Name of the generated entry point.
pub const ENTRY: &str = "main";

/// Writes the declarations followed by a compute entry point. `layouts` are the layouts of the
/// module's blocks, under any rule set that accepts them; `reserved` holds the names and numbers
/// that the declarations leave free.
pub fn program(declarations: &str, module: &Module, layouts: &[BlockLayout], reserved: &Reserved) -> String {
    let uses = uses(module, layouts);
    let (output, texture, space) = (reserved.binding(), reserved.binding() + 2, reserved.space());
    let own = format!(
        "[[vk::binding({output}, 0)]] RWByteAddressBuffer {MARK}output : register(u0, space{space});
[[vk::binding({texture}, 0)]] Texture2D<float4> {MARK}texture : register(t2, space{space});
[shader(\"compute\")]
[numthreads(1, 1, 1)]
void {ENTRY}()
{{
    uint {MARK}sum = 0;
{uses}    {MARK}output.Store(0, {MARK}sum);
}}
"
    );
    format!("{declarations}\n{}", reserved.place(&own))
}

/// Returns the statements that use every parameter and add the values to the sum.
fn uses(module: &Module, layouts: &[BlockLayout]) -> String {
    let mut uses = String::new();
    for layout in layouts.iter().filter(|layout| !is_stream(module, &layout.name)) {
        if let Some(path) = layout.leaves().first().and_then(|leaf| expression(layout, leaf)) {
            uses.push_str(&added(&format!("(uint)({path})")));
        }
    }

    for parameter in &module.parameters {
        match (parameter.kind, &parameter.ty) {
            // Members of a cbuffer are named without it.
            (ParameterKind::Cbuffer | ParameterKind::Tbuffer, Type::Struct(members)) => {
                use_members(members, "", &mut uses);
            }
            (ParameterKind::Variable, ty) => add_uses(ty, &parameter.name, &mut uses),
            (ParameterKind::Cbuffer | ParameterKind::Tbuffer | ParameterKind::Global, _) => {}
        }
    }
    uses
}

/// Writes the declarations followed by an entry point that does nothing, for compilers that bind
/// unused parameters.
pub fn idle_program(declarations: &str) -> String {
    format!("{declarations}\n[shader(\"compute\")]\n[numthreads(1, 1, 1)]\nvoid {ENTRY}()\n{{\n}}\n")
}

/// Returns true if the block is the element of a buffer that only appends or consumes. No
/// expression can name such an element.
pub fn is_stream(module: &Module, block: &str) -> bool {
    let parameter = module.parameters.iter().find(|parameter| parameter.name == block);
    let resource = parameter.and_then(|parameter| parameter.ty.resource());
    resource.is_some_and(|resource| {
        matches!(resource.kind, ResourceKind::StructuredBuffer(Access::Append | Access::Consume))
    })
}

fn use_members(holder: &StructType, prefix: &str, uses: &mut String) {
    if let Some(base) = &holder.base {
        use_members(base, prefix, uses);
    }
    for member in holder.members.iter().filter(|member| !member.name.is_empty()) {
        add_uses(&member.ty, &format!("{prefix}{}", member.name), uses);
    }
}

/// Returns statements that use the resources in the parameter at `path` and add the values to the
/// sum.
pub(super) fn use_of(ty: &Type, path: &str) -> String {
    let mut uses = String::new();
    add_uses(ty, path, &mut uses);
    uses
}

fn add_uses(ty: &Type, path: &str, uses: &mut String) {
    match ty {
        Type::Array { element, .. } => add_uses(element, &format!("{path}[0]"), uses),
        Type::Struct(holder) => use_members(holder, &format!("{path}."), uses),
        Type::Resource(resource) => use_resource(resource, path, uses),
        _ => {}
    }
}

fn use_resource(resource: &Resource, path: &str, uses: &mut String) {
    let dimensions = match resource.kind {
        ResourceKind::Texture(texture) => texture_dimensions(texture),
        ResourceKind::StructuredBuffer(Access::Append) => {
            let element = resource.element.as_ref().map_or("float4".to_owned(), ToString::to_string);
            return writeln!(uses, "    {path}.Append(({element})0);").expect("a String takes every write");
        }
        ResourceKind::StructuredBuffer(Access::Consume) => {
            return writeln!(uses, "    {path}.Consume();").expect("a String takes every write");
        }
        ResourceKind::StructuredBuffer(_) => 2,
        ResourceKind::ByteAddressBuffer(_) | ResourceKind::Buffer(_) => 1,
        ResourceKind::Sampler => {
            let sampled = format!("(uint){MARK}texture.SampleLevel({path}, float2(0, 0), 0).x");
            return uses.push_str(&added(&sampled));
        }
        ResourceKind::SamplerComparison => {
            let sampled = format!("(uint){MARK}texture.SampleCmpLevelZero({path}, float2(0, 0), 0)");
            return uses.push_str(&added(&sampled));
        }
        // Constant buffers are blocks. The others exist only in Slang or need another stage.
        _ => return,
    };

    let names = ["x", "y", "z", "w"][..dimensions].iter().map(|name| format!("{MARK}{name}"));
    let names = names.collect::<Vec<_>>().join(", ");
    writeln!(uses, "    {{ uint {names}; {path}.GetDimensions({names}); {MARK}sum += {MARK}x; }}")
        .expect("a String takes every write");
}

/// Returns the number of values that `GetDimensions` returns.
fn texture_dimensions(texture: Texture) -> usize {
    let own = match texture.dimension {
        Dimension::One => 1,
        Dimension::Two | Dimension::Cube => 2,
        Dimension::Three => 3,
    };
    own + usize::from(texture.array) + usize::from(texture.multisample)
}

fn added(value: &str) -> String {
    format!("    {MARK}sum += {value};\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutproof_frontend::{DeclareOptions, declare};
    use layoutproof_layout::{LayoutOptions, find, lay_out};
    use layoutproof_source::sources::SourceMap;

    #[test]
    fn every_parameter_is_used_once() {
        let text = "struct S { Texture2DArray t[2]; SamplerState s; };\nS all;\n\
                    cbuffer C { float4 v; ByteAddressBuffer bytes; };\nRWStructuredBuffer<uint> u[];\nAppendStructuredBuffer<int2> more;\n";
        let mut sources = SourceMap::default();
        let end = u32::try_from(text.len()).unwrap();
        let span = layoutproof_layout::Span { file: sources.add("a.hlsl", text), start: 0, end };
        let module = declare(&mut sources, span, &DeclareOptions::default()).unwrap();
        let rules = find("std430").unwrap();
        let layouts: Vec<_> =
            module.blocks.iter().map(|block| lay_out(block, rules, LayoutOptions::default())).collect();
        let program = program(text, &module, &layouts, &Reserved::default());
        let body: Vec<&str> = program
            .lines()
            .filter(|line| line.contains("_sum +=") || line.contains("Append("))
            .map(str::trim)
            .collect();
        assert_eq!(
            body,
            [
                "layoutproof_sum += (uint)(v.x);",
                "layoutproof_sum += (uint)(u[0][0]);",
                "{ uint layoutproof_x, layoutproof_y, layoutproof_z; all.t[0].GetDimensions(layoutproof_x, layoutproof_y, \
                 layoutproof_z); layoutproof_sum += layoutproof_x; }",
                "layoutproof_sum += (uint)layoutproof_texture.SampleLevel(all.s, float2(0, 0), 0).x;",
                "{ uint layoutproof_x; bytes.GetDimensions(layoutproof_x); layoutproof_sum += layoutproof_x; }",
                "{ uint layoutproof_x, layoutproof_y; u[0].GetDimensions(layoutproof_x, layoutproof_y); \
                 layoutproof_sum += layoutproof_x; }",
                "more.Append((int2)0);",
            ]
        );
    }
}
