//! Limits the time of work that may be left undone.

use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// How many times as long as on a quiet machine the work may take on a busy one.
const LONGEST: u32 = 3;

/// Ticks of the processor time in `/proc` per second. Linux promises them to programs, whatever the kernel's own are.
#[cfg(target_os = "linux")]
const TICKS: u64 = 100;

/// The time for some work. Where the system tells what the program and its finished children used of the processors, a
/// machine that is busy with other things does not shorten it.
#[derive(Clone, Copy, Debug)]
pub(super) struct WorkTime {
    limit: Duration,
    started: Instant,
    used_before: Option<Duration>,
    /// How many processors the work may use.
    processors: u32,
}

impl WorkTime {
    pub(super) fn start(limit: Duration) -> Self {
        let processors = available_parallelism().map_or(1, |count| u32::try_from(count.get()).unwrap_or(u32::MAX));
        Self { limit, started: Instant::now(), used_before: processor_time(), processors }
    }

    /// Seconds since the start.
    pub(super) fn seconds(&self) -> u64 {
        self.started.elapsed().as_secs()
    }

    pub(super) fn is_left(&self) -> bool {
        let used = processor_time().zip(self.used_before).map(|(now, before)| now.saturating_sub(before));
        self.is_left_after(self.started.elapsed(), used)
    }

    fn is_left_after(&self, elapsed: Duration, used: Option<Duration>) -> bool {
        let full = self.limit * self.processors;
        elapsed < self.limit || (elapsed < self.limit * LONGEST && used.is_some_and(|used| used < full))
    }
}

/// The time of the program and its finished children on processors, of its code and in the kernel.
#[cfg(target_os = "linux")]
fn processor_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the name in parentheses, which may have any letters; the 14th to 17th are the times.
    let (_, rest) = stat.rsplit_once(')')?;
    let times: Vec<u64> = rest.split_whitespace().skip(11).take(4).filter_map(|field| field.parse().ok()).collect();
    (times.len() == 4).then(|| Duration::from_millis(times.iter().sum::<u64>() * 1000 / TICKS))
}

#[cfg(not(target_os = "linux"))]
fn processor_time() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_machine_has_more_time() {
        let time = WorkTime { processors: 2, ..WorkTime::start(Duration::from_secs(10)) };
        let is_left = |elapsed, used: Option<u64>| {
            time.is_left_after(Duration::from_secs(elapsed), used.map(Duration::from_secs))
        };
        assert!(is_left(9, Some(18)) && is_left(9, None));
        assert!(is_left(12, Some(19)) && !is_left(12, Some(20)) && !is_left(12, None));
        assert!(!is_left(30, Some(3)));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn work_uses_processor_time() {
        let before = processor_time().unwrap();
        let started = Instant::now();
        while processor_time().unwrap() == before {
            assert!(started.elapsed() < Duration::from_secs(60));
        }
    }
}
