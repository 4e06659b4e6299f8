//! Which attack is carried out when: first the lists, then the endless kinds in turn until the time is up.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use fastrand::Rng;
use layoutproof::stable_hash::stable_hash;

use crate::unix::assault::{Assault, Extent, Outcome};
use crate::unix::options::{Options, Wanted};
use crate::unix::sandbox::Sandbox;
use crate::unix::tally::{Failure, Tally};

/// One attack: which kind, which number of it.
#[derive(Clone, Copy, Debug)]
struct Turn {
    kind: usize,
    number: u64,
}

/// Carries out what the options ask for and counts it, kind by kind.
pub(crate) fn carry_out(assaults: &[Box<dyn Assault>], options: &Options) -> Vec<Tally> {
    let tallies: Vec<Mutex<Tally>> =
        assaults.iter().map(|assault| Mutex::new(Tally::new(assault.name().to_owned()))).collect();
    let (first, then) = turns(assaults, options);
    let next = AtomicUsize::new(0);
    let end = Instant::now() + options.time();

    std::thread::scope(|scope| {
        for _ in 0..options.threads.max(1) {
            scope.spawn(|| {
                loop {
                    let ticket = next.fetch_add(1, Ordering::Relaxed);
                    let Some(turn) = turn(&first, &then, ticket) else { break };
                    if ticket >= first.len() && !options.full && Instant::now() > end {
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

/// The turns that are always taken, and the kinds that then take turns.
fn turns(assaults: &[Box<dyn Assault>], options: &Options) -> (Vec<Turn>, Vec<usize>) {
    let (mut first, mut then) = (Vec::new(), Vec::new());
    for (kind, assault) in assaults.iter().enumerate() {
        let turns = |count: u64| (0..count).map(move |number| Turn { kind, number });
        match (options.wanted(assault.name()), assault.extent()) {
            (Wanted::None, _) => {}
            (Wanted::Number(number), _) => first.push(Turn { kind, number }),
            (Wanted::All, Extent::List(count)) => first.extend(turns(count)),
            (Wanted::All, Extent::Endless { full }) if options.full => first.extend(turns(full)),
            (Wanted::All, Extent::Endless { .. }) => then.push(kind),
        }
    }
    (first, then)
}

fn turn(first: &[Turn], then: &[usize], ticket: usize) -> Option<Turn> {
    if let Some(turn) = first.get(ticket) {
        return Some(*turn);
    }
    let later = ticket - first.len();
    let kind = *then.get(later.checked_rem(then.len())?)?;
    Some(Turn { kind, number: u64::try_from(later / then.len()).unwrap_or(u64::MAX) })
}

/// Carries out one attack in a folder of its own, which is kept if the attack succeeds.
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
