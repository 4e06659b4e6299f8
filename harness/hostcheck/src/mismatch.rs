//! The findings of a comparison: mismatches, which fail it, and remarks, which do not.

use std::fmt;

use layoutproof_layout::shape::MatrixOrder;
use layoutproof_source::sources::LinePlace;
use serde::Serialize;
use strum::{Display, IntoStaticStr};

use super::flat_struct::FlatScalar;
use super::program_struct::{LaneClass, ProgramBits};
use super::repair::RepairStep;
use super::size_rules::SizeRule;

/// A difference between host and shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Path in the block, or in the host struct if the block has no such member; empty for the whole.
    pub path: String,
    /// Path of the member in the host struct, if the host has it.
    pub host_path: Option<String>,
    pub kind: MismatchKind,
    /// The changes of the host struct that mend it, in their order; empty if none is known with which the host
    /// agrees.
    pub repairs: Vec<RepairStep>,
    /// Number of later members that are displaced for the same reason.
    pub followers: u32,
    /// The shader's declaration of the member.
    pub shader_at: Option<LinePlace>,
    /// The host's declaration of the member.
    pub host_at: Option<LinePlace>,
}

/// The kinds of mismatches, with their numbers. Offsets, sizes and strides are in bytes.
#[derive(Clone, Debug, IntoStaticStr, PartialEq, Eq)]
#[strum(serialize_all = "kebab-case")]
pub enum MismatchKind {
    /// The host has the member elsewhere.
    OffsetMoved { shader_offset: u32, host_offset: u32 },
    /// Two members of the same type have swapped places.
    SwappedNames { other: String },
    /// A scalar, or the member as a whole, has another size. `what` is `float`, `enum`, `member`.
    SizeDiffers { shader_size: u32, host_size: u32, what: String },
    /// The bits have another meaning.
    ClassDiffers { shader: LaneClass, host: LaneClass },
    /// A `bool` of the shader whose host counterpart has another size.
    BoolSize { shader_size: u32, host_size: u32 },
    /// The distance between elements or vectors differs.
    StrideDiffers { of: StridedThing, shader_stride: u32, host_stride: u32 },
    /// The host has the rows of a matrix as vectors where the shader has the columns, or the other way round.
    MatrixOrder {
        /// The shader's vectors, with the components in each; the host has them the other way round.
        vectors: u32,
        length: u32,
        /// The shader's order; `None` if its language has no other.
        order: Option<MatrixOrder>,
    },
    /// Arrays have different numbers of elements.
    CountDiffers { shader_count: u32, host_count: u32 },
    /// The shader reads a place where the host has nothing, padding, or a member with another name.
    MissingInHost { offset: u32, size: u32, found: Option<String> },
    /// The host struct ends before the member does.
    HostTooShort {
        /// First byte of the member.
        offset: u32,
        /// One past the last byte of the member that the shader reads.
        needed: u32,
        host_size: u32,
        /// Size of the block; `None` if it is unbounded.
        shader_size: Option<u32>,
    },
    /// The host struct has fewer bytes than the API requires for the block.
    TooSmallForApi { rule: &'static SizeRule, needed: u32, host_size: u32 },
    /// The host has a bit-field where the shader has a whole number.
    #[strum(serialize = "bit-field")]
    BitFieldOverMember { field: String },
    /// Bit-fields occupy different bits.
    BitsDiffer {
        shader: ProgramBits,
        /// `None` if the host's member is not a bit-field.
        host: Option<ProgramBits>,
    },
    /// The user states how the host struct covers the block, and it does not.
    ContractBroken {
        contract: SizeContract,
        /// Bytes of the block or of one element; `None` if unbounded.
        shader_size: Option<u32>,
        /// Bytes of the host struct.
        host_size: u32,
    },
    /// The compiler chose the order of the members.
    NoContract,
    /// The name has several layouts in the program.
    SeveralLayouts { others: Vec<String> },
}

/// Most other layouts of a struct to name. Each program of a repository may have its own.
const MOST_LAYOUTS: usize = 3;

/// The user's contract for a host struct and a block.
#[derive(Clone, Copy, Debug, IntoStaticStr, PartialEq, Eq)]
#[strum(serialize_all = "kebab-case")]
pub enum SizeContract {
    /// Both have the same size; for an API that rounds sizes of blocks up, that size.
    Equal,
    /// One is the start of the other.
    Prefix,
    /// The host struct is one element of the block, and its size is the distance between elements.
    Stride,
}

impl SizeContract {
    pub const ALL: [Self; 3] = [Self::Equal, Self::Prefix, Self::Stride];

    /// The word in `layoutproof.toml`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Something with a stride.
#[derive(Clone, Copy, Debug, Display, PartialEq, Eq)]
pub enum StridedThing {
    #[strum(serialize = "array")]
    ArrayElement,
    #[strum(serialize = "matrix")]
    MatrixVector,
    /// Elements of a structured buffer, each a whole struct of the host.
    #[strum(serialize = "buffer")]
    BufferElement,
}

/// A fact that the reader should know although nothing is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Remark {
    /// Signed on one side, unsigned on the other.
    OtherSign { path: String },
    /// The host stores a number of the shader as raw bits of the same size.
    RawBits { path: String, host_path: String },
    /// The host has pointers where the shader has addresses.
    Pointers { path: String, count: u32 },
    /// The host's debug information does not record which vectors of a matrix are contiguous.
    MatrixOrderUnchecked { path: String, count: u32 },
    /// The shader does not read a member of the host.
    NotRead { host_path: String, offset: u32 },
    /// The block is a prefix of the host struct.
    Prefix { shader_size: u32, host_size: u32 },
    /// The host struct ends in the tail padding of the block.
    ShorterThanBlock { shader_size: u32, host_size: u32 },
    /// The host struct starts in the block, not at its start.
    HostStart { offset: u32 },
    /// The host has only padding where the shader reads a member.
    ReadsPadding { path: String, host_path: String },
    /// The host has padding without a name where the shader reads the last component of a member.
    EndsInPadding { path: String },
    /// The host has padding without a name, or another kind of number, for components of a member that no shader reads.
    Unread { path: String },
    /// The host struct covers only the part before the elements of an unbounded array.
    HeaderOnly {
        /// Path of the array in the block.
        path: String,
        /// Offset of the first element, in bytes.
        offset: u32,
        /// Size of the host struct, in bytes.
        host_size: u32,
    },
    /// Rust's debug information does not record whether a struct is `repr(C)`.
    ReprUnknown,
    /// Zig's debug information does not record whether a struct is `extern`.
    ExternUnknown,
    /// What is compared is what a library writes, and not the bytes of the struct.
    WrittenBy { library: String },
    /// The structs were compared only up to the maximum number of scalars.
    TooManyMembers { lanes: u32 },
    /// The layouts of the block for several targets exclude each other.
    NoStructForAll {
        /// The first member whose place differs.
        path: String,
        /// True if its size differs, and not its offset.
        is_size: bool,
        places: Vec<TargetPlace>,
        /// True if DXC has an option for Vulkan that gives the layout of Direct3D.
        has_dx_layout: bool,
    },
}

/// The offset or the size of a member for a target.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TargetPlace {
    pub target: String,
    pub bytes: u32,
}

impl MismatchKind {
    /// True for a fault that no other place of the member mends.
    pub(crate) fn is_of_shape(&self) -> bool {
        match self {
            Self::SizeDiffers { .. }
            | Self::ClassDiffers { .. }
            | Self::BoolSize { .. }
            | Self::StrideDiffers { .. }
            | Self::MatrixOrder { .. }
            | Self::CountDiffers { .. }
            | Self::BitFieldOverMember { .. }
            | Self::BitsDiffer { .. } => true,
            Self::OffsetMoved { .. }
            | Self::SwappedNames { .. }
            | Self::MissingInHost { .. }
            | Self::HostTooShort { .. }
            | Self::TooSmallForApi { .. }
            | Self::ContractBroken { .. }
            | Self::NoContract
            | Self::SeveralLayouts { .. } => false,
        }
    }

    /// True for a definition that does not fix a layout.
    pub(crate) fn is_of_definition(&self) -> bool {
        matches!(self, Self::NoContract | Self::SeveralLayouts { .. })
    }

    /// The name in JSON, in kebab case.
    pub fn name(&self) -> &'static str {
        self.into()
    }
}

impl Mismatch {
    /// The repairs as a clause; empty without repairs.
    pub fn hint(&self) -> String {
        if let MismatchKind::MatrixOrder { order: Some(order), .. } = &self.kind {
            return format!("declare `{}` as `{}_major` in the shader", self.path, order.transposed().as_str());
        }
        if self.repairs.is_empty() {
            return String::new();
        }
        let steps: Vec<String> = self.repairs.iter().map(ToString::to_string).collect();
        format!("{} in the host", steps.join(", then "))
    }

    /// The sentence with the later members that are wrong for the same reason.
    pub fn with_followers(&self) -> String {
        match (&self.kind, self.followers) {
            (_, 0) => self.to_string(),
            (MismatchKind::HostTooShort { offset, host_size, shader_size, .. }, followers) => {
                let (path, host) = (&self.path, bytes(*host_size));
                let shader = shader_size.map_or_else(|| "no fixed size".to_owned(), |size| size.to_string());
                let members = followers + 1;
                format!(
                    "{members} members missing from `{path}` (byte {offset}) on: the host has {host}, the shader {shader}"
                )
            }
            (_, 1) => format!("{self}; 1 later member moves with it"),
            (_, followers) => format!("{self}; {followers} later members move with it"),
        }
    }
}

impl fmt::Display for Mismatch {
    /// A sentence without a full stop: ``offset moved: the shader has `t` at byte 60, the host at
    /// byte 64``.
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
                let (shader, host) = (noun_with_article(*shader), noun_with_article(*host));
                write!(f, "class differs: `{path}` is {shader} in the shader, {host} in the host")
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
            MismatchKind::MatrixOrder { vectors, length, order } => {
                let name = match order {
                    Some(MatrixOrder::Column) => "columns",
                    Some(MatrixOrder::Row) => "rows",
                    None => "vectors",
                };
                write!(
                    f,
                    "matrix order: `{path}` is {vectors} {name} of {length} in the shader, {length} vectors of {vectors} in the \
                     host"
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
            MismatchKind::HostTooShort { needed, host_size, .. } => write!(
                f,
                "missing in host: the shader reads `{path}` up to byte {needed}, but the host struct has {}",
                bytes(*host_size)
            ),
            MismatchKind::TooSmallForApi { rule, needed, host_size } => write!(
                f,
                "too small: {} needs {} for this block ({}), the host struct has {host_size}",
                rule.api.title(),
                bytes(*needed),
                rule.what
            ),
            MismatchKind::BitFieldOverMember { field } => {
                write!(f, "bit-field: the host has the bit-field `{field}` where the shader reads all of `{path}`")
            }
            MismatchKind::BitsDiffer { shader, host } => {
                write!(f, "bit-field: `{path}` has {} in the shader, ", bits(*shader))?;
                match host {
                    Some(host) => write!(f, "{} in the host", bits(*host)),
                    None => f.write_str("and is not a bit-field in the host"),
                }
            }
            MismatchKind::ContractBroken { contract: SizeContract::Stride, shader_size: None, .. } => {
                f.write_str("contract broken: `stride` is stated, but the host struct is not compared with an element")
            }
            MismatchKind::ContractBroken { contract, shader_size, host_size } => {
                let shader = shader_size.map_or_else(|| "no fixed size".to_owned(), bytes);
                let contract = contract.as_str();
                write!(
                    f,
                    "contract broken: `{contract}` is stated, but the block has {shader}, the host struct {host_size}"
                )
            }
            MismatchKind::NoContract => f.write_str(
                "no contract: this Rust struct is not `repr(C)`, so the compiler chose the order of its members",
            ),
            MismatchKind::SeveralLayouts { others } => {
                let listed = &others[..others.len().min(MOST_LAYOUTS)];
                write!(f, "several layouts: the host program has another `{path}`: {}", listed.join("; "))?;
                match others.len() - listed.len() {
                    0 => Ok(()),
                    more => write!(f, " and {more} more"),
                }
            }
        }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherSign { path } => write!(f, "`{path}` is signed on one side and unsigned on the other"),
            Self::RawBits { path, host_path } => {
                write!(f, "`{path}` is stored as raw bits in `{host_path}`: their meaning is not checked")
            }
            Self::Pointers { path, count } => write!(
                f,
                "`{path}` and {} more are pointers in the host: whether they hold addresses of buffers is not checked",
                count.saturating_sub(1)
            ),
            Self::MatrixOrderUnchecked { path, count: 1 } => {
                write!(f, "whether `{path}` is transposed is not checked: debug information does not record it")
            }
            Self::MatrixOrderUnchecked { path, count } => write!(
                f,
                "whether `{path}` and {} more are transposed is not checked: debug information does not record it",
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
            Self::HostStart { offset } => {
                write!(f, "the host struct fills the bytes from {offset} on: upload or push it at offset {offset}")
            }
            Self::ReadsPadding { path, host_path } => {
                write!(f, "the shader reads `{path}` where the host has only the padding `{host_path}`")
            }
            Self::EndsInPadding { path } => {
                write!(f, "the last component of `{path}` is padding without a name in the host")
            }
            Self::Unread { path } => {
                write!(
                    f,
                    "no shader reads the components of `{path}` for which the host has padding or another kind of number"
                )
            }
            Self::HeaderOnly { path, offset, host_size } if offset == host_size => {
                write!(
                    f,
                    "the host struct covers only the part before the elements of `{path}`, which begin at byte {offset}"
                )
            }
            Self::HeaderOnly { path, offset, host_size } => write!(
                f,
                "the host struct covers only the part before the elements of `{path}`: upload them at byte {offset}, not at {host_size}, \
                 where the struct ends"
            ),
            Self::WrittenBy { library } => write!(
                f,
                "compared as {library} writes it, in the order of its declaration; attributes that change sizes or \
                 alignments are not in debug information"
            ),
            Self::ExternUnknown => f.write_str("debug information does not say whether this Zig struct is `extern`"),
            Self::ReprUnknown => f.write_str("debug information does not say whether this Rust struct is `repr(C)`"),
            Self::TooManyMembers { lanes } => write!(f, "only the first {lanes} scalars were compared"),
            Self::NoStructForAll { path, is_size, places, has_dx_layout } => {
                let place = |place: &TargetPlace| match is_size {
                    true => format!("{} for {}", bytes(place.bytes), place.target),
                    false => format!("byte {} for {}", place.bytes, place.target),
                };
                let verb = if *is_size { "has" } else { "is at" };
                let places = places.iter().map(place).collect::<Vec<_>>().join(", ");
                let option = if *has_dx_layout { ", compile for Vulkan with `-fvk-use-dx-layout`" } else { "" };
                write!(
                    f,
                    "no host struct fits all targets: `{path}` {verb} {places}; declare the padding in the shader{option}, or \
                     have a struct for each target"
                )
            }
        }
    }
}

/// For example `a float`, `an unsigned integer`.
fn noun_with_article(class: LaneClass) -> String {
    let article = if class == LaneClass::Unsigned { "an" } else { "a" };
    format!("{article} {}", class.noun())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_layouts_of_a_struct_are_counted() {
        let message = |count: u32| {
            let others = (1..=count).map(|size| format!("{size} bytes in {size}.o")).collect();
            let kind = MismatchKind::SeveralLayouts { others };
            let (path, host_path, repairs) = ("UBO".to_owned(), None, Vec::new());
            let mismatch = Mismatch { path, host_path, kind, repairs, followers: 0, shader_at: None, host_at: None };
            mismatch.to_string().split_once("`UBO`: ").unwrap().1.to_owned()
        };
        assert_eq!(message(1), "1 bytes in 1.o");
        assert_eq!(message(3), "1 bytes in 1.o; 2 bytes in 2.o; 3 bytes in 3.o");
        assert_eq!(message(5), "1 bytes in 1.o; 2 bytes in 2.o; 3 bytes in 3.o and 2 more");
    }
}
