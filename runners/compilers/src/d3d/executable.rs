//! Translates DXBC with vkd3d-compiler to SPIR-V that a Vulkan device runs, and finds where each register went.

use std::fs;
use std::path::Path;

use layoutproof_core::inspect::fxc::{FxcBinding, resource_bindings};
use layoutproof_core::inspect::spirv::bound_variables;
use layoutproof_device::words_of;
use layoutproof_layout::LayoutUnit;

use super::batch::D3dObject;
use super::rewrite::{SpirvSlot, with_entry, with_slot, without_idle_capabilities, without_repeated_decorations};
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

/// The place of one of the source's resources in the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourcePlace {
    /// Name, register and space, as FXC lists them.
    pub listed: FxcBinding,
    /// Where it is bound in the module.
    pub slot: SpirvSlot,
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
                self.spirv = with_slot(&self.spirv, place.slot, *to);
                place.slot = *to;
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
/// vkd3d-compiler refuses it or crashes, or its module cannot be used; in a sentence.
pub(crate) fn translate(vkd3d: &Compiler, object: &D3dObject) -> Result<Executable, String> {
    let module = compile_to_spirv(vkd3d, &object.container)?;
    let rows = resource_bindings(&object.listing)?;
    let module = without_repeated_decorations(&module);

    // Beside texels of a format, nothing tells which buffers have bytes.
    let has_texels = rows.iter().any(Executable::has_texels);
    let untyped = if has_texels { Some(module) } else { with_storage_buffers(&module) };
    let untyped = untyped.ok_or("its code asks for the size of a buffer, which is a texel buffer in vkd3d's SPIR-V")?;

    let spirv = without_idle_capabilities(&untyped);
    let places = places(&spirv, rows)?;
    Ok(Executable { spirv, places })
}

/// The words that vkd3d-compiler makes of DXBC.
fn compile_to_spirv(vkd3d: &Compiler, dxbc: &[u8]) -> Result<Vec<u32>, String> {
    let folder = ScratchFolder::new().map_err(|error| error.to_string())?;
    fs::write(folder.path().join("object.dxbc"), dxbc).map_err(|error| error.to_string())?;

    match vkd3d.ask(folder.path(), &ARGUMENTS) {
        CompilerAnswer::Accepted(_) => read_words(&folder.path().join("object.spv")),
        CompilerAnswer::Refused(finished) => Err(format!("vkd3d-compiler refuses it: {}", finished.stderr.trim())),
        CompilerAnswer::Broken(how) => Err(how),
    }
}

fn read_words(file: &Path) -> Result<Vec<u32>, String> {
    let bytes = regular_file::read(file, OUTPUT_LIMIT).map_err(|error| error.to_string())?;
    Ok(words_of(&bytes))
}

/// Pairs the listing's rows with the module's variables. A row without a variable is left out: its resource may be listed
/// for a size query alone.
fn places(spirv: &[u32], rows: Vec<FxcBinding>) -> Result<Vec<ResourcePlace>, String> {
    let variables = bound_variables(spirv).map_err(|bad| format!("vkd3d-compiler's module: {}", bad.reason))?;
    let placed = rows.into_iter().filter_map(|listed| {
        let name = variable(&listed);
        // A constant buffer's name goes on, `cb1_3`.
        let found = variables.iter().find(|variable| variable.name.split('_').next() == Some(name.as_str()))?;
        Some(ResourcePlace { slot: SpirvSlot { set: found.set, binding: found.binding }, listed })
    });
    Ok(placed.collect())
}

/// The name that vkd3d-compiler gives to the variable of a resource: by its range in a 5.1 profile, by its register in 5.0.
fn variable(listed: &FxcBinding) -> String {
    let prefix = if listed.binding.unit == LayoutUnit::ConstantBuffer { "cb" } else { listed.binding.unit.as_str() };
    format!("{prefix}{}", listed.range.unwrap_or(listed.binding.index))
}
