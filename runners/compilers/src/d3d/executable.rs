//! DXBC as SPIR-V that a Vulkan device runs: vkd3d-compiler, and where it put each register.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use layoutproof::bind::LayoutUnit;
use layoutproof::read_fxc::{FxcBinding, resource_bindings};
use layoutproof::read_spirv::bound_variables;

use super::Object;
use crate::compiler::{Answer, Compiler};

/// A module made of DXBC. Its entry point is `main`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executable {
    /// SPIR-V words.
    pub spirv: Vec<u32>,
    /// What the entry point uses, in the order of the listing.
    pub places: Vec<Place>,
}

/// Where a resource of the source is in the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Name, register and space, as FXC lists them.
    pub listed: FxcBinding,
    /// Descriptor set.
    pub set: u32,
    /// Binding.
    pub binding: u32,
}

const ARGUMENTS: [&str; 8] =
    ["-x", "dxbc-tpf", "-b", "spirv-binary", "--buffer-uav=storage-buffer", "object.dxbc", "-o", "object.spv"];

/// Translates an object of FXC; `Err` says in a sentence why there is no module.
pub(crate) fn translate(vkd3d: &Compiler, object: &Object) -> Result<Executable, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    fs::write(folder.path().join("object.dxbc"), &object.container).map_err(|error| error.to_string())?;
    match vkd3d.ask(folder.path(), &ARGUMENTS) {
        Answer::Accepted(_) => {}
        Answer::Refused(finished) => return Err(format!("vkd3d-compiler refuses it: {}", finished.stderr.trim())),
        Answer::Broken(how) => return Err(how),
    }
    let spirv = without_repeated_decorations(&read_words(&folder.path().join("object.spv"))?);
    let places = places(&spirv, &object.listing)?;
    Ok(Executable { spirv, places })
}

fn read_words(file: &Path) -> Result<Vec<u32>, String> {
    let bytes = fs::read(file).map_err(|error| error.to_string())?;
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("chunks of four bytes"));
    Ok(bytes.chunks_exact(4).map(word).collect())
}

/// Words of a module's header (SPIR-V, "Physical Layout of a SPIR-V Module and Instruction").
const HEADER: usize = 5;

/// Opcode of `OpDecorate`.
const OP_DECORATE: u32 = 71;

/// The module with each `OpDecorate` once. vkd3d-compiler 1.2 decorates the array type of storage buffers anew for each
/// of them, which means nothing new, but spirv-val refuses it.
fn without_repeated_decorations(words: &[u32]) -> Vec<u32> {
    let (header, mut rest) = words.split_at(HEADER.min(words.len()));
    let mut kept = header.to_vec();
    let mut seen = HashSet::new();
    while let Some(&first) = rest.first() {
        // A length of nothing or beyond the end is for the reader of the module to refuse.
        let length = usize::try_from(first >> 16).map_or(rest.len(), |length| length.clamp(1, rest.len()));
        let (instruction, behind) = rest.split_at(length);
        if first & 0xffff != OP_DECORATE || seen.insert(instruction) {
            kept.extend_from_slice(instruction);
        }
        rest = behind;
    }
    kept
}

/// Pairs the listing's rows with the module's variables. A row without a variable is left out: its resource may be listed
/// for a size query alone.
fn places(spirv: &[u32], listing: &str) -> Result<Vec<Place>, String> {
    let variables = bound_variables(spirv).map_err(|bad| format!("vkd3d-compiler's module: {}", bad.reason))?;
    let rows = resource_bindings(listing)?.into_iter();
    let placed = rows.filter_map(|listed| {
        let name = variable(&listed);
        // A constant buffer's name goes on, `cb1_3`.
        let found = variables.iter().find(|variable| variable.name.split('_').next() == Some(name.as_str()))?;
        Some(Place { set: found.set, binding: found.binding, listed })
    });
    Ok(placed.collect())
}

/// What vkd3d-compiler calls the variable of a resource: after its range in a 5.1 profile, its register in 5.0.
fn variable(listed: &FxcBinding) -> String {
    let prefix = if listed.binding.unit == LayoutUnit::ConstantBuffer { "cb" } else { listed.binding.unit.as_str() };
    format!("{prefix}{}", listed.range.unwrap_or(listed.binding.index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_repeated_decoration_goes() {
        let header = [0x0723_0203, 0x0001_0000, 0, 9, 0];
        // OpDecorate %1 ArrayStride 4; the same of %2; OpTypeRuntimeArray %1 %3 (SPIR-V, "Instructions").
        let (first, second, array) = ([0x0004_0047, 1, 6, 4], [0x0004_0047, 2, 6, 4], [0x0003_001d, 1, 3]);
        let module = [&header[..], &first, &second, &first, &array, &array].concat();
        let expected = [&header[..], &first, &second, &array, &array].concat();
        assert_eq!(without_repeated_decorations(&module), expected);
    }

    #[test]
    fn broken_words_are_kept() {
        for words in [&[][..], &[1, 2, 3], &[1, 2, 3, 4, 5, 0, 0x0009_0047, 1]] {
            assert_eq!(without_repeated_decorations(words), words);
        }
    }
}
