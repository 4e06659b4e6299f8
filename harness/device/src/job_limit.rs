//! Time limits of a job, and of its runner's wait for the device.

use std::time::Duration;

/// Default time limit of one job, shader compilation included. A busy machine needs tens of seconds
/// for some compilers' output.
pub const JOB_LIMIT: Duration = Duration::from_secs(60);

/// The time that a runner waits for its device under a limit of `job_limit`: five sixths of it.
/// This lets the runner report a hanging device before its process is ended.
pub fn device_wait(job_limit: Duration) -> Duration {
    job_limit.saturating_mul(5) / 6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runner_gives_up_before_it_is_ended() {
        assert_eq!(device_wait(JOB_LIMIT), Duration::from_secs(50));
        assert_eq!(device_wait(Duration::from_secs(600)), Duration::from_secs(500));
        assert!(device_wait(Duration::MAX) < Duration::MAX);
    }
}
