//! Checks some declarations through every toolchain that accepts them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use layoutproof_bindings::SourceText;
use layoutproof_compilers::drivers::full_type_space;
use layoutproof_core::check::{DeviceCheck, Settings, Source, Subject};
use layoutproof_core::results::known::{self, shapes_of_block};
use layoutproof_device::{DeviceInfo, ShaderForm};
use layoutproof_events::CheckRecord;
use layoutproof_events::producer::Producer;
use layoutproof_executor::answer::Answer;
use layoutproof_executor::batching::Batching;
use layoutproof_executor::compiler_devices::CompilerDevices;
use layoutproof_executor::plan::{self, PlannedCheck, ShaderProduction};
use layoutproof_executor::produce;
use layoutproof_inputs::all_cases::all_forms;
use layoutproof_layout::{RuleSet, find};
use layoutproof_random::declaration::{RandomDeclaration, TypeSpace};
use layoutproof_readers::toolchain::{Compilers, Input, Toolchain};

use crate::Fuzz;
use crate::draws::turn;

/// Declarations with their sources, by number.
pub(crate) struct Round<'a> {
    fuzz: &'a Fuzz,
    sources: BTreeMap<u64, (RandomDeclaration, Arc<Source>)>,
    /// The numbers of the declarations, by the id of their sources.
    numbers: BTreeMap<String, u64>,
    /// True if the planted fault is active.
    is_faulty: bool,
}

impl<'a> Round<'a> {
    /// Parses the declarations. One that our own parser refuses would be skipped, but no draw
    /// produces one.
    pub(crate) fn new(fuzz: &'a Fuzz, drawn: &[(u64, RandomDeclaration)]) -> Self {
        let read = drawn.iter().filter_map(|(number, declaration)| {
            Some((*number, (declaration.clone(), Arc::new(source(*number, declaration)?))))
        });
        let sources: BTreeMap<_, _> = read.collect();
        let numbers = sources.iter().map(|(number, (_, source))| (source.id.clone(), *number)).collect();
        Self { fuzz, numbers, sources, is_faulty: true }
    }

    /// The same declarations under the compilers' own rule sets, without a planted fault.
    pub(crate) fn without_fault(self) -> Self {
        Self { is_faulty: false, ..self }
    }

    /// The number of the declaration with this id.
    fn number_of(&self, id: &str) -> u64 {
        *self.numbers.get(id).expect("the round checks its own declarations alone")
    }

    /// The records of all toolchains and devices, in an order that does not depend on threads.
    pub(crate) fn records(&self, batching: &mut Batching) -> Vec<(u64, CheckRecord)> {
        let checks = self.checks(&self.fuzz.toolchains, &self.fuzz.devices, &self.fuzz.compilers);
        self.carry_out(&checks, batching)
    }

    /// The records of one toolchain on one device. `compilers` may keep their output.
    pub(crate) fn records_of(
        &self,
        toolchain: &'static Toolchain,
        device: &str,
        compilers: &dyn Compilers,
    ) -> Vec<(u64, CheckRecord)> {
        let devices: Vec<DeviceInfo> = self.fuzz.devices.iter().filter(|other| other.id == device).cloned().collect();
        let checks = self.checks(&[toolchain], &devices, compilers);
        self.carry_out(&checks, &mut Batching::default())
    }

    /// The checks of all declarations, compiled in one batch, by the toolchains that accept them.
    fn checks(
        &self,
        toolchains: &[&'static Toolchain],
        devices: &[DeviceInfo],
        compilers: &dyn Compilers,
    ) -> Vec<DeviceCheck> {
        let spaces: Vec<(&'static Toolchain, TypeSpace)> =
            toolchains.iter().map(|toolchain| (*toolchain, full_type_space(toolchain))).collect();
        let mut taken: BTreeSet<(u64, &'static Toolchain, &str)> = BTreeSet::new();
        let mut subjects: Vec<Arc<Subject>> = Vec::new();
        for (number, (declaration, source)) in &self.sources {
            let takers = spaces.iter().filter(|(_, space)| declaration.fits(space)).map(|(toolchain, _)| *toolchain);
            let options = takers.flat_map(|toolchain| layout_options(toolchain, source)).collect();
            let options = self.taking_turns(*number, options);
            subjects.extend(self.subjects(source, &options));
            taken.extend(options.iter().map(|option| (*number, option.toolchain, option.rules.name)));
        }

        let producers: Vec<Producer> = toolchains.iter().map(|toolchain| Producer::Compiler(toolchain)).collect();
        let settings = Settings { compiled: self.fuzz.accesses, ..all_forms() };
        let making = ShaderProduction {
            producers: &producers,
            settings: &settings,
            compilers,
            compiler_devices: CompilerDevices::Every,
            launch: &self.fuzz.launch,
        };
        let mut planned = plan::bytes(subjects.iter(), devices, making);
        planned.retain(|check| {
            let PlannedCheck::Bytes { subject, producer: Producer::Compiler(toolchain), device } = check else {
                return false;
            };
            let number = self.number_of(&subject.source.id);
            taken.contains(&(number, *toolchain, subject.rules)) && self.is_turn_of(device, number)
        });
        let mut checks = produce::shaders(&planned, making);
        // Run the outputs for one declaration together, because some of them are identical.
        checks.sort_by_key(|check| (check.device().id.clone(), self.number_of(check.case())));
        checks
    }

    /// The options that take part in a declaration: all, or one in turn per compiler and form of
    /// output.
    fn taking_turns(&self, number: u64, options: Vec<LayoutOption>) -> Vec<LayoutOption> {
        if self.fuzz.every_option {
            return options;
        }
        let mut alternatives: BTreeMap<_, Vec<LayoutOption>> = BTreeMap::new();
        for option in options {
            let Toolchain { compiler, output, input, .. } = *option.toolchain;
            // In WGSL the rule set follows from the address space, so it is not an option.
            let space = (input == Input::Wgsl).then_some(option.rules.name);
            alternatives.entry((compiler, output, space)).or_default().push(option);
        }
        // Spaces and devices take turns too; a slower turn lets each device see each option.
        let round = number / (self.fuzz.spaces().len() * self.spirv_devices().len().max(1)) as u64;
        alternatives.into_values().map(|options| options[turn(round, options.len())]).collect()
    }

    /// The devices that take turns: those that run SPIR-V.
    fn spirv_devices(&self) -> Vec<&DeviceInfo> {
        self.fuzz.devices.iter().filter(|device| device.runner.accepts(ShaderForm::Spirv)).collect()
    }

    /// A declaration under each rule set of these options.
    fn subjects(&self, source: &Arc<Source>, options: &[LayoutOption]) -> Vec<Arc<Subject>> {
        let mut all: Vec<&RuleSet> = Vec::new();
        for option in options {
            if !all.iter().any(|other| other.name == option.rules.name) {
                all.push(option.rules);
            }
        }

        let checked = |rules| if self.is_faulty { self.fuzz.rules(rules) } else { rules };
        all.into_iter().map(|rules| Arc::new(Subject::new(Arc::clone(source), checked(rules)))).collect()
    }

    /// True if a device takes part in a declaration: every device, or one in turn of those that run
    /// SPIR-V.
    fn is_turn_of(&self, device: &DeviceInfo, number: u64) -> bool {
        if self.fuzz.every_device || !device.runner.accepts(ShaderForm::Spirv) {
            return true;
        }
        let devices = self.spirv_devices();
        // Spaces take turns too; a slower turn keeps a device from seeing always the same space.
        devices[turn(number / self.fuzz.spaces().len() as u64, devices.len())] == device
    }

    fn carry_out(&self, checks: &[DeviceCheck], batching: &mut Batching) -> Vec<(u64, CheckRecord)> {
        let records = batching.records(checks, &self.fuzz.launch);
        let mut records: Vec<CheckRecord> = records.into_iter().map(|(_, record)| record).collect();
        known::apply(&self.fuzz.known, &mut records, &self.fuzz.devices);
        let numbered = records.into_iter().map(|record| (self.number_of(&record.id.case), record));
        let mut numbered: Vec<_> = numbered.collect();
        for (number, record) in &mut numbered {
            let (_, source) = &self.sources[number];
            let shapes: Vec<_> =
                source.module.blocks.iter().flat_map(|block| shapes_of_block(block, source.options)).collect();
            known::shape::explain(&self.fuzz.known, record, &self.fuzz.devices, &shapes);
            known::shape::resemble(&self.fuzz.known, record, &shapes);
        }
        numbered
    }
}

/// A toolchain and one of the rule sets that it can follow. If it can follow several, the source
/// selects one.
#[derive(Clone, Copy)]
struct LayoutOption {
    toolchain: &'static Toolchain,
    rules: &'static RuleSet,
}

/// The rule sets of the modules that translators get.
const RULES_TO_TRANSLATE: [&str; 3] = ["std140", "std430", "scalar"];

/// The options of a toolchain for the blocks of a source.
fn layout_options(toolchain: &'static Toolchain, source: &Source) -> Vec<LayoutOption> {
    let of_blocks = source.module.blocks.iter().flat_map(|block| toolchain.rules_for(block));
    let translated = RULES_TO_TRANSLATE.iter().filter_map(|name| find(name)).filter(|_| toolchain.reads_modules());
    of_blocks.chain(translated).map(|rules| LayoutOption { toolchain, rules }).collect()
}

fn source(number: u64, declaration: &RandomDeclaration) -> Option<Source> {
    let id = format!("fuzz/{number}");
    Some(Source {
        module: declaration.module().ok()?,
        options: declaration.options,
        text: Some(SourceText { text: declaration.text(), ..SourceText::default() }),
        ..Source::of_module(&id)
    })
}
