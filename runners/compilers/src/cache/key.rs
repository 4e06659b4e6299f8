//! The key of an answer: SHA-256 of everything that decides it.

use std::fmt;

use sha2::{Digest, Sha256};

/// The key of an answer, and the SHA-256 of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CacheKey([u8; 32]);

impl CacheKey {
    /// Wraps a known SHA-256.
    pub(crate) fn of_digest(digest: [u8; 32]) -> Self {
        Self(digest)
    }

    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Collects the parts of a key. Each part follows its length, so that two different lists of parts
/// never have the same bytes.
#[derive(Clone, Debug)]
pub(crate) struct KeyParts(Sha256);

impl KeyParts {
    /// Starts a key; `kind` is its first part.
    pub(crate) fn of_kind(kind: &str) -> Self {
        let mut parts = Self(Sha256::new());
        parts.add(kind.as_bytes());
        parts
    }

    pub(crate) fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// Adds a list, preceded by its length.
    pub(crate) fn add_list<'a>(&mut self, list: impl ExactSizeIterator<Item = &'a [u8]>) {
        self.0.update((list.len() as u64).to_le_bytes());
        list.for_each(|part| self.add(part));
    }

    pub(crate) fn key(self) -> CacheKey {
        CacheKey(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key_of(lists: &[&[&str]]) -> CacheKey {
        let mut parts = KeyParts::of_kind("test");
        for list in lists {
            parts.add_list(list.iter().map(|part| part.as_bytes()));
        }
        parts.key()
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        let keys =
            [key_of(&[&["ab", "c"]]), key_of(&[&["a", "bc"]]), key_of(&[&["ab"], &["c"]]), key_of(&[&["abc"], &[]])];
        for (index, key) in keys.iter().enumerate() {
            assert!(keys[..index].iter().all(|other| other != key), "{index}");
        }
        assert_eq!(key_of(&[&["a"]]), key_of(&[&["a"]]));
    }

    /// SHA-256 of no bytes, from FIPS 180-4.
    #[test]
    fn a_key_is_written_in_hexadecimal_digits() {
        let empty = CacheKey(Sha256::new().finalize().into());
        assert_eq!(empty.to_string(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
