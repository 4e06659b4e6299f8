//! Tests for LLVM's offload test suite: the user's HLSL with the probe, a pipeline in YAML, and the
//! `RUN` lines.
//!
//! Source: `lib/Support/Pipeline.cpp` (the keys of the YAML) and `test/lit.cfg.py` (features) of
//! llvm/offload-test-suite, as of August 2026.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use layoutproof_layout::resource::{Access, ResourceKind};
use layoutproof_layout::scalar::{Scalar, SixteenBit};
use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{Argument, Block, BlockKind, LayoutOptions, LayoutUnit, Quantity, RegisterClass, find};

use super::{ExportObstacle, NotExported, Repro, refused, rows, words_of};
use layoutproof_core::check::{FailingProbe, ReproDispatch, ShaderModule, Source, Subject};
use layoutproof_device::{BufferKind, JobBuffer, ShaderForm};
use layoutproof_generators::hlsl::{self, Dialect, HlslSource};
use layoutproof_probes::image::{REFILL_WORD, nonce_word};
use layoutproof_probes::reserved::Reserved;
use layoutproof_readers::toolchain::{Toolchain, toolchains};
use layoutproof_source::shader_language::ShaderLanguage;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OffloadTest {
    /// The whole file.
    pub text: String,
    /// The shader in it.
    pub hlsl: String,
    /// DXC's options in its `RUN` line. The suite itself adds `-spirv` for Vulkan.
    pub options: Vec<String>,
    pub apis: OffloadApis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffloadApis {
    /// Direct3D 12.
    DirectX,
    Vulkan,
    /// Both. Each DXC option that matters for one of them has no effect on the other.
    Both,
}

/// The suite cannot express a probe, for this reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoProbeTest(&'static str);

impl From<&'static str> for NoProbeTest {
    fn from(reason: &'static str) -> Self {
        Self(reason)
    }
}

/// The test for `subject`.
pub fn offload_test(subject: &Subject) -> Result<OffloadTest, NotExported> {
    let parts = toolchain_of_subject(subject).and_then(|toolchain| TestParts::of(subject, toolchain));
    parts.map(|parts| parts.own_test()).map_err(|reason| refused(subject, reason))
}

/// The test for the probe of a check that DXC compiled: the exact source that DXC got, with the
/// probe's own bytes. `heading` are comment lines.
pub fn offload_test_of_probe(
    subject: &Subject,
    toolchain: &Toolchain,
    probe: &FailingProbe<'_>,
    heading: &str,
) -> Result<OffloadTest, NoProbeTest> {
    TestParts::of_probe(subject, toolchain, probe, heading).map(|parts| parts.own_test())
}

/// The test for a case, from the first rule set that has one; Direct3D's rule sets come before
/// Vulkan's. The test covers both APIs if a Vulkan rule set gives the same test with one more
/// option.
pub fn offload_test_of_case(source: &Arc<Source>) -> Option<OffloadTest> {
    let rules = source.expect.iter().filter_map(|expectation| find(&expectation.rules));
    let subjects = rules.map(|rules| Subject::new(Arc::clone(source), rules));
    let parts = |subject: Subject| TestParts::of(&subject, toolchain_of_subject(&subject).ok()?).ok();
    let found: Vec<TestParts> = subjects.filter_map(parts).collect();

    let for_direct_x = found.iter().find(|parts| parts.own_apis() == OffloadApis::DirectX);
    let first = for_direct_x.or(found.first())?;
    let test = match found.iter().find(|other| first.is_the_same_for_direct_x_as(other)) {
        Some(vulkan) => vulkan.test(OffloadApis::Both, &format!("{}{}", first.claim, vulkan.claim)),
        None => first.own_test(),
    };
    Some(test)
}

/// The parts of a test that differ between rule sets and APIs.
struct TestParts {
    summary: String,
    /// A line with the authority of the expected numbers.
    claim: String,
    words: String,
    hlsl: String,
    pipeline: String,
    options: Vec<String>,
    output: ShaderForm,
    features: BTreeSet<&'static str>,
}

impl TestParts {
    fn of(subject: &Subject, toolchain: &Toolchain) -> Result<Self, ExportObstacle> {
        let repro = Repro::new(subject)?;
        let text = subject.source.text.as_ref().ok_or("it has no source text")?;
        if subject.source.module.blocks.len() != 1 || !text.defines.is_empty() || !text.include_paths.is_empty() {
            return Err("it declares more than one block, or needs macros or folders".into());
        }

        let program = HlslSource {
            declarations: &text.text,
            dialect: Dialect::Hlsl,
            reserved: &subject.source.reserved,
            registers: hlsl::OWN_REGISTERS,
            parameters: String::new(),
        };
        let hlsl = hlsl::probe(&program, repro.layout, &repro.plan, &repro.wiring)?;
        let scalars: BTreeSet<Scalar> = repro.layout.leaves().iter().map(|leaf| leaf.component.scalar).collect();
        Ok(Self {
            summary: repro.summary(),
            claim: repro.claim(),
            words: repro.words(),
            hlsl,
            pipeline: pipeline(&repro)?,
            options: options(&repro.entry().name, subject.source.options, toolchain, &scalars),
            output: toolchain.output,
            features: features(&scalars, subject.source.options),
        })
    }

    fn of_probe(
        subject: &Subject,
        toolchain: &Toolchain,
        FailingProbe { module, dispatches }: &FailingProbe<'_>,
        heading: &str,
    ) -> Result<Self, NoProbeTest> {
        let source = module.source.as_ref().filter(|source| source.language == ShaderLanguage::Hlsl);
        let hlsl = source.map(|source| source.text.clone()).filter(|_| toolchain.name_in_cases == "dxc");
        let hlsl = hlsl.ok_or("DXC did not get this source")?;
        let text = subject.source.text.as_ref().ok_or("it has no source text")?;
        if !text.defines.is_empty() || hlsl.contains("#include") {
            return Err(NoProbeTest("it needs macros or included files"));
        }
        let [dispatch] = dispatches.as_slice() else {
            return Err(NoProbeTest("it takes several dispatches, for types of less than 32 bits"));
        };
        if dispatch.job.draw.is_some() {
            return Err(NoProbeTest("it is a draw"));
        }

        let scalars: BTreeSet<Scalar> = module.layout.leaves().iter().map(|leaf| leaf.component.scalar).collect();
        let paths: BTreeMap<u32, &str> = dispatch.expected.iter().map(|word| (word.offset, &*word.path)).collect();
        let words = paths.iter().map(|(offset, path)| format!("#   word {}: {path}\n", offset / 4));
        Ok(Self {
            summary: heading.to_owned(),
            claim: String::new(),
            words: words.collect(),
            hlsl,
            pipeline: pipeline_of_probe(module, dispatch)?,
            options: options(&dispatch.job.entry, subject.source.options, toolchain, &scalars),
            output: toolchain.output,
            features: features(&scalars, subject.source.options),
        })
    }

    fn own_apis(&self) -> OffloadApis {
        match self.output {
            ShaderForm::Dxil | ShaderForm::ClangIr => OffloadApis::DirectX,
            // The suite has nothing else: FXC's code and WGSL are not among its toolchains.
            _ => OffloadApis::Vulkan,
        }
    }

    /// True if `vulkan` is this Direct3D test with more options for Vulkan, which DXC ignores for
    /// DXIL.
    fn is_the_same_for_direct_x_as(&self, vulkan: &Self) -> bool {
        self.own_apis() == OffloadApis::DirectX
            && vulkan.own_apis() == OffloadApis::Vulkan
            && (&self.hlsl, &self.pipeline) == (&vulkan.hlsl, &vulkan.pipeline)
            && vulkan.options.starts_with(&self.options)
    }

    /// The file for the API of the rule set.
    fn own_test(&self) -> OffloadTest {
        self.test(self.own_apis(), &self.claim)
    }

    /// The file. `claims` names the authorities of the expected numbers.
    fn test(&self, apis: OffloadApis, claims: &str) -> OffloadTest {
        let Self { summary, words, hlsl, pipeline, options, features, .. } = self;
        let api = match apis {
            OffloadApis::DirectX => Some("DirectX"),
            OffloadApis::Vulkan => Some("Vulkan"),
            OffloadApis::Both => None,
        };
        let conditions: Vec<&str> = api.into_iter().chain(features.iter().copied()).collect();
        let requires =
            if conditions.is_empty() { String::new() } else { format!("# REQUIRES: {}\n", conditions.join(", ")) };
        let text = format!(
            "#--- source.hlsl
{hlsl}
//--- pipeline.yaml

---
{pipeline}...
#--- end

{summary}{claims}{words}
{requires}# RUN: split-file %s %t
# RUN: %dxc_target {options} -Fo %t.o %t/source.hlsl
# RUN: %offloader %t/pipeline.yaml %t.o
",
            options = options.join(" "),
        );
        OffloadTest { text, hlsl: hlsl.clone(), options: options.clone(), apis }
    }
}

/// The pipeline: one dispatch, its buffers, and the expected output.
fn pipeline(repro: &Repro<'_>) -> Result<String, ExportObstacle> {
    let block = BoundResource::of(repro)?;
    let output = BoundResource::own("output", "RWByteAddressBuffer", 0, &repro.subject.source.reserved);
    let input = BoundResource::own("input", "ByteAddressBuffer", 1, &repro.subject.source.reserved);

    let refill = vec![REFILL_WORD; repro.expected.len()];
    let buffers = [
        buffer("block", &repro.image, block.stride),
        buffer("output", &refill, None),
        buffer("input", &[nonce_word(1)], None),
        buffer("expected", &repro.expected, None),
    ];

    Ok(pipeline_text(&repro.entry().name, &buffers.concat(), "output", &[block, output, input]))
}

/// The pipeline of a probe: its dispatch, with the bytes that a right device leaves.
fn pipeline_of_probe(module: &ShaderModule, dispatch: &ReproDispatch) -> Result<String, NoProbeTest> {
    let ReproDispatch { job, expected, .. } = dispatch;
    let socket = expected.first().map(|word| word.socket).ok_or("no word of its answer is known")?;
    if !job.push_constants.is_empty() {
        return Err(NoProbeTest("the suite binds no push constants"));
    }

    let mut buffers = String::new();
    let mut resources = Vec::new();
    let mut actual = None;
    for bound in &job.buffers {
        let resource = BoundResource::of_probe(module, bound)?;
        let mut words = words_of(&bound.bytes);
        buffers += &buffer(resource.name, &words, resource.stride);
        if (bound.set, bound.binding) == socket {
            for word in expected.iter().filter(|word| word.socket == socket) {
                if let Some(place) = words.get_mut(word.offset as usize / 4) {
                    *place = word.word;
                }
            }
            // The first word of the output shows that the dispatch ran.
            if resource.name == "output" {
                words[0] = job.buffers.iter().find_map(|input| nonce_of(module, input)).unwrap_or(words[0]);
                if words.contains(&REFILL_WORD) {
                    return Err(NoProbeTest("not every word of its answer is known"));
                }
            }
            actual = Some((resource.name, words));
        }
        resources.push(resource);
    }
    let (actual, words) = actual.ok_or("its answer is in no buffer")?;
    buffers += &buffer("expected", &words, None);
    Ok(pipeline_text(&job.entry, &buffers, actual, &resources))
}

/// The first word of the input.
fn nonce_of(module: &ShaderModule, bound: &JobBuffer) -> Option<u32> {
    words_of(&bound.bytes).first().copied().filter(|_| (bound.set, bound.binding) == module.interface.input)
}

fn pipeline_text(entry: &str, buffers: &str, actual: &str, resources: &[BoundResource]) -> String {
    let resources: String = resources.iter().map(BoundResource::text).collect();
    format!(
        "Shaders:
  - Stage: Compute
    Entry: {entry}
Buffers:
{buffers}Results:
  - Result: offsets
    Rule: BufferExact
    Actual: {actual}
    Expected: expected
DescriptorSets:
  - Resources:
{resources}"
    )
}

/// DXC with the target and option that give the rule set to the first block.
fn toolchain_of_subject(subject: &Subject) -> Result<&'static Toolchain, ExportObstacle> {
    let block = subject.source.module.blocks.first().ok_or(ExportObstacle::NoBlock)?;
    let fits = |toolchain: &&Toolchain| toolchain.compiler == "dxc" && toolchain.follows(subject.rules, block);
    toolchains().iter().find(fits).ok_or_else(|| ExportObstacle::OtherRules(subject.rules.to_owned()))
}

fn options(
    entry: &str,
    LayoutOptions { matrix, sixteen_bit, msvc_bit_fields: _ }: LayoutOptions,
    toolchain: &Toolchain,
    scalars: &BTreeSet<Scalar>,
) -> Vec<String> {
    // Native 16-bit types require a device feature, even if the shader has no such types.
    let is_native = sixteen_bit == SixteenBit::On && scalars.iter().any(|scalar| is_sixteen_bit(*scalar));

    let mut words = vec!["-T", if is_native { "cs_6_2" } else { "cs_6_0" }];
    words.extend(["-HV", "2021", "-E", entry]);
    words.push(match matrix {
        MatrixOrder::Row => "-Zpr",
        MatrixOrder::Column => "-Zpc",
    });
    words.extend(is_native.then_some("-enable-16bit-types"));
    words.extend(toolchain.flags);
    words.into_iter().map(str::to_owned).collect()
}

/// True for types that have two bytes with 16-bit types on.
fn is_sixteen_bit(scalar: Scalar) -> bool {
    scalar.size(SixteenBit::On, 4) == 2
}

/// The device features that the types of a block need, as the suite's `REQUIRES` names them.
fn features(scalars: &BTreeSet<Scalar>, options: LayoutOptions) -> BTreeSet<&'static str> {
    let feature = |scalar: &Scalar| match scalar.size(options.sixteen_bit, 4) {
        2 if scalar.is_float() => Some("Half"),
        2 => Some("Int16"),
        8 if scalar.is_float() => Some("Double"),
        8 => Some("Int64"),
        _ => None,
    };
    scalars.iter().filter_map(feature).collect()
}

fn buffer(name: &str, words: &[u32], stride: Option<u32>) -> String {
    let stride = stride.map_or(String::new(), |stride| format!("    Stride: {stride}\n"));
    format!("  - Name: {name}\n    Format: Hex32\n{stride}    Data: [\n{}    ]\n", rows(words, "      ", ", "))
}

struct BoundResource {
    name: &'static str,
    kind: &'static str,
    register: u32,
    space: u32,
    binding: u32,
    stride: Option<u32>,
}

impl BoundResource {
    fn own(name: &'static str, kind: &'static str, index: u32, reserved: &Reserved) -> Self {
        Self { name, kind, register: index, space: reserved.space(), binding: reserved.binding() + index, stride: None }
    }

    fn of(repro: &Repro<'_>) -> Result<Self, ExportObstacle> {
        let (kind, class, stride) = match repro.layout.kind {
            BlockKind::Cbuffer | BlockKind::ConstantBuffer | BlockKind::Globals => {
                ("ConstantBuffer", LayoutUnit::ConstantBuffer, None)
            }
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
            | BlockKind::StorageBlock
            | BlockKind::Workgroup
            | BlockKind::StageData => return Err(ExportObstacle::Kind(repro.layout.kind)),
        };

        let register = register(repro.block, class)?;
        let binding = vk_binding(repro.block)?.unwrap_or(register);
        Ok(Self { name: "block", kind, register, space: 0, binding, stride })
    }

    /// A buffer of a probe, at the places that its code uses.
    fn of_probe(module: &ShaderModule, bound: &JobBuffer) -> Result<Self, NoProbeTest> {
        let socket = (bound.set, bound.binding);
        let (name, kind) = match bound.kind {
            _ if socket == module.interface.output => ("output", "RWByteAddressBuffer"),
            _ if socket == module.interface.input => ("input", "ByteAddressBuffer"),
            _ if socket != module.interface.block || bound.element > 0 => {
                return Err(NoProbeTest("it has buffers beside block, input and output"));
            }
            BufferKind::Uniform => ("block", "ConstantBuffer"),
            BufferKind::StorageRead => ("block", "StructuredBuffer"),
            BufferKind::Storage => ("block", "RWStructuredBuffer"),
            BufferKind::Address { .. } => return Err(NoProbeTest("the suite has no addresses")),
            BufferKind::ShaderRecord => return Err(NoProbeTest("its block is in a shader record")),
            BufferKind::InlineUniform | BufferKind::HeapUniform | BufferKind::HeapStorage | BufferKind::Captured => {
                return Err(NoProbeTest("the suite has no such buffer"));
            }
        };
        let is_structured = kind.ends_with("StructuredBuffer");
        if is_structured && module.layout.stride.is_none() {
            return Err(NoProbeTest("its block is in no structured buffer"));
        }
        let stride = module.layout.stride.filter(|_| is_structured);
        Ok(Self { name, kind, register: bound.binding, space: bound.set, binding: bound.binding, stride })
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
fn structured(repro: &Repro<'_>) -> Result<(&'static str, LayoutUnit), ExportObstacle> {
    let parameters = &repro.subject.source.module.parameters;
    let own = parameters.iter().find(|parameter| parameter.name == repro.block.name);
    match own.and_then(|parameter| parameter.ty.resource()).map(|resource| resource.kind) {
        Some(ResourceKind::StructuredBuffer(Access::Read)) => Ok(("StructuredBuffer", LayoutUnit::ShaderResource)),
        Some(ResourceKind::StructuredBuffer(Access::ReadWrite)) => {
            Ok(("RWStructuredBuffer", LayoutUnit::UnorderedAccess))
        }
        Some(_) | None => Err("the suite binds no such structured buffer by itself".into()),
    }
}

/// The declared register, or 0.
fn register(block: &Block, class: LayoutUnit) -> Result<u32, ExportObstacle> {
    let Some(register) = block.annotations.registers.first() else { return Ok(0) };
    match (register.class, register.space.unwrap_or(0)) {
        (Some(found), 0) if found == RegisterClass::Unit(class) => Ok(register.index.unwrap_or(0)),
        (_, _) => Err(ExportObstacle::Register(class)),
    }
}

/// The binding in `[[vk::binding]]`.
fn vk_binding(block: &Block) -> Result<Option<u32>, ExportObstacle> {
    let Some(attribute) = block.annotations.attribute(Some("vk"), "binding") else { return Ok(None) };
    match attribute.arguments.as_slice() {
        [Argument::Integer(binding)] | [Argument::Integer(binding), Argument::Integer(0)] => {
            u32::try_from(*binding).map(Some).map_err(|_| "its binding is no binding".into())
        }
        _ => Err("its binding is in another descriptor set".into()),
    }
}
