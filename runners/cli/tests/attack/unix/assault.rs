//! What all kinds of attack have in common.

use fastrand::Rng;

use crate::unix::sandbox::Sandbox;

/// One kind of attack, of which there are many or a fixed list.
pub(crate) trait Assault: Sync {
    /// Its name in the table and behind `--only`; a single word.
    fn name(&self) -> &'static str;

    /// How many there are.
    fn extent(&self) -> Extent;

    /// Carries out one attack in a fresh folder. The same number and the same random numbers make the same attack.
    fn attack(&self, number: u64, rng: &mut Rng, sandbox: &Sandbox) -> Outcome;
}

/// How many attacks of a kind there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// A list: all of it is always carried out.
    List(u64),
    /// As many as there is time for.
    Endless {
        /// How many of them `--full` asks for.
        full: u64,
    },
}

/// What one attack came to.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The program did nothing wrong.
    Held,
    /// The program did something wrong; in a sentence or more.
    Failed(String),
    /// This machine cannot carry the attack out, for this reason.
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
