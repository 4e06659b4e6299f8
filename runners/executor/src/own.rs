//! Executes a user's own module on devices, in workers with the limits of every run.

use layoutproof_device::{DeviceInfo, Job, ReadBack, RunnerError};

use crate::drivers::DriverCompilation;
use crate::launch::Launch;
use crate::pool;

/// Runs the jobs of `plan` on each device. `plan` gets the answers so far of a device, and returns the next job, or none
/// if the device is done. Answers are in the order of the devices.
pub fn run_own(
    devices: &[DeviceInfo],
    launch: &Launch,
    name: &str,
    plan: impl Fn(&[Answer]) -> Option<Job> + Sync,
) -> Vec<Vec<Answer>> {
    let mut all: Vec<Vec<Answer>> = devices.iter().map(|_| Vec::new()).collect();
    let tasks: Vec<usize> = (0..devices.len()).collect();
    pool::run(
        tasks,
        launch,
        |index, workers, done| {
            let device = &devices[index];
            let mut answers = Vec::new();
            while let Some(job) = plan(&answers).filter(|_| !workers.is_interrupted()) {
                answers.extend(workers.run(device, name, DriverCompilation::Own, &[job]).results);
            }
            done((index, answers));
        },
        |(index, answers)| all[index] = answers,
    );
    all
}

/// The answer to a job.
pub type Answer = Result<ReadBack, RunnerError>;
