//! One design, measured once: fresh workers, the clock from the first text to the last comparison.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use layoutproof_device::DeviceInfo;
use layoutproof_executor::pool::{JOB_LIMIT, Launch};
use layoutproof_executor::protocol::{Answer, Request};
use layoutproof_executor::worker::{Death, Worker};

use super::case::{Count, carry_out};
use super::design::Design;
use super::usage::Usage;

/// What a design took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    /// From the first text to the last comparison. Workers were started and their devices open.
    pub(super) wall: Duration,
    /// What became of the cases.
    pub(super) count: Count,
    /// What this process used meanwhile, where the system tells.
    pub(super) host: Option<Usage>,
    /// What its workers used, together.
    pub(super) workers: Option<Usage>,
}

/// Runs `texts` on `device`, in workers of `launch`.
///
/// # Errors
/// What is no wrong layout.
pub(super) fn measure(
    design: Design,
    texts: &[String],
    (device, launch): (&DeviceInfo, &Launch),
) -> anyhow::Result<Measured> {
    let mut workers =
        (0..design.workers).map(|_| open(design, device, launch)).collect::<anyhow::Result<Vec<Worker>>>()?;
    let processes: Vec<u32> = workers.iter().map(Worker::process).collect();
    let all = || processes.iter().map(|process| Usage::of(*process)).sum::<Option<Usage>>();
    let (host, others) = (Usage::of_this_process(), all());
    let started = Instant::now();
    let count = share_out(design, texts, &mut workers)?;
    let wall = started.elapsed();
    let (host, workers) = (Usage::since(host, Usage::of_this_process()), Usage::since(others, all()));
    Ok(Measured { wall, count, host, workers })
}

/// Gives one group after the other to whichever worker is free.
fn share_out(design: Design, texts: &[String], workers: &mut [Worker]) -> anyhow::Result<Count> {
    let groups: Vec<&[String]> = texts.chunks(design.group).collect();
    let next = AtomicUsize::new(0);
    let work = |worker: &mut Worker| -> anyhow::Result<Count> {
        let mut sum = Count::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(texts) = groups.get(number) else { return Ok(sum) };
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            let Count { leaves, wrong } = carry_out(design, texts, (worker, number))?;
            sum = Count { leaves: sum.leaves + leaves, wrong: sum.wrong + wrong };
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = workers.iter_mut().map(|worker| scope.spawn(|| work(worker))).collect();
        threads.into_iter().try_fold(Count::default(), |sum, thread| {
            let own = thread.join().ok().context("a thread ended early")??;
            Ok(Count { leaves: sum.leaves + own.leaves, wrong: sum.wrong + own.wrong })
        })
    })
}

fn open(design: Design, device: &DeviceInfo, launch: &Launch) -> anyhow::Result<Worker> {
    let mut worker = Worker::start(launch, device.runner, &design.settings())?;
    let asked = worker.ask(&Request::Open(Box::new(device.clone()))).and_then(|()| worker.answer(JOB_LIMIT));
    match asked.map_err(Death::error)? {
        Answer::Opened(opened) => opened?,
        Answer::Devices(_) | Answer::Job(_) => bail!("the worker answered out of turn"),
    }
    Ok(worker)
}
