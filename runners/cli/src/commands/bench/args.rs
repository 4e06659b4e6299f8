//! The arguments of `layoutproof bench`.

use clap::{Args, ValueEnum};

/// `layoutproof bench`.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Measure the suite itself instead: every built-in case through our own SPIR-V, as `run` does it, but for binding proofs.
    #[arg(long, conflicts_with_all = ["cases", "space", "design", "seed", "group", "load", "workers"])]
    pub suite: bool,
    /// Random cases.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub cases: u32,
    /// Only these devices.
    #[arg(long, value_delimiter = ',', value_name = "ID[,ID...]")]
    pub device: Vec<String>,
    /// Only blocks in these buffers.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub space: Vec<BenchSpace>,
    /// Only these designs.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub design: Vec<BenchDesign>,
    /// How often each design is measured; medians are printed.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: u32,
    /// Seed of the first case.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Cases of a fused module, instead of what is best for the device.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub group: Option<u32>,
    /// How fused cases load, instead of what is best for the device.
    #[arg(long, value_enum)]
    pub load: Option<BenchLoad>,
    /// Worker processes of the fused designs, instead of one per processor.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub workers: Option<u32>,
}

/// Buffers that `layoutproof bench` measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchSpace {
    /// Uniform buffers.
    Uniform,
    /// Storage buffers.
    Storage,
}

/// Designs that `layoutproof bench` measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchDesign {
    /// One pipeline per case, which stores every leaf, with the driver's own settings: what other suites do.
    Single,
    /// Many cases in a module, each of which stores one hash, with settings for fast compilation.
    Fused,
    /// The same with the cheapest use of each load, which proves less: what is left is the driver's own.
    Floor,
}

/// How fused cases load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchLoad {
    /// Scalar by scalar.
    Leaf,
    /// Whole vectors.
    Vector,
    /// The whole block.
    Whole,
}
