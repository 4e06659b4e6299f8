//! Translates DXBC with vkd3d-compiler to SPIR-V for a Vulkan device, and finds the new place of
//! each register.

use std::fs;
use std::io;

use layoutproof_device::words_of;
use layoutproof_layout::LayoutUnit;
use layoutproof_readers::fxc::{FxcBinding, resource_bindings};
use layoutproof_readers::spirv::bound_variables;

use super::batch::D3dObject;
use super::rewrite::{SpirvSlot, with_entry, with_slot, without_idle_capabilities, without_repeated_decorations};
use super::texel_buffers::with_storage_buffers;
use crate::child::OUTPUT_LIMIT;
use crate::compiler::{Compiler, CompilerAnswer};
use crate::regular_file::{self, ReadError};
use crate::scratch::ScratchFolder;

/// A module translated from DXBC. Its entry point is `main`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executable {
    pub spirv: Vec<u32>,
    /// The resources that the entry point uses, in the order of the listing.
    pub places: Vec<ResourcePlace>,
}

/// The place of one of the source's resources in the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourcePlace {
    /// Name, register and space in FXC's listing.
    pub listed: FxcBinding,
    /// Set and binding in the module.
    pub slot: SpirvSlot,
}

/// The reason why an object of FXC has no module. The source is not at fault.
#[derive(Debug, thiserror::Error)]
pub enum NoExecutable {
    #[error("vkd3d-compiler refuses it: {0}")]
    Refused(String),
    /// vkd3d-compiler did not answer; a sentence.
    #[error("{0}")]
    Broken(String),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Listing(#[from] layoutproof_readers::ReadError),
    #[error("vkd3d-compiler's module: {0}")]
    Module(String),
    #[error("its code asks for the size of a buffer, which is a texel buffer in vkd3d's SPIR-V")]
    BufferSize,
}

impl Executable {
    /// True if the code reads the resource as texels of a format, so that it needs an image or a
    /// texel buffer.
    pub fn has_texels(listed: &FxcBinding) -> bool {
        listed.binding.unit == LayoutUnit::ShaderResource && !listed.is_raw
    }

    /// Renames the entry point to `entry`, and moves the named resources to other slots. Ignores
    /// names that the module does not have.
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

pub(crate) fn translate(vkd3d: &Compiler, object: &D3dObject) -> Result<Executable, NoExecutable> {
    let module = compile_to_spirv(vkd3d, &object.container)?;
    let rows = resource_bindings(&object.listing)?;
    let module = without_repeated_decorations(&module);

    // If the module also has texels of a format, nothing shows which buffers hold bytes.
    let has_texels = rows.iter().any(Executable::has_texels);
    let untyped = if has_texels { Some(module) } else { with_storage_buffers(&module) };
    let untyped = untyped.ok_or(NoExecutable::BufferSize)?;

    let spirv = without_idle_capabilities(&untyped);
    let places = places(&spirv, rows)?;
    Ok(Executable { spirv, places })
}

/// Runs vkd3d-compiler on DXBC, and returns the SPIR-V words.
fn compile_to_spirv(vkd3d: &Compiler, dxbc: &[u8]) -> Result<Vec<u32>, NoExecutable> {
    let folder = ScratchFolder::new()?;
    fs::write(folder.path().join("object.dxbc"), dxbc)?;

    match vkd3d.ask(folder.path(), &ARGUMENTS) {
        CompilerAnswer::Accepted(_) => {
            Ok(words_of(&regular_file::read(&folder.path().join("object.spv"), OUTPUT_LIMIT)?))
        }
        CompilerAnswer::Refused(finished) => Err(NoExecutable::Refused(finished.stderr.trim().to_owned())),
        CompilerAnswer::Broken(how) => Err(NoExecutable::Broken(how)),
    }
}

/// Pairs the rows of the listing with the variables of the module. Drops rows without a variable:
/// the listing may contain a resource only because of a size query.
fn places(spirv: &[u32], rows: Vec<FxcBinding>) -> Result<Vec<ResourcePlace>, NoExecutable> {
    let variables = bound_variables(spirv).map_err(|bad| NoExecutable::Module(bad.reason))?;
    let placed = rows.into_iter().filter_map(|listed| {
        let name = variable(&listed);
        // The variable of a constant buffer has a suffix, as in `cb1_3`.
        let found = variables.iter().find(|variable| variable.name.split('_').next() == Some(name.as_str()))?;
        Some(ResourcePlace { slot: SpirvSlot { set: found.set, binding: found.binding }, listed })
    });
    Ok(placed.collect())
}

/// The name that vkd3d-compiler gives to the variable of a resource: by its range in a 5.1 profile,
/// by its register in 5.0.
fn variable(listed: &FxcBinding) -> String {
    let prefix = if listed.binding.unit == LayoutUnit::ConstantBuffer { "cb" } else { listed.binding.unit.as_str() };
    format!("{prefix}{}", listed.range.unwrap_or(listed.binding.index))
}
