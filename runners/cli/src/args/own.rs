//! The arguments for executing a user's own module.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};

/// How `run --own` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OwnFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// How a user's own module is executed.
#[derive(Debug, Args)]
pub struct OwnArgs {
    /// Execute FILE's own compute shader with a log.
    ///
    /// It runs on every Vulkan device, in a worker process with the limits of a run: with a log of where it reads and
    /// writes, then without. Its buffers are made from its declarations; each word is the number of its first byte. An
    /// index out of range is caught before the access. `--own=json` prints JSON.
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        hide_possible_values = true,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "text",
        requires = "inputs",
        conflicts_with_all = [
            "rules", "all", "producer", "through", "every_translator", "bindings", "no_compiler", "keep", "runner", "form", "space",
            "every_element",
            "stage", "shard", "caselist", "known", "no_known", "floors", "forbid_skip", "fail_fast", "retries", "resume",
            "no_fuse", "rotation", "save_known", "plant_misreading", "plant_fault", "plant_rules",
        ]
    )]
    pub own: Option<OwnFormat>,
    /// The workgroups of --own: X, or X,Y,Z. Default: 1,1,1.
    #[arg(long, value_name = "X,Y,Z", value_parser = workgroups, requires = "own")]
    pub dispatch: Option<[u32; 3]>,
    /// The bytes of a buffer, of uniforms or of push constants for --own.
    #[arg(long, value_name = "NAME=FILE", value_parser = named_file, requires = "own")]
    pub buffer: Vec<(String, PathBuf)>,
    /// The elements of a buffer's array without a length for --own.
    #[arg(long = "count", value_name = "NAME=N", value_parser = named_number, requires = "own")]
    pub elements: Vec<(String, u32)>,
}

fn workgroups(text: &str) -> anyhow::Result<[u32; 3]> {
    let mut groups = [1; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > groups.len() {
        bail!("a dispatch has at most three numbers");
    }
    for (group, part) in groups.iter_mut().zip(parts) {
        *group = part
            .parse()
            .ok()
            .filter(|groups| *groups > 0)
            .with_context(|| format!("`{part}` is no number of workgroups"))?;
    }
    Ok(groups)
}

fn named_file(text: &str) -> anyhow::Result<(String, PathBuf)> {
    let (name, file) = text.split_once('=').context("it has the form NAME=FILE")?;
    Ok((name.to_owned(), PathBuf::from(file)))
}

fn named_number(text: &str) -> anyhow::Result<(String, u32)> {
    let (name, number) = text.split_once('=').context("it has the form NAME=N")?;
    Ok((name.to_owned(), number.parse().with_context(|| format!("`{number}` is no number of elements"))?))
}
