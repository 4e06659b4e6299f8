//! Spreads numbered work items over threads.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Calls `work` once for each number below `count`, on at most `threads` threads (0 means one per
/// core), with the state of the thread and the numbers of the item and of the thread. Returns the
/// results in the order of the items, and the states in that of the threads.
pub(crate) fn map_in_parallel<Result: Send, State: Default + Send>(
    count: usize,
    threads: u32,
    work: impl Fn(&mut State, usize, usize) -> Result + Sync,
) -> (Vec<Result>, Vec<State>) {
    let next = AtomicUsize::new(0);
    let run_thread = |thread: usize| {
        let mut state = State::default();
        let mut results = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return (results, state);
            }
            results.push((number, work(&mut state, number, thread)));
        }
    };

    let threads = thread_count(threads).min(count).max(1);
    let finished: Vec<(Vec<(usize, Result)>, State)> = if threads == 1 {
        vec![run_thread(0)]
    } else {
        std::thread::scope(|scope| {
            let run_thread = &run_thread;
            let handles: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run_thread(thread))).collect();
            let joined = handles.into_iter().map(std::thread::ScopedJoinHandle::join);
            joined.map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        })
    };

    let (numbered, states): (Vec<_>, Vec<_>) = finished.into_iter().unzip();
    let mut numbered: Vec<(usize, Result)> = numbered.into_iter().flatten().collect();
    numbered.sort_by_key(|(number, _)| *number);
    (numbered.into_iter().map(|(_, result)| result).collect(), states)
}

fn thread_count(threads: u32) -> usize {
    match threads {
        0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        count => usize::try_from(count).unwrap_or(1),
    }
}
