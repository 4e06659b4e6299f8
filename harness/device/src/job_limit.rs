//! How long a job may take on a device, and how long its runner waits for it.

use std::time::Duration;

/// How long one job may take where the user says nothing, its shader's compilation included: a busy machine needs tens of
/// seconds for some of what compilers make.
pub const JOB_LIMIT: Duration = Duration::from_secs(60);

/// How long a runner waits for its device where a job may take `job_limit`: five sixths of it, so that the runner can say that
/// the device hangs before the process that runs it is ended.
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
