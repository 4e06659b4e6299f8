//! Blocks and refusals as tests state them.

use layoutproof_layout::{BlockLayout, LaidOut, LaidOutShape};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::sources::SourceMap;

/// Path, type, absolute offset and size of every member at any depth.
fn rows_of(path: &str, start: u32, laid_out: &LaidOut, rows: &mut Vec<String>) {
    let size = laid_out.size.finite().map_or("runtime-sized".to_owned(), |size| size.to_string());
    rows.push(format!("{path}: {} at {start}, {size}", laid_out.type_name));
    match &laid_out.shape {
        LaidOutShape::Struct(members) => {
            for member in members {
                rows_of(&format!("{path}.{}", member.name), start + member.offset, &member.layout, rows);
            }
        }
        LaidOutShape::Array { element, stride, .. } => {
            rows_of(&format!("{path}[{stride}]"), start, element, rows);
        }
        _ => {}
    }
}

pub(crate) fn listing(blocks: &[BlockLayout]) -> String {
    let mut lines = Vec::new();
    for block in blocks {
        lines.push(format!("{} {} {:?}", block.kind, block.name, block.count));
        rows_of("", 0, block.result.as_ref().unwrap(), &mut lines);
    }
    lines.join("\n")
}

/// Line, column and message of the only error.
#[track_caller]
pub(crate) fn error(text: &str, result: Result<Vec<BlockLayout>, Vec<Diagnostic>>) -> (u32, u32, String) {
    let mut sources = SourceMap::default();
    sources.add("a", text);
    let diagnostics = result.unwrap_err();
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(diagnostics[0].code, Code::BadModule);
    let position = sources.position(diagnostics[0].span());
    (position.line, position.column, diagnostics[0].message.clone())
}
