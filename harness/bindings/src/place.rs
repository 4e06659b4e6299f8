//! The place of a parameter as text: `b0`, `t3 space1`, `u3[4]`, `u6[]`, `set 0 binding 1`,
//! `location-in 2`.
//!
//! Case files, records and tables all use this form. It omits space 0 and a count of one, but
//! always names the descriptor set.

use std::fmt;
use std::str::FromStr;

use layoutproof_layout::LayoutUnit;
use layoutproof_layout::shape::Count;
use thiserror::Error;

use super::Binding;

/// A range of slots in one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindingPlace {
    pub unit: LayoutUnit,
    /// Register space, descriptor set or group; 0 for units that have none.
    pub space: u32,
    /// First register, binding, location or other index.
    pub index: u32,
    pub count: Count,
}

impl From<&Binding> for BindingPlace {
    fn from(binding: &Binding) -> Self {
        Self { unit: binding.unit, space: binding.space, index: binding.index, count: binding.count }
    }
}

impl fmt::Display for BindingPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { unit, space, index, count } = *self;
        if unit == LayoutUnit::Binding {
            return write!(f, "set {space} binding {index}{}", CountSuffix(count));
        }
        if unit == LayoutUnit::AtomicCounterBytes {
            // A counter has four bytes.
            let counters = if let Count::Finite(bytes) = count { Count::Finite(bytes / 4) } else { count };
            return write!(f, "atomic-counter {space} offset {index}{}", CountSuffix(counters));
        }
        let gap = if unit.is_register() { "" } else { " " };
        write!(f, "{unit}{gap}{index}{}", CountSuffix(count))?;
        if space == 0 { Ok(()) } else { write!(f, " space{space}") }
    }
}

/// The count in brackets; nothing for a count of one.
struct CountSuffix(Count);

impl fmt::Display for CountSuffix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Count::Finite(1) => Ok(()),
            count => write!(f, "[{count}]"),
        }
    }
}

/// Returns the places of one parameter as one text: `t0, s0`; `not bound` if there are none.
pub fn places_text(places: &[BindingPlace]) -> String {
    if places.is_empty() {
        return NOT_BOUND.to_owned();
    }
    places.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The text for a parameter that is not bound.
pub const NOT_BOUND: &str = "not bound";

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is not a binding; bindings are written `b0`, `t3 space1`, `u3[4]`, `u6[]`, `set 0 binding 1`, `space 1`, \
     `location-in 2`, `push-constant 0`, ..."
)]
pub struct BadPlace(String);

impl FromStr for BindingPlace {
    type Err = BadPlace;

    fn from_str(text: &str) -> Result<Self, BadPlace> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let read = match words.as_slice() {
            ["set", set, "binding", range] => descriptor(set, range),
            [word] => register(word, 0),
            [word, last] if last.starts_with("space") => {
                last.strip_prefix("space").and_then(number).and_then(|space| register(word, space))
            }
            [unit, range] => plain(unit, range),
            _ => None,
        };

        read.ok_or_else(|| BadPlace(text.to_owned()))
    }
}

fn descriptor(set: &str, range: &str) -> Option<BindingPlace> {
    let (index, count) = indices(range)?;
    Some(BindingPlace { unit: LayoutUnit::Binding, space: number(set)?, index, count })
}

fn register(word: &str, space: u32) -> Option<BindingPlace> {
    let (class, range) = word.split_at_checked(1)?;
    let unit = class.parse().ok().filter(|unit: &LayoutUnit| unit.is_register())?;
    let (index, count) = indices(range)?;
    Some(BindingPlace { unit, space, index, count })
}

fn plain(unit: &str, range: &str) -> Option<BindingPlace> {
    let written = |unit: &LayoutUnit| !unit.is_register() && !matches!(unit, LayoutUnit::Bytes | LayoutUnit::Binding);
    let unit = unit.parse().ok().filter(written)?;
    let (index, count) = indices(range)?;
    Some(BindingPlace { unit, space: 0, index, count })
}

/// Parses `3`, `3[4]` or `3[]`.
fn indices(range: &str) -> Option<(u32, Count)> {
    let Some((first, count)) = range.split_once('[') else { return Some((number(range)?, Count::Finite(1))) };
    let count = match count.strip_suffix(']')? {
        "" => Count::Unbounded,
        count => Count::Finite(number(count)?),
    };
    Some((number(first)?, count))
}

/// Parses digits only. `u32::from_str` also accepts a plus sign.
pub(super) fn number(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_and_written_alike() {
        let texts = "b0, t3 space1, u3[4], u6[], s0[2] space7, u4294967295 space4294967295, set 0 binding 1, \
                     set 2 binding 4[3], space 1, location-in 2, location-out 0[4], push-constant 0, constant-id 7, \
                     metal-buffer 1";
        for text in texts.split(", ") {
            assert_eq!(text.parse::<BindingPlace>().map(|place| place.to_string()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn units_are_told_apart() {
        let count = Count::Finite(4);
        assert_eq!("u3[4]".parse(), Ok(BindingPlace { unit: LayoutUnit::UnorderedAccess, space: 0, index: 3, count }));
        let count = Count::Unbounded;
        assert_eq!(
            "t0[] space2".parse(),
            Ok(BindingPlace { unit: LayoutUnit::ShaderResource, space: 2, index: 0, count })
        );
        let count = Count::Finite(1);
        assert_eq!(
            "set 1 binding 2".parse(),
            Ok(BindingPlace { unit: LayoutUnit::Binding, space: 1, index: 2, count })
        );
    }

    #[test]
    fn other_texts_are_no_places() {
        let texts = "b, 0, b-1, b+1, u3[, u3[4, u3[x], x0, t3 1, t3 space, set 0, binding 1, bytes 4, b 0, \
                     set 0 binding, location 2, u4294967296, é0";
        for text in texts.split(", ").chain([""]) {
            assert!(text.parse::<BindingPlace>().is_err(), "{text}");
        }
    }

    #[test]
    fn several_places_are_one_text() {
        let places = ["t0", "s0"].map(|text| text.parse().unwrap());
        assert_eq!(places_text(&places), "t0, s0");
        assert_eq!(places_text(&[]), NOT_BOUND);
    }
}
