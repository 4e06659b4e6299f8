//! The table of where parameters are bound: one line per parameter, one column per convention.
//!
//! For `layoutproof show`. A line on which conventions differ is marked with `!`.

use crate::bindings::place::places_text;
use crate::bindings::{Binding, BindingPlace, BoundModule};
use crate::report::formats::show_json::{ComputedBinding, ShownBinding};
use crate::report::style::{Style, TextLines, Tone, one_line, pad, width};

/// The answer of one convention.
#[derive(Clone, Debug, PartialEq)]
pub struct BindingsColumn {
    /// Target, convention and version: `d3d12.dxc`.
    pub name: String,
    /// Where everything went.
    pub bound: BoundModule,
}

/// A parameter with its place in each column.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::report) struct BindingsRow<'a> {
    /// The parameter.
    pub path: &'a str,
    /// In the order of the columns.
    pub places: Vec<String>,
}

impl BindingsColumn {
    /// Every parameter that a column knows, in the order of the first that does.
    pub(in crate::report) fn rows(columns: &[Self]) -> Vec<BindingsRow<'_>> {
        let mut paths: Vec<&str> = Vec::new();
        for binding in columns.iter().flat_map(|column| &column.bound.bindings) {
            if !paths.contains(&binding.path.as_str()) {
                paths.push(&binding.path);
            }
        }
        let row = |path| BindingsRow { path, places: columns.iter().map(|column| column.places(path)).collect() };
        paths.into_iter().map(row).collect()
    }

    fn places(&self, path: &str) -> String {
        let rows = self.bound.bindings.iter().filter(|binding| binding.path == path);
        let places = places_text(&rows.map(BindingPlace::from).collect::<Vec<_>>());
        if let Some(computed) = self.bound.differing.get(path) {
            let computed = places_text(&computed.iter().map(BindingPlace::from).collect::<Vec<_>>());
            return format!("{places} (layoutproof: {computed})");
        }
        if self.bound.uncertain.contains_key(path) { format!("{places} (uncertain)") } else { places }
    }
}

/// The rows of the JSON answer.
pub fn rows(bound: &BoundModule) -> Vec<ShownBinding> {
    let row = |binding: &Binding| ShownBinding {
        path: binding.path.clone(),
        unit: binding.unit.to_string(),
        space: binding.space,
        index: binding.index,
        count: binding.count,
        uncertain: bound.uncertain.get(&binding.path).cloned(),
        computed: bound.differing.get(&binding.path).map(|computed| computed.iter().map(computed_row).collect()),
    };
    bound.bindings.iter().map(row).collect()
}

fn computed_row(binding: &Binding) -> ComputedBinding {
    let Binding { unit, space, index, count, .. } = binding.clone();
    ComputedBinding { unit: unit.to_string(), space, index, count }
}

/// Every parameter that a column knows, in the order of the first that does.
pub fn table(columns: &[BindingsColumn], style: Style) -> String {
    let rows = BindingsColumn::rows(columns);
    let mut text = TextLines::default();
    let first = rows.iter().map(|row| width(row.path)).max().unwrap_or(0);
    let cells = |index: usize| rows.iter().map(move |row| width(&row.places[index]));
    let column_width = |(index, column): (usize, &BindingsColumn)| cells(index).chain([width(&column.name)]).max();
    let widths: Vec<usize> = columns.iter().enumerate().filter_map(column_width).collect();
    let heads = columns.iter().zip(&widths).map(|(column, width)| pad(&column.name, *width));
    text.push(&style.paint(Tone::Strong, &format!("    {}  {}", pad("", first), heads.collect::<Vec<_>>().join("  "))));

    for BindingsRow { path, places } in &rows {
        let is_same = places.iter().all(|place| *place == places[0]);
        let (mark, tone) = if is_same { (" ", Tone::Plain) } else { ("!", Tone::Disagree) };
        let cells = places.iter().zip(&widths).map(|(cell, width)| pad(cell, *width));
        let line = format!("{}  {}", pad(&one_line(path), first), cells.collect::<Vec<_>>().join("  "));
        text.push(&format!("  {} {}", style.paint(tone, mark), line.trim_end()));
    }
    if rows.is_empty() {
        text.push("    no parameter is bound");
    }
    text.into_text()
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutproof_layout::Span;

    fn column(name: &str, bindings: &[(&str, &str)]) -> BindingsColumn {
        let binding = |(path, place): &(&str, &str)| {
            let BindingPlace { unit, space, index, count } = place.parse().unwrap();
            Binding { path: (*path).to_owned(), unit, space, index, count, span: Span::default() }
        };
        let bound = BoundModule { bindings: bindings.iter().map(binding).collect(), ..BoundModule::default() };
        BindingsColumn { name: name.to_owned(), bound }
    }

    #[test]
    fn conventions_stand_side_by_side() {
        let dxc = column("d3d12.dxc", &[("A", "u0"), ("B", "u3[4]"), ("lit", "t0"), ("lit", "s0")]);
        let slang = column("d3d12.slang", &[("A", "u0"), ("B", "u1[4]"), ("unused", "t1 space2")]);
        let expected = "            d3d12.dxc  d3d12.slang\n    \
                        A       u0         u0\n  \
                        ! B       u3[4]      u1[4]\n  \
                        ! lit     t0, s0     not bound\n  \
                        ! unused  not bound  t1 space2\n";
        assert_eq!(table(&[dxc, slang], Style::PLAIN), expected);
    }

    #[test]
    fn nothing_bound_is_said() {
        assert_eq!(table(&[column("d3d12.dxc", &[])], Style::PLAIN), "      d3d12.dxc\n    no parameter is bound\n");
    }
}
