//! Writes probes in HLSL: the user's own declarations, unchanged, with an entry point behind them that reads, or writes, every
//! leaf by name (`statements`).
//!
//! The text is for DXC, FXC, Clang and Slang, which decide where the leaves are. The probe's output and input have
//! registers in a space of their own and, for Vulkan, bindings beyond the user's (`reserved`).

mod statements;

use layoutproof_layout::shape::Count;
use layoutproof_layout::{BlockKind, BlockLayout, Component, Leaf};

use self::statements::{ProbedBlock, Statements};
use super::ProduceError;
use super::reserved::{MARK, Reserved};
use crate::inspect::toolchain::{Language, Output, Toolchain};
use crate::module::Module;
use crate::probe::{Direction, Form, ProbeEntry, ProbePlan, Stage, Wiring};

/// A language that reads these probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// HLSL as DXC reads it.
    Hlsl,
    /// HLSL as Clang reads it.
    Clang,
    /// HLSL as FXC reads it.
    OldHlsl,
    /// Slang.
    Slang,
    /// Slang that slangc translates to WGSL. It keeps `asuint`, which people write: of an array's elements that crashes slangc
    /// there, and the crash (`ci/known/slang.toml`) has to stay visible.
    SlangForWgsl,
}

impl Dialect {
    /// The dialect that a language is; `None` for GLSL, which has a generator of its own.
    pub fn of(language: Language) -> Option<Self> {
        match language {
            Language::Hlsl => Some(Self::Hlsl),
            Language::ClangHlsl => Some(Self::Clang),
            Language::OldHlsl => Some(Self::OldHlsl),
            Language::Slang => Some(Self::Slang),
            Language::Glsl | Language::Wgsl => None,
        }
    }

    /// The dialect that a toolchain gets.
    pub fn of_toolchain(toolchain: &Toolchain) -> Option<Self> {
        match (Self::of(toolchain.language)?, toolchain.output) {
            (Self::Slang, Output::Wgsl) => Some(Self::SlangForWgsl),
            (dialect, _) => Some(dialect),
        }
    }

    /// Returns true if a matrix is copied before it is indexed. slangc copies all of it for each cell: 16 loads for each of the
    /// 16 cells of a `float4x4`, which lavapipe takes seconds to compile.
    fn indexes_copies_of_matrices(self) -> bool {
        match self {
            Self::Slang | Self::SlangForWgsl => true,
            Self::Hlsl | Self::Clang | Self::OldHlsl => false,
        }
    }

    /// The statement that stores a 32-bit value at a byte of the probe's output. The byte is an unsigned literal, because to
    /// convert a signed one takes slangc as long as to check the call.
    fn store(self, byte: u32, value: &str) -> String {
        match self {
            Self::Hlsl | Self::OldHlsl | Self::Slang | Self::SlangForWgsl => {
                format!("{MARK}output.Store({byte}u, {value});")
            }
            Self::Clang => format!("{MARK}output[{}] = {value};", byte / WORD),
        }
    }

    /// The statements that store two of them, the first at byte `low`, the second at byte `high`.
    fn store_two(self, low: u32, high: u32, values: [&str; 2]) -> String {
        match self {
            Self::Hlsl | Self::OldHlsl | Self::Slang | Self::SlangForWgsl => {
                format!("{MARK}output.Store2({low}u, uint2({}, {}));", values[0], values[1])
            }
            Self::Clang => format!("{} {}", self.store(low, values[0]), self.store(high, values[1])),
        }
    }

    /// The 32-bit value at a byte of the probe's input.
    fn load(self, byte: u32) -> String {
        match self {
            Self::Hlsl | Self::OldHlsl | Self::Slang | Self::SlangForWgsl => format!("{MARK}input.Load({byte}u)"),
            Self::Clang => format!("{MARK}input[{}]", byte / WORD),
        }
    }

    /// The bits of a 32-bit float as a `uint`. In Slang by a generic function: to choose among the overloads of `asuint` takes
    /// slangc a quarter of its time for a probe.
    fn bits(self, float: &str) -> String {
        match self {
            Self::Hlsl | Self::OldHlsl | Self::Clang | Self::SlangForWgsl => format!("asuint({float})"),
            Self::Slang => format!("bit_cast<uint>({float})"),
        }
    }

    /// The 32-bit float of these bits, a `uint`.
    fn float_of_bits(self, bits: &str) -> String {
        match self {
            Self::Hlsl | Self::OldHlsl | Self::Clang | Self::SlangForWgsl => format!("asfloat({bits})"),
            Self::Slang => format!("bit_cast<float>({bits})"),
        }
    }
}

/// Bytes of a word of the probe's own buffers.
const WORD: u32 = 4;

/// Name of the probe's output where the text leaves the usual names free.
pub const OUTPUT: &str = "layoutproof_output";

/// Name of the probe's input, likewise.
pub const INPUT: &str = "layoutproof_input";

/// Name of the byte-address buffer that holds the block's bytes in [`Form::ByteAddress`], in place of the user's buffer.
const BYTES: &str = "\u{1}bytes";

/// Functions of the languages that probes call. A text that declares one of its own under such a name would change what a
/// probe says.
const CALLED: [&str; 7] =
    ["GroupMemoryBarrierWithGroupSync", "asdouble", "asfloat", "asfloat16", "asuint", "asuint16", "bit_cast"];

/// The function that probes call and that the text declares otherwise, if there is one.
pub fn redeclared(module: &Module) -> Option<&'static str> {
    CALLED.into_iter().find(|called| module.functions.iter().any(|function| function.name == *called))
}

/// Says why the leaf cannot be read by a statement of the language, if it cannot: a fragment that fits after
/// "not probed: ".
pub fn obstacle(leaf: &Leaf, dialect: Dialect) -> Option<String> {
    let Component { scalar, size } = leaf.component;
    if scalar.is_minimum_precision() && size == 4 {
        return Some("minimum precision may be rounded on the way".to_owned());
    }
    match dialect {
        Dialect::Hlsl | Dialect::Clang | Dialect::OldHlsl => (size == 1).then(|| "HLSL has no 8-bit types".to_owned()),
        Dialect::Slang | Dialect::SlangForWgsl => None,
    }
}

/// A text that a probe goes behind.
#[derive(Clone, Debug)]
pub struct HlslSource<'a> {
    /// The declarations.
    pub declarations: &'a str,
    /// The language that will read them.
    pub dialect: Dialect,
    /// What they leave to the probe.
    pub reserved: &'a Reserved,
    /// The parameters of the probe's entry point: none, or where they are the block, those of the user's own, as a list.
    pub parameters: String,
}

/// The declarations of `program` with the entry point of `plan`, whose words are those of `wiring`; the plan has one entry
/// point, of forms that have statements (`statements`). `layout` says which block the leaves are in.
///
/// # Errors
/// A block of a kind that HLSL cannot read, another form, or a plan without an entry point.
pub fn probe(
    program: &HlslSource<'_>,
    layout: &BlockLayout,
    plan: &ProbePlan,
    wiring: &Wiring,
) -> Result<String, ProduceError> {
    let HlslSource { declarations, dialect, reserved, parameters } = program;
    let nothing = || ProduceError::NothingToProbe { block: layout.name.clone() };
    let entry = plan.entries.first().ok_or_else(nothing)?;

    let probed = ProbedBlock { dialect: *dialect, layout, plan, wiring };
    let Statements { functions, body } = probed.statements(entry.direction).ok_or_else(nothing)?;

    let StageFrame { attributes, result, semantic, last } = StageFrame::of(entry.stage);
    let own = format!(
        "{buffers}
{bytes}{}{attributes}
{result} {name}({parameters}){semantic}
{{
    {nonce}
{body}{last}}}
",
        functions.concat(),
        nonce = dialect.store(0, &dialect.load(0)),
        buffers = buffers(*dialect, reserved),
        bytes = bytes(entry, reserved),
        name = entry.name,
    );
    Ok(format!("{declarations}\n{}", reserved.place(&own)))
}

/// The words around the body of an entry point of a stage.
struct StageFrame {
    attributes: &'static str,
    result: &'static str,
    /// Semantic of the result.
    semantic: &'static str,
    /// The last statement.
    last: &'static str,
}

impl StageFrame {
    /// Those of this stage; a vertex is placed in the middle.
    fn of(stage: Stage) -> Self {
        let nothing = Self { attributes: "", result: "void", semantic: "", last: "" };
        match stage {
            Stage::Compute => Self { attributes: "[shader(\"compute\")]\n[numthreads(1, 1, 1)]", ..nothing },
            Stage::Vertex => Self {
                attributes: "[shader(\"vertex\")]",
                result: "float4",
                semantic: " : SV_Position",
                last: "    return float4(0, 0, 0, 1);\n",
            },
            Stage::Fragment => Self { attributes: "[shader(\"pixel\")]", ..nothing },
        }
    }
}

/// Name of the entry point of [`other_stage`].
pub const OTHER_STAGE: &str = "layoutproof_other_stage";

/// A whole source whose one entry point, [`OTHER_STAGE`], does nothing in this stage but to let a draw happen.
pub fn other_stage(stage: Stage) -> String {
    let StageFrame { attributes, result, semantic, last } = StageFrame::of(stage);
    format!("{attributes}\n{result} {OTHER_STAGE}(){semantic}\n{{\n{last}}}\n")
}

/// The leaf's name in the language; `None` for kinds of block that HLSL does not have.
pub(super) fn expression(layout: &BlockLayout, leaf: &Leaf) -> Option<String> {
    let namespace = layout.name.rsplit_once("::").map_or(String::new(), |(outer, _)| format!("{outer}::"));
    let dot = if leaf.path.is_empty() || leaf.path.starts_with('[') { "" } else { "." };
    let buffer = if layout.count == Count::Finite(1) { "" } else { "[0]" };
    match layout.kind {
        BlockKind::Cbuffer | BlockKind::Tbuffer => Some(format!("{namespace}{}", leaf.path)),
        BlockKind::Globals | BlockKind::EntryUniforms => Some(leaf.path.clone()),
        BlockKind::ConstantBuffer
        | BlockKind::TextureBuffer
        | BlockKind::PushConstant
        | BlockKind::ShaderRecord
        | BlockKind::ParameterBlock => Some(format!("{}{buffer}{dot}{}", layout.name, leaf.path)),
        BlockKind::StructuredElement => {
            // The plan of a stride has the element's index in its paths.
            let element = if layout.stride.is_some() { "[0]" } else { "" };
            Some(format!("{}{buffer}{element}{dot}{}", layout.name, leaf.path))
        }
        BlockKind::Pointee | BlockKind::UniformBlock | BlockKind::StorageBlock => None,
    }
}

/// The declaration of the byte-address buffer, where the entry point has one.
fn bytes(entry: &ProbeEntry, reserved: &Reserved) -> String {
    if !entry.forms.contains(&Form::ByteAddress) {
        return String::new();
    }
    let (ty, register) = match entry.direction {
        Direction::Read => ("ByteAddressBuffer", "t0"),
        Direction::Write => ("RWByteAddressBuffer", "u0"),
    };
    let (binding, space) = (reserved.binding() + 2, reserved.bytes_space());
    format!("[[vk::binding({binding}, 0)]] {ty} {BYTES} : register({register}, space{space});\n")
}

/// The declarations of the probe's output and input.
fn buffers(dialect: Dialect, reserved: &Reserved) -> String {
    let (binding, space) = (reserved.binding(), reserved.space());
    match dialect {
        Dialect::Hlsl | Dialect::Slang | Dialect::SlangForWgsl => format!(
            "[[vk::binding({binding}, 0)]] RWByteAddressBuffer {MARK}output : register(u0, space{space});
[[vk::binding({}, 0)]] ByteAddressBuffer {MARK}input : register(t1, space{space});",
            binding + 1
        ),
        // The methods of Clang 22's byte-address buffers are still to come.
        Dialect::Clang => format!(
            "RWStructuredBuffer<uint> {MARK}output : register(u0, space{space});
StructuredBuffer<uint> {MARK}input : register(t1, space{space});"
        ),
        // FXC knows nothing of Vulkan, and in SPIR-V its `t` registers are texel buffers.
        Dialect::OldHlsl => format!(
            "RWByteAddressBuffer {MARK}output : register(u0, space{space});
RWByteAddressBuffer {MARK}input : register(u1, space{space});"
        ),
    }
}

#[cfg(test)]
mod tests;
