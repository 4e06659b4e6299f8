//! The spellings of HLSL attributes that this crate looks for.
//!
//! DXC ignores the case of attribute names (1.7.2308: `[NumThreads(8, 8, 1)]`,
//! `[SHADER("compute")]`); Slang does not. Both respect the case of string arguments:
//! `[shader("Compute")]` is an error in DXC.

use layoutproof_source::words::words;

/// Attributes in `[...]`: those of DXC 1.7.2308, and the newer ones for work graphs (1.8.2403).
const PLAIN: [&str; 41] = words(
    "
    AllowSparseNodes MaxRecords MaxRecordsSharedWith NodeArraySize NodeDispatchGrid NodeID NodeIsProgramEntry
    NodeLaunch NodeLocalRootArgumentsTableIndex NodeMaxDispatchGrid NodeMaxRecursionDepth NodeShareInputOf
    NodeTrackRWInputSharing RootSignature UnboundedSparseNodes WaveOpsIncludeHelperLanes WaveSize
    allow_uav_condition branch call clipplanes domain earlydepthstencil experimental export fastopt flatten
    forcecase instance loop maxtessfactor maxvertexcount noinline numthreads outputcontrolpoints outputtopology
    partitioning patchconstantfunc raypayload shader unroll
    ",
);

/// Attributes in `[[vk::...]]` whose effect this crate models.
const VULKAN: [&str; 9] = words(
    "
    binding combinedImageSampler constant_id counter_binding input_attachment_index location offset push_constant
    shader_record_ext
    ",
);

/// Returns this crate's spelling of the HLSL attribute `name`, or `name` itself if it is unknown.
pub(super) fn spelling<'a>(namespace: Option<&str>, name: &'a str) -> &'a str {
    let names: &[&'static str] = match namespace {
        None => &PLAIN,
        Some("vk") => &VULKAN,
        Some(_) => return name,
    };
    names.iter().copied().find(|known| known.eq_ignore_ascii_case(name)).unwrap_or(name)
}
