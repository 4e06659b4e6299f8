//! Runs work on devices with one thread per processor, or as many as the user asks for. Each thread
//! has its own worker processes.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use layoutproof_device::{DeviceInfo, Job};

use crate::device_workers::{DeviceWorkers, JobAnswers};
use crate::drivers::DriverCompilation;
use crate::launch::Launch;

/// Most jobs of a check that a worker gets at once.
const SHARE: usize = 8;

/// Gives every task to a thread with workers, and passes the results that `work` hands over to `done` on
/// the calling thread, as they arrive. Threads without a task help the others.
///
/// Tasks start in order, but may finish in any order. Once the user requests an end, no further
/// task starts, and the results of running tasks are dropped, because Ctrl-C may have caused them.
pub fn run<T: Send, R: Send>(
    tasks: Vec<T>,
    launch: &Launch,
    work: impl Fn(T, &mut Workers<'_>, &mut dyn FnMut(R)) + Sync,
    mut done: impl FnMut(R),
) {
    let wanted = launch.thread_count();
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
                    work(task, &mut workers, &mut |result| {
                        if !launch.interrupt.is_set() {
                            // The receiver lives as long as this scope.
                            let _ = sender.send(result);
                        }
                    });
                    if launch.interrupt.is_set() {
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

/// Workers without a task.
#[derive(Debug)]
struct IdleWorkers<'a>(Mutex<Vec<DeviceWorkers<'a>>>);

impl<'a> IdleWorkers<'a> {
    fn take(&self) -> Option<DeviceWorkers<'a>> {
        self.0.lock().ok().and_then(|mut idle| idle.pop())
    }

    fn give(&self, workers: DeviceWorkers<'a>) {
        // If a thread has panicked, the workers are dropped, which ends their processes.
        if let Ok(mut idle) = self.0.lock() {
            idle.push(workers);
        }
    }
}

/// The workers that a task runs its jobs with.
#[derive(Debug)]
pub struct Workers<'a> {
    own: DeviceWorkers<'a>,
    /// Idle workers that may help.
    idle: Arc<IdleWorkers<'a>>,
}

impl<'a> Workers<'a> {
    /// Runs jobs of a case on a device whose driver compiles them with these settings.
    pub(crate) fn run(
        &mut self,
        device: &DeviceInfo,
        case: &str,
        compilation: DriverCompilation,
        jobs: &[Job],
    ) -> JobAnswers {
        let fatal_jobs = AtomicU32::new(0);
        let shares: Vec<&[Job]> = jobs.chunks(SHARE).collect();
        let answers =
            self.share_out(&shares, |workers, share| workers.run(device, case, compilation, share, &fatal_jobs));
        let mut all = JobAnswers::default();
        for JobAnswers { results, faults } in answers {
            all.results.extend(results);
            all.faults.extend(faults);
        }
        all
    }

    /// True once the user ends the run: what is answered from now on counts no more.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.own.launch.interrupt.is_set()
    }

    /// Reports the number of leaves that a device has read or written to the run's watcher.
    pub(crate) fn tell_accessed(&self, accesses: usize) {
        self.own.launch.watcher.accessed(accesses);
    }

    /// Gives each piece of work to the first free workers: these, or idle ones of other threads.
    /// Results are in the order of the pieces.
    pub(crate) fn share_out<T: Sync, R: Send>(
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
