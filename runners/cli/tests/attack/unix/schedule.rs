//! The order of the attacks: first the complete lists, if there is time for them, then all other
//! kinds in turn until the time is up.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use fastrand::Rng;
use layoutproof_source::stable_hash::stable_hash;

use crate::unix::assault::{Assault, Extent, Outcome};
use crate::unix::options::{Options, Wanted};
use crate::unix::sandbox::Sandbox;
use crate::unix::tally::{Failure, Tally};

/// One attack: its kind and its number.
#[derive(Clone, Copy, Debug)]
struct Turn {
    kind: usize,
    number: u64,
}

/// The order of the attacks.
struct Schedule {
    /// The attacks that are always carried out.
    first: Vec<Turn>,
    /// Kinds that then take turns until the time is up.
    then: Vec<usize>,
}

/// Carries out the selected attacks and counts them by kind.
pub(crate) fn carry_out(assaults: &[Box<dyn Assault>], options: &Options) -> Vec<Tally> {
    let tallies: Vec<Mutex<Tally>> =
        assaults.iter().map(|assault| Mutex::new(Tally::new(assault.name().to_owned()))).collect();
    let schedule = Schedule::new(assaults, options);
    let next = AtomicUsize::new(0);
    let end = Instant::now() + options.time();

    std::thread::scope(|scope| {
        for _ in 0..options.threads.max(1) {
            scope.spawn(|| {
                loop {
                    let ticket = next.fetch_add(1, Ordering::Relaxed);
                    let Some(turn) = schedule.turn(ticket, assaults, options.seed()) else { break };
                    if ticket >= schedule.first.len() && Instant::now() > end {
                        break;
                    }
                    let tally = attack(assaults[turn.kind].as_ref(), turn.number, options.seed());
                    tallies[turn.kind].lock().unwrap().add(tally);
                }
            });
        }
    });
    tallies.into_iter().map(|tally| tally.into_inner().unwrap()).collect()
}

impl Schedule {
    fn new(assaults: &[Box<dyn Assault>], options: &Options) -> Self {
        let (mut first, mut then) = (Vec::new(), Vec::new());
        for (kind, assault) in assaults.iter().enumerate() {
            let turns = |count: u64| (0..count).map(move |number| Turn { kind, number });
            match (options.wanted(assault.name()), assault.extent()) {
                (Wanted::None, _) => {}
                (Wanted::Number(number), _) => first.push(Turn { kind, number }),
                (Wanted::All, Extent::List(count)) if options.takes_lists_whole() => first.extend(turns(count)),
                (Wanted::All, Extent::Endless { full }) if options.full => first.extend(turns(full)),
                (Wanted::All, Extent::List(_) | Extent::Endless { .. }) => then.push(kind),
            }
        }
        // Mix attacks that wait with those that compute.
        Rng::with_seed(options.seed()).shuffle(&mut first);
        Self { first, then }
    }

    /// The attack for this ticket; `None` at the end of the schedule.
    fn turn(&self, ticket: usize, assaults: &[Box<dyn Assault>], seed: u64) -> Option<Turn> {
        if let Some(turn) = self.first.get(ticket) {
            return Some(*turn);
        }
        let later = ticket - self.first.len();
        let kind = *self.then.get(later.checked_rem(self.then.len())?)?;
        let round = u64::try_from(later / self.then.len()).unwrap_or(u64::MAX);
        let number = match assaults[kind].extent() {
            // Each seed starts at another part of the list.
            Extent::List(count) => seed.wrapping_add(round) % count,
            Extent::Endless { .. } => round,
        };
        Some(Turn { kind, number })
    }
}

/// Carries out one attack in a separate folder, which is kept if the attack succeeds.
fn attack(assault: &dyn Assault, number: u64, seed: u64) -> Tally {
    let name = assault.name();
    let mut rng = Rng::with_seed(stable_hash(&format!("{seed} {name} {number}")));
    let sandbox = Sandbox::new();
    let mut tally = Tally::new(name.to_owned());
    match assault.attack(number, &mut rng, &sandbox) {
        Outcome::Held => tally.attacks = 1,
        Outcome::Failed(reason) => {
            tally.attacks = 1;
            let kept = sandbox.keep(&kept_folder(name, number));
            tally.failures.push(Failure { number, reason, kept });
        }
        Outcome::NotTried(reason) => tally.not_tried.push(reason),
    }
    tally
}

fn kept_folder(name: &str, number: u64) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("attack").join(format!("{name}-{number}"))
}
