//! Prints the table of bindings: one line per parameter, one column per convention.
//!
//! For `layoutproof show`. A `!` marks a line on which conventions differ, or whose parameter shares
//! its place with one above.

use std::collections::BTreeMap;

use crate::declared_words::{declared_parameter, shift_option};
use crate::show_json::{ComputedBinding, ShownBinding};
use crate::style::{Style, TextLines, Tone, one_line, pad, width};
use indexmap::IndexMap;
use layoutproof_bindings::place::places_text;
use layoutproof_bindings::{Binding, BindingOverlap, BindingPlace, BoundModule, ChosenEntry};
use layoutproof_frontend::module::Module;
use layoutproof_layout::{Column, LayoutUnit, ShaderCompiler, ShaderTarget};

#[derive(Clone, Debug, PartialEq)]
pub struct BindingsColumn {
    pub target: ShaderTarget,
    /// Target and compiler: `D3D12 · DXC`.
    pub name: String,
    /// The compiler that gave these places, with its version; `None` for those of rules or of the file itself.
    pub answered_by: Option<(ShaderCompiler, String)>,
    pub bound: BoundModule,
    /// The entry point that the bindings belong to, for conventions that need one.
    pub entry: Option<ChosenEntry>,
    /// Bindings that share their place.
    pub overlaps: Vec<BindingOverlap>,
    /// The declarations of parameters by path: `StructuredBuffer<Light> lights`.
    pub declared: BTreeMap<String, String>,
    /// The options that move parameters away from those above them, by path.
    pub shifts: BTreeMap<String, String>,
}

/// A parameter with its place in each column.
#[derive(Clone, Debug, PartialEq)]
pub struct BindingsRow<'a> {
    pub path: &'a str,
    /// In the order of the columns.
    pub places: Vec<String>,
    /// The declaration, or the path if it has none.
    pub declared: &'a str,
    /// The parameters above it at its place, by column, and the option that moves it: `same as A;
    /// -fvk-u-shift moves it (Vulkan · DXC)`. Empty if there are none.
    pub shared: String,
}

impl BindingsColumn {
    /// The bindings of one convention; [`declare`](Self::declare) adds the user's words.
    pub fn new(
        column: Column<'_>,
        bound: BoundModule,
        entry: Option<ChosenEntry>,
        overlaps: Vec<BindingOverlap>,
    ) -> Self {
        let (target, name) = (column.target, column.to_string());
        let (declared, shifts) = (BTreeMap::new(), BTreeMap::new());
        Self { target, name, answered_by: None, bound, entry, overlaps, declared, shifts }
    }

    /// Adds how the module declares the parameters, and what moves those that share a place, if
    /// registers of all classes become bindings of one set, as DXC has it for Vulkan.
    pub fn declare(&mut self, module: &Module, registers_are_bindings: bool) {
        let bindings = &self.bound.bindings;
        let declared = bindings.iter().map(|binding| &binding.path);
        self.declared = declared.filter_map(|path| Some((path.clone(), declared_parameter(module, path)?))).collect();
        if registers_are_bindings {
            let shifts = self.overlaps.iter().filter_map(|overlap| {
                let [first, second] = [overlap.first, overlap.second].map(|index| bindings[index].path.as_str());
                Some((second.to_owned(), shift_option(module, first, second)?))
            });
            self.shifts = shifts.collect();
        }
    }

    /// Every parameter of any column, in the order of the first column that has it.
    pub fn rows(columns: &[Self]) -> Vec<BindingsRow<'_>> {
        let mut paths: Vec<&str> = Vec::new();
        for binding in columns.iter().flat_map(|column| &column.bound.bindings) {
            if !paths.contains(&binding.path.as_str()) {
                paths.push(&binding.path);
            }
        }
        let row = |path| {
            let shared = columns.iter().filter_map(|column| {
                let above = column.above(path);
                let name = if columns.len() > 1 { format!(" ({})", column.name) } else { String::new() };
                let shift = column.shifts.get(path).map(|option| format!("; {option} moves it")).unwrap_or_default();
                (!above.is_empty()).then(|| format!("same as {}{shift}{name}", above.join(", ")))
            });
            let shared = shared.collect::<Vec<_>>().join("; ");
            let declared = columns.iter().find_map(|column| column.declared.get(path)).map_or(path, String::as_str);
            BindingsRow { path, places: columns.iter().map(|column| column.places(path)).collect(), declared, shared }
        };
        paths.into_iter().map(row).collect()
    }

    /// The parameters that share a place with this one, each once.
    fn sharing(&self, path: &str) -> Vec<&str> {
        let bindings = &self.bound.bindings;
        let mut others: Vec<&str> = Vec::new();
        for overlap in &self.overlaps {
            let (first, second) = (bindings[overlap.first].path.as_str(), bindings[overlap.second].path.as_str());
            let other = if first == path {
                second
            } else if second == path {
                first
            } else {
                continue;
            };
            if !others.contains(&other) {
                others.push(other);
            }
        }
        others
    }

    /// Those of them that come before it.
    fn above(&self, path: &str) -> Vec<&str> {
        let bindings = &self.bound.bindings;
        let mut above: Vec<&str> = Vec::new();
        for overlap in self.overlaps.iter().filter(|overlap| bindings[overlap.second].path == path) {
            let first = bindings[overlap.first].path.as_str();
            if !above.contains(&first) {
                above.push(first);
            }
        }
        above
    }

    /// Notes below the table, each printed once: the entry point of a column, and the parameters
    /// that it does not use.
    pub fn entry_notes(columns: &[Self]) -> Vec<String> {
        let mut notes: IndexMap<String, Vec<&str>> = IndexMap::new();
        for column in columns {
            let Some(ChosenEntry { name, others, unused }) = &column.entry else { continue };
            let mut own = Vec::new();
            if !others.is_empty() {
                own.push(format!("entry point {name}; others, for --entry: {}", others.join(", ")));
            }
            if !unused.is_empty() {
                own.push(format!("not used by {name}: {}", unused.join(", ")));
            }
            for note in own {
                notes.entry(note).or_default().push(&column.name);
            }
        }
        let in_columns = |(note, names): (String, Vec<&str>)| {
            if names.len() == columns.len() { note } else { format!("{} ({})", note, names.join(", ")) }
        };
        notes.into_iter().map(in_columns).collect()
    }

    /// Places in the words of the target: WebGPU calls a descriptor set a group.
    fn words<'a>(&self, bindings: impl IntoIterator<Item = &'a Binding>) -> String {
        let places: Vec<BindingPlace> = bindings.into_iter().map(BindingPlace::from).collect();
        let text = places_text(&places);
        let has_groups = self.target == ShaderTarget::Webgpu && places.iter().all(|it| it.unit == LayoutUnit::Binding);
        if has_groups { text.replace("set ", "group ") } else { text }
    }

    fn places(&self, path: &str) -> String {
        let rows = self.bound.bindings.iter().filter(|binding| binding.path == path);
        let units = [LayoutUnit::UniformLocation, LayoutUnit::LocationIn, LayoutUnit::LocationOut];
        let is_of_driver = |binding: &&Binding| self.target == ShaderTarget::Opengl && units.contains(&binding.unit);
        if let Some((binding, reason)) = rows.clone().find(is_of_driver).zip(self.bound.uncertain.get(path)) {
            return format!("{} ({reason})", binding.unit);
        }
        let places = self.words(rows);
        if let Some(computed) = self.bound.differing.get(path) {
            let computed = self.words(computed);
            return format!("{places} (layoutproof: {computed})");
        }
        if self.bound.uncertain.contains_key(path) { format!("{places} (uncertain)") } else { places }
    }
}

/// The rows of the JSON output.
pub fn rows(column: &BindingsColumn) -> Vec<ShownBinding> {
    let bound = &column.bound;
    let row = |binding: &Binding| ShownBinding {
        path: binding.path.clone(),
        unit: binding.unit.to_string(),
        space: binding.space,
        index: binding.index,
        count: binding.count,
        uncertain: bound.uncertain.get(&binding.path).cloned(),
        computed: bound.differing.get(&binding.path).map(|computed| computed.iter().map(computed_row).collect()),
        overlaps: column.sharing(&binding.path).into_iter().map(str::to_owned).collect(),
    };
    bound.bindings.iter().map(row).collect()
}

fn computed_row(binding: &Binding) -> ComputedBinding {
    let Binding { unit, space, index, count, .. } = binding.clone();
    ComputedBinding { unit: unit.to_string(), space, index, count }
}

/// The table with every parameter of any column.
pub fn table(columns: &[BindingsColumn], style: Style, limit: usize) -> String {
    let rows = BindingsColumn::rows(columns);
    let mut text = TextLines::default();
    if let [only] = columns {
        text.push(&style.paint(Tone::Strong, &heading(only, style)));
    }
    let first = rows.iter().map(|row| width(&one_line(row.declared))).max().unwrap_or(0);
    let cells = |index: usize| rows.iter().map(move |row| width(&row.places[index]));
    let column_width = |(index, column): (usize, &BindingsColumn)| cells(index).chain([width(&column.name)]).max();
    let widths: Vec<usize> = columns.iter().enumerate().filter_map(column_width).collect();
    let heads = columns.iter().zip(&widths).map(|(column, width)| pad(&column.name, *width));
    if columns.len() != 1 {
        let heads = heads.collect::<Vec<_>>().join("  ");
        text.push(&style.paint(Tone::Strong, &format!("  {}  {heads}", pad("", first))));
    }

    for BindingsRow { declared, places, shared, .. } in &rows {
        let is_same = places.iter().all(|place| *place == places[0]) && shared.is_empty();
        let (mark, tone) = if is_same { (" ", Tone::Plain) } else { ("!", Tone::Disagree) };
        let cells = places.iter().zip(&widths).map(|(cell, width)| pad(cell, *width));
        let line = format!("{}  {}", pad(&one_line(declared), first), cells.collect::<Vec<_>>().join("  "));
        let shared = one_line(shared);
        let is_beside = width(&line) + width(&shared) + 4 <= limit;
        let beside = if is_beside { format!("{line}  {shared}") } else { line };
        text.push(&format!("{} {}", style.paint(tone, mark), beside.trim_end()));
        if !is_beside && !shared.is_empty() {
            text.push(&format!("    {shared}"));
        }
    }
    if rows.is_empty() {
        text.push("  no parameter is bound");
    }
    let notes = match columns {
        [BindingsColumn { entry: Some(ChosenEntry { name, unused, .. }), .. }] if !unused.is_empty() => {
            vec![format!("not used by {name}: {}", unused.join(", "))]
        }
        [_] => Vec::new(),
        several => BindingsColumn::entry_notes(several),
    };
    for note in notes {
        text.push(&style.paint(Tone::Dim, &format!("  {}", one_line(&note))));
    }
    text.into_text()
}

/// `Vulkan · DXC · entry CSMain (also PSMain: --entry)`.
fn heading(column: &BindingsColumn, style: Style) -> String {
    let name = one_line(&column.name);
    let Some(ChosenEntry { name: entry, others, .. }) = &column.entry else { return name };
    let also = match others.as_slice() {
        [] => String::new(),
        others => format!(" (also {}: --entry)", others.join(", ")),
    };
    one_line(&format!("{name} {} entry {entry}{also}", style.dot()))
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
        let overlaps = bound.overlaps(false);
        let column = BindingsColumn::new(Column::parse(name).unwrap(), bound, None, overlaps);
        BindingsColumn { name: name.to_owned(), ..column }
    }

    #[test]
    fn conventions_stand_side_by_side() {
        let dxc = column("d3d12.dxc", &[("A", "u0"), ("B", "u3[4]"), ("lit", "t0"), ("lit", "s0")]);
        let slang = column("d3d12.slang", &[("A", "u0"), ("B", "u1[4]"), ("unused", "t1 space2")]);
        let expected = "          d3d12.dxc  d3d12.slang
  A       u0         u0
! B       u3[4]      u1[4]
! lit     t0, s0     not bound
! unused  not bound  t1 space2
";
        assert_eq!(table(&[dxc, slang], Style::PLAIN, 80), expected);
    }

    #[test]
    fn what_shares_a_place_is_marked_and_what_is_not_used_is_named() {
        let mut dxc = column(
            "vulkan.dxc",
            &[("Frame", "set 0 binding 0"), ("parts", "set 0 binding 0"), ("t", "set 0 binding 1[2]")],
        );
        let unused = vec!["lights".to_owned(), "albedo".to_owned()];
        dxc.entry = Some(ChosenEntry { name: "CSMain".to_owned(), others: vec!["PSMain".to_owned()], unused });
        dxc.declared = BTreeMap::from([("Frame".to_owned(), "cbuffer Frame".to_owned())]);
        dxc.shifts = BTreeMap::from([("parts".to_owned(), "-fvk-u-shift".to_owned())]);
        let expected = "vulkan.dxc · entry CSMain (also PSMain: --entry)
  cbuffer Frame  set 0 binding 0
! parts          set 0 binding 0     same as Frame; -fvk-u-shift moves it
  t              set 0 binding 1[2]
  not used by CSMain: lights, albedo
";
        assert_eq!(table(&[dxc], Style::PLAIN, 80), expected);
    }

    #[test]
    fn nothing_bound_is_said() {
        assert_eq!(table(&[column("d3d12.dxc", &[])], Style::PLAIN, 80), "d3d12.dxc\n  no parameter is bound\n");
    }
}
