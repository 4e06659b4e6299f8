//! Places the parameters of random programs by convention, and compares with the bindings of compilers and
//! the reads of devices.
//!
//! Program number i depends only on the seed and i; each number has a program for DXC and one for Slang. Each
//! available compiler reports its bindings for every target that it has, and a device of that target runs the
//! placement of our rules. Differences that are not known are shrunk and written down ([`finding`]).

pub mod finding;
mod program_checks;

use std::ops::Range;
use std::path::PathBuf;

use layoutproof_compilers::binding_answers::{self, BindingCompiler};
use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_core::results::known::KnownFailure;
use layoutproof_device::DeviceInfo;
use layoutproof_executor::launch::Launch;
use layoutproof_random::{ProgramDialect, RandomProgram, nth_program};
use layoutproof_show::counted;
use proptest::strategy::ValueTree;

use self::finding::BindingFinding;
use self::program_checks::answers_name;
use crate::MOST_FOUND;
use crate::records::FuzzHeaderFacts;
use crate::totals::Totals;

/// The participants and options of a run.
#[derive(Debug)]
pub struct BindingFuzz {
    pub seed: u64,
    pub compilers: Vec<BindingCompiler>,
    /// The compilers of the shaders that Direct3D 12 devices run.
    pub toolchains: Toolchains,
    pub devices: Vec<DeviceInfo>,
    pub failed_listings: Vec<String>,
    pub every_device: bool,
    pub known: Vec<KnownFailure>,
    pub launch: Launch,
    pub out: PathBuf,
}

#[derive(Clone, Debug)]
pub struct DrawnProgram {
    pub number: u64,
    pub dialect: ProgramDialect,
    pub program: RandomProgram,
}

impl BindingFuzz {
    /// The dialects of the available compilers, or both if none was found.
    pub fn dialects(&self) -> Vec<ProgramDialect> {
        let has = |dialect: &ProgramDialect| {
            self.compilers.is_empty() || self.compilers.iter().any(|compiler| compiler.dialect() == *dialect)
        };
        [ProgramDialect::Dxc, ProgramDialect::Slang].into_iter().filter(has).collect()
    }

    pub fn header_facts(&self, programs: u64) -> FuzzHeaderFacts<'_> {
        // DXC compiles the shaders for Direct3D 12 devices, whichever compilers are compared.
        let dxc_of_devices = self.devices.iter().any(|device| device.direct3d.is_some()).then_some("dxc");
        let names = self.compilers.iter().map(|asked| asked.compiler().name()).chain(dxc_of_devices);
        FuzzHeaderFacts {
            devices: &self.devices,
            builds: self.toolchains.builds(&names.flat_map(|name| self.toolchains.named(name)).collect::<Vec<_>>()),
            draws: programs,
            known: &self.known,
            drivers: &self.launch.drivers,
            failed_listings: &self.failed_listings,
        }
    }

    /// A message for each target for which a compiler placed nothing.
    pub fn silent_answers(&self, totals: &Totals) -> Vec<String> {
        let mut silent = Vec::new();
        for asked in &self.compilers {
            for target in binding_answers::targets(asked.dialect()) {
                let name = asked.compiler().name();
                let tally = totals.tallies.get(&answers_name(name, *target)).copied().unwrap_or_default();
                if tally.agree == 0 && tally.differ == 0 {
                    let programs = counted(tally.skipped + tally.broken, "program");
                    silent.push(format!("compiler `{name}` placed nothing for {target} in {programs}"));
                }
            }
        }
        silent
    }

    pub fn add_round(&self, numbers: Range<u64>, totals: &mut Totals, findings: &mut Vec<BindingFinding>) {
        let drawn: Vec<DrawnProgram> = numbers
            .flat_map(|number| {
                self.dialects().into_iter().map(move |dialect| DrawnProgram {
                    number,
                    dialect,
                    program: nth_program(dialect, self.seed, number).current(),
                })
            })
            .collect();

        let mut found = self.add_answers(&drawn, totals);
        found.extend(self.add_checks(&drawn, totals));
        for finding in found {
            let is_new = !findings.iter().any(|other| other.kind.is_like(&finding.kind));
            if is_new && findings.len() < MOST_FOUND {
                findings.push(finding::shrink(self, finding));
            }
        }
    }
}
