//! Finds blocks for which DXC's SPIR-V deviates from the rule sets that it follows: `static`
//! members of a cbuffer occupy space, and each bit-field counts as a storage unit in the size of
//! its struct. `show` warns of them, and `check` does not compare them.
//!
//! Source: DXC 1.7.2308, the decorations of its SPIR-V; fixed in 1.9. `run` knows both as
//! differences of the compiler.

use layoutproof_bindings::Declarations;
use std::sync::Arc;

use layoutproof_layout::limits::MovedMember;
use layoutproof_layout::native::Native;
use layoutproof_layout::shape::{Member, StructType, Type};
use layoutproof_layout::{Block, BlockKind, BlockLayout, LayoutOptions, find, lay_out};

use super::rule_set_layouts::RuleSetLayouts;
use layoutproof_frontend::module::{BufferStatic, Module};
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// Most levels of nested structs to follow.
const DEEPEST: usize = 64;

/// A block that DXC lays out differently.
pub(super) struct Deviation {
    /// Without the name of a column.
    pub warning: Diagnostic,
    /// The members of the block itself that are elsewhere.
    pub moved: Vec<MovedMember>,
}

/// A warning for each block that DXC lays out differently.
pub(super) fn warnings(source: &Declarations, layouts: &[RuleSetLayouts]) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    for column in layouts {
        for layout in column.present() {
            let Some(block) = source.module.block(layout.view) else { continue };
            let takes = |native: &&&Native| native.rules(block).is_some_and(|rules| rules.name == layout.rules);
            let native = column.targets.iter().filter(takes).find(|native| native.counts_statics_and_bit_fields);
            let Some(native) = native else { continue };
            for Deviation { warning, .. } in deviations(&source.module, source.options, native, block, layout) {
                let warning = Diagnostic { message: format!("{} ({})", warning.message, column.name), ..warning };
                if !found.contains(&warning) {
                    found.push(warning);
                }
            }
        }
    }
    found
}

/// How the code of `native` deviates from the layout that its rule set gives a block.
pub(super) fn deviations(
    module: &Module,
    options: LayoutOptions,
    native: &Native,
    block: &Block,
    layout: &BlockLayout,
) -> Vec<Deviation> {
    let rules = find(&layout.rules).filter(|_| native.counts_statics_and_bit_fields && layout.result.is_ok());
    let Some(rules) = rules else { return Vec::new() };
    let statics: Vec<&BufferStatic> =
        module.buffer_statics.iter().filter(|member| member.buffer == block.span).collect();
    let lay_out = |block: &Block| lay_out(block, rules, options);
    let both = [of_statics(block, layout, lay_out, &statics), of_bit_fields(block, layout, lay_out)];
    both.into_iter().flatten().collect()
}

/// `static` members occupy space, each at the place of its declaration.
fn of_statics(
    block: &Block,
    layout: &BlockLayout,
    lay_out: impl Fn(&Block) -> BlockLayout,
    statics: &[&BufferStatic],
) -> Option<Deviation> {
    let first = statics.first()?;
    let Type::Struct(ty) = &block.element else { return None };
    let mut members = ty.members.clone();
    for member in statics.iter().rev() {
        members.insert(member.before.min(members.len()), member.member.clone());
    }
    let counted = with_element(block, Type::Struct(Arc::new(StructType { members, ..(**ty).clone() })));
    let moved = moved(block, layout, &lay_out(&counted));
    let name = format!("{}.{}", block.name, first.member.name);
    let there = places(moved.iter().map(place_of).collect());
    let there = if there.is_empty() { ", and no member after it" } else { &there };
    let message = format!("`{name}`: DXC's SPIR-V gives this static member space{there}");
    let help = "move static members out of the cbuffer; DXC 1.9 gives them none";
    let warning = Diagnostic::warning(Code::CompilerDiffers, first.member.span, message).with_help(help);
    Some(Deviation { warning, moved })
}

/// Sizes of structs count each bit-field as a storage unit.
fn of_bit_fields(block: &Block, layout: &BlockLayout, lay_out: impl Fn(&Block) -> BlockLayout) -> Option<Deviation> {
    if !has_shared_unit(&block.element, 0) {
        return None;
    }
    let expanded = expanded(&block.element, 0);
    let stride = lay_out(&with_element(block, expanded)).stride;
    // The block's own members share units; structs and arrays keep the size with separate units.
    let inner = match &block.element {
        Type::Struct(ty) => {
            let members =
                ty.members.iter().map(|member| Member { ty: self::expanded(&member.ty, 1), ..member.clone() });
            Type::Struct(Arc::new(StructType { members: members.collect(), ..(**ty).clone() }))
        }
        other => other.clone(),
    };
    let moved = moved(block, layout, &lay_out(&with_element(block, inner)));
    let mut there: Vec<String> = moved.iter().map(place_of).collect();
    if let (Some(own), Some(stride)) = (layout.stride, stride.filter(|stride| layout.stride != Some(*stride))) {
        there.push(format!("the stride is {stride}, not {own}"));
    }
    let is_broken = matches!(block.kind, BlockKind::ConstantBuffer | BlockKind::PushConstant)
        && matches!(&block.element, Type::Struct(ty) if has_own_unit(ty));
    let name = &block.name;
    let message = match (is_broken, there.is_empty()) {
        (true, _) => format!(
            "`{name}`: DXC's SPIR-V has a member for each bit-field and addresses one for each storage unit, so that the \
             module is not valid"
        ),
        (false, false) => format!(
            "`{name}`: DXC's SPIR-V counts each bit-field as a storage unit in the size of its struct{}",
            places(there)
        ),
        (false, true) => return None,
    };
    let help = "pack the bits by hand; DXC 1.9 has the layout that is shown";
    let warning = Diagnostic::warning(Code::CompilerDiffers, block.span, message).with_help(help);
    Some(Deviation { warning, moved })
}

fn with_element(block: &Block, element: Type) -> Block {
    Block { element, ..block.clone() }
}

/// The members of the block itself that have another offset in `other`.
fn moved(block: &Block, layout: &BlockLayout, other: &BlockLayout) -> Vec<MovedMember> {
    let own = layout.rows();
    let others = other.rows();
    let mut found = Vec::new();
    for row in own.iter().filter(|row| !row.path.contains(['.', '['])) {
        let there = others.iter().find(|other| other.path == row.path);
        if let Some(there) = there.filter(|there| there.offset != row.offset) {
            let (path, span) = (row.path.clone(), block.place_of(&row.path));
            found.push(MovedMember { path, span, offset: row.offset, place: there.offset });
        }
    }
    found
}

fn place_of(member: &MovedMember) -> String {
    format!("`{}` is at {}, not {}", member.path, member.place, member.offset)
}

/// The end of a sentence with the first places.
fn places(mut there: Vec<String>) -> String {
    const SHOWN: usize = 4;
    if there.is_empty() {
        return String::new();
    }
    let more = there.len().saturating_sub(SHOWN);
    there.truncate(SHOWN);
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!(": {}{rest}", there.join(", "))
}

/// True if a struct in `ty`, at any depth, has two adjacent bit-fields.
fn has_shared_unit(ty: &Type, depth: usize) -> bool {
    match ty.dimensions().0 {
        Type::Struct(ty) if depth < DEEPEST => {
            let base = ty.base.iter().any(|base| has_shared_unit(&Type::Struct(Arc::clone(base)), depth + 1));
            base || has_own_unit(ty) || ty.members.iter().any(|member| has_shared_unit(&member.ty, depth + 1))
        }
        _ => false,
    }
}

fn has_own_unit(ty: &StructType) -> bool {
    ty.members.windows(2).any(|pair| pair.iter().all(|member| member.bit_width.is_some()))
}

/// `ty` with each bit-field as a separate member.
fn expanded(ty: &Type, depth: usize) -> Type {
    match ty {
        Type::Struct(own) if depth < DEEPEST => {
            let base = own.base.as_ref().and_then(|base| match expanded(&Type::Struct(Arc::clone(base)), depth + 1) {
                Type::Struct(base) => Some(base),
                _ => None,
            });
            let members = own.members.iter().map(|member| Member {
                ty: expanded(&member.ty, depth + 1),
                bit_width: None,
                ..member.clone()
            });
            Type::Struct(Arc::new(StructType { base, members: members.collect(), ..(**own).clone() }))
        }
        Type::Array { element, count } => {
            Type::Array { element: Box::new(expanded(element, depth + 1)), count: *count }
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use layoutproof_layout::native::find_native;
    use layoutproof_layout::{RuleChoice, Span};

    use super::*;
    use crate::{InputContent, ShowInput, ShownRules};
    use layoutproof_frontend::DeclareOptions;
    use layoutproof_source::sources::SourceMap;

    /// Warnings of a source under a compiler's choice, each with its line.
    fn warned(text: &str, native: &str) -> Vec<String> {
        let mut sources = SourceMap::default();
        let file = sources.add("a.hlsl", text);
        let span = Span { file, start: 0, end: u32::try_from(text.len()).unwrap() };
        let source =
            Declarations::of_file(span, LayoutOptions::default(), &DeclareOptions::default(), &mut sources).unwrap();
        let content = InputContent::Declared(Box::new(source));
        let input = ShowInput { content, language: None, assumes_sixteen_bit: false };
        let layouts = input.layouts(&ShownRules::Named(vec![RuleChoice::Native(find_native(native).unwrap())]));
        let found = input.warnings(&layouts);
        let found = found.into_iter().filter(|warning| warning.code == Code::CompilerDiffers);
        found.map(|warning| format!("{}: {}", sources.position(warning.span()).line, warning.message)).collect()
    }

    /// `OpMemberDecorate %type_C 2 Offset 160` of `dxc -T ps_6_6 -spirv`, 1.7.2308.
    #[test]
    fn a_static_member_of_a_cbuffer_moves_what_follows_it() {
        let text = "cbuffer C {\n float4 data[2];\n static float view[8] = (float[8])data;\n float3 after; };";
        let said = "3: `C.view`: DXC's SPIR-V gives this static member space: `after` is at 160, not 32";
        assert_eq!(warned(text, "native:dxc-spirv"), [format!("{said} (native:dxc-spirv)")]);
        assert!(warned(text, "native:dxc-dxil").is_empty());
        assert!(warned(text, "native:dxc-1.9-spirv").is_empty());
        let first = "cbuffer R { static float k = 2; float4 c; static const float2 m = 1; float d; };";
        let said = "1: `R.k`: DXC's SPIR-V gives this static member space: `c` is at 16, not 0, `d` is at 40, not 16";
        assert_eq!(warned(first, "native:dxc-spirv"), [format!("{said} (native:dxc-spirv)")]);
        let last = "cbuffer R { float4 c; static float k = 2; };";
        assert_eq!(warned(last, "native:dxc-spirv").len(), 1);
    }

    /// `ArrayStride 16` and `Offset 16` of `dxc -T cs_6_6 -spirv`, 1.7.2308.
    #[test]
    fn each_bit_field_counts_in_the_size_of_its_struct() {
        let element = "struct C { uint a; uint x : 8; uint y : 8; float z; };";
        let counts = "DXC's SPIR-V counts each bit-field as a storage unit in the size of its struct";
        let said = format!("1: `s`: {counts}: the stride is 16, not 12 (native:dxc-spirv)");
        assert_eq!(warned(&format!("{element} StructuredBuffer<C> s;"), "native:dxc-spirv"), [said]);
        assert!(warned(&format!("{element} StructuredBuffer<C> s;"), "native:dxc-dxil").is_empty());
        let nested = "struct B { uint x : 8; uint y : 8; uint w : 3; }; struct C { uint a; B b; float z; };
            StructuredBuffer<C> s;";
        let said = format!("2: `s`: {counts}: `z` is at 16, not 8, the stride is 20, not 12 (native:dxc-spirv)");
        assert_eq!(warned(nested, "native:dxc-spirv"), [said]);
        let [broken] = &warned(&format!("{element} ConstantBuffer<C> s;"), "native:dxc-spirv")[..] else { panic!() };
        assert!(broken.contains("the module is not valid"), "{broken}");
        // A single bit-field is a unit in any case.
        assert!(warned("struct C { uint a : 8; float z; }; StructuredBuffer<C> s;", "native:dxc-spirv").is_empty());
    }
}
