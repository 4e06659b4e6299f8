//! Writes the members of all blocks as comma-separated values, a line per member and layout.
//!
//! Source: RFC 4180.

use layoutproof_layout::MemberRow;

use super::shown_columns::{BlockPresence, ShownColumn};
use crate::style::one_line;

pub const HEADER: &str =
    "source,rules,block,kind,path,type,offset,size,alignment,array_stride,matrix_stride,matrix_order\n";

/// The members of every block under every column, without the header.
pub fn members(source: &str, columns: &[ShownColumn]) -> String {
    let mut text = String::new();
    for column in columns {
        let name = column.name.to_string();
        for block in column.blocks.iter().filter(|block| block.presence == BlockPresence::Present) {
            for row in &block.shown.members {
                let fixed = [source, &name, &block.shown.name, block.shown.kind.as_str()];
                let fields = fixed.into_iter().map(str::to_owned).chain(fields(row));
                let quoted: Vec<String> = fields.map(|field| quoted(&field)).collect();
                text += &quoted.join(",");
                text.push('\n');
            }
        }
    }
    text
}

fn fields(row: &MemberRow) -> [String; 8] {
    let number = |value: Option<u32>| value.map(|value| value.to_string()).unwrap_or_default();
    [
        row.path.clone(),
        row.type_name.clone(),
        row.offset.to_string(),
        number(row.size),
        row.alignment.to_string(),
        number(row.array_stride),
        number(row.matrix_stride),
        row.matrix_order.map(|order| order.as_str().to_owned()).unwrap_or_default(),
    ]
}

/// A field that may hold commas and quotes. A spreadsheet must not take it for a formula.
fn quoted(field: &str) -> String {
    let field = one_line(field);
    let is_formula = field.starts_with(['=', '+', '-', '@']);
    if is_formula || field.contains([',', '"']) {
        let start = if is_formula { "'" } else { "" };
        return format!("\"{start}{}\"", field.replace('"', "\"\""));
    }
    field
}
