//! Findings about an input's layouts in addition to the numbers: padding, forbidden blocks,
//! warnings.

use layoutproof_bindings::Declarations;
use std::collections::BTreeMap;

use layoutproof_layout::limits::{
    ExceededLimit, MovedMember, exceeded, exceeded_by_parameter, exceeded_numbers, misread, moved_members,
};
use layoutproof_layout::native::Native;
use layoutproof_layout::padding::{BlockPadding, padding};
use layoutproof_layout::reorder::LayoutInput;
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::{
    Block, BlockKind, BlockLayout, LayoutOptions, LayoutWarning, LayoutWarningKind, MemberRow, Span, ViewId, find,
    join, lay_out,
};

use super::dxc_spirv;
use super::rule_set_layouts::RuleSetLayouts;
use super::show_input::{InputContent, ShowInput};
use layoutproof_frontend::module::{Module, Parameter};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;

impl ShowInput {
    /// Padding of every block. Other orders of members are tried if there are declarations.
    pub fn padding(&self, layouts: &[RuleSetLayouts]) -> Vec<BlockPadding> {
        let declared = |layout: &BlockLayout| match &self.content {
            InputContent::LaidOut(_) => None,
            InputContent::Declared(source) => {
                let block = source.module.block(layout.view)?;
                find(&layout.rules).map(|rules| LayoutInput { block, rules, options: source.options })
            }
        };
        let mut found: Vec<BlockPadding> = Vec::new();
        for layout in layouts.iter().flat_map(RuleSetLayouts::present) {
            let padding = padding(layout, declared(layout));
            // Two targets may use the same rule set.
            found.extend(padding.filter(|padding| !found.contains(padding)));
        }
        found
    }

    /// Blocks that a rule set forbids.
    pub fn refusals(&self, layouts: &[RuleSetLayouts]) -> Vec<Diagnostic> {
        let source = match &self.content {
            InputContent::Declared(source) => source,
            InputContent::LaidOut(file) => return [file.forbidden.as_slice(), &file.restricted].concat(),
        };

        let mut found = Vec::new();
        for layout in layouts {
            for block in layout.present() {
                let declared = source.module.block(block.view);
                for refusal in block.result.as_ref().err().into_iter().flatten() {
                    let path = join(&block.name, &refusal.path);
                    let reason = if find(&block.rules).is_none() && block.rules == layout.name.to_string() {
                        refusal.message.clone()
                    } else {
                        format!("{} forbids `{path}`: {}", block.rules, refusal.message)
                    };
                    let place = declared.map_or_else(Span::default, |declared| declared.place_of(&refusal.path));
                    found.push(Diagnostic::error(Code::RuleForbids, place, reason));
                }
            }
        }
        found
    }

    /// Warnings about the declarations or the file, then about the layouts, then about what
    /// compilers and APIs do not accept.
    pub fn warnings(&self, layouts: &[RuleSetLayouts]) -> Vec<Diagnostic> {
        match &self.content {
            InputContent::Declared(source) => {
                let names: Vec<String> = layouts.iter().map(|layout| layout.name.to_string()).collect();
                let present = layouts
                    .iter()
                    .zip(&names)
                    .flat_map(|(layout, rules)| layout.present().map(move |layout| BlockUnderRules { rules, layout }));
                let mut warnings = source.module.warnings.clone();
                warnings.extend(layout_warnings(&source.module.blocks, present));
                warnings.extend(limit_warnings(source, layouts));
                warnings.extend(dxc_spirv::warnings(source, layouts));
                if self.assumes_sixteen_bit && self.language == Some(ShaderLanguage::Hlsl) {
                    warnings.extend(assumed_sixteen_bit(source, layouts));
                }
                warnings
            }
            InputContent::LaidOut(file) => {
                let limits = layouts.iter().flat_map(|layout| {
                    layout.targets.iter().flat_map(|native| {
                        let label = native.column.to_string();
                        let exceeded = |block| (block, exceeded_numbers(native, block));
                        let found = layout.present().map(exceeded).collect::<Vec<_>>();
                        let warning = |(block, it): (&BlockLayout, ExceededLimit)| {
                            LimitWarning::of(&block.name, &it).diagnostic(std::slice::from_ref(&label))
                        };
                        let each = found
                            .into_iter()
                            .flat_map(|(block, exceeded)| exceeded.into_iter().map(move |it| (block, it)));
                        each.map(warning).collect::<Vec<_>>()
                    })
                });
                file.warnings.iter().cloned().chain(limits).collect()
            }
        }
    }
}

/// Why the code of `native` has other bytes for a block than its layout; `None` if it has the same. A comparison of the
/// layout then says nothing about the program.
pub fn misplaced(
    module: &Module,
    options: LayoutOptions,
    native: &Native,
    block: &Block,
    layout: &BlockLayout,
) -> Option<String> {
    let deviations = dxc_spirv::deviations(module, options, native, block, layout);
    misread(native, block, layout).or_else(|| deviations.into_iter().next().map(|found| found.warning.message))
}

impl ShowInput {
    /// The members of a column that the compiler's code has at other bytes, each with its block.
    pub fn moved_members(&self, column: &RuleSetLayouts) -> Vec<(ViewId, MovedMember)> {
        let InputContent::Declared(source) = &self.content else { return Vec::new() };
        let mut found = Vec::new();
        for native in &column.targets {
            for layout in column.present() {
                let Some(block) = source.module.block(layout.view) else { continue };
                let deviations = dxc_spirv::deviations(&source.module, source.options, native, block, layout);
                let moved = deviations.into_iter().flat_map(|found| found.moved);
                let moved = moved_members(native, block, layout).into_iter().chain(moved);
                found.extend(moved.map(|member| (layout.view, member)));
            }
        }
        found
    }
}

#[derive(Clone, Copy, Debug)]
struct BlockUnderRules<'a> {
    rules: &'a str,
    layout: &'a BlockLayout,
}

/// The overlaps in the layouts of a source's blocks. `layouts` are names of rule sets, each with
/// the layouts of its blocks.
pub fn overlap_warnings<'a>(
    blocks: &[Block],
    layouts: impl Iterator<Item = (&'a str, &'a [BlockLayout])>,
) -> Vec<Diagnostic> {
    let each = layouts.flat_map(|(rules, layouts)| layouts.iter().map(move |layout| BlockUnderRules { rules, layout }));
    let mut found = layout_warnings(blocks, each);
    found.retain(|warning| warning.code == Code::OffsetOverlap);
    found
}

/// Each warning of a layout once, with the rule sets under which it holds; by block, then by path.
fn layout_warnings<'a>(blocks: &[Block], layouts: impl Iterator<Item = BlockUnderRules<'a>>) -> Vec<Diagnostic> {
    let mut found: BTreeMap<(ViewId, &LayoutWarning), Vec<&str>> = BTreeMap::new();
    for BlockUnderRules { rules, layout } in layouts.filter(|block| block.layout.result.is_ok()) {
        // Interfaces have one warning where they are declared; here their members are only marked.
        for warning in layout.warnings.iter().filter(|warning| warning.kind != LayoutWarningKind::UncertainValue) {
            found.entry((layout.view, warning)).or_default().push(rules);
        }
    }

    let told = found.into_iter().filter_map(|((view, warning), rules)| {
        let block = blocks.iter().find(|block| block.view == view)?;
        let path = join(&block.name, &warning.path);
        let message = format!("`{path}`: {} ({})", warning.message, rules.join(", "));
        let concerns = rules.iter().map(|rules| (*rules).to_owned()).collect();
        let place = block.place_of(&warning.path);
        Some(Diagnostic { concerns, ..Diagnostic::warning(warning.kind.into(), place, message) })
    });
    told.collect()
}

/// An exceeded limit of a block or parameter. Equal ones of several columns are merged.
#[derive(Clone, Debug, PartialEq)]
struct LimitWarning {
    subject: String,
    message: String,
    code: Code,
    source: &'static str,
    span: Span,
}

impl LimitWarning {
    fn of(holder: &str, exceeded: &ExceededLimit) -> Self {
        let ExceededLimit { limit, path, message, span } = exceeded;
        let code = if limit.is_misread() { Code::CompilerDiffers } else { Code::CompilerLimit };
        Self { subject: join(holder, path), message: message.clone(), code, source: limit.source, span: *span }
    }

    fn diagnostic(&self, columns: &[String]) -> Diagnostic {
        let Self { subject, message, code, source, span } = self;
        let message = format!("`{subject}`: {message} ({})", columns.join(", "));
        Diagnostic { concerns: columns.to_vec(), ..Diagnostic::warning(*code, *span, message).with_help(*source) }
    }
}

/// The limits of compilers and APIs that the columns exceed, each once with the columns that it
/// concerns.
fn limit_warnings(source: &Declarations, layouts: &[RuleSetLayouts]) -> Vec<Diagnostic> {
    let mut found: Vec<(LimitWarning, Vec<String>)> = Vec::new();
    let mut add = |warning: LimitWarning, label: &String| match found.iter_mut().find(|(other, _)| *other == warning) {
        Some((_, labels)) if labels.contains(label) => {}
        Some((_, labels)) => labels.push(label.clone()),
        None => found.push((warning, vec![label.clone()])),
    };

    for layout in layouts {
        for native in &layout.targets {
            let label = native.column.to_string();
            let mut has_push_constants = false;
            for laid_out in layout.present() {
                let Some(block) = source.module.block(laid_out.view) else { continue };
                // The column of a rule set represents the compilers that use this rule set for such
                // a block.
                if native.rules(block).is_none_or(|rules| bare(rules.name) != bare(&laid_out.rules)) {
                    continue;
                }
                for exceeded in exceeded(native, block, laid_out, has_push_constants) {
                    add(LimitWarning::of(&block.name, &exceeded), &label);
                }
                has_push_constants |= block.kind == BlockKind::PushConstant;
            }
            for Parameter { name, ty, span, .. } in &source.module.parameters {
                for exceeded in exceeded_by_parameter(native, ty, *span) {
                    add(LimitWarning::of(name, &exceeded), &label);
                }
            }
        }
    }
    found.iter().map(|(warning, labels)| warning.diagnostic(labels)).collect()
}

/// The limits that parameters exceed under the compiler of a convention; `column` is its name.
pub(super) fn parameter_limits(source: &Declarations, native: &Native, column: &str) -> Vec<Diagnostic> {
    let parameters = source.module.parameters.iter();
    let exceeded = parameters.flat_map(|Parameter { name, ty, span, .. }| {
        let exceeded = exceeded_by_parameter(native, ty, *span);
        exceeded.into_iter().map(|exceeded| LimitWarning::of(name, &exceeded).diagnostic(&[column.to_owned()]))
    });
    exceeded.collect()
}

/// A rule set's name without its dialect.
fn bare(name: &str) -> &str {
    name.split_once('@').map_or(name, |(bare, _)| bare)
}

/// Reports the assumed size of 16-bit types if the other size gives a different layout: the first
/// member that moves or changes its size, and the columns in which a member does.
fn assumed_sixteen_bit(source: &Declarations, layouts: &[RuleSetLayouts]) -> Option<Diagnostic> {
    let options = with_other_half(source.options);

    let mut first: Option<(Span, String)> = None;
    let mut columns: Vec<String> = Vec::new();
    for layout in layouts.iter().filter(|layout| !layout.has_fixed_half()) {
        for laid_out in layout.present().filter(|laid_out| laid_out.result.is_ok()) {
            let declared = source.module.block(laid_out.view);
            let Some((block, rules)) = declared.zip(find(&laid_out.rules)) else { continue };
            let Some((place, change)) = first_change(block, &laid_out.rows(), &lay_out(block, rules, options).rows())
            else {
                continue;
            };
            first.get_or_insert_with(|| (place, format!("{change} under {}", layout.name)));
            let name = layout.name.to_string();
            if !columns.contains(&name) {
                columns.push(name);
            }
        }
    }

    let warning = sixteen_bit_warning(source.options.sixteen_bit, first?);
    Some(Diagnostic { concerns: columns, ..warning })
}

/// The same options with the other size of 16-bit types.
fn with_other_half(options: LayoutOptions) -> LayoutOptions {
    let sixteen_bit = match options.sixteen_bit {
        SixteenBit::On => SixteenBit::Off,
        SixteenBit::Off => SixteenBit::On,
    };
    LayoutOptions { sixteen_bit, ..options }
}

/// Warns of the assumed size of 16-bit types if the other size gives the block another layout.
pub fn assumed_in_block(
    block: &Block,
    layout: &BlockLayout,
    lay_out: impl FnOnce(LayoutOptions) -> BlockLayout,
    options: LayoutOptions,
) -> Option<Diagnostic> {
    let there = lay_out(with_other_half(options));
    let change = first_change(block, &layout.rows(), &there.rows())?;
    Some(sixteen_bit_warning(options.sixteen_bit, change))
}

/// The first member that has another place or size in another layout, and a sentence about it.
fn first_change(block: &Block, rows: &[MemberRow], others: &[MemberRow]) -> Option<(Span, String)> {
    let mut pairs = rows.iter().zip(others);
    let (row, there) = pairs.find(|(row, there)| (row.offset, row.size) != (there.offset, there.size))?;
    let what = if row.offset == there.offset {
        let size = |size: Option<u32>| size.map_or_else(|| "no fixed size".to_owned(), |size| format!("{size} bytes"));
        format!("has {} instead of {}", size(there.size), size(row.size))
    } else {
        format!("is at {} instead of {}", there.offset, row.offset)
    };
    Some((block.place_of(&row.path), format!("`{}` {what}", join(&block.name, &row.path))))
}

fn sixteen_bit_warning(assumed: SixteenBit, (place, change): (Span, String)) -> Diagnostic {
    let message = match assumed {
        SixteenBit::On => {
            "`half` and minimum-precision types are taken as 2 bytes, as dxc -enable-16bit-types has them"
        }
        SixteenBit::Off => "`half` and minimum-precision types are taken as 4 bytes, as dxc has them by default",
    };
    let help = match assumed {
        SixteenBit::On => {
            format!("--16bit off is dxc without that option: there {change}; --16bit on confirms 2 bytes")
        }
        SixteenBit::Off => {
            format!("--16bit on is dxc with -enable-16bit-types: there {change}; --16bit off confirms 4 bytes")
        }
    };
    Diagnostic::warning(Code::AssumedSixteenBit, place, message).with_help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ShownRules;
    use layoutproof_frontend::DeclareOptions;
    use layoutproof_layout::RuleChoice;
    use layoutproof_source::sources::SourceMap;

    /// Warnings about layouts have their codes and rule sets, and come after those about
    /// declarations, each once.
    #[test]
    fn warnings_of_layouts_come_once_behind_those_of_declarations() {
        let text = "struct T { float4 a; [[vk::offset(64)]] float b; }; ConstantBuffer<T> S;\n\
            cbuffer C { float4 x : packoffset(c0); float y : packoffset(c0.w); float z; };";
        let mut sources = SourceMap::default();
        let file = sources.add("a.hlsl", text);
        let span = Span { file, start: 0, end: u32::try_from(text.len()).unwrap() };
        let source =
            Declarations::of_file(span, LayoutOptions::default(), &DeclareOptions::default(), &mut sources).unwrap();
        let input =
            ShowInput { content: InputContent::Declared(Box::new(source)), language: None, assumes_sixteen_bit: false };
        let named = ["hlsl-cbuffer", "slang-cbuffer", "scalar"].map(|name| RuleChoice::Rules(find(name).unwrap()));
        let layouts = input.layouts(&ShownRules::Named(named.to_vec()));
        let warnings = input.warnings(&layouts);
        let found: Vec<_> = warnings.iter().map(|it| (it.code, sources.position(it.span()).line)).collect();
        assert_eq!(found, [(Code::PackoffsetMixed, 2), (Code::Ignored, 1), (Code::OffsetOverlap, 2)]);
        assert_eq!(warnings[1].message, "`S.b`: [[vk::offset]] is ignored (hlsl-cbuffer, slang-cbuffer)");
        let overlap = "`C.y`: at offset 12 overlaps `x`, which ends at 16 (hlsl-cbuffer, slang-cbuffer, scalar)";
        assert_eq!(warnings[2].message, overlap);
    }

    /// The warnings of a file under the targets that ship, as `line: message`, with the help.
    fn shipped_warnings(text: &str, language: ShaderLanguage, assumes_sixteen_bit: bool) -> Vec<(String, Vec<String>)> {
        let mut sources = SourceMap::default();
        let file = sources.add("a", text);
        let span = Span { file, start: 0, end: u32::try_from(text.len()).unwrap() };
        let options = DeclareOptions { language: Some(language), ..DeclareOptions::default() };
        let source = Declarations::of_file(span, LayoutOptions::default(), &options, &mut sources).unwrap();
        let content = InputContent::Declared(Box::new(source));
        let input = ShowInput { content, language: Some(language), assumes_sixteen_bit };
        let layouts = input.layouts(&ShownRules::Shipping);
        let warnings = input.warnings(&layouts);
        let place = |it: &Diagnostic| sources.position(it.span());
        let text = |it: &Diagnostic| format!("{}:{} {}", place(it).line, place(it).column, it.message);
        warnings.iter().map(|it| (text(it), it.concerns.clone())).collect()
    }

    /// Declarations that DXC 1.7.2308 (`-T cs_6_6`, with and without `-spirv`) and slangc 2026.14.1
    /// (`-target spirv`) reject in HLSL, or that the API does not guarantee. Each row names the
    /// columns whose compiler was observed to reject it.
    #[test]
    fn what_a_compiler_refuses_is_told_with_its_place_and_columns() {
        let (dxil, spirv, slang) = ("D3D12 · DXC", "Vulkan · DXC", "Vulkan · Slang");
        for (text, place, words, columns) in [
            ("cbuffer C { float list[4097]; };", "1:9", "65540 bytes are more than the 65536", &[dxil][..]),
            ("struct S { float4 a[128]; float b; };\nStructuredBuffer<S> s;", "2:21", "stride of 2052 bytes", &[dxil]),
            ("ConstantBuffer<float> c;", "1:23", "`c`: is not a struct", &[dxil, spirv]),
            ("TextureBuffer<float4> c;", "1:23", "`c`: is not a struct", &[dxil, spirv]),
            (
                "struct S { float a; Texture2D t; };\nStructuredBuffer<S> c;",
                "1:31",
                "`c.t`: is a resource",
                &[dxil, spirv],
            ),
            (
                "struct S { float a; SamplerState t[2]; };\nStructuredBuffer<S> c;",
                "1:34",
                "`c.t`: is a resource in an element of a structured buffer, and slangc",
                &[slang],
            ),
            ("cbuffer C { float a; float b[]; };", "1:28", "`C.b`: has no length, and DXC", &[dxil, spirv]),
            ("cbuffer C { float a; float b[]; };", "1:28", "`C.b`: has no length, and slangc", &[slang]),
            ("struct P { float a; };\n[[vk::push_constant]] P p[2];", "2:25", "`p`: is not a single struct", &[spirv]),
            ("[[vk::push_constant]] float4 p;", "1:30", "`p`: is not a single struct", &[spirv]),
            ("[[vk::push_constant]] cbuffer P { float a; };", "1:31", "`P`: is a cbuffer", &[spirv]),
            (
                "struct P { float a; };\n[[vk::push_constant]] [[vk::binding(3)]] ConstantBuffer<P> p;",
                "2:60",
                "`p`: has a binding",
                &[spirv],
            ),
            (
                "struct P { float a; };\n[[vk::push_constant]] P p;\n[[vk::push_constant]] P q;",
                "3:25",
                "`q`: is a second block of push constants, and DXC",
                &[spirv],
            ),
            (
                "struct P { float a; [[vk::offset(6)]] float b; };\n[[vk::push_constant]] P p;",
                "1:45",
                "`p.b`: [[vk::offset(6)]] is not aligned as Vulkan requires",
                &[spirv],
            ),
            (
                "struct P { float4 a[8]; float b; };\n[[vk::push_constant]] P p;",
                "2:25",
                "bytes are more than the 128 of push",
                &[spirv],
            ),
            ("Texture2D t[][3];", "1:11", "`t`: is an unbounded array of arrays: DXC 1.7.0.3435", &[dxil]),
            ("Texture2D t[2][3];", "1:11", "`t`: is an array of arrays", &[spirv]),
            ("cbuffer C { float a; min16uint3 b; };", "1:33", "`C.b`: has a minimum-precision type", &[slang]),
            ("cbuffer C { float a; row_major float1x3 b; };", "1:41", "`C.b`: is a matrix with one row", &[slang]),
            ("tbuffer C { float a; };", "1:9", "`C`: is a texture buffer", &[slang]),
        ] {
            let warnings = shipped_warnings(text, ShaderLanguage::Hlsl, false);
            let is_meant = |(warning, concerns): &&(String, Vec<String>)| {
                warning.starts_with(&format!("{place} "))
                    && warning.contains(words)
                    && concerns.iter().take(columns.len()).eq(columns.iter())
            };
            assert!(warnings.iter().any(|warning| is_meant(&warning)), "{text}: {warnings:#?}");
        }
    }

    /// The same with slangc 2026.14.1 for the targets of Slang: -target hlsl, spirv, wgsl and metal.
    #[test]
    fn what_slangc_refuses_for_a_target_is_told() {
        for (text, words, columns) in [
            (
                "uniform float* p; uniform float a;",
                "`$Globals.p`: is a pointer: slangc writes HLSL",
                &["D3D12 · Slang"][..],
            ),
            (
                "uniform float* p; uniform float a;",
                "`$Globals.p`: is a pointer: slangc writes WGSL",
                &["WebGPU · Slang"],
            ),
            ("uniform double d;", "`$Globals.d`: has a type that WGSL lacks", &["WebGPU · Slang"]),
            ("Texture2D t[4];", "`t`: is an array of resources, which WGSL does not have", &["WebGPU · Slang"]),
            (
                "struct P { float a; };\n[[vk::push_constant]] P p;",
                "`p`: is a uniform buffer without a group and a binding in slangc's WGSL",
                &["WebGPU · Slang"],
            ),
            (
                "struct S { float a; [[vk::offset(40)]] float b; }; ConstantBuffer<S> s;",
                "`s.b`: is at 8 in slangc's WGSL, not at 40",
                &["WebGPU · Slang"],
            ),
            ("uniform double d;", "`$Globals.d`: has a double, which Metal lacks", &["Metal · Slang"]),
            ("cbuffer C { bool b; };", "`C.b`: has a bool", &["WebGPU · Slang"]),
            ("cbuffer C { int64_t b; };", "`C.b`: has a 64-bit integer", &["WebGPU · Slang"]),
            ("cbuffer C { float4 a[4097]; };", "that a Direct3D shader", &["D3D12 · Slang"]),
        ] {
            let warnings = shipped_warnings(text, ShaderLanguage::Slang, false);
            let is_meant = |(warning, concerns): &(String, Vec<String>)| {
                warning.contains(words) && concerns.iter().eq(columns.iter())
            };
            assert!(warnings.iter().any(is_meant), "{text}: {warnings:#?}");
        }
    }

    /// `dxc -T cs_6_6`, with and without `-spirv`, and `slangc -target spirv` accept all of these.
    #[test]
    fn what_compilers_take_has_no_warning() {
        for text in [
            "cbuffer C { float4 list[1024]; };",
            "struct S { float4 a[128]; }; StructuredBuffer<S> s;",
            "struct P { float4 a[8]; }; [[vk::push_constant]] ConstantBuffer<P> p;",
            "Texture2D t[]; Texture2D u[3];",
            "struct S { float3x3 m; double d; }; ConstantBuffer<S> s[4];",
        ] {
            assert_eq!(shipped_warnings(text, ShaderLanguage::Hlsl, false), [], "{text}");
        }
    }

    /// DXC 1.7.2308: with -enable-16bit-types `half b` after `half a` is at byte 2, without it at
    /// byte 4.
    #[test]
    fn an_assumed_size_of_halves_is_told_where_it_matters() {
        let text = "cbuffer C { half a; half b; };\ncbuffer D { float c; };";
        let warnings = shipped_warnings(text, ShaderLanguage::Hlsl, true);
        let [(warning, concerns)] = warnings.as_slice() else { panic!("{warnings:?}") };
        assert!(warning.starts_with("1:18 `half` and minimum-precision types are taken as 2 bytes"), "{warning}");
        assert_eq!(*concerns, ["D3D12 · DXC", "Vulkan · DXC"]);
        assert_eq!(shipped_warnings(text, ShaderLanguage::Hlsl, false), []);
        assert_eq!(shipped_warnings("cbuffer D { float c; };", ShaderLanguage::Hlsl, true), []);
    }

    /// The warning is at the later declaration, even if the conflict is far away, and a member may
    /// overlap several others.
    #[test]
    fn an_overlap_is_told_at_the_later_declaration() {
        let text = "uniform float4x4 world : register(c0);\nuniform float4 first : register(c5);\nuniform float2 second : register(c5);\n\
                    uniform float third : register(c1);\nuniform float fourth : register(c3);";
        let warnings = shipped_warnings(text, ShaderLanguage::Hlsl, false);
        let overlaps: Vec<&str> = warnings.iter().map(|(text, _)| text.split(", which").next().unwrap()).collect();
        for expected in [
            "3:16 `$Globals.second`: at offset 80 overlaps `first`",
            "4:15 `$Globals.third`: at offset 16 overlaps `world`",
            "5:15 `$Globals.fourth`: at offset 48 overlaps `world`",
        ] {
            assert!(overlaps.contains(&expected), "{expected}: {overlaps:#?}");
        }
    }
}
