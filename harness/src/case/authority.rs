//! The authority behind the numbers of a case: a compiler in a version, or a clause of a document.
//!
//! The layout tables ([`super::file`]) and the binding tables ([`super::placement`]) both name one.

use std::fmt;

use layoutproof_source::diagnostics::Code;

use crate::toml_table::{FileProblems, TomlTable, TomlValue};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Authority {
    /// A compiler that was run.
    pub compiler: Option<String>,
    pub version: Option<String>,
    pub flags: Option<String>,
    /// The compiler output with the numbers: `listing`, `reflection`, `decorations`, `loads`.
    pub from: Option<String>,
    /// A clause of a specification.
    pub spec: Option<String>,
    /// Title of a document.
    pub document: Option<String>,
    /// Other sources that agree with the numbers.
    pub checked: Option<String>,
}

impl fmt::Display for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [&self.compiler, &self.version, &self.flags, &self.spec, &self.document];
        let named: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        f.write_str(&named.join(" "))?;
        self.from.iter().try_for_each(|from| write!(f, " ({from})"))?;
        self.checked.iter().try_for_each(|checked| write!(f, ", checked with {checked}"))
    }
}

/// Reads an authority, and reports one that names no source.
pub(super) fn authority(value: &TomlValue<'_>, problems: &mut FileProblems<'_>) -> Authority {
    let Some(mut table) = TomlTable::of(value, problems) else { return Authority::default() };
    let mut read = |key| {
        let text = table.string(key, problems)?;
        if text.trim().is_empty() && key != "flags" {
            let place = table.value(key).map_or(value.span(), TomlValue::span);
            problems.report_as(Code::NoAuthority, place, format!("`{key}` of an authority is blank"));
        }
        Some(text)
    };

    let authority = Authority {
        compiler: read("compiler"),
        version: read("version"),
        flags: read("flags"),
        from: read("from"),
        spec: read("spec"),
        document: read("document"),
        checked: read("checked"),
    };

    let range = value.span();
    if authority.compiler.is_none() && authority.spec.is_none() && authority.document.is_none() {
        let message = "an authority is a `compiler` that was run, a clause of a `spec`, or a `document`";
        problems.report_as(Code::NoAuthority, range.clone(), message);
    }
    if authority.compiler.is_some() && authority.version.is_none() {
        problems.report_as(Code::NoAuthority, range, "a compiler is an authority only with its `version`");
    }

    table.finish(problems);
    authority
}
