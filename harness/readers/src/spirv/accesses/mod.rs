//! Follows every load, store and atomic operation of a module to the bytes that it touches.
//!
//! `code` reads the functions, `value` has numbers that are known up to symbols, `place` follows pointers through types,
//! `trace` executes the code over such values, and `faults` compares the accesses with what the module promises of its
//! memory. The trace is over all contexts of a function at once: a parameter has what all calls pass.
//!
//! `layoutproof accesses` calls [`ModuleAccesses::read`] in a process with limits.
//!
//! Source: SPIR-V specification, "Memory Operands", "Variable Pointers", "Universal Validation Rules";
//! `SPV_KHR_physical_storage_buffer`; `SPV_KHR_untyped_pointers`.

pub(crate) mod alignments;
mod code;
mod faults;
pub mod instrument;
pub mod own_buffers;
pub mod own_images;
pub mod own_log;
mod place;
mod trace;
pub(crate) mod value;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::declarations::Declarations;
use super::load::BadModule;
use super::types::SpirvTypes;
use code::Code;
use trace::Trace;

/// The accesses of a module, with what is wrong with them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModuleAccesses {
    /// The memory that the module reaches, in the order of its declarations, then in that of the code.
    pub views: Vec<View>,
    /// In the order of the code.
    pub accesses: Vec<Access>,
    pub faults: Vec<Fault>,
    /// The entry points.
    pub entries: Vec<String>,
}

/// A type over some memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct View {
    pub name: String,
    pub kind: ViewKind,
    pub set: Option<u32>,
    pub binding: Option<u32>,
    /// Paths of members that no access touches.
    pub untouched: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ViewKind {
    Uniform,
    Storage,
    PushConstant,
    ShaderRecord,
    Workgroup,
    /// What an address points to.
    Pointee,
}

impl ViewKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Storage => "storage",
            Self::PushConstant => "push-constant",
            Self::ShaderRecord => "shader-record",
            Self::Workgroup => "workgroup",
            Self::Pointee => "pointee",
        }
    }
}

/// An instruction that touches memory. One that may touch several memories is listed once for each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Access {
    pub kind: AccessKind,
    /// Index of the view; `None` if the pointer could not be followed.
    pub view: Option<u32>,
    pub at: ByteExpr,
    /// Bytes that it touches from there, gaps included; `None` for an array without an end.
    pub size: Option<u32>,
    /// Path of the member in the view; empty for the whole.
    pub member: String,
    /// What the code reads or writes there: `float`, `uint4`.
    pub type_name: String,
    /// The alignment that a memory operand promises.
    pub promised: Option<u32>,
    pub place: Option<SourcePlace>,
    /// Indices of the entry points that reach it.
    pub entries: BTreeSet<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AccessKind {
    Load,
    Store,
    Atomic,
}

impl AccessKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Store => "store",
            Self::Atomic => "atomic",
        }
    }
}

/// A number of bytes from the start of a view, or from an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ByteExpr {
    Constant(i64),
    Strided { base: i64, strides: Vec<Stride> },
    Unknown(Why),
}

/// Bytes times an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stride {
    pub bytes: i64,
    /// The index in the words of the module, for people.
    pub index: String,
}

impl fmt::Display for ByteExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(bytes) => write!(f, "{bytes}"),
            Self::Strided { base, strides } => {
                let mut is_first = *base == 0;
                if !is_first {
                    write!(f, "{base}")?;
                }
                for Stride { bytes, index } in strides {
                    match (is_first, *bytes < 0) {
                        (true, _) => write!(f, "{bytes}*{index}")?,
                        (false, true) => write!(f, " - {}*{index}", bytes.unsigned_abs())?,
                        (false, false) => write!(f, " + {bytes}*{index}")?,
                    }
                    is_first = false;
                }
                Ok(())
            }
            Self::Unknown(why) => write!(f, "open: {why}"),
        }
    }
}

/// Why an access could not be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// An instruction that is not followed makes the pointer.
    Pointer,
    /// The pointer leads to a descriptor heap.
    Heap,
    /// The pointer may lead to more memories than are followed.
    ManyPlaces,
    /// The sum has more terms than are followed.
    ManyTerms,
    /// A type on the way has no explicit layout.
    NoLayout,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pointer => "its pointer comes from an instruction that is not followed",
            Self::Heap => "its pointer leads to a descriptor heap",
            Self::ManyPlaces => "its pointer may lead to too many places",
            Self::ManyTerms => "its place depends on too many numbers",
            Self::NoLayout => "a type on its way has no offsets",
        })
    }
}

/// A line of a source file, as the module's debug information names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourcePlace {
    pub file: String,
    pub line: u32,
    pub column: Option<u32>,
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        self.column.map_or(Ok(()), |column| write!(f, ":{column}"))
    }
}

/// Something that is wrong with an access, or with two views.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    pub kind: FaultKind,
    /// Index of the access; `None` for a fault of views that no single access shows.
    pub access: Option<u32>,
    /// Name of the view.
    pub view: String,
    pub member: String,
    pub place: Option<SourcePlace>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FaultKind {
    /// A memory operand promises an alignment that the address cannot keep.
    Alignment { promised: u32, kept: u32 },
    /// Consecutive indices lead to places that are no multiple of the element apart.
    Stride { stride: i64, element: u32 },
    /// The index is at least `least` in an array of `length` elements.
    BeyondEnd { least: i64, length: u32 },
    /// An invocation or a loop takes this index, and it is outside of an array of `length` elements.
    Reaches { index: i64, length: u32 },
    /// No member of the memory's declared type is at byte `at`.
    Padding { at: u32, declared: String },
    /// The declared type has another scalar at byte `at`.
    OtherType { at: u32, declared: String, declared_type: String, accessed: String },
    /// The declared type has a matrix of the other order there.
    OtherOrder { at: u32, declared: String, declared_is_row_major: bool },
    /// Another view of this memory has the member of this name at another place, or the elements of this struct at
    /// another distance.
    Views { other: String, member: String, is_stride: bool, at: u32, other_at: u32 },
}

impl FaultKind {
    /// A name for programs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Alignment { .. } => "alignment",
            Self::Stride { .. } => "stride",
            Self::BeyondEnd { .. } | Self::Reaches { .. } => "beyond-end",
            Self::Padding { .. } => "padding",
            Self::OtherType { .. } => "other-type",
            Self::OtherOrder { .. } => "other-order",
            Self::Views { .. } => "views",
        }
    }
}

impl fmt::Display for FaultKind {
    /// A sentence without its subject's place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = |row_major: bool| if row_major { "row-major" } else { "column-major" };
        match self {
            Self::Alignment { promised, kept } => {
                write!(f, "promises an alignment of {promised} bytes, and its address has {kept}")
            }
            Self::Stride { stride, element } => {
                write!(f, "takes steps of {stride} bytes through elements of {element} bytes")
            }
            Self::BeyondEnd { least, length } if *least < 0 => {
                write!(f, "has the index {least} in an array of {length} elements")
            }
            Self::BeyondEnd { least, length } => {
                write!(f, "has an index of at least {least} in an array of {length} elements")
            }
            // Arrays without a length.
            Self::Reaches { index, length: u32::MAX } => write!(f, "reaches the index {index}"),
            Self::Reaches { index, length } => {
                write!(f, "reaches the index {index} in an array of {length} elements")
            }
            Self::Padding { at, declared } => {
                write!(f, "touches byte {at}, where the declared type `{declared}` has no member")
            }
            Self::OtherType { at, declared, declared_type, accessed } => {
                write!(f, "touches byte {at} as {accessed}, where `{declared}` is declared as {declared_type}")
            }
            Self::OtherOrder { at, declared, declared_is_row_major } => write!(
                f,
                "touches a {} matrix at byte {at}, where `{declared}` is declared as {}",
                order(!declared_is_row_major),
                order(*declared_is_row_major)
            ),
            Self::Views { other, member, is_stride: true, at, other_at } => {
                write!(
                    f,
                    "has elements of {} {at} bytes apart, and `{other}`, a view of the same memory, {other_at}",
                    member.trim_end_matches('.')
                )
            }
            Self::Views { other, member, is_stride: false, at, other_at } => {
                write!(f, "has `{member}` at byte {at}, and `{other}`, a view of the same memory, at byte {other_at}")
            }
        }
    }
}

impl ModuleAccesses {
    /// Follows the accesses of a module.
    ///
    /// # Errors
    /// The words are no SPIR-V module.
    pub fn read(words: &[u32]) -> Result<Self, BadModule> {
        let declarations = Declarations::read(words)?;
        let types = SpirvTypes::read(&declarations.module)?;
        let code = Code::read(words, &types)?;
        Ok(faults::listed(&Trace::of(&types, &code)))
    }

    /// Replaces the places in the text that a compiler read by those in the user's files.
    pub fn move_places(&mut self, moved: impl Fn(&SourcePlace) -> Option<SourcePlace>) {
        let places = self.accesses.iter_mut().map(|access| &mut access.place);
        for place in places.chain(self.faults.iter_mut().map(|fault| &mut fault.place)) {
            *place = place.as_ref().and_then(&moved);
        }
    }

    /// The accesses whose member is known.
    pub fn resolved(&self) -> usize {
        self.accesses.iter().filter(|access| access.view.is_some()).count()
    }
}
