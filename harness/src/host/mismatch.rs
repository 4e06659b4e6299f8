//! What a comparison can find: mismatches, which fail it, and remarks, which do not.

use std::fmt;

use serde::Serialize;

use super::flat_struct::FlatScalar;
use super::program_struct::{LaneClass, LinePlace, ProgramBits};

/// A place where host and shader part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Path in the block, or in the host struct if the block has no such member; empty for the whole.
    pub path: String,
    /// What is wrong.
    pub kind: MismatchKind,
    /// What repairs it, as a clause.
    pub hint: String,
    /// Members behind it that are displaced for the same reason.
    pub followers: u32,
    /// Where the shader declares the member.
    pub shader_at: Option<LinePlace>,
    /// Where the host declares it.
    pub host_at: Option<LinePlace>,
}

/// The kinds of mismatches, with their numbers. Offsets, sizes and strides are bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MismatchKind {
    /// The member is elsewhere.
    OffsetMoved {
        /// Where the shader reads it.
        shader_offset: u32,
        /// Where the host has it.
        host_offset: u32,
    },
    /// Two members of one type stand in each other's place.
    SwappedNames {
        /// Path of the other one.
        other: String,
    },
    /// A scalar, or the member as a whole, has another size.
    SizeDiffers {
        /// Bytes in the shader.
        shader_size: u32,
        /// Bytes in the host.
        host_size: u32,
        /// What is measured: `float`, `enum`, `member`.
        what: String,
    },
    /// The bits mean something else.
    ClassDiffers {
        /// In the shader.
        shader: LaneClass,
        /// In the host.
        host: LaneClass,
    },
    /// A shader's `bool` over a host's of another size.
    BoolSize {
        /// Bytes in the shader.
        shader_size: u32,
        /// Bytes in the host.
        host_size: u32,
    },
    /// Elements or vectors do not follow each other at the same distance.
    StrideDiffers {
        /// What follows each other.
        of: StridedThing,
        /// Bytes in the shader.
        shader_stride: u32,
        /// Bytes in the host.
        host_stride: u32,
    },
    /// Arrays have different numbers of elements.
    CountDiffers {
        /// In the shader.
        shader_count: u32,
        /// In the host.
        host_count: u32,
    },
    /// The host has nothing, or padding, or a member of another name, where the shader reads.
    MissingInHost {
        /// First byte.
        offset: u32,
        /// Bytes.
        size: u32,
        /// Members of the host that are there.
        found: Option<String>,
    },
    /// The host struct ends before the member does.
    HostTooShort {
        /// One past the last byte that the shader reads of the member.
        needed: u32,
        /// Size of the host struct.
        host_size: u32,
    },
    /// A bit-field of the host stands where the shader has a whole number.
    BitFieldOverMember {
        /// Path of the bit-field.
        field: String,
    },
    /// Bit-fields of both sides have other bits.
    BitsDiffer {
        /// In the shader.
        shader: ProgramBits,
        /// In the host; `None` for no bit-field.
        host: Option<ProgramBits>,
    },
    /// The compiler chose the order of the members.
    NoContract,
    /// The name has several layouts in the program.
    SeveralLayouts {
        /// The others, in words.
        others: Vec<String>,
    },
}

/// What has a stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StridedThing {
    /// Elements of an array.
    ArrayElement,
    /// Vectors of a matrix.
    MatrixVector,
    /// Elements of a structured buffer, which are whole structs of the host.
    BufferElement,
}

/// What the reader should know although nothing is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Remark {
    /// Signed on one side, unsigned on the other.
    OtherSign {
        /// Path in the block.
        path: String,
    },
    /// The host keeps a number of the shader as raw bits of the same bytes.
    RawBits {
        /// Path in the block.
        path: String,
        /// Path in the host.
        host_path: String,
    },
    /// Which vectors of a matrix are contiguous cannot be known of the host.
    MatrixOrderUnchecked {
        /// Path of the first matrix in the block.
        path: String,
        /// Number of matrices.
        count: u32,
    },
    /// The shader reads nothing of a member of the host.
    NotRead {
        /// Path in the host.
        host_path: String,
        /// First byte.
        offset: u32,
    },
    /// The block is a prefix of the host struct.
    Prefix {
        /// Bytes of the block.
        shader_size: u32,
        /// Bytes of the host struct.
        host_size: u32,
    },
    /// The host struct ends in the tail padding of the block.
    ShorterThanBlock {
        /// Bytes of the block.
        shader_size: u32,
        /// Bytes of the host struct.
        host_size: u32,
    },
    /// The host struct has only what comes before the elements of an array without end.
    HeaderOnly {
        /// Path of the array in the block.
        path: String,
        /// Where its first element begins.
        offset: u32,
        /// Bytes of the host struct.
        host_size: u32,
    },
    /// Rust's debug information does not say whether a struct is `repr(C)`.
    ReprUnknown,
    /// Only the first bytes were compared.
    TooManyMembers {
        /// Scalars that were compared.
        lanes: u32,
    },
}

impl MismatchKind {
    /// Name for programs, in kebab case.
    pub fn name(&self) -> &'static str {
        match self {
            Self::OffsetMoved { .. } => "offset-moved",
            Self::SwappedNames { .. } => "swapped-names",
            Self::SizeDiffers { .. } => "size-differs",
            Self::ClassDiffers { .. } => "class-differs",
            Self::BoolSize { .. } => "bool-size",
            Self::StrideDiffers { .. } => "stride-differs",
            Self::CountDiffers { .. } => "count-differs",
            Self::MissingInHost { .. } => "missing-in-host",
            Self::HostTooShort { .. } => "host-too-short",
            Self::BitFieldOverMember { .. } => "bit-field",
            Self::BitsDiffer { .. } => "bits-differ",
            Self::NoContract => "no-contract",
            Self::SeveralLayouts { .. } => "several-layouts",
        }
    }
}

impl fmt::Display for Mismatch {
    /// One sentence without a final stop: ``offset moved: the shader has `t` at byte 60, the host at byte 64``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.kind {
            MismatchKind::OffsetMoved { shader_offset, host_offset } => {
                write!(
                    f,
                    "offset moved: the shader has `{path}` at byte {shader_offset}, the host at byte {host_offset}"
                )
            }
            MismatchKind::SwappedNames { other } => {
                write!(f, "swapped names: `{path}` of the host fills `{other}` of the shader, and the other way round")
            }
            MismatchKind::SizeDiffers { shader_size, host_size, what } => write!(
                f,
                "size differs: {what} `{path}` has {} in the shader, {host_size} in the host",
                bytes(*shader_size)
            ),
            MismatchKind::ClassDiffers { shader, host } => {
                write!(f, "class differs: `{path}` is a {} in the shader, a {} in the host", shader.noun(), host.noun())
            }
            MismatchKind::BoolSize { shader_size, host_size } => write!(
                f,
                "bool size: a bool has {} in the shader, but `{path}` has {host_size} in the host",
                bytes(*shader_size)
            ),
            MismatchKind::StrideDiffers { of, shader_stride, host_stride } => {
                let name = if path.is_empty() { "this block".to_owned() } else { format!("`{path}`") };
                write!(
                    f,
                    "{of} stride differs: {name} has {shader_stride} bytes in the shader, {host_stride} in the host"
                )
            }
            MismatchKind::CountDiffers { shader_count, host_count } => {
                write!(
                    f,
                    "array count differs: `{path}` has {shader_count} elements in the shader, {host_count} in the host"
                )
            }
            MismatchKind::MissingInHost { offset, size, found } => {
                write!(f, "missing in host: the shader reads `{path}` at byte {offset}, ")?;
                match found {
                    Some(found) => write!(f, "where the host has `{found}`"),
                    None => write!(f, "where the host has {} of padding", bytes(*size)),
                }
            }
            MismatchKind::HostTooShort { needed, host_size } => write!(
                f,
                "missing in host: the shader reads `{path}` up to byte {needed}, but the host struct has {}",
                bytes(*host_size)
            ),
            MismatchKind::BitFieldOverMember { field } => {
                write!(f, "bit-field: the host has the bit-field `{field}` where the shader reads all of `{path}`")
            }
            MismatchKind::BitsDiffer { shader, host } => {
                write!(f, "bit-field: `{path}` has {} in the shader, ", bits(*shader))?;
                match host {
                    Some(host) => write!(f, "{} in the host", bits(*host)),
                    None => f.write_str("and is no bit-field in the host"),
                }
            }
            MismatchKind::NoContract => f.write_str(
                "no contract: this Rust struct is not `repr(C)`, so the compiler chose the order of its members",
            ),
            MismatchKind::SeveralLayouts { others } => {
                write!(f, "several layouts: the host program has another `{path}`: {}", others.join("; "))
            }
        }
    }
}

impl fmt::Display for StridedThing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ArrayElement => "array",
            Self::MatrixVector => "matrix",
            Self::BufferElement => "buffer",
        })
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherSign { path } => write!(f, "`{path}` is signed on one side and unsigned on the other"),
            Self::RawBits { path, host_path } => {
                write!(f, "`{path}` is kept as raw bits in `{host_path}`: what they mean is not checked")
            }
            Self::MatrixOrderUnchecked { path, count: 1 } => {
                write!(f, "whether `{path}` is transposed is not checked: debug information does not tell")
            }
            Self::MatrixOrderUnchecked { path, count } => write!(
                f,
                "whether `{path}` and {} more are transposed is not checked: debug information does not tell",
                count.saturating_sub(1)
            ),
            Self::NotRead { host_path, offset } => {
                write!(f, "the shader does not read `{host_path}` of the host, at byte {offset}")
            }
            Self::Prefix { shader_size, host_size } => {
                write!(f, "the block is the first {} of the host struct, which has {host_size}", bytes(*shader_size))
            }
            Self::ShorterThanBlock { shader_size, host_size } => write!(
                f,
                "the host struct has {}, the block {shader_size} with its tail padding: do not read beyond the struct \
                 when uploading",
                bytes(*host_size)
            ),
            Self::HeaderOnly { path, offset, host_size } if offset == host_size => {
                write!(f, "the host struct is what comes before the elements of `{path}`, which begin at byte {offset}")
            }
            Self::HeaderOnly { path, offset, host_size } => write!(
                f,
                "the host struct is what comes before the elements of `{path}`: upload them at byte {offset}, not at {host_size}, \
                 where the struct ends"
            ),
            Self::ReprUnknown => f.write_str("debug information does not say whether this Rust struct is `repr(C)`"),
            Self::TooManyMembers { lanes } => write!(f, "only the first {lanes} scalars were compared"),
        }
    }
}

/// `1 byte`, `4 bytes`.
pub(super) fn bytes(count: u32) -> String {
    format!("{count} byte{}", if count == 1 { "" } else { "s" })
}

fn bits(range: ProgramBits) -> String {
    let last = range.offset.saturating_add(range.width).saturating_sub(1);
    format!("bits {} to {last}", range.offset)
}

/// The word for a scalar in a message: `enum`, `float`.
pub(super) fn scalar_noun(scalar: FlatScalar) -> String {
    if scalar.is_enum { "enum".to_owned() } else { scalar.class.noun().to_owned() }
}
