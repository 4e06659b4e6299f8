//! `--shard auto`: reads the shard of this process from the variables that a scheduler sets.

use anyhow::{Context, anyhow, bail};
use layoutproof_records::shard::Shard;

/// A scheduler's variables that number several equal processes.
struct Scheduler {
    name: &'static str,
    index: &'static str,
    total: &'static str,
    /// The number of the first process, or the variable that holds it.
    first: FirstIndex,
}

enum FirstIndex {
    Number(u32),
    Variable(&'static str),
}

/// The innermost scheduler first: a Bazel test within a GitLab job is a shard of Bazel's.
///
/// Sources: Bazel, "Test encyclopedia", test sharding; Slurm, `sbatch`, job arrays; GitLab, Buildkite and CircleCI, lists of
/// predefined variables.
const SCHEDULERS: [Scheduler; 5] = [
    Scheduler { name: "Bazel", index: "TEST_SHARD_INDEX", total: "TEST_TOTAL_SHARDS", first: FirstIndex::Number(0) },
    Scheduler {
        name: "Slurm",
        index: "SLURM_ARRAY_TASK_ID",
        total: "SLURM_ARRAY_TASK_COUNT",
        first: FirstIndex::Variable("SLURM_ARRAY_TASK_MIN"),
    },
    Scheduler {
        name: "Buildkite",
        index: "BUILDKITE_PARALLEL_JOB",
        total: "BUILDKITE_PARALLEL_JOB_COUNT",
        first: FirstIndex::Number(0),
    },
    Scheduler {
        name: "CircleCI",
        index: "CIRCLE_NODE_INDEX",
        total: "CIRCLE_NODE_TOTAL",
        first: FirstIndex::Number(0),
    },
    Scheduler { name: "GitLab", index: "CI_NODE_INDEX", total: "CI_NODE_TOTAL", first: FirstIndex::Number(1) },
];

/// A scheduler that sets not all of the needed variables, and advice for its users.
struct SilentScheduler {
    variable: &'static str,
    advice: &'static str,
}

const SILENT: [SilentScheduler; 2] = [
    SilentScheduler {
        variable: "JOB_COMPLETION_INDEX",
        advice: "Kubernetes sets no variable for a job's number of pods: write --shard $((JOB_COMPLETION_INDEX + 1))/N",
    },
    SilentScheduler {
        variable: "GITHUB_ACTIONS",
        advice: "GitHub sets no variable for the jobs of a matrix: write \
                 --shard $((${{ strategy.job-index }} + 1))/${{ strategy.job-total }}",
    },
];

/// The shard of this process; `variable` looks up an environment variable.
pub(super) fn scheduled_shard(variable: impl Fn(&str) -> Option<String>) -> anyhow::Result<Shard> {
    if let Some(scheduler) = SCHEDULERS.iter().find(|scheduler| variable(scheduler.index).is_some()) {
        return scheduler.shard(variable);
    }
    if let Some(silent) = SILENT.iter().find(|silent| variable(silent.variable).is_some()) {
        bail!(silent.advice);
    }
    let known: Vec<&str> = SCHEDULERS.iter().map(|scheduler| scheduler.index).collect();
    bail!("no scheduler gave this process a shard: none of {} is set", known.join(", "))
}

impl Scheduler {
    fn shard(&self, variable: impl Fn(&str) -> Option<String>) -> anyhow::Result<Shard> {
        let number = |name: &str| {
            let text = variable(name).with_context(|| format!("{} sets {} and not {name}", self.name, self.index))?;
            text.parse::<u32>().map_err(|_| anyhow!("{name} is `{text}`, not a number"))
        };
        let (index, of) = (number(self.index)?, number(self.total)?);
        let first = match self.first {
            FirstIndex::Number(first) => first,
            FirstIndex::Variable(name) => number(name)?,
        };

        match index.checked_sub(first) {
            Some(place) if place < of => Ok(Shard { number: place + 1, of }),
            Some(_) | None => bail!(
                "{} sets {} to {index} of {of} from {first}: shards must be numbered without gaps",
                self.name,
                self.index
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(variables: &[&str]) -> Result<String, String> {
        let value = |name: &str| variables.iter().find_map(|entry| entry.strip_prefix(&format!("{name}=")));
        let shard = scheduled_shard(|name| value(name).map(str::to_owned));
        shard.map(|shard| shard.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn each_scheduler_counts_in_its_own_way() {
        let last_of_three: [&[&str]; 5] = [
            &["SLURM_ARRAY_TASK_ID=7", "SLURM_ARRAY_TASK_MIN=5", "SLURM_ARRAY_TASK_COUNT=3"],
            &["CI_NODE_INDEX=3", "CI_NODE_TOTAL=3"],
            &["BUILDKITE_PARALLEL_JOB=2", "BUILDKITE_PARALLEL_JOB_COUNT=3"],
            &["CIRCLE_NODE_INDEX=2", "CIRCLE_NODE_TOTAL=3"],
            &["TEST_SHARD_INDEX=2", "TEST_TOTAL_SHARDS=3", "CI_NODE_INDEX=1", "CI_NODE_TOTAL=9"],
        ];
        for variables in last_of_three {
            assert_eq!(shard(variables), Ok("3/3".to_owned()), "{variables:?}");
        }
    }

    #[test]
    fn what_makes_no_shard_is_refused_with_words() {
        let refused = |variables: &[&str], words: &str| {
            let error = shard(variables).unwrap_err();
            assert!(error.contains(words), "{error}");
        };
        refused(&[], "no scheduler gave this process a shard");
        refused(&["CI_NODE_INDEX=1"], "GitLab sets CI_NODE_INDEX and not CI_NODE_TOTAL");
        refused(&["CI_NODE_INDEX=0", "CI_NODE_TOTAL=3"], "without gaps");
        refused(&["TEST_SHARD_INDEX=x", "TEST_TOTAL_SHARDS=3"], "`x`, not a number");
        let gaps = ["SLURM_ARRAY_TASK_ID=9", "SLURM_ARRAY_TASK_MIN=1", "SLURM_ARRAY_TASK_COUNT=3"];
        refused(&gaps, "without gaps");
        refused(&["JOB_COMPLETION_INDEX=1"], "Kubernetes sets no variable");
        refused(&["GITHUB_ACTIONS=true"], "strategy.job-index");
    }
}
