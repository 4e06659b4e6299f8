//! Runs a compiler on one source: once as a program, or once per entry point of a user's file, and
//! once per block with probes that read every leaf.

use std::collections::BTreeMap;
use std::sync::Arc;

use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::{Argument, Block, BlockKind, BlockLayout, ElementChoice, RuleSet, lay_out};
use sha2::{Digest, Sha256};

use super::answer::{CaseAnswers, Fact, FrozenAnswer, FrozenQuestion, line};
use super::facts::{add, add_code, facts_of};
use crate::check::compiled::compile_probe::{CompileJob, addressed_by};
use crate::check::compiled::produce_compiled::{ends_compiler, readable, space_of};
use crate::check::produce::subject_shaders::plan_of_second_element;
use crate::check::{Source, Subject};
use layoutproof_bindings::SourceText;
use layoutproof_device::ShaderForm;
use layoutproof_frontend::module::EntryPoint;
use layoutproof_generators::hlsl_program::{ENTRY, idle_program, is_stream, program};
use layoutproof_probes::{Form, ProbePlan, Stage, elements, plan_in};
use layoutproof_readers::toolchain::{
    CodeTarget, CompileOutcome, CompileRequest, CompiledShader, Compilers, Input, SourceProfile, Toolchain,
};
use layoutproof_source::shader_language::ShaderLanguage;

/// Hexadecimal digits of a case's digest: enough that two versions of a case do not share it by
/// chance.
const DIGEST_DIGITS: usize = 16;

/// Digest of everything about a source that a compiler sees.
pub fn case_digest(source: &Source) -> String {
    let Source { text, included, options, invocation, .. } = source;
    let mut seen = Sha256::new();
    // Each part ends with a byte that texts cannot contain, so that moving text between parts
    // changes the digest.
    let mut part = |part: &str| seen.update([part.as_bytes(), &[0xFF]].concat());
    if let Some(text) = text {
        part(&text.text);
        text.defines.iter().for_each(|(name, value)| part(&format!("{name}={value}")));
    }
    if let Some(included) = included {
        part(included);
    }
    part(options.matrix.as_str());
    part(match options.sixteen_bit {
        SixteenBit::On => "16",
        SixteenBit::Off => "32",
    });
    part(invocation.profile.as_deref().unwrap_or_default());
    part(invocation.entry.as_deref().unwrap_or_default());
    invocation.options.iter().for_each(|option| part(option));
    let mut digest = format!("{:x}", seen.finalize());
    digest.truncate(DIGEST_DIGITS);
    digest
}

/// Runs the compiler of `toolchain` on `source`.
pub fn decide(source: &Arc<Source>, toolchain: &'static Toolchain, compilers: &dyn Compilers) -> CaseAnswers {
    let mut answers = BTreeMap::new();
    if let Some(text) = &source.text {
        let asking = DecisionRequest { source, toolchain, compilers, text };
        let entries = &source.module.entry_points;
        if source.is_case || entries.is_empty() {
            if !asking.ends_compiler() {
                answers.insert(FrozenQuestion::Program, asking.about_program());
            }
        } else {
            for entry in entries {
                answers.insert(FrozenQuestion::Entry(entry.name.clone()), asking.about_entry(entry));
            }
        }
        asking.about_blocks(&mut answers);
    }
    CaseAnswers { digest: case_digest(source), answers }
}

/// One source, and the toolchain to run on it.
struct DecisionRequest<'a> {
    source: &'a Arc<Source>,
    toolchain: &'static Toolchain,
    compilers: &'a dyn Compilers,
    text: &'a SourceText,
}

impl DecisionRequest<'_> {
    /// True if the compiler ends without an answer: at one of the blocks, or, DXC 1.7.2308 with SPIR-V, at a function that
    /// a library exports.
    fn ends_compiler(&self) -> bool {
        let exports = self.source.module.functions.iter().any(|function| function.exported);
        let is_spirv = self.toolchain.input == Input::Hlsl && self.toolchain.output == ShaderForm::Spirv;
        (is_spirv && exports) || self.layouts().iter().any(|layout| ends_compiler(self.toolchain, layout).is_some())
    }

    fn about_program(&self) -> FrozenAnswer {
        let own = self.source.invocation.entry.as_deref().unwrap_or(ENTRY);
        let module = &self.source.module;
        // If our parser found no functions, search the text for the entry point.
        let has_entry = module.functions.iter().any(|function| function.name == own)
            || (module.functions.is_empty() && self.text.text.contains(&format!("{own}(")));
        let text = match self.toolchain.input {
            _ if has_entry => self.text.text.clone(),
            // Clang turns all resources into handles anyway, and does not support what the other
            // program reads.
            Input::Slang | Input::ClangHlsl => idle_program(&self.text.text),
            Input::Hlsl | Input::OldHlsl | Input::Glsl | Input::Wgsl | Input::Spirv => {
                program(&self.text.text, module, &self.layouts(), &self.source.reserved)
            }
        };
        let entry = module.entry_points.iter().find(|entry| entry.name == own);
        let arguments = self.arguments(entry.and_then(stage_of));
        self.compile("program", text, if has_entry { own } else { ENTRY }, arguments)
    }

    /// The file as its author wrote it, with one of its entry points.
    fn about_entry(&self, entry: &EntryPoint) -> FrozenAnswer {
        let stage = stage_of(entry).or_else(|| entry.implied_stage());
        self.compile(&format!("entry_{}", entry.name), self.text.text.clone(), &entry.name, self.arguments(stage))
    }

    fn compile(&self, question: &str, text: String, entry: &str, extra: Vec<String>) -> FrozenAnswer {
        let request = CompileRequest {
            toolchain: self.toolchain,
            name: &format!("{}/{}/{question}", self.source.id, self.toolchain),
            source: SourceText { text, ..self.text.clone() },
            words: &[],
            entry,
            stage: Stage::Compute,
            has_workgroup_blocks: false,
            options: self.source.options,
            target: CodeTarget::Newest,
            profile: SourceProfile::Newest,
            extra,
        };
        match self.compilers.compile(&request).outcome {
            CompileOutcome::Compiled(made) => {
                FrozenAnswer::Accepted(facts_of(&made, &self.source.reserved, self.compilers.reader()))
            }
            CompileOutcome::Rejected(words) => FrozenAnswer::Refused(line(&words)),
            CompileOutcome::Failed(sentence) => FrozenAnswer::Broken(line(&sentence)),
        }
    }

    /// Every block that the compiler has. Our rules lay it out here, but only to list its leaves.
    fn layouts(&self) -> Vec<BlockLayout> {
        let rules = |block: &Block| self.rules_of(block);
        let blocks = self.source.module.blocks.iter().filter_map(|block| Some((block, rules(block)?)));
        let layouts = blocks.map(|(block, rules)| lay_out(block, rules, self.source.options));
        layouts.filter(|layout| layout.result.is_ok()).collect()
    }

    /// The rule set of a block; `None` for memory without a declaration, about which sets have no answers.
    fn rules_of(&self, block: &Block) -> Option<&'static RuleSet> {
        if block.reach.is_in_code() { None } else { self.toolchain.rules_for(block).into_iter().next() }
    }

    /// The arguments that the source itself requests: stage, profile, options.
    fn arguments(&self, stage: Option<&str>) -> Vec<String> {
        let profile = self.source.invocation.profile.as_deref();
        let mut arguments: Vec<String> = match self.toolchain.language() {
            Some(ShaderLanguage::Hlsl) => {
                dxc_profile(stage, profile).into_iter().flat_map(|it| ["-T".to_owned(), it]).collect()
            }
            Some(ShaderLanguage::Slang) => {
                // The driver passes a SPIR-V profile itself, and slangc rejects two.
                let profile = profile.filter(|_| self.toolchain.output != ShaderForm::Spirv);
                let named = [("-stage", stage), ("-profile", profile)];
                let given =
                    named.into_iter().filter_map(|(option, value)| Some([option.to_owned(), value?.to_owned()]));
                given.flatten().collect()
            }
            _ => Vec::new(),
        };

        let options = self.source.invocation.options.iter().flat_map(|option| option.split_whitespace());
        arguments.extend(options.map(str::to_owned));
        arguments
    }

    fn about_blocks(&self, answers: &mut BTreeMap<FrozenQuestion, FrozenAnswer>) {
        let mut under: Vec<(&'static RuleSet, Subject)> = Vec::new();
        for block in &self.source.module.blocks {
            let Some(rules) = self.rules_of(block) else { continue };
            if !under.iter().any(|(known, _)| *known == rules) {
                under.push((rules, Subject::new(Arc::clone(self.source), rules)));
            }
            for (_, subject) in under.iter().filter(|(known, _)| *known == rules) {
                self.about_block(subject, block, answers);
            }
        }
    }

    fn about_block(&self, subject: &Subject, declared: &Block, answers: &mut BTreeMap<FrozenQuestion, FrozenAnswer>) {
        let layout = subject.layout(declared.view);
        let Some(space) = space_of(declared, self.toolchain.output) else { return };
        // Sets of builds that are not here have no answers about shader records.
        if declared.kind == BlockKind::ShaderRecord && self.toolchain.output == ShaderForm::Spirv {
            return;
        }
        if ends_compiler(self.toolchain, layout).is_some() {
            return;
        }
        if layout.result.is_err() || is_stream(&self.source.module, &layout.name) {
            return;
        }

        let places = [(space, space.usual_stage())].into();
        let (toolchain, compilers, text) = (self.toolchain, self.compilers, self.text);
        let asked = CompileJob { subject, toolchain, compilers, text, block: layout, target: CodeTarget::Newest };

        let first = plan_in(layout, &layout.leaves_in(ElementChoice::Sample), &places);
        let question = FrozenQuestion::Block(layout.name.clone());
        answers.extend(ask(&asked, layout, first).map(|answer| (question, answer)));

        if let Some(array) = elements(layout) {
            let second = plan_of_second_element(&array, &array.leaves_in(ElementChoice::Sample), &places)
                .only(&[Form::Leaf].into());
            let question = FrozenQuestion::Block(format!("{}[1]", layout.name));
            answers.extend(ask(&asked, &array, second).map(|answer| (question, answer)));
        }
    }
}

/// Compiles a probe and reads the answer; `None` if there is nothing to probe.
fn ask(asked: &CompileJob<'_>, layout: &BlockLayout, plan: ProbePlan) -> Option<FrozenAnswer> {
    let plan = asked.named(readable(plan, asked));
    if plan.entries.is_empty() || plan.leaves.is_empty() {
        return None;
    }
    Some(match asked.compile(layout, &plan, "").ok()? {
        CompileOutcome::Compiled(made) => read_probe(asked, layout, &plan, &made),
        CompileOutcome::Rejected(words) => FrozenAnswer::Refused(line(&words)),
        CompileOutcome::Failed(sentence) => FrozenAnswer::Broken(line(&sentence)),
    })
}

fn read_probe(
    asked: &CompileJob<'_>,
    layout: &BlockLayout,
    plan: &ProbePlan,
    compiled_shader: &CompiledShader,
) -> FrozenAnswer {
    let (toolchain, reader, reserved) = (asked.toolchain, asked.compilers.reader(), &asked.subject.source.reserved);
    let mut facts = facts_of(compiled_shader, reserved, reader);
    match addressed_by(&compiled_shader.shader, toolchain, reserved, layout, plan, reader) {
        Ok(compiled) => add_code(&layout.name, plan, &compiled, &mut facts),
        Err(error) => add(&mut facts, &layout.name, Fact::Unread, &error.to_string()),
    }
    FrozenAnswer::Accepted(facts)
}

/// `pixel` of `[shader("pixel")]`.
fn stage_of(entry: &EntryPoint) -> Option<&str> {
    match entry.annotations.attribute(None, "shader")?.arguments.first()? {
        Argument::Text(stage) => Some(stage),
        Argument::Integer(_) | Argument::Other(_) => None,
    }
}

/// DXC's profile for a stage, with the version of `profile`, which may contain a stage itself;
/// `None` for the default.
fn dxc_profile(stage: Option<&str>, profile: Option<&str>) -> Option<String> {
    let prefix = match stage {
        None | Some("compute") => "cs",
        Some("vertex") => "vs",
        Some("pixel" | "fragment") => "ps",
        Some("geometry") => "gs",
        Some("hull") => "hs",
        Some("domain") => "ds",
        Some("mesh") => "ms",
        Some("amplification") => "as",
        Some(_) => "lib",
    };

    match profile {
        Some(profile) => {
            Some(profile.strip_prefix("sm").map_or(profile.to_owned(), |version| format!("{prefix}{version}")))
        }
        None => (prefix != "cs").then(|| format!("{prefix}_6_6")),
    }
}
