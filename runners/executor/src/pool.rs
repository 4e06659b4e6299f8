//! Work on devices: as many threads as processors or as the user says, each with worker processes of its own.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use layoutproof_core::check::Screen;
use layoutproof_device::{DeviceInfo, Job, ReadBack};

use crate::device_workers::{DeviceWorkers, JobResult};
use crate::drivers::DriverCompilation;
use crate::launch::Launch;

/// Jobs of a check that a worker is given at once.
const SHARE: usize = 8;

/// Gives every task to a thread with workers, and every result to `done` on this thread, as they come. Threads without a
/// task of their own help the others.
///
/// Tasks are taken in order, but threads finish as they like. Once the user wants an end, no task is given out, and what
/// comes of those that are out is dropped: it may be Ctrl-C's doing.
pub fn run<T: Send, R: Send>(
    tasks: Vec<T>,
    launch: &Launch,
    work: impl Fn(T, &mut Workers<'_>) -> R + Sync,
    mut done: impl FnMut(R),
) {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let wanted = launch.threads.map_or_else(processors, usize::from);
    let threads = wanted.min(tasks.len());
    let idle = (threads..wanted).map(|_| DeviceWorkers::new(launch)).collect();
    let idle = Arc::new(IdleWorkers(Mutex::new(idle)));
    let queue = Mutex::new(VecDeque::from(tasks));
    let (sender, receiver) = channel();

    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, queue, work, idle) = (sender.clone(), &queue, &work, Arc::clone(&idle));
            scope.spawn(move || {
                let mut workers = Workers { own: DeviceWorkers::new(launch), idle };
                while let Some(task) = queue.lock().ok().and_then(|mut queue| queue.pop_front()) {
                    let result = work(task, &mut workers);
                    if launch.interrupt.is_set() || sender.send(result).is_err() {
                        break;
                    }
                }
                workers.idle.give(workers.own);
            });
        }

        // The loop below ends once the last thread has dropped its sender.
        drop(sender);
        receiver.iter().for_each(&mut done);
    });
}

/// Workers that have no task.
#[derive(Debug)]
struct IdleWorkers<'a>(Mutex<Vec<DeviceWorkers<'a>>>);

impl<'a> IdleWorkers<'a> {
    fn take(&self) -> Option<DeviceWorkers<'a>> {
        self.0.lock().ok().and_then(|mut idle| idle.pop())
    }

    fn give(&self, workers: DeviceWorkers<'a>) {
        // Where a thread has panicked, they are dropped, and their processes end.
        if let Ok(mut idle) = self.0.lock() {
            idle.push(workers);
        }
    }
}

/// What a task runs its jobs with.
#[derive(Debug)]
pub struct Workers<'a> {
    own: DeviceWorkers<'a>,
    /// Those that may help.
    idle: Arc<IdleWorkers<'a>>,
}

impl<'a> Workers<'a> {
    /// Says how drivers compile what is run from now on.
    pub fn compile(&mut self, compilation: DriverCompilation) {
        self.own.compilation = compilation;
    }

    /// Runs jobs of a case on a device; one result per job.
    pub fn run(&mut self, device: &DeviceInfo, case: &str, jobs: &[Job]) -> Vec<JobResult> {
        let fatal_jobs = AtomicU32::new(0);
        let shares: Vec<&[Job]> = jobs.chunks(SHARE).collect();
        let results = self.share_out(&shares, |workers, share| workers.run(device, case, share, &fatal_jobs));
        results.into_iter().flatten().collect()
    }

    /// Runs screens of checks of `cases`, each with those that it looks at; the answers to the jobs of each screen, `None` if
    /// it came to nothing, which says nothing of any single case: each has to be run by itself then.
    pub fn screens(&mut self, device: &DeviceInfo, screens: &[CasesScreen<'_>]) -> Vec<Option<Vec<ReadBack>>> {
        self.share_out(screens, |workers, screen| workers.screen(device, &screen.cases, screen.screen.jobs()))
    }

    /// Tells the run's watcher that a device has read or written leaves so many times.
    pub(crate) fn tell_accessed(&self, accesses: usize) {
        self.own.launch.watcher.accessed(accesses);
    }

    /// Gives each piece of work to whichever is free first, these workers or idle ones of other threads; the results are in the
    /// order of the pieces.
    fn share_out<T: Sync, R: Send>(
        &mut self,
        tasks: &[T],
        work: impl Fn(&mut DeviceWorkers<'a>, &T) -> R + Sync,
    ) -> Vec<R> {
        let taken = AtomicUsize::new(0);
        let take = || {
            let place = taken.fetch_add(1, Ordering::Relaxed);
            tasks.get(place).map(|task| (place, task))
        };
        let is_work_left = || taken.load(Ordering::Relaxed) < tasks.len();
        let (sender, receiver) = channel();

        std::thread::scope(|scope| {
            let (take, work) = (&take, &work);
            while let Some((place, task)) = take() {
                let helper = is_work_left().then(|| self.idle.take()).flatten();
                if let Some(mut helper) = helper {
                    let (sender, idle) = (sender.clone(), Arc::clone(&self.idle));
                    helper.compilation = self.own.compilation;
                    scope.spawn(move || {
                        while let Some((place, task)) = take() {
                            let _ = sender.send((place, work(&mut helper, task)));
                        }
                        idle.give(helper);
                    });
                }
                let _ = sender.send((place, work(&mut self.own, task)));
            }
        });

        drop(sender);
        let mut done: Vec<(usize, R)> = receiver.iter().collect();
        done.sort_by_key(|(place, _)| *place);
        done.into_iter().map(|(_, result)| result).collect()
    }
}

/// A screen with the cases that it stands for.
#[derive(Debug)]
pub struct CasesScreen<'a> {
    /// What is run.
    pub screen: Screen,
    /// Ids of the cases whose probes it looks at.
    pub cases: Vec<&'a str>,
}
