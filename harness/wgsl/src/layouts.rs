//! Lays out the blocks of a WGSL module by the language's own rules.
//!
//! `show`, `run`, frozen sets and tests of Rust programs read users' and compilers' WGSL here. The rule table has the
//! rules (`wgsl-uniform`, `wgsl-storage`).

use layoutproof_layout::listing::{LISTED_BYTES, ListingBudget};
use layoutproof_layout::native::find_native;
use layoutproof_layout::rules::Forbid;
use layoutproof_layout::{
    Block, BlockKind, BlockLayout, DECLARED, FileId, LaidOut, LaidOutShape, LayoutOptions, LayoutWarning,
    LayoutWarningKind, MemberRow, Refusal, RuleSet, find, join, lay_out,
};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;
use layoutproof_source::text_limits::check_text;

use crate::{LinkedText, WgslModule, WgslVariable, WgslView};

/// Help for a uniform buffer that WGSL does not allow.
const UNIFORM_HELP: &str = "`requires uniform_buffer_standard_layout;` allows it as it is where implementations have \
                            that feature, which naga does not";
/// Help for a member of such a buffer that is not where it must be.
const PLACE_HELP: &str = "@align(16) on the member, or @size on the one before it, moves it";
/// Help for an array whose elements are not far enough apart.
const STRIDE_HELP: &str = "elements of 16 bytes have that stride: `vec4f`, or a struct whose last member has an @size";

#[derive(Clone, Debug, PartialEq)]
pub struct WgslLayouts {
    pub module: WgslModule,
    /// In the order of the text.
    pub blocks: Vec<BlockLayout>,
    /// Why WGSL does not allow the blocks without a layout.
    pub forbidden: Vec<Diagnostic>,
    /// Why uniform buffers need `uniform_buffer_standard_layout`, which the text does not require. They have their
    /// layout: an implementation with that feature takes them all the same (Tint of Dawn for Node 0.6.2).
    pub restricted: Vec<Diagnostic>,
}

impl WgslLayouts {
    /// Reads the module in `text`, and lays out the blocks that WGSL allows.
    pub fn read(text: &str, file: FileId) -> Result<Self, Vec<Diagnostic>> {
        check_text(text, file, ShaderLanguage::Wgsl).map_err(|problem| vec![problem])?;
        Self::of_module(WgslModule::read(text, file)?)
    }

    /// Reads a linked text, with places in the user's files.
    pub fn read_linked(linked: &LinkedText, sources: &SourceMap) -> Result<Self, Vec<Diagnostic>> {
        check_text(&linked.text, FileId::default(), ShaderLanguage::Wgsl)
            .map_err(|problem| vec![linked.in_files(problem)])?;
        Self::of_module(WgslModule::read_linked(linked, sources)?)
    }

    fn of_module(module: WgslModule) -> Result<Self, Vec<Diagnostic>> {
        let (mut blocks, mut forbidden, mut restricted) = (Vec::new(), Vec::new(), Vec::new());
        let mut budget = ListingBudget::default();
        for variable in &module.variables {
            let Some(block) = variable.block() else { continue };
            let layout = match with_feature(&block, module.has_standard_uniforms) {
                Some((layout, refusals)) => {
                    restricted.extend(refusals.iter().map(|refusal| explained(variable, &block, refusal)));
                    layout
                }
                None => laid_out(&block, module.has_standard_uniforms),
            };
            match &layout.result {
                Ok(root) if spend(&mut budget, root).is_none() => {
                    let message = format!("the blocks up to this one take more than {LISTED_BYTES} bytes to list");
                    return Err(vec![Diagnostic::error(Code::LimitExceeded, variable.span, message)]);
                }
                Ok(_) => {}
                Err(refusals) => forbidden.extend(refusals.iter().map(|refusal| explained(variable, &block, refusal))),
            }
            blocks.push(layout);
        }
        for view in &module.views {
            let block = view.block();
            let rules =
                RuleSet { forbids: &[], ..find("wgsl-storage").expect("the table has WGSL's rule sets").clone() };
            let layout =
                BlockLayout { rules: DECLARED.to_owned(), ..lay_out(&block, &rules, LayoutOptions::default()) };
            match &layout.result {
                Ok(root) if spend(&mut budget, root).is_none() => {
                    let message = format!("the blocks up to this one take more than {LISTED_BYTES} bytes to list");
                    return Err(vec![Diagnostic::error(Code::LimitExceeded, view.span, message)]);
                }
                Ok(root) => forbidden.extend(forbidden_view(view, root)),
                Err(refusals) => forbidden.extend(refusals.iter().map(|refusal| {
                    Diagnostic::error(Code::BadModule, view.span, format!("`{}` {}", view.name, refusal.message))
                })),
            }
            blocks.push(layout);
        }
        Ok(Self { module, blocks, forbidden, restricted })
    }

    /// The structs and arrays in the memory of a workgroup. WGSL gives every type that is in memory a size and its members
    /// offsets (14.4.1).
    pub fn shared_blocks(&self) -> Vec<BlockLayout> {
        let blocks = self.module.shared.iter().filter_map(WgslVariable::block);
        blocks.map(|block| laid_out(&block, false)).filter(|layout| layout.result.is_ok()).collect()
    }

    /// The layouts, if WGSL allows all blocks without a feature that the text does not require.
    pub fn allowed(self) -> Result<Self, Vec<Diagnostic>> {
        let problems = [self.forbidden.as_slice(), &self.restricted].concat();
        if problems.is_empty() { Ok(self) } else { Err(problems) }
    }
}

/// The layout of a uniform buffer that `uniform_buffer_standard_layout` alone allows, with the reasons; the layout has
/// them as warnings.
fn with_feature(block: &Block, has_standard_uniforms: bool) -> Option<(BlockLayout, Vec<Refusal>)> {
    if block.kind != BlockKind::UniformBlock || has_standard_uniforms {
        return None;
    }
    let refusals = laid_out(block, false).result.err()?;
    let mut layout = laid_out(block, true);
    layout.result.as_ref().ok()?;
    layout.warnings.extend(refusals.iter().map(|Refusal { path, message }| LayoutWarning {
        path: path.clone(),
        kind: LayoutWarningKind::NeedsFeature,
        message: message.clone(),
    }));
    Some((layout, refusals))
}

/// The block under WGSL's rules. The front end has checked its types, and knows those that naga
/// adds.
fn laid_out(block: &Block, has_standard_uniforms: bool) -> BlockLayout {
    let wgsl = find_native("native:wgsl").and_then(|native| native.rules(block));
    let rules = wgsl.or_else(|| find("wgsl-storage")).expect("the table has WGSL's rule sets");
    let forbids: &[Forbid] = match block.kind {
        BlockKind::UniformBlock if has_standard_uniforms => &[Forbid::Unsized],
        BlockKind::UniformBlock => &[Forbid::Unsized, Forbid::WgslUniform],
        _ => &[],
    };
    let rules = RuleSet { forbids, ..rules.clone() };
    BlockLayout { rules: DECLARED.to_owned(), ..lay_out(block, &rules, LayoutOptions::default()) }
}

/// The error about a part of a block that WGSL does not allow, at the member.
fn explained(variable: &WgslVariable, block: &Block, refusal: &Refusal) -> Diagnostic {
    let Refusal { path, message } = refusal;
    let place = block.place_of(path);
    let error = Diagnostic::error(Code::BadModule, place, format!("`{}` {message}", join(&block.name, path)));
    let error = if place == variable.span { error } else { error.with_label(variable.span, "in this variable") };
    let elsewhere = laid_out(block, true);
    if block.kind != BlockKind::UniformBlock || elsewhere.result.is_err() {
        return error;
    }
    let is_short = |stride: u32| !stride.is_multiple_of(16);
    let is_stride = |row: &MemberRow| row.path == *path && row.array_stride.is_some_and(is_short);
    let help = if elsewhere.rows().iter().any(is_stride) { STRIDE_HELP } else { PLACE_HELP };
    error.with_help(format!("{help}; {UNIFORM_HELP}"))
}

/// The reason why WGSL does not allow a view at its place.
fn forbidden_view(view: &WgslView, root: &LaidOut) -> Option<Diagnostic> {
    let (offset, alignment) = (view.offset?, root.alignment);
    let message = if offset.is_multiple_of(alignment) {
        let (size, limit) = (root.size.finite()?, view.limit?);
        if offset.checked_add(size).is_some_and(|end| end <= limit) {
            return None;
        }
        format!("`{}`: {size} bytes at {offset} end after the buffer's {limit}", view.name)
    } else {
        format!("`{}`: the offset is no multiple of {alignment}, the alignment of the type", view.name)
    };
    Some(Diagnostic::error(Code::BadModule, view.span, message))
}

fn spend(budget: &mut ListingBudget, layout: &LaidOut) -> Option<()> {
    budget.spend(layout.type_name.len())?;
    match &layout.shape {
        LaidOutShape::Struct(members) => members.iter().try_for_each(|member| {
            budget.spend(member.name.len())?;
            spend(budget, &member.layout)
        }),
        LaidOutShape::Array { element, .. } => spend(budget, element),
        LaidOutShape::Scalar(_)
        | LaidOutShape::Vector { .. }
        | LaidOutShape::Matrix { .. }
        | LaidOutShape::Pointer { .. }
        | LaidOutShape::Resource => Some(()),
    }
}
