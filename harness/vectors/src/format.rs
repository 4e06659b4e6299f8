//! The types of `vectors.json` and `rules.json`.
//!
//! All offsets, sizes, strides and alignments are in bytes. Paths begin with the name of the block:
//! `S.lights[].position` is a member of every element, `S.m[0][1]` row 0 and column 1 of a matrix.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The content of `vectors.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vectors {
    /// Version of the format. A reader should refuse one that it does not know.
    pub schema: u32,
    /// Version of layoutproof that wrote the file.
    pub layoutproof: String,
    /// In the order of their ids.
    pub vectors: Vec<Vector>,
}

/// One declaration, and where its parameters live according to one or more authorities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vector {
    /// For example `arrays/scalar_packs_behind_the_last_element`.
    pub id: String,
    /// The fact that the vector shows, in a sentence without a full stop.
    pub summary: String,
    /// The declaration in HLSL or Slang, as the authorities compiled it.
    pub source: String,
    /// Preprocessor macros with their values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub defines: BTreeMap<String, String>,
    /// False if `half` and the minimum-precision types take 4 bytes, as in DXC without
    /// `-enable-16bit-types`.
    pub sixteen_bit_types: bool,
    pub difficulty: Difficulty,
    /// The features that a reader needs, sorted: `array`, `matrix`, `packoffset`, ...
    pub tags: Vec<String>,
    /// Links to reports about compilers that got such a declaration wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bugs: Vec<String>,
    /// The blocks of bytes that the source declares.
    pub blocks: Vec<Block>,
    /// The blocks' layout under each rule set.
    pub layouts: Vec<Layout>,
    /// Settings of the compiler that matter for `bindings`.
    #[serde(default, skip_serializing_if = "Invocation::is_default")]
    pub invocation: Invocation,
    /// The parameters' registers, bindings and locations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bindings: Vec<Bindings>,
    /// The compilers and rule sets that must refuse the declaration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<Refused>,
}

impl Vector {
    /// Number of offsets, strides, sizes and places that authorities give.
    pub fn numbers(&self) -> usize {
        let in_bytes = self.layouts.iter().map(|layout| {
            layout.offsets.len() + layout.array_strides.len() + layout.matrix_strides.len() + layout.sizes.len()
        });
        let places = self.bindings.iter().flat_map(|bindings| bindings.places.values().map(Vec::len));
        in_bytes.chain(places).sum()
    }
}

/// The part of the language that a vector needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Difficulty {
    /// 32-bit scalars and vectors, arrays of known length, structs.
    Basic,
    /// Also matrices, `bool`, 16-bit and 64-bit types, enums.
    Common,
    /// Everything else.
    Rare,
}

/// A block of bytes that a rule set lays out as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    pub name: String,
    /// `cbuffer`, `constant-buffer`, `structured-element`, `push-constant`, `globals`, ...
    pub kind: String,
    /// Number of blocks in an array of blocks; `null` if it has no end.
    pub count: Option<u32>,
    /// The type that the block holds. That of a `cbuffer` is a struct with the block's name.
    #[serde(rename = "type")]
    pub ty: Type,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Type {
    Scalar {
        scalar: String,
    },
    Vector {
        scalar: String,
        length: u32,
    },
    Matrix {
        scalar: String,
        rows: u32,
        columns: u32,
        /// `row` if rows are contiguous vectors, `column` if columns are. The default of the vector
        /// is already applied.
        order: String,
    },
    /// One dimension.
    Array {
        element: Box<Type>,
        /// `null` for an array without a length.
        count: Option<u32>,
    },
    Struct {
        /// Empty for a struct without a name.
        name: String,
        /// The base struct, whose members come first and count as the struct's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<Box<Type>>,
        members: Vec<Member>,
    },
    Enum {
        name: String,
        underlying: String,
    },
    Pointer {
        /// HLSL spelling of the pointee.
        pointee: String,
    },
    /// Slang's `DescriptorHandle<T>`.
    Handle {
        /// HLSL spelling of the resource.
        resource: String,
    },
    /// A value of a Slang interface.
    Interface {
        name: String,
        any_value_size: u32,
    },
    /// A texture, sampler or buffer, which takes no bytes of the block.
    Resource {
        /// HLSL spelling.
        resource: String,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// Empty for a bit-field without a name.
    pub name: String,
    #[serde(rename = "type")]
    pub ty: Type,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bit_width: Option<u32>,
    /// Bytes from the start of the block, by `packoffset`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packoffset: Option<u32>,
    /// `N` of `[[vk::offset(N)]]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vk_offset: Option<u32>,
}

/// The numbers of one authority under one rule set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// Name of a rule set in `rules.json`.
    pub rules: String,
    pub claim: Claim,
    pub authority: Authority,
    /// True if members may be left out. Otherwise every member with bytes has an offset.
    pub partial: bool,
    /// Offset from the start of the block. An array has that of element 0, a bit-field that of its
    /// storage unit.
    pub offsets: BTreeMap<String, u32>,
    /// Bytes from one element to the next. A structured buffer's stride is under its own name.
    pub array_strides: BTreeMap<String, u32>,
    /// Bytes from one contiguous vector of a matrix to the next.
    pub matrix_strides: BTreeMap<String, u32>,
    pub sizes: BTreeMap<String, u32>,
    /// Alignments by layoutproof's rule table, which also gives all other numbers of this layout.
    /// Authorities print none. Absent if the claim is not that of the listing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub alignments: BTreeMap<String, u32>,
    /// Contents of the blocks to upload, by block. A block has none if members overlap, bits share a
    /// unit, or its size is unknown or more than 4096 bytes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub images: BTreeMap<String, Image>,
}

/// The meaning of a layout's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Claim {
    /// The authority lists them: reflection, decorations, the listing of a disassembly.
    Listed,
    /// The authority's code reads there, for paths where that differs from its listing.
    Accessed,
    /// A document prints them, although no compiler does it.
    Documented,
}

/// The source of numbers: a compiler that was run, a clause of a specification, or a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Authority {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flags: Option<String>,
    /// The output that has the numbers: `listing`, `loads`, `decorations`, `reflection`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// A second source that agrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<String>,
}

/// A block's bytes, and the values that a shader must read from them.
///
/// The n-th scalar of the block, in declaration order from 1, has the value n, modulo what its type
/// can hold exactly. Bytes that no member owns are `a5`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Image {
    /// Two hexadecimal digits per byte, little-endian values.
    pub bytes: String,
    /// Value of each scalar by its path: a number, or `true` or `false`.
    pub values: BTreeMap<String, serde_json::Value>,
}

/// Settings of a compiler's invocation that decide bindings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invocation {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// Options with their values: `-fvk-t-shift 10 all`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// Parameters that count as used, whatever the functions do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub used: Vec<String>,
    /// Parameters that count as unused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<String>,
}

impl Invocation {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The places of parameters on one target according to one authority.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bindings {
    /// `d3d12`, `vulkan`, `webgpu` or `metal`.
    pub target: String,
    /// Whose rules: `dxc`, `slang`, `clang`, `slang-documented`, with a version (`dxc@1.7.2207`) if
    /// it differs from the authority's.
    pub convention: String,
    pub authority: Authority,
    /// True if parameters may be left out. Otherwise one that is left out is bound nowhere.
    pub partial: bool,
    /// Each parameter with one place per layout unit that it uses.
    pub places: BTreeMap<String, Vec<Place>>,
}

/// A range of registers, bindings, locations or other indices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// `b`, `t`, `u`, `s`, `binding`, `space`, `location-in`, `push-constant`, ...
    pub unit: String,
    /// Register space, descriptor set or bind group; 0 for units that have none.
    pub space: u32,
    pub index: u32,
    /// Number of indices; `null` for all up to the end.
    pub count: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// A compiler with its range of versions, a rule set, a target with a convention, or
    /// `layoutproof`.
    pub by: String,
    /// A part of the message, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The content of `rules.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    pub schema: u32,
    /// Version of layoutproof that wrote the file.
    pub layoutproof: String,
    pub rules: Vec<RuleSet>,
    /// The rule sets that compilers apply by default or by an option.
    pub used_by: Vec<UsedBy>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleSet {
    pub name: String,
    pub summary: String,
    /// The document or the compiler that the rules come from.
    pub source: String,
    pub example: Example,
    /// The single rules: `bool_size`, `vectors`, `array_alignment`, ...
    pub columns: BTreeMap<String, serde_json::Value>,
}

/// A declaration that shows a rule set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Example {
    /// HLSL. The last struct is the element of a buffer.
    pub declaration: String,
    /// Offsets of its members in declaration order.
    pub offsets: Vec<u32>,
    pub size: u32,
}

/// The rule sets of one compiler for one target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsedBy {
    /// For people: `Vulkan · DXC (scalar)`.
    pub title: String,
    /// The compiler and its options.
    pub command: String,
    /// The first version of the compiler, if earlier ones differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Rule set by kind of block: `constants`, `structured`, `push_constants`, ...
    pub blocks: BTreeMap<String, String>,
}
