//! Faults planted in workers to test that a run survives them, as planted misreadings test
//! verdicts.

use std::hint::black_box;
use std::io::{self, Write};
use std::str::FromStr;
use std::time::Duration;

use layoutproof_core::case::matches_filter;
use layoutproof_device::{ReadBack, RunnerError, RunnerKind};
use serde::{Deserialize, Serialize};
use strum::{EnumString, VariantNames};
use thiserror::Error;

/// The ways in which a worker can misbehave.
#[derive(Clone, Copy, Debug, EnumString, PartialEq, Eq, Serialize, Deserialize, VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum FaultKind {
    /// Aborts, as a failed assertion in a driver does.
    Crash,
    /// Sleeps for ever.
    Hang,
    /// Returns the complement of every byte.
    Garbage,
    /// Asks for more memory than any machine has, and dies as programs do then.
    Oom,
    /// Does its work, and prints to both standard streams.
    Print,
}

/// A fault and its place: `crash@CASE`, `crash#N` or `crash:API`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    kind: FaultKind,
    strikes: FaultSite,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum FaultSite {
    /// Every job of the cases that this filter matches.
    Case(String),
    /// Every N-th job of each worker; jobs count from 1.
    Job(u32),
    /// Every listing of this API's devices.
    Listing(RunnerKind),
}

/// A text that is not a fault.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BadFault {
    #[error("a fault is written KIND@CASE, KIND#N or KIND:API, as in crash@arrays/, hang#7 or crash:ash")]
    Form,
    #[error("unknown fault `{0}`; known are {known}", known = FaultKind::VARIANTS.join(", "))]
    Kind(String),
    #[error("`{0}` is not the number of a job")]
    Number(String),
    #[error("jobs count from 1")]
    Zero,
    #[error("garbage needs the result of a job, and a listing has none")]
    GarbageListing,
    #[error(
        "no devices are listed through `{0}`; known are {known}",
        known = RunnerKind::driven().map(RunnerKind::as_str).collect::<Vec<_>>().join(", ")
    )]
    Api(String),
}

impl FromStr for Fault {
    type Err = BadFault;

    fn from_str(text: &str) -> Result<Self, BadFault> {
        let parts = text.split_once(['@', '#', ':']);
        let (name, place) = parts.ok_or(BadFault::Form)?;

        let kind = name.parse().map_err(|_| BadFault::Kind(name.to_owned()))?;

        let strikes = match text.as_bytes().get(name.len()) {
            Some(b'@') => FaultSite::Case(place.to_owned()),
            Some(b':') => listing_of(kind, place)?,
            Some(_) | None => {
                let number: u32 = place.parse().map_err(|_| BadFault::Number(place.to_owned()))?;
                if number == 0 {
                    return Err(BadFault::Zero);
                }
                FaultSite::Job(number)
            }
        };
        Ok(Self { kind, strikes })
    }
}

/// Parses an API as the place of a fault.
fn listing_of(kind: FaultKind, api: &str) -> Result<FaultSite, BadFault> {
    if kind == FaultKind::Garbage {
        return Err(BadFault::GarbageListing);
    }

    let found = RunnerKind::driven().find(|driven| driven.as_str() == api);
    found.map(FaultSite::Listing).ok_or_else(|| BadFault::Api(api.to_owned()))
}

/// A fault in the form that a request carries to a worker, with jobs of one case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerFault {
    kind: FaultKind,
    /// The worker misbehaves in every N-th job; 1 for every job.
    every: u32,
}

impl Fault {
    /// The fault to plant in a worker that gets jobs of this case.
    pub fn planted(&self, case: &str) -> Option<WorkerFault> {
        match &self.strikes {
            FaultSite::Case(filter) => {
                matches_filter(case, filter).then_some(WorkerFault { kind: self.kind, every: 1 })
            }
            FaultSite::Job(number) => Some(WorkerFault { kind: self.kind, every: *number }),
            FaultSite::Listing(_) => None,
        }
    }

    /// The fault to plant in a worker that lists the devices of this API.
    pub fn planted_in_listing(&self, api: RunnerKind) -> Option<FaultKind> {
        match &self.strikes {
            FaultSite::Listing(listed) => (*listed == api).then_some(self.kind),
            FaultSite::Case(_) | FaultSite::Job(_) => None,
        }
    }
}

impl WorkerFault {
    /// Runs a job, and misbehaves if the fault covers it. `number` counts the worker's jobs from 1.
    pub fn strike(
        self,
        number: u32,
        job: impl FnOnce() -> Result<ReadBack, RunnerError>,
    ) -> Result<ReadBack, RunnerError> {
        if !number.is_multiple_of(self.every) {
            return job();
        }

        self.kind.strike();
        let answer = job();
        if self.kind == FaultKind::Garbage { answer.map(garbled) } else { answer }
    }
}

impl FaultKind {
    /// Misbehaves before the worker has answered. Returns if the process survives.
    pub fn strike(self) {
        match self {
            Self::Crash => {
                say("a crash was planted");
                std::process::abort();
            }
            Self::Hang => loop {
                std::thread::sleep(Duration::from_secs(1));
            },
            Self::Garbage => {}
            Self::Oom => drop(black_box(Vec::<u8>::with_capacity(black_box(isize::MAX.unsigned_abs())))),
            // More than a pipe holds, and it looks like the head of a message.
            Self::Print => say(&"\0\0\0\x01printed by a driver\n".repeat(8192)),
        }
    }
}

fn say(text: &str) {
    let _ = io::stdout().lock().write_all(text.as_bytes());
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

fn garbled(mut read_back: ReadBack) -> ReadBack {
    for byte in read_back.buffers.iter_mut().flat_map(|buffer| &mut buffer.bytes) {
        *byte = !*byte;
    }
    for word in read_back.targets.iter_mut().flatten() {
        *word = !*word;
    }
    read_back
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_strikes_a_case_or_every_so_manyth_job() {
        let of_case: Fault = "hang@arrays/".parse().unwrap();
        assert_eq!(of_case.planted("arrays/a"), Some(WorkerFault { kind: FaultKind::Hang, every: 1 }));
        assert_eq!(of_case.planted("vectors/a"), None);
        let of_job: Fault = "oom#7".parse().unwrap();
        assert_eq!(of_job.planted("vectors/a"), Some(WorkerFault { kind: FaultKind::Oom, every: 7 }));
    }

    #[test]
    fn a_fault_in_a_listing_strikes_nothing_else() {
        let of_listing: Fault = "crash:ash".parse().unwrap();
        assert_eq!(of_listing.planted("arrays/a"), None);
        assert_eq!(of_listing.planted_in_listing(RunnerKind::Ash), Some(FaultKind::Crash));
        assert_eq!(of_listing.planted_in_listing(RunnerKind::Wgpu), None);
        let of_case: Fault = "crash@a:b".parse().unwrap();
        assert_eq!(of_case.planted_in_listing(RunnerKind::Ash), None);
    }

    #[test]
    fn what_is_no_fault_is_told() {
        let driven = RunnerKind::driven().map(RunnerKind::as_str).collect::<Vec<_>>().join(", ");
        let no_driver = format!("no devices are listed through `model`; known are {driven}");
        for (text, message) in [
            ("crash", "written KIND@CASE, KIND#N or KIND:API"),
            ("melt@a", "unknown fault `melt`; known are crash, hang"),
            ("crash#x", "`x` is not the number"),
            ("crash#0", "jobs count from 1"),
            ("crash:model", &no_driver),
            ("garbage:ash", "and a listing has none"),
        ] {
            let error = text.parse::<Fault>().unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
