//! The interface of all kinds of attack.

use fastrand::Rng;

use crate::unix::sandbox::Sandbox;

/// One kind of attack, with endless variants or a fixed list.
pub(crate) trait Assault: Sync {
    /// Its name in the table and for `--only`; a single word.
    fn name(&self) -> &'static str;

    /// The number of its attacks.
    fn extent(&self) -> Extent;

    /// Carries out one attack in a fresh folder. The same number and the same random numbers give
    /// the same attack.
    fn attack(&self, number: u64, rng: &mut Rng, sandbox: &Sandbox) -> Outcome;
}

/// The number of attacks of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// A list, which is always carried out completely.
    List(u64),
    /// As many as the time allows.
    Endless {
        /// The number of attacks with `--full`.
        full: u64,
    },
}

/// The outcome of an attack.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The program did nothing wrong.
    Held,
    /// The program misbehaved, as described.
    Failed(String),
    /// This machine cannot carry out the attack, for this reason.
    NotTried(String),
}

impl From<Result<(), String>> for Outcome {
    fn from(result: Result<(), String>) -> Self {
        match result {
            Ok(()) => Self::Held,
            Err(reason) => Self::Failed(reason),
        }
    }
}
