//! The drivers that an entry of a list is about.

use std::fmt;
use std::str::FromStr;

use layoutproof_source::version_range::{BadRange, VersionRange, version_in};
use wildmatch::WildMatch;

/// The value of an entry's `driver`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Drivers {
    /// Versions: `>= 22, < 25`. A driver without a number has none.
    Versions(VersionRange),
    /// A pattern for the driver's whole text: `vkd3d 2.1 on NVIDIA 580.*`.
    Text(WildMatch),
}

impl Drivers {
    /// The value that covers a driver with this text and no other version of it: its version if that is
    /// the only number, otherwise the whole text: vkd3d's also names the driver below it, and OpenGL's begins
    /// with the version of OpenGL. Empty if the text has nothing to match; the reader then refuses the list, so
    /// that no entry covers every driver by accident.
    pub(super) fn value_for(driver: &str) -> String {
        let version = version_in(driver).filter(|version| version.contains('.'));
        let is_only_number = |version: &&str| {
            driver.split_once(*version).is_some_and(|(_, rest)| !rest.contains(|letter: char| letter.is_ascii_digit()))
        };
        match version.filter(is_only_number) {
            Some(version) => format!("= {version}"),
            None if driver.contains(char::is_alphabetic) => driver.to_owned(),
            None => String::new(),
        }
    }

    pub(super) fn contain(&self, driver: &str) -> bool {
        match self {
            Self::Versions(range) => range.contains(driver),
            Self::Text(pattern) => pattern.matches(driver),
        }
    }
}

impl FromStr for Drivers {
    type Err = BadRange;

    /// Reads a text with a letter as a pattern, every other one as a range.
    fn from_str(text: &str) -> Result<Self, BadRange> {
        let is_pattern = text.contains(char::is_alphabetic) && !text.trim_start().starts_with(['<', '>', '=']);
        if is_pattern { Ok(Self::Text(WildMatch::new(text))) } else { text.parse().map(Self::Versions) }
    }
}

impl fmt::Display for Drivers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Versions(range) => range.fmt(f),
            Self::Text(pattern) => pattern.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_about_one_driver_covers_no_other() {
        for (driver, value, another) in [
            ("NVIDIA 580.159.04", "= 580.159.04", "NVIDIA 580.159.05"),
            ("SwiftShader driver", "SwiftShader driver", "SwiftShader driver 5.0.0"),
            ("vkd3d 2.1 on NVIDIA 580.159.04", "vkd3d 2.1 on NVIDIA 580.159.04", "vkd3d 2.1 on NVIDIA 590.1"),
            ("4.5 (Core Profile) Mesa 22.3.6", "4.5 (Core Profile) Mesa 22.3.6", "4.5 (Core Profile) Mesa 23.1"),
        ] {
            assert_eq!(Drivers::value_for(driver), value);
            let drivers: Drivers = value.parse().unwrap();
            assert!(drivers.contain(driver) && !drivers.contain(another), "{driver}");
        }
        assert_eq!(Drivers::value_for(""), "");
    }

    #[test]
    fn a_value_that_is_neither_range_nor_text_is_refused() {
        for value in ["", "22.3", ">= new", "=", "*"] {
            assert!(value.parse::<Drivers>().is_err(), "{value}");
        }
    }
}
