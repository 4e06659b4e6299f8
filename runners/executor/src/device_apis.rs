//! The registry of device APIs.

use layoutproof_d3d12::Direct3d12;
use layoutproof_device::{DeviceApi, RunnerKind};
use layoutproof_model::ModelApi;
use layoutproof_readers::evaluator::EvaluatorApi;
use layoutproof_vulkan::Vulkan;
use layoutproof_webgpu::WebGpu;
use layoutproof_wgpu::Wgpu;

/// One API for each row of [`RunnerKind`].
pub(crate) const APIS: [&dyn DeviceApi; 6] = [&Vulkan, &Wgpu, &Direct3d12, &WebGpu, &EvaluatorApi, &ModelApi];

pub(crate) fn of(kind: RunnerKind) -> &'static dyn DeviceApi {
    APIS.into_iter().find(|api| api.kind() == kind).expect("a test finds the API of every kind")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_one_api() {
        let kinds: Vec<RunnerKind> = APIS.iter().map(|api| api.kind()).collect();
        assert_eq!(kinds, RunnerKind::ALL);
    }
}
