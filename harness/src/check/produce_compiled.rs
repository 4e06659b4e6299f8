//! The shaders of a subject that a compiler makes of the user's own declarations: one module per block.
//!
//! The declarations with a probe's entry point behind them go to the compiler; where it bound the block is read from what
//! it made. A block takes part where the compiler's own rule set for it is the one that is checked.

use crate::check::produce::{Produced, addressed, gap, plan_of_second_element};
use crate::check::producer::Producer;
use crate::check::shader_module::{Code, Compiled, ShaderModule};
use crate::check::share::Share;
use crate::check::subject::Subject;
use crate::dxil::bindings::resource_bindings;
use crate::generate::{hlsl, spirv};
use crate::layout::BlockLayout;
use crate::module::BlockKind;
use crate::probe::{Interface, ProbePlan, Socket, Wiring, elements, plan_in};
use crate::read_spirv::{bound_variables, features_of, without_source};
use crate::record::{Direction, Form, Space, Stage};
use crate::reported::reported;
use crate::runner::Shader;
use crate::toolchain::{Compilation, Compile, CompileRequest, Made, Output, SourceText, Toolchain};
use crate::verdict::Validation;

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
            let Some(space) = space_of(layout.kind, toolchain.output) else {
                produced.gaps.push("compilers read no such block by name".to_owned());
                continue;
            };
            let places = [(space, Stage::Compute)].into();
            let asked = Asked { subject, toolchain, compilers, text, block };
            produced.add_compiled(&asked, layout, plan_in(layout, &layout.leaves(), &places));
            if let Some(array) = elements(layout) {
                produced.add_compiled(&asked, &array, plan_of_second_element(&array, &places));
            }
        }
        produced.tidy()
    }

    fn add_compiled(&mut self, asked: &Asked<'_>, layout: &BlockLayout, plan: ProbePlan) {
        let plan = readable(plan);
        self.gaps.extend(plan.not_probed.iter().map(|gap| format!("leaves not probed ({})", gap.reason)));
        if plan.entries.is_empty() || plan.leaves.is_empty() {
            return;
        }
        match asked.compile(layout, &plan) {
            Ok(Compilation::Made(made)) => match asked.module(layout, plan, made) {
                Ok(module) => self.modules.push(module),
                Err(reason) => self.gaps.push(reason),
            },
            Ok(Compilation::Refused(words)) => self.gaps.push(format!("{} refuses it: {words}", asked.toolchain)),
            Ok(Compilation::Broken(sentence)) => self.broken.push(sentence),
            Err(reason) => self.gaps.push(reason),
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
    /// What the compiler says of the declarations with a probe of this plan, or why there is no probe.
    pub(crate) fn compile(&self, layout: &BlockLayout, plan: &ProbePlan) -> Result<Compilation, String> {
        let entry = &plan.entries[0];
        let wiring = Wiring::new(layout, plan, entry);
        let text = hlsl::probe(&self.text.text, layout, (plan, &wiring)).map_err(|error| error.to_string())?;
        let name = format!("{}/{}/{}", self.subject.source.id, self.toolchain, folder_name(layout, plan));
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

    /// The module of what the compiler made, or why it cannot be used.
    pub(crate) fn module(&self, layout: &BlockLayout, plan: ProbePlan, made: Made) -> Result<ShaderModule, String> {
        let reported = reported(&made, layout)?;
        let (code, interface) = match made.shader {
            Shader::Spirv(words) => {
                let words = without_source(&words);
                let interface = spirv_interface(&words, plan.entries[0].space)?;
                (Code::Spirv(words), interface)
            }
            Shader::Dxil(listing) => {
                let interface = dxil_interface(&listing)?;
                (Code::Dxil(listing), interface)
            }
            Shader::Wgsl(_) | Shader::Dxbc(_) | Shader::Msl(_) => return Err("no device takes such code".to_owned()),
        };
        let rules = spirv::block_rules(layout, &plan);
        let mut requires = code.spirv().map(features_of).transpose()?.unwrap_or_default();
        if code.spirv().is_some() {
            requires.extend(rules.and_then(spirv::BlockRules::feature));
            requires.extend(plan.entries.iter().flat_map(|entry| entry.requires()));
        }
        let shader = match &code {
            Code::Spirv(words) | Code::Naga { spirv: words, .. } => Shader::Spirv(words.clone()),
            Code::Dxil(listing) => Shader::Dxil(listing.clone()),
        };
        let compiled: Compiled =
            addressed(layout, &plan, (&shader, interface)).map_err(|error| format!("code not followed: {error}"))?;
        Ok(ShaderModule {
            share: Share::All,
            block: self.block,
            layout: layout.clone(),
            plan,
            code,
            interface,
            reported,
            validator_flags: rules.and_then(spirv::BlockRules::spirv_val_flag).into_iter().collect(),
            validation: Validation::NotRun("no spirv-val".to_owned()),
            requires,
            binding_size: 0,
            compiled,
            glsl_compiled: None,
        })
    }
}

/// A name for the block's module that any file system takes.
fn folder_name(layout: &BlockLayout, plan: &ProbePlan) -> String {
    let part = if plan.leaves.iter().any(|leaf| leaf.path.starts_with("[1]")) { "[1]" } else { "" };
    format!("{}{part}", layout.name).replace([':', '/', '#'], "_")
}

/// The leaves that a statement of the language can read, each by itself.
pub(crate) fn readable(plan: ProbePlan) -> ProbePlan {
    let mut plan = plan.without(hlsl::obstacle).only(&[Form::Leaf].into());
    plan.entries.retain(|entry| entry.direction == Direction::Read);
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
            Output::Dxil | Output::Spirv,
        )
        | (BlockKind::PushConstant, Output::Dxil) => Some(Space::Uniform),
        (
            BlockKind::Tbuffer | BlockKind::TextureBuffer | BlockKind::StructuredElement | BlockKind::StorageBlock,
            Output::Dxil | Output::Spirv,
        ) => Some(Space::Storage),
        (BlockKind::PushConstant, Output::Spirv) => Some(Space::PushConstant),
        (BlockKind::EntryUniforms | BlockKind::Pointee, Output::Dxil | Output::Spirv) => None,
    }
}

/// The sockets of a module of SPIR-V: beside the probe's own buffers only the block is left.
fn spirv_interface(words: &[u32], space: Space) -> Result<Interface, String> {
    let ours = Interface { output: (0, hlsl::BINDING), input: (0, hlsl::BINDING + 1), ..Interface::default() };
    if space == Space::PushConstant {
        return Ok(ours);
    }
    let bound = bound_variables(words).map_err(|error| error.to_string())?;
    let sockets = bound.iter().map(|variable| (variable.set, variable.binding));
    let others: Vec<Socket> = sockets.filter(|socket| *socket != ours.output && *socket != ours.input).collect();
    Ok(Interface { block: only(&others)?, ..ours })
}

/// The same of DXIL's listing, by the table of resource bindings.
fn dxil_interface(listing: &str) -> Result<Interface, String> {
    let rows = resource_bindings(listing)?;
    let sockets = rows.iter().map(|row| (row.space, row.index));
    let others: Vec<Socket> = sockets.filter(|(space, _)| *space != hlsl::SPACE).collect();
    Ok(Interface {
        block: only(&others)?,
        output: (hlsl::SPACE, 0),
        input: (hlsl::SPACE, 1),
        copy: Interface::default().copy,
    })
}

fn only(sockets: &[Socket]) -> Result<Socket, String> {
    match sockets {
        [socket] => Ok(*socket),
        others => Err(format!("the compiler binds {} buffers beside the probe's own, not one", others.len())),
    }
}
