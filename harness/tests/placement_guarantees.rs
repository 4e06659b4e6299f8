//! The "Guarantees" of the Slang user guide, "Parameter Layout Rules", on random programs.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_bindings::{BindingRequest, BoundModule, Convention, Target, bind};
use layoutproof_frontend::module::Module;
use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_layout::shape::Count;
use layoutproof_layout::{LayoutUnit, Span};
use layoutproof_random::{ParameterAnnotation, ProgramDialect, RandomParameter, RandomProgram, programs};
use layoutproof_render::render;
use layoutproof_source::diagnostics::{Code, Diagnostic, Severity};
use layoutproof_source::sources::SourceMap;
use proptest::prelude::*;

/// First and last slot of each row by path, for one unit in one space.
type Lines<'a> = BTreeMap<(LayoutUnit, u32), Vec<(&'a str, u64, u64)>>;

fn module(text: &str) -> Module {
    let mut sources = SourceMap::default();
    let file = sources.add("random.slang", text);
    let end = u32::try_from(text.len()).expect("a program is short");
    declare(&mut sources, Span { file, start: 0, end }, &DeclareOptions::default())
        .unwrap_or_else(|problems| panic!("{}\n{text}", render(&problems, &sources, false)))
}

/// Binds the program; `None` if a parameter would follow an unbounded array with an explicit
/// register. Slang 2026.14.1 gives it the index "unbounded", which is not a place.
fn placed(program: &RandomProgram, target: Target) -> Option<BoundModule> {
    let request =
        BindingRequest { profile: Some("sm_6_6".to_owned()), ..BindingRequest::new(target, Convention::Slang) };
    let text = program.text();
    match bind(&module(&text), &request) {
        Ok(bound) => Some(bound),
        Err(problems) if problems.iter().all(is_no_room_or_warning) => None,
        Err(problems) => panic!("{problems:?}\n{text}"),
    }
}

fn is_no_room_or_warning(problem: &Diagnostic) -> bool {
    match problem.severity {
        Severity::Error => problem.code == Code::TooLarge,
        Severity::Warning => true,
    }
}

/// Programs without explicit places, which would break the guarantees.
fn without_places(program: &RandomProgram) -> RandomProgram {
    let free = |parameter: &RandomParameter| RandomParameter {
        annotation: ParameterAnnotation::Implicit,
        ..parameter.clone()
    };
    RandomProgram { parameters: program.parameters.iter().map(free).collect(), ..program.clone() }
}

/// The rows by unit and space, sorted by slot. Spaces form a separate list.
fn lines(bound: &BoundModule) -> Lines<'_> {
    let mut lines = Lines::new();
    for row in &bound.bindings {
        let (first, count) = (u64::from(row.index), row.count);
        let last = match count {
            Count::Finite(count) => first + u64::from(count) - 1,
            Count::Unbounded => u64::from(u32::MAX),
        };
        lines.entry((row.unit, row.space)).or_default().push((&row.path, first, last));
    }
    for rows in lines.values_mut() {
        rows.sort_by_key(|row| row.1);
    }
    lines
}

fn top(path: &str) -> &str {
    path.split(['.', '[']).next().expect("a split has a first part")
}

/// The amount that each parameter takes of each unit.
fn amounts(bound: &BoundModule) -> BTreeMap<(&str, LayoutUnit), Vec<Count>> {
    let mut amounts: BTreeMap<_, Vec<Count>> = BTreeMap::new();
    for row in bound.bindings.iter().filter(|row| !row.path.starts_with('$')) {
        amounts.entry((top(&row.path), row.unit)).or_default().push(row.count);
    }
    amounts
}

const TARGETS: [Target; 3] = [Target::D3d12, Target::Vulkan, Target::Webgpu];

proptest! {
    /// "A single top-level shader parameter will always occupy a contiguous range of bindings/registers for each
    /// resource type it consumes."
    #[test]
    fn a_parameter_is_contiguous(program in programs(ProgramDialect::Slang)) {
        for target in TARGETS {
            let Some(bound) = placed(&program, target) else { continue };
            for ((unit, space), rows) in lines(&bound) {
                let names: BTreeSet<&str> = rows.iter().map(|row| top(row.0)).collect();
                for name in names {
                    let own: Vec<_> = rows.iter().filter(|row| top(row.0) == name).collect();
                    for pair in own.windows(2) {
                        prop_assert_eq!(pair[0].2 + 1, pair[1].1, "{} {} of space {} in\n{}", name, unit, space, program.text());
                    }
                }
            }
        }
    }

    /// "The amount of resources a parameter consumes depends only on its type, and top-level context in which it
    /// appears"; "A shader parameter that is declared the same way in two different programs will get the same amount
    /// of resources".
    #[test]
    fn the_same_declaration_takes_the_same_amount(program in programs(ProgramDialect::Slang)) {
        for target in TARGETS {
            let Some(whole) = placed(&program, target) else { continue };
            let together = amounts(&whole);
            for (place, parameter) in program.parameters.iter().enumerate() {
                let alone = RandomProgram { parameters: vec![parameter.clone()], uses: Vec::new(), ..program.clone() };
                let Some(bound) = placed(&alone, target) else { continue };
                let alone: BTreeMap<_, _> = amounts(&bound).into_iter().filter(|((name, _), _)| *name == "p0").collect();
                for ((_, unit), counts) in alone {
                    let name = format!("p{place}");
                    prop_assert_eq!(together.get(&(name.as_str(), unit)), Some(&counts), "{} {}", name, unit);
                }
            }
        }
    }

    /// "Changing the bodies of functions in shader code cannot change the layout of shader parameters."
    #[test]
    fn bodies_change_nothing(program in programs(ProgramDialect::Slang)) {
        let silent = RandomProgram { uses: Vec::new(), ..program.clone() };
        for target in TARGETS {
            let rows = |bound: BoundModule| -> Vec<_> {
                bound.bindings.into_iter().map(|row| (row.path, row.unit, row.space, row.index, row.count)).collect()
            };
            prop_assert_eq!(placed(&program, target).map(rows), placed(&silent, target).map(rows));
        }
    }

    /// "If the user doesn't use explicit `register`/`layout` modifiers to bind parameters, then [...] the overall
    /// program will always use a contiguous range starting from zero for each resource type."
    #[test]
    fn without_explicit_places_nothing_is_left_free(program in programs(ProgramDialect::Slang)) {
        let program = without_places(&program);
        for target in TARGETS {
            let bound = placed(&program, target).expect("without explicit places there is room");
            for ((unit, space), rows) in lines(&bound).into_iter().filter(|((unit, _), _)| *unit != LayoutUnit::Space) {
                let mut next = 0;
                for (path, first, last) in rows {
                    prop_assert_eq!(first, next, "{} {} of space {} in\n{}", path, unit, space, program.text());
                    next = last + 1;
                }
            }
            let spaces: BTreeSet<u32> = bound.bindings.iter().map(|row| if row.unit == LayoutUnit::Space { row.index } else { row.space }).collect();
            // Space 0 stays empty if every parameter has a separate space.
            let used: Vec<u32> = spaces.into_iter().filter(|space| *space > 0).collect();
            let count = u32::try_from(used.len()).unwrap();
            prop_assert_eq!(used.clone(), (used.first().copied().unwrap_or(1)..).take(count as usize).collect::<Vec<_>>());
        }
    }

    /// No two parameters share a slot, except for reported overlaps.
    #[test]
    fn a_shared_slot_is_reported(program in programs(ProgramDialect::Slang)) {
        for target in TARGETS {
            let Some(bound) = placed(&program, target) else { continue };
            let reported = bound.warnings.iter().any(|warning| warning.code == Code::BindingOverlap);
            for ((unit, space), rows) in lines(&bound).into_iter().filter(|_| !reported) {
                for pair in rows.windows(2) {
                    prop_assert!(pair[0].2 < pair[1].1, "{:?} {} of space {} in\n{}", pair, unit, space, program.text());
                }
            }
        }
    }
}
