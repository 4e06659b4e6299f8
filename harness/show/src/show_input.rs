//! The input of `show`, `diff` and the explorer: declarations, or a module that declares its own
//! offsets.

use layoutproof_bindings::{BindingRequest, Convention, Declarations, Target};
use layoutproof_frontend::module::Module;
use layoutproof_layout::native::{Native, find_native};
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::{
    BlockKind, BlockLayout, ComponentReads, LayoutOptions, LayoutWarning, LayoutWarningKind, Reach, RuleChoice,
    RuleSet, ShaderTarget, Span, ViewId, join, lay_out, table,
};
use layoutproof_readers::spirv::{DeclaredModule, ModuleSource, SpecializedLength};
use layoutproof_source::diagnostics::{Code, Diagnostic, Severity};
use layoutproof_source::nearest_name::known_names;
use layoutproof_source::shader_language::ShaderLanguage;

use super::declared_words::{declared_block, declared_resources};
use super::placements::{Placements, UnknownEntry};
use super::rule_set_layouts::{LaidOutBlock, RuleSetLayouts};
use super::shown_rules::{ShownColumnChoice, ShownRules, is_relevant, shipping, shipping_of_laid_out};
use crate::front_ends::{Purpose, TextFrontEnd};
use crate::placements::DeclaredBindings;
use crate::shown_columns::{BlockPresence, ColumnName};

#[derive(Clone, Debug, PartialEq)]
pub struct ShowInput {
    pub content: InputContent,
    pub language: Option<ShaderLanguage>,
    /// True if no option set the size of `half` and minimum-precision types, so it is assumed.
    pub assumes_sixteen_bit: bool,
}

#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "there is one for each file")]
pub enum InputContent {
    /// Declarations, which every rule set lays out.
    Declared(Box<Declarations>),
    /// A module that declares its own offsets.
    LaidOut(LaidOutFile),
}

impl ShowInput {
    /// The language in which reports write its members: HLSL for a module that does not record one.
    pub fn written_language(&self) -> ShaderLanguage {
        self.language.unwrap_or(ShaderLanguage::Hlsl)
    }

    /// False for a shader that declares inputs and outputs alone, or a module of which only the bindings are shown.
    pub fn has_blocks(&self) -> bool {
        match &self.content {
            InputContent::LaidOut(file) => !file.blocks.is_empty(),
            InputContent::Declared(source) => {
                let Module { blocks, parameters, views, .. } = &source.module;
                !(blocks.is_empty() && parameters.is_empty() && views.is_empty())
            }
        }
    }

    /// Every block under the selected rule sets; no column for an input that [has no blocks](Self::has_blocks).
    pub fn layouts(&self, shown_rules: &ShownRules) -> Vec<RuleSetLayouts> {
        let source = match &self.content {
            InputContent::Declared(_) if !self.has_blocks() => return Vec::new(),
            InputContent::Declared(source) => source,
            InputContent::LaidOut(file) => {
                let target = shipping_of_laid_out(self.language);
                return vec![RuleSetLayouts::declared(&file.blocks, target)];
            }
        };

        let shipped: Vec<&Native> = shipping(self.shipped_language(source)).collect();
        let bare = || table().iter().filter(|rules| rules.is_bare()).map(RuleChoice::Rules);
        match shown_rules {
            ShownRules::Shipping => {
                let choices = shipped.iter().map(|native| RuleChoice::Native(native).into());
                choices.map(|choice| column(source, &choice)).collect()
            }
            ShownRules::Columns(choices) => choices.iter().map(|choice| column(source, choice)).collect(),
            ShownRules::Bare => bare()
                .map(|rules| under(source, ColumnName::of_rules(rules.name()), rules, Unused::Forbidden, &shipped))
                .collect(),
            ShownRules::Relevant => bare()
                .map(|rules| under(source, ColumnName::of_rules(rules.name()), rules, Unused::Irrelevant, &shipped))
                .collect(),
            ShownRules::Named(choices) => choices
                .iter()
                .map(|choice| under(source, ColumnName::of_rules(choice.name()), *choice, Unused::Forbidden, &[]))
                .collect(),
        }
    }

    /// The language whose targets are shown. A case has none: it counts as HLSL unless DXC lacks
    /// one of its blocks.
    pub fn shipped_language(&self, source: &Declarations) -> ShaderLanguage {
        let dxc = find_native("native:dxc-dxil");
        let is_of_dxc = |dxc: &Native| source.module.blocks.iter().all(|block| dxc.rules(block).is_some());
        match self.language {
            Some(language) => language,
            None if dxc.is_none_or(is_of_dxc) => ShaderLanguage::Hlsl,
            None => ShaderLanguage::Slang,
        }
    }

    /// The declarations of textures, samplers and other parameters that are bound but have no bytes.
    pub fn resources(&self) -> Vec<String> {
        match &self.content {
            InputContent::Declared(source) => declared_resources(&source.module),
            InputContent::LaidOut(_) => Vec::new(),
        }
    }

    /// Where parameters are bound in the columns of `layouts`, for the entry point that a compiler takes by default, as far
    /// as that is known: a source that a column refuses to bind has no places there.
    pub fn usual_placements(&self, layouts: &[RuleSetLayouts], entry: Option<&str>) -> Placements {
        match &self.content {
            InputContent::Declared(source) => {
                let request = |layouts: &RuleSetLayouts| {
                    let column = layouts.choice.and_then(RuleChoice::column)?;
                    let (target, convention) = (Target::of(column.target)?, Convention::of(column.compiler?)?);
                    let is_covered = convention.targets().contains(&target);
                    is_covered.then(|| source.invocation.request(target, convention, layouts.version.clone()))
                };
                let mut requests: Vec<BindingRequest> = layouts.iter().filter_map(request).collect();
                requests.dedup();
                Placements::of(source, &requests)
            }
            InputContent::LaidOut(file) => {
                let own = self.language.and_then(|language| TextFrontEnd::of(language).own_targets().first().copied());
                let target = file.api.or(own);
                self.declared_placements(target.as_slice(), entry).unwrap_or_default()
            }
        }
    }

    /// The bindings that a file states itself, in a column for each of `targets`; none for
    /// declarations.
    pub fn declared_placements(
        &self,
        targets: &[ShaderTarget],
        entry: Option<&str>,
    ) -> Result<Placements, UnknownEntry> {
        let InputContent::LaidOut(LaidOutFile { bindings: Some(bindings), .. }) = &self.content else {
            return Ok(Placements::default());
        };
        let columns = targets.iter().map(|target| bindings.column(*target, entry)).collect::<Result<_, _>>()?;
        Ok(Placements { columns, ..Placements::default() })
    }

    /// The results of the conventions; empty for a module that declares its own bindings.
    pub fn placements(&self, requests: &[BindingRequest]) -> Placements {
        match &self.content {
            InputContent::Declared(source) => Placements::of(source, requests),
            InputContent::LaidOut(_) => Placements::default(),
        }
    }
}

/// The treatment of a block for which a column's rule set is not used.
#[derive(Clone, Copy, PartialEq)]
enum Unused {
    /// Lay it out anyway; if a compiler has no such block, that is an error.
    Forbidden,
    /// The compiler has no such block, and the user did not name the compiler.
    Absent,
    /// Leave it out.
    Irrelevant,
}

/// All blocks as the column that the user names, or that ships.
fn column(source: &Declarations, choice: &ShownColumnChoice) -> RuleSetLayouts {
    let layouts = under(source, choice.column_name(), choice.choice, Unused::Absent, &[]);
    RuleSetLayouts { version: choice.version.clone(), ..layouts }
}

/// All blocks as one column. `shipped` are the targets whose limits apply to a rule set, which has
/// none itself.
fn under(
    source: &Declarations,
    name: ColumnName,
    choice: RuleChoice,
    unused: Unused,
    shipped: &[&'static Native],
) -> RuleSetLayouts {
    let targets = match choice {
        RuleChoice::Native(native) => vec![native],
        RuleChoice::Rules(_) => shipped.to_vec(),
    };
    // The options decide the size of `half` for a rule set; some compilers fix it.
    let is_fixed = matches!(choice, RuleChoice::Native(native) if native.has_fixed_half());
    let sixteen_bit = if is_fixed { SixteenBit::On } else { source.options.sixteen_bit };
    let options = LayoutOptions { sixteen_bit, ..source.options };
    let blocks = source.module.blocks.iter().map(|block| {
        let declared = declared_block(&source.module, block);
        let made = choice.block(block);
        let laid_out = |rules: &RuleSet| lay_out(made.as_deref().unwrap_or(block), rules, options);
        match made.as_deref().and_then(|block| choice.rules(block)) {
            Some(rules) if unused == Unused::Irrelevant && !is_relevant(rules, block) => {
                LaidOutBlock { layout: laid_out(rules), presence: BlockPresence::Irrelevant, declared }
            }
            Some(rules) => LaidOutBlock { layout: laid_out(rules), presence: BlockPresence::Present, declared },
            None => {
                let unplaced = match (choice, &block.reach) {
                    (RuleChoice::Native(native), Reach::Stage(data)) => data.without_offsets(native.column.target),
                    _ => None,
                };
                let absent = || format!("{name} has no layout for {} `{}`", block.kind, block.name);
                let message = unplaced.map_or_else(absent, str::to_owned);
                let layout = BlockLayout::refused(block, &name.to_string(), message);
                // The compiler uses another block instead, or the globals are specialization constants for it.
                let is_no_data = block.mixed_globals.is_some() || (block.kind == BlockKind::Globals && made.is_none());
                let is_asked = unused == Unused::Forbidden && !block.reach.is_in_code() && !is_no_data;
                let presence = match unplaced {
                    Some(_) => BlockPresence::Unplaced,
                    None if is_asked => BlockPresence::Present,
                    None => BlockPresence::Absent,
                };
                LaidOutBlock { layout, presence, declared }
            }
        }
    });
    RuleSetLayouts { blocks: blocks.collect(), name, choice: Some(choice), version: None, read_by: None, targets }
}

/// Why a block of OpenGL has no numbers.
pub(crate) const LEFT_TO_DRIVER: &str = "the OpenGL driver lays out a block with neither std140 nor std430";

#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaidOutFile {
    pub blocks: Vec<BlockLayout>,
    /// `None` for a file whose bindings are not read.
    pub bindings: Option<DeclaredBindings>,
    pub warnings: Vec<Diagnostic>,
    /// The arrays with a length that a pipeline may change, by block and path.
    pub specialized: Vec<(String, String)>,
    /// What the code reads of members.
    pub reads: ComponentReads,
    /// Why the language does not allow the blocks without a layout.
    pub forbidden: Vec<Diagnostic>,
    /// Why blocks that have a layout need a feature of the language.
    pub restricted: Vec<Diagnostic>,
    /// The blocks of GLSL for which the text names no layout.
    pub without_layout: Vec<String>,
    /// True for a shader, or a part of one: it is one even without a block.
    pub may_lack_blocks: bool,
    /// The compiler of the language that refuses the file.
    pub refused_by: Option<CompilerRefusal>,
    /// The API whose language the file is in, if that is known.
    pub api: Option<ShaderTarget>,
    /// For a SPIR-V file, the language that it was made of.
    pub spirv: Option<ModuleSource>,
    /// What an OpenGL driver gets to lay out those blocks.
    pub for_driver: Option<DriverText>,
    /// The WGSL that a linker makes of the file.
    pub linked: Option<String>,
}

impl ShowInput {
    /// Keeps the blocks with these names.
    ///
    /// # Errors
    /// A sentence with names that are near, if one is not there.
    pub fn keep_blocks(&mut self, wanted: &[String]) -> Result<(), String> {
        let names: Vec<String> = match &self.content {
            InputContent::Declared(source) => source.module.blocks.iter().map(|block| block.name.clone()).collect(),
            InputContent::LaidOut(file) => file.blocks.iter().map(|block| block.name.clone()).collect(),
        };
        if let Some(name) = wanted.iter().find(|name| !names.contains(name)) {
            let names = names.iter().map(String::as_str);
            let listing =
                format!("the file has {}; `--type` takes a struct", names.clone().collect::<Vec<_>>().join(", "));
            return Err(format!("no block is called `{name}`{}", known_names(name, names, &listing)));
        }
        match &mut self.content {
            InputContent::Declared(source) => source.module.blocks.retain(|block| wanted.contains(&block.name)),
            InputContent::LaidOut(file) => file.blocks.retain(|block| wanted.contains(&block.name)),
        }
        Ok(())
    }
}

/// A compiler that refuses a file, in its own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompilerRefusal {
    pub compiler: String,
    pub message: String,
}

/// GLSL with its includes and the user's macros in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverText {
    /// As glslang names stages: `frag`.
    pub stage: &'static str,
    pub text: String,
}

impl LaidOutFile {
    /// The blocks of a file, with the warnings about their layouts at its `start`. Readers of such
    /// files do not report where a member is declared, so the warnings name the member.
    pub fn new(mut blocks: Vec<BlockLayout>, start: Span) -> Self {
        let mut warnings = Vec::new();
        for (view, block) in (0..).map(ViewId).zip(&mut blocks) {
            block.view = view;
            block.warn_of_overlaps();
            // The front end reports these itself, at the member.
            let needs_feature = |warning: &&LayoutWarning| warning.kind == LayoutWarningKind::NeedsFeature;
            for LayoutWarning { path, kind, message } in block.warnings.iter().filter(|it| !needs_feature(it)) {
                let message = format!("`{}`: {message}", join(&block.name, path));
                warnings.push(Diagnostic::warning((*kind).into(), start, message));
            }
        }
        Self {
            blocks,
            bindings: None,
            warnings,
            specialized: Vec::new(),
            reads: ComponentReads::default(),
            forbidden: Vec::new(),
            restricted: Vec::new(),
            without_layout: Vec::new(),
            refused_by: None,
            may_lack_blocks: false,
            api: None,
            spirv: None,
            for_driver: None,
            linked: None,
        }
    }

    /// Adds another shader of the same file. What both declare in the same way is there once; a second block of one
    /// name is called `S#2`.
    pub fn merge(&mut self, other: Self) {
        for block in other.blocks {
            let named = |name: &str| self.blocks.iter().find(|known| known.name == name);
            let is_same = |known: &BlockLayout| {
                BlockLayout { name: block.name.clone(), view: block.view, ..known.clone() } == block
            };
            let mut name = block.name.clone();
            let mut number = 1;
            while named(&name).is_some_and(|known| !is_same(known)) {
                number += 1;
                name = format!("{}#{number}", block.name);
            }
            if named(&name).is_some() {
                continue;
            }
            let specialized = other.specialized.iter().filter(|(of, _)| *of == block.name);
            self.specialized.extend(specialized.map(|(_, path)| (name.clone(), path.clone())));
            let view = self.blocks.iter().map(|known| known.view.0 + 1).max().map_or_else(ViewId::default, ViewId);
            self.blocks.push(BlockLayout { name, view, ..block });
        }
        let bindings = other.bindings;
        match (&mut self.bindings, bindings) {
            (Some(own), Some(bindings)) => own.merge(bindings),
            (own, bindings) => *own = own.take().or(bindings),
        }
        self.reads.merge(&other.reads);
        self.warnings.extend(other.warnings);
        self.forbidden.extend(other.forbidden);
        self.restricted.extend(other.restricted);
        self.without_layout.extend(other.without_layout);
        self.refused_by = self.refused_by.take().or(other.refused_by);
        self.may_lack_blocks |= other.may_lack_blocks;
        self.api = self.api.or(other.api);
    }

    /// Makes warnings of the reasons why blocks need a feature: their layouts are all that a command uses.
    pub fn warn_of_restricted(&mut self) {
        self.warnings.extend(self.restricted.drain(..).map(|error| {
            let message = format!("{}; implementations without the feature refuse the file", error.message);
            Diagnostic { severity: Severity::Warning, code: Code::CompilerLimit, message, ..error }
        }));
    }

    /// Marks the blocks for which the text names no layout: in OpenGL, the driver lays them out.
    pub fn leave_to_driver(&mut self, start: Span) {
        let is_meant =
            |block: &&mut BlockLayout| self.without_layout.contains(&block.name) && !block.is_left_to_driver();
        for block in self.blocks.iter_mut().filter(is_meant) {
            let message = LEFT_TO_DRIVER.to_owned();
            let text = format!("`{}`: {message}", block.name);
            block.warnings.push(LayoutWarning {
                path: String::new(),
                kind: LayoutWarningKind::LayoutOfDriver,
                message,
            });
            let help = "these are glslang's numbers: those of std140 for uniform blocks, of std430 for buffer blocks; `check` does \
                        not compare them; name one in the shader, or `layoutproof run` on an OpenGL device, which asks the driver";
            self.warnings.push(Diagnostic::warning(Code::UncertainLayout, start, text).with_help(help));
        }
    }

    /// The blocks of a SPIR-V module. Warnings are at `start`, except those about specialization
    /// constants: `place` returns the place of the constant with a `SpecId`.
    pub fn of_module(module: DeclaredModule, start: Span, place: impl Fn(u32) -> Span) -> Self {
        let bindings = DeclaredBindings::of_spirv(&module, start);
        let lengths = module.blocks.iter().flat_map(|block| {
            let lengths = block.specialized.iter();
            lengths.filter_map(|length| may_be_another(&block.layout.name, length, &place))
        });
        let unlisted = module.warnings.iter().map(|warning| Diagnostic::warning(Code::UncertainLayout, start, warning));
        let clashes =
            module.clashes.iter().map(|clash| Diagnostic::warning(Code::BindingOverlap, start, clash.as_str()));
        let warnings: Vec<Diagnostic> = lengths.chain(unlisted).chain(clashes).collect();

        let arrays = module
            .blocks
            .iter()
            .flat_map(|block| block.specialized.iter().map(|length| (block.layout.name.clone(), length.path.clone())));
        let specialized = arrays.collect();
        let reads = module.reads;
        let mut file = Self::new(module.blocks.into_iter().map(|block| block.layout).collect(), start);
        file.warnings.splice(0..0, warnings);
        Self { bindings: Some(bindings), specialized, reads, ..file }
    }

    /// Checks that the file has blocks, or bindings where those are wanted.
    ///
    /// # Errors
    /// A file with nothing to show, at its `start`, with the warnings about it.
    pub fn with_content(self, purpose: Purpose, start: Span) -> Result<Self, Vec<Diagnostic>> {
        let has_bindings = self.bindings.as_ref().is_some_and(|bindings| !bindings.bindings.is_empty());
        let is_shown = match purpose {
            Purpose::Display => self.may_lack_blocks,
            Purpose::Bindings | Purpose::OpenGlBindings => self.may_lack_blocks || has_bindings,
            Purpose::Layouts | Purpose::Comparison | Purpose::Reflection => false,
        };
        if self.blocks.is_empty() && !is_shown {
            let message = "this module has no buffer, so there is no layout";
            let error = Diagnostic::error(Code::NothingDeclared, start, message);
            return Err([vec![error], self.warnings].concat());
        }
        Ok(self)
    }
}

/// Warns that a pipeline may change the length of an array; `None` if none can.
fn may_be_another(block: &str, length: &SpecializedLength, place: impl Fn(u32) -> Span) -> Option<Diagnostic> {
    let first = length.constants.first()?;
    let path = join(block, &length.path);
    let named: Vec<String> = length.constants.iter().map(u32::to_string).collect();
    let plural = if named.len() == 1 { "" } else { "s" };

    let message = format!(
        "the length of `{path}` is {} by default, and depends on specialization constant{plural} {}",
        length.length,
        named.join(", ")
    );
    // `VUID-StandaloneSpirv-Function-04681`, which spirv-val 2026.4 does not check.
    let help = if length.is_computed {
        "these are the offsets that the module declares; glslang places the members after an array of a computed length \
         as if that length were 1, and Vulkan forbids such arrays in blocks"
    } else {
        "these are the offsets that the module declares; a pipeline that gives the constant another value does not \
         change them, and Vulkan forbids such arrays in blocks"
    };
    Some(Diagnostic::warning(Code::UncertainLayout, place(*first), message).with_help(help))
}
