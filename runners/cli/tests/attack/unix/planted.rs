//! Faults planted in the processes that run shaders: the run must lose no check, report none twice,
//! and pass none that was hit.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use fastrand::Rng;

use crate::unix::assault::{Assault, Extent, Outcome};
use crate::unix::program::Call;
use crate::unix::records::{self, CheckEnd};
use crate::unix::sandbox::Sandbox;

/// Checks of the model device, one for each case with bytes under this rule set.
const ON_MODEL: &str = "run --rules std140 --form leaf --producer rspirv --device model";

/// The same checks on lavapipe.
const ON_LAVAPIPE: &str = "run --rules std140 --form leaf --producer rspirv --device lavapipe --runner ash";

/// Maximum number of cases per run.
const CASES: usize = 6;

/// Number of jobs in a worker before the fault hits one.
const JOBS: u32 = 9;

/// A kind of fault of `--plant-fault`.
#[derive(Clone, Copy, Debug)]
struct PlantedFault {
    /// Name in the table.
    name: &'static str,
    /// Name of the fault.
    fault: &'static str,
    strikes: Strikes,
    device: FaultDevice,
    /// The number of attacks with `--full`, of a thousand in total.
    full: u64,
}

/// Which jobs the fault hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strikes {
    /// All jobs of one case.
    Case,
    /// One of every N jobs in each worker. If the job succeeds in a fresh worker, its check is the
    /// same as without the fault.
    Jobs,
    /// Every job: the device is lost.
    All,
}

/// Where the fault is planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FaultDevice {
    Model,
    Lavapipe,
}

const FAULTS: [PlantedFault; 12] = [
    on_model("crash", "crash", Strikes::Case, 120),
    on_model("crash-at-times", "crash", Strikes::Jobs, 100),
    on_model("hang", "hang", Strikes::Case, 60),
    on_model("garbage", "garbage", Strikes::Case, 120),
    on_model("garbage-at-times", "garbage", Strikes::Jobs, 60),
    on_model("memory", "oom", Strikes::Case, 60),
    on_model("print", "print", Strikes::Case, 60),
    on_model("lost-device", "crash", Strikes::All, 60),
    on_lavapipe("lavapipe-crash", "crash"),
    on_lavapipe("lavapipe-hang", "hang"),
    on_lavapipe("lavapipe-garbage", "garbage"),
    on_lavapipe("lavapipe-memory", "oom"),
];

const fn on_model(name: &'static str, fault: &'static str, strikes: Strikes, full: u64) -> PlantedFault {
    PlantedFault { name, fault, strikes, device: FaultDevice::Model, full }
}

const fn on_lavapipe(name: &'static str, fault: &'static str) -> PlantedFault {
    PlantedFault { name, fault, strikes: Strikes::Case, device: FaultDevice::Lavapipe, full: 15 }
}

/// Every kind of planted fault.
pub(crate) fn assaults() -> Vec<Box<dyn Assault>> {
    FAULTS.into_iter().map(|fault| Box::new(fault) as Box<dyn Assault>).collect()
}

/// Checks that lavapipe is installed and works.
///
/// # Errors
/// The reason why not.
pub(crate) fn lavapipe() -> Result<(), String> {
    FaultDevice::Lavapipe.undisturbed().as_ref().map(drop).map_err(Clone::clone)
}

/// Checks by name.
type Checks = BTreeMap<String, CheckEnd>;

impl FaultDevice {
    /// A command that runs the checks on this device.
    fn call(self, sandbox: &Sandbox) -> Call<'_> {
        match self {
            Self::Model => Call::new(sandbox, ON_MODEL).long(),
            Self::Lavapipe => Call::new(sandbox, ON_LAVAPIPE).with_drivers(),
        }
    }

    /// The outcomes of all checks without a fault.
    ///
    /// # Errors
    /// The reason why the run failed.
    fn undisturbed(self) -> &'static Result<Checks, String> {
        static MODEL: OnceLock<Result<Checks, String>> = OnceLock::new();
        static LAVAPIPE: OnceLock<Result<Checks, String>> = OnceLock::new();
        let cell = match self {
            Self::Model => &MODEL,
            Self::Lavapipe => &LAVAPIPE,
        };
        cell.get_or_init(|| {
            let sandbox = Sandbox::new();
            let end = self.call(&sandbox).word("--json").word("r.jsonl").run();
            match end.code() {
                Some(0 | 1) => records::read(&sandbox.read("r.jsonl")),
                _ => Err(end.told("the run without a fault did not come to its end")),
            }
        })
    }
}

impl Assault for PlantedFault {
    fn name(&self) -> &'static str {
        self.name
    }

    fn extent(&self) -> Extent {
        Extent::Endless { full: self.full }
    }

    fn attack(&self, _: u64, rng: &mut Rng, sandbox: &Sandbox) -> Outcome {
        let undisturbed = match self.device.undisturbed() {
            Ok(checks) => checks,
            Err(reason) if self.device == FaultDevice::Lavapipe => return Outcome::NotTried(reason.clone()),
            Err(reason) => return Outcome::Failed(reason.clone()),
        };
        let cases = some_cases(rng, undisturbed);
        let struck = cases[rng.usize(..cases.len())].clone();
        sandbox.write("work.txt", cases.join("\n"));

        let place = match self.strikes {
            Strikes::Case => format!("@{struck}"),
            Strikes::Jobs => format!("#{}", rng.u32(2..=JOBS)),
            Strikes::All => "#1".to_owned(),
        };
        // Without a hanging job, allow for the time that a busy machine needs.
        let limit = if self.fault == "hang" { "2" } else { "60" };
        let call = self.device.call(sandbox).word("--caselist").word("work.txt").word("--time-limit").word(limit);
        let call = call.word("--plant-fault").word(format!("{}{place}", self.fault));
        // The outcomes are judged here, not how often a job was repeated.
        let call = call.word("--allow-restarts").word("1000000");
        let end = call.word("--json").word("r.jsonl").run();

        let expected: Checks = undisturbed
            .iter()
            .filter(|(_, check)| cases.contains(&check.case))
            .map(|(n, c)| (n.clone(), c.clone()))
            .collect();
        let judged = end.exits(&[0, 1]).and_then(|end| {
            let found = records::read(&sandbox.read("r.jsonl")).map_err(|reason| end.told(&reason))?;
            self.compare(&expected, &found, &struck).map_err(|reason| end.told(&reason))?;
            let failed = found.values().any(|check| matches!(check.outcome.as_str(), "differ" | "broken" | "stale"));
            if failed == (end.code() == Some(1)) {
                Ok(())
            } else {
                Err(end.told("the exit code is not that of the records"))
            }
        });
        judged.and_then(|()| sandbox.wait_for_processes()).into()
    }
}

impl PlantedFault {
    /// The outcome of a check that agrees without the fault and is hit by it; `None` if it stays
    /// the same.
    fn outcome(&self) -> Option<&'static str> {
        match self.fault {
            "garbage" => Some("differ"),
            "print" => None,
            _ => Some("broken"),
        }
    }

    /// Compares the outcomes of the checks with those without the fault.
    fn compare(&self, expected: &Checks, found: &Checks, struck: &str) -> Result<(), String> {
        if !expected.keys().eq(found.keys()) {
            return Err(format!("{} checks instead of {}", found.len(), expected.len()));
        }
        for (name, check) in found {
            let before = expected[name].outcome.as_str();
            let allowed: &[&str] = match (self.strikes, self.outcome()) {
                (Strikes::Case, Some(outcome)) if check.case.contains(struck) && before == "agree" => &[outcome],
                (_, None) | (Strikes::Case, Some(_)) => &[before],
                (Strikes::All, Some(outcome)) => &[outcome],
                (Strikes::Jobs, Some(outcome)) => &[before, outcome],
            };
            if !allowed.contains(&check.outcome.as_str()) {
                return Err(format!("{name} is `{}` and not one of {allowed:?}", check.outcome));
            }
        }
        Ok(())
    }
}

/// Some distinct cases.
fn some_cases(rng: &mut Rng, checks: &Checks) -> Vec<String> {
    let mut cases: Vec<&String> = checks.values().map(|check| &check.case).collect();
    cases.dedup();
    rng.shuffle(&mut cases);
    cases.into_iter().take(rng.usize(2..=CASES)).cloned().collect()
}
