//! Measures one design once: with fresh workers, from the first text to the last comparison.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use layoutproof_device::{DeviceInfo, JOB_LIMIT};
use layoutproof_executor::launch::Launch;
use layoutproof_executor::protocol::{WorkerAnswer, WorkerRequest};
use layoutproof_executor::worker::{Worker, WorkerDeath};

use super::case::{CaseCount, carry_out};
use super::design::Design;
use super::usage::ProcessUsage;

/// The time and memory that a design took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measurement {
    /// From the first text to the last comparison. Starting the workers and opening their devices
    /// does not count.
    pub(super) wall: Duration,
    /// Number of compared leaves and of wrong cases.
    pub(super) count: CaseCount,
    /// What this process used in that time; `None` if the system does not report it.
    pub(super) host: Option<ProcessUsage>,
    /// What its workers used in that time, together.
    pub(super) workers: Option<ProcessUsage>,
}

/// Runs `texts` on `device`, in workers started from `launch`.
///
/// # Errors
/// A worker ends, or a device refuses a module. A wrong layout is not an error.
pub(super) fn measure(
    design: Design,
    texts: &[String],
    device: &DeviceInfo,
    launch: &Launch,
) -> anyhow::Result<Measurement> {
    let mut workers =
        (0..design.workers).map(|_| open(design, device, launch)).collect::<anyhow::Result<Vec<Worker>>>()?;
    let processes: Vec<u32> = workers.iter().map(Worker::process).collect();
    let all = || processes.iter().map(|process| ProcessUsage::of(*process)).sum::<Option<ProcessUsage>>();
    let (host, others) = (ProcessUsage::of_this_process(), all());

    let started = Instant::now();
    let count = share_out(design, texts, &mut workers)?;
    let wall = started.elapsed();

    let (host, workers) =
        (ProcessUsage::since(host, ProcessUsage::of_this_process()), ProcessUsage::since(others, all()));
    Ok(Measurement { wall, count, host, workers })
}

/// Gives the groups one by one to free workers.
fn share_out(design: Design, texts: &[String], workers: &mut [Worker]) -> anyhow::Result<CaseCount> {
    let groups: Vec<&[String]> = texts.chunks(design.group).collect();
    let next = AtomicUsize::new(0);
    let work = |worker: &mut Worker| -> anyhow::Result<CaseCount> {
        let mut sum = CaseCount::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(texts) = groups.get(number) else { return Ok(sum) };
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            let CaseCount { leaves, wrong } = carry_out(design, texts, worker, number)?;
            sum = CaseCount { leaves: sum.leaves + leaves, wrong: sum.wrong + wrong };
        }
    };

    std::thread::scope(|scope| {
        let threads: Vec<_> = workers.iter_mut().map(|worker| scope.spawn(|| work(worker))).collect();
        threads.into_iter().try_fold(CaseCount::default(), |sum, thread| {
            let own = thread.join().ok().context("a thread ended early")??;
            Ok(CaseCount { leaves: sum.leaves + own.leaves, wrong: sum.wrong + own.wrong })
        })
    })
}

fn open(design: Design, device: &DeviceInfo, launch: &Launch) -> anyhow::Result<Worker> {
    let mut worker = Worker::start(launch, device.runner, &design.settings())?;
    let answer = worker.ask_and_wait(&WorkerRequest::Open(Box::new(device.clone()), JOB_LIMIT), JOB_LIMIT);
    match answer.map_err(WorkerDeath::error)? {
        WorkerAnswer::Opened(opened) => opened?,
        WorkerAnswer::Devices(_) | WorkerAnswer::Job(_) => bail!("the worker answered out of turn"),
    }
    Ok(worker)
}
