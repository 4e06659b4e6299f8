//! Tests of LLVM's offload test suite: the user's HLSL with the probe, a pipeline in YAML, and the `RUN` lines.

use layoutproof_layout::resource::{Access, ResourceKind};
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{Argument, Block, BlockKind, Quantity};

use super::{NotExported, Repro, refused, rows};
use crate::check::Subject;
use crate::generate::hlsl::{self, Dialect, HlslSource};
use crate::inspect::toolchain::{Output, Toolchain, toolchains};
use crate::probe::image::{REFILL_WORD, nonce_word};

/// The test for `subject`.
///
/// # Errors
/// The reason why the subject has no test.
pub fn offload_test(subject: &Subject) -> Result<String, NotExported> {
    let repro = Repro::new(subject).map_err(|reason| refused(subject, reason))?;
    test(&repro).map_err(|reason| refused(subject, reason))
}

fn test(repro: &Repro<'_>) -> Result<String, String> {
    let text = repro.subject.source.text.as_ref().ok_or("it has no source text")?;
    if repro.subject.source.module.blocks.len() != 1 || !text.defines.is_empty() || !text.include_paths.is_empty() {
        return Err("it declares more than one block, or needs macros or folders".to_owned());
    }

    let toolchain = toolchain(repro)?;
    let program = HlslSource { declarations: &text.text, dialect: Dialect::Hlsl, parameters: String::new() };
    let source = hlsl::probe(&program, repro.layout, &repro.plan, &repro.wiring).map_err(|error| error.to_string())?;

    let block = BoundResource::of(repro)?;
    let output = BoundResource::own("output", "RWByteAddressBuffer", 0);
    let input = BoundResource::own("input", "ByteAddressBuffer", 1);
    let requires = match toolchain.output {
        Output::Dxil | Output::ClangIr => "DirectX",
        // The suite has nothing else; FXC's code and WGSL are not among its toolchains.
        Output::Spirv | Output::SpirvOfDxbc | Output::Wgsl => "Vulkan",
    };

    let refill = vec![REFILL_WORD; repro.expected.len()];
    let buffers = [
        buffer("block", &repro.image, block.stride),
        buffer("output", &refill, None),
        buffer("input", &[nonce_word(1)], None),
        buffer("expected", &repro.expected, None),
    ];

    Ok(format!(
        "#--- source.hlsl
{source}
//--- pipeline.yaml

---
Shaders:
  - Stage: Compute
    Entry: {entry}
    DispatchSize: [1, 1, 1]
Buffers:
{buffers}Results:
  - Result: offsets
    Rule: BufferExact
    Actual: output
    Expected: expected
DescriptorSets:
  - Resources:
{resources}...
#--- end

{heading}
# REQUIRES: {requires}
# RUN: split-file %s %t
# RUN: %dxc_target {options} -Fo %t.o %t/source.hlsl
# RUN: %offloader %t/pipeline.yaml %t.o
",
        entry = repro.entry().name,
        buffers = buffers.concat(),
        resources = [block, output, input].map(|bound| bound.text()).concat(),
        heading = repro.heading(),
        options = options(repro, toolchain),
    ))
}

/// DXC with the target and the option that take the rule set for the block.
fn toolchain(repro: &Repro<'_>) -> Result<&'static Toolchain, String> {
    let fits =
        |toolchain: &&Toolchain| toolchain.compiler == "dxc" && toolchain.follows(repro.subject.rules, repro.block);
    toolchains().iter().find(fits).ok_or_else(|| format!("DXC takes {} for no such block", repro.subject.rules))
}

fn options(repro: &Repro<'_>, toolchain: &Toolchain) -> String {
    let options = repro.subject.source.options;
    let mut words = vec!["-T cs_6_6", "-HV 2021", "-E", &repro.entry().name];
    words.push(match options.matrix {
        MatrixOrder::Row => "-Zpr",
        MatrixOrder::Column => "-Zpc",
    });
    words.extend((options.sixteen_bit == SixteenBit::On).then_some("-enable-16bit-types"));
    words.extend(toolchain.flags);
    words.join(" ")
}

fn buffer(name: &str, words: &[u32], stride: Option<u32>) -> String {
    let stride = stride.map_or(String::new(), |stride| format!("    Stride: {stride}\n"));
    format!("  - Name: {name}\n    Format: Hex32\n{stride}    Data: [\n{}    ]\n", rows(words, "      ", ", "))
}

/// A resource with its places.
struct BoundResource {
    name: &'static str,
    kind: &'static str,
    register: u32,
    space: u32,
    binding: u32,
    stride: Option<u32>,
}

impl BoundResource {
    fn own(name: &'static str, kind: &'static str, index: u32) -> Self {
        Self { name, kind, register: index, space: hlsl::SPACE, binding: hlsl::BINDING + index, stride: None }
    }

    fn of(repro: &Repro<'_>) -> Result<Self, String> {
        let (kind, class, stride) = match repro.layout.kind {
            BlockKind::Cbuffer | BlockKind::ConstantBuffer | BlockKind::Globals => ("ConstantBuffer", 'b', None),
            BlockKind::StructuredElement => {
                let stride = repro.subject.expected.get(Quantity::ArrayStride, &repro.layout.name);
                let (kind, class) = structured(repro)?;
                (kind, class, Some(stride.ok_or("the case does not say the stride")?))
            }
            BlockKind::Tbuffer
            | BlockKind::TextureBuffer
            | BlockKind::ParameterBlock
            | BlockKind::PushConstant
            | BlockKind::ShaderRecord
            | BlockKind::EntryUniforms
            | BlockKind::Pointee
            | BlockKind::UniformBlock
            | BlockKind::StorageBlock => return Err(format!("the suite binds no {}", repro.layout.kind.as_str())),
        };

        let register = register(repro.block, class)?;
        let binding = vk_binding(repro.block)?.unwrap_or(register);
        Ok(Self { name: "block", kind, register, space: 0, binding, stride })
    }

    fn text(&self) -> String {
        let Self { name, kind, register, space, binding, .. } = self;
        format!(
            "    - Name: {name}
      Kind: {kind}
      DirectXBinding:
        Register: {register}
        Space: {space}
      VulkanBinding:
        Binding: {binding}
"
        )
    }
}

/// The kind of a structured buffer, and its register class.
fn structured(repro: &Repro<'_>) -> Result<(&'static str, char), String> {
    let parameters = &repro.subject.source.module.parameters;
    let own = parameters.iter().find(|parameter| parameter.name == repro.block.name);
    match own.and_then(|parameter| parameter.ty.resource()).map(|resource| resource.kind) {
        Some(ResourceKind::StructuredBuffer(Access::Read)) => Ok(("StructuredBuffer", 't')),
        Some(ResourceKind::StructuredBuffer(Access::ReadWrite)) => Ok(("RWStructuredBuffer", 'u')),
        Some(_) | None => Err("the suite binds no such structured buffer by itself".to_owned()),
    }
}

/// The register that the declaration asks for, or the first.
fn register(block: &Block, class: char) -> Result<u32, String> {
    let Some(register) = block.annotations.registers.first() else { return Ok(0) };
    match (register.class, register.space.unwrap_or(0)) {
        (Some(found), 0) if found == class => Ok(register.index.unwrap_or(0)),
        (_, _) => Err(format!("its register is no {class} register in space 0")),
    }
}

/// The binding that `[[vk::binding]]` asks for.
fn vk_binding(block: &Block) -> Result<Option<u32>, String> {
    let Some(attribute) = block.annotations.attribute(Some("vk"), "binding") else { return Ok(None) };
    match attribute.arguments.as_slice() {
        [Argument::Integer(binding)] | [Argument::Integer(binding), Argument::Integer(0)] => {
            u32::try_from(*binding).map(Some).map_err(|_| "its binding is no binding".to_owned())
        }
        _ => Err("its binding is in another descriptor set".to_owned()),
    }
}
