//! Measures the processor time and memory of processes, from Linux's `/proc`. Other systems are not
//! supported.
//!
//! Source: proc(5), `/proc/pid/stat` and `/proc/pid/status`.

use std::fs;
use std::iter::Sum;
use std::time::Duration;

/// Processor time and memory that one or several processes have used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ProcessUsage {
    /// Processor time of all threads, in steps of 10 ms.
    pub(super) cpu: Duration,
    /// Peak resident memory in bytes.
    pub(super) peak_bytes: u64,
}

/// Linux reports processor time in hundredths of a second on all machines (`USER_HZ`).
const TICK: Duration = Duration::from_millis(10);

impl ProcessUsage {
    /// The usage of a process; `None` if the system does not report it.
    pub(super) fn of(process: u32) -> Option<Self> {
        Self::in_folder(&format!("/proc/{process}"))
    }

    /// The usage of this process.
    pub(super) fn of_this_process() -> Option<Self> {
        Self::in_folder("/proc/self")
    }

    fn in_folder(folder: &str) -> Option<Self> {
        let stat = fs::read_to_string(format!("{folder}/stat")).ok()?;
        let status = fs::read_to_string(format!("{folder}/status")).ok()?;
        Some(Self { cpu: cpu(&stat)?, peak_bytes: peak(&status)? })
    }

    /// The usage between two moments; the peak is the later one.
    pub(super) fn since(before: Option<Self>, after: Option<Self>) -> Option<Self> {
        let (before, after) = before.zip(after)?;
        Some(Self { cpu: after.cpu.saturating_sub(before.cpu), ..after })
    }
}

impl Sum for ProcessUsage {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            cpu: sum.cpu + one.cpu,
            peak_bytes: sum.peak_bytes + one.peak_bytes,
        })
    }
}

/// `utime` and `stime`, the 14th and 15th field of a `stat` line. The second field, in parentheses,
/// may contain spaces.
fn cpu(stat: &str) -> Option<Duration> {
    let (_, behind_name) = stat.rsplit_once(')')?;
    let mut fields = behind_name.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u32>().ok();
    Some(TICK * ticks()?.checked_add(ticks()?)?)
}

/// `VmHWM` of a `status` file, converted from kibibytes to bytes.
fn peak(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kibibytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines as Linux 6.1 prints them; the fields are those of proc(5).
    #[test]
    fn fields_are_found() {
        let stat = "37 (a) b) S 1 37 37 0 -1 4194560 5093 0 12 0 250 13 0 0 20 0 5 0 8170 1 2 3\n";
        assert_eq!(cpu(stat), Some(Duration::from_millis(2630)));
        assert_eq!(cpu("37 (a"), None);
        assert_eq!(peak("Name:\ta\nVmHWM:\t   20480 kB\nVmRSS:\t 1 kB\n"), Some(20 << 20));
        assert_eq!(peak("Name:\ta\n"), None);
    }

    #[test]
    fn what_is_used_grows() {
        let usage = |cpu, peak_bytes| Some(ProcessUsage { cpu: Duration::from_millis(cpu), peak_bytes });
        assert_eq!(ProcessUsage::since(usage(20, 5), usage(90, 7)), usage(70, 7));
        assert_eq!(ProcessUsage::since(None, usage(90, 7)), None);
        assert_eq!([usage(1, 2), usage(3, 4)].into_iter().sum::<Option<ProcessUsage>>(), usage(4, 6));
    }
}
