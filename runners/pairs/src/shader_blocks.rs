//! Reads the blocks of a shader, and lays each out under the rule sets of the targets that ship.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use layoutproof_core::check::Source;
use layoutproof_events::{AccountEntry, NotCompared};
use layoutproof_inputs::declare::DeclareArgs;
use layoutproof_inputs::layout_selection::LayoutSelection;
use layoutproof_inputs::rule_set::{defines_spirv, rule_choice};
use layoutproof_inputs::shader_file::compiler_reading::{CompilerReading, RefusedFile};
use layoutproof_inputs::shared_suffixes::language_of_file;

use layoutproof_hostcheck::matching::{BlockNames, PartName};
use layoutproof_hostcheck::shader_comment::{BlockComment, comment_at_place, comment_of};
use layoutproof_hostcheck::{BlockPart, LinePlace, SizeContract, TextPlaces, block_parts, member_places};
use layoutproof_layout::native::find_native;
use layoutproof_layout::{
    Block, BlockKind, BlockLayout, ComponentReads, Count, DECLARED, Extent, LaidOut, LaidOutShape, LayoutOptions,
    RuleChoice, ShaderTarget, Span, lay_out,
};
use layoutproof_report::host_check::{CompiledAs, OpenChoices};
use layoutproof_show::front_ends::Purpose;
use layoutproof_show::{InputContent, accounts, assumed_in_block, misplaced, overlap_warnings};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;
use layoutproof_usage::component_reads;

use layoutproof_inputs::inputs::read_input;

/// A shader file and the options for reading it.
#[derive(Clone, Debug)]
pub struct ShaderJob {
    pub path: PathBuf,
    /// Options for reading it.
    pub declare: DeclareArgs,
    /// Shader profile, if known.
    pub profile: Option<String>,
    /// What the user names on the command line; it takes precedence over the project.
    pub named: LayoutSelection,
    /// What the project or the compile arguments name; it takes precedence over comments.
    pub usual: LayoutSelection,
}

/// A block under one rule set.
#[derive(Clone, Debug)]
pub struct TargetBlock {
    pub shader: String,
    pub compiled: CompiledAs,
    /// The rule set, or the compiler that chooses one.
    pub target: String,
    pub layout: BlockLayout,
    /// Where its members are declared, by path. The empty path is the block itself.
    pub places: BTreeMap<String, LinePlace>,
    /// The names that its host type may have.
    pub names: BlockNames,
    /// The byte of the block at which the program puts the host struct, if the user says so.
    pub host_start: Option<u32>,
    pub host_form: HostForm,
    /// The user's contract for the host struct and this block.
    pub contract: Option<SizeContract>,
    /// The API that uses the block; `None` if only a rule set is known.
    pub api: Option<ShaderTarget>,
    /// Host names by member names, for members with other names.
    pub renames: BTreeMap<String, String>,
    /// The source of the block.
    pub source: Arc<BlockSource>,
    /// `None` if nothing is open, or the file fixes its layout.
    pub open: Option<OpenChoices>,
    /// What the code of the file reads of members.
    pub reads: Arc<ComponentReads>,
}

/// What nothing decides for the block of a file; `None` if everything is decided.
fn open_choices(job: &ShaderJob, comment: &BlockComment) -> Option<OpenChoices> {
    let open = OpenChoices {
        language: language_of_file(job.declare.lang, &job.path)?,
        target: job.named.is_empty() && job.usual.is_empty() && comment.rules.is_none(),
        order: job.declare.matrix.is_none(),
        matrices: job.declare.layout_options().matrix,
    };
    Some(open).filter(|open| open.target || open.order)
}

/// How host structs fill a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostForm {
    /// One struct.
    One,
    /// `Light[2]`: this many in a row.
    Several(u32),
    /// `Header + Light[]`: a header, and right after it the elements of the block's unbounded array, whose
    /// type the last part states.
    HeaderAndElements,
}

impl TargetBlock {
    /// The block with what the user states as its host.
    ///
    /// # Errors
    /// It is not in a form of [`HostForm`], or the block has no array for its elements.
    pub fn with_host(mut self, stated: &str) -> anyhow::Result<Self> {
        let (first, elements) = match stated.split_once(" + ") {
            Some((header, elements)) => (header.trim(), Some(elements.trim())),
            None => (stated.strip_suffix("[]").unwrap_or(stated), None),
        };
        self.names.stated = Some(first.to_owned());
        if let Some(elements) = elements {
            let end = self.names.parts.last_mut().filter(|part| !part.is_all);
            match (elements.strip_suffix("[]"), end) {
                (None, _) => anyhow::bail!("`{stated}`: a host is TYPE, TYPE[2] or HEADER + TYPE[]"),
                (_, None) => anyhow::bail!(
                    "`{stated}`: the block `{}` has no structs in an unbounded array after other members",
                    self.layout.name
                ),
                (Some(element), Some(end)) => end.stated = Some(element.to_owned()),
            }
            self.host_form = HostForm::HeaderAndElements;
        } else if let Some((host, count)) = several_of(first) {
            self.names.stated = Some(host);
            self.host_form = HostForm::Several(count);
        }
        Ok(self)
    }

    /// The host names of the members of a part, by their names in it: `lights.color` of the block
    /// and `color` of the part mean the same member.
    pub fn renames_in(&self, part: &BlockPart<'_>) -> BTreeMap<String, String> {
        let start = part.path.replace("[]", "");
        let in_part = self.renames.iter().map(|(path, host)| {
            let rest = path.strip_prefix(&start).and_then(|rest| rest.strip_prefix('.'));
            (rest.filter(|_| !start.is_empty()).unwrap_or(path).to_owned(), host.clone())
        });
        in_part.collect()
    }
}

/// The type and the number of `Light[2]`; `None` if the name has no number.
fn several_of(stated: &str) -> Option<(String, u32)> {
    let (host, count) = stated.strip_suffix(']')?.rsplit_once('[')?;
    let count = count.parse().ok().filter(|count| *count > 0)?;
    Some((host.to_owned(), count))
}

/// The source of blocks, for devices that read them.
#[derive(Debug)]
pub enum BlockSource {
    Declared(Arc<Source>),
    /// A module that declares its own offsets.
    Module {
        file: String,
        blocks: Vec<BlockLayout>,
    },
    /// A file that only compilers can read.
    Compiled {
        job: Arc<ShaderJob>,
        blocks: Vec<BlockLayout>,
    },
}

/// The blocks of one file.
#[derive(Debug, Default)]
pub struct ShaderBlocks {
    /// Every block under every target.
    pub blocks: Vec<TargetBlock>,
    /// Warnings for the user.
    pub warnings: Vec<Diagnostic>,
    /// Sentences that say which compiler read the file, and why.
    pub notes: Vec<String>,
    /// Sentences about targets that no compiler answers for.
    pub left_out: Vec<String>,
    /// What the file has besides blocks.
    pub others: Vec<AccountEntry>,
}

/// Reads a shader. Compilers read what we refuse.
///
/// # Errors
/// The file cannot be read, or a rule set is unknown. The inner error holds the problems of its
/// text.
pub fn read(job: &ShaderJob, sources: &mut SourceMap) -> anyhow::Result<Result<ShaderBlocks, Vec<Diagnostic>>> {
    let first_file = sources.files().len();
    match read_without_compilers(job, sources)? {
        Ok(read) => Ok(Ok(read)),
        Err(problems) => read_by_compiler(job, &problems, first_file, sources),
    }
}

/// How a shader is compiled.
fn compiled_as(job: &ShaderJob) -> CompiledAs {
    CompiledAs { language: language_of_file(job.declare.lang, &job.path), defines: job.declare.define.clone().into() }
}

/// Reads a shader with our own readers alone, once for each value of `__spirv__` that its targets have and it asks for.
///
/// # Errors
/// Those of [`read`].
pub fn read_without_compilers(
    job: &ShaderJob,
    sources: &mut SourceMap,
) -> anyhow::Result<Result<ShaderBlocks, Vec<Diagnostic>>> {
    if language_of_file(job.declare.lang, &job.path) != Some(ShaderLanguage::Hlsl) {
        return read_once(job, sources);
    }
    let first_file = sources.files().len();
    let parts = parts_by_spirv(job)?;
    let mut whole = job.clone();
    if let ([part], true) = (parts.as_slice(), names_targets(job)) {
        whole.declare.spirv_macro = part.declare.spirv_macro;
    }
    let read = read_once(&whole, sources)?;
    if parts.len() == 1 || !job.declare.asks_for_spirv(&sources.files()[first_file..]) {
        return Ok(read);
    }
    let mut read = ShaderBlocks::default();
    for part in parts {
        match read_once(&part, sources)? {
            Err(problems) => return Ok(Err(problems)),
            Ok(ShaderBlocks { blocks, warnings, notes, left_out, others }) => {
                read.blocks.extend(blocks);
                read.warnings.extend(warnings);
                read.notes.extend(notes);
                read.left_out.extend(left_out);
                read.others.extend(others);
            }
        }
    }
    // The targets of a block belong together.
    let mut names: Vec<String> = Vec::new();
    for block in &read.blocks {
        if !names.contains(&block.layout.name) {
            names.push(block.layout.name.clone());
        }
    }
    read.blocks.sort_by_key(|block| names.iter().position(|name| *name == block.layout.name));
    Ok(Ok(read))
}

/// True if the job has columns of compilers, other than the usual one.
fn names_targets(job: &ShaderJob) -> bool {
    let selection = if job.named.is_empty() { &job.usual } else { &job.named };
    !(selection.targets.is_empty()
        && selection.compilers.is_empty()
        && selection.rules.iter().all(|rules| defines_spirv(rules).is_none()))
}

/// The job for the targets whose compilers define `__spirv__`, and for the others.
fn parts_by_spirv(job: &ShaderJob) -> anyhow::Result<Vec<ShaderJob>> {
    let mut parts: Vec<(bool, ShaderJob)> = Vec::new();
    for name in targets_of(job, &BlockComment::default())? {
        let is_spirv = defines_spirv(&name).unwrap_or(false);
        let index = parts.iter().position(|(is_own, _)| *is_own == is_spirv).unwrap_or_else(|| {
            let mut part = job.clone();
            part.declare.spirv_macro = Some(is_spirv);
            let named = if job.named.is_empty() { &mut part.usual } else { &mut part.named };
            *named = LayoutSelection::default();
            parts.push((is_spirv, part));
            parts.len() - 1
        });
        let part = &mut parts[index].1;
        let named = if job.named.is_empty() { &mut part.usual } else { &mut part.named };
        named.rules.push(name);
    }
    Ok(parts.into_iter().map(|(_, part)| part).collect())
}

fn read_once(job: &ShaderJob, sources: &mut SourceMap) -> anyhow::Result<Result<ShaderBlocks, Vec<Diagnostic>>> {
    let word = job.path.to_string_lossy();
    let first_file = sources.files().len();
    let content = match read_input(&word, &job.declare, job.profile.as_deref(), Purpose::Comparison, sources)? {
        Err(problems) => return Ok(Err(problems)),
        Ok(input) => input.content,
    };
    let source = match content {
        InputContent::LaidOut(mut file) => {
            let api = api_of(job, file.api);
            if api == Some(ShaderTarget::Opengl) {
                file.leave_to_driver(Span::default());
            }
            let others = accounts::driver_blocks(&file, &word);
            // No host writes to workgroup memory and to payloads.
            file.blocks.retain(|block| {
                block.kind != BlockKind::Workgroup && block.reach.is_of_host() && !block.is_left_to_driver()
            });
            let source = BlockSource::Module { file: word.clone().into_owned(), blocks: file.blocks.clone() };
            let source = Arc::new(source);
            let texts = TextPlaces::of_files(sources.files().iter().skip(first_file));
            for block in &mut file.blocks {
                let Ok(root) = &mut block.result else { continue };
                for (_, path) in file.specialized.iter().filter(|(name, _)| *name == block.name) {
                    open_array(root, path);
                }
            }
            let blocks = commented_blocks(&word, file.blocks, &texts, &source, sources)?;
            let (compiled, reads) = (compiled_as(job), Arc::new(file.reads));
            let of_file = |block| TargetBlock { api, compiled: compiled.clone(), reads: Arc::clone(&reads), ..block };
            let blocks = blocks.into_iter().map(of_file).collect();
            return Ok(Ok(ShaderBlocks { blocks, warnings: file.warnings, others, ..ShaderBlocks::default() }));
        }
        InputContent::Declared(declared) => Arc::new(Source::of_declarations(*declared, sources)),
    };
    let block_source = Arc::new(BlockSource::Declared(Arc::clone(&source)));
    let reads = Arc::new(component_reads(&source.module));

    let mut read = ShaderBlocks {
        warnings: source.module.warnings.clone(),
        others: accounts::besides_blocks(&source.module, &word, sources),
        ..ShaderBlocks::default()
    };
    for block in &source.module.blocks {
        let comment = comment_of(block, sources).unwrap_or_default();
        check_words(&word, &block.name, &comment)?;
        let targets = targets_of(job, &comment)?;
        if job.named.is_empty() {
            read.notes.extend(overruled(&word, &block.name, &targets, &comment));
        }
        for target in targets {
            let choice = rule_choice(&target)?;
            let Some(block) = choice.block(block) else { continue };
            let block = block.as_ref();
            if block.mixed_globals.is_some() && choice.rules(block).is_none() {
                // The compiler uses another block instead.
                continue;
            }
            if block.reach.is_in_code() && choice.rules(block).is_none() {
                if block.reach.is_of_host() {
                    let why = NotCompared::NoLayout { message: format!("{} has no layout for it", choice.name()) };
                    read.others.push(accounts::view_not_compared(block, &word, sources, why));
                }
                continue;
            }
            let layout = lay_out_under(block, choice, source.options);
            let native = find_native(&target);
            let broken = layout.broken_access().map(str::to_owned);
            let broken = broken.or_else(|| misplaced(&source.module, source.options, native?, block, &layout));
            if let Some(message) = broken {
                let why = NotCompared::Uncertain { message };
                read.others.push(accounts::view_not_compared(block, &word, sources, why));
                continue;
            }
            let api = native.map(|native| native.column.target);
            let assumes_size =
                job.declare.sixteen_bit.is_none() && native.is_none_or(|native| !native.has_fixed_half());
            let has_assumed = || read.warnings.iter().any(|warning| warning.code == Code::AssumedSixteenBit);
            if assumes_size && !has_assumed() {
                let again = |options| lay_out_under(block, choice, options);
                read.warnings.extend(assumed_in_block(block, &layout, again, source.options));
            }
            let under = (target.as_str(), std::slice::from_ref(&layout));
            read.warnings.extend(overlap_warnings(std::slice::from_ref(block), std::iter::once(under)));
            read.blocks.push(TargetBlock {
                shader: word.clone().into_owned(),
                compiled: compiled_as(job),
                target,
                names: names_of(block, &layout, &comment),
                layout,
                places: member_places(block, sources),
                host_start: None,
                contract: None,
                api,
                host_form: HostForm::One,
                renames: BTreeMap::new(),
                source: Arc::clone(&block_source),
                open: open_choices(job, &comment),
                reads: Arc::clone(&reads),
            });
        }
    }
    Ok(Ok(read))
}

/// Gives the array at the end of a block any length, because a pipeline may choose it. Members after an array are where the
/// module declares them, whatever its length becomes.
fn open_array(ty: &mut LaidOut, path: &str) {
    match &mut ty.shape {
        LaidOutShape::Array { count, .. } if path.is_empty() => *count = Count::Unbounded,
        LaidOutShape::Struct(members) => {
            let (own, rest) = path.split_once('.').unwrap_or((path, ""));
            let Some(last) = members.last_mut().filter(|last| last.name == own) else { return };
            open_array(&mut last.layout, rest);
            if last.layout.size.finite().is_some() {
                return;
            }
        }
        _ => return,
    }
    ty.size = Extent::Unbounded;
}

/// The API for which a file is compared: the only target that the user or the project names, or that of its language.
fn api_of(job: &ShaderJob, of_file: Option<ShaderTarget>) -> Option<ShaderTarget> {
    let targets = [&job.named, &job.usual].map(|selection| selection.targets.as_slice());
    match targets.into_iter().find(|targets| !targets.is_empty()) {
        Some([only]) => Some(only.target),
        Some(_) => None,
        None => of_file,
    }
}

/// The blocks of a file whose offsets are known, with what their comments say.
fn commented_blocks(
    word: &str,
    layouts: Vec<BlockLayout>,
    texts: &TextPlaces,
    source: &Arc<BlockSource>,
    sources: &SourceMap,
) -> anyhow::Result<Vec<TargetBlock>> {
    let mut blocks = Vec::new();
    for layout in layouts {
        let mut block = declared_block(word, layout, texts, source);
        let place = block.places.get("");
        let comment = place.and_then(|place| comment_at_place(place, sources)).unwrap_or_default();
        check_words(word, &block.layout.name, &comment)?;
        if comment.rules.is_some() {
            anyhow::bail!(
                "{word}: the comment of `{}` has rules=NAME, but the file itself fixes the layout",
                block.layout.name
            );
        }
        block.names.stated = comment.host;
        blocks.push(block);
    }
    Ok(blocks)
}

/// The blocks of a file that we refuse, from the compilers whose layouts are compared.
fn read_by_compiler(
    job: &ShaderJob,
    problems: &[Diagnostic],
    first_file: usize,
    sources: &SourceMap,
) -> anyhow::Result<Result<ShaderBlocks, Vec<Diagnostic>>> {
    let (path, declare, profile) = (&job.path, &job.declare, job.profile.as_deref());
    let file = RefusedFile { path, declare, profile, problems, sources, first_file };
    let targets = targets_of(job, &BlockComment::default())?;
    let answer = match CompilerReading::of(file, targets.iter().map(String::as_str))? {
        Ok(answer) => answer,
        Err(problems) => return Ok(Err(problems)),
    };

    let word = job.path.display().to_string();
    let texts = TextPlaces::of_files(sources.files().iter().skip(first_file));
    let mut read = ShaderBlocks { notes: answer.notes, left_out: answer.left_out, ..ShaderBlocks::default() };
    let open = open_choices(job, &BlockComment::default());
    let job = Arc::new(job.clone());
    for column in answer.columns {
        let target = column.native.name;
        let source = Arc::new(BlockSource::Compiled { job: Arc::clone(&job), blocks: column.blocks.clone() });
        let own = commented_blocks(&word, column.blocks, &texts, &source, sources)?;
        let api = Some(column.native.column.target);
        let compiled = compiled_as(&job);
        let under = |block| TargetBlock { target: target.to_owned(), api, open, compiled: compiled.clone(), ..block };
        read.blocks.extend(own.into_iter().map(under));
    }
    Ok(Ok(read))
}

/// Refuses a comment with words that mean nothing.
fn check_words(shader: &str, block: &str, comment: &BlockComment) -> anyhow::Result<()> {
    match comment.unknown.first() {
        Some(unknown) => anyhow::bail!(
            "{shader}: the comment of `{block}` has `{unknown}`, which is neither host=TYPE nor rules=NAME"
        ),
        None => Ok(()),
    }
}

/// The rule sets for a block. In order of precedence: command line, project or compile arguments,
/// comment of the block, language. A comment may come with a foreign shader; the project says what
/// ships.
fn targets_of(job: &ShaderJob, comment: &BlockComment) -> anyhow::Result<Vec<String>> {
    let language = language_of_file(job.declare.lang, &job.path);
    match (job.named.is_empty(), job.usual.is_empty(), &comment.rules) {
        (false, ..) => job.named.names(language),
        (true, false, _) => job.usual.names(language),
        (true, true, Some(rules)) => Ok(rules.split(',').map(str::to_owned).collect()),
        (true, true, None) => LayoutSelection::usual(language).names(language),
    }
}

/// A sentence about rule sets of a comment that are not used, because the project or the compile
/// arguments name others.
fn overruled(word: &str, block: &str, targets: &[String], comment: &BlockComment) -> Option<String> {
    let rules = comment.rules.as_ref().filter(|rules| rules.split(',').ne(targets.iter().map(String::as_str)))?;
    let targets = targets.join(", ");
    Some(format!("{word}: the comment of `{block}` has rules={rules}, but the project compares {targets}"))
}

pub(super) fn lay_out_under(block: &Block, choice: RuleChoice, options: LayoutOptions) -> BlockLayout {
    if let Some(rules) = choice.rules(block) {
        return lay_out(block, rules, options);
    }
    let (compiler, name) = (choice.name(), &block.name);
    let message = format!("{compiler} has no layout for {} `{name}`: name a rule set with --rules", block.kind);
    BlockLayout::refused(block, compiler, message)
}

/// Checks that a rule set or a compiler of this name exists.
///
/// # Errors
/// An error that lists the existing names.
pub fn check_rules(name: &str) -> anyhow::Result<()> {
    rule_choice(name).map(drop)
}

/// The names that the host type of a block may have.
pub(crate) fn names_of(block: &Block, layout: &BlockLayout, comment: &BlockComment) -> BlockNames {
    let element = match &block.element {
        // In HLSL, the members of a cbuffer form no named struct.
        layoutproof_layout::Type::Struct(structure) if block.kind != BlockKind::Cbuffer => Some(structure.name.clone()),
        _ => None,
    };
    BlockNames {
        block: block.name.clone(),
        element: element.filter(|name| !name.is_empty()),
        use_word: block.kind.use_word().to_owned(),
        parts: part_names(layout, str::to_owned),
        stated: comment.host.clone(),
    }
}

/// The names of the structs in a block that a host program may declare separately.
fn part_names(layout: &BlockLayout, plain: impl Fn(&str) -> String) -> Vec<PartName> {
    let parts = layout.result.as_ref().map(|root| block_parts(layout, root)).unwrap_or_default();
    let inner = parts.iter().skip(1).map(|part| PartName {
        element: plain(&part.root.type_name),
        member: part.member().to_owned(),
        is_all: !part.has_header,
        stated: None,
    });
    inner.collect()
}

/// A block of a module that declares its own offsets.
fn declared_block(shader: &str, layout: BlockLayout, texts: &TextPlaces, source: &Arc<BlockSource>) -> TargetBlock {
    let element = layout.result.as_ref().ok().filter(|root| matches!(root.shape, LaidOutShape::Struct(_)));
    let is_binary = Path::new(shader).extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("spv"));
    let plain = |name: &str| if is_binary { compiled_name(name).to_owned() } else { name.to_owned() };
    let element = element.map(|root| plain(&root.type_name));
    let is_new = |name: &String| !name.is_empty() && name != "struct";
    let names = BlockNames {
        block: layout.name.clone(),
        element: element.filter(is_new),
        use_word: layout.kind.use_word().to_owned(),
        parts: part_names(&layout, plain),
        stated: None,
    };
    let file = Path::new(shader).display().to_string();
    let mut places = texts.of_block(&layout);
    places.entry(String::new()).or_insert(LinePlace { file, line: None });
    let (shader, target, source) = (shader.to_owned(), DECLARED.to_owned(), Arc::clone(source));
    TargetBlock {
        shader,
        compiled: CompiledAs::default(),
        target,
        layout,
        places,
        names,
        host_start: None,
        contract: None,
        api: None,
        host_form: HostForm::One,
        renames: BTreeMap::new(),
        source,
        open: None,
        reads: Arc::default(),
    }
}

/// The name of a struct in the source of a SPIR-V module. DXC calls the struct of `cbuffer Frame`
/// `type.Frame`, and that of `ConstantBuffer<Frame>` `type.ConstantBuffer.Frame`; slangc 2026
/// appends the layout: `Frame_std140`.
fn compiled_name(name: &str) -> &str {
    let name = name.rsplit('.').next().unwrap_or_default();
    let layouts = ["_std140", "_std430", "_natural", "_scalar", "_c"];
    let bare = layouts.iter().find_map(|layout| name.strip_suffix(layout));
    bare.filter(|bare| !bare.is_empty()).unwrap_or(name)
}
