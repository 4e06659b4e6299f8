//! Code actions: padding that is written out, better orders of members, and the types of programs to copy.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

use layoutproof_layout::BlockLayout;
use layoutproof_show::ColumnSize;
use layoutproof_show::asserts::{HostLanguage, HostOptions, asserts, typed_views};
use layoutproof_show::layout_text::holes::Holes;
use layoutproof_source::shader_language::ShaderLanguage;
use lsp_types::{CodeAction, CodeActionKind, CodeActionOrCommand, Command, Position, TextEdit, WorkspaceEdit};
use serde_json::Value;

use crate::commands::lsp::reading::{LaidOutText, Reading};
use crate::commands::lsp::{Client, OpenFile};

/// Copying changes no text.
pub(super) const COPY: CodeActionKind = CodeActionKind::new("layoutproof.copy");

/// The command of the editor that copies its argument.
const COPY_COMMAND: &str = "layoutproof.copy";

/// Bytes of the scalars that fill padding.
const SCALAR: u32 = 4;

#[expect(clippy::mutable_key_type, reason = "lsp-types has this map; a URI is compared and hashed by its text")]
pub(super) fn actions(file: &OpenFile<'_>, at: Position, client: &Client) -> Vec<CodeActionOrCommand> {
    let OpenFile { document, reading } = file;
    let Some(text) = &reading.laid_out else { return Vec::new() };
    let byte = client.encoding.byte(reading.text(), at);
    let edit = |title: String, bytes: Range<usize>, new_text: String| {
        let range = client.encoding.range(reading.text(), bytes);
        let changes = HashMap::from([(document.uri.clone(), vec![TextEdit { range, new_text }])]);
        CodeAction {
            title,
            kind: Some(CodeActionKind::REFACTOR_REWRITE),
            edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
            ..CodeAction::default()
        }
    };

    let mut actions = Vec::new();
    if let Some(Padding { after, bytes, end, line }) = padding_after(reading, text, byte) {
        actions.push(edit(format!("Write the {bytes} bytes of padding after `{after}`"), end..end, line));
    }
    let name = &reading.sources.file(reading.file).name;
    for block in text.input.padded_blocks(&text.layouts, &reading.sources) {
        for better in &block.better {
            let Some(order) = better.edit.as_ref().filter(|order| order.file == *name) else { continue };
            if !(order.body.start <= byte && byte <= order.body.end) {
                continue;
            }
            let ty = if better.type_name.is_empty() { &block.name } else { &better.type_name };
            let size = |size: &ColumnSize| match better.sizes.len() {
                1 => format!("{} to {}", size.declared, size.reordered),
                _ => format!("{} {} to {}", size.names[0], size.declared, size.reordered),
            };
            let sizes: Vec<String> = better.sizes.iter().map(size).collect();
            let title = format!("Reorder the members of `{ty}` ({} bytes)", sizes.join(", "));
            actions.push(edit(title, order.body.clone(), order.text.clone()));
        }
    }
    let mut actions: Vec<CodeActionOrCommand> = actions.into_iter().map(CodeActionOrCommand::CodeAction).collect();
    if client.settings.copy {
        actions.extend(copies(reading, text, byte));
    }
    actions
}

/// Padding to write out as members.
struct Padding<'a> {
    after: &'a str,
    bytes: u32,
    /// The end of the declaration of that member.
    end: usize,
    line: String,
}

/// The padding after the member at a byte of the text, if all columns have the same, so that writing it moves nothing.
fn padding_after<'a>(reading: &'a Reading, text: &'a LaidOutText, byte: usize) -> Option<Padding<'a>> {
    let found = reading.member_at(byte)?;
    let mut sizes = Vec::new();
    for place in &found.members {
        let blocks = text.columns.iter().filter_map(|column| column.block(place.view));
        for shown in blocks.map(|block| &block.shown).filter(|shown| !shown.members.is_empty()) {
            let holes = Holes::of(&shown.members, shown.stride.or(shown.size));
            let row = shown.members.iter().find(|row| row.path == place.path)?;
            let hole = holes.after(&place.path)?;
            // Only a member that ends where the padding starts can have it written after it.
            if row.offset.checked_add(row.size?)? != hole.start {
                return None;
            }
            sizes.push((hole.start % SCALAR, hole.size));
        }
    }
    let (0, bytes) = *sizes.first()? else { return None };
    if bytes % SCALAR != 0 || sizes.iter().any(|size| *size != (0, bytes)) {
        return None;
    }

    let source = reading.text();
    let language = text.input.written_language();
    let separator = if language == ShaderLanguage::Wgsl { ',' } else { ';' };
    let end = found.name.end + source[found.name.end..].find([separator, '}'])?;
    let has_separator = source[end..].starts_with(separator);
    let line_start = source[..found.name.start].rfind('\n').map_or(0, |end| end + 1);
    let indent: String = source[line_start..].chars().take_while(|letter| matches!(letter, ' ' | '\t')).collect();
    let names = (0..).map(|number| format!("padding{number}")).filter(|name| !source.contains(name.as_str()));
    let mut line = if has_separator { String::new() } else { separator.to_string() };
    for name in names.take((bytes / SCALAR) as usize) {
        let _ = match language {
            ShaderLanguage::Wgsl => write!(line, "\n{indent}{name}: f32,"),
            ShaderLanguage::Hlsl | ShaderLanguage::Slang | ShaderLanguage::Glsl => {
                write!(line, "\n{indent}float {name};")
            }
        };
    }
    let after = &source[found.name.clone()];
    Some(Padding { after, bytes, end: end + usize::from(has_separator), line })
}

/// The block at a byte of the text as types of programs, for the layouts of the first column.
fn copies(reading: &Reading, text: &LaidOutText, byte: usize) -> Vec<CodeActionOrCommand> {
    let of_word = || text.view_named(reading.word_at(byte)?.1);
    let view = reading.member_at(byte).map(|found| found.members[0].view).or_else(of_word);
    let Some(column) = text.layouts.first() else { return Vec::new() };
    let blocks: Vec<BlockLayout> = column.present().filter(|block| Some(block.view) == view).cloned().collect();
    let [block] = blocks.as_slice() else { return Vec::new() };
    let source = &reading.sources.file(reading.file).name;
    let warnings = text.moved_comments(block.view, &column.name);
    let shader = text.input.written_language();
    let of_language = |language| warnings.clone() + &asserts(source, &blocks, language, HostOptions::new(shader));
    let texts = [
        ("C++", of_language(HostLanguage::Cpp)),
        ("Rust", of_language(HostLanguage::Rust)),
        ("TypeScript", warnings.clone() + &typed_views(source, &blocks, shader)),
    ];
    let copy = |(language, text): (&str, String)| {
        let title = format!("Copy `{}` as {language} ({})", block.name, column.name);
        let arguments = Some(vec![Value::String(text)]);
        CodeActionOrCommand::CodeAction(CodeAction {
            title: title.clone(),
            kind: Some(COPY),
            command: Some(Command { title, command: COPY_COMMAND.to_owned(), arguments }),
            ..CodeAction::default()
        })
    };
    texts.into_iter().map(copy).collect()
}
