//! Writes probes in WGSL: one module for each entry of a probe plan.
//!
//! WGSL has its own layout rules and few ways to bend them. The generator writes a layout with
//! members, `@size` and wrapper structs such that WGSL's rules give exactly its offsets, or refuses
//! it with the numbers that do not fit. Under the rule sets `wgsl-uniform` and `wgsl-storage` it
//! writes plain members, and naga's rules choose the offsets. This module does not know how naga
//! lays the text out: see [`layoutproof_readers::naga_offsets`].
//!
//! Source: WebGPU Shading Language, 14.4 Memory Layout (alignment and size, structure member
//! layout, array layout, address space layout constraints).

mod access;
mod build;
mod entry;
mod node;
mod regions;
mod uniform;
pub mod user_module;

use access::WgslLeafAccess;
use build::{Fit, WgslBuilder};
use layoutproof_layout::rules::{HomeBuffer, Platform};
use layoutproof_layout::{BlockLayout, LaidOut, find};
use node::WgslNode;
pub use regions::{fits_region, holds_matrix_of_two_rows, region_job};
use thiserror::Error;

use layoutproof_probes::{AddressSpace, Direction, ProbeEntry, ProbePlan, Stage};

use layoutproof_readers::wgsl_probe::{BLOCK, MAX_IMMEDIATE_SIZE, WgslProbe};

/// Why WGSL cannot express a layout.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("no probe in WGSL: {}, {reason}", if path.is_empty() { "the block".to_owned() } else { format!("`{path}`") })]
pub struct NotExpressible {
    /// Path of the member in the block (`lights[].position`); empty for the block itself.
    pub path: String,
    /// The reason, as a lowercase fragment with the relevant numbers.
    pub reason: String,
}

impl NotExpressible {
    fn new(path: &str, reason: impl Into<String>) -> Self {
        Self { path: path.to_owned(), reason: reason.into() }
    }
}

/// Declarations of the output and input buffers.
const BUFFERS: &str = include_str!("probe.wgsl");

/// The layouts that a uniform block may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UniformLayout {
    /// Structs and arrays at multiples of 16 bytes, as every implementation allows.
    Constrained,
    /// That of storage buffers. Needs the language feature `uniform_buffer_standard_layout`.
    Standard,
}

/// Writes the module for one entry point of `plan`, whose uniform blocks may have these layouts.
///
/// The block is `var<uniform>`, `var<storage, read>` (`read_write` if the probe writes) or
/// `var<immediate>`.
///
/// # Errors
///
/// [`NotExpressible`] with the first member that does not fit, or with the rule that the address
/// space breaks.
pub fn module(
    layout: &BlockLayout,
    plan: &ProbePlan,
    entry: &ProbeEntry,
    uniform: UniformLayout,
) -> Result<WgslProbe, NotExpressible> {
    let laid_out = laid_out(layout)?;
    let mut builder = WgslBuilder::new(fit(&layout.rules));
    let block = builder.node("", laid_out)?.ok_or_else(|| NotExpressible::new("", "the block holds no bytes"))?;
    check_space(&block, entry, uniform)?;

    let leaves = plan.leaves.iter().map(|leaf| block.access(leaf)).collect::<Result<Vec<WgslLeafAccess>, _>>()?;
    let body = entry::function(&block, leaves.clone(), entry)?;

    Ok(WgslProbe {
        text: text(builder, &block, entry, &body),
        entry: entry.name.clone(),
        binding_size: block.size,
        has_halves: block.has_halves(),
        paths: leaves.into_iter().map(|access| access.path).collect(),
    })
}

/// The whole text of a module with this block and the body of its entry point.
fn text(builder: WgslBuilder, block: &WgslNode, entry: &ProbeEntry, body: &str) -> String {
    let enables = if block.has_halves() { "enable f16;\n\n" } else { "" };
    let (declarations, variable) = (builder.into_declarations(), variable(block, entry));
    format!("{enables}{declarations}{variable}\n{BUFFERS}\n{body}")
}

fn laid_out(layout: &BlockLayout) -> Result<&LaidOut, NotExpressible> {
    layout.result.as_ref().map_err(|refusals| {
        let (path, message) = refusals.first().map_or(("", ""), |refusal| (&refusal.path, &refusal.message));
        NotExpressible::new(path, format!("rule set `{}` forbids the block: {message}", layout.rules))
    })
}

fn fit(rules: &str) -> Fit {
    if chooses_offsets(rules) { Fit::Plain } else { Fit::Exact }
}

/// Returns true if this is one of WGSL's own rule sets. The text then moves no member, and a WGSL
/// compiler chooses every offset.
pub fn chooses_offsets(rules: &str) -> bool {
    find(rules).is_some_and(|rules| rules.platform == Platform::Webgpu)
}

/// Returns the address space in which to declare a block under one of WGSL's own rule sets.
pub fn space_of(rules: &str) -> AddressSpace {
    match find(rules).map(|rules| rules.home) {
        Some(HomeBuffer::Uniform) => AddressSpace::Uniform,
        Some(HomeBuffer::Storage) | None => AddressSpace::Storage,
    }
}

/// Returns true if WGSL has the space of an entry point, and this generator writes its stage.
pub fn has(entry: &ProbeEntry) -> bool {
    let space = match entry.space {
        AddressSpace::Uniform | AddressSpace::Storage | AddressSpace::PushConstant => true,
        AddressSpace::UniformElement
        | AddressSpace::InlineUniform
        | AddressSpace::HeapUniform
        | AddressSpace::HeapStorage
        | AddressSpace::StorageElement
        | AddressSpace::Address
        | AddressSpace::ShaderRecord
        | AddressSpace::Workgroup => false,
    };
    space && entry.stage == Stage::Compute
}

fn check_space(block: &WgslNode, entry: &ProbeEntry, uniform: UniformLayout) -> Result<(), NotExpressible> {
    if !has(entry) {
        let (space, stage) = (entry.space.as_str(), entry.stage.as_str());
        return Err(NotExpressible::new(
            "",
            format!("address space `{space}` in the {stage} stage is not written in WGSL"),
        ));
    }
    let space = match entry.space {
        AddressSpace::Uniform => {
            if uniform == UniformLayout::Constrained {
                uniform::check(block)?;
            }
            "uniform"
        }
        AddressSpace::PushConstant => "immediate",
        AddressSpace::UniformElement
        | AddressSpace::InlineUniform
        | AddressSpace::HeapUniform
        | AddressSpace::HeapStorage
        | AddressSpace::Storage
        | AddressSpace::StorageElement
        | AddressSpace::Address
        | AddressSpace::ShaderRecord
        | AddressSpace::Workgroup => return Ok(()),
    };

    if let Some(path) = block.runtime_sized() {
        return Err(NotExpressible::new(&path, format!("a runtime-sized array in address space `{space}`")));
    }
    if entry.space == AddressSpace::PushConstant && block.size > MAX_IMMEDIATE_SIZE {
        let reason = format!("immediates hold {MAX_IMMEDIATE_SIZE} bytes in naga, the block takes {}", block.size);
        return Err(NotExpressible::new("", reason));
    }

    match entry.direction {
        Direction::Read => Ok(()),
        Direction::Write => Err(NotExpressible::new("", format!("address space `{space}` cannot be written"))),
    }
}

fn variable(block: &WgslNode, entry: &ProbeEntry) -> String {
    let address_space = match (entry.space, entry.direction) {
        (
            AddressSpace::Uniform
            | AddressSpace::UniformElement
            | AddressSpace::InlineUniform
            | AddressSpace::HeapUniform,
            _,
        ) => "uniform",
        (AddressSpace::PushConstant, _) => "immediate",
        (AddressSpace::Workgroup, _) => "workgroup",
        (
            AddressSpace::Storage
            | AddressSpace::StorageElement
            | AddressSpace::HeapStorage
            | AddressSpace::Address
            | AddressSpace::ShaderRecord,
            direction,
        ) => match direction {
            Direction::Read => "storage, read",
            Direction::Write => "storage, read_write",
        },
    };

    let binding = match entry.space {
        AddressSpace::Uniform
        | AddressSpace::UniformElement
        | AddressSpace::InlineUniform
        | AddressSpace::HeapUniform
        | AddressSpace::HeapStorage
        | AddressSpace::Storage
        | AddressSpace::StorageElement
        | AddressSpace::Address
        | AddressSpace::ShaderRecord => "@group(0) @binding(0) ",
        AddressSpace::PushConstant | AddressSpace::Workgroup => "",
    };
    format!("{binding}var<{address_space}> {BLOCK}: {};", block.ty)
}

#[cfg(test)]
mod tests;
