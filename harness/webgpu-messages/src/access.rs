//! Finds how a shader accesses its storage images, and which targets it writes. WGSL declares that, and
//! a pipeline must repeat it, also that of other implementations of WebGPU.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_device::{ImageKind, Job, RunnerError};
use naga::front::wgsl;
use naga::{AddressSpace, Binding, GlobalVariable, Handle, ImageClass, Module, StorageAccess, Type, TypeInner};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageTextureAccess {
    ReadOnly,
    WriteOnly,
    ReadWrite,
}

/// By group and binding.
pub type Accesses = BTreeMap<(u32, u32), StorageTextureAccess>;

/// Reads `wgsl`, the shader of `job`. Skips the shader if the job binds no storage image.
///
/// # Errors
/// `ShaderRefused` if naga does not read the shader.
pub fn accesses(job: &Job, wgsl: &str) -> Result<Accesses, RunnerError> {
    if !job.images.iter().any(|image| image.kind == ImageKind::Storage) {
        return Ok(Accesses::new());
    }
    let module = parse(wgsl)?;
    let access = |(_, variable): (_, &GlobalVariable)| {
        let place = variable.binding.as_ref()?;
        let inner = match &module.types[variable.ty].inner {
            TypeInner::BindingArray { base, .. } => &module.types[*base].inner,
            inner => inner,
        };
        match inner {
            TypeInner::Image { class: ImageClass::Storage { access, .. }, .. } => {
                Some(((place.group, place.binding), texture_access(*access)))
            }
            _ => None,
        }
    };

    Ok(module.global_variables.iter().filter_map(access).collect())
}

/// The locations to which the fragment stage of `job`, whose shader is `wgsl`, writes. WebGPU requires that a pipeline leaves
/// every other target alone; wgpu does not.
///
/// # Errors
/// `ShaderRefused` if naga does not read the shader.
pub fn written_targets(job: &Job, wgsl: &str) -> Result<BTreeSet<u32>, RunnerError> {
    let Some(draw) = job.draw.as_ref().filter(|draw| draw.targets > 0) else { return Ok(BTreeSet::new()) };
    let module = parse(wgsl)?;
    let entry = module.entry_points.iter().find(|entry| entry.name == draw.fragment);
    let Some(result) = entry.and_then(|entry| entry.function.result.as_ref()) else { return Ok(BTreeSet::new()) };
    let members = match &module.types[result.ty].inner {
        TypeInner::Struct { members, .. } => members.iter().map(|member| member.binding.as_ref()).collect(),
        _ => vec![result.binding.as_ref()],
    };
    let location = |binding: &Binding| match binding {
        Binding::Location { location, .. } => Some(*location),
        Binding::BuiltIn(_) => None,
    };
    Ok(members.into_iter().flatten().filter_map(location).collect())
}

/// True if the immediates of `job`, whose shader is `wgsl`, have an array, which WGSL forbids and naga allows.
///
/// # Errors
/// `ShaderRefused` if naga does not read the shader.
pub fn has_arrays_in_immediates(job: &Job, wgsl: &str) -> Result<bool, RunnerError> {
    if job.push_constants.is_empty() {
        return Ok(false);
    }
    let module = parse(wgsl)?;
    let mut immediates =
        module.global_variables.iter().filter(|(_, variable)| variable.space == AddressSpace::Immediate);
    Ok(immediates.any(|(_, variable)| has_array(&module, variable.ty)))
}

fn has_array(module: &Module, ty: Handle<Type>) -> bool {
    match &module.types[ty].inner {
        TypeInner::Array { .. } => true,
        TypeInner::Struct { members, .. } => members.iter().any(|member| has_array(module, member.ty)),
        _ => false,
    }
}

fn parse(wgsl: &str) -> Result<Module, RunnerError> {
    wgsl::parse_str(wgsl).map_err(|error| RunnerError::ShaderRefused(error.message().to_owned()))
}

fn texture_access(access: StorageAccess) -> StorageTextureAccess {
    match (access.contains(StorageAccess::LOAD), access.contains(StorageAccess::STORE)) {
        (true, true) => StorageTextureAccess::ReadWrite,
        (false, true) => StorageTextureAccess::WriteOnly,
        (_, false) => StorageTextureAccess::ReadOnly,
    }
}
