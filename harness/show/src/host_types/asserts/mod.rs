//! Host structs for engine code: each laid-out block as a Rust, C or C++ struct with assertions
//! about its offsets and sizes.
//!
//! `flatten` turns the trees into structs that these languages can express, with padding as
//! explicit fields; `rust` and `cpp` write them, and `typescript` writes views of them. If a host language has no such layout (a member in
//! the tail of an array), the array is split so that every byte offset stays right, and a comment
//! in the text explains it. If no struct can have the layout (overlapping members, an unbounded
//! array), the member is left out, and a comment names it.
//!
//! Source: C++ `[class.mem]` and `[support.types.layout]`; the Rust reference, Type layout, The C
//! representation; bytemuck, `Pod` (no implicit padding, every bit pattern valid).

mod cpp;
mod flatten;
mod host;
mod names;
pub mod own_types;
mod rust;
mod typescript;
mod values;

use layoutproof_layout::BlockLayout;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;

use crate::layout_text::declaration_words::hlsl_spelling;
use crate::style::one_line;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostLanguage {
    /// `#[repr(C)]` structs, `core::mem::offset_of!`; Rust 1.77 or newer.
    Rust,
    /// Standard-layout structs, `static_assert` and `offsetof`; C++11 or newer.
    Cpp,
    /// Structs, `_Static_assert` and `offsetof`; C11 or newer.
    C,
}

#[derive(Clone, Copy, Debug)]
pub struct HostOptions<'a> {
    /// The language of the shader, in whose words comments have its types.
    pub shader: ShaderLanguage,
    /// The namespace around them, in Rust the module; C has none.
    pub namespace: Option<&'a str>,
    /// The user's types for vectors and matrices.
    pub vectors: &'a [HostVector],
}

impl HostOptions<'_> {
    /// Without a namespace and types of the user.
    pub fn new(shader: ShaderLanguage) -> Self {
        Self { shader, namespace: None, vectors: &[] }
    }
}

/// The user's type for a vector, a matrix or a number: `glm::vec3` for `float3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostVector {
    /// HLSL spelling.
    pub declared: String,
    /// Name in the host language.
    pub host: String,
}

/// A text that is no [`HostVector`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadHostVector {
    #[error("--type {0}: write TYPE=NAME, as float3=glm::vec3")]
    Form(String),
    #[error("--type {text}: `{declared}` is no number, vector or matrix, as float3, vec3 or mat4x4f")]
    Type { text: String, declared: String },
}

impl HostVector {
    /// Reads `float3=glm::vec3`, or `vec3=glm::vec3`: the type is written in any of the shader languages.
    ///
    /// # Errors
    /// The text is not of this form, or its type has no equal in host languages.
    pub fn parse(text: &str) -> Result<Self, BadHostVector> {
        let Some((declared, host)) = text.split_once('=').filter(|(_, host)| !host.is_empty()) else {
            return Err(BadHostVector::Form(text.to_owned()));
        };
        let Some(spelling) = hlsl_spelling(declared) else {
            return Err(BadHostVector::Type { text: text.to_owned(), declared: declared.to_owned() });
        };
        Ok(Self { declared: spelling, host: host.to_owned() })
    }
}

/// Structs with assertions for every block that its rule set allows. `source` is the file's name,
/// for the first line.
///
/// A layout that several blocks share is written once; a struct with several layouts gets a name per
/// layout, after its use: `Light_cbuffer`, `Light_structured`.
pub fn asserts(source: &str, blocks: &[BlockLayout], language: HostLanguage, options: HostOptions<'_>) -> String {
    let HostOptions { shader, namespace, vectors } = options;
    let structs = flatten::structs(blocks, shader, names::ReservedWords::of(language), vectors);
    match language {
        HostLanguage::Rust => rust::text(source, &structs, options),
        HostLanguage::Cpp => cpp::text(source, &structs, vectors, cpp::Dialect::Cpp { namespace }),
        HostLanguage::C => cpp::text(source, &structs, vectors, cpp::Dialect::C),
    }
}

/// Typed views of every block that its rule set allows, in TypeScript: a function per struct, which gives the members of
/// a buffer as typed arrays. Structs have the names of [`asserts`].
pub fn typed_views(source: &str, blocks: &[BlockLayout], shader: ShaderLanguage) -> String {
    typescript::text(source, &flatten::structs(blocks, shader, names::ReservedWords::TYPE_SCRIPT, &[]))
}

/// Comments for the start of such a text: what compilers have at other bytes than it asserts.
pub fn misplacements(warnings: &[Diagnostic]) -> String {
    let own = warnings.iter().filter(|warning| warning.code == Code::CompilerDiffers);
    own.map(|warning| format!("// Warning: {}\n", comment(&warning.message))).collect::<Vec<_>>().concat()
}

/// The user's types that the structs have as fields, each once, with their sizes in bytes.
fn used_vectors<'a>(structs: &[host::HostStruct], vectors: &'a [HostVector]) -> Vec<(&'a HostVector, u32)> {
    let mut used: Vec<(usize, u32)> = Vec::new();
    for field in structs.iter().flat_map(|host| &host.fields) {
        if let host::HostType::Vector { index, size, .. } = field.ty
            && !used.contains(&(index, size))
        {
            used.push((index, size));
        }
    }
    used.sort_unstable();
    used.into_iter().map(|(index, size)| (&vectors[index], size)).collect()
}

/// Foreign text for use in a comment: one line that cannot continue on the next.
fn comment(text: &str) -> String {
    one_line(text).replace('\\', "/")
}

#[cfg(test)]
mod tests;
