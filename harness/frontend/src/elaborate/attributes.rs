//! Lists the known attributes and reports unknown ones.
//!
//! Sources: the attributes of DXC 1.7.2308 and Slang 2026.14.1. Both compilers ignore unknown ones with a warning.

use layoutproof_layout::Attribute;

use super::Elaborator;
use super::scope::ScopeId;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::words::words;

/// The effect of an attribute on layouts and bindings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AttributeMeaning {
    /// It is modelled, or affects no layout or binding.
    Known,
    /// It can bind or place the following declaration, and is not modelled.
    Placing,
    /// Neither compiler knows it.
    Unknown,
}

/// Attributes in the namespace `vk` that are modelled, or that affect no layout or binding.
const VULKAN: [&str; 40] = words(
    "
    aliased_pointer binding builtin combinedImageSampler constant_id counter_binding depth_greater depth_less
    depth_unchanged early_and_late_tests ext_builtin_input ext_builtin_output ext_capability ext_execution_mode
    ext_execution_mode_id ext_extension ext_instruction ext_literal ext_reference ext_result_id ext_type_def
    image_format index input_attachment_index location offset post_depth_coverage push_constant restrict_pointer
    shader_record shader_record_ext shader_record_nv specialization_constant spirv_instruction
    stencil_ref_greater_equal_back stencil_ref_greater_equal_front stencil_ref_less_equal_back
    stencil_ref_less_equal_front stencil_ref_unchanged_back stencil_ref_unchanged_front
    ",
);

/// Attributes in the namespace `vk` whose arguments can give the following declaration any decoration or storage class.
const VULKAN_PLACING: &[&str] = &["ext_decorate", "ext_decorate_id", "ext_decorate_string", "ext_storage_class"];

/// Attributes without a namespace.
const PLAIN: [&str; 121] = words(
    "
    Shader64BitIndexing RemovedSince OverloadRank NonUniformReturn NoDiscard MaybeDifferentiable
    HasTrivialForwardDerivative ExperimentalModule disable_array_flattening COM CUDADeviceExport CUDAHost CUDAKernel
    CudaDeviceExport CudaHost CudaKernel AutoPyBindCUDA BackwardDerivative BackwardDerivativeOf
    BackwardDifferentiable DerivativeGroupLinear DerivativeGroupQuad DerivativeMember Differentiable
    DisableArrayFlattening DllExport DllImport EntryPoint Flags ForceInline ForceUnroll ForwardDerivative
    ForwardDerivativeOf ForwardDifferentiable KnownBuiltin MaxIters MaximallyReconverges NoDiffThis NoInline
    NoSideEffect NodeLaunch NodeDispatchGrid NodeID NodeIsProgramEntry NodeLocalRootArgumentsTableIndex
    NodeMaxDispatchGrid NodeMaxRecursionDepth NodeShareInputOf NodeArraySize AllowSparseNodes MaxRecords
    MaxRecordsSharedWith UnboundedSparseNodes PrimalSubstitute PrimalSubstituteOf PreferCheckpoint PreferRecompute
    PyExport QuadDerivatives RequireFullQuads RequireCapability RequirePrelude RootSignature Specialize
    SpecializationConstant TorchEntryPoint TreatAsDifferentiable UnscopedEnum WaveOpsIncludeHelperLanes WaveSize
    allow_uav_condition allow anyValueSize branch builtin call clipplanes constref deprecated domain
    earlydepthstencil experimental export fastopt flatten forcecase format formatCPU gl_binding instance isolate
    loop maxexports maxtessfactor maxvertexcount mutating noRefInline noinline nonmutating nontemporal
    nonVaryingBackend numthreads open outputcontrolpoints outputtopology partitioning patchconstantfunc payload
    playback push_constant raypayload reflect require sealed shader shader_record spv_target_env_1_3 unroll
    vk_binding vk_specialization_constant wavesize
    ",
);

impl Elaborator<'_> {
    /// Reports an unsupported attribute: a warning if compilers ignore it too, an error if it could
    /// move the following declaration.
    pub(super) fn check_known(&mut self, attribute: &Attribute) {
        let Attribute { namespace, name, span, .. } = attribute;
        let written = namespace.as_ref().map_or_else(|| name.clone(), |namespace| format!("{namespace}::{name}"));
        let meaning = match attribute.declared {
            Some(_) => AttributeMeaning::Known,
            None => self.meaning(namespace.as_deref(), name),
        };
        match meaning {
            AttributeMeaning::Known => {}
            AttributeMeaning::Unknown => {
                let message = format!("unknown attribute `{written}` is ignored");
                self.problems.report(Diagnostic::warning(Code::UnknownAttribute, *span, message));
            }
            AttributeMeaning::Placing => {
                let message = format!("the attribute `{written}` can change bindings or offsets and is not supported");
                self.problems.report(Diagnostic::error(Code::Unsupported, *span, message));
            }
        }
    }

    /// Returns the struct by which the source declares a user-defined attribute: `[Tag(1)]` is a
    /// `struct TagAttribute`, `[my::Tag(1)]` a `struct my_TagAttribute`.
    pub(super) fn declared_attribute(&self, namespace: Option<&str>, name: &str, scope: ScopeId) -> Option<String> {
        let outer = namespace.map(|namespace| namespace.replace("::", "_") + "_").unwrap_or_default();
        let joined = format!("{outer}{name}");
        let is_built_in = self.meaning(namespace, name) != AttributeMeaning::Unknown;
        let declared = [format!("{joined}Attribute"), joined.clone()];
        let mut scopes = self.symbols.outwards(scope);
        let is_declared = scopes.any(|scope| declared.iter().any(|name| self.symbols.type_in(scope, name).is_some()));
        (is_declared && !is_built_in).then_some(joined)
    }

    fn meaning(&self, namespace: Option<&str>, name: &str) -> AttributeMeaning {
        match namespace {
            Some("vk") if VULKAN.contains(&name) => AttributeMeaning::Known,
            // slangc 2026.14.1 does not know these and ignores them.
            Some("vk") if VULKAN_PLACING.contains(&name) && !self.is_slang => AttributeMeaning::Placing,
            Some("gl") if name == "binding" => AttributeMeaning::Known,
            None if PLAIN.contains(&name) || name.starts_with("__") => AttributeMeaning::Known,
            // Slang's other spelling of `vk::...`. HLSL sources may use only `vk_binding`, the
            // others are not modelled there.
            None if name.strip_prefix("vk_").is_some_and(|rest| VULKAN.contains(&rest)) => AttributeMeaning::Placing,
            Some(_) | None => AttributeMeaning::Unknown,
        }
    }
}
