//! Splits a container into its parts, which have names of four letters.
//!
//! Source: `DxilContainer.h` of `DirectXShaderCompiler`; FXC's containers have the same structure.

use layoutproof_layout::BlockLayout;

use super::rdef::read_rdef;
use super::{Bytes, ContainerError, Ended};

/// The first bytes of every container, including DXC's.
pub const CONTAINER_MAGIC: &[u8] = b"DXBC";

/// Bytes of the header: magic, digest, version, length, number of parts.
const HEADER_BYTES: usize = 32;

/// Offset in bytes of the number of parts in the header.
const COUNT_AT: usize = 28;

/// Most parts to read from a container. Compilers write about ten.
pub(super) const MOST_PARTS: u32 = 1024;

#[derive(Clone, Debug, PartialEq)]
pub enum ContainerReflection {
    /// FXC's: the blocks.
    Rdef(Vec<BlockLayout>),
    /// DXC's, as bitcode, which DXC can list.
    Dxil,
}

impl ContainerReflection {
    pub fn find(container: &[u8]) -> Result<Self, ContainerError> {
        let parts = parts(container)?;
        if let Some(rdef) = parts.iter().find(|part| part.name == *b"RDEF") {
            return Ok(Self::Rdef(read_rdef(rdef.bytes)?));
        }
        if parts.iter().any(|part| [*b"DXIL", *b"ILDB", *b"STAT"].contains(&part.name) && !has_dxbc(&parts)) {
            return Ok(Self::Dxil);
        }

        let names: Vec<String> = parts.iter().map(|part| part.name.escape_ascii().to_string()).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        Err(ContainerError::Undescribed(names))
    }
}

/// True if the code is FXC's. The part `STAT` of such a container holds only statistics.
fn has_dxbc(parts: &[ContainerPart<'_>]) -> bool {
    parts.iter().any(|part| [*b"SHEX", *b"SHDR"].contains(&part.name))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ContainerPart<'a> {
    pub(super) name: [u8; 4],
    pub(super) bytes: &'a [u8],
}

pub(super) fn parts(container: &[u8]) -> Result<Vec<ContainerPart<'_>>, ContainerError> {
    if !container.starts_with(CONTAINER_MAGIC) || container.len() < HEADER_BYTES {
        return Err(ContainerError::NoContainer(container.len()));
    }

    let bytes = Bytes(container);
    let count = bytes.word(COUNT_AT)?;
    if count > MOST_PARTS {
        return Err(ContainerError::Damaged(count));
    }

    let mut parts = Vec::new();
    for index in 0..count as usize {
        let start = bytes.word(HEADER_BYTES + 4 * index)? as usize;
        let name = bytes.array(start)?;
        let size = bytes.word(start.saturating_add(4))? as usize;
        let at = start.saturating_add(8);
        let content = bytes.from(at)?.get(..size).ok_or(Ended { length: container.len(), at })?;
        parts.push(ContainerPart { name, bytes: content });
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A container with these parts, built as in `DxilContainer.h`.
    fn container(parts: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut bytes = [CONTAINER_MAGIC, &[0; 16], &[1, 0, 0, 0]].concat();
        let size = HEADER_BYTES + parts.iter().map(|(_, content)| 12 + content.len()).sum::<usize>();
        bytes.extend(u32::try_from(size).unwrap().to_le_bytes());
        bytes.extend(u32::try_from(parts.len()).unwrap().to_le_bytes());
        let mut start = HEADER_BYTES + 4 * parts.len();
        for (_, content) in parts {
            bytes.extend(u32::try_from(start).unwrap().to_le_bytes());
            start += 8 + content.len();
        }
        for (name, content) in parts {
            bytes.extend(*name);
            bytes.extend(u32::try_from(content.len()).unwrap().to_le_bytes());
            bytes.extend(*content);
        }
        bytes
    }

    #[test]
    fn who_reads_a_container_depends_on_its_parts() {
        let find = |parts: &[(&[u8; 4], &[u8])]| ContainerReflection::find(&container(parts));
        assert_eq!(find(&[(b"SFI0", b""), (b"DXIL", b"BC")]).unwrap(), ContainerReflection::Dxil);
        let error = find(&[(b"SHEX", b""), (b"STAT", b"")]).unwrap_err();
        assert!(matches!(error, ContainerError::Undescribed(parts) if parts == "SHEX, STAT"));
        assert!(matches!(find(&[(b"RDEF", b"short")]), Err(ContainerError::Rdef(_))));
    }

    #[test]
    fn what_ends_too_early_is_refused() {
        let whole = container(&[(b"DXIL", b"bitcode")]);
        for length in 0..whole.len() {
            assert!(ContainerReflection::find(&whole[..length]).is_err(), "{length}");
        }
        let many = [CONTAINER_MAGIC, &[0xff; 28]].concat();
        assert!(matches!(ContainerReflection::find(&many), Err(ContainerError::Damaged(u32::MAX))));
    }
}
