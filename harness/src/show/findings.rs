//! What there is to say of an input's layouts beside the numbers: padding, blocks that are forbidden, warnings.

use std::collections::BTreeMap;

use layoutproof_layout::limits::{ExceededLimit, exceeded, exceeded_by_parameter, exceeded_numbers};
use layoutproof_layout::native::Native;
use layoutproof_layout::padding::{BlockPadding, padding};
use layoutproof_layout::reorder::LayoutInput;
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::{Block, BlockKind, BlockLayout, LayoutOptions, LayoutWarning, Span, find, join, lay_out};

use super::dxc_spirv;
use super::rule_set_layouts::RuleSetLayouts;
use super::shader_language::ShaderLanguage;
use super::show_input::{InputContent, ShowInput};
use crate::check::Source;
use crate::input::diagnostics::{Code, Diagnostic};
use crate::module::Parameter;

impl ShowInput {
    /// Padding of every block; other orders are tried where there are declarations.
    pub fn padding(&self, layouts: &[RuleSetLayouts]) -> Vec<BlockPadding> {
        let declared = |index: usize, layout: &BlockLayout| match &self.content {
            InputContent::LaidOut(_) => None,
            InputContent::Declared(source) => {
                let block = &source.module.blocks[index];
                find(&layout.rules).map(|rules| LayoutInput { block, rules, options: source.options })
            }
        };
        let mut found: Vec<BlockPadding> = Vec::new();
        for (index, layout) in layouts.iter().flat_map(RuleSetLayouts::present) {
            let padding = padding(layout, declared(index, layout));
            // Two targets may take one rule set.
            found.extend(padding.filter(|padding| !found.contains(padding)));
        }
        found
    }

    /// Blocks that a rule set forbids.
    pub fn refusals(&self, layouts: &[RuleSetLayouts]) -> Vec<Diagnostic> {
        let InputContent::Declared(source) = &self.content else { return Vec::new() };
        let blocks = &source.module.blocks;

        let mut found = Vec::new();
        for layout in layouts {
            for (index, block) in layout.present() {
                for refusal in block.result.as_ref().err().into_iter().flatten() {
                    let path = join(&block.name, &refusal.path);
                    let reason = if block.rules == layout.name && find(&block.rules).is_none() {
                        refusal.message.clone()
                    } else {
                        format!("{} forbids `{path}`: {}", block.rules, refusal.message)
                    };
                    let place = blocks[index].place_of(&refusal.path);
                    found.push(Diagnostic::error(Code::RuleForbids, place, reason));
                }
            }
        }
        found
    }

    /// Warnings of the declarations or of the file, those of the layouts, then what compilers and APIs do not take of them.
    pub fn warnings(&self, layouts: &[RuleSetLayouts]) -> Vec<Diagnostic> {
        match &self.content {
            InputContent::Declared(source) => {
                let present = layouts.iter().flat_map(|layout| {
                    layout.present().map(|(index, block)| BlockUnderRules { index, rules: &layout.name, layout: block })
                });
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
                    let targets = layout.targets.iter().filter_map(|target| Some((target.label, target.native()?)));
                    targets.flat_map(|(label, native)| {
                        let exceeded = |(_, block)| (block, exceeded_numbers(native, block));
                        let found = layout.present().map(exceeded).collect::<Vec<_>>();
                        found.into_iter().flat_map(move |(block, exceeded)| {
                            exceeded.into_iter().map(move |it| LimitWarning::of(&block.name, &it).diagnostic(&[label]))
                        })
                    })
                });
                file.warnings.iter().cloned().chain(limits).collect()
            }
        }
    }
}

/// The layout of one of a source's blocks.
#[derive(Clone, Copy, Debug)]
struct BlockUnderRules<'a> {
    /// Of the block in its source.
    index: usize,
    rules: &'a str,
    layout: &'a BlockLayout,
}

/// What shares bytes in the layouts of a source's blocks: names of rule sets, each with the layouts of all blocks in order.
pub fn overlap_warnings<'a>(
    blocks: &[Block],
    layouts: impl Iterator<Item = (&'a str, &'a [BlockLayout])>,
) -> Vec<Diagnostic> {
    let each = layouts.flat_map(|(rules, layouts)| {
        layouts.iter().enumerate().map(move |(index, layout)| BlockUnderRules { index, rules, layout })
    });
    let mut found = layout_warnings(blocks, each);
    found.retain(|warning| warning.code == Code::OffsetOverlap);
    found
}

/// Each warning of a layout once, with the rule sets that it holds under; by block, then by path.
fn layout_warnings<'a>(blocks: &[Block], layouts: impl Iterator<Item = BlockUnderRules<'a>>) -> Vec<Diagnostic> {
    let mut found: BTreeMap<(usize, &LayoutWarning), Vec<&str>> = BTreeMap::new();
    for BlockUnderRules { index, rules, layout } in layouts.filter(|block| block.layout.result.is_ok()) {
        for warning in &layout.warnings {
            found.entry((index, warning)).or_default().push(rules);
        }
    }

    let told = found.into_iter().map(|((index, warning), rules)| {
        let path = join(&blocks[index].name, &warning.path);
        let message = format!("`{path}`: {} ({})", warning.message, rules.join(", "));
        let concerns = rules.iter().map(|rules| (*rules).to_owned()).collect();
        let place = blocks[index].place_of(&warning.path);
        Diagnostic { concerns, ..Diagnostic::warning(warning.kind.into(), place, message) }
    });
    told.collect()
}

/// What of a block or parameter exceeds a limit, for all columns that say the same of it.
#[derive(Clone, Debug, PartialEq)]
struct LimitWarning {
    subject: String,
    message: String,
    source: &'static str,
    span: Span,
}

impl LimitWarning {
    fn of(holder: &str, exceeded: &ExceededLimit) -> Self {
        let ExceededLimit { limit, path, message, span } = exceeded;
        Self { subject: join(holder, path), message: message.clone(), source: limit.source, span: *span }
    }

    fn diagnostic(&self, columns: &[&str]) -> Diagnostic {
        let Self { subject, message, source, span } = self;
        let message = format!("`{subject}`: {message} ({})", columns.join(", "));
        let concerns = columns.iter().map(|column| (*column).to_owned()).collect();
        Diagnostic { concerns, ..Diagnostic::warning(Code::CompilerLimit, *span, message).with_help(*source) }
    }
}

/// The limits of compilers and APIs that the columns exceed, each once with the columns that it concerns.
fn limit_warnings(source: &Source, layouts: &[RuleSetLayouts]) -> Vec<Diagnostic> {
    let mut found: Vec<(LimitWarning, Vec<&'static str>)> = Vec::new();
    let mut add =
        |warning: LimitWarning, label: &'static str| match found.iter_mut().find(|(other, _)| *other == warning) {
            Some((_, labels)) if labels.contains(&label) => {}
            Some((_, labels)) => labels.push(label),
            None => found.push((warning, vec![label])),
        };

    let blocks = &source.module.blocks;
    for layout in layouts {
        for target in &layout.targets {
            let Some(native) = target.native() else { continue };
            let mut has_push_constants = false;
            for (index, laid_out) in layout.present() {
                let block = &blocks[index];
                // A column of a rule set speaks for the compilers that take this rule set for such a block.
                if native.rules(block).is_none_or(|rules| bare(rules.name) != bare(&laid_out.rules)) {
                    continue;
                }
                for exceeded in exceeded(native, block, laid_out, has_push_constants) {
                    add(LimitWarning::of(&block.name, &exceeded), target.label);
                }
                has_push_constants |= block.kind == BlockKind::PushConstant;
            }
            for Parameter { name, ty, span, .. } in &source.module.parameters {
                for exceeded in exceeded_by_parameter(native, ty, *span) {
                    add(LimitWarning::of(name, &exceeded), target.label);
                }
            }
        }
    }
    found.iter().map(|(warning, labels)| warning.diagnostic(labels)).collect()
}

/// The limits that parameters exceed under the compiler of a convention, whose name is `column`.
pub(super) fn parameter_limits(source: &Source, native: &Native, column: &str) -> Vec<Diagnostic> {
    let parameters = source.module.parameters.iter();
    let exceeded = parameters.flat_map(|Parameter { name, ty, span, .. }| {
        let exceeded = exceeded_by_parameter(native, ty, *span);
        exceeded.into_iter().map(|exceeded| LimitWarning::of(name, &exceeded).diagnostic(&[column]))
    });
    exceeded.collect()
}

/// A name of a rule set without its dialect.
fn bare(name: &str) -> &str {
    name.split_once('@').map_or(name, |(bare, _)| bare)
}

/// Says which size of 16-bit types was assumed, where the other one puts something elsewhere: the first member that moves or
/// changes its size, and the columns in which one does.
fn assumed_sixteen_bit(source: &Source, layouts: &[RuleSetLayouts]) -> Option<Diagnostic> {
    let other = match source.options.sixteen_bit {
        SixteenBit::On => SixteenBit::Off,
        SixteenBit::Off => SixteenBit::On,
    };
    let options = LayoutOptions { sixteen_bit: other, ..source.options };

    let mut first: Option<(Span, String)> = None;
    let mut columns: Vec<String> = Vec::new();
    for layout in layouts.iter().filter(|layout| !layout.has_fixed_half()) {
        for (index, laid_out) in layout.present().filter(|(_, laid_out)| laid_out.result.is_ok()) {
            let block = &source.module.blocks[index];
            let Some(rules) = find(&laid_out.rules) else { continue };
            let (rows, others) = (laid_out.rows(), lay_out(block, rules, options).rows());
            let mut pairs = rows.iter().zip(&others);
            let Some((row, there)) = pairs.find(|(row, there)| (row.offset, row.size) != (there.offset, there.size))
            else {
                continue;
            };
            let what = if row.offset == there.offset {
                let size = |size: Option<u32>| size.map_or_else(|| "no end".to_owned(), |size| format!("{size} bytes"));
                format!("has {} instead of {}", size(there.size), size(row.size))
            } else {
                format!("stands at {} instead of {}", there.offset, row.offset)
            };
            let message = format!("`{}` {what} under {}", join(&block.name, &row.path), layout.name);
            first.get_or_insert_with(|| (block.place_of(&row.path), message));
            if !columns.contains(&layout.name) {
                columns.push(layout.name.clone());
            }
        }
    }

    let (place, change) = first?;
    let message = match source.options.sixteen_bit {
        SixteenBit::On => {
            "`half` and minimum-precision types are taken as 2 bytes, as dxc -enable-16bit-types has them"
        }
        SixteenBit::Off => "`half` and minimum-precision types are taken as 4 bytes, as dxc has them by itself",
    };
    let help = match source.options.sixteen_bit {
        SixteenBit::On => {
            format!("--16bit off is dxc without that option: there {change}; --16bit on says that 2 is meant")
        }
        SixteenBit::Off => {
            format!("--16bit on is dxc with -enable-16bit-types: there {change}; --16bit off says that 4 is meant")
        }
    };
    let warning = Diagnostic::warning(Code::AssumedSixteenBit, place, message).with_help(help);
    Some(Diagnostic { concerns: columns, ..warning })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declare::DeclareOptions;
    use crate::input::sources::SourceMap;
    use crate::show::{RuleChoice, ShownRules};

    /// What rule sets ignore or overlap, with the codes and the rule sets that say so.
    #[test]
    fn warnings_of_layouts_come_once_behind_those_of_declarations() {
        let text = "struct T { float4 a; [[vk::offset(64)]] float b; }; ConstantBuffer<T> S;\n\
            cbuffer C { float4 x : packoffset(c0); float y : packoffset(c0.w); float z; };";
        let mut sources = SourceMap::default();
        let file = sources.add("a.hlsl", text);
        let span = Span { file, start: 0, end: u32::try_from(text.len()).unwrap() };
        let source = Source::of_file(span, LayoutOptions::default(), &DeclareOptions::default(), &mut sources).unwrap();
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
        let declared = language.declared().unwrap();
        let options = DeclareOptions { language: Some(declared), ..DeclareOptions::default() };
        let source = Source::of_file(span, LayoutOptions::default(), &options, &mut sources).unwrap();
        let content = InputContent::Declared(Box::new(source));
        let input = ShowInput { content, language: Some(language), assumes_sixteen_bit };
        let layouts = input.layouts(&ShownRules::Shipping);
        let warnings = input.warnings(&layouts);
        let place = |it: &Diagnostic| sources.position(it.span());
        let text = |it: &Diagnostic| format!("{}:{} {}", place(it).line, place(it).column, it.message);
        warnings.iter().map(|it| (text(it), it.concerns.clone())).collect()
    }

    /// What DXC 1.7.2308 (`-T cs_6_6`, with and without `-spirv`) and slangc 2026.14.1 (`-target spirv`) refuse of HLSL, or the API does
    /// not guarantee; each row names the columns in which its compiler was seen to refuse.
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
                "struct P { float a; [[vk::offset(12)]] float4 b; };\nConstantBuffer<P> p;",
                "1:47",
                "`p.b`: [[vk::offset(12)]] is not aligned: slangc's code",
                &[slang],
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
            ("uniform float* p; uniform float a;", "`$Globals.p`: is a pointer: slangc writes WGSL", &["WebGPU"]),
            ("uniform double d;", "`$Globals.d`: has a type that WGSL lacks", &["WebGPU"]),
            ("uniform double d;", "`$Globals.d`: has a double, which Metal lacks", &["Metal"]),
            ("cbuffer C { bool b; };", "`C.b`: has a bool", &["WebGPU"]),
            ("cbuffer C { int64_t b; };", "`C.b`: has a 64-bit integer", &["WebGPU"]),
            ("cbuffer C { float4 a[4097]; };", "that a Direct3D shader", &["D3D12 · Slang"]),
        ] {
            let warnings = shipped_warnings(text, ShaderLanguage::Slang, false);
            let is_meant = |(warning, concerns): &(String, Vec<String>)| {
                warning.contains(words) && concerns.iter().eq(columns.iter())
            };
            assert!(warnings.iter().any(is_meant), "{text}: {warnings:#?}");
        }
    }

    /// `dxc -T cs_6_6` takes all of these, with and without `-spirv`, and `slangc -target spirv`, too.
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

    /// DXC 1.7.2308: with -enable-16bit-types `half b` after `half a` stands at 2, without it at 4.
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

    /// The conflict stands at the later declaration, wherever it reaches, and a member may overlap more than its neighbour.
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
