//! Finds how a shader accesses its storage images. WGSL declares that in the types, and the
//! pipeline layout must repeat it.

use std::collections::BTreeMap;

use layoutproof_device::{ImageKind, Job, RunnerError};
use wgpu::StorageTextureAccess;
use wgpu::naga::front::wgsl;
use wgpu::naga::{ImageClass, StorageAccess, TypeInner};

/// By group and binding.
pub(crate) type Accesses = BTreeMap<(u32, u32), StorageTextureAccess>;

/// Reads `wgsl`, the shader of `job`. Skips the shader if the job binds no storage image.
pub(crate) fn accesses(job: &Job, wgsl: &str) -> Result<Accesses, RunnerError> {
    if !job.images.iter().any(|image| image.kind == ImageKind::Storage) {
        return Ok(Accesses::new());
    }
    let module = wgsl::parse_str(wgsl).map_err(|error| RunnerError::ShaderRefused(error.message().to_owned()))?;

    let access = |(_, variable): (_, &wgpu::naga::GlobalVariable)| {
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

fn texture_access(access: StorageAccess) -> StorageTextureAccess {
    match (access.contains(StorageAccess::LOAD), access.contains(StorageAccess::STORE)) {
        (true, true) => StorageTextureAccess::ReadWrite,
        (false, true) => StorageTextureAccess::WriteOnly,
        (_, false) => StorageTextureAccess::ReadOnly,
    }
}
