//! Reads `[[reject]]` and `[[warn]]` of a case: the compilers that must refuse the declarations or
//! warn about them.

use layoutproof_layout::Span;

use crate::case::placement::target_named;
use crate::toml_table::{FileProblems, TomlTable};
use layoutproof_bindings::request::parse_convention;
use layoutproof_bindings::{Convention, Target, release};
use layoutproof_source::diagnostics::Code;

/// A refusal or a warning that the case expects.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedDiagnostic {
    pub by: By,
    /// Code of the diagnostic, if layoutproof gives it.
    pub code: Option<String>,
    /// Line of the declaration, from 1.
    pub line: Option<u32>,
    pub message: Option<String>,
    pub span: Span,
}

impl ExpectedDiagnostic {
    /// True if the case expects a message with this code (or gives no code). The caller compares
    /// lines.
    pub fn matches(&self, code: Option<Code>, message: &str) -> bool {
        let same_code = |wanted: &str| code.is_none_or(|code| code.as_str() == wanted);
        self.code.as_deref().is_none_or(same_code)
            && self.message.as_deref().is_none_or(|fragment| message.contains(fragment))
    }
}

/// The source of a refusal or warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// layoutproof itself, which reads declarations by the documents.
    Layoutproof,
    /// A compiler, with a version range (`dxc >= 1.8.2405`).
    Compiler(String),
    Rules(String),
    Convention {
        target: Target,
        convention: Convention,
        /// Version of the convention's compiler; `None` for the measured one.
        version: Option<String>,
    },
}

/// The entries of `[[key]]`.
pub(super) fn diagnosed(
    table: &mut TomlTable<'_, '_>,
    key: &'static str,
    problems: &mut FileProblems<'_>,
) -> Vec<ExpectedDiagnostic> {
    let mut all = Vec::new();
    for mut entry in table.tables(key, problems) {
        let span = problems.span(entry.range());
        let by = by(&mut entry, key, problems);
        let code = entry.string("code", problems);
        let line = entry.number("line", problems);

        if line.is_some() && matches!(by, Some(By::Convention { .. })) {
            problems.report(
                entry.range(),
                "`line` is not allowed with `target` and `convention`: errors in bindings are not matched by line",
            );
        }

        let message = entry.string("message", problems);
        entry.finish(problems);
        all.extend(by.map(|by| ExpectedDiagnostic { by, code, line, message, span }));
    }
    all
}

fn by(entry: &mut TomlTable<'_, '_>, key: &str, problems: &mut FileProblems<'_>) -> Option<By> {
    let [by, rules, target, convention] =
        ["by", "rules", "target", "convention"].map(|name| entry.string(name, problems));
    match (by, rules, target, convention) {
        (Some(by), None, None, None) if by == "layoutproof" => Some(By::Layoutproof),
        (Some(by), None, None, None) => Some(By::Compiler(by)),
        (None, Some(rules), None, None) => Some(By::Rules(rules)),
        (None, None, Some(target), Some(convention)) => by_convention(entry, &target, &convention, problems),
        _ => {
            problems.report(entry.range(), format!("[[{key}]] has `by`, or `rules`, or `target` with `convention`"));
            None
        }
    }
}

/// The convention and target with these names. Reports unknown names and versions.
fn by_convention(
    entry: &TomlTable<'_, '_>,
    target_name: &str,
    convention_name: &str,
    problems: &mut FileProblems<'_>,
) -> Option<By> {
    let found = target_named(target_name).zip(parse_convention(convention_name));
    let Some((target, (convention, version))) = found else {
        let message = format!("no convention `{convention_name}` places parameters for the target `{target_name}`");
        problems.report(entry.range(), message);
        return None;
    };

    if let Some(message) = release::unknown(target, convention, version.as_deref()) {
        problems.report(entry.range(), message);
        return None;
    }
    Some(By::Convention { target, convention, version })
}
