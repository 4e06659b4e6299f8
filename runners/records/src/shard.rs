//! One of several parts of a run.
//!
//! A stable hash of the case's id selects the shard. So every machine computes the same shards, and
//! a case's checks, which share shaders, stay together.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use layoutproof_random::stable_hash::stable_hash;

/// One of several parts of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// Which one, from 1.
    pub number: u32,
    /// How many there are.
    pub of: u32,
}

impl Shard {
    /// True if the case of this id is in the shard.
    pub fn takes(self, case: &str) -> bool {
        // Use the upper half: the lower bits of the hash depend only on the lower bits of the
        // letters.
        (stable_hash(case) >> 32) % u64::from(self.of) == u64::from(self.number - 1)
    }

    /// The shard's share of these numbers. The shards divide them in order, and their lengths
    /// differ by at most one.
    pub fn share_of(self, numbers: &Range<u64>) -> Range<u64> {
        let length = u128::from(numbers.end.saturating_sub(numbers.start));
        let before = |shards: u32| {
            let share = length * u128::from(shards) / u128::from(self.of);
            // A share is never longer than the whole.
            numbers.start + u64::try_from(share).unwrap_or(u64::MAX - numbers.start)
        };
        before(self.number - 1)..before(self.number)
    }
}

/// The text is no shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a shard is written I/N, from 1/N to N/N, or auto")]
pub struct BadShard;

impl FromStr for Shard {
    type Err = BadShard;

    fn from_str(text: &str) -> Result<Self, BadShard> {
        let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            Some(_) | None => Err(BadShard),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every id is in exactly one shard, and the shards have similar sizes.
    #[test]
    fn shards_are_together_everything_once() {
        let ids: Vec<String> = (0..3000).map(|index| format!("folder/case_{index}")).collect();
        for of in [1, 2, 3, 7] {
            let shards = (1..=of).map(|number| Shard { number, of });
            let counts: Vec<usize> = shards.map(|it| ids.iter().filter(|id| it.takes(id)).count()).collect();
            assert_eq!(counts.iter().sum::<usize>(), ids.len());
            let share = ids.len() / of as usize;
            assert!(counts.iter().all(|count| count.abs_diff(share) < share / 5 + 1), "{counts:?}");
        }
    }

    #[test]
    fn shares_of_numbers_follow_one_another() {
        for (numbers, of) in [(7..107, 3), (0..2, 3), (5..5, 2), (0..u64::MAX, 7)] {
            let shares: Vec<_> = (1..=of).map(|number| Shard { number, of }.share_of(&numbers)).collect();
            assert_eq!((shares[0].start, shares[of as usize - 1].end), (numbers.start, numbers.end));
            assert!(shares.windows(2).all(|pair| pair[0].end == pair[1].start), "{shares:?}");
            let lengths = shares.iter().map(|share| share.end - share.start);
            assert!(lengths.clone().max().unwrap() - lengths.min().unwrap() <= 1, "{shares:?}");
        }
    }

    /// The hash of `foobar` is 0x85944171f73967e8 (FNV reference vectors); its upper half is 2241085809, which is
    /// 4 modulo 7 and 0 modulo 3.
    #[test]
    fn shards_stay_what_they_are() {
        assert!(Shard { number: 1, of: 3 }.takes("foobar"));
        assert!(Shard { number: 5, of: 7 }.takes("foobar"));
    }

    #[test]
    fn a_shard_counts_from_one() {
        assert_eq!("2/3".parse(), Ok(Shard { number: 2, of: 3 }));
        for text in ["0/3", "4/3", "1/0", "2", "a/b", "", "1/3/5", "-1/3"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
