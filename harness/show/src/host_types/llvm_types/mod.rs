//! Prints explicit layouts as LLVM types: those that Clang's HLSL code generation emits, and those
//! of the proposals before it.
//!
//! `types` makes the types, `register_struct` the struct of registers for a `cbuffer`, and `definitions` keeps
//! the names. Members of a base struct count as members of the struct, bit-fields as their storage
//! unit; resources have no members.
//!
//! Source: wg-hlsl, Types with explicit layouts in DXIL and SPIR-V; wg-hlsl INF-0003, packoffset;
//! padding as Clang 22.1.8 prints it.

mod register_struct;
mod types;

use layoutproof_layout::rules::Platform;
use layoutproof_layout::{BlockKind, BlockLayout, find};

use self::types::Definitions;
use crate::style::one_line;

/// The notation for layouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LlvmForm {
    /// Packed structs with `target("dx.Padding", N)` between members.
    Padded,
    /// `target("dx.Layout", %type, size, offsets...)`, and for a `cbuffer` the struct of registers.
    TargetLayout,
}

/// The LLVM types of every block that its rule set allows.
pub fn llvm_types(blocks: &[BlockLayout], form: LlvmForm) -> String {
    let mut definitions = Definitions::default();
    let sections: Vec<String> = blocks.iter().filter_map(|block| section(block, form, &mut definitions)).collect();
    sections.join("\n")
}

/// The lines of one block; `None` if its rule set forbids it.
fn section(block: &BlockLayout, form: LlvmForm, definitions: &mut Definitions) -> Option<String> {
    let root = block.result.as_ref().ok()?;
    let stride = block.stride.map(|stride| format!(", stride {stride} bytes")).unwrap_or_default();
    let size = root.size.finite().map_or("runtime-sized".to_owned(), |size| format!("{size} bytes"));
    let name = one_line(&block.name);
    let mut lines = vec![format!("; {} {name} under {}: {size}{stride}", block.kind, block.rules)];
    lines.extend(types::block_lines(form, definitions, block, root));
    if form == LlvmForm::TargetLayout && has_registers(block) {
        lines.extend(register_struct::lines(&block.name, root));
    }
    lines.push(String::new());
    Some(lines.join("\n"))
}

/// The prefix of target types: D3D rule sets belong to DXIL, all others to SPIR-V.
fn target(rules: &str) -> &'static str {
    match find(rules).map(|rules| rules.platform) {
        Some(Platform::Direct3d) => "dx",
        Some(Platform::Webgpu | Platform::Other) | None => "spirv",
    }
}

/// True if the block declares its members itself instead of using a declared struct.
fn has_own_members(kind: BlockKind) -> bool {
    match kind {
        BlockKind::Cbuffer | BlockKind::Tbuffer | BlockKind::Globals | BlockKind::EntryUniforms => true,
        BlockKind::ConstantBuffer
        | BlockKind::TextureBuffer
        | BlockKind::ParameterBlock
        | BlockKind::StructuredElement
        | BlockKind::PushConstant
        | BlockKind::ShaderRecord
        | BlockKind::Pointee
        | BlockKind::UniformBlock
        | BlockKind::StorageBlock
        | BlockKind::Workgroup
        | BlockKind::StageData => false,
    }
}

/// True if the block's members are in 16-byte registers that `packoffset` can name.
fn has_registers(block: &BlockLayout) -> bool {
    let is_direct = matches!(block.kind, BlockKind::Cbuffer | BlockKind::Globals);
    is_direct && target(&block.rules) == "dx"
}

#[cfg(test)]
mod tests;
