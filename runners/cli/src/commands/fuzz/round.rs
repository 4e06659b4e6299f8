//! Checks some declarations through every toolchain that takes them.

use std::collections::BTreeMap;
use std::sync::Arc;

use layoutproof_compilers::drivers::full_type_space;
use layoutproof_core::check::{Check, Producer, Source, Subject};
use layoutproof_core::inspect::toolchain::{Compilers, SourceText, Toolchain};
use layoutproof_core::random::declaration::RandomDeclaration;
use layoutproof_core::results::known;
use layoutproof_core::results::record::CheckRecord;
use layoutproof_device::{DeviceInfo, RunnerKind};
use layoutproof_executor::compiler_devices::CompilerDevices;
use layoutproof_executor::execute::{self, ShaderProduction};
use layoutproof_executor::rotation::Rotation;
use layoutproof_layout::BlockLayout;

use super::Fuzz;
use super::draws::turn;
use crate::select::all_cases::all_forms;

/// Declarations with their sources, by number.
pub(super) struct Round<'a> {
    fuzz: &'a Fuzz,
    sources: BTreeMap<u64, (RandomDeclaration, Arc<Source>)>,
    layouts: BTreeMap<u64, BlockLayout>,
    /// True if the planted fault is in the rules.
    is_faulty: bool,
}

impl<'a> Round<'a> {
    /// Reads the declarations; one that our own reader refuses takes no part, and no draw makes one.
    pub(super) fn new(fuzz: &'a Fuzz, drawn: &[(u64, RandomDeclaration)]) -> Self {
        let read = drawn.iter().filter_map(|(number, declaration)| {
            Some((*number, (declaration.clone(), Arc::new(source(*number, declaration)?))))
        });
        let sources: BTreeMap<_, _> = read.collect();
        let layouts = sources.iter().filter_map(|(number, (_, source))| {
            let block = source.module.blocks.first()?;
            let rules = fuzz.toolchains.iter().flat_map(|toolchain| toolchain.rules_for(block));
            let layouts = rules.flat_map(|rules| Subject::new(Arc::clone(source), rules).layouts);
            Some((*number, layouts.into_iter().find(|layout| layout.result.is_ok())?))
        });
        Self { fuzz, layouts: layouts.collect(), sources, is_faulty: true }
    }

    /// The same declarations by the compilers' own rule sets, whatever is planted.
    pub(super) fn without_fault(self) -> Self {
        Self { is_faulty: false, ..self }
    }

    /// The layout of a declaration under any rule set that does not refuse it.
    pub(super) fn layout(&self, number: u64) -> Option<&BlockLayout> {
        self.layouts.get(&number)
    }

    /// What every toolchain and device make of the declarations, in an order that does not depend on threads.
    pub(super) fn records(&self) -> Vec<(u64, CheckRecord)> {
        let every = self.fuzz.toolchains.iter();
        let checks: Vec<Check> = every.flat_map(|toolchain| self.checks(toolchain, &self.fuzz.compilers)).collect();
        self.carry_out(&checks)
    }

    /// The records of one toolchain on one device, with compilers that may keep what they make.
    pub(super) fn records_of(
        &self,
        toolchain: &'static Toolchain,
        device: &str,
        compilers: &dyn Compilers,
    ) -> Vec<(u64, CheckRecord)> {
        let checks = self.checks(toolchain, compilers).into_iter().filter(|check| check.device.id == device);
        self.carry_out(&checks.collect::<Vec<_>>())
    }

    fn checks(&self, toolchain: &'static Toolchain, compilers: &dyn Compilers) -> Vec<Check> {
        let space = full_type_space(toolchain);
        let fitting = self.sources.iter().filter(|(_, (declaration, _))| declaration.fits(&space));
        let subjects = fitting.flat_map(|(_, (_, source))| {
            let blocks = source.module.blocks.iter();
            let rules = blocks.flat_map(|block| toolchain.rules_for(block));
            let checked = |rules| if self.is_faulty { self.fuzz.rules(rules) } else { rules };
            rules.map(move |rules| Arc::new(Subject::new(Arc::clone(source), checked(rules))))
        });
        let subjects: Vec<Arc<Subject>> = subjects.collect();
        let settings = all_forms();
        let making = ShaderProduction {
            producers: &[Producer::Compiler(toolchain)],
            settings: &settings,
            compilers,
            compiler_devices: CompilerDevices::Every,
            launch: &self.fuzz.launch,
        };
        let checks = execute::plan(&subjects, &self.fuzz.devices, making, |_| true);
        checks.into_iter().filter(|check| self.is_turn_of(&check.device, number_of(&check.subject.source.id))).collect()
    }

    /// True if a device takes part in a declaration: all, or of those that run SPIR-V one in turn.
    fn is_turn_of(&self, device: &DeviceInfo, number: u64) -> bool {
        if self.fuzz.every_device || device.runner != RunnerKind::Ash {
            return true;
        }
        let devices: Vec<&DeviceInfo> =
            self.fuzz.devices.iter().filter(|device| device.runner == RunnerKind::Ash).collect();
        // Spaces take turns too, so that neighbours are not what a device sees.
        devices[turn(number / self.fuzz.spaces() as u64, devices.len())] == device
    }

    fn carry_out(&self, checks: &[Check]) -> Vec<(u64, CheckRecord)> {
        let mut records: Vec<Option<CheckRecord>> = vec![None; checks.len()];
        let rotation = Rotation::Turn(0);
        execute::execute(checks, &self.fuzz.launch, rotation, |batch| {
            for (index, record) in batch {
                records[index] = Some(record);
            }
        });
        let mut records: Vec<CheckRecord> = records.into_iter().flatten().collect();
        known::apply(&self.fuzz.known, &mut records, &self.fuzz.devices);
        let mut numbered: Vec<_> = records.into_iter().map(|record| (number_of(&record.case), record)).collect();
        for (number, record) in &mut numbered {
            let (declaration, _) = &self.sources[number];
            known::shape::explain(&self.fuzz.known, record, &self.fuzz.devices, &declaration.shapes());
        }
        numbered
    }
}

/// The source of a declaration.
fn source(number: u64, declaration: &RandomDeclaration) -> Option<Source> {
    let id = format!("fuzz/{number}");
    Some(Source {
        module: declaration.module().ok()?,
        options: declaration.options,
        text: Some(SourceText { text: declaration.text(), ..SourceText::default() }),
        ..Source::of_module(&id)
    })
}

/// The number in the id of a source.
fn number_of(id: &str) -> u64 {
    id.rsplit('/').next().and_then(|number| number.parse().ok()).unwrap_or_default()
}
