use layoutproof_device::{DeviceInfo, Feature, RunnerKind};
use layoutproof_layout::Quantity;

use super::{KnownFailure, apply, mark_seen, read, seen_in_shard};
use crate::check::verdict::Validation;
use layoutproof_events::CheckId;
use layoutproof_events::{
    Access, BoundCount, CheckRecord, Culprit, Outcome, OutcomeKind, Proves, Reason, RecordValue, Row, Story, Witnesses,
};
use layoutproof_probes::{AddressSpace, Direction, Form, Stage};
use layoutproof_source::sources::SourceMap;

fn agreeing_check() -> CheckRecord {
    let id = "arrays::a::std140::naga::llvmpipe-gl::wgpu".parse().unwrap();
    let check = CheckRecord::new(id, Proves::Decorations, Validation::Valid, Outcome::Agrees);
    CheckRecord { ms: 1, leaves: 1, ..check }
}

fn differs(culprit: Culprit) -> Outcome {
    Outcome::Differs { culprit, broke: None, story: None }
}

fn breaks(reason: &str) -> Outcome {
    Outcome::Broken { reasons: reason.into(), culprit: None, story: None }
}

fn of_case(case: &str) -> CheckRecord {
    let check = agreeing_check();
    CheckRecord { id: CheckId { case: case.to_owned(), ..check.id }, ..check }
}

fn by_producer(producer: &str) -> CheckRecord {
    let check = agreeing_check();
    CheckRecord { id: CheckId { producer: producer.into(), ..check.id }, ..check }
}

#[test]
fn an_entry_with_words_is_about_checks_that_broke_with_them() {
    let text = "[[known]]\nsays = \"* signal 11\"\nreason = \"it crashes\"\n";
    let mut sources = SourceMap::default();
    let file = sources.add("known.toml", text);
    let known = read(file, &sources).unwrap();
    let broken = |reason: &str| CheckRecord { outcome: breaks(reason), ..agreeing_check() };
    let differing = CheckRecord { outcome: differs(Culprit::Device), ..agreeing_check() };
    let mut checks = [broken("slangc ended with signal 11"), broken("slangc gave no answer"), differing];
    apply(&known, &mut checks, &[]);
    let outcomes = checks.map(|check| check.outcome.kind());
    assert_eq!(outcomes, [OutcomeKind::Known, OutcomeKind::Broken, OutcomeKind::Differ]);
}

#[test]
fn an_entry_with_a_space_is_about_checks_that_differ_there_alone() {
    let text = "[[known]]\nproducer = \"naga\"\nspace = \"push-constant\"\nreason = \"it packs\"\n";
    let mut sources = SourceMap::default();
    let file = sources.add("known.toml", text);
    let known = read(file, &sources).unwrap();
    let row = |space, observed| {
        let [computed, observed] = [4, observed].map(|offset| Some(RecordValue::Number(offset)));
        let access = Access { space, stage: Stage::Compute, direction: Direction::Read, form: Some(Form::Leaf) };
        let witnesses = Witnesses { computed, observed, ..Witnesses::default() };
        Row { access: Some(access), ..Row::new("S.a", Quantity::Offset, witnesses) }
    };
    let check = |rows: Vec<Row>| CheckRecord { outcome: differs(Culprit::Device), rows, ..agreeing_check() };
    let (push, storage) = (AddressSpace::PushConstant, AddressSpace::Storage);
    let mut checks = [
        check(vec![row(push, 16), row(storage, 4)]),
        check(vec![row(push, 16), row(storage, 16)]),
        check(vec![row(storage, 16)]),
    ];
    apply(&known, &mut checks, &[]);
    assert_eq!(
        checks.map(|check| check.outcome.kind()),
        [OutcomeKind::Known, OutcomeKind::Differ, OutcomeKind::Differ]
    );

    let file = sources.add("bad.toml", text.replace("push-constant", "heap"));
    let problems = read(file, &sources).unwrap_err();
    assert!(problems[0].message.starts_with("`heap` is not an address space"), "{problems:?}");
}

/// The rule sets that a record names explain all numbers of a space.
#[test]
fn an_entry_states_the_wrong_numbers_by_their_rule_sets() {
    let text = "[[known]]\nproducer = \"naga\"\nnumbers_of = [\"std140\", \"std430\"]\nreason = \"it drops offsets\"\n";
    let mut sources = SourceMap::default();
    let file = sources.add("known.toml", text);
    let known = read(file, &sources).unwrap();
    let (uniform, storage) = (AddressSpace::Uniform, AddressSpace::Storage);
    let check = |moved_by: &[(AddressSpace, &str)]| {
        let row = |space| {
            let [computed, compiled] = [4, 8].map(|offset| Some(RecordValue::Number(offset)));
            let access = Access { space, stage: Stage::Compute, direction: Direction::Read, form: Some(Form::Leaf) };
            let witnesses = Witnesses { computed, observed: compiled.clone(), compiled, ..Witnesses::default() };
            Row { access: Some(access), ..Row::new("S.a", Quantity::Offset, witnesses) }
        };
        let moved_by = moved_by.iter().map(|(space, rules)| (*space, [(*rules).to_owned()].into())).collect();
        let story = Some(Box::new(Story { moved_by, ..Story::default() }));
        let outcome = Outcome::Differs { culprit: Culprit::Compiler, broke: None, story };
        CheckRecord { outcome, rows: vec![row(uniform), row(storage)], ..agreeing_check() }
    };
    let mut checks = [
        check(&[(uniform, "std140"), (storage, "std430")]),
        check(&[(uniform, "std140"), (storage, "scalar")]),
        check(&[(uniform, "std140")]),
        CheckRecord { outcome: differs(Culprit::Compiler), ..check(&[]) },
        CheckRecord { rows: Vec::new(), ..check(&[(uniform, "std140")]) },
    ];
    apply(&known, &mut checks, &[]);
    let (known, differ) = (OutcomeKind::Known, OutcomeKind::Differ);
    assert_eq!(checks.map(|check| check.outcome.kind()), [known, differ, differ, differ, differ]);

    let file = sources.add("bad.toml", text.replace("std430", "std999"));
    let problems = read(file, &sources).unwrap_err();
    assert_eq!(problems[0].message, "`std999` is not a rule set");
}

/// An entry for untested drivers covers bytes, bindings and breaks, and is never stale.
#[test]
fn drivers_that_nobody_has_tried_count_for_nothing() {
    let text = "[[known]]\nrunner = \"wgpu\"\ndriver = \"> 22.3\"\nuntried = true\nreason = \"look\"\n";
    let mut sources = SourceMap::default();
    let file = sources.add("known.toml", text);
    let known = read(file, &sources).unwrap();
    for (driver, outcome, expected) in [
        ("Mesa 23.1", differs(Culprit::Device), OutcomeKind::Known),
        ("Mesa 23.1", breaks("vkCreateDevice: no"), OutcomeKind::Known),
        ("Mesa 23.1", Outcome::Agrees, OutcomeKind::Agree),
        ("Mesa 23.1", Outcome::Skipped { reasons: "no bytes".into(), kind: None }, OutcomeKind::Skipped),
        ("Mesa 22.3", differs(Culprit::Device), OutcomeKind::Differ),
        ("Mesa 22.3", breaks("vkCreateDevice: no"), OutcomeKind::Broken),
    ] {
        let device = DeviceInfo {
            id: "llvmpipe-gl".to_owned(),
            runner: RunnerKind::Wgpu,
            driver: driver.to_owned(),
            ..layoutproof_device::Runner::device(&layoutproof_model::Model::new()).clone()
        };
        let told = format!("{driver} {outcome:?}");
        let bound = Some(BoundCount { read: 1, ..BoundCount::default() });
        let placement = CheckRecord { outcome, bound, ..agreeing_check() };
        let mut checks = [CheckRecord { bound: None, ..placement.clone() }, placement];
        apply(&known, &mut checks, &[device]);
        assert_eq!(checks.map(|check| check.outcome.kind()), [expected; 2], "{told}");
    }

    let text = "[[known]]\ndevice = \"vkd3d\"\nuntried = true\nreason = \"look\"\n";
    let file = sources.add("all.toml", text);
    let problem = &read(file, &sources).unwrap_err()[0];
    assert_eq!(problem.message, "`untried` needs `driver` or `version`: the untested versions");
}

/// An untested version of a moving package is reported and not counted; the tested one, another build
/// of the compiler and a run with unknown versions are judged.
#[test]
fn compilers_that_nobody_has_tried_count_for_nothing() {
    let text = "[[known]]\nproducer = \"glslang-current\"\nversion = \"> 16.6.0\"\nuntried = true\nreason = \"look\"\n\
                [[known]]\ncase = \"arrays/a\"\nproducer = \"glslang*\"\nculprit = \"compiler\"\nreason = \"seen\"\n";
    let mut sources = SourceMap::default();
    let file = sources.add("known.toml", text);
    let list = read(file, &sources).unwrap();
    let of_run = |printed: &'static str| -> Vec<KnownFailure> {
        let entries = list.iter().cloned();
        entries
            .map(|entry| entry.of_compilers(|made| (made.compiler == "glslang-current").then_some(printed)))
            .collect()
    };
    let (tried, later) = ("Glslang Version: 11:16.6.0", "Glslang Version: 11:17.0.0");
    let outcome = |known: &[KnownFailure], producer: &str, outcome: Outcome| {
        let mut checks = [CheckRecord { outcome, ..by_producer(producer) }];
        apply(known, &mut checks, &[]);
        checks[0].outcome.kind()
    };

    for (known, producer, crashes, agrees) in [
        (of_run(later), "glslang-current", OutcomeKind::Known, OutcomeKind::Agree),
        (of_run(tried), "glslang-current", OutcomeKind::Broken, OutcomeKind::Stale),
        (of_run(later), "glslang", OutcomeKind::Broken, OutcomeKind::Stale),
        (list.clone(), "glslang-current", OutcomeKind::Broken, OutcomeKind::Stale),
    ] {
        assert_eq!(outcome(&known, producer, breaks("died of SIGSEGV")), crashes, "{producer}");
        assert_eq!(outcome(&known, producer, Outcome::Agrees), agrees, "{producer}");
    }
    assert_eq!(outcome(&of_run(later), "glslang-current", differs(Culprit::Module)), OutcomeKind::Known);

    let text = "[[known]]\nversion = \"> 1\"\nuntried = true\nreason = \"look\"\n";
    let file = sources.add("all.toml", text);
    let problems = read(file, &sources).unwrap_err();
    assert!(problems.iter().any(|problem| problem.message.starts_with("`version` needs `producer`")), "{problems:?}");
}

/// An entry about a misplaced member does not excuse a crash on another form of access.
#[test]
fn a_difference_that_broke_as_well_needs_an_entry_for_either() {
    let difference = "[[known]]\nproducer = \"naga\"\nculprit = \"report\"\nreason = \"its listing is wrong\"\n";
    let crash = "[[known]]\nsays = \"*SIGSEGV*\"\nreason = \"it crashes\"\n";
    let both = format!("{crash}{difference}");
    for (text, expected) in
        [(difference, OutcomeKind::Differ), (crash, OutcomeKind::Differ), (both.as_str(), OutcomeKind::Known)]
    {
        let mut sources = SourceMap::default();
        let file = sources.add("known.toml", text);
        let known = read(file, &sources).unwrap();
        let mut checks = [CheckRecord {
            outcome: Outcome::Differs {
                culprit: Culprit::Report,
                broke: Some("dxc died of SIGSEGV (not with fewer forms of access)".into()),
                story: None,
            },
            ..agreeing_check()
        }];
        apply(&known, &mut checks, &[]);
        assert_eq!(checks[0].outcome.kind(), expected, "{text}");
    }
}

/// A known difference does not explain why a compiler crashes.
#[test]
fn an_entry_without_words_excuses_no_check_that_broke() {
    for text in ["", "culprit = \"compiler\"\n"] {
        let text = format!("[[known]]\ncase = \"arrays/*\"\n{text}reason = \"it moves them\"\n");
        let mut sources = SourceMap::default();
        let file = sources.add("known.toml", text);
        let known = read(file, &sources).unwrap();
        let mut checks = [CheckRecord {
            outcome: Outcome::Broken {
                reasons: "dxc died of SIGSEGV".into(),
                culprit: Some(Culprit::Compiler),
                story: None,
            },
            ..agreeing_check()
        }];
        apply(&known, &mut checks, &[]);
        assert_eq!(checks[0].outcome.kind(), OutcomeKind::Broken);
    }
}

#[test]
fn an_entry_says_which_checks_it_is_about_and_why() {
    let problem = |entry: &str| {
        let mut sources = SourceMap::default();
        let file = sources.add("known.toml", format!("# Ours.\n[[known]]\n{entry}\n"));
        let found = read(file, &sources).err().unwrap_or_default();
        let told = found.iter().map(|it| format!("{}: {}", sources.position(it.span()).line, it.message));
        told.collect::<Vec<_>>().join("; ")
    };
    let reason = "reason = \"so it is\"";
    let everything = "2: the entry is about every check: ";
    for entry in
        ["", "case = \"*\"", "culprit = \"compiler\"", "device = \"*\"\nproducer = [\"*\"]", "case = [\"a\", \"*\"]"]
    {
        let told = problem(&format!("{entry}\n{reason}"));
        assert!(told.starts_with(everything), "{entry}: {told}");
    }
    for entry in [
        "case = \"a*\"",
        "rules = \"std140\"",
        "driver = \">= 22\"",
        "says = \"*signal 11*\"",
        "case = [\"a\", \"*\"]\nrunner = \"ash\"",
    ] {
        assert_eq!(problem(&format!("{entry}\n{reason}")), "", "{entry}");
    }
    assert!(
        problem("case = \"a\"\nreason = \" \"").starts_with("4: `reason` says why"),
        "{}",
        problem("reason = \"\"")
    );
    assert!(problem(&format!("says = \"*\"\ncase = \"a\"\n{reason}")).contains("`says` needs a word"));
}

/// An entry about a misplaced member does not excuse a module that its option does not allow.
#[test]
fn a_module_beyond_its_promise_needs_an_entry_of_its_own() {
    let beyond =
        Validation::ValidOnlyWith { feature: Feature::ScalarBlockLayout, message: "error: line 4: no".to_owned() };
    let plain = "[[known]]\nproducer = \"naga\"\nculprit = \"compiler\"\nreason = \"it moves them\"\n";
    let own = plain.replace("reason", "validation = \"valid only with scalarBlockLayout: *\"\nreason");
    let other = own.replace("scalarBlock", "uniformBufferStandard");
    for (text, validation, outcome) in [
        (plain, &Validation::Valid, OutcomeKind::Known),
        (plain, &beyond, OutcomeKind::Differ),
        (own.as_str(), &beyond, OutcomeKind::Known),
        (own.as_str(), &Validation::Valid, OutcomeKind::Differ),
        (other.as_str(), &beyond, OutcomeKind::Differ),
    ] {
        let mut sources = SourceMap::default();
        let file = sources.add("known.toml", text);
        let known = read(file, &sources).unwrap();
        let mut checks =
            [CheckRecord { outcome: differs(Culprit::Compiler), validation: validation.clone(), ..agreeing_check() }];
        apply(&known, &mut checks, &[]);
        assert_eq!(checks[0].outcome.kind(), outcome, "{validation}: {text}");
    }
}

/// An invalid module is excused by any entry about it, but by one with `validation` only for its message.
#[test]
fn an_entry_may_name_the_message_about_an_invalid_module() {
    let invalid = Validation::Invalid("an OpLoad through an address promises 16".to_owned());
    let plain = "[[known]]\nproducer = \"naga\"\nculprit = \"module\"\nreason = \"it promises too much\"\n";
    let own = plain.replace("reason", "validation = \"*promises*\"\nreason");
    let other = plain.replace("reason", "validation = \"*overlap*\"\nreason");
    let found = |text: &str| {
        let mut sources = SourceMap::default();
        let file = sources.add("known.toml", text);
        let known = read(file, &sources).unwrap();
        let outcome = differs(Culprit::Module);
        let mut checks = [CheckRecord { outcome, validation: invalid.clone(), ..agreeing_check() }];
        apply(&known, &mut checks, &[]);
        checks[0].outcome.kind()
    };
    assert_eq!(found(plain), OutcomeKind::Known);
    assert_eq!(found(&own), OutcomeKind::Known);
    assert_eq!(found(&other), OutcomeKind::Differ);
}

/// Each of several cases must still differ; the line number identifies the one that does not.
#[test]
fn each_case_of_an_entry_can_be_stale() {
    let cases = "case = [\n  \"arrays/a\",\n  \"arrays/b\",\n]";
    let text = format!("[[known]]\n{cases}\nproducer = [\"rspirv\", \"naga\"]\nreason = \"it moves them\"\n");
    let mut sources = SourceMap::default();
    let file = sources.add("known.toml", text);
    let known = read(file, &sources).unwrap();
    let differing = CheckRecord { outcome: differs(Culprit::Device), ..of_case("arrays/b") };
    let of_another = by_producer("dxc-spirv");
    let mut checks = [agreeing_check(), differing, of_another];
    // Without a check of rspirv, it may be that one which still differs.
    apply(&known, &mut checks, &[]);
    assert_eq!(checks[0].outcome.kind(), OutcomeKind::Agree);
    let [agreeing, differing, of_another] = checks;
    let mut checks = [agreeing, differing, of_another, by_producer("rspirv")];
    apply(&known, &mut checks, &[]);
    let lines = checks.clone().map(|check| check.outcome.entry().map(|entry| entry.line));
    let kinds = [OutcomeKind::Stale, OutcomeKind::Known, OutcomeKind::Agree, OutcomeKind::Stale];
    assert_eq!(checks.map(|check| check.outcome.kind()), kinds);
    assert_eq!(lines, [Some(3), Some(4), None, Some(3)]);
}

/// An entry about one version of a driver does not cover the next one.
#[test]
fn an_entry_is_about_its_drivers_and_its_culprit_alone() {
    let entry = "[[known]]\nrunner = \"wgpu\"\ndriver = \">= 22, < 25\"\nculprit = \"device\"\nreason = \"it moves\"\n";
    let mut sources = SourceMap::default();
    let file = sources.add("known.toml", entry);
    let known = read(file, &sources).unwrap();
    for (driver, culprit, outcome) in [
        ("Mesa 22.3.6", Culprit::Device, OutcomeKind::Known),
        ("Mesa 25.0.7", Culprit::Device, OutcomeKind::Differ),
        ("Mesa 22.3.6", Culprit::Compiler, OutcomeKind::Differ),
    ] {
        let device = DeviceInfo {
            id: "llvmpipe-gl".to_owned(),
            runner: RunnerKind::Wgpu,
            driver: driver.to_owned(),
            ..layoutproof_device::Runner::device(&layoutproof_model::Model::new()).clone()
        };
        let mut checks = [CheckRecord { outcome: differs(culprit), ..agreeing_check() }];
        apply(&known, &mut checks, &[device]);
        assert_eq!(checks[0].outcome.kind(), outcome, "{driver} {culprit:?}");
    }
}

#[test]
fn an_entry_can_be_about_all_other_rule_sets() {
    for (rules, outcome) in
        [("std140", OutcomeKind::Known), ("!std140", OutcomeKind::Differ), ("!wgsl-*", OutcomeKind::Known)]
    {
        let mut sources = SourceMap::default();
        let text = format!("[[known]]\nrules = \"{rules}\"\nreason = \"it moves them\"\n");
        let file = sources.add("known.toml", text);
        let known = read(file, &sources).unwrap();
        let mut checks = [CheckRecord { outcome: differs(Culprit::Device), ..agreeing_check() }];
        assert_eq!(checks[0].id.rules.as_str(), "std140");
        apply(&known, &mut checks, &[]);
        assert_eq!(checks[0].outcome.kind(), outcome, "{rules}");
    }
}

#[test]
fn an_entry_is_stale_only_in_a_run_of_all_that_it_is_about() {
    let text = "[[known]]\ndevice = \"*-gl\"\nreason = \"naga drops @size\"\n";
    let mut sources = SourceMap::default();
    let file = sources.add("known.toml", text);
    let whole = read(file, &sources).unwrap();
    let narrowed: Vec<KnownFailure> = whole.iter().cloned().map(KnownFailure::of_narrowed_run).collect();
    for (known, expected) in [(whole, OutcomeKind::Stale), (narrowed, OutcomeKind::Agree)] {
        let mut checks = [agreeing_check()];
        apply(&known, &mut checks, &[]);
        assert_eq!(checks[0].outcome.kind(), expected);
    }
}

/// If one build of a compiler still differs, an entry is nevertheless stale for another build.
#[test]
fn an_entry_is_stale_for_each_build_of_a_compiler() {
    let text = "[[known]]\ncase = \"arrays/a\"\nproducer = \"dxc*-spirv\"\nreason = \"it moves them\"\n";
    let mut sources = SourceMap::default();
    let file = sources.add("known.toml", text);
    let known = read(file, &sources).unwrap();
    let of = |producer: &str, outcome| CheckRecord { outcome, ..by_producer(producer) };
    let mut checks = [of("dxc-spirv", differs(Culprit::Device)), of("dxc-1.9-spirv", Outcome::Agrees)];
    apply(&known, &mut checks, &[]);
    assert_eq!(checks.map(|check| check.outcome.kind()), [OutcomeKind::Known, OutcomeKind::Stale]);
}

/// One shard's findings do not make an entry stale; the findings of all shards together are those
/// of the whole run.
#[test]
fn shards_together_know_what_is_stale() {
    let text = "[[known]]\ndevice = \"*-gl\"\nreason = \"naga drops @size\"\n";
    let mut sources = SourceMap::default();
    let file = sources.add("known.toml", text);
    let whole = read(file, &sources).unwrap();
    let shard: Vec<KnownFailure> = whole.iter().cloned().map(KnownFailure::of_shard).collect();
    let other = of_case("arrays/b");
    for (outcome, expected) in [(Outcome::Agrees, OutcomeKind::Stale), (differs(Culprit::Device), OutcomeKind::Agree)] {
        let mut shards = [[agreeing_check()], [CheckRecord { outcome: outcome.clone(), ..other.clone() }]];
        let mut seen = Vec::new();
        for checks in &mut shards {
            apply(&shard, checks, &[]);
            seen.extend(seen_in_shard(&shard, checks, &[]));
        }
        let mut merged = shards.concat();
        assert_eq!(merged[0].outcome.kind(), OutcomeKind::Agree);
        mark_seen(&seen, &mut merged);
        assert_eq!(merged[0].outcome.kind(), expected);
        let mut undivided = [agreeing_check(), CheckRecord { outcome, ..other.clone() }];
        apply(&whole, &mut undivided, &[]);
        assert_eq!(merged, undivided);
    }
}

/// The part that the device could not do may be the part that differs.
#[test]
fn a_check_that_was_done_in_part_makes_no_entry_stale() {
    let text = "[[known]]\ncase = \"arrays/a\"\nreason = \"an index from memory\"\n";
    let mut sources = SourceMap::default();
    let file = sources.add("known.toml", text);
    let known = read(file, &sources).unwrap();
    for (not_checked, expected) in [
        (Reason::from("leaves not probed (18 in other elements of arrays)"), OutcomeKind::Stale),
        (Reason::DeviceLacks("shaderFloat64".to_owned()), OutcomeKind::Agree),
    ] {
        let mut checks = [CheckRecord { not_checked: vec![not_checked.clone()], ..agreeing_check() }];
        apply(&known, &mut checks, &[]);
        assert_eq!(checks[0].outcome.kind(), expected, "{not_checked}");
    }
}

/// An implementation of WebGPU gets our text, whose module for Vulkan is not valid: that it is right proves nothing.
#[test]
fn a_module_that_nothing_judged_makes_no_entry_stale() {
    let text = "[[known]]\ncase = \"arrays/a\"\nculprit = \"module\"\nreason = \"its chains are not valid\"\n";
    let mut sources = SourceMap::default();
    let file = sources.add("known.toml", text);
    let known = read(file, &sources).unwrap();
    for (validation, expected) in [
        (Validation::NotRun("the implementation of WebGPU translates the text".to_owned()), OutcomeKind::Agree),
        (Validation::Valid, OutcomeKind::Stale),
    ] {
        let mut checks = [CheckRecord { validation, ..agreeing_check() }];
        apply(&known, &mut checks, &[]);
        assert_eq!(checks[0].outcome.kind(), expected);
    }
}

/// An entry excuses the numbers that it states. Any other wrong number, in the same check or in another case
/// of its pattern, stays visible.
#[test]
fn an_entry_with_numbers_excuses_no_other_number() {
    let text = "[[known]]\ncase = \"arrays/*\"\nreason = \"it packs\"\n\
                [known.instead.\"arrays/a\"]\n\"S.a\" = [16, 20]\n\"S.b array-stride\" = 4\n";
    let mut sources = SourceMap::default();
    let file = sources.add("known.toml", text);
    let known = read(file, &sources).unwrap();
    let row = |path: &str, what, observed| {
        let [expected, observed] = [0, observed].map(|number| Some(RecordValue::Number(number)));
        Row::new(path, what, Witnesses { expected, observed, ..Witnesses::default() })
    };
    for (case, rows, outcome) in [
        ("arrays/a", vec![row("S.a", Quantity::Offset, 16)], OutcomeKind::Known),
        ("arrays/a", vec![row("S.a", Quantity::Offset, 20), row("S.b", Quantity::ArrayStride, 4)], OutcomeKind::Known),
        ("arrays/a", vec![row("S.a", Quantity::Offset, 24)], OutcomeKind::Differ),
        ("arrays/a", vec![row("S.a", Quantity::Offset, 16), row("S.c", Quantity::Offset, 16)], OutcomeKind::Differ),
        ("arrays/a", vec![row("S.b", Quantity::Offset, 4)], OutcomeKind::Differ),
        ("arrays/b", vec![row("S.a", Quantity::Offset, 16)], OutcomeKind::Differ),
    ] {
        let told = format!("{case} {rows:?}");
        let mut checks = [CheckRecord { outcome: differs(Culprit::Compiler), rows, ..of_case(case) }];
        apply(&known, &mut checks, &[]);
        assert_eq!(checks[0].outcome.kind(), outcome, "{told}");
    }
}

/// In a list that states its numbers, an entry without any excuses none.
#[test]
fn a_list_may_promise_to_state_its_numbers() {
    let row = |observed| {
        let [expected, observed] = [0, observed].map(|number| Some(RecordValue::Number(number)));
        Row::new("S.a", Quantity::Offset, Witnesses { expected, observed, ..Witnesses::default() })
    };
    for (promise, outcome) in [("", OutcomeKind::Known), ("states_numbers = true\n", OutcomeKind::Differ)] {
        let text = format!("{promise}[[known]]\ncase = \"arrays/a\"\nreason = \"it packs\"\n");
        let mut sources = SourceMap::default();
        let file = sources.add("known.toml", text);
        let known = read(file, &sources).unwrap();
        let mut checks =
            [CheckRecord { outcome: differs(Culprit::Compiler), rows: vec![row(16)], ..of_case("arrays/a") }];
        apply(&known, &mut checks, &[]);
        assert_eq!(checks[0].outcome.kind(), outcome, "{promise}");
    }
}

/// What `run --save-known` writes excuses the run's own numbers, and a later run's new ones differ.
#[test]
fn a_baseline_states_its_numbers() {
    let witnesses = |observed| Witnesses {
        computed: Some(RecordValue::Number(0)),
        compiled: Some(RecordValue::Number(observed)),
        ..Witnesses::default()
    };
    let check = |observed| CheckRecord {
        outcome: differs(Culprit::Compiler),
        rows: vec![Row::new("S.a", Quantity::Offset, witnesses(observed))],
        ..by_producer("dxc-dxil")
    };
    let text = super::baseline(&[check(4)], &[], &std::collections::BTreeMap::new());
    let mut sources = SourceMap::default();
    let file = sources.add("known.toml", text.replace("reason = \"\"", "reason = \"it packs\""));
    let known = read(file, &sources).unwrap();
    let mut checks = [check(4), check(68)];
    apply(&known, &mut checks, &[]);
    assert_eq!(checks.map(|check| check.outcome.kind()), [OutcomeKind::Known, OutcomeKind::Differ]);
}
