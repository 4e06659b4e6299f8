//! Reads the part `RDEF`, in which FXC describes a shader's buffers.
//!
//! Records refer to each other by offsets in bytes from the start of the part. Their sizes depend
//! on the version of the shader model; since 5.0 the part states the sizes. An array with several
//! dimensions is stated as one with a single dimension, as in FXC's listing.
//!
//! Source: `d3d11Shader.h` and `d3dcommon.h` of the Windows SDK for the meaning of fields
//! (`D3D11_SHADER_TYPE_DESC`, `D3D_SHADER_VARIABLE_CLASS`, `D3D_SHADER_VARIABLE_TYPE`), `dxbc.c` of
//! vkd3d for their offsets.

use std::collections::BTreeMap;

use layoutproof_layout::{BlockKind, BlockLayout, Component, Count, LayoutUnit, MatrixOrder, Scalar};
use thiserror::Error;

use super::reflected::{MOST_NESTED, ReflectedBase, ReflectedBlock, ReflectedMember, ReflectedType, lay_out_reflected};
use super::{Bytes, Ended};
use crate::dxil::ListedBinding;
use layoutproof_layout::listing::{LISTED_BYTES, ListingBudget};

/// Start of the record sizes: `RD11`, or another number since model 5.1.
const SIZES_MAGICS: [u32; 2] = [u32::from_le_bytes(*b"RD11"), 0x2544_1313];

/// Offset of the record sizes, in bytes.
const SIZES_AT: usize = 28;

const MEMBER_BYTES: usize = 12;

/// Bytes of a resource's record that has a space, from profile 5.1 on.
const BINDING_WITH_SPACE: usize = 40;

/// Most records to read. A type counts once for each member that has it. A shader has 14 constant
/// buffers of 4096 registers.
const MOST_RECORDS: u32 = 1 << 18;

/// `D3D_CT_RESOURCE_BIND_INFO` and its siblings: the kinds of buffers.
const BUFFER_KINDS: [u32; 4] = [0, 1, 2, 3];

/// Why the part cannot be read.
#[derive(Debug, Error)]
pub enum RdefError {
    #[error("it has {} bytes, but refers to byte {}", .0.length, .0.at)]
    Ended(#[from] Ended),
    #[error("it does not state the sizes of its records")]
    NoSizes,
    #[error("its records are shorter than their fields")]
    ShortRecords,
    #[error("it has more than {MOST_RECORDS} records")]
    ManyRecords,
    #[error("structs are nested deeper than {MOST_NESTED}")]
    TooDeep,
    #[error("its blocks take more than {LISTED_BYTES} bytes to list")]
    TooLarge,
}

/// The blocks in the order of the part, under the name `declared`.
pub(super) fn read_rdef(bytes: &[u8]) -> Result<Vec<BlockLayout>, RdefError> {
    let bytes = Bytes(bytes);
    let mut reader = RdefReader { bytes, sizes: RecordSizes::of(bytes)?, records: 0 };
    let counts = reader.bindings()?.into_iter().map(|binding| (binding.name, binding.count)).collect();
    let (count, first) = (bytes.word(0)?, bytes.word(4)? as usize);

    let mut budget = ListingBudget::default();
    let mut blocks = Vec::new();
    for index in 0..count as usize {
        reader.count_record()?;
        let at = first.saturating_add(index.saturating_mul(reader.sizes.buffer));
        let Some(block) = reader.block(at, &counts)? else { continue };
        let laid_out = lay_out_reflected(block, &mut budget);
        blocks.push(laid_out.ok_or(RdefError::TooLarge)?);
    }
    Ok(blocks)
}

/// The resources in the order of the part.
pub(super) fn rdef_bindings(bytes: Bytes<'_>) -> Result<Vec<ListedBinding>, RdefError> {
    let mut reader = RdefReader { bytes, sizes: RecordSizes::of(bytes)?, records: 0 };
    let mut bindings = reader.bindings()?;
    for binding in &mut bindings {
        binding.name = own_name(&binding.name).to_owned();
    }
    Ok(bindings)
}

/// The name in the source: FXC's for the buffer of `TextureBuffer<T> tb` is `$$tb`.
fn own_name(stated: &str) -> &str {
    stated.strip_prefix("$$").unwrap_or(stated)
}

/// Sizes in bytes of a part's records.
#[derive(Clone, Copy, Debug)]
struct RecordSizes {
    buffer: usize,
    binding: usize,
    variable: usize,
    has_type_names: bool,
}

impl RecordSizes {
    fn of(bytes: Bytes<'_>) -> Result<Self, RdefError> {
        let [_, major, ..] = bytes.word(16)?.to_le_bytes();
        if major < 5 {
            return Ok(Self { buffer: 24, binding: 32, variable: 24, has_type_names: false });
        }
        if !SIZES_MAGICS.contains(&bytes.word(SIZES_AT)?) {
            return Err(RdefError::NoSizes);
        }

        let size = |index: usize| bytes.word(SIZES_AT + 4 * index).map(|size| size as usize);
        let sizes = Self { buffer: size(2)?, binding: size(3)?, variable: size(4)?, has_type_names: true };
        // Shorter records would not hold the fields that this reader uses.
        if sizes.buffer < 24 || sizes.binding < 32 || sizes.variable < 24 {
            return Err(RdefError::ShortRecords);
        }
        Ok(sizes)
    }
}

struct RdefReader<'a> {
    bytes: Bytes<'a>,
    sizes: RecordSizes,
    /// Number of records read so far.
    records: u32,
}

impl RdefReader<'_> {
    /// The text at the offset in the word at `at`.
    fn name(&self, at: usize) -> Result<String, Ended> {
        self.bytes.text(self.bytes.word(at)? as usize)
    }

    fn count_record(&mut self) -> Result<(), RdefError> {
        self.records += 1;
        if self.records > MOST_RECORDS {
            return Err(RdefError::ManyRecords);
        }
        Ok(())
    }

    /// The resources with their registers, under the names that FXC states. Since 5.1 there are arrays of blocks, and spaces.
    fn bindings(&mut self) -> Result<Vec<ListedBinding>, RdefError> {
        let (count, first) = (self.bytes.word(8)?, self.bytes.word(12)? as usize);
        let mut bindings = Vec::new();
        let mut budget = ListingBudget::default();
        for index in 0..count as usize {
            self.count_record()?;
            let at = first.saturating_add(index.saturating_mul(self.sizes.binding));
            let field = |offset: usize| self.bytes.word(at.saturating_add(offset));
            // `D3D_SHADER_INPUT_TYPE`.
            let unit = match field(4)? {
                0 => LayoutUnit::ConstantBuffer,
                1 | 2 | 5 | 7 | 12 => LayoutUnit::ShaderResource,
                3 => LayoutUnit::Sampler,
                _ => LayoutUnit::UnorderedAccess,
            };
            let count = match field(24)? {
                0 | u32::MAX => Count::Unbounded,
                finite => Count::Finite(finite),
            };
            let space = if self.sizes.binding >= BINDING_WITH_SPACE { field(32)? } else { 0 };
            let name = self.name(at)?;
            budget.spend(name.len()).ok_or(RdefError::TooLarge)?;
            bindings.push(ListedBinding { name, unit, space, index: field(20)?, count });
        }
        Ok(bindings)
    }

    /// A buffer; `None` for one that holds no values.
    fn block(&mut self, at: usize, counts: &BTreeMap<String, Count>) -> Result<Option<ReflectedBlock>, RdefError> {
        let [constants, textures, _interfaces, structured] = BUFFER_KINDS;
        let stated_name = self.name(at)?;
        let kind = self.bytes.word(at.saturating_add(20))?;
        if ![constants, textures, structured].contains(&kind) {
            return Ok(None);
        }

        let (variables, first) =
            (self.bytes.word(at.saturating_add(4))?, self.bytes.word(at.saturating_add(8))? as usize);
        let mut members = Vec::new();
        for index in 0..variables as usize {
            self.count_record()?;
            members.push(self.variable(first.saturating_add(index.saturating_mul(self.sizes.variable)))?);
        }

        let count = counts.get(&stated_name).copied().unwrap_or(Count::Finite(1));
        let name = own_name(&stated_name).to_owned();
        let is_own = |member: &ReflectedMember| {
            let is_struct = matches!(member.ty.base, ReflectedBase::Struct { .. });
            // An array of blocks has the members of one block.
            is_struct && member.name == name && (member.ty.counts.is_empty() || count != Count::Finite(1))
        };
        let is_of_struct = matches!(&members[..], [only] if is_own(only));
        let is_element = kind == structured && members.len() == 1;
        let root = if is_of_struct {
            ReflectedType { base: members.remove(0).ty.base, counts: Vec::new() }
        } else if is_element {
            members.remove(0).ty
        } else {
            ReflectedType { base: ReflectedBase::Struct { name: name.clone(), members }, counts: Vec::new() }
        };

        let kind = match (kind == structured, kind == textures, is_of_struct) {
            (true, ..) => BlockKind::StructuredElement,
            (false, true, true) => BlockKind::TextureBuffer,
            (false, true, false) => BlockKind::Tbuffer,
            (false, false, true) => BlockKind::ConstantBuffer,
            (false, false, false) if name == "$Globals" => BlockKind::Globals,
            (false, false, false) if name == "$Params" => BlockKind::EntryUniforms,
            (false, false, false) => BlockKind::Cbuffer,
        };
        // The container rounds a constant buffer's size up to a register, but not those of its
        // variables.
        let size =
            if kind == BlockKind::StructuredElement { Some(self.bytes.word(at.saturating_add(12))?) } else { None };
        Ok(Some(ReflectedBlock { name, kind, count, root, size }))
    }

    fn variable(&mut self, at: usize) -> Result<ReflectedMember, RdefError> {
        let ty = self.bytes.word(at.saturating_add(16))? as usize;
        Ok(ReflectedMember {
            name: self.name(at)?,
            is_base: false,
            offset: self.bytes.word(at.saturating_add(4))?,
            ty: self.ty(ty, 0)?,
            size: Some(self.bytes.word(at.saturating_add(8))?),
        })
    }

    /// A type; `depth` is the number of structs around it.
    fn ty(&mut self, at: usize, depth: usize) -> Result<ReflectedType, RdefError> {
        self.count_record()?;
        let class = self.bytes.half(at)?;
        let rows = u32::from(self.bytes.half(at.saturating_add(4))?);
        let columns = u32::from(self.bytes.half(at.saturating_add(6))?);
        let counts = match self.bytes.half(at.saturating_add(8))? {
            0 => Vec::new(),
            count => vec![u32::from(count)],
        };

        let number = self.bytes.half(at.saturating_add(2))?;
        let base = match (class, component(number)) {
            (STRUCT, _) => self.structure(at, depth)?,
            (SCALAR, Some(component)) => ReflectedBase::Scalar(component),
            (VECTOR, Some(component)) => ReflectedBase::Vector { component, length: columns },
            (MATRIX_ROWS, Some(component)) => {
                ReflectedBase::Matrix { component, rows, columns, order: MatrixOrder::Row }
            }
            (MATRIX_COLUMNS, Some(component)) => {
                ReflectedBase::Matrix { component, rows, columns, order: MatrixOrder::Column }
            }
            _ => ReflectedBase::Unknown(format!("class {class}, type {number}")),
        };
        Ok(ReflectedType { base, counts })
    }

    fn structure(&mut self, at: usize, depth: usize) -> Result<ReflectedBase, RdefError> {
        if depth >= MOST_NESTED {
            return Err(RdefError::TooDeep);
        }

        let (count, first) =
            (self.bytes.half(at.saturating_add(10))?, self.bytes.word(at.saturating_add(12))? as usize);
        let name = if self.sizes.has_type_names { self.name(at.saturating_add(32))? } else { String::new() };
        let mut members = Vec::new();
        for index in 0..usize::from(count) {
            let at = first.saturating_add(index * MEMBER_BYTES);
            let (name, offset) = (self.name(at)?, self.bytes.word(at.saturating_add(8))?);
            let ty = self.bytes.word(at.saturating_add(4))? as usize;
            let ty = self.ty(ty, depth + 1)?;
            // A struct without members has no offset: FXC states -4.
            if !matches!(&ty.base, ReflectedBase::Struct { members, .. } if members.is_empty()) {
                // The members of a base class become members of the class.
                members.push(ReflectedMember { is_base: name == "$super", name, offset, ty, size: None });
            }
        }
        Ok(ReflectedBase::Struct { name, members })
    }
}

/// `D3D_SVC_SCALAR` and so on.
const SCALAR: u16 = 0;
const VECTOR: u16 = 1;
const MATRIX_ROWS: u16 = 2;
const MATRIX_COLUMNS: u16 = 3;
const STRUCT: u16 = 5;

/// The scalar for a `D3D_SHADER_VARIABLE_TYPE`. The min-precision types have 4 bytes.
fn component(number: u16) -> Option<Component> {
    let (scalar, size) = match number {
        1 => (Scalar::Bool, 4),
        2 => (Scalar::Int32, 4),
        3 => (Scalar::Float32, 4),
        19 => (Scalar::Uint32, 4),
        39 => (Scalar::Float64, 8),
        53 => (Scalar::Min10Float, 4),
        54 => (Scalar::Min16Float, 4),
        55 => (Scalar::Min12Int, 4),
        56 => (Scalar::Min16Int, 4),
        57 => (Scalar::Min16Uint, 4),
        _ => return None,
    };
    Some(Component { scalar, size })
}

#[cfg(test)]
mod tests {
    use layoutproof_layout::{BlockKind, Count};

    use crate::container::{ContainerError, ContainerReflection, ContainerTables};
    use crate::dxil::resource_bindings;
    use crate::fxc::buffer_definitions;

    /// FXC 10.0.22621.2428, `cs_5_1`, made this from `fxc/source.hlsl`; its listing is
    /// `fxc/listing.txt`.
    const CONTAINER: &[u8] = include_bytes!("../fxc/source.cso");
    const LISTING: &str = include_str!("../fxc/listing.txt");

    fn blocks(container: &[u8]) -> Result<Vec<layoutproof_layout::BlockLayout>, ContainerError> {
        match ContainerReflection::find(container)? {
            ContainerReflection::Rdef(blocks) => Ok(blocks),
            ContainerReflection::Dxil => Err(ContainerError::Stripped),
        }
    }

    #[test]
    fn members_are_where_the_listing_of_fxc_says() {
        let blocks = blocks(CONTAINER).unwrap();
        let listed = buffer_definitions(LISTING).unwrap();
        let names = |block: &layoutproof_layout::BlockLayout| block.name.clone();
        assert_eq!(
            blocks.iter().map(names).collect::<Vec<_>>(),
            listed.iter().map(|buffer| buffer.name.clone()).collect::<Vec<_>>()
        );

        for (block, listed) in blocks.iter().zip(&listed) {
            assert!(block.result.is_ok(), "{block:?}");
            for (path, offset) in &listed.members {
                let own =
                    path.strip_prefix(&format!("{}.", block.name)).filter(|_| block.kind == BlockKind::ConstantBuffer);
                let path = own.unwrap_or(path).replace("[]", "");
                let rows = block.rows();
                let found = rows.iter().find(|row| row.path.replace("[]", "") == path);
                let is_whole = path == block.name;
                assert!(is_whole || found.map(|row| row.offset) == Some(*offset), "{}: {path}: {found:?}", block.name);
            }
        }
    }

    #[test]
    fn kinds_and_counts_are_those_of_the_source() {
        let of = |name: &str| blocks(CONTAINER).unwrap().into_iter().find(|block| block.name == name).unwrap();
        let kind = |name: &str| (of(name).kind, of(name).count, of(name).stride);
        let one = Count::Finite(1);
        assert_eq!(kind("$Globals"), (BlockKind::Globals, one, None));
        assert_eq!(kind("Values"), (BlockKind::Cbuffer, one, None));
        assert_eq!(kind("T"), (BlockKind::Tbuffer, one, None));
        assert_eq!(kind("block"), (BlockKind::ConstantBuffer, one, None));
        assert_eq!(kind("many"), (BlockKind::ConstantBuffer, Count::Unbounded, None));
        assert_eq!(kind("scalars"), (BlockKind::StructuredElement, one, Some(8)));
        assert_eq!(kind("elements"), (BlockKind::StructuredElement, one, Some(132)));
    }

    /// The table in FXC's listing of the same shader. It writes the count of an unbounded array as 2^32 - 1.
    #[test]
    fn registers_are_those_in_the_listing_of_fxc() {
        let tables = ContainerTables::read(CONTAINER).unwrap();
        let listed = LISTING.replace("// ", "; ").replace("//\n", ";\n").replace("4294967295", "unbounded");
        let listed = resource_bindings(&listed).unwrap();
        assert_eq!((tables.resources.len(), &tables.elements[..]), (8, &[][..]));
        for resource in &tables.resources {
            assert!(listed.contains(resource), "{resource:?} of {listed:?}");
        }
    }

    /// Cutting off bytes or changing any byte gives a result or an error, never a panic.
    #[test]
    fn a_damaged_container_is_no_panic() {
        for length in 0..CONTAINER.len() {
            assert!(blocks(&CONTAINER[..length]).is_err(), "{length}");
            assert!(ContainerTables::read(&CONTAINER[..length]).is_err(), "{length}");
        }
        for index in 0..CONTAINER.len() {
            for value in [0, 1, 0x7f, 0xff] {
                let mut damaged = CONTAINER.to_vec();
                damaged[index] = value;
                let _ = (blocks(&damaged), ContainerTables::read(&damaged));
            }
        }
    }
}
