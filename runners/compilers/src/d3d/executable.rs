//! Translates DXBC with vkd3d-compiler to SPIR-V that a Vulkan device runs, and finds where each register went.

use std::fs;
use std::path::Path;

use layoutproof_core::inspect::fxc::{FxcBinding, resource_bindings};
use layoutproof_core::inspect::spirv::bound_variables;
use layoutproof_layout::LayoutUnit;

use super::D3dObject;
use super::rewrite::{with_entry, with_slot, without_idle_capabilities, without_repeated_decorations};
use super::texel_buffers::with_storage_buffers;
use crate::child::OUTPUT_LIMIT;
use crate::compiler::{Compiler, CompilerAnswer};
use crate::regular_file;
use crate::scratch::ScratchFolder;

/// A module made of DXBC. Its entry point is `main`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executable {
    /// SPIR-V words.
    pub spirv: Vec<u32>,
    /// What the entry point uses, in the order of the listing.
    pub places: Vec<ResourcePlace>,
}

/// Where a resource of the source is in the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourcePlace {
    /// Name, register and space, as FXC lists them.
    pub listed: FxcBinding,
    /// Descriptor set.
    pub set: u32,
    /// Binding.
    pub binding: u32,
}

/// A place for a resource in SPIR-V.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpirvSlot {
    /// Descriptor set.
    pub set: u32,
    /// Binding.
    pub binding: u32,
}

impl Executable {
    /// True if the code sees texels of a format, for which it has an image or a texel buffer, in what is bound there.
    pub fn has_texels(listed: &FxcBinding) -> bool {
        listed.binding.unit == LayoutUnit::ShaderResource && !listed.is_raw
    }

    /// The module with its entry point called `entry`, and with the resources of these names in other slots. Names that the
    /// module does not have are passed over.
    #[must_use]
    pub fn moved(mut self, entry: &str, slots: &[(&str, SpirvSlot)]) -> Self {
        self.spirv = with_entry(&self.spirv, entry);
        for place in &mut self.places {
            if let Some((_, to)) = slots.iter().find(|(name, _)| *name == place.listed.binding.name) {
                self.spirv = with_slot(&self.spirv, SpirvSlot { set: place.set, binding: place.binding }, *to);
                place.set = to.set;
                place.binding = to.binding;
            }
        }
        self
    }
}

const ARGUMENTS: [&str; 8] =
    ["-x", "dxbc-tpf", "-b", "spirv-binary", "--buffer-uav=storage-buffer", "object.dxbc", "-o", "object.spv"];

/// Translates an object of FXC.
///
/// # Errors
/// Why there is no module, in a sentence.
pub(crate) fn translate(vkd3d: &Compiler, object: &D3dObject) -> Result<Executable, String> {
    let folder = ScratchFolder::new().map_err(|error| error.to_string())?;
    fs::write(folder.path().join("object.dxbc"), &object.container).map_err(|error| error.to_string())?;
    match vkd3d.ask(folder.path(), &ARGUMENTS) {
        CompilerAnswer::Accepted(_) => {}
        CompilerAnswer::Refused(finished) => {
            return Err(format!("vkd3d-compiler refuses it: {}", finished.stderr.trim()));
        }
        CompilerAnswer::Broken(how) => return Err(how),
    }
    let module = read_words(&folder.path().join("object.spv"))?;
    let rows = resource_bindings(&object.listing)?;
    let module = without_repeated_decorations(&module);
    // Beside texels of a format there is no telling which buffers have bytes.
    let has_texels = rows.iter().any(Executable::has_texels);
    let untyped = if has_texels { Some(module) } else { with_storage_buffers(&module) };
    let untyped =
        untyped.ok_or("its code asks for the size of a texel buffer, as which vkd3d's SPIR-V has a buffer")?;
    let spirv = without_idle_capabilities(&untyped);
    let places = places(&spirv, rows)?;
    Ok(Executable { spirv, places })
}

fn read_words(file: &Path) -> Result<Vec<u32>, String> {
    let bytes = regular_file::read(file, OUTPUT_LIMIT).map_err(|error| error.to_string())?;
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("chunks of four bytes"));
    Ok(bytes.chunks_exact(4).map(word).collect())
}

/// Pairs the listing's rows with the module's variables. A row without a variable is left out: its resource may be listed
/// for a size query alone.
fn places(spirv: &[u32], rows: Vec<FxcBinding>) -> Result<Vec<ResourcePlace>, String> {
    let variables = bound_variables(spirv).map_err(|bad| format!("vkd3d-compiler's module: {}", bad.reason))?;
    let placed = rows.into_iter().filter_map(|listed| {
        let name = variable(&listed);
        // A constant buffer's name goes on, `cb1_3`.
        let found = variables.iter().find(|variable| variable.name.split('_').next() == Some(name.as_str()))?;
        Some(ResourcePlace { set: found.set, binding: found.binding, listed })
    });
    Ok(placed.collect())
}

/// What vkd3d-compiler calls the variable of a resource: after its range in a 5.1 profile, its register in 5.0.
fn variable(listed: &FxcBinding) -> String {
    let prefix = if listed.binding.unit == LayoutUnit::ConstantBuffer { "cb" } else { listed.binding.unit.as_str() };
    format!("{prefix}{}", listed.range.unwrap_or(listed.binding.index))
}
