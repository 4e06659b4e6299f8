//! Why a struct does not have the layout of a block.

use std::fmt::{self, Display, Formatter};

use crate::BlockError;

/// Why [`compare`](crate::compare) fails.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// The block has no layout.
    #[error(transparent)]
    Block(#[from] BlockError),
    #[error("`{host}` does not have the layout of `{block}` ({rules}):\n{}", lines(differences))]
    Differs {
        host: String,
        block: String,
        /// The rule set, or the compiler and its target.
        rules: String,
        /// At least one.
        differences: Vec<Difference>,
    },
}

fn lines(differences: &[Difference]) -> String {
    let lines: Vec<String> = differences.iter().map(|difference| format!("  {difference}\n")).collect();
    lines.concat()
}

/// A difference between a struct and a block. All numbers are bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    NoSuchMember {
        path: String,
        /// Empty, or a suggestion.
        meant: String,
    },
    Offset {
        path: String,
        host: usize,
        block: u32,
        /// The type in the block.
        type_name: String,
    },
    /// From one element of the outermost dimension to the next.
    Stride {
        path: String,
        host: usize,
        block: u32,
        type_name: String,
    },
    /// The member is smaller than in the block.
    Size {
        path: String,
        host: usize,
        block: u32,
        type_name: String,
    },
    NotListed {
        path: String,
    },
    /// The struct is smaller than the block.
    StructSize {
        host: usize,
        block: u32,
    },
}

impl Display for Difference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchMember { path, meant } => write!(f, "{path}: the block has no such member{meant}"),
            Self::Offset { path, host, block, type_name } => {
                write!(f, "{path}: byte {host} in the struct, byte {block} in the block ({type_name})")
            }
            Self::Stride { path, host, block, type_name } => write!(
                f,
                "{path}: its elements are {host} bytes apart in the struct, {block} bytes in the block ({type_name})"
            ),
            Self::Size { path, host, block, type_name } => {
                write!(f, "{path}: {host} bytes in the struct, {block} bytes in the block ({type_name})")
            }
            Self::NotListed { path } => write!(f, "{path}: not listed; list it, or end the list with `..`"),
            Self::StructSize { host, block } => write!(f, "the struct has {host} bytes, the block {block}"),
        }
    }
}
