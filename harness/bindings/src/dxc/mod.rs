//! The convention `dxc`: the placement by the DirectX shader compiler.
//!
//! [`layoutproof_usage`] finds what an entry point uses. `order` finds the order in which DXC visits
//! resources in structs. `claim` lists the needs of the used parameters; `registers` (D3D12) and
//! `vulkan` place them. Offsets in a buffer are not decided here.
//!
//! Sources: wg-hlsl 0024, implicit resource binding; DXC's guide to SPIR-V code generation, HLSL
//! register and Vulkan binding; both as DXC 1.7.2308 implements them.

pub(super) mod claim;
pub(crate) mod doubt;
mod order;
mod registers;
#[cfg(test)]
pub(super) mod tests;
pub(super) mod vulkan;

use claim::{BufferUses, RegisterClaim};
use doubt::{DoubtfulPlacement, settle};
use layoutproof_layout::shape::Count;
use registers::AllocationRules;

use super::options::{BindingOptions, UnusedResources};
use super::release::DxcRelease;
use super::{BindingRequest, BoundModule, Target};
use layoutproof_frontend::module::Module;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_usage::{CallPolicy, Usage, UsageRequest, reach};

pub(super) fn bind(module: &Module, request: &BindingRequest) -> Result<BoundModule, Vec<Diagnostic>> {
    let release = DxcRelease::of(request.version.as_deref());
    let mut problems = release.refused(module, &request.options);
    problems.extend(claim::conflicting_registers(module));
    if !problems.is_empty() {
        return Err(problems);
    }
    match request.target {
        Target::D3d12 => settle(|following| d3d12(module, request, following)),
        Target::Vulkan => settle(|following| vulkan::bind(module, request, release, following)),
        Target::Webgpu | Target::Metal => Err(vec![no_target(request)]),
    }
}

/// Makes the error for a target that the convention does not cover.
pub(super) fn no_target(request: &BindingRequest) -> Diagnostic {
    let message = format!("the convention `{}` has no target `{}`", request.convention, request.target);
    Diagnostic::error(Code::UnsupportedTarget, layoutproof_layout::Span::default(), message)
}

pub(super) fn is_library(request: &BindingRequest) -> bool {
    request.profile.as_deref().is_some_and(|profile| profile.starts_with("lib"))
}

/// The convention's questions about the code of a module.
pub(super) fn usage_request<'r>(
    request: &'r BindingRequest,
    options: &BindingOptions,
    policy: CallPolicy,
) -> UsageRequest<'r> {
    UsageRequest {
        entry: request.entry.as_deref(),
        is_library: is_library(request),
        used: &request.used,
        unused: &request.unused,
        policy,
        optimises: options.unused == UnusedResources::Dropped,
        drops_unneeded: false,
    }
}

fn d3d12(
    module: &Module,
    request: &BindingRequest,
    following: CallPolicy,
) -> Result<DoubtfulPlacement, Vec<Diagnostic>> {
    let options = BindingOptions::parse(&request.options)?;
    let usage = UsageRequest { drops_unneeded: true, ..usage_request(request, &options, following) };
    let Usage { reached, doubts } = reach(module, &usage)?;
    let problems = claim::refused(module, &reached);
    if !problems.is_empty() {
        return Err(problems);
    }

    let declared: Vec<RegisterClaim> = module.parameters.iter().filter_map(claim::variable).collect();
    let unbounded = declared.iter().find(|claim| claim.count == Count::Unbounded);
    if let Some(claim) = unbounded.filter(|_| options.legacy_reservation) {
        let message = "unbounded resources are not supported with -flegacy-resource-reservation";
        return Err(vec![Diagnostic::error(Code::Unsupported, claim.span, message)]);
    }

    let claims = claim::claims(module, &reached);
    let unused: Vec<RegisterClaim> = declared.into_iter().filter(|claim| !claims.contains(claim)).collect();
    let validated = !options.unvalidated && request.profile.as_deref() != Some("lib_6_x");
    let rules = AllocationRules {
        options: &options,
        may_overlap: request.may_overlap,
        library: is_library(request),
        validated,
        unused: &unused,
    };
    let bindings = registers::allocate(&claims, rules)?;

    let warnings = BufferUses::new(module, &reached).warnings();
    let fixed = claims.iter().filter(|claim| claim.register.is_some()).map(|claim| claim.path.clone()).collect();
    Ok(DoubtfulPlacement { bound: BoundModule { bindings, warnings, ..BoundModule::default() }, doubts, fixed })
}
