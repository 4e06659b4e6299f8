//! Checks of the APIs that take WGSL.

use layoutproof_device::{BufferKind, DeviceInfo, RunnerError, Shader};
use layoutproof_generators::binding::wgsl;
use libtest_mimic::{Failed, Trial};

use crate::placements::Write;
use crate::suite::{Api, buffer, ensure, ensure_eq, job, output, run};
use crate::{bound, placements};

/// An API with what its devices may leave out.
#[derive(Clone, Copy)]
pub(crate) struct WgslApi {
    pub(crate) api: Api,
    /// What it says of SPIR-V.
    pub(crate) on_spirv: &'static str,
    /// Parameters that some of its devices cannot bind.
    pub(crate) unbound: &'static [&'static str],
}

type Check = fn(WgslApi, &DeviceInfo) -> Result<(), Failed>;

const CHECKS: [(&str, Check); 4] = [
    ("broken_shaders_are_refused", broken_shaders),
    ("every_bound_resource_is_read_back", every_resource),
    ("varyings_and_targets_are_read_back", varyings),
    ("swapped_descriptors_are_named", swaps),
];

pub(crate) fn trials(api: WgslApi, device: &DeviceInfo) -> impl Iterator<Item = Trial> {
    CHECKS.into_iter().map(move |(name, check)| {
        let info = device.clone();
        Trial::test(format!("{}::{name}", device.id), move || check(api, &info))
    })
}

/// Makes the binding probe's shaders.
fn probe(WgslApi { api, .. }: WgslApi) -> (Api, Write) {
    (api, |program| Shader::Wgsl(wgsl::module(program)))
}

fn every_resource(api: WgslApi, info: &DeviceInfo) -> Result<(), Failed> {
    let plan = bound::planned(bound::EVERYTHING, bound::EVERYWHERE).without(wgsl::not_expressible);
    placements::all_right(probe(api), info, &plan, api.unbound)
}

fn varyings(api: WgslApi, info: &DeviceInfo) -> Result<(), Failed> {
    placements::all_right(probe(api), info, &bound::planned(bound::VARYINGS, bound::VARYING_PLACES), &[])
}

fn swaps(api: WgslApi, info: &DeviceInfo) -> Result<(), Failed> {
    placements::swaps_show(probe(api), info, &bound::planned(bound::SWAPPED_SINGLY, bound::SWAPPED_SINGLY_PLACES))
}

/// Errors are returned; they neither panic nor end the device.
fn broken_shaders(WgslApi { api, on_spirv, .. }: WgslApi, info: &DeviceInfo) -> Result<(), Failed> {
    let fill = include_str!("shaders/fill.wgsl");
    let shader = |wgsl: &str| Shader::Wgsl(wgsl.to_owned());
    let unbound = vec![buffer(0, BufferKind::Storage, &[0])];
    let short = vec![output(20), buffer(0, BufferKind::Uniform, &[0; 4]), buffer(2, BufferKind::StorageRead, &[0])];
    let jobs = vec![
        job(shader("@compute fn"), vec![output(1)]),
        job(shader(&fill.replace("u32", "u33")), vec![output(1)]),
        job(shader(fill), unbound),
        job(shader(include_str!("shaders/copy.wgsl")), short),
        job(Shader::Spirv(vec![0x0723_0203]), vec![output(1)]),
        job(shader(fill), vec![output(1)]),
    ];
    let results = run(api, info, jobs)?;
    for refused in &results[..3] {
        ensure(matches!(refused, Err(RunnerError::ShaderRefused(_))), &format!("a broken shader: {refused:?}"))?;
    }
    let short = matches!(results[3], Err(RunnerError::Api { .. }));
    ensure(short, &format!("a range shorter than its block: {:?}", results[3]))?;
    ensure_eq(&results[4], &Err(RunnerError::Unsupported(on_spirv.to_owned())), "SPIR-V")?;
    ensure(results[5].is_ok(), &format!("the good job behind the bad ones: {:?}", results[5]))
}
