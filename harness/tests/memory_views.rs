//! The cases about memory that shaders reach without a declared block, and what the page about proof says of it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use layoutproof_built_in::CASES;
use layoutproof_core::case::Case;
use layoutproof_core::check::{Settings, Source, Subject, SubjectShaders};
use layoutproof_events::producer::Generator;
use layoutproof_layout::native::find_native;
use layoutproof_layout::{Block, ElementChoice, Numbers, Reach, find, lay_out, table};
use layoutproof_probes::{AddressSpace, ProbeEntry};
use layoutproof_source::sources::SourceMap;

/// The cases about views: each with the blocks that are views.
fn cases() -> Vec<(Arc<Source>, Vec<Block>)> {
    let mut sources = SourceMap::default();
    let mut found = Vec::new();
    for file in CASES {
        let text = sources.add(format!("cases/{}.toml", file.name), file.text);
        let case = Case::read(file.name, text, &mut sources).unwrap();
        let Some(source) = Source::of_case(&case, &mut sources).unwrap() else { continue };
        let views: Vec<Block> = source.module.blocks.iter().filter(|block| block.reach.is_in_code()).cloned().collect();
        if !views.is_empty() && !source.expect.is_empty() {
            found.push((Arc::new(source), views));
        }
    }
    found
}

/// The page has a row for each kind: its word, the number of its cases, and `no` if nothing here executes it.
#[test]
fn the_page_about_proof_counts_the_cases_of_each_kind() {
    let mut counted: BTreeMap<&str, (usize, bool)> = BTreeMap::new();
    for (_, views) in cases() {
        let kinds: BTreeSet<&str> = views.iter().filter_map(|view| view.reach.word()).collect();
        for kind in kinds {
            let (count, is_executed) = counted.entry(kind).or_default();
            *count += 1;
            let is_left_out = |view: &Block| matches!(view.reach, Reach::Stage(_));
            *is_executed |= views.iter().any(|view| view.reach.word() == Some(kind) && !is_left_out(view));
        }
    }
    for (kind, (count, is_executed)) in &counted {
        assert!(*count >= 1, "{kind}");
        let executed = if *is_executed { "| " } else { "| no: " };
        let row = format!("| `{kind}` | {count} {executed}");
        assert!(include_str!("../book/proof.md").contains(&row), "the page lacks `{row}`");
    }
}

/// Our own shaders read bytes and find buffers in heaps, but have no payloads: without this, a block with the layout of one would
/// be counted as its proof.
#[test]
fn our_own_shaders_execute_raw_loads_and_heaps_alone() {
    let settings = Settings::usual(ElementChoice::Sample);
    for (source, views) in cases() {
        for expectation in &source.expect {
            let subject = Subject::new(Arc::clone(&source), find(&expectation.rules).unwrap());
            let shaders = SubjectShaders::new(&subject, Generator::Rspirv, &settings);
            // Pointers have probes of their own.
            for view in views.iter().filter(|view| view.pointer().is_none()) {
                let own = || shaders.modules.iter().filter(|module| module.layout.view == view.view);
                let is_in_heap = view.reach == Reach::DescriptorHeap;
                let is_executed = is_in_heap || matches!(view.reach, Reach::RawAccess { .. });
                assert_eq!(own().next().is_some(), is_executed, "{} {}", source.id, view.name);
                let heaps = [AddressSpace::HeapUniform, AddressSpace::HeapStorage];
                let is_of_heap = |entry: &ProbeEntry| heaps.contains(&entry.space);
                assert!(own().all(|module| !is_in_heap || module.plan.entries.iter().all(is_of_heap)), "{}", source.id);
                assert!(is_executed || shaders.gaps.iter().any(|gap| gap.view == Some(view.view)), "{}", source.id);
            }
        }
    }
}

/// DXC's rule set for a kind of view, exchanged for another one: a case notices it. None can notice the two sets that DXC's
/// options for SPIR-V take from Direct3D, and buffers of heaps share their cell of the table with declared ones.
#[test]
fn a_wrong_rule_set_of_a_view_is_noticed() {
    let native = find_native("native:dxc-dxil").unwrap();
    let cases = cases();
    let mut unnoticed: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let kinds: BTreeSet<(&str, &str)> = cases
        .iter()
        .flat_map(|(_, views)| views)
        .filter(|view| matches!(view.reach, Reach::RawAccess { .. } | Reach::Stage(_)))
        .filter_map(|view| Some((view.reach.word()?, native.rules(view)?.name)))
        .collect();
    for (kind, right) in kinds {
        let is_wrong = |name: &str| name != right && !["dx-structured", "scalar@dxc-1.9"].contains(&name);
        for wrong in table().iter().filter(|rules| is_wrong(rules.name)) {
            let is_noticed = cases.iter().any(|(source, views)| {
                let expectation = source.expect.iter().find(|expectation| expectation.rules == right);
                let is_about = |view: &&Block| {
                    view.reach.word() == Some(kind) && native.rules(view).is_some_and(|rules| rules.name == right)
                };
                let Some(expectation) = expectation.filter(|_| views.iter().any(|view| is_about(&view))) else {
                    return false;
                };
                let layouts: Vec<_> = views.iter().map(|view| lay_out(view, wrong, source.options)).collect();
                let (expected, given) = (Numbers::from(expectation), Numbers::of_layouts(&layouts));
                expected.iter().any(|(what, path, value)| given.get(what, path) != Some(value))
            });
            if !is_noticed {
                unnoticed.entry(kind).or_default().push(wrong.name);
            }
        }
    }
    let found: Vec<String> = unnoticed.iter().map(|(kind, names)| format!("{kind}: {}", names.join(" "))).collect();
    assert_eq!(found, [""; 0]);
}
