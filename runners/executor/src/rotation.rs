//! Chooses the checks that go through the screen, fused modules and settings that make a driver fast: none of them, or all
//! but a share that is another one in the next run.
//!
//! The screen leaves out what a driver's users have, and what a hash does not see, so it is good for finding candidates:
//! a share of the checks goes without, and so does again what fails with it.

use layoutproof_core::check::Check;
use layoutproof_core::stable_hash::stable_hash;

/// After so many runs in a row every check has had the driver's own settings once.
const TURNS: u64 = 8;

/// The share of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// Every check goes without the screen.
    All,
    /// Those go without whose turn it is in the run of this number.
    Turn(u64),
}

impl Rotation {
    /// True if a check goes without the screen. All rule sets of a case share their jobs, and so this.
    pub fn spares(self, check: &Check) -> bool {
        let Check { subject, produced, device } = check;
        let runner = device.runner.as_str();
        self.spares_name(&format!("{}::{}::{}::{runner}", subject.source.id, produced.producer, device.id))
    }

    fn spares_name(self, name: &str) -> bool {
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
            let turns = (0..TURNS).filter(|turn| Rotation::Turn(*turn).spares_name(&name)).collect::<Vec<_>>();
            let [turn] = turns[..] else { panic!("{name}: {turns:?}") };
            assert!(Rotation::Turn(turn + TURNS).spares_name(&name) && Rotation::All.spares_name(&name));
            shares[usize::try_from(turn).unwrap()] += 1;
        }
        assert!(shares.iter().all(|share| (60..140).contains(share)), "{shares:?} of 800");
    }
}
