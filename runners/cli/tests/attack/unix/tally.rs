//! Counts attacks by kind, and prints the table.
#![expect(clippy::print_stdout, reason = "this module prints")]

use std::path::PathBuf;

use crate::unix::assault::{Assault, Extent};

/// Number of failures per kind that are printed; all are counted.
const PRINTED: usize = 8;

/// Number of characters of a reason that are printed; the kept folder has the rest.
const REASON: usize = 1500;

/// The attacks of one kind.
#[derive(Debug)]
pub(crate) struct Tally {
    pub(crate) name: String,
    /// Number of attacks.
    pub(crate) attacks: usize,
    /// The attacks that the program did not withstand.
    pub(crate) failures: Vec<Failure>,
    /// Reasons for skipped attacks, one sentence each.
    pub(crate) not_tried: Vec<String>,
}

/// An attack that the program did not withstand.
#[derive(Debug)]
pub(crate) struct Failure {
    /// Number of the attack within its kind.
    pub(crate) number: u64,
    /// What the program did.
    pub(crate) reason: String,
    /// The kept folder of the attack.
    pub(crate) kept: PathBuf,
}

impl Tally {
    /// A tally without attacks.
    pub(crate) fn new(name: String) -> Self {
        Self { name, attacks: 0, failures: Vec::new(), not_tried: Vec::new() }
    }

    /// Adds another tally of the same kind.
    pub(crate) fn add(&mut self, other: Self) {
        self.attacks += other.attacks;
        self.failures.extend(other.failures);
        self.failures.sort_by_key(|failure| failure.number);
        self.not_tried.extend(other.not_tried);
    }
}

/// Prints the table, then each failure with the command to reproduce it.
pub(crate) fn print(tallies: &[Tally], seed: u64) {
    println!("{:<24}{:>9}{:>9}{:>11}", "kind", "attacks", "failed", "not tried");
    for tally in tallies.iter().filter(|tally| tally.attacks + tally.not_tried.len() > 0) {
        println!("{:<24}{:>9}{:>9}{:>11}", tally.name, tally.attacks, tally.failures.len(), tally.not_tried.len());
    }
    let attacks: usize = tallies.iter().map(|tally| tally.attacks).sum();
    let failed: usize = tallies.iter().map(|tally| tally.failures.len()).sum();
    let not_tried: usize = tallies.iter().map(|tally| tally.not_tried.len()).sum();
    println!("{:<24}{attacks:>9}{failed:>9}{not_tried:>11}    seed {seed}", "all");

    for tally in tallies {
        print_reasons(tally, seed);
    }
}

fn print_reasons(tally: &Tally, seed: u64) {
    let mut reasons: Vec<&String> = tally.not_tried.iter().collect();
    reasons.sort();
    reasons.dedup();
    for reason in reasons {
        println!("\nnot tried  {}: {reason}", tally.name);
    }
    for failure in tally.failures.iter().take(PRINTED) {
        let Failure { number, reason, kept } = failure;
        let shown: String = reason.chars().take(REASON).collect();
        println!("\nfailed     {}:{number}: {}", tally.name, harmless(&shown));
        println!("           folder {}", kept.display());
        println!("           again  ci/attack --seed {seed} --only {}:{number}", tally.name);
    }
    if let Some(more) = tally.failures.len().checked_sub(PRINTED + 1) {
        println!("\nfailed     {}: and {} more", tally.name, more + 1);
    }
}

/// Escapes the control characters of a text, except line ends and tabs.
fn harmless(text: &str) -> String {
    let escaped = |sign: char| match sign {
        '\n' | '\t' => sign.to_string(),
        _ if sign.is_control() => sign.escape_unicode().to_string(),
        _ => sign.to_string(),
    };
    text.chars().map(escaped).collect()
}

/// Prints the kinds of attack.
pub(crate) fn print_names(assaults: &[Box<dyn Assault>]) {
    for assault in assaults {
        let extent = match assault.extent() {
            Extent::List(count) => format!("{count} attacks"),
            Extent::Endless { full } => format!("{full} attacks with --full"),
        };
        println!("{:<24}{extent}", assault.name());
    }
}
