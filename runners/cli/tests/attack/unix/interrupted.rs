//! Runs that are killed, or lose workers or disk space, and are then resumed: except for times, the
//! records file must equal that of an undisturbed run.

use std::fs;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use fastrand::Rng;
use rustix::process::Signal;

use crate::unix::assault::{Assault, Extent, Outcome};
use crate::unix::program::{Call, End, Running, kill};
use crate::unix::records::redacted;
use crate::unix::sandbox::Sandbox;

/// Number of parts of the cases; a run covers one of them.
const SHARDS: u64 = 10;

/// Maximum number of attempts to kill a run before it is over.
const TRIES: u32 = 8;

/// A way to disturb a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Disturbance {
    /// SIGKILL to the run.
    KilledParent,
    /// SIGINT or SIGTERM to the run.
    Interrupted,
    /// SIGKILL to one of its workers.
    KilledWorker,
    /// No file can grow beyond some size.
    FullDisk,
}

impl Disturbance {
    const ALL: [Self; 4] = [Self::KilledParent, Self::Interrupted, Self::KilledWorker, Self::FullDisk];
}

/// The kinds of disturbance.
pub(crate) fn assaults() -> Vec<Box<dyn Assault>> {
    Disturbance::ALL.into_iter().map(|kind| Box::new(kind) as Box<dyn Assault>).collect()
}

/// An undisturbed run of one shard.
#[derive(Clone, Debug)]
struct Reference {
    /// Number of the shard.
    shard: u64,
    records: String,
    code: Option<i32>,
    seconds: f64,
}

impl Assault for Disturbance {
    fn name(&self) -> &'static str {
        match self {
            Self::KilledParent => "killed-run",
            Self::Interrupted => "interrupted-run",
            Self::KilledWorker => "killed-worker",
            Self::FullDisk => "full-disk",
        }
    }

    fn extent(&self) -> Extent {
        Extent::Endless {
            full: match self {
                Self::KilledParent | Self::KilledWorker => 100,
                Self::Interrupted => 40,
                Self::FullDisk => 60,
            },
        }
    }

    fn attack(&self, _: u64, rng: &mut Rng, sandbox: &Sandbox) -> Outcome {
        let shard = rng.u64(1..=SHARDS);
        let reference = match self.reference(shard) {
            Ok(reference) => reference,
            Err(reason) => return Outcome::Failed(reason),
        };
        match self {
            Self::KilledWorker => self.kill_worker(rng, sandbox, &reference),
            Self::KilledParent | Self::Interrupted => self.cut_short(rng, sandbox, &reference),
            Self::FullDisk => self.fill_disk(rng, sandbox, &reference),
        }
    }
}

impl Disturbance {
    /// The arguments of a run of one shard.
    fn words(self, shard: u64) -> String {
        // With a planted fault, the model runs in a worker; this fault matches no case.
        let planted = match self {
            Self::KilledWorker => "--plant-fault print@no-such-case --allow-restarts 1000",
            Self::KilledParent | Self::Interrupted | Self::FullDisk => "--plant-misreading array-stride-sixteen",
        };
        // A check whose worker was killed keeps its numbers in any case.
        let records = "--records full";
        format!("run --rules std140,scalar --form leaf --device model --shard {shard}/{SHARDS} {records} {planted}")
    }

    fn start(self, sandbox: &Sandbox, shard: u64) -> Running {
        Call::new(sandbox, &self.words(shard)).long().word("--json").word("r.jsonl").start()
    }

    /// The undisturbed run of this shard, which is made once.
    fn reference(self, shard: u64) -> Result<Reference, String> {
        type Cell = Mutex<Option<Result<Reference, String>>>;
        static CELLS: OnceLock<Vec<[Cell; 2]>> = OnceLock::new();
        let cells = CELLS.get_or_init(|| (0..SHARDS).map(|_| <[Cell; 2]>::default()).collect());
        let pair = &cells[usize::try_from(shard - 1).unwrap()];
        let mut cell = pair[usize::from(self == Self::KilledWorker)].lock().unwrap();
        let made = cell.get_or_insert_with(|| {
            let (sandbox, started) = (Sandbox::new(), Instant::now());
            let end = self.start(&sandbox, shard).end().exits(&[0, 1])?;
            let records = redacted(&sandbox.read("r.jsonl"));
            Ok(Reference { shard, records, code: end.code(), seconds: started.elapsed().as_secs_f64() })
        });
        made.clone()
    }

    /// Ends the run at a random moment and resumes it.
    fn cut_short(self, rng: &mut Rng, sandbox: &Sandbox, reference: &Reference) -> Outcome {
        for _ in 0..TRIES {
            let mut running = self.start(sandbox, reference.shard);
            std::thread::sleep(Duration::from_secs_f64(reference.seconds * rng.f64()));
            let signal = match (self, rng.bool()) {
                (Self::KilledParent | Self::KilledWorker | Self::FullDisk, _) => Signal::KILL,
                (Self::Interrupted, true) => Signal::INT,
                (Self::Interrupted, false) => Signal::TERM,
            };
            if running.is_over() {
                if let Err(reason) = running.end().exits(&[0, 1]) {
                    return Outcome::Failed(reason);
                }
                // The next attempt must not find this run's records.
                fs::remove_file(sandbox.path("r.jsonl")).unwrap();
                continue;
            }
            running.signal(signal);
            let end = running.end();
            let judged = match signal {
                Signal::KILL => Ok(()),
                // The signal came before the run had started anything, even its signal handler.
                _ if end.is_ended_by(signal) && !sandbox.path("r.jsonl").exists() => sandbox.has_no_temporary_files(),
                // A run that is finished when the signal comes ends normally.
                _ => end.exits(&[0, 1, 2]).map(drop).and_then(|()| sandbox.has_no_temporary_files()),
            };
            return judged
                .and_then(|()| sandbox.wait_for_processes())
                .and_then(|()| self.goes_on(sandbox, reference))
                .into();
        }
        Outcome::NotTried(format!("the run was over before the signal, {TRIES} times"))
    }

    /// Resumes from the existing records, and compares the result with the reference.
    fn goes_on(self, sandbox: &Sandbox, reference: &Reference) -> Result<(), String> {
        let text = sandbox.read("r.jsonl");
        // A run that was stopped before it wrote its header cannot be resumed.
        let option = if text.lines().count() > 1 || text.ends_with('\n') { "--resume" } else { "--json" };
        let call = Call::new(sandbox, &self.words(reference.shard)).long().word(option).word("r.jsonl");
        same(call.run(), sandbox, reference)
    }

    /// Kills a worker at a random moment, which must not change the run.
    fn kill_worker(self, rng: &mut Rng, sandbox: &Sandbox, reference: &Reference) -> Outcome {
        for _ in 0..TRIES {
            let mut running = self.start(sandbox, reference.shard);
            std::thread::sleep(Duration::from_secs_f64(reference.seconds * rng.f64()));
            let workers = workers(sandbox, running.id());
            let killed = !running.is_over() && rng.choice(workers).is_some_and(kill);
            let end = running.end();
            if killed {
                return same(end, sandbox, reference).and_then(|()| sandbox.wait_for_processes()).into();
            }
        }
        Outcome::NotTried(format!("no worker was there at the random moment, {TRIES} times"))
    }

    /// Runs on a disk that is full at some size, then resumes with more room.
    fn fill_disk(self, rng: &mut Rng, sandbox: &Sandbox, reference: &Reference) -> Outcome {
        let kib = u64::try_from(reference.records.len() / 1024).unwrap_or(u64::MAX);
        let call = Call::new(sandbox, &self.words(reference.shard)).long().with_files_of(rng.u64(0..kib.max(1)));
        let end = call.word("--json").word("r.jsonl").run();
        end.exits(&[2]).and_then(|_| self.goes_on(sandbox, reference)).into()
    }
}

/// Asserts that a run has the same results as the reference.
fn same(end: End, sandbox: &Sandbox, reference: &Reference) -> Result<(), String> {
    let end = end.orderly()?;
    if end.code() != reference.code {
        return Err(end.told(&format!("exit code {:?}, undisturbed {:?}", end.code(), reference.code)));
    }
    let found = redacted(&sandbox.read("r.jsonl"));
    if found == reference.records {
        return Ok(());
    }
    let different = found.lines().zip(reference.records.lines()).find(|(one, other)| one != other);
    let (lines, expected) = (found.lines().count(), reference.records.lines().count());
    Err(end.told(&format!("{lines} lines of records, undisturbed {expected}; the first that differ: {different:?}")))
}

/// Ids of the workers of a run.
fn workers(sandbox: &Sandbox, run: u32) -> Vec<u32> {
    let is_worker = |id: &u32| {
        let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        *id != run && line.split(|byte| *byte == 0).any(|word| word == b"worker")
    };
    sandbox.processes().into_iter().filter(is_worker).collect()
}
