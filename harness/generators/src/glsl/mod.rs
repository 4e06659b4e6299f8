//! Writes probes in GLSL: the translated declaration of a block, and an entry point that reads
//! every leaf by name.
//!
//! The text is for glslang and naga. It names the rule set (`layout(std140)`) and gives offsets
//! only where the declaration does; the compiler chooses all others. If GLSL cannot express a
//! member, the generator refuses it with the reason.
//!
//! Source: The OpenGL Shading Language 4.60, 4.4.5 Uniform and Shader Storage Block Layout
//! Qualifiers; `GL_KHR_vulkan_glsl`; `GL_EXT_scalar_block_layout`;
//! `GL_EXT_shader_explicit_arithmetic_types`; `GL_EXT_shared_memory_block`;
//! `GL_EXT_descriptor_heap`.

mod access;
mod declare;
mod types;

use declare::declaration;
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::{Block, BlockKind, Component, LayoutOptions, find};
use thiserror::Error;

use layoutproof_probes::{AddressSpace, AnswerPlace, Form, ProbePlan, WORKGROUP_WORDS, Wiring};

/// Binding of the probe's output in descriptor set 0. The input has the next one.
pub const BINDING: u32 = layoutproof_probes::reserved::Reserved::BINDING;

/// Name of the block's variable.
const BLOCK: &str = "layoutproof_block";

/// Name of the single member of a block that is not a struct, or that is an array of elements.
const VALUE: &str = "layoutproof_value";

/// Why a declaration cannot be translated to GLSL.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("not expressible in GLSL: {}, {reason}", if path.is_empty() { "the block".to_owned() } else { format!("`{path}`") })]
pub struct NotInGlsl {
    /// Path of the member in the block; empty for the block itself.
    pub path: String,
    /// The reason, as a lowercase fragment.
    pub reason: String,
}

impl NotInGlsl {
    fn new(path: &str, reason: impl Into<String>) -> Self {
        Self { path: path.to_owned(), reason: reason.into() }
    }
}

/// A block with everything that its GLSL declaration depends on.
#[derive(Clone, Copy, Debug)]
pub struct GlslDeclaration<'a> {
    pub block: &'a Block,
    /// True for an unsized array of the block's elements, which reveals their stride. At an address it is
    /// the memory behind a pointer to one element (`p[1]`).
    pub elements: bool,
    /// The layout qualifier: `std140`, `std430` or `scalar`.
    pub rules: &'a str,
    /// A uniform buffer or a storage buffer at a binding or in the descriptor heap, push constants, a shader record,
    /// workgroup memory, or memory at an address.
    pub space: AddressSpace,
    /// The alignment that the shader may assume of the address.
    pub address_alignment: u32,
    /// How many words a block in workgroup memory is copied from; see
    /// [`workgroup_words`](layoutproof_probes::workgroup_words).
    pub shared_words: u32,
    /// Default matrix order and 16-bit types.
    pub options: LayoutOptions,
}

/// Returns the address space in which to declare a block of this kind under a rule set. Constant
/// blocks of HLSL become uniform blocks, except under `std430`, which the specification defines
/// only for storage blocks.
pub fn space_of(kind: BlockKind, rules: &str) -> AddressSpace {
    let glsl = find(rules).and_then(|rules| rules.glsl);
    let has_uniform_blocks = glsl.is_none_or(|glsl| glsl.in_uniform_blocks);

    match kind {
        BlockKind::PushConstant => AddressSpace::PushConstant,
        BlockKind::ShaderRecord => AddressSpace::ShaderRecord,
        kind if kind.is_constant() && has_uniform_blocks => AddressSpace::Uniform,
        BlockKind::Cbuffer
        | BlockKind::ConstantBuffer
        | BlockKind::ParameterBlock
        | BlockKind::Globals
        | BlockKind::EntryUniforms
        | BlockKind::UniformBlock
        | BlockKind::Tbuffer
        | BlockKind::TextureBuffer
        | BlockKind::StructuredElement
        | BlockKind::Pointee
        | BlockKind::StorageBlock
        | BlockKind::StageData => AddressSpace::Storage,
        BlockKind::Workgroup => AddressSpace::Workgroup,
    }
}

/// Writes the shader for `plan`, which has one entry point of the form [`Form::Leaf`] with the
/// words of `wiring`. The entry point is named `main`, as GLSL requires.
///
/// # Errors
///
/// GLSL cannot express the block, or the plan has another form.
pub fn probe(declared: &GlslDeclaration<'_>, plan: &ProbePlan, wiring: &Wiring) -> Result<String, NotInGlsl> {
    let block = declaration(declared)?;
    let mut body = String::new();

    for slot in wiring.slots.iter().filter(|slot| slot.form == Form::Leaf) {
        let leaf = &plan.leaves[slot.leaf as usize];
        let value = access::expression(declared, leaf).ok_or_else(|| NotInGlsl::new(&leaf.path, "no such leaf"))?;
        for place in &slot.places {
            match place {
                AnswerPlace::Word(word) => body += &store(&value, leaf.component, *word),
                AnswerPlace::Copy(_) => {
                    return Err(NotInGlsl::new(&leaf.path, "a copy of the block is not written here"));
                }
            }
        }
    }

    let (words, fill) = match declared.space {
        AddressSpace::Workgroup => filled(declared.shared_words),
        _ => (String::new(), String::new()),
    };
    let (output, input) = (BINDING, BINDING + 1);
    // Ray-tracing stages have no workgroups.
    let is_traced = declared.space == AddressSpace::ShaderRecord;
    let local_size = if is_traced { "" } else { "layout(local_size_x = 1) in;\n" };
    Ok(format!(
        "{block}{words}
layout(std430, set = 0, binding = {output}) buffer LayoutproofOutput {{ uint layoutproof_output[]; }};
layout(std430, set = 0, binding = {input}) readonly buffer LayoutproofInput {{ uint layoutproof_input[]; }};
{local_size}void main()
{{
    layoutproof_output[0] = layoutproof_input[0];
{fill}{body}}}
"
    ))
}

/// Returns the declarations and statements that fill workgroup memory with `count` words of a
/// storage buffer.
fn filled(count: u32) -> (String, String) {
    let declarations = format!(
        "layout(std430, set = 0, binding = 0) readonly buffer LayoutproofSource {{ uint layoutproof_source[]; }};
layout(std430) shared LayoutproofWords {{ uint words[{count}]; }} {WORKGROUP_WORDS};
"
    );
    let statements = format!(
        "    for (uint word = 0u; word < {count}u; ++word) {WORKGROUP_WORDS}.words[word] = layoutproof_source[word];
    barrier();
"
    );
    (declarations, statements)
}

/// Returns the statements that store a leaf's bits, starting at a word of the output.
fn store(value: &str, component: Component, word: u32) -> String {
    let Component { scalar, size } = component;
    let two_words = |bits: String| {
        let next = word + 1;
        format!(
            "    {{ uvec2 bits = {bits}; layoutproof_output[{word}] = bits.x; layoutproof_output[{next}] = bits.y; }}\n"
        )
    };
    let one_word = |bits: String| format!("    layoutproof_output[{word}] = {bits};\n");

    match (scalar, size) {
        (Scalar::Bool, _) => one_word(format!("{value} ? 1u : 0u")),
        (_, 8) if scalar.is_float() => two_words(format!("unpackDouble2x32({value})")),
        (_, 8) => two_words(format!("unpack32(uint64_t({value}))")),
        (_, 2) if scalar.is_float() => one_word(format!("uint(float16BitsToUint16({value}))")),
        (_, 2) => one_word(format!("uint(uint16_t({value}))")),
        (_, 1) => one_word(format!("uint(uint8_t({value}))")),
        (_, _) if scalar.is_float() => one_word(format!("floatBitsToUint({value})")),
        (_, _) => one_word(format!("uint({value})")),
    }
}

#[cfg(test)]
mod tests;
