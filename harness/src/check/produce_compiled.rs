//! The shaders of a subject that a compiler makes of the user's own declarations: one module per block.
//!
//! The declarations with a probe's entry point behind them go to the compiler; where it bound the block is read from what
//! it made. A block takes part where the compiler's own rule set for it is the one that is checked. Compilers of GLSL get
//! the declarations said again in their language.

use crate::check::compiled_code::{CompiledCode, Unusable};
use crate::check::produce::{Produced, addressed, gap, plan_of_second_element};
use crate::check::producer::Producer;
use crate::check::shader_module::{Code, Compiled, ShaderModule};
use crate::check::share::Share;
use crate::check::subject::Subject;
use crate::generate::hlsl::Dialect;
use crate::generate::spirv::BlockRules;
use crate::generate::{glsl, hlsl, spirv};
use crate::layout::rules::VectorAlignment;
use crate::layout::{BlockLayout, Component, Leaf, find};
use crate::module::BlockKind;
use crate::probe::{ProbeEntry, ProbePlan, Wiring, elements, plan_by_name};
use crate::read_spirv::features_of;
use crate::record::{Direction, Form, REFUSED_BY, Space, Stage};
use crate::reported::reported;
use crate::resource::{Access, ResourceKind};
use crate::runner::Shader;
use crate::scalar::SixteenBit;
use crate::shape::Type;
use crate::toolchain::{Compilation, Compile, CompileRequest, Follows, Language, Made, Output, SourceText, Toolchain};

impl Produced {
    /// What the compiler of `toolchain` makes of the blocks of `subject` that it lays out by the subject's rule set.
    pub fn compiled(subject: &Subject, toolchain: &'static Toolchain, compilers: &dyn Compile) -> Self {
        let mut produced = Self::empty(Producer::Compiler(toolchain));
        let Some(text) = &subject.source.text else {
            produced.gaps.push("it has no source text".to_owned());
            return produced;
        };
        let blocks = subject.source.module.blocks.iter().zip(&subject.layouts).enumerate();
        for (block, (_, layout)) in blocks.filter(|(_, (block, _))| toolchain.follows(subject.rules, block)) {
            if let Err(refusals) = &layout.result {
                produced.gaps.extend(refusals.iter().map(|refusal| gap(subject.rules, refusal)));
                continue;
            }
            let space = match toolchain.language {
                Language::Hlsl | Language::OldHlsl | Language::Slang => space_of(layout.kind, toolchain.output),
                Language::Glsl => Some(glsl::space_of(layout.kind, subject.rules)),
            };
            let Some(space) = space else {
                produced.gaps.push("compilers read no such block by name".to_owned());
                continue;
            };
            if toolchain.language == Language::Slang && layout.leaves().iter().any(takes_four_for_two) {
                produced.gaps.push("types of 16 bits always take 2 bytes in Slang".to_owned());
                continue;
            }
            let places = [(space, Stage::Compute)].into();
            let asked = Asked { subject, toolchain, compilers, text, block };
            let plan = nameable(plan_by_name(layout, &layout.leaves(), &places), toolchain.language);
            produced.gaps.extend(plan.not_probed.iter().map(|gap| format!("leaves not probed ({})", gap.reason)));
            // The GLSL that is written for a block only reads it.
            if asked.is_writable() && toolchain.language != Language::Glsl {
                produced.add_compiled(&asked, layout, &writing(plan.clone()));
            }
            if asked.is_writable() && toolchain.output == Output::Wgsl {
                produced.gaps.push("WGSL's writable buffers are not bound for reading alone".to_owned());
                continue;
            }
            produced.add_compiled(&asked, layout, &reading(plan, toolchain.language));
            if let Some(array) = elements(layout) {
                let plan = plan_of_second_element(&array, &places, &[Form::Leaf, Form::Indexed]);
                let plan = nameable(plan, toolchain.language);
                produced.add_compiled(&asked, &array, &reading(plan, toolchain.language));
            }
        }
        produced.tidy()
    }

    fn add_compiled(&mut self, asked: &Asked<'_>, layout: &BlockLayout, plan: &ProbePlan) {
        if plan.leaves.is_empty() {
            return;
        }
        if plan.entries.is_empty() {
            return self.gaps.push("such a buffer holds no array without a length".to_owned());
        }
        let (attempt, lost) = asked.best_attempt(layout, plan);
        self.gaps.extend(lost.map(|reason| format!("not in every form ({reason})")));
        match attempt {
            Attempt::Followed(module) => self.modules.push(*module),
            Attempt::NotFollowed(module, reason) => {
                self.modules.push(*module);
                self.gaps.push(reason);
            }
            Attempt::Refused(reason) => self.gaps.push(reason),
            Attempt::Broken(sentence) => self.broken.push(sentence),
        }
    }
}

/// What came of a compilation.
enum Attempt {
    /// A module.
    Followed(Box<ShaderModule>),
    /// A module whose code nobody follows, for this reason. It is not run, but its validity counts.
    NotFollowed(Box<ShaderModule>, String),
    /// Nothing, for this reason.
    Refused(String),
    /// A crash or its like.
    Broken(String),
}

impl Attempt {
    /// Why it gave no code that can be run.
    fn failure(&self) -> Option<&str> {
        match self {
            Self::Followed(_) => None,
            Self::NotFollowed(_, reason) | Self::Refused(reason) | Self::Broken(reason) => Some(reason),
        }
    }
}

/// A block of a subject on its way through a compiler.
pub(crate) struct Asked<'a> {
    pub(crate) subject: &'a Subject,
    pub(crate) toolchain: &'static Toolchain,
    pub(crate) compilers: &'a dyn Compile,
    pub(crate) text: &'a SourceText,
    pub(crate) block: usize,
}

impl Asked<'_> {
    /// Whether the block's own declaration lets shaders write it.
    fn is_writable(&self) -> bool {
        let module = &self.subject.source.module;
        let mut parameters = module.parameters.iter();
        let declared = parameters.find(|parameter| parameter.name == module.blocks[self.block].name);
        declared.is_some_and(|parameter| match &parameter.ty {
            Type::Resource(resource) => resource.kind == ResourceKind::StructuredBuffer(Access::ReadWrite),
            Type::Scalar(_)
            | Type::Vector { .. }
            | Type::Matrix { .. }
            | Type::Array { .. }
            | Type::Struct(_)
            | Type::Enum(_)
            | Type::Pointer { .. } => false,
        })
    }

    /// The attempt with the most forms that gives code that can be followed, with what it was that did not: what a
    /// compiler does to other forms must not cost the plain names. If there is none, the one with the plain names.
    fn best_attempt(&self, layout: &BlockLayout, plan: &ProbePlan) -> (Attempt, Option<String>) {
        let mut forms = plan.entries[0].forms.clone();
        let mut attempt = self.attempt(layout, plan.clone());
        let mut lost = None;
        for fewer in [&[Form::Leaf, Form::Vector, Form::Whole][..], &[Form::Leaf]] {
            let Some(reason) = attempt.failure().map(str::to_owned) else { break };
            let plan = plan.clone().only(&fewer.iter().copied().collect());
            let left = plan.entries.first().map(|entry| entry.forms.clone()).unwrap_or_default();
            if !left.is_empty() && left != forms {
                forms = left;
                attempt = self.attempt(layout, plan);
                lost = Some(reason);
            }
        }
        let lost = lost.filter(|_| attempt.failure().is_none());
        (attempt, lost)
    }

    fn attempt(&self, layout: &BlockLayout, plan: ProbePlan) -> Attempt {
        match self.compile(layout, &plan) {
            Ok(Compilation::Made(made)) => {
                self.module((layout, plan), &made).unwrap_or_else(|unusable| match unusable {
                    Unusable::Unread(reason) => {
                        Attempt::Broken(format!("{} made what cannot be read: {reason}", self.toolchain))
                    }
                    Unusable::NotFollowed(reason) => Attempt::Refused(reason),
                })
            }
            Ok(Compilation::Refused(words)) => Attempt::Refused(format!("{REFUSED_BY}{}: {words}", self.toolchain)),
            Ok(Compilation::Broken(sentence)) => Attempt::Broken(sentence),
            Err(reason) => Attempt::Refused(reason),
        }
    }

    /// What the compiler says of the declarations with a probe of this plan, or why there is no probe.
    pub(crate) fn compile(&self, layout: &BlockLayout, plan: &ProbePlan) -> Result<Compilation, String> {
        let entry = &plan.entries[0];
        let text = self.probe(layout, plan)?;
        let name = format!("{}/{}/{}", self.subject.source.id, self.option(), folder_name(layout, plan));
        let request = CompileRequest {
            name: &name,
            toolchain: self.toolchain,
            source: SourceText { text, ..self.text.clone() },
            entry: &entry.name,
            options: self.subject.source.options,
            extra: Vec::new(),
        };
        Ok(self.compilers.compile(&request))
    }

    /// The toolchain, and the rule set where the source names it: what a block is compiled with.
    fn option(&self) -> String {
        match self.toolchain.follows {
            Follows::Native(_) => self.toolchain.to_string(),
            Follows::Named(_) => format!("{}-{}", self.toolchain, self.subject.rules),
        }
    }

    fn probe(&self, layout: &BlockLayout, plan: &ProbePlan) -> Result<String, String> {
        let entry = &plan.entries[0];
        let program = (plan, &Wiring::new(layout, plan, entry));
        if let Some(dialect) = Dialect::of(self.toolchain.language) {
            return hlsl::probe((&self.text.text, dialect), layout, program).map_err(|error| error.to_string());
        }
        let block = &self.subject.source.module.blocks[self.block];
        // What shows the stride has lost its own.
        let elements = block.kind == BlockKind::StructuredElement && layout.stride.is_none();
        let (rules, options) = (self.subject.rules, self.subject.source.options);
        let declared = glsl::Declared { block, elements, rules, space: entry.space, options };
        glsl::probe(&declared, program).map_err(|error| error.to_string())
    }

    /// What the compiler reads.
    pub(crate) fn language(&self) -> Language {
        self.toolchain.language
    }

    /// The module of what the compiler made, or why there is none.
    fn module(&self, (layout, plan): (&BlockLayout, ProbePlan), made: &Made) -> Result<Attempt, Unusable> {
        let reported = reported(made, layout).map_err(Unusable::Unread)?;
        let compiled_code = CompiledCode::new(&made.shader, &plan.entries[0])?;
        let shader = compiled_code.followed();
        let CompiledCode { code, interface, binding_size, validation } = compiled_code;
        let mut requires =
            code.spirv().map(features_of).transpose().map_err(Unusable::NotFollowed)?.unwrap_or_default();
        // WGSL's own rules are the validator's business, and so are the features behind its address spaces.
        let is_vulkan = matches!(code, Code::Spirv(_));
        let rules = is_vulkan.then(|| self.block_rules(layout, &plan)).flatten();
        requires.extend(rules.and_then(BlockRules::feature));
        if is_vulkan {
            requires.extend(plan.entries.iter().flat_map(ProbeEntry::requires));
        }
        let (compiled, reason) = match addressed(layout, &plan, (&shader, interface)) {
            Ok(compiled) => (compiled, None),
            Err(error) => (Compiled::new(), Some(format!("code not followed: {error}"))),
        };
        let module = Box::new(ShaderModule {
            share: Share::All,
            block: self.block,
            layout: layout.clone(),
            planted: None,
            plan,
            code,
            interface,
            reported,
            validator_flags: rules.and_then(BlockRules::spirv_val_flag).into_iter().collect(),
            validation,
            requires,
            binding_size,
            compiled,
            glsl_compiled: None,
        });
        Ok(match reason {
            None => Attempt::Followed(module),
            Some(reason) => Attempt::NotFollowed(module, reason),
        })
    }

    /// The rules of Vulkan that the compiler's own block needs: those that its layout option is for, and at least those
    /// that the offsets obey. Leaves that are not probed stand in it, too, and a structured buffer is an array.
    fn block_rules(&self, layout: &BlockLayout, plan: &ProbePlan) -> Option<BlockRules> {
        let array = elements(layout);
        let whole = array.as_ref().unwrap_or(layout);
        let obeyed = spirv::block_rules(whole, &ProbePlan { leaves: whole.leaves(), ..plan.clone() });
        let of_option = find(self.subject.rules).filter(|rules| rules.vectors == VectorAlignment::Component);
        obeyed.max(of_option.map(|_| BlockRules::Scalar))
    }
}

/// The bytes that what a compiler made of a probe addresses.
///
/// # Errors
/// What cannot be read, and code that cannot be followed.
pub(crate) fn addressed_by(shader: &Shader, layout: &BlockLayout, plan: &ProbePlan) -> Result<Compiled, String> {
    let made = CompiledCode::new(shader, &plan.entries[0]).map_err(|unusable| match unusable {
        Unusable::Unread(reason) | Unusable::NotFollowed(reason) => reason,
    })?;
    let code = (&made.followed(), made.interface);
    addressed(layout, plan, code).map_err(|error| format!("code not followed: {error}"))
}

/// A name for the block's module that any file system takes.
fn folder_name(layout: &BlockLayout, plan: &ProbePlan) -> String {
    let second = plan.leaves.iter().any(|leaf| leaf.path.starts_with("[1]"));
    let written = plan.entries.iter().any(|entry| entry.direction == Direction::Write);
    let part = if second { "[1]" } else { "" };
    let written = if written { "_written" } else { "" };
    format!("{}{part}{written}", layout.name).replace([':', '/', '#'], "_")
}

/// Whether the leaf has a type of 16 bits, and 4 bytes.
fn takes_four_for_two(leaf: &Leaf) -> bool {
    let Component { scalar, size } = leaf.component;
    size != scalar.size(SixteenBit::On, size)
}

/// The leaves that a statement of the language can name.
fn nameable(plan: ProbePlan, language: Language) -> ProbePlan {
    match Dialect::of(language) {
        Some(dialect) => plan.without(|leaf| hlsl::obstacle(leaf, dialect)),
        None => plan,
    }
}

/// The forms that have statements in the language.
fn forms(language: Language) -> &'static [Form] {
    match language {
        Language::Hlsl | Language::Slang => &[Form::Leaf, Form::Vector, Form::Whole, Form::Indexed],
        // Without generics no function takes a value of any type.
        Language::OldHlsl => &[Form::Leaf, Form::Vector, Form::Indexed],
        Language::Glsl => &[Form::Leaf],
    }
}

/// The one entry point that reads every leaf by name.
pub(crate) fn readable(plan: ProbePlan, language: Language) -> ProbePlan {
    one_entry(nameable(plan, language).only(&[Form::Leaf].into()), Direction::Read)
}

/// The one entry point that reads, in the forms that the language has.
fn reading(plan: ProbePlan, language: Language) -> ProbePlan {
    one_entry(plan.only(&forms(language).iter().copied().collect()), Direction::Read)
}

/// The one entry point that writes every leaf by name.
fn writing(plan: ProbePlan) -> ProbePlan {
    one_entry(plan.only(&[Form::Leaf].into()), Direction::Write)
}

/// A compilation is for one entry point.
fn one_entry(mut plan: ProbePlan, direction: Direction) -> ProbePlan {
    plan.entries.retain(|entry| entry.direction == direction);
    plan.entries.truncate(1);
    plan
}

/// Where the compiler puts a block of this kind; `None` for kinds that the language cannot name.
pub(crate) fn space_of(kind: BlockKind, output: Output) -> Option<Space> {
    match (kind, output) {
        (
            BlockKind::Cbuffer
            | BlockKind::ConstantBuffer
            | BlockKind::Globals
            | BlockKind::ParameterBlock
            | BlockKind::UniformBlock,
            Output::Dxil | Output::Spirv | Output::SpirvOfDxbc | Output::Wgsl,
        )
        | (BlockKind::PushConstant, Output::Dxil | Output::Wgsl)
        | (BlockKind::Tbuffer | BlockKind::TextureBuffer, Output::Wgsl) => Some(Space::Uniform),
        (BlockKind::Tbuffer | BlockKind::TextureBuffer, Output::Dxil | Output::Spirv)
        | (
            BlockKind::StructuredElement | BlockKind::StorageBlock,
            Output::Dxil | Output::Spirv | Output::SpirvOfDxbc | Output::Wgsl,
        ) => Some(Space::Storage),
        (BlockKind::PushConstant, Output::Spirv) => Some(Space::PushConstant),
        (
            BlockKind::EntryUniforms | BlockKind::Pointee,
            Output::Dxil | Output::Spirv | Output::SpirvOfDxbc | Output::Wgsl,
        )
        // vkd3d-compiler makes texel buffers of them.
        | (BlockKind::Tbuffer | BlockKind::TextureBuffer | BlockKind::PushConstant, Output::SpirvOfDxbc) => None,
    }
}
