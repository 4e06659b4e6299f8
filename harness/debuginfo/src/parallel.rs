//! Spreads numbered work items over threads.

use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) struct ParallelResults<Result, State> {
    /// One result per work item, in order.
    pub(crate) results: Vec<Result>,
    /// The state of each thread, by [`Numbered::thread`].
    pub(crate) states: Vec<State>,
}

/// A work item as a thread sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbered {
    pub(crate) work: usize,
    pub(crate) thread: usize,
}

/// Calls `work` once for each number below `count`, on at most `threads` threads (0 means one per
/// core).
pub(crate) fn map_in_parallel<Result: Send, State: Default + Send>(
    count: usize,
    threads: u32,
    work: impl Fn(&mut State, Numbered) -> Result + Sync,
) -> ParallelResults<Result, State> {
    let next = AtomicUsize::new(0);
    let run_thread = |thread: usize| {
        let mut state = State::default();
        let mut results = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return ThreadResults { state, results };
            }
            let result = work(&mut state, Numbered { work: number, thread });
            results.push(NumberedResult { number, result });
        }
    };

    let threads = thread_count(threads).min(count).max(1);
    let finished: Vec<ThreadResults<Result, State>> = if threads == 1 {
        vec![run_thread(0)]
    } else {
        std::thread::scope(|scope| {
            let run_thread = &run_thread;
            let handles: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run_thread(thread))).collect();
            handles
                .into_iter()
                .map(|handle| handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    };

    let mut numbered = Vec::with_capacity(count);
    let mut states = Vec::with_capacity(threads);
    for thread in finished {
        numbered.extend(thread.results);
        states.push(thread.state);
    }
    numbered.sort_by_key(|result| result.number);
    ParallelResults { results: numbered.into_iter().map(|numbered| numbered.result).collect(), states }
}

struct ThreadResults<Result, State> {
    state: State,
    results: Vec<NumberedResult<Result>>,
}

struct NumberedResult<Result> {
    number: usize,
    result: Result,
}

fn thread_count(threads: u32) -> usize {
    match threads {
        0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        count => usize::try_from(count).unwrap_or(1),
    }
}
