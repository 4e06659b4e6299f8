//! Tests of the core's public interface.
//! All files are one program, so the core and its dependencies link once and long tests of
//! different files run in parallel. `spirv_val` is a separate program,
//! because its tests report what this machine lacks.

mod binding_plans;
mod bindings;
mod clang_ir;
mod compiled;
mod declarations;
mod dxil;
mod entry_points;
mod fixture;
mod memory_views;
mod mutants;
mod nonsense;
mod nonsense_ir;
mod nonsense_listings;
mod placement_guarantees;
mod probe;
mod reflected_blocks;
mod regions;
mod register_programs;
mod spaces;
mod witnesses;

use std::fs;
use std::path::Path;

/// `autotests` is off in `Cargo.toml`, and rustc compiles only files that a `mod` names.
#[test]
fn every_file_is_a_module_or_a_program() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read_to_string(package.join("Cargo.toml")).expect("cargo has just read it");
    let files = fs::read_dir(package.join("tests")).expect("this file is there").filter_map(Result::ok);
    let rust = files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let names = rust.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()));
    let forgotten: Vec<String> = names
        .filter(|name| !include_str!("all.rs").lines().any(|line| line == format!("mod {name};")))
        .filter(|name| !manifest.contains(&format!("name = \"{name}\"\n")))
        .collect();
    assert!(forgotten.is_empty(), "neither a module of tests/all.rs nor a target of Cargo.toml: {forgotten:?}");
}
