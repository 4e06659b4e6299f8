//! Host structs for engine code: each laid-out block as a Rust or C++ struct with assertions of its offsets and sizes.
//!
//! `flatten` turns the trees into structs that both languages can express, with padding as
//! fields of its own; `rust` and `cpp` write them down. Where a host language has no such layout (a member in the
//! tail of an array) the array is split, so that every byte offset stays right, and the text says so. A layout that no
//! struct has at all (overlapping members, an array without end) loses the member, and the text says that too.
//!
//! Source: C++ `[class.mem]` and `[support.types.layout]`; the Rust reference, Type layout, The C representation;
//! bytemuck, `Pod` (no implicit padding, every bit pattern valid).

mod cpp;
mod flatten;
mod host;
mod names;
pub mod own_types;
mod rust;
mod values;

use layoutproof_layout::BlockLayout;

use crate::report::style::one_line;

/// Language of the generated text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostLanguage {
    /// `#[repr(C)]` structs, `core::mem::offset_of!`; Rust 1.77 or newer.
    Rust,
    /// Standard-layout structs, `static_assert` and `offsetof`; C++11 or newer.
    Cpp,
    /// Structs, `_Static_assert` and `offsetof`; C11 or newer.
    C,
}

/// Structs with assertions for every block that its rule set allows; `source` is the file's name, for the first line.
///
/// A struct that several blocks lay out alike is written once, one that is laid out in several ways gets a name each. All
/// are in `namespace`, a module of Rust; C has none.
pub fn asserts(source: &str, blocks: &[BlockLayout], language: HostLanguage, namespace: Option<&str>) -> String {
    let structs = flatten::structs(blocks, names::ReservedWords::of(language));
    match language {
        HostLanguage::Rust => rust::text(source, &structs, namespace),
        HostLanguage::Cpp => cpp::text(source, &structs, cpp::Dialect::Cpp { namespace }),
        HostLanguage::C => cpp::text(source, &structs, cpp::Dialect::C),
    }
}

/// Foreign text inside a comment: one line that cannot continue on the next.
fn comment(text: &str) -> String {
    one_line(text).replace('\\', "/")
}

#[cfg(test)]
mod tests;
