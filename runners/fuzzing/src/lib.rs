//! Tries random declarations and programs on compilers and devices, and makes what differs small: `layoutproof
//! dev fuzz` without its arguments and its report.
//!
//! Declaration number i depends only on the seed and i. It is drawn from the type space of one compiler, in
//! turn, and goes to every compiler that has a toolchain whose type space contains it. By default each
//! declaration uses one option per compiler and runs on one device, in turn. Differences that are not known
//! are shrunk ([`shrink`]) and written down ([`found`]).
#![forbid(unsafe_code)]

pub mod bindings;
pub mod draws;
pub mod found;
pub mod records;
mod round;
pub mod shrink;
pub mod totals;

use std::ops::Range;
use std::path::PathBuf;

use layoutproof_compilers::drivers::{full_type_space, type_space};
use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_core::check::CompiledAccesses;
use layoutproof_core::results::known::KnownFailure;
use layoutproof_device::DeviceInfo;
use layoutproof_events::{CheckRecord, OutcomeKind};
use layoutproof_executor::launch::Launch;
use layoutproof_layout::RuleSet;
use layoutproof_layout::mutate::RuleMutant;
use layoutproof_random::declaration::{CellDraws, CellTally, Declarations, RandomDeclaration, TypeSpace};
use layoutproof_readers::toolchain::Toolchain;
use proptest::strategy::ValueTree;

use self::draws::Draws;
use self::records::FuzzHeaderFacts;
use self::round::Round;
use self::shrink::DifferenceKind;
use self::totals::Totals;

/// Maximum number of differences to shrink and write. Differences of the same kind count once.
pub const MOST_FOUND: usize = 12;

/// The participants and options of a run.
#[derive(Debug)]
pub struct Fuzz {
    pub toolchains: Vec<&'static Toolchain>,
    /// The toolchains whose type spaces declarations are drawn from.
    pub drawn_for: Vec<&'static Toolchain>,
    pub compilers: Toolchains,
    /// Devices that run SPIR-V, and the evaluator of DXIL.
    pub devices: Vec<DeviceInfo>,
    /// A message for each API whose devices could not be listed.
    pub failed_listings: Vec<String>,
    pub every_device: bool,
    pub every_option: bool,
    pub accesses: CompiledAccesses,
    pub planted: Option<RuleMutant>,
    pub known: Vec<KnownFailure>,
    pub launch: Launch,
    /// The folder for differences.
    pub out: PathBuf,
}

impl Fuzz {
    pub fn header_facts(&self, draws: &Draws) -> FuzzHeaderFacts<'_> {
        FuzzHeaderFacts {
            devices: &self.devices,
            builds: self.compilers.builds(&self.toolchains),
            draws: draws.numbers.end - draws.numbers.start,
            known: &self.known,
            drivers: &self.launch.drivers,
            failed_listings: &self.failed_listings,
        }
    }

    /// Tries the declarations of these numbers; a round that the user ends does not count. `tell` gets what takes long.
    pub fn add_round(&self, numbers: Range<u64>, draws: &Draws, totals: &mut Totals, tell: &dyn Fn(String)) {
        let numbered: Vec<(u64, RandomDeclaration)> =
            numbers.map(|number| (number, draws.tree(number).current())).collect();
        let round = Round::new(self, &numbered);
        let records = round.records(&mut totals.batching);
        if self.launch.interrupt.is_set() {
            return;
        }
        for (number, record) in records {
            totals.count(&record);
            if let Some((_, declaration)) = numbered.iter().find(|(drawn, _)| *drawn == number) {
                totals.count_cells(&record, declaration);
            }
            let is_found =
                matches!(record.outcome.kind(), OutcomeKind::Differ | OutcomeKind::Broken) && self.is_wanted(&record);
            let is_new = || !totals.differences.iter().any(|other| other.kind == DifferenceKind::of(&record));
            if is_found && is_new() && totals.differences.len() < self.most() {
                tell(format!("making number {number} smaller"));
                totals.differences.extend(shrink::shrink(self, draws.tree(number), number, &record));
            }
        }
    }

    /// The cells that can be drawn for each compiler, without any checks yet.
    pub fn possible_cells(&self) -> CellTally {
        let mut cells = CellTally::default();
        for toolchain in &self.toolchains {
            let draws = CellDraws::new(Declarations::new(full_type_space(toolchain)));
            cells.add_possible(toolchain.compiler, draws.cells());
        }
        cells
    }

    /// The number of differences that ends the run.
    pub fn most(&self) -> usize {
        if self.planted.is_some() { 1 } else { MOST_FOUND }
    }

    /// With a planted fault, only records of the faulty rule set count.
    fn is_wanted(&self, record: &CheckRecord) -> bool {
        self.planted.as_ref().is_none_or(|planted| planted.rules.name == record.id.rules.as_str())
    }

    /// The rule set to check in place of the compiler's own `rules`: the planted one, if it has the
    /// same name.
    fn rules<'a>(&'a self, rules: &'a RuleSet) -> &'a RuleSet {
        self.planted.as_ref().map(|mutant| &mutant.rules).filter(|planted| planted.name == rules.name).unwrap_or(rules)
    }

    /// The type spaces that take turns: those of the toolchains to draw for, with and without
    /// minimum precision.
    fn spaces(&self) -> Vec<TypeSpace> {
        let mut spaces: Vec<TypeSpace> = Vec::new();
        for space in self.drawn_for.iter().flat_map(|toolchain| [type_space(toolchain), full_type_space(toolchain)]) {
            if !spaces.contains(&space) {
                spaces.push(space);
            }
        }
        spaces
    }
}
