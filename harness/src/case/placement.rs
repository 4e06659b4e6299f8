//! `[bind.TARGET.CONVENTION]` of a case: the places of parameters according to an authority.
//!
//! Reads these tables as [`BindExpectation`]s. It computes no places.

use std::ops::Range;

use layoutproof_layout::Span;

use crate::case::authority::{Authority, authority};
use crate::toml_table::{FileProblems, TomlTable, TomlValue, string};
use layoutproof_bindings::request::parse_convention;
use layoutproof_bindings::{BindingInvocation, BindingPlace, Convention, Target, release};
use layoutproof_source::diagnostics::Code;

/// The places that one authority gives under one target and convention.
#[derive(Clone, Debug, PartialEq)]
pub struct BindExpectation {
    pub target: Target,
    pub convention: Convention,
    /// Version of the convention's compiler; `None` for the measured one.
    pub version: Option<String>,
    /// The authority of the table, in the case file.
    pub span: Span,
    /// The source of the places.
    pub authority: Authority,
    /// True if the table may leave out parameters. Otherwise a parameter that it leaves out must be
    /// bound nowhere.
    pub partial: bool,
    pub entries: Vec<ExpectedPlaces>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedPlaces {
    /// For example `B`, `s.B[3]`, `$Globals`.
    pub path: String,
    /// One place per unit.
    pub places: Vec<BindingPlace>,
    /// The value in the case file.
    pub span: Span,
}

pub(super) fn target_named(name: &str) -> Option<Target> {
    Target::ALL.into_iter().find(|target| target.as_str() == name)
}

/// The case's keys for the options of a compiler's invocation.
pub(super) fn invocation(table: &mut TomlTable<'_, '_>, problems: &mut FileProblems<'_>) -> BindingInvocation {
    BindingInvocation {
        profile: table.string("profile", problems),
        entry: table.string("entry", problems),
        used: table.strings("used", problems),
        unused: table.strings("unused", problems),
        options: table.strings("options", problems),
    }
}

/// All `[bind.TARGET.CONVENTION]` tables.
pub(super) fn bindings(table: &mut TomlTable<'_, '_>, problems: &mut FileProblems<'_>) -> Vec<BindExpectation> {
    let Some(targets) = table.value("bind").and_then(|value| TomlTable::of(value, problems)) else { return Vec::new() };

    let mut found = Vec::new();
    for (name, place, value) in targets.entries() {
        let Some(conventions) = TomlTable::of(value, problems) else { continue };
        let Some(target) = target_named(name) else {
            let known = Target::ALL.map(Target::as_str).join(", ");
            problems.report(place, format!("unknown target `{name}` (known here: {known})"));
            continue;
        };

        for (name, place, value) in conventions.entries() {
            found.extend(expectation(target, name, place, value, problems));
        }
    }
    found
}

fn expectation(
    target: Target,
    name: &str,
    place: Range<usize>,
    value: &TomlValue<'_>,
    problems: &mut FileProblems<'_>,
) -> Option<BindExpectation> {
    let known = parse_convention(name).filter(|(convention, _)| convention.targets().contains(&target));
    let Some((convention, version)) = known else {
        problems.report(place, format!("no convention `{name}` places parameters for {target}"));
        return None;
    };
    if let Some(message) = release::unknown(target, convention, version.as_deref()) {
        problems.report(place, message);
        return None;
    }

    let mut table = TomlTable::of(value, problems)?;
    let span = problems.span(place.clone());

    let authority = if let Some(value) = table.value("authority") {
        authority(value, problems)
    } else {
        let message = format!("[bind.{target}.{name}] names no authority for its places");
        problems.report_as(Code::NoAuthority, place, message);
        Authority::default()
    };

    let partial = table.boolean("partial", problems).unwrap_or(false);
    let parameters = table.entries().filter(|(key, _, _)| !matches!(*key, "authority" | "partial"));
    let entries = parameters.map(|(path, _, value)| ExpectedPlaces {
        path: path.to_owned(),
        places: places(value, problems),
        span: problems.span(value.span()),
    });
    let entries: Vec<ExpectedPlaces> = entries.collect();

    if entries.is_empty() && partial {
        let message = format!("[bind.{target}.{name}] is partial and names no parameter, so it expects nothing");
        problems.report_as(Code::IncompleteExpectation, table.range(), message);
    }

    Some(BindExpectation { target, convention, version, span, authority, partial, entries })
}

/// Reads one place, or a list of places.
fn places(value: &TomlValue<'_>, problems: &mut FileProblems<'_>) -> Vec<BindingPlace> {
    let single = std::slice::from_ref(value);
    let items = value.get_ref().as_array().map_or(single, |array| array.as_ref());
    let mut found = Vec::new();
    for item in items {
        let Some(text) = string(item, problems) else { continue };
        match text.parse::<BindingPlace>() {
            Ok(place) => found.push(place),
            Err(bad) => problems.report(item.span(), bad.to_string()),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{By, Case};
    use layoutproof_source::sources::SourceMap;

    const START: &str = "schema = 1\nsummary = \"s\"\ndeclare = \"\"\"\nTexture2D T;\n\"\"\"\n";

    fn read(rest: &str) -> Result<Case, Vec<(u32, String)>> {
        let mut sources = SourceMap::default();
        let file = sources.add("a.toml", format!("{START}{rest}"));
        Case::read("a", file, &mut sources)
            .map_err(|found| found.into_iter().map(|it| (sources.position(it.span()).line, it.message)).collect())
    }

    #[test]
    fn tables_name_target_convention_and_version() {
        let case = read(concat!(
            "profile = \"ps_5_0\"\nused = [\"T\"]\nunused = \"U\"\noptions = [\"-fvk-t-shift 10 all\"]\n",
            "[bind.d3d12.\"dxc@1.7.2207\"]\nauthority = { compiler = \"dxc\", version = \"1.7.2207\" }\npartial = true\n",
            "T = [\"t0\", \"s0\"]\n\"s.B[3]\" = \"u3[4] space1\"\n",
            "[[reject]]\ntarget = \"vulkan\"\nconvention = \"slang\"\nmessage = \"m\"\n",
        ));
        let case = case.unwrap();
        let table = &case.bind[0];
        assert_eq!((table.target, table.convention), (Target::D3d12, Convention::Dxc));
        assert_eq!((table.version.as_deref(), table.partial), (Some("1.7.2207"), true));
        let entries: Vec<_> = table.entries.iter().map(|it| (it.path.as_str(), it.places.len())).collect();
        assert_eq!(entries, [("T", 2), ("s.B[3]", 1)]);
        assert_eq!(case.invocation.profile.as_deref(), Some("ps_5_0"));
        assert_eq!(case.invocation.used, ["T"]);
        assert_eq!(case.invocation.options, ["-fvk-t-shift 10 all"]);
        let by = By::Convention { target: Target::Vulkan, convention: Convention::Slang, version: None };
        assert_eq!(case.rejects[0].by, by);
    }

    #[test]
    fn every_problem_is_found_with_its_line() {
        let found = read(concat!(
            "[bind.d3d11.dxc]\nT = \"t0\"\n[bind.metal.dxc]\nT = \"t0\"\n[bind.d3d12.dxc]\nT = \"t\"\nU = 3\n",
            "[bind.d3d12.clang]\nauthority = {}\nT = [\"t0\", \"x0\"]\n",
            "[[reject]]\ntarget = \"d3d12\"\n[[warn]]\ntarget = \"d3d12\"\nconvention = \"fxc\"\n",
        ));
        let found = found.unwrap_err();
        let has = |line: u32, part: &str| {
            assert!(
                found.iter().any(|(at, message)| *at == line && message.contains(part)),
                "{line} {part}: {found:?}"
            );
        };
        has(6, "unknown target `d3d11`");
        has(8, "no convention `dxc` places parameters for metal");
        has(10, "[bind.d3d12.dxc] names no authority");
        has(11, "`t` is not a binding");
        has(12, "expected a string");
        has(14, "an authority is a `compiler`");
        has(15, "`x0` is not a binding");
        has(16, "`target` with `convention`");
        has(18, "no convention `fxc` places parameters for the target `d3d12`");
        assert_eq!(found.len(), 9, "{found:?}");
    }
}
