//! Blocks built from slangc's reflection have the layout that our own reader and rule sets give them.
//!
//! The JSON files are slangc 2026.14.1's, for the sources next to them; `harness/bindings` says with
//! which options.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_layout::native::find_native;
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::{BlockKind, BlockLayout, LayoutOptions, MatrixOrder, Span, lay_out};
use layoutproof_readers::reflection::reflected_blocks;
use layoutproof_source::sources::SourceMap;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/bindings/src/reflect/tests/slangc");

/// Our own blocks by name.
fn own_blocks(text: &str, native: &str) -> BTreeMap<String, BlockLayout> {
    let mut sources = SourceMap::default();
    let end = u32::try_from(text.len()).expect("a short text");
    let span = Span { file: sources.add("test.slang", text), start: 0, end };
    let module = declare(&mut sources, span, &DeclareOptions::default()).expect("a program of slangc's");
    let native = find_native(native).expect("the file is named after a target");
    let options = LayoutOptions { matrix: MatrixOrder::Row, sixteen_bit: SixteenBit::On, ..LayoutOptions::default() };
    let blocks = module.blocks.iter().filter_map(|block| native.block(block));
    let layouts = blocks.filter_map(|block| Some(lay_out(&block, native.rules(&block)?, options)));
    layouts.map(|layout| (layout.name.clone(), layout)).collect()
}

/// The facts that a comparison with a host struct needs: paths, offsets and strides. For an argument buffer of Metal, only the
/// `stated` paths count: slangc's reflection has a combined sampler or a buffer with a counter as one member, without its two handles.
fn facts(block: &BlockLayout, stated: &BlockLayout) -> Vec<String> {
    let (rows, stated) = (block.rows(), stated.rows());
    let is_stated = |path: &str| block.kind != BlockKind::ParameterBlock || stated.iter().any(|row| row.path == path);
    // Resources have no bytes.
    let facts = rows.iter().filter(|row| row.size != Some(0) && is_stated(&row.path)).map(|row| {
        let strides = (row.array_stride, row.matrix_stride, row.matrix_order.filter(|_| row.matrix_stride.is_some()));
        // slangc numbers what has no name in the text.
        let is_named = |name: &&str| !name.is_empty() && !name.starts_with("SLANG_anonymous_");
        let path: Vec<&str> = row.path.split('.').filter(is_named).collect();
        format!("{} at {}: {strides:?}", path.join("."), row.offset)
    });
    facts.chain([format!("stride {:?}", block.stride)]).collect()
}

#[test]
fn blocks_of_reflection_are_laid_out_as_ours() {
    let (mut compared, mut wrong) = (0, BTreeSet::new());
    let mut files: Vec<_> = fs::read_dir(Path::new(FOLDER)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|suffix| suffix == "json")) {
        let name = file.file_stem().unwrap().to_string_lossy();
        let (source, target) = name.split_once('.').unwrap();
        let native = format!("native:slang-{}", target.strip_suffix("-no-profile").unwrap_or(target));
        let text = fs::read_to_string(Path::new(FOLDER).join(source).with_extension("slang")).unwrap();
        let own = own_blocks(&text, &native);
        for block in reflected_blocks(&fs::read_to_string(file).unwrap(), MatrixOrder::Row).unwrap() {
            let Some(ours) = own.get(&block.name) else { continue };
            match (&block.result, &ours.result) {
                (Ok(_), Ok(_)) if facts(&block, &block) == facts(ours, &block) => compared += 1,
                (Err(_), _) | (_, Err(_)) => {}
                (Ok(_), Ok(_)) => drop(wrong.insert(format!("{name}: {}", block.name))),
            }
        }
    }
    // Entry points have parameters of one name, and slangc's code honours what its reflection ignores. Our rules state no stride
    // of an unsized array of handles.
    let other = ["pushed", "outer", "placed", "std140"].map(|block| format!("reflection_only.vulkan: {block}"));
    let single = ["entry_bindings.vulkan: c", "unsized_arguments.metal: materials"].map(str::to_owned);
    assert_eq!(wrong, other.into_iter().chain(single).collect());
    assert!(compared > 100, "{compared}");
}
