//! Which checks drivers compile with their own settings: all of them, or a share that is another one in the next run.
//!
//! Settings that make a driver fast leave out what its users have, so they are good for finding candidates: a share of
//! the checks goes without, and so does again what fails with them.

use layoutproof::check::Check;
use layoutproof::stable_hash::stable_hash;

use crate::drivers::Compilation;

/// After so many runs in a row every check has had the driver's own settings once.
const TURNS: u64 = 8;

/// The share of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rotation {
    /// Every check is compiled with the driver's own settings.
    All,
    /// Those whose turn it is in the run of this number.
    Turn(u64),
}

impl Rotation {
    /// How the shaders of a check are compiled. All rule sets of a case share their jobs, and so this.
    pub(crate) fn compilation(self, check: &Check) -> Compilation {
        let Check { subject, produced, device } = check;
        let runner = device.runner.as_str();
        let name = format!("{}::{}::{}::{runner}", subject.source.id, produced.producer, device.id);
        if self.is_own(&name) { Compilation::Own } else { Compilation::fastest(device) }
    }

    fn is_own(self, name: &str) -> bool {
        match self {
            Self::All => true,
            // The upper half of the hash depends on every letter.
            Self::Turn(number) => (stable_hash(name) >> 32) % TURNS == number % TURNS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_has_its_turn_once() {
        let mut shares = [0; 8];
        for name in (0..800).map(|number| format!("arrays/case_{number}::rspirv::lavapipe::ash")) {
            let turns = (0..TURNS).filter(|turn| Rotation::Turn(*turn).is_own(&name)).collect::<Vec<_>>();
            let [turn] = turns[..] else { panic!("{name}: {turns:?}") };
            assert!(Rotation::Turn(turn + TURNS).is_own(&name) && Rotation::All.is_own(&name));
            shares[usize::try_from(turn).unwrap()] += 1;
        }
        assert!(shares.iter().all(|share| (60..140).contains(share)), "{shares:?} of 800");
    }
}
