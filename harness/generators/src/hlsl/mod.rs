//! Writes probes in HLSL: the user's own declarations, unchanged, followed by an entry point that
//! reads or writes every leaf by name (`statements`).
//!
//! The text is for DXC, FXC, Clang and Slang, which decide the places of the leaves. The probe's
//! output and input have a separate register space and, for Vulkan, bindings beyond the user's
//! (`reserved`).

mod statements;

use layoutproof_layout::shape::Count;
use layoutproof_layout::{BlockKind, BlockLayout, Component, Leaf};

pub use self::statements::has_pointer_arithmetic;
use self::statements::{ProbedBlock, Statements};
use super::ProduceError;
use layoutproof_device::RecordStage;
use layoutproof_frontend::module::Module;
use layoutproof_probes::reserved::{MARK, Reserved};
use layoutproof_probes::{AddressSpace, Direction, Form, ProbeEntry, ProbePlan, Stage, Wiring};
use layoutproof_readers::toolchain::Input;

/// A language that these probes are written in. Which one follows from a toolchain's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// HLSL for DXC.
    Hlsl,
    /// HLSL for Clang.
    Clang,
    /// HLSL for FXC.
    OldHlsl,
    Slang,
}

impl Dialect {
    /// Returns the dialect that a compiler reads; `None` for GLSL and WGSL, which have their own
    /// generators.
    pub fn of(input: Input) -> Option<Self> {
        match input {
            Input::Hlsl => Some(Self::Hlsl),
            Input::ClangHlsl => Some(Self::Clang),
            Input::OldHlsl => Some(Self::OldHlsl),
            Input::Slang => Some(Self::Slang),
            Input::Glsl | Input::Wgsl | Input::Spirv => None,
        }
    }

    /// Returns true if a matrix is copied before it is indexed. slangc copies all of it for each
    /// cell: 16 loads for each of the 16 cells of a `float4x4`, which lavapipe takes seconds to
    /// compile.
    fn indexes_copies_of_matrices(self) -> bool {
        self == Self::Slang
    }

    /// Returns the statement that stores a 32-bit value at a byte of the probe's output. The byte
    /// is an unsigned literal: slangc takes as long to convert a signed one as to check the call.
    fn store(self, byte: u32, value: &str) -> String {
        match self {
            Self::Hlsl | Self::OldHlsl | Self::Slang => {
                format!("{MARK}output.Store({byte}u, {value});")
            }
            Self::Clang => format!("{MARK}output[{}] = {value};", byte / WORD),
        }
    }

    /// Returns the statements that store two 32-bit values, the first at byte `low`, the second at
    /// byte `high`.
    fn store_two(self, low: u32, high: u32, values: [&str; 2]) -> String {
        match self {
            Self::Hlsl | Self::OldHlsl | Self::Slang => {
                format!("{MARK}output.Store2({low}u, uint2({}, {}));", values[0], values[1])
            }
            Self::Clang => format!("{} {}", self.store(low, values[0]), self.store(high, values[1])),
        }
    }

    /// Returns the 32-bit value at a byte of the probe's input.
    fn load(self, byte: u32) -> String {
        match self {
            Self::Hlsl | Self::OldHlsl | Self::Slang => format!("{MARK}input.Load({byte}u)"),
            Self::Clang => format!("{MARK}input[{}]", byte / WORD),
        }
    }

    /// Returns the bits of a 32-bit float as a `uint`. Slang uses a generic function, because
    /// slangc spends a quarter of its time for a probe on choosing an overload of `asuint`, and
    /// slangc 2026.14.1 ends without an answer where it writes WGSL for `asuint` of an element of an
    /// array in a uniform block.
    fn bits(self, float: &str) -> String {
        match self {
            Self::Hlsl | Self::OldHlsl | Self::Clang => format!("asuint({float})"),
            Self::Slang => format!("bit_cast<uint>({float})"),
        }
    }

    /// Returns the 32-bit float with these bits, a `uint`.
    fn float_of_bits(self, bits: &str) -> String {
        match self {
            Self::Hlsl | Self::OldHlsl | Self::Clang => format!("asfloat({bits})"),
            Self::Slang => format!("bit_cast<float>({bits})"),
        }
    }
}

/// Bytes of a word of the probe's own buffers.
const WORD: u32 = 4;

/// Name of the probe's output, if the text leaves the usual names free.
pub const OUTPUT: &str = "layoutproof_output";

/// Name of the probe's input, if the text leaves the usual names free.
pub const INPUT: &str = "layoutproof_input";

/// Name of the byte-address buffer that holds the block's bytes in [`Form::ByteAddress`], in place
/// of the user's buffer.
const BYTES: &str = "\u{1}bytes";

/// Name of the push constants with the address of the block's bytes, for [`Form::ByteAddress`] in
/// [`AddressSpace::Address`].
const ADDRESS: &str = "\u{1}address";

/// Built-in functions that probes call. A text that declares a function with such a name would
/// change the meaning of a probe.
const CALLED: [&str; 7] =
    ["GroupMemoryBarrierWithGroupSync", "asdouble", "asfloat", "asfloat16", "asuint", "asuint16", "bit_cast"];

/// Returns a function that probes call and that the text redeclares.
pub fn redeclared(module: &Module) -> Option<&'static str> {
    CALLED.into_iter().find(|called| module.functions.iter().any(|function| function.name == *called))
}

/// Returns the reason why no statement of the language can read the leaf, as a fragment that fits
/// after "not probed: ".
pub fn obstacle(leaf: &Leaf, dialect: Dialect) -> Option<String> {
    let Component { scalar, size } = leaf.component;
    if scalar.is_minimum_precision() && size == 4 {
        return Some("minimum precision may be rounded on the way".to_owned());
    }
    match dialect {
        Dialect::Hlsl | Dialect::Clang | Dialect::OldHlsl => (size == 1).then(|| "HLSL has no 8-bit types".to_owned()),
        Dialect::Slang => None,
    }
}

/// A text that precedes a probe.
#[derive(Clone, Debug)]
pub struct HlslSource<'a> {
    pub declarations: &'a str,
    /// The language of the text.
    pub dialect: Dialect,
    /// The names and numbers that the declarations leave free for the probe.
    pub reserved: &'a Reserved,
    /// The registers of the probe's own output and input in HLSL and Slang.
    pub registers: [u32; 2],
    /// The parameter list of the probe's entry point. It is empty unless the block consists of
    /// parameters; then it has the user's parameters.
    pub parameters: String,
}

/// Writes the declarations of `program`, followed by the entry point of `plan` with the words of
/// `wiring`. The plan has one entry point, whose forms have statements (`statements`). `layout` is
/// the block with the leaves.
///
/// # Errors
///
/// HLSL cannot read this kind of block, the plan has another form, or the plan has no entry point.
pub fn probe(
    program: &HlslSource<'_>,
    layout: &BlockLayout,
    plan: &ProbePlan,
    wiring: &Wiring,
) -> Result<String, ProduceError> {
    let HlslSource { declarations, dialect, reserved, registers, parameters } = program;
    let nothing = || ProduceError::NothingToProbe { block: layout.name.clone() };
    let entry = plan.entries.first().ok_or_else(nothing)?;

    let probed = ProbedBlock { dialect: *dialect, layout, plan, wiring };
    let Statements { functions, body } = probed.statements(entry.direction).ok_or_else(nothing)?;

    let StageFrame { declarations: passed, parameters: own, attributes, result, semantic, last } =
        StageFrame::of(entry.stage);
    let parameters: Vec<&str> = [parameters.as_str(), own].into_iter().filter(|list| !list.is_empty()).collect();
    let own = format!(
        "{buffers}
{bytes}{passed}{}{attributes}
{result} {name}({parameters}){semantic}
{{
    {nonce}
{body}{last}}}
",
        functions.concat(),
        nonce = dialect.store(0, &dialect.load(0)),
        buffers = buffers(*dialect, reserved, *registers),
        bytes = bytes(entry, reserved),
        parameters = parameters.join(", "),
        name = entry.name,
    );
    Ok(format!("{declarations}\n{}", reserved.place(&own)))
}

/// The text around the body of a stage's entry point.
struct StageFrame {
    /// Declarations before it.
    declarations: &'static str,
    /// Its own parameters, after the user's.
    parameters: &'static str,
    attributes: &'static str,
    result: &'static str,
    /// Semantic of the result.
    semantic: &'static str,
    /// The last statement.
    last: &'static str,
}

/// The frame of a stage that gets a value from the ray generation, which neither uses.
const PASSED: StageFrame = StageFrame {
    declarations: "struct \u{1}Passed { uint value; };\n",
    parameters: "inout \u{1}Passed \u{1}passed",
    attributes: "",
    result: "void",
    semantic: "",
    last: "",
};

/// The parameters of a stage of a triangle that is hit.
const HIT: &str = "inout \u{1}Passed \u{1}passed, in BuiltInTriangleIntersectionAttributes \u{1}hit";

impl StageFrame {
    /// Returns the frame for this stage. A vertex is placed in the middle.
    fn of(stage: Stage) -> Self {
        let nothing = Self { declarations: "", parameters: "", attributes: "", result: "void", semantic: "", last: "" };
        match stage {
            Stage::Compute => Self { attributes: "[shader(\"compute\")]\n[numthreads(1, 1, 1)]", ..nothing },
            Stage::Vertex => Self {
                attributes: "[shader(\"vertex\")]",
                result: "float4",
                semantic: " : SV_Position",
                last: "    return float4(0, 0, 0, 1);\n",
                ..nothing
            },
            Stage::Fragment => Self { attributes: "[shader(\"pixel\")]", ..nothing },
            Stage::RayGeneration => Self { attributes: "[shader(\"raygeneration\")]", ..nothing },
            Stage::Record(stage) => match stage {
                RecordStage::Callable => Self { attributes: "[shader(\"callable\")]", ..PASSED },
                RecordStage::Miss => Self { attributes: "[shader(\"miss\")]", ..PASSED },
                RecordStage::ClosestHit => Self { attributes: "[shader(\"closesthit\")]", parameters: HIT, ..PASSED },
                RecordStage::AnyHit => Self { attributes: "[shader(\"anyhit\")]", parameters: HIT, ..PASSED },
                RecordStage::Intersection => Self { attributes: "[shader(\"intersection\")]", ..nothing },
            },
        }
    }
}

/// Name of the entry point of [`other_stage`].
pub const OTHER_STAGE: &str = "layoutproof_other_stage";

/// Writes a complete source with one entry point, [`OTHER_STAGE`], that does nothing in this stage
/// except let a draw happen.
pub fn other_stage(stage: Stage) -> String {
    let StageFrame { attributes, result, semantic, last, .. } = StageFrame::of(stage);
    format!("{attributes}\n{result} {OTHER_STAGE}(){semantic}\n{{\n{last}}}\n")
}

/// Returns the leaf's name in the language; `None` for kinds of block that HLSL does not have.
pub(super) fn expression(layout: &BlockLayout, leaf: &Leaf) -> Option<String> {
    let namespace = layout.name.rsplit_once("::").map_or(String::new(), |(outer, _)| format!("{outer}::"));
    let dot = if leaf.path.is_empty() || leaf.path.starts_with('[') { "" } else { "." };
    let buffer = if layout.count == Count::Finite(1) { "" } else { "[0]" };
    if layout.has_global_members {
        return Some(format!("{namespace}{}", leaf.path));
    }
    match layout.kind {
        BlockKind::Cbuffer | BlockKind::Tbuffer => Some(format!("{namespace}{}", leaf.path)),
        BlockKind::Globals | BlockKind::EntryUniforms => Some(leaf.path.clone()),
        BlockKind::ConstantBuffer
        | BlockKind::TextureBuffer
        | BlockKind::PushConstant
        | BlockKind::ShaderRecord
        | BlockKind::ParameterBlock => Some(format!("{}{buffer}{dot}{}", layout.name, leaf.path)),
        BlockKind::StructuredElement => {
            // In the plan of a stride, the paths contain the element's index.
            let element = if layout.stride.is_some() { "[0]" } else { "" };
            Some(format!("{}{buffer}{element}{dot}{}", layout.name, leaf.path))
        }
        BlockKind::Pointee
        | BlockKind::UniformBlock
        | BlockKind::StorageBlock
        | BlockKind::Workgroup
        | BlockKind::StageData => None,
    }
}

/// Declares the byte-address buffer or the address, if the entry point uses one.
fn bytes(entry: &ProbeEntry, reserved: &Reserved) -> String {
    if !entry.forms.contains(&Form::ByteAddress) {
        return String::new();
    }
    if entry.space == AddressSpace::Address {
        return format!(
            "struct {MARK}Address {{ uint64_t value; }};
[[vk::push_constant]] {MARK}Address {ADDRESS};
"
        );
    }
    let (ty, register) = match entry.direction {
        Direction::Read => ("ByteAddressBuffer", "t0"),
        Direction::Write => ("RWByteAddressBuffer", "u0"),
    };
    let (binding, space) = (reserved.binding() + 2, reserved.bytes_space());
    format!("[[vk::binding({binding}, 0)]] {ty} {BYTES} : register({register}, space{space});\n")
}

/// The usual registers of the probe's output and input.
pub const OWN_REGISTERS: [u32; 2] = [0, 1];

/// Declares the probe's output and input.
fn buffers(dialect: Dialect, reserved: &Reserved, [output, input]: [u32; 2]) -> String {
    let (binding, space) = (reserved.binding(), reserved.space());
    match dialect {
        Dialect::Hlsl | Dialect::Slang => format!(
            "[[vk::binding({binding}, 0)]] RWByteAddressBuffer {MARK}output : register(u{output}, space{space});
[[vk::binding({}, 0)]] ByteAddressBuffer {MARK}input : register(t{input}, space{space});",
            binding + 1
        ),
        // Clang 22 does not implement the methods of byte-address buffers yet.
        Dialect::Clang => format!(
            "RWStructuredBuffer<uint> {MARK}output : register(u0, space{space});
StructuredBuffer<uint> {MARK}input : register(t1, space{space});"
        ),
        // FXC does not support Vulkan, and in vkd3d's SPIR-V its `t` registers are texel buffers.
        Dialect::OldHlsl => format!(
            "RWByteAddressBuffer {MARK}output : register(u0, space{space});
RWByteAddressBuffer {MARK}input : register(u1, space{space});"
        ),
    }
}

#[cfg(test)]
mod tests;
