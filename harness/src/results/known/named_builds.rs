//! Builds of compilers and drivers as lists of known differences name them.

use std::fmt;

/// A build with its usual name: `DXC 1.7.2308`, `DXC of February 2022`, `NVIDIA 580.159.04`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedBuild {
    /// The name without the version; empty if the text has no version after a name.
    product: String,
    version: String,
}

/// The builds of an entry's `seen` or `gone`, of which the first is the one that the list is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedBuilds {
    pub first: NamedBuild,
    /// Builds that took part, such as the compiler of naga's output.
    others: Vec<NamedBuild>,
}

/// The builds of DXC with which the lists were checked, by compiler name, the oldest first.
///
/// Source: the head of `ci/known/dxc.toml`.
pub const DXC_BUILDS: [(&str, &str); 4] = [
    ("dxc-old", "DXC of February 2022"),
    ("dxc", "DXC 1.7.2308"),
    ("dxc-1.9", "DXC 1.9.2602.17"),
    ("dxc-dev", "DXC 1.9.0.5517"),
];

impl NamedBuild {
    /// Reads a name as people write it. The version begins with the first word that has a digit, after
    /// at least one other.
    pub fn of(text: &str) -> Self {
        let spaces = text.match_indices(' ').map(|(at, _)| at);
        let mut versions = spaces.filter(|at| {
            let word = text[at + 1..].split(' ').next().unwrap_or_default();
            word.contains(|letter: char| letter.is_ascii_digit())
        });
        match versions.next() {
            Some(at) => Self { product: text[..at].to_owned(), version: text[at + 1..].to_owned() },
            None => Self { product: String::new(), version: text.to_owned() },
        }
    }

    pub fn version(&self) -> &str {
        &self.version
    }
}

impl fmt::Display for NamedBuild {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = if self.product.is_empty() { "" } else { " " };
        write!(f, "{}{space}{}", self.product, self.version)
    }
}

impl NamedBuilds {
    /// Reads the value of a key.
    pub(super) fn of(text: &str) -> Self {
        let (first, others) = text.split_once(", ").map_or((text, None), |(first, others)| (first, Some(others)));
        let others = others.into_iter().flat_map(|others| others.split(", ")).map(NamedBuild::of);
        Self { first: NamedBuild::of(first), others: others.collect() }
    }
}

impl fmt::Display for NamedBuilds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.first.fmt(f)?;
        self.others.iter().try_for_each(|other| write!(f, ", {other}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_has_a_version_and_keeps_its_text() {
        for (text, version) in [
            ("DXC 1.7.2308", "1.7.2308"),
            ("DXC of February 2022", "2022"),
            ("llvmpipe Mesa 22.3.6 (LLVM 15.0.6)", "22.3.6 (LLVM 15.0.6)"),
            ("naga 30.0.1, DXC 1.7.2308", "30.0.1"),
            ("main", "main"),
            ("", ""),
        ] {
            let builds = NamedBuilds::of(text);
            assert_eq!(builds.first.version(), version);
            assert_eq!(builds.to_string(), text);
        }
    }
}
