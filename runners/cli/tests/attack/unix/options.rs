//! The arguments of `ci/attack`.

use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Parser;

/// From this many minutes on, lists of attacks are carried out completely.
const WHOLE_LISTS: f64 = 5.0;

/// Attacks the built program from outside; exit code 1 if something did not hold.
#[derive(Debug, Parser)]
#[command(name = "ci/attack")]
pub(crate) struct Options {
    /// How long to go on. From five minutes on the lists of attacks (compilers, folders, outputs) are carried out whole,
    /// even if that takes longer; in less time they take turns with the others.
    #[arg(long, default_value_t = 10.0, value_name = "N")]
    pub(crate) minutes: f64,
    /// The figures of a release instead of a time: 20,000 mutated inputs and 1,000 injected faults. ci/attack then has the
    /// fuzz targets read a million inputs as well.
    #[arg(long, conflicts_with = "minutes")]
    pub(crate) full: bool,
    /// Which attacks are drawn; another number each time unless said.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Only this kind, or only its attack of this number.
    #[arg(long, value_name = "KIND[:NUMBER]")]
    pub(crate) only: Vec<String>,
    /// Attacks at the same time. Many of them wait rather than work.
    #[arg(long, default_value_t = 4, value_name = "N")]
    pub(crate) threads: usize,
    /// List the kinds.
    #[arg(long)]
    pub(crate) list: bool,
}

impl Options {
    /// The seed of this run.
    pub(crate) fn seed(&self) -> u64 {
        static OF_THE_CLOCK: OnceLock<u64> = OnceLock::new();
        self.seed.unwrap_or_else(|| {
            *OF_THE_CLOCK.get_or_init(|| SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()))
        })
    }

    /// True if lists of attacks are carried out completely.
    pub(crate) fn takes_lists_whole(&self) -> bool {
        self.full || self.minutes >= WHOLE_LISTS || !self.only.is_empty()
    }

    /// How long to go on.
    pub(crate) fn time(&self) -> Duration {
        Duration::from_secs_f64(self.minutes.max(0.0) * 60.0)
    }

    /// The attacks of a kind that the options select.
    pub(crate) fn wanted(&self, kind: &str) -> Wanted {
        if self.only.is_empty() {
            return Wanted::All;
        }
        let found = self.only.iter().find_map(|only| match only.split_once(':') {
            Some((name, number)) if name == kind => number.parse().ok().map(Wanted::Number),
            Some(_) => None,
            None => (only == kind).then_some(Wanted::All),
        });
        found.unwrap_or(Wanted::None)
    }
}

/// The selected attacks of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// None.
    None,
    /// As many as the options ask for.
    All,
    /// The attack with this number.
    Number(u64),
}
