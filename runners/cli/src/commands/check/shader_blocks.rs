//! Reads the blocks of a shader, each under the rule sets of the targets that ship.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use layoutproof_core::check::Source;
use layoutproof_core::host::matching::BlockNames;
use layoutproof_core::host::shader_comment::{BlockComment, comment_of};
use layoutproof_core::host::{LinePlace, member_places};
use layoutproof_core::input::diagnostics::Diagnostic;
use layoutproof_core::input::sources::SourceMap;
use layoutproof_core::show::{InputContent, RuleChoice, ShaderLanguage};
use layoutproof_layout::{Block, BlockKind, BlockLayout, DECLARED, LaidOutShape, LayoutOptions, Refusal, lay_out};

use super::args::CheckTarget;
use crate::args::DeclareArgs;
use crate::commands::show::input::{Wanted, read_input};
use crate::select::rule_set::rule_choice;

/// One shader file with the way in which it is read.
#[derive(Clone, Debug)]
pub(crate) struct ShaderJob {
    /// The file.
    pub path: PathBuf,
    /// How it is read.
    pub declare: DeclareArgs,
    /// Shader profile, if known.
    pub profile: Option<String>,
    /// Rule sets that the user names on the command line: they win over comments.
    pub named_rules: Vec<String>,
    /// Rule sets of the project or of the compile arguments.
    pub usual_rules: Vec<String>,
    /// Graphics APIs.
    pub targets: Vec<CheckTarget>,
}

/// A block under one rule set.
#[derive(Clone, Debug)]
pub(crate) struct TargetBlock {
    /// Shader file.
    pub shader: String,
    /// Rule set, or the compiler whose choice it is.
    pub target: String,
    /// The block laid out.
    pub layout: BlockLayout,
    /// Where its members are declared, by path; the empty path is the block.
    pub places: BTreeMap<String, LinePlace>,
    /// Names by which its host type is found.
    pub names: BlockNames,
    /// What the block was read from.
    pub source: Arc<BlockSource>,
}

/// What blocks were read from, for devices that are to read them.
#[derive(Debug)]
pub(crate) enum BlockSource {
    /// Declarations.
    Declared(Arc<Source>),
    /// A module that says its own offsets.
    Module {
        /// Its file.
        file: String,
        /// All of its blocks.
        blocks: Vec<BlockLayout>,
    },
}

/// The blocks of one file.
#[derive(Debug, Default)]
pub(crate) struct ShaderBlocks {
    /// Every block under every target.
    pub blocks: Vec<TargetBlock>,
    /// What the user should know.
    pub warnings: Vec<Diagnostic>,
}

/// Reads a shader.
///
/// # Errors
/// What could not be read, and unknown rule sets; the inner error is what is wrong with the text.
pub(crate) fn read(job: &ShaderJob, sources: &mut SourceMap) -> anyhow::Result<Result<ShaderBlocks, Vec<Diagnostic>>> {
    let word = job.path.to_string_lossy();
    let content = match read_input(&word, &job.declare, job.profile.as_deref(), Wanted::Layouts, sources)? {
        Err(problems) => return Ok(Err(problems)),
        Ok(input) => input.content,
    };
    let source = match content {
        InputContent::LaidOut(file) => {
            let source = BlockSource::Module { file: word.clone().into_owned(), blocks: file.blocks.clone() };
            let source = Arc::new(source);
            let blocks = file.blocks.into_iter().map(|layout| declared_block(&word, layout, &source)).collect();
            return Ok(Ok(ShaderBlocks { blocks, warnings: file.warnings }));
        }
        InputContent::Declared(source) => Arc::<Source>::from(source),
    };
    let block_source = Arc::new(BlockSource::Declared(Arc::clone(&source)));

    let mut read = ShaderBlocks { blocks: Vec::new(), warnings: source.module.warnings.clone() };
    for block in &source.module.blocks {
        let comment = comment_of(block, sources).unwrap_or_default();
        if let Some(unknown) = comment.unknown.first() {
            anyhow::bail!(
                "{word}: the comment of `{}` has `{unknown}`; known are host=TYPE and rules=NAME",
                block.name
            );
        }
        for target in targets_of(job, &comment) {
            let choice = rule_choice(&target)?;
            if block.mixed_globals.is_some() && choice.rules(block).is_none() {
                // The compiler has another block in its place.
                continue;
            }
            let layout = lay_out_under(block, choice, source.options);
            read.blocks.push(TargetBlock {
                shader: word.clone().into_owned(),
                target,
                layout,
                places: member_places(block, sources),
                names: names_of(block, &comment),
                source: Arc::clone(&block_source),
            });
        }
    }
    Ok(Ok(read))
}

/// Rule sets for a block: those of the command line, of its comment, of the project, of the arguments, of the language.
fn targets_of(job: &ShaderJob, comment: &BlockComment) -> Vec<String> {
    let language = ShaderLanguage::of(job.declare.lang, &job.path);
    let named: Vec<String> = job
        .named_rules
        .iter()
        .cloned()
        .chain(job.targets.iter().map(|target| native_of(*target, language).to_owned()))
        .collect();
    match (named.is_empty(), &comment.rules, job.usual_rules.is_empty()) {
        (false, ..) => named,
        (true, Some(rules), _) => rules.split(',').map(str::to_owned).collect(),
        (true, None, false) => job.usual_rules.clone(),
        (true, None, true) if language == Some(ShaderLanguage::Slang) => vec!["native:slang-vulkan".to_owned()],
        (true, None, true) => vec!["native:dxc-dxil".to_owned()],
    }
}

/// What the usual compiler of a language does for a graphics API.
fn native_of(target: CheckTarget, language: Option<ShaderLanguage>) -> &'static str {
    let is_slang = language == Some(ShaderLanguage::Slang);
    match target {
        CheckTarget::D3d12 if is_slang => "native:slang-d3d12",
        CheckTarget::D3d12 => "native:dxc-dxil",
        CheckTarget::Vulkan if is_slang => "native:slang-vulkan",
        CheckTarget::Vulkan => "native:dxc-spirv",
        CheckTarget::Webgpu => "native:slang-webgpu",
        CheckTarget::Metal => "native:slang-metal",
    }
}

fn lay_out_under(block: &Block, choice: RuleChoice, options: LayoutOptions) -> BlockLayout {
    if let Some(rules) = choice.rules(block) {
        return lay_out(block, rules, options);
    }
    let (compiler, name) = (choice.name(), &block.name);
    let message = format!("{compiler} has no layout for {} `{name}`: name a rule set with --rules", block.kind);
    BlockLayout {
        rules: compiler.to_owned(),
        name: name.clone(),
        kind: block.kind,
        count: block.count,
        result: Err(vec![Refusal { path: String::new(), message }]),
        stride: None,
        warnings: Vec::new(),
    }
}

/// Checks that a rule set or a compiler of this name exists.
///
/// # Errors
/// A sentence with the names that do.
pub(crate) fn check_rules(name: &str) -> anyhow::Result<()> {
    rule_choice(name).map(drop)
}

fn names_of(block: &Block, comment: &BlockComment) -> BlockNames {
    let element = match &block.element {
        // The members of a cbuffer are no struct of their own.
        layoutproof_layout::Type::Struct(structure) if block.kind != BlockKind::Cbuffer => Some(structure.name.clone()),
        _ => None,
    };
    BlockNames {
        block: block.name.clone(),
        element: element.filter(|name| !name.is_empty()),
        stated: comment.host.clone(),
    }
}

/// A block of a module that says its own offsets.
fn declared_block(shader: &str, layout: BlockLayout, source: &Arc<BlockSource>) -> TargetBlock {
    let element = layout.result.as_ref().ok().filter(|root| matches!(root.shape, LaidOutShape::Struct(_)));
    // DXC calls the struct of `cbuffer Frame` `type.Frame`, and that of `ConstantBuffer<Frame>`
    // `type.ConstantBuffer.Frame`.
    let element = element.map(|root| root.type_name.rsplit('.').next().unwrap_or_default().to_owned());
    let is_new = |name: &String| !name.is_empty() && name != "struct";
    let names = BlockNames { block: layout.name.clone(), element: element.filter(is_new), stated: None };
    let file = Path::new(shader).display().to_string();
    let places = BTreeMap::from([(String::new(), LinePlace { file, line: None })]);
    let (shader, target, source) = (shader.to_owned(), DECLARED.to_owned(), Arc::clone(source));
    TargetBlock { shader, target, layout, places, names, source }
}
