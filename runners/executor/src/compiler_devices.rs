//! Chooses the devices that run compiler output.
//!
//! The offsets in compiled code are the same on every driver. A run that checks every compiler
//! therefore gives each module to one driver, and the next run gives it to another.

use layoutproof_device::DeviceInfo;
use layoutproof_events::producer::Producer;
use layoutproof_source::stable_hash::stable_hash;

/// The devices that run the modules of compilers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompilerDevices {
    /// Every device whose API accepts the module.
    Every,
    /// One driver among those whose API accepts the module, plus every device that evaluates code
    /// without a driver. The case, the compiler and the run number pick the driver.
    OneDriver {
        /// Run number. With N drivers, N runs in a row give every module to every driver.
        turn: u64,
    },
}

impl CompilerDevices {
    /// Returns true if `device`, one of the run's `devices`, runs the output of `producer` for the
    /// case with this id. The caller has checked that the device's API accepts it.
    pub(crate) fn include(self, device: &DeviceInfo, case: &str, producer: Producer, devices: &[DeviceInfo]) -> bool {
        match (self, producer) {
            (Self::Every, _) | (_, Producer::Generator(_)) => true,
            (Self::OneDriver { .. }, Producer::Compiler(_)) if !device.runner.is_driven() => true,
            (Self::OneDriver { turn }, Producer::Compiler(toolchain)) => {
                let takes = |device: &&DeviceInfo| {
                    device.runner.is_driven() && producer.feeds_device(device) && device.lacks.is_empty()
                };
                let drivers: Vec<&DeviceInfo> = devices.iter().filter(takes).collect();
                let draw = stable_hash(&format!("{case}::{}", toolchain.name)) >> 32;
                let chosen = (draw + turn) % (drivers.len() as u64).max(1);
                drivers.iter().position(|driver| *driver == device).is_some_and(|place| place as u64 == chosen)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use layoutproof_device::RunnerKind;

    use super::*;

    fn device(id: &str, runner: RunnerKind) -> DeviceInfo {
        DeviceInfo {
            id: id.to_owned(),
            name: id.to_owned(),
            driver: String::new(),
            api: String::new(),
            runner,
            index: 0,
            hardware: false,
            features: BTreeSet::new(),
            lacks: BTreeSet::new(),
            max_uniform_range: 16384,
            max_push_constants: 128,
            direct3d: None,
            webgpu: None,
        }
    }

    fn devices() -> [DeviceInfo; 5] {
        [
            device("lavapipe", RunnerKind::Ash),
            device("swiftshader", RunnerKind::Ash),
            device("lavapipe", RunnerKind::Wgpu),
            device("vkd3d", RunnerKind::D3d12),
            device("evaluator", RunnerKind::Dxil),
        ]
    }

    fn chosen(choice: CompilerDevices, case: &str, producer: &str) -> Vec<String> {
        let devices = devices();
        let producer = Producer::named(producer).unwrap();
        let takes =
            |device: &&DeviceInfo| producer.feeds(device.runner) && choice.include(device, case, producer, &devices);
        devices.iter().filter(takes).map(|device| device.id.clone()).collect()
    }

    #[test]
    fn a_module_runs_on_one_driver_and_in_turn_on_each() {
        let mut seen = [0; 2];
        for case in 0..200 {
            let case = format!("structs/case_{case}");
            let of_turn = |turn| chosen(CompilerDevices::OneDriver { turn }, &case, "dxc-spirv");
            let [first, second] = [of_turn(0), of_turn(1)];
            assert_eq!([first.len(), second.len()], [1, 1]);
            assert_ne!(first, second);
            seen[usize::from(first == ["swiftshader"])] += 1;
        }
        assert!(seen.iter().all(|cases| *cases > 60), "of 200 cases {seen:?}");
    }

    #[test]
    fn what_evaluates_code_takes_every_module() {
        let one = CompilerDevices::OneDriver { turn: 3 };
        assert_eq!(chosen(one, "structs/a", "dxc-dxil"), ["vkd3d", "evaluator"]);
    }

    #[test]
    fn what_is_not_of_a_compiler_runs_everywhere() {
        for choice in [CompilerDevices::Every, CompilerDevices::OneDriver { turn: 0 }] {
            assert_eq!(chosen(choice, "structs/a", "rspirv"), ["lavapipe", "swiftshader"]);
        }
        assert_eq!(chosen(CompilerDevices::Every, "structs/a", "dxc-spirv"), ["lavapipe", "swiftshader"]);
    }
}
