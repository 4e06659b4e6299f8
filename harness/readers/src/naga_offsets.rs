//! Compiles a generated WGSL module with naga: the offset that naga gives each leaf, and the SPIR-V
//! that it writes.
//!
//! This is the compiled witness of the naga producer. Offsets come from naga's typed module (struct
//! member offsets, array strides, matrix vectors). The generator contributes only the path to each
//! leaf.
//!
//! Source: naga 30, `naga::ir::TypeInner`; matrix vectors are placed as in WebGPU Shading Language,
//! 14.4 Memory Layout.

use std::collections::BTreeMap;

use naga::back::{PipelineConstants, pipeline_constants, spv};
use naga::front::glsl;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy, TypeResolution};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{
    GlobalVariable, Handle, Module, Scalar, ShaderStage, StructMember, Type, TypeInner, UniqueArena, VectorSize,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::spirv::BoundVariable;
use crate::wgsl_probe::{BLOCK, WgslProbe, WgslStep};

#[derive(Clone, Debug, Error, PartialEq, Eq, Serialize, Deserialize)]
pub enum NagaError {
    /// The front end rejects the text.
    #[error("naga does not read it: {0}")]
    Unreadable(String),
    /// The validator rejects the module.
    #[error("naga refuses the module: {0}")]
    Invalid(String),
    /// The SPIR-V writer fails.
    #[error("naga writes no SPIR-V: {0}")]
    NoSpirv(String),
    /// The GLSL writer fails.
    #[error("naga writes no GLSL: {0}")]
    NoGlsl(String),
    /// The GLSL declares its block with other qualifiers than those that we can lay out.
    #[error("naga's GLSL declares the block as `{0}`")]
    UnknownGlsl(String),
    /// The HLSL writer fails, or gives the entry point a different name.
    #[error("naga writes no HLSL: {0}")]
    NoHlsl(String),
}

/// Our own WGSL as naga reads it. Reading takes longer than all later queries together.
#[derive(Debug)]
pub struct NagaShader<'a> {
    pub(crate) source: &'a WgslProbe,
    pub(crate) module: Module,
    pub(crate) info: ModuleInfo,
}

impl<'a> NagaShader<'a> {
    /// Reads and validates `source`.
    pub fn read(source: &'a WgslProbe) -> Result<Self, NagaError> {
        let (module, info) = load(&source.text)?;
        Ok(Self { source, module, info })
    }

    /// Absolute offset in bytes that naga gives each leaf, in the order of the source's paths;
    /// `None` for a path that naga's module does not have.
    pub fn offsets(&self) -> Vec<Option<u32>> {
        let block = block_of(&self.module);
        let offset = |path: &Vec<WgslStep>| {
            let (_, variable) = block?;
            NagaPlace::start(&self.module.types, variable.ty).follow(path, &IrPacking)
        };
        self.source.paths.iter().map(offset).collect()
    }

    /// SPIR-V 1.3 with the entry point's name, without bounds checks, and without debug names,
    /// because validation layer 1.3.239 reports those as an error.
    ///
    /// naga 30's writer has a bug: in a uniform block, `block.inner.m[1].y` with a two-row matrix
    /// `m` in a nested struct becomes an access chain that lacks an index (measured with spirv-val
    /// 2023.1). This is not detected here; a module goes through spirv-val before a device runs it.
    pub fn spirv(&self) -> Result<Vec<u32>, NagaError> {
        write_spirv(&self.module, &self.info, &self.source.entry)
    }
}

pub(crate) fn block_of(module: &Module) -> Option<(Handle<GlobalVariable>, &GlobalVariable)> {
    module.global_variables.iter().find(|(_, variable)| variable.name.as_deref() == Some(BLOCK))
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WgslCode {
    /// As [`NagaShader::spirv`].
    pub spirv: Vec<u32>,
    /// Bytes of each bound variable, by group and binding; for an unsized array, with one element.
    /// This is the least that a host can bind.
    pub binding_sizes: BTreeMap<(u32, u32), u32>,
}

/// The SPIR-V for one entry point of third-party WGSL, and the sizes of its bound variables. Call
/// it through a [`ModuleReader`](crate::module_reader::ModuleReader), which can run this
/// in a separate process.
pub fn wgsl_code(text: &str, entry: &str) -> Result<WgslCode, NagaError> {
    let (naga_module, info) = load(text)?;
    let spirv = write_spirv(&naga_module, &info, entry)?;
    Ok(WgslCode { spirv, binding_sizes: binding_sizes(&naga_module) })
}

/// SPIR-V, as that of [`NagaShader::spirv`], for a compute shader in GLSL whose `main` gets the
/// name `entry`.
pub fn spirv_of_glsl(text: &str, entry: &str) -> Result<Vec<u32>, NagaError> {
    let stage = glsl::Options::from(ShaderStage::Compute);
    let mut module = glsl::Frontend::default().parse(&stage, text).map_err(|errors| {
        let first = errors.errors.first().map(|error| error.kind.to_string());
        NagaError::Unreadable(first.unwrap_or_default())
    })?;
    for own in &mut module.entry_points {
        entry.clone_into(&mut own.name);
    }
    let info = validate(&module, ValidationFlags::all())?;
    write_spirv(&module, &info, entry)
}

/// The SPIR-V for all entry points of a WGSL text, without bounds checks. Its places have the empty name as their file.
pub fn wgsl_module(text: &str) -> Result<Vec<u32>, NagaError> {
    let (module, info) = load(text)?;
    // Each `override` has its default, as in a pipeline that sets none.
    let (module, info) = pipeline_constants::process_overrides(&module, &info, None, &PipelineConstants::default())
        .map_err(|error| NagaError::NoSpirv(chain(&error)))?;
    let debug_info =
        spv::DebugInfo { source_code: text, file_name: "", language: rspirv::spirv::SourceLanguage::Unknown };
    let options = spv::Options { flags: spv::WriterFlags::DEBUG, debug_info: Some(debug_info), ..unchecked_options() };
    spv::write_vec(&module, &info, &options, None).map_err(|error| NagaError::NoSpirv(chain(&error)))
}

fn unchecked_options<'a>() -> spv::Options<'a> {
    spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::empty(),
        bounds_check_policies: BoundsCheckPolicies {
            index: BoundsCheckPolicy::Unchecked,
            buffer: BoundsCheckPolicy::Unchecked,
            image_load: BoundsCheckPolicy::Unchecked,
            binding_array: BoundsCheckPolicy::Unchecked,
        },
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        ..spv::Options::default()
    }
}

fn write_spirv(module: &Module, info: &ModuleInfo, entry: &str) -> Result<Vec<u32>, NagaError> {
    let pipeline = spv::PipelineOptions { shader_stage: ShaderStage::Compute, entry_point: entry.to_owned() };
    spv::write_vec(module, info, &unchecked_options(), Some(&pipeline))
        .map_err(|error| NagaError::NoSpirv(chain(&error)))
}

fn binding_sizes(module: &Module) -> BTreeMap<(u32, u32), u32> {
    let bound = module.global_variables.iter().filter_map(|(_, variable)| {
        let binding = variable.binding.as_ref()?;
        let size = module.types[variable.ty].inner.size(module.to_ctx());
        Some(((binding.group, binding.binding), size))
    });
    bound.collect()
}

/// Each WGSL variable with a binding, in declaration order.
pub fn wgsl_bindings(text: &str) -> Result<Vec<BoundVariable>, NagaError> {
    let module = parse(text)?;
    // Bindings do not depend on offsets, which naga does not always compute by WGSL's rules.
    validate(&module, ValidationFlags::all() - ValidationFlags::STRUCT_LAYOUTS)?;
    let bound = module.global_variables.iter().filter_map(|(_, variable)| {
        let place = variable.binding.as_ref()?;
        let name = variable.name.clone().unwrap_or_default();
        Some(BoundVariable { name, set: place.group, binding: place.binding })
    });
    Ok(bound.collect())
}

/// Reads and validates WGSL.
pub fn load(text: &str) -> Result<(Module, ModuleInfo), NagaError> {
    let module = parse(text)?;
    let info = validate(&module, ValidationFlags::all())?;
    Ok((module, info))
}

fn parse(text: &str) -> Result<Module, NagaError> {
    naga::front::wgsl::parse_str(text).map_err(|error| NagaError::Unreadable(error.message().to_owned()))
}

fn validate(module: &Module, flags: ValidationFlags) -> Result<ModuleInfo, NagaError> {
    let mut validator = Validator::new(flags, Capabilities::all());
    validator.validate(module).map_err(|error| NagaError::Invalid(chain(error.as_inner())))
}

/// An error with its causes, because naga's innermost error has the numbers.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

/// Computes offsets in naga's types. `None` for parts that the types do not have.
pub(crate) trait Packing {
    /// Bytes from the start of a struct to its member at `index`.
    fn member_offset(&self, members: &[StructMember], index: usize) -> Option<u32>;

    /// Bytes from one element to the next, in an array with naga's own `stride`.
    fn array_stride(&self, base: Handle<Type>, stride: u32) -> Option<u32>;

    /// Bytes from one matrix vector to the next.
    fn matrix_stride(&self, rows: VectorSize, scalar: Scalar) -> Option<u32>;
}

/// The offsets in naga's module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IrPacking;

impl Packing for IrPacking {
    fn member_offset(&self, members: &[StructMember], index: usize) -> Option<u32> {
        members.get(index).map(|member| member.offset)
    }

    fn array_stride(&self, _: Handle<Type>, stride: u32) -> Option<u32> {
        Some(stride)
    }

    fn matrix_stride(&self, rows: VectorSize, scalar: Scalar) -> Option<u32> {
        Some(matrix_stride(rows, scalar))
    }
}

/// A type inside a block with its offset, on the way down to a leaf.
pub(crate) struct NagaPlace<'a> {
    pub types: &'a UniqueArena<Type>,
    pub ty: TypeResolution,
    /// Bytes from the start of the block.
    pub offset: u32,
}

impl<'a> NagaPlace<'a> {
    pub(crate) fn start(types: &'a UniqueArena<Type>, block: Handle<Type>) -> Self {
        Self { types, ty: TypeResolution::Handle(block), offset: 0 }
    }

    /// The offset at the end of `path`.
    pub(crate) fn follow(self, path: &[WgslStep], packing: &impl Packing) -> Option<u32> {
        path.iter().try_fold(self, |place, step| place.step(step, packing)).map(|place| place.offset)
    }

    fn step(self, step: &WgslStep, packing: &impl Packing) -> Option<Self> {
        let (ty, distance) = match (self.ty.inner_with(self.types), step) {
            (TypeInner::Struct { members, .. }, WgslStep::Member { index, .. }) => {
                let index = usize::try_from(*index).ok()?;
                (TypeResolution::Handle(members.get(index)?.ty), packing.member_offset(members, index)?)
            }
            (TypeInner::Array { base, stride, .. }, WgslStep::Element(index)) => {
                (TypeResolution::Handle(*base), packing.array_stride(*base, *stride)?.checked_mul(*index)?)
            }
            (TypeInner::Matrix { rows, scalar, .. }, WgslStep::Column(index)) => {
                let column = TypeInner::Vector { size: *rows, scalar: *scalar };
                (TypeResolution::Value(column), packing.matrix_stride(*rows, *scalar)?.checked_mul(*index)?)
            }
            (TypeInner::Vector { scalar, .. }, WgslStep::Component(index)) => {
                (TypeResolution::Value(TypeInner::Scalar(*scalar)), u32::from(scalar.width).checked_mul(*index)?)
            }
            _ => return None,
        };
        Some(Self { ty, offset: self.offset.checked_add(distance)?, ..self })
    }
}

/// Bytes from one matrix vector to the next: the size of the vector, rounded up to its alignment.
pub(crate) fn matrix_stride(rows: VectorSize, scalar: Scalar) -> u32 {
    u32::from(scalar.width) * (rows as u32).next_power_of_two()
}
