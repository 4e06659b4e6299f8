//! The formats of `layoutproof show` that become files of a program: host structs, assertions about
//! the user's own types, LLVM types.

use std::path::Path;

use anyhow::bail;
use layoutproof_events::summary::Exit;
use layoutproof_inputs::files::{FileKind, read_text_if_there};
use layoutproof_layout::BlockLayout;
use layoutproof_records::output_files::{check_file, write_file};
use layoutproof_show::RuleSetLayouts;
use layoutproof_show::asserts::own_types::{OwnMember, OwnType, OwnTypes, own_type_asserts};
use layoutproof_show::asserts::{
    HostLanguage, HostOptions, HostVector, asserts, misplacements, typed_views as typed_view_text,
};

use crate::commands::show::args::{HostArgs, ShowArgs};
use crate::commands::show::formats::{FormatKind, ShownInput};
use crate::output::{print, warn};

/// The refusal of options that only structs have.
const NO_SUCH_OPTIONS: &str =
    "--asserts-only, --namespace and --type TYPE=NAME go with --format cpp-asserts, rust-asserts or c-asserts";

/// Structs for the blocks of the input, or assertions about the user's own types.
pub(crate) fn structs(shown: &ShownInput<'_>, language: HostLanguage) -> anyhow::Result<String> {
    let (host, word, blocks) = (&shown.args.host, shown.word, blocks(shown));
    let namespace = host.namespace.as_deref();
    if language == HostLanguage::C && namespace.is_some() {
        bail!("C has no namespaces: leave --namespace out");
    }
    let warnings = misplacements(&shown.input.warnings(shown.layouts));
    if host.asserts_only {
        return Ok(warnings + &own_type_asserts(word, &blocks, language, &own_types(host)?)?);
    }
    let vectors = host.vector_types().map(|text| HostVector::parse(text).map_err(anyhow::Error::from));
    let vectors: Vec<HostVector> = vectors.collect::<Result<_, _>>()?;
    let options = HostOptions { shader: shown.input.written_language(), namespace, vectors: &vectors };
    Ok(warnings + &asserts(word, &blocks, language, options))
}

/// Typed views of the blocks of the input.
pub(crate) fn typed_views(shown: &ShownInput<'_>) -> anyhow::Result<String> {
    let host = &shown.args.host;
    if host.asserts_only || host.namespace.is_some() || host.vector_types().next().is_some() {
        bail!(NO_SUCH_OPTIONS);
    }
    let warnings = misplacements(&shown.input.warnings(shown.layouts));
    Ok(warnings + &typed_view_text(shown.word, &blocks(shown), shown.input.written_language()))
}

/// Prints the text, writes it to the user's file, or compares it with that file.
pub(crate) fn deliver(host: &HostArgs, text: &str) -> anyhow::Result<Exit> {
    let Some(path) = &host.output else {
        print(text);
        return Ok(Exit::Agree);
    };
    if !host.check {
        check_file(path)?;
        write_file(path, text)?;
        return Ok(Exit::Agree);
    }
    check_is_fresh(path, text)
}

/// Compares an existing file with the text that would be written now.
fn check_is_fresh(path: &Path, text: &str) -> anyhow::Result<Exit> {
    let name = path.display();
    let problem = match read_text_if_there(path, FileKind::Shader)? {
        // Version control may have converted the line ends.
        Some(there) if there.replace("\r\n", "\n") == text => return Ok(Exit::Agree),
        Some(there) => {
            let lines = there.lines().zip(text.lines()).take_while(|(old, new)| old == new).count();
            format!("{name} is out of date from line {} on", lines + 1)
        }
        None => format!("{name} does not exist"),
    };
    warn(&format!("error: {problem}: the same command without --check writes it\n"));
    Ok(Exit::Differ)
}

/// The blocks that are written.
pub(crate) fn blocks(shown: &ShownInput<'_>) -> Vec<BlockLayout> {
    shown.layouts.iter().flat_map(RuleSetLayouts::copied).collect()
}

/// Parses the user's names for types and members.
fn own_types(host: &HostArgs) -> anyhow::Result<OwnTypes> {
    let types = host.host.iter().map(|text| match text.split_once('=') {
        Some((declared, host)) => OwnType { declared: Some(declared.to_owned()), host: host.to_owned() },
        None => OwnType { declared: None, host: text.clone() },
    });
    let mut members = Vec::new();
    for text in &host.map {
        let Some((path, field)) = text.split_once('=') else {
            bail!("--map {text}: write MEMBER=FIELD, as cameraPos=cam_pos");
        };
        members.push(OwnMember { path: path.replace("[]", ""), host: field.to_owned() });
    }
    Ok(OwnTypes { types: types.collect(), members, namespace: host.namespace.clone() })
}

/// Checks that the options for host structs fit the format.
pub(crate) fn check_options(args: &ShowArgs) -> anyhow::Result<()> {
    let host = &args.host;
    let kind = args.format.kind;
    let has_types = host.vector_types().next().is_some();
    if kind != FormatKind::HostStructs && (host.asserts_only || host.namespace.is_some() || has_types) {
        bail!(NO_SUCH_OPTIONS);
    }
    if !kind.is_program_file() && host.output.is_some() {
        bail!("--output goes with the formats of host structs and LLVM types");
    }
    Ok(())
}
