//! Ranges of dotted version numbers (`>= 1.8.2405`, `>= 22, < 23.1`).

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A list of comparisons that must all hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionRange {
    bounds: Vec<VersionBound>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct VersionBound {
    operator: Operator,
    version: Vec<u64>,
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{0}` is not a version range such as `>= 1.8.2405` or `>= 22, < 23`")]
pub struct BadRange(String);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    AtLeast,
    AtMost,
    Above,
    Below,
    Exactly,
}

impl fmt::Display for VersionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, VersionBound { operator, version }) in self.bounds.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            let version: Vec<String> = version.iter().map(u64::to_string).collect();
            write!(f, "{comma}{} {}", operator.sign(), version.join("."))?;
        }
        Ok(())
    }
}

impl Operator {
    fn sign(self) -> &'static str {
        match self {
            Self::AtLeast => ">=",
            Self::AtMost => "<=",
            Self::Above => ">",
            Self::Below => "<",
            Self::Exactly => "=",
        }
    }
}

impl FromStr for VersionRange {
    type Err = BadRange;

    fn from_str(text: &str) -> Result<Self, BadRange> {
        let bounds = text.split(',').map(|bound| parse_bound(bound.trim()).ok_or_else(|| BadRange(text.to_owned())));
        Ok(Self { bounds: bounds.collect::<Result<_, _>>()? })
    }
}

fn parse_bound(text: &str) -> Option<VersionBound> {
    let operators = [
        (">=", Operator::AtLeast),
        ("<=", Operator::AtMost),
        (">", Operator::Above),
        ("<", Operator::Below),
        ("=", Operator::Exactly),
    ];
    let (operator, rest) = operators.iter().find_map(|(sign, operator)| Some((*operator, text.strip_prefix(sign)?)))?;
    let version: Option<Vec<u64>> = rest.trim().split('.').map(|number| number.parse().ok()).collect();
    Some(VersionBound { operator, version: version? })
}

impl VersionRange {
    /// True if the first dotted number in `text` (`Mesa 22.3.6 (LLVM 15)`) is in the range. Text
    /// without a number is not.
    pub fn contains(&self, text: &str) -> bool {
        let Some(version) = first_version(text) else { return self.bounds.is_empty() };

        self.bounds.iter().all(|bound| {
            let order = compare(&version, &bound.version);
            match bound.operator {
                Operator::AtLeast => order != Ordering::Less,
                Operator::AtMost => order != Ordering::Greater,
                Operator::Above => order == Ordering::Greater,
                Operator::Below => order == Ordering::Less,
                Operator::Exactly => order == Ordering::Equal,
            }
        })
    }
}

/// Compares versions part by part. Missing parts are 0, so `1.8` equals `1.8.0`.
fn compare(one: &[u64], other: &[u64]) -> Ordering {
    let length = one.len().max(other.len());
    let padded = |numbers: &[u64]| (0..length).map(|i| numbers.get(i).copied().unwrap_or(0)).collect::<Vec<_>>();
    padded(one).cmp(&padded(other))
}

fn first_version(text: &str) -> Option<Vec<u64>> {
    version_in(text)?.split('.').map(|number| number.parse().ok()).collect()
}

/// The first dotted number in `text`. Digits inside a name (`vkd3d 2.1`) count as a version only if no
/// word starts with one.
pub fn version_in(text: &str) -> Option<&str> {
    let digits = || text.match_indices(|c: char| c.is_ascii_digit()).map(|(start, _)| start);
    let begins_word = |start: &usize| {
        let word = text[..*start].rsplit(|letter: char| !letter.is_alphanumeric() && letter != '.').next();
        matches!(word, Some("" | "v"))
    };
    let start = digits().find(begins_word).or_else(|| digits().next())?;
    let end = text[start..].find(|c: char| !c.is_ascii_digit() && c != '.').map_or(text.len(), |length| start + length);
    Some(text[start..end].trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_in_a_text_is_its_first_dotted_number() {
        assert_eq!(version_in("NVIDIA 580.159.04"), Some("580.159.04"));
        assert_eq!(version_in("vkd3d 2.1 on llvmpipe Mesa 22.3.6 (LLVM 15.0.6)"), Some("2.1"));
        assert_eq!(version_in("no number"), None);
    }

    #[test]
    fn ranges_hold_the_versions_between_their_bounds() {
        for (range, text, inside) in [
            (">= 1.8.2405", "1.8.2405", true),
            (">= 1.8.2405", "dxc 1.7.2308", false),
            (">= 22, < 23", "Mesa 22.3.6 (LLVM 15.0.6)", true),
            (">= 22, < 23", "Mesa 25.0.7", false),
            ("= 5.0", "SwiftShader 5.0.0", true),
            ("> 1.9", "1.9.2602", true),
            ("<= 1.9", "no number", false),
            ("> 2.1", "vkd3d 2.1 on llvmpipe Mesa 22.3.6 (LLVM 15.0.6)", false),
            ("= 2.1", "vkd3d 2.1 on llvmpipe Mesa 22.3.6 (LLVM 15.0.6)", true),
            ("= 1.8.2405", "dxc v1.8.2405", true),
        ] {
            assert_eq!(range.parse::<VersionRange>().unwrap().contains(text), inside, "{range} {text}");
        }
    }

    #[test]
    fn other_texts_are_no_ranges() {
        for text in ["", "1.2", ">= x", ">= 1..2", ">= 1,"] {
            assert!(text.parse::<VersionRange>().is_err(), "{text}");
        }
    }
}
