//! Tests of blocks and host structs: common mistakes, and correct code that must raise no alarm.
//!
//! Blocks are HLSL, under a rule set that other tests prove against DXC and Slang. Host structs
//! have the offsets of the Itanium C++ ABI for x86-64; Microsoft's agrees for these types.

mod agree;
mod differ;
mod elements;
mod program_text;

use layoutproof_layout::{LayoutOptions, Span, find, lay_out};

use super::{
    CompareOptions, Comparison, ProgramStruct, Repair, ShaderBlock, VectorTypes, block_parts, compare,
    compare_and_advise, member_places, part_of_host,
};
use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_source::sources::SourceMap;
use layoutproof_usage::component_reads;

/// Compares the only block of a shader with a host struct.
#[track_caller]
fn compared(rules: &str, shader: &str, host: &str) -> Comparison {
    let mut sources = SourceMap::default();
    let file = sources.add("frame.hlsl", shader);
    let end = u32::try_from(shader.len()).unwrap();
    let module = declare(&mut sources, Span { file, start: 0, end }, &DeclareOptions::default()).expect("a shader");
    let [block] = module.blocks.as_slice() else { panic!("one block is compared") };

    let layout = lay_out(block, find(rules).expect("the table has the rules"), LayoutOptions::default());
    let places = member_places(block, &sources);
    let host = program_text::program(host);
    let parts = block_parts(&layout, layout.result.as_ref().unwrap());
    let part = &parts[part_of_host(&parts, &host)];
    let shader = ShaderBlock { layout: &layout, part, places: &places };
    let (renames, reads) = (std::collections::BTreeMap::new(), component_reads(&module));
    let options = CompareOptions {
        renames: &renames,
        vector_types: VectorTypes::built_in(),
        host_start: None,
        contract: None,
        api: None,
        reads: &reads,
    };
    let comparison = compare_and_advise(shader, &host, options);
    agrees_after_repairs(shader, &host, options, &comparison);
    comparison
}

/// Advice that does not lead to a struct that agrees is none.
#[track_caller]
fn agrees_after_repairs(
    shader: ShaderBlock<'_>,
    host: &ProgramStruct,
    options: CompareOptions<'_>,
    found: &Comparison,
) {
    let repairs: Vec<&Repair> =
        found.mismatches.iter().flat_map(|mismatch| &mismatch.repairs).map(|step| &step.repair).collect();
    if repairs.is_empty() {
        return;
    }
    let repaired = repairs.iter().try_fold(host.clone(), |host, repair| host.repaired(repair));
    let repaired = repaired.unwrap_or_else(|| panic!("{repairs:?}"));
    let left = compare(shader, &repaired, options).mismatches;
    assert!(left.is_empty(), "{repairs:?}\n{left:#?}");
}
