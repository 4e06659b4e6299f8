//! Reads the member offsets that C, C++ and Rust compilers choose for structs, from DWARF and PDB
//! debug information, and those that a layout file states for a program of any language.
//!
//! This crate does not depend on shaders, opens no files and prints nothing. It reads in two
//! passes, so that even a program of a gigabyte is cheap to read: [`DebugFile::index`] collects the
//! names of all types, and [`DebugFile::read`] reads the few types that the caller selects.
//!
//! ```
//! use layoutproof_debuginfo::{DebugFile, DebugInfoError, FoundTypes, HostShape, NoSiblings};
//!
//! fn print_offsets(engine: &[u8]) -> Result<(), DebugInfoError> {
//!     let file = DebugFile::new("engine.o", engine, &NoSiblings);
//!     let index = file.index()?;
//!     let found = file.read(&index, |name| name.name == "engine::PerFrame")?;
//!
//!     for layout in found.named.iter().flat_map(|named| &named.layouts) {
//!         for placed in found.types.all_members(layout.ty) {
//!             println!("{:?} at {}", placed.member.name, placed.offset);
//!         }
//!     }
//!     Ok(())
//! }
//! ```
#![forbid(unsafe_code)]

mod codeview;
mod container;
mod contents;
mod contradiction;
mod debug_file;
mod dwarf;
mod error;
mod found;
mod host_types;
mod implementations;
mod index;
mod indexing;
mod input;
mod layout_file;
mod parallel;
mod reading;

pub use contents::{HostFileKind, HostFileSummary, summarize};
pub use debug_file::DebugFile;
pub use error::DebugInfoError;
pub use found::{FoundTypes, HostLanguage, HostUnit, HostUnitId, NamedHostType, NamedLayout};
pub use host_types::{
    BitRange, DeclarationPlace, ElementCount, HostArray, HostBase, HostLayoutId, HostMember, HostRecord, HostScalar,
    HostShape, HostType, HostTypeId, HostTypes, LayoutContract, PlacedMember, RecordKind, ScalarClass,
    TemplateParameter,
};
pub use implementations::Implementation;
pub use index::{DebugIndex, IndexedKind, NoTypesReason, TypeName};
pub use input::{DebugLimits, NoSiblings, Sibling, SiblingBytes, SiblingFiles};
