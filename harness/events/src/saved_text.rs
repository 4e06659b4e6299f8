//! Reads the sentences of saved records back into types.
//!
//! A record holds the validator's result, the reasons of a skip, builds of tools and places of cases as
//! text (schema 1). This module is the only place that reads such a text; everything else matches on the type and
//! prints it with `Display`. Each type prints exactly the text that it was read from, so a file that
//! is read and written again keeps its bytes.

use layoutproof_device::{Feature, RunnerError};
use layoutproof_probes::AddressSpace;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::header::ToolBuild;
use crate::reason::{Reason, ReasonKind, Reasons};
use crate::validation::Validation;
use layoutproof_source::sources::LinePlace;

/// Serde through the text of a type.
macro_rules! saved_as_text {
    ($($type:ty, $read:ident;)*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer).map(|text| $read(&text))
            }
        }
    )*};
}

saved_as_text! {
    Validation, read_validation;
    Reason, read_reason;
    Reasons, read_reasons;
    ReasonKind, read_kind;
    ToolBuild, read_build;
}

/// A text that no other variant prints is a validator's message.
fn read_validation(text: &str) -> Validation {
    if text == "valid" {
        return Validation::Valid;
    }
    if let Some(reason) = text.strip_prefix("not run: ") {
        return Validation::NotRun(reason.to_owned());
    }
    let limited = text.strip_prefix("valid only with ").and_then(|rest| rest.split_once(": "));
    let known = limited.and_then(|(name, message)| {
        let feature = Feature::ALL.into_iter().find(|feature| feature.to_string() == name)?;
        Some(Validation::ValidOnlyWith { feature, message: message.to_owned() })
    });
    known.unwrap_or(Validation::Invalid(text.to_owned()))
}

/// Reads one reason. A text that has no known form stays as it is.
fn read_reason(text: &str) -> Reason {
    let inner = text.strip_prefix("not in every form (").and_then(|rest| rest.strip_suffix(')'));
    match inner {
        Some(inner) => Reason::NotInEveryForm(Box::new(read_plain_reason(inner))),
        None => read_plain_reason(text),
    }
}

/// Reads a reason that contains no other reason. Reasons nest only once, so a tampered file cannot
/// make this recurse.
fn read_plain_reason(text: &str) -> Reason {
    known_reason(text).filter(|reason| reason.to_string() == text).unwrap_or_else(|| text.into())
}

fn known_reason(text: &str) -> Option<Reason> {
    if let Some(rest) = text.strip_prefix("refused by ") {
        let (compiler, message) = rest.split_once(": ")?;
        return Some(Reason::RefusedBy { compiler: compiler.to_owned(), message: message.to_owned(), option: None });
    }
    if let Some(rest) = text.strip_prefix("our shader refused by ") {
        let (compiler, message) = rest.split_once(": ")?;
        return Some(Reason::ProbeRefusedBy { compiler: compiler.to_owned(), message: message.to_owned() });
    }
    if let Some(what) = text.strip_prefix("device lacks ") {
        return Some(Reason::DeviceLacks(what.to_owned()));
    }
    if let Some(rest) = text.strip_prefix("promised alignments not compared (") {
        return Some(Reason::AlignmentsNotFollowed(rest.split_once(' ')?.0.parse().ok()?));
    }
    if let Some(rest) = text.strip_prefix("device binds ") {
        let (has, needed) = rest.split_once(" bytes of uniform buffer, not ")?;
        return Some(Reason::UniformBufferTooSmall { has: has.parse().ok()?, needed: needed.parse().ok()? });
    }
    if let Some(rest) = text.strip_prefix("device has ") {
        let (has, needed) = rest.split_once(" bytes of push constants, not ")?;
        return Some(Reason::PushConstantsTooSmall { has: has.parse().ok()?, needed: needed.parse().ok()? });
    }
    if let Some(rest) = text.strip_prefix("probes hold ") {
        let (has, rest) = rest.split_once(" bytes in ")?;
        let (name, needed) = rest.split_once(", not ")?;
        let space = AddressSpace::ALL.into_iter().find(|space| space.as_str() == name)?;
        return Some(Reason::SpaceTooSmall { space, has: has.parse().ok()?, needed: needed.parse().ok()? });
    }
    if let Some((rules, message)) = text.split_once(" forbids it: ").filter(|(rules, _)| !rules.contains(' ')) {
        return Some(Reason::Forbidden { rules: rules.to_owned(), message: message.to_owned() });
    }
    if let Some(error) = known_error(text) {
        return Some(Reason::Runner(error));
    }
    let (probes, error) = text.split_once(": ")?;
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let probes: Vec<String> = probes.split(", ").map(str::to_owned).collect();
    let of_api = || {
        let (call, reason) = error.split_once(": ").filter(|(call, _)| !call.contains(' '))?;
        Some(RunnerError::Api { call: call.to_owned(), reason: reason.to_owned() })
    };
    let error = known_error(error).or_else(of_api)?;
    probes.iter().all(|name| is_name(name)).then_some(Reason::ProbesBroke { probes, error })
}

/// Reads the error of a runner, except one of a call, which looks like any other text with a colon.
fn known_error(text: &str) -> Option<RunnerError> {
    if let Some(reason) = text.strip_prefix("device lost: ") {
        return Some(RunnerError::DeviceLost(reason.to_owned()));
    }
    if let Some(reason) = text.strip_prefix("shader refused: ") {
        return Some(RunnerError::ShaderRefused(reason.to_owned()));
    }
    if let Some(reason) = text.strip_prefix("not run: ") {
        return Some(RunnerError::NotRun(reason.to_owned()));
    }
    let (limit, _) = text.strip_prefix("no answer within ")?.split_once(' ')?;
    Some(RunnerError::Timeout(limit.parse().ok()?))
}

/// Reads reasons that are joined with `; `. The messages of compilers may contain that separator too,
/// so a part without a known form continues the reason before it, unless that one is complete.
fn read_reasons(text: &str) -> Reasons {
    let mut texts: Vec<String> = Vec::new();
    let mut is_open = false;
    for part in text.split("; ") {
        let reason = read_reason(part);
        let may_continue = match &reason {
            Reason::Other(_) | Reason::Runner(_) => true,
            Reason::ProbesBroke { error, .. } => matches!(error, RunnerError::Api { .. }),
            _ => false,
        };
        let continued = texts.last_mut().filter(|_| is_open && may_continue);
        if let Some(text) = continued {
            text.push_str("; ");
            text.push_str(part);
            continue;
        }
        texts.push(part.to_owned());
        is_open = match reason {
            Reason::ProbesBroke { error, .. } | Reason::Runner(error) => !matches!(error, RunnerError::Timeout(_)),
            Reason::RefusedBy { .. }
            | Reason::ProbeRefusedBy { .. }
            | Reason::NotInEveryForm(_)
            | Reason::Forbidden { .. }
            | Reason::Other(_) => true,
            Reason::DeviceLacks(_)
            | Reason::UniformBufferTooSmall { .. }
            | Reason::PushConstantsTooSmall { .. }
            | Reason::SpaceTooSmall { .. }
            | Reason::AlignmentsNotFollowed(_) => false,
        };
    }
    Reasons::new(texts.iter().map(|text| read_reason(text))).unwrap_or_else(|| text.into())
}

fn read_kind(text: &str) -> ReasonKind {
    match text.strip_prefix("refused by ") {
        Some(compiler) => ReasonKind::RefusedBy(compiler.to_owned()),
        None => ReasonKind::Other(text.to_owned()),
    }
}

/// Reads the kind of a reason that has no variant: the start of its text up to its details, which follow a
/// colon or are in brackets. If the text lists several reasons, the first one counts.
///
/// A record holds the text alone, so reasons of this run are counted by their texts, too; otherwise the
/// same run would have other groups when its records are read again.
pub(crate) fn kind_of_text(text: &str) -> &str {
    let first = text.split("; ").next().unwrap_or(text);
    let end = [": ", " ("].iter().filter_map(|start| first.find(start)).min();
    &first[..end.unwrap_or(first.len())]
}

fn read_build(text: &str) -> ToolBuild {
    match text.rsplit_once(", SHA-256 ") {
        Some((version, digest)) => ToolBuild { sha256: Some(digest.to_owned()), ..ToolBuild::of_version(version) },
        None => ToolBuild::of_version(text),
    }
}

/// The number after the last colon is a line, unless it would be written in another way.
fn read_place(text: &str) -> LinePlace {
    let line = text.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse::<u32>().ok()?)));
    let line = line.filter(|(file, line)| format!("{file}:{line}") == text);
    match line {
        Some((file, line)) => LinePlace { file: file.to_owned(), line: Some(line) },
        None => LinePlace::of_file(text),
    }
}

/// Serde of places, which other formats keep as a file and a line.
pub(crate) mod place {
    use super::{Deserialize, Deserializer, LinePlace, Serializer, read_place};

    pub(crate) fn serialize<S: Serializer>(place: &LinePlace, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(place)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<LinePlace, D::Error> {
        String::deserialize(deserializer).map(|text| read_place(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(compiler: &str, message: &str) -> Reason {
        Reason::RefusedBy { compiler: compiler.to_owned(), message: message.to_owned(), option: None }
    }

    /// Reasons are equal if their texts are, so this compares how they are built.
    fn built(reasons: &Reasons) -> String {
        format!("{reasons:?}")
    }

    #[test]
    fn reasons_read_as_they_were_written() {
        let shading = Reason::DeviceLacks("rayTracingPipeline".to_owned());
        let [lacks, other] = [Reason::DeviceLacks("shaderInt8".to_owned()), Reason::from("nothing to probe")];
        let forbidden = Reason::Forbidden { rules: "scalar@dxc".to_owned(), message: "`a`; no".to_owned() };
        let [timeout, api] =
            [RunnerError::Timeout(100), RunnerError::Api { call: "vkQueueSubmit".to_owned(), reason: "no".to_owned() }];
        for reasons in [
            vec![Reason::Runner(timeout.clone())],
            vec![Reason::Runner(RunnerError::NotRun("the device no longer responds".to_owned()))],
            vec![
                Reason::ProbesBroke { probes: vec!["read".to_owned()], error: timeout },
                Reason::ProbesBroke { probes: vec!["write".to_owned()], error: api },
            ],
            vec![other.clone()],
            vec![refused("dxc-spirv", "error: a; b"), lacks.clone()],
            vec![Reason::NotInEveryForm(Box::new(refused("dxc-1.7", "a; b"))), forbidden],
            vec![Reason::UniformBufferTooSmall { has: 65536, needed: 66076 }, lacks.clone()],
            vec![Reason::PushConstantsTooSmall { has: 128, needed: 144 }, other],
            vec![Reason::AlignmentsNotFollowed(3), lacks.clone()],
            vec![Reason::SpaceTooSmall { space: AddressSpace::ShaderRecord, has: 3840, needed: 8192 }, shading],
            vec![Reason::ProbesBroke {
                probes: vec!["read_uniform".to_owned(), "write".to_owned()],
                error: RunnerError::DeviceLost("vkQueueSubmit: no".to_owned()),
            }],
        ] {
            let reasons = Reasons::new(reasons).unwrap();
            let read = read_reasons(&reasons.to_string());
            assert_eq!(built(&read), built(&reasons));
        }
    }

    /// A tampered file may hold any text.
    #[test]
    fn long_texts_are_read_in_little_time_and_stack() {
        for part in ["; ", "not in every form (", "refused by dxc: "] {
            let text = part.repeat(100_000);
            assert_eq!(read_reasons(&text).to_string(), text);
        }
    }

    #[test]
    fn a_reason_of_another_form_keeps_its_text() {
        for text in
            ["", "; ", "refused by dxc", "device has 0128 bytes of push constants, not 144", "a rule forbids it: b"]
        {
            let read = read_reasons(text);
            assert_eq!(read.to_string(), text);
            assert_eq!(built(&read), built(&Reasons::from(text)));
        }
    }

    #[test]
    fn sizes_and_names_are_no_part_of_a_kind() {
        for (reason, kind) in [
            ("device has 128 bytes of push constants, not 144", "push constants too small"),
            ("device has 256 bytes of push constants, not 66012; device lacks shaderInt8", "push constants too small"),
            ("device binds 65536 bytes of uniform buffer, not 66076", "uniform buffers too small"),
            ("device lacks shaderInt16", "device lacks shaderInt16"),
            ("device lacks shaderFloat64; device lacks shaderInt16", "device lacks shaderFloat64"),
            ("no probe in WGSL: `a`, a bit-field", "no probe in WGSL"),
            ("leaves not probed (byte 4 is no multiple of 8); no probe in WGSL: `b`", "leaves not probed"),
            ("refused by dxc-spirv: error: a; b", "refused by dxc-spirv"),
            ("", ""),
        ] {
            assert_eq!(read_reasons(reason).kind().to_string(), kind, "{reason}");
        }
    }

    #[test]
    fn a_validation_reads_as_it_was_written() {
        let message = "error: line 4: valid only with luck: no".to_owned();
        let feature = Feature::UniformBufferStandardLayout;
        let limited = Validation::ValidOnlyWith { feature, message: message.clone() };
        assert_eq!(limited.to_string(), format!("valid only with uniformBufferStandardLayout: {message}"));
        let others = [Validation::Valid, Validation::NotRun("no spirv-val".to_owned()), Validation::Invalid(message)];
        for validation in others.into_iter().chain([limited]) {
            assert_eq!(read_validation(&validation.to_string()), validation);
        }
    }

    /// Another version may know other features.
    #[test]
    fn a_validation_of_another_version_keeps_its_text() {
        for text in ["", "not run", "valid only with luck: no", "valid only with scalarBlockLayout"] {
            assert_eq!(read_validation(text), Validation::Invalid(text.to_owned()), "{text}");
        }
    }

    #[test]
    fn builds_and_places_read_as_they_were_written() {
        for build in ["dxc 1.7, SHA-256 12ab", "SPIRV-Tools v2023.1", ""] {
            assert_eq!(read_build(build).to_string(), build);
        }
        assert_eq!(read_build("dxc 1.7, SHA-256 12ab").version, "dxc 1.7");
        for (text, file, line) in [
            ("cases/a/b.toml:9", "cases/a/b.toml", Some(9)),
            ("a.hlsl", "a.hlsl", None),
            ("C:\\a.hlsl", "C:\\a.hlsl", None),
            ("a.hlsl:09", "a.hlsl:09", None),
            ("", "", None),
        ] {
            let place = read_place(text);
            assert_eq!((place.file.as_str(), place.line), (file, line));
            assert_eq!(place.to_string(), text);
        }
    }
}
