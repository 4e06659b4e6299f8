//! Host structs for engine code: each laid-out block as a Rust, C or C++ struct with assertions
//! about its offsets and sizes.
//!
//! `flatten` turns the trees into structs that these languages can express, with padding as
//! explicit fields; `rust` and `cpp` write them. If a host language has no such layout (a member in
//! the tail of an array), the array is split so that every byte offset stays right, and a comment
//! in the text explains it. If no struct can have the layout (overlapping members, an unbounded
//! array), the member is left out, and a comment names it.
//!
//! Source: C++ `[class.mem]` and `[support.types.layout]`; the Rust reference, Type layout, The C
//! representation; bytemuck, `Pod` (no implicit padding, every bit pattern valid).

mod cpp;
mod flatten;
mod host;
mod names;
pub mod own_types;
mod rust;
mod values;

use layoutproof_layout::BlockLayout;

use crate::style::one_line;

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

/// Structs with assertions for every block that its rule set allows. `source` is the file's name,
/// for the first line.
///
/// A layout that several blocks share is written once; a struct with several layouts gets one name
/// per layout. All are in `namespace`, which is a module in Rust; C has none.
pub fn asserts(source: &str, blocks: &[BlockLayout], language: HostLanguage, namespace: Option<&str>) -> String {
    let structs = flatten::structs(blocks, names::ReservedWords::of(language));
    match language {
        HostLanguage::Rust => rust::text(source, &structs, namespace),
        HostLanguage::Cpp => cpp::text(source, &structs, cpp::Dialect::Cpp { namespace }),
        HostLanguage::C => cpp::text(source, &structs, cpp::Dialect::C),
    }
}

/// Foreign text for use in a comment: one line that cannot continue on the next.
fn comment(text: &str) -> String {
    one_line(text).replace('\\', "/")
}

#[cfg(test)]
mod tests;
