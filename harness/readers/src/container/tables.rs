//! Reads the registers of a container's resources, and the registers of its signatures' elements.
//!
//! The runtime needs both, so that they stay when reflection is stripped: DXC writes resources to `PSV0` without their
//! names, those of a library to `RDAT` with names. FXC's are in its reflection, `RDEF`.
//!
//! Sources: `DxilPipelineStateValidation.h`, `RDAT_LibraryTypes.inl` and `DxilContainer.h` of `DirectXShaderCompiler` for the
//! records of DXC; `d3dcommon.h` of the Windows SDK (`D3D_SHADER_INPUT_TYPE`) and `dxbc.c` of vkd3d for those of FXC.

use layoutproof_layout::LayoutUnit;
use layoutproof_layout::shape::Count;

use super::parts::{ContainerPart, parts};
use super::rdef::rdef_bindings;
use super::{Bytes, ContainerError};
use crate::dxil::ListedBinding;
use layoutproof_layout::listing::ListingBudget;

/// Most records to read from a table.
const MOST_RECORDS: u32 = 1 << 16;

/// The parts with code, which begin with the version of the shader model and the stage.
const CODE: [[u8; 4]; 4] = [*b"DXIL", *b"ILDB", *b"SHEX", *b"SHDR"];
const DOMAIN: u16 = 4;

/// The part of an `RDAT` with its strings, and that with its resources.
const RDAT_STRINGS: u32 = 1;
const RDAT_RESOURCES: u32 = 3;

/// What a container states about its interface besides layouts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContainerTables {
    pub resources: Vec<ListedBinding>,
    pub elements: Vec<SignatureElement>,
}

/// The side of a shader on which a signature is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureSide {
    Input,
    Output,
    /// Values of a whole patch, which a domain shader reads.
    PatchInput,
    /// Values of a whole patch, or of a primitive of a mesh shader.
    PatchOutput,
}

/// A register of an input or output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureElement {
    pub side: SignatureSide,
    /// The stream of a geometry shader.
    pub stream: u32,
    /// `TEXCOORD`, `SV_Position`.
    pub semantic: String,
    pub semantic_index: u32,
    pub register: u32,
    /// The components of the register, one bit each, `x` first.
    pub mask: u8,
}

impl SignatureElement {
    /// `xyz`.
    pub fn components(&self) -> String {
        let letters = "xyzw".char_indices();
        letters.filter(|(bit, _)| self.mask & (1 << bit) != 0).map(|(_, letter)| letter).collect()
    }
}

impl ContainerTables {
    pub fn read(container: &[u8]) -> Result<Self, ContainerError> {
        let mut tables = Self::default();
        let mut budget = ListingBudget::default();
        let parts = parts(container)?;
        let is_domain =
            parts.iter().any(|part| CODE.contains(&part.name) && Bytes(part.bytes).half(2).ok() == Some(DOMAIN));
        for ContainerPart { name, bytes } in parts {
            let bytes = Bytes(bytes);
            match &name {
                b"RDEF" => tables.resources = rdef_bindings(bytes)?,
                b"PSV0" => tables.resources = psv_bindings(bytes)?,
                b"RDAT" => tables.resources = rdat_bindings(bytes, &mut budget)?,
                _ => {
                    if let Some(form) = SignatureForm::of(name, is_domain) {
                        tables.elements.extend(form.elements(bytes, &mut budget)?);
                    }
                }
            }
        }
        Ok(tables)
    }

    /// Gives the resources the names that DXC's listing has for their registers.
    pub fn name_by(&mut self, listed: &[ListedBinding]) {
        if self.resources.is_empty() {
            self.resources = listed.to_vec();
        }
        for resource in self.resources.iter_mut().filter(|resource| resource.name.is_empty()) {
            let place = |own: &ListedBinding| (own.unit, own.space, own.index);
            let named = listed.iter().find(|listed| place(listed) == place(resource));
            resource.name = named.map_or_else(String::new, |listed| listed.name.clone());
        }
    }
}

/// The records of a signature, which each generation of compilers writes in its own form.
#[derive(Clone, Copy, Debug)]
struct SignatureForm {
    side: SignatureSide,
    has_stream: bool,
    /// Bytes of a record.
    record: usize,
}

impl SignatureForm {
    fn of(name: [u8; 4], is_domain: bool) -> Option<Self> {
        let patch = if is_domain { SignatureSide::PatchInput } else { SignatureSide::PatchOutput };
        let (side, has_stream, record) = match &name {
            b"ISGN" => (SignatureSide::Input, false, 24),
            b"OSGN" => (SignatureSide::Output, false, 24),
            b"PCSG" => (patch, false, 24),
            b"OSG5" => (SignatureSide::Output, true, 28),
            b"ISG1" => (SignatureSide::Input, true, 32),
            b"OSG1" => (SignatureSide::Output, true, 32),
            b"PSG1" => (patch, true, 32),
            _ => return None,
        };
        Some(Self { side, has_stream, record })
    }

    /// The elements that have a register.
    fn elements(self, bytes: Bytes<'_>, budget: &mut ListingBudget) -> Result<Vec<SignatureElement>, ContainerError> {
        let (count, first) = (counted(bytes.word(0)?)?, bytes.word(4)? as usize);
        let mut elements = Vec::new();
        for index in 0..count {
            let start = first.saturating_add(index.saturating_mul(self.record));
            let at = start.saturating_add(if self.has_stream { 4 } else { 0 });
            let register = bytes.word(at.saturating_add(16))?;
            // A depth that the shader writes has none.
            if register == u32::MAX {
                continue;
            }
            let semantic = bytes.text(bytes.word(at)? as usize)?;
            budget.spend(semantic.len()).ok_or(ContainerError::TooLarge)?;
            elements.push(SignatureElement {
                side: self.side,
                stream: if self.has_stream { bytes.word(start)? } else { 0 },
                semantic,
                semantic_index: bytes.word(at.saturating_add(4))?,
                register,
                mask: bytes.array::<1>(at.saturating_add(20))?[0],
            });
        }
        Ok(elements)
    }
}

/// `PSV0`: the size of the run-time information, that information, the number of resources, their size, and the resources.
fn psv_bindings(bytes: Bytes<'_>) -> Result<Vec<ListedBinding>, ContainerError> {
    let at = (bytes.word(0)? as usize).saturating_add(4);
    let count = counted(bytes.word(at)?)?;
    if count == 0 {
        return Ok(Vec::new());
    }
    let size = bytes.word(at.saturating_add(4))? as usize;
    let mut found = Vec::new();
    for index in 0..count {
        let at = at.saturating_add(8).saturating_add(index.saturating_mul(size));
        // `PSVResourceType`.
        let unit = match bytes.word(at)? {
            1 => LayoutUnit::Sampler,
            2 => LayoutUnit::ConstantBuffer,
            3..=5 => LayoutUnit::ShaderResource,
            6..=9 => LayoutUnit::UnorderedAccess,
            _ => continue,
        };
        let [space, lower, upper] = [4, 8, 12].map(|field| bytes.word(at.saturating_add(field)));
        found.push(binding(String::new(), unit, space?, (lower?, upper?)));
    }
    Ok(found)
}

/// `RDAT`: a version, the number of parts, their offsets, and the parts, each with its kind and size.
fn rdat_bindings(bytes: Bytes<'_>, budget: &mut ListingBudget) -> Result<Vec<ListedBinding>, ContainerError> {
    let (mut strings, mut resources) = (None, None);
    for index in 0..counted(bytes.word(4)?)? {
        let at = bytes.word(8 + 4 * index)? as usize;
        let content = Some(Bytes(bytes.from(at.saturating_add(8))?));
        match bytes.word(at)? {
            RDAT_STRINGS => strings = content,
            RDAT_RESOURCES => resources = content,
            _ => {}
        }
    }
    let (Some(strings), Some(resources)) = (strings, resources) else { return Ok(Vec::new()) };

    let (count, stride) = (counted(resources.word(0)?)?, resources.word(4)? as usize);
    let mut found = Vec::new();
    for index in 0..count {
        let at = 8_usize.saturating_add(index.saturating_mul(stride));
        // `DXIL::ResourceClass`.
        let unit = match resources.word(at)? {
            0 => LayoutUnit::ShaderResource,
            1 => LayoutUnit::UnorderedAccess,
            2 => LayoutUnit::ConstantBuffer,
            3 => LayoutUnit::Sampler,
            _ => continue,
        };
        let [space, lower, upper, name] = [12, 16, 20, 24].map(|field| resources.word(at.saturating_add(field)));
        let name = strings.text(name? as usize)?;
        budget.spend(name.len()).ok_or(ContainerError::TooLarge)?;
        found.push(binding(name, unit, space?, (lower?, upper?)));
    }
    Ok(found)
}

fn binding(name: String, unit: LayoutUnit, space: u32, (lower, upper): (u32, u32)) -> ListedBinding {
    let count = match upper {
        u32::MAX if lower != upper => Count::Unbounded,
        _ => Count::Finite(upper.saturating_sub(lower).saturating_add(1)),
    };
    ListedBinding { name, unit, space, index: lower, count }
}

fn counted(count: u32) -> Result<usize, ContainerError> {
    if count > MOST_RECORDS { Err(ContainerError::ManyRecords(count)) } else { Ok(count as usize) }
}
