//! `layoutproof diff`: compares two layouts of one source, member by member.
//!
//! Also reports whether the two differ anywhere: in a place, a type or a binding. Alignments are not compared: they
//! are not places, and if one matters, an offset differs too. The text has the tables of [`super::struct_text`],
//! with the members around a difference only.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use layoutproof_layout::{BlockKind, Count, MemberRow};
use layoutproof_source::shader_language::ShaderLanguage;
use serde::{Serialize, Serializer};

use super::compared_rows::ComparedLayout;
use super::declaration_words::type_words;
use super::markdown_text::{code, escaped};
use super::member_tree::{split_dimensions, strides};
use super::numeric::{is_another_type, may_be_compiled_to, numeric};
use super::shown_columns::{ColumnName, MergedColumn, NamedLayouts, ShownColumn, ShownColumnBlock, joined};
use super::struct_lines::refused;
use super::struct_text::{MemberTable, TextOptions, heading, name_in_style, short_name, totals};
use crate::show_json::ShownBlock;
use crate::style::{Style, TextLines, Tone, cut_start, one_line, width};
use layoutproof_events::{Account, SCHEMA};
use layoutproof_source::plain_text::escape_json;

#[derive(Clone, Debug, PartialEq)]
pub struct DiffText {
    /// Side by side, with marks where the two differ.
    pub tables: String,
    /// The language in whose words the members are.
    pub language: ShaderLanguage,
    /// True if any offset, size, stride, type or binding differs.
    pub differs: bool,
    /// Why the two may be the same although a reading of them differs.
    doubt: Option<String>,
    /// The same comparison for the JSON output.
    blocks: Vec<DiffBlock>,
    bindings: ComparedBindings,
}

/// What became of the comparison of bindings.
#[derive(Clone, Debug, PartialEq)]
enum ComparedBindings {
    /// The sides are one file under two targets, which bind it in terms of their own.
    NotAsked,
    /// One side does not say where its parameters are bound, or says it in other terms.
    Unknown,
    Compared(Vec<MovedBinding>),
}

impl ComparedBindings {
    fn moved(&self) -> &[MovedBinding] {
        match self {
            Self::Compared(moved) => moved,
            Self::NotAsked | Self::Unknown => &[],
        }
    }

    /// The end of a verdict that says nothing about bindings.
    fn limit(&self) -> &'static str {
        match self {
            Self::Unknown => "; bindings are not compared",
            Self::NotAsked | Self::Compared(_) => "",
        }
    }

    /// For the JSON output: `None` if they are not compared.
    fn compared(&self) -> Option<&[MovedBinding]> {
        match self {
            Self::Compared(moved) => Some(moved),
            Self::NotAsked | Self::Unknown => None,
        }
    }
}

/// A parameter that the sides bind to different places or declare as different resources, or that only one side binds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MovedBinding {
    pub path: String,
    left: Option<String>,
    right: Option<String>,
}

impl MovedBinding {
    /// The places in both, or how both declare it where these are the same, with a dash where it is not bound.
    pub fn places(&self) -> [&str; 2] {
        [&self.left, &self.right].map(|place| place.as_deref().unwrap_or("–"))
    }
}

/// Where a side's parameters are bound, by their paths.
pub type BoundPlaces = BTreeMap<String, BoundParameter>;

#[derive(Clone, Debug)]
pub struct BoundParameter {
    pub place: String,
    /// `Texture2D t[4]`; `None` for a block, whose table says what it is.
    pub declared: Option<String>,
}

impl BoundParameter {
    /// How a resource is declared, in HLSL without the element that it has by default.
    fn resource(&self) -> Option<String> {
        Some(self.declared.as_ref()?.replace("<float4>", ""))
    }
}

/// One block of both sides.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct DiffBlock {
    name: String,
    /// True if a number or a refusal differs, or if only one side has the block.
    differs: bool,
    /// The members that differ, in JSON by their paths, and the end of the block if it does.
    #[serde(rename = "differing", serialize_with = "paths")]
    lines: Vec<DiffLine>,
    /// What else differs in the block as a whole, on both sides.
    #[serde(skip)]
    whole: Vec<[String; 2]>,
    left: Option<ShownBlock>,
    right: Option<ShownBlock>,
}

fn paths<S: Serializer>(lines: &[DiffLine], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(lines.iter().filter_map(|line| line.path.as_deref()))
}

/// The output of `diff --format json`: `blocks` for a pair of layouts, `targets` for two files under all of their targets.
#[derive(Serialize)]
struct DiffAnswer<'a> {
    schema: u32,
    left: String,
    right: String,
    differs: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    uncertain: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<&'a [DiffBlock]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bindings: Option<&'a [MovedBinding]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    targets: Option<Vec<TargetAnswer<'a>>>,
    account: &'a Account,
}

#[derive(Serialize)]
struct TargetAnswer<'a> {
    rules: &'a str,
    differs: bool,
    blocks: &'a [DiffBlock],
    #[serde(skip_serializing_if = "Option::is_none")]
    bindings: Option<&'a [MovedBinding]>,
}

impl DiffAnswer<'_> {
    /// One line, newline included.
    fn into_json(self) -> String {
        let json = serde_json::to_string(&self).expect("the keys of these types are strings and no value is a map");
        escape_json(&json).into_owned() + "\n"
    }
}

impl DiffText {
    /// Compares where parameters are bound, too, by their paths. `None` is a side that does not say so in the other's terms.
    #[must_use]
    pub fn with_bindings(mut self, sides: [Option<&BoundPlaces>; 2], style: Style) -> Self {
        let [Some(left), Some(right)] = sides else {
            return Self { bindings: ComparedBindings::Unknown, ..self };
        };
        // The tables say of a block that one side lacks it.
        let is_alone = |path: &str| {
            let mut alone = self.blocks.iter().filter(|block| block.left.is_none() || block.right.is_none());
            alone.any(|block| block.name == path)
        };
        let paths = left.keys().chain(right.keys().filter(|path| !left.contains_key(*path)));
        let mut moved = Vec::new();
        for path in paths.filter(|path| !is_alone(path)) {
            let sides = [left, right].map(|places| places.get(path));
            let places = sides.map(|side| side.map(|side| side.place.clone()));
            let resources = sides.map(|side| side.and_then(BoundParameter::resource));
            let (verb, [left, right]) = match (&places, &resources) {
                ([left, right], _) if left != right => ("bound at ", places),
                (_, [Some(left), Some(right)]) if left != right => ("", resources),
                _ => continue,
            };
            let binding = MovedBinding { path: path.clone(), left, right };
            let [left, right] = binding.places().map(one_line);
            let line = format!("{} {}  {verb}{left} / {right}", style.differs(), one_line(path));
            writeln!(self.tables, "{}", style.paint(Tone::Disagree, &line)).expect("a String takes every write");
            moved.push(binding);
        }
        self.differs |= !moved.is_empty();
        self.bindings = ComparedBindings::Compared(moved);
        self
    }

    /// Joins two readings of the same files. If one finds a difference and the other none, the answer is uncertain.
    #[must_use]
    pub fn or_else(self, other: Self, doubt: &str) -> Self {
        if self.differs == other.differs {
            return self;
        }
        let differing = if self.differs { self } else { other };
        Self { doubt: Some(doubt.to_owned()), ..differing }
    }

    pub fn is_uncertain(&self) -> bool {
        self.doubt.is_some()
    }

    pub fn moved_bindings(&self) -> &[MovedBinding] {
        self.bindings.moved()
    }

    /// The verdict as a sentence without the names of the sides.
    pub fn sentence(&self) -> String {
        let start = match (&self.doubt, self.differs) {
            (Some(doubt), _) => format!("Whether the two layouts differ is uncertain: {doubt}"),
            (None, true) => "The two layouts differ".to_owned(),
            (None, false) => "The two layouts are the same".to_owned(),
        };
        format!("{start}{}.", self.bindings.limit())
    }

    /// The output as one line of JSON, newline included.
    pub fn to_json(&self, left: &ShownColumn, right: &ShownColumn, account: &Account) -> String {
        let (differs, blocks) = (self.differs, Some(self.blocks.as_slice()));
        let (left, right) = (left.name.to_string(), right.name.to_string());
        let (uncertain, bindings) = (self.doubt.as_deref(), self.bindings.compared());
        DiffAnswer { schema: SCHEMA, left, right, differs, uncertain, blocks, bindings, targets: None, account }
            .into_json()
    }

    /// The output for a pull request.
    pub fn to_markdown(&self, left: &ColumnName, right: &ColumnName) -> String {
        let table = if self.differs { self.markdown_table([left, right]) } else { String::new() };
        let doubt = self.doubt.as_ref().map(|doubt| format!(", which is uncertain: {doubt}")).unwrap_or_default();
        markdown_heading(self.differs, [left, right], &format!("{doubt}{}", self.bindings.limit())) + &table
    }

    /// The members that differ, one row for each.
    fn markdown_table(&self, names: [&ColumnName; 2]) -> String {
        let [left, right] = names.map(|name| escaped(&name.to_string()));
        let mut text = format!("| block | member | {left} | {right} |\n|---|---|---|---|\n");
        for block in self.blocks.iter().filter(|block| block.differs) {
            let whole = |side: &Option<ShownBlock>| match side {
                None => "not there".to_owned(),
                Some(side) => match (side.errors.first(), side.size) {
                    (Some(refusal), _) => escaped(&format!("refused: {refusal}")),
                    (None, Some(size)) => format!("{size} bytes"),
                    (None, None) => "runtime-sized".to_owned(),
                },
            };
            let is_whole = |side: &Option<ShownBlock>| side.as_ref().is_none_or(|side| !side.errors.is_empty());
            let lines = if is_whole(&block.left) || is_whole(&block.right) { &[][..] } else { &block.lines };
            let mut row = |member: &str, [left, right]: [String; 2]| {
                writeln!(text, "| {} | {member} | {left} | {right} |", code(&block.name))
                    .expect("a String takes every write");
            };
            for line in lines.iter().filter_map(|line| Some((line.path.as_deref()?, &line.sides))) {
                row(&code(line.0), line.1.each_ref().map(words_of));
            }
            let sizes = [&block.left, &block.right].map(whole);
            if lines.is_empty() && block.whole.is_empty() || sizes[0] != sizes[1] {
                row("", sizes);
            }
            for sides in &block.whole {
                row("", sides.clone());
            }
        }
        for binding in self.bindings.moved() {
            let [left, right] = binding.places();
            writeln!(text, "| {} | binding | {left} | {right} |", code(&binding.path))
                .expect("a String takes every write");
        }
        text
    }

    /// The tables, and the verdict in the last line.
    pub fn with_verdict(&self, left: &ColumnName, right: &ColumnName, style: Style) -> String {
        let mut text = TextLines::default();
        let (verdict, end) = match &self.doubt {
            Some(doubt) => (style.verb(Tone::Skip, "Uncertain"), format!(": {doubt}")),
            None => (verdict(self.differs, style), String::new()),
        };
        text.push(&format!("{verdict} {}{end}{}", sides([left, right], style), self.bindings.limit()));
        format!("{}{}", self.tables, text.into_text())
    }
}

/// Two files under a target of both.
#[derive(Debug)]
pub struct TargetDiff {
    pub target: ColumnName,
    /// The rule set's name for programs.
    pub rules: String,
    pub difference: DiffText,
}

/// The tables of each target that tells the files apart, those of equal tables once, and the verdict in the last line.
pub fn by_target(diffs: &[TargetDiff], files: [&ColumnName; 2], style: Style) -> String {
    let mut text = TextLines::default();
    for (difference, targets) in differing_targets(diffs) {
        text.push(&style.paint(Tone::Strong, &joined(&targets)));
        text.append(&difference.tables);
        text.push("");
    }
    let differs = diffs.iter().any(|diff| diff.difference.differs);
    text.push(&format!("{} {}{}", verdict(differs, style), sides(files, style), under_targets(diffs)));
    text.into_text()
}

/// What differs, with the targets for which it is the same.
fn differing_targets(diffs: &[TargetDiff]) -> Vec<(&DiffText, Vec<&ColumnName>)> {
    let mut groups: Vec<(&DiffText, Vec<&ColumnName>)> = Vec::new();
    for TargetDiff { target, difference, .. } in diffs.iter().filter(|diff| diff.difference.differs) {
        match groups.iter_mut().find(|(known, _)| known.tables == difference.tables) {
            Some((_, targets)) => targets.push(target),
            None => groups.push((difference, vec![target])),
        }
    }
    groups
}

/// The end of the verdict: ` under D3D12 · DXC; the same under Metal · Slang; bindings are not compared`.
fn under_targets(diffs: &[TargetDiff]) -> String {
    let under = |differs: bool| {
        let targets = diffs.iter().filter(|diff| diff.difference.differs == differs).map(|diff| &diff.target);
        joined(&targets.collect::<Vec<_>>())
    };
    let (differ, same) = (under(true), under(false));
    let end = match (differ.is_empty(), same.is_empty()) {
        (true, _) => format!(" under {same}"),
        (false, true) => format!(" under {differ}"),
        (false, false) => format!(" under {differ}; the same under {same}"),
    };
    let unbound = diffs.iter().filter(|diff| diff.difference.bindings == ComparedBindings::Unknown);
    let unbound: Vec<&ColumnName> = unbound.map(|diff| &diff.target).collect();
    match unbound.len() {
        0 => end,
        all if all == diffs.len() => end + ComparedBindings::Unknown.limit(),
        _ => format!("{end}{} under {}", ComparedBindings::Unknown.limit(), joined(&unbound)),
    }
}

/// [`by_target`] for a pull request: the verdict as a heading, and a table of the members that differ.
pub fn targets_markdown(diffs: &[TargetDiff], files: [&ColumnName; 2]) -> String {
    let differing = differing_targets(diffs);
    let end = under_targets(diffs);
    let tables = differing.iter().map(|(difference, targets)| {
        let start = if differing.len() > 1 { format!("{}:\n\n", escaped(&joined(targets))) } else { String::new() };
        start + &difference.markdown_table(files)
    });
    let tables: Vec<String> = tables.collect();
    format!("{}{}", markdown_heading(!differing.is_empty(), files, &end), tables.join("\n"))
}

fn markdown_heading(differs: bool, files: [&ColumnName; 2], end: &str) -> String {
    let [left, right] = files.map(|name| escaped(&name.to_string()));
    let verdict = if differs { "differ" } else { "are the same" };
    format!("### {left} and {right} {verdict}{}\n\n", escaped(end))
}

/// [`by_target`] as one line of JSON, newline included.
pub fn targets_json(diffs: &[TargetDiff], files: [&ColumnName; 2], account: &Account) -> String {
    let [left, right] = files.map(ToString::to_string);
    let targets = diffs.iter().map(|TargetDiff { rules, difference, .. }| TargetAnswer {
        rules,
        differs: difference.differs,
        blocks: &difference.blocks,
        bindings: difference.bindings.compared(),
    });
    let (differs, targets) = (diffs.iter().any(|diff| diff.difference.differs), Some(targets.collect()));
    let answer = DiffAnswer {
        schema: SCHEMA,
        left,
        right,
        differs,
        uncertain: None,
        blocks: None,
        bindings: None,
        targets,
        account,
    };
    answer.into_json()
}

fn verdict(differs: bool, style: Style) -> String {
    let (tone, verb) = if differs { (Tone::Disagree, "Differ") } else { (Tone::Agree, "Same") };
    style.verb(tone, verb)
}

fn sides(names: [&ColumnName; 2], style: Style) -> String {
    let [left, right] = names.map(|name| name_in_style(name, style));
    format!("{left} and {right}")
}

/// Pairs the blocks of two layouts of different files and gives each pair the left name.
///
/// Blocks form a pair if their names are equal without the prefix that compilers add (`type.S`). If
/// each side has only one block, these two form a pair.
pub fn paired(left: ShownColumn, mut right: ShownColumn) -> [ShownColumn; 2] {
    let bare = |name: &str| {
        let name = ["type.ConstantBuffer.", "type.", "type_"]
            .iter()
            .find_map(|prefix| name.strip_prefix(prefix))
            .unwrap_or(name);
        name.trim_start_matches(['$', '_']).to_lowercase()
    };
    match (left.blocks.as_slice(), right.blocks.as_mut_slice()) {
        ([only], [other]) => other.shown.name.clone_from(&only.shown.name),
        (blocks, others) => {
            for other in others.iter_mut().map(|block| &mut block.shown) {
                let blocks = || blocks.iter().map(|block| &block.shown);
                let exact = blocks().any(|block| block.name == other.name);
                let alike = blocks().find(|block| bare(&block.name) == bare(&other.name));
                if let Some(block) = alike.filter(|_| !exact) {
                    other.name.clone_from(&block.name);
                }
            }
        }
    }
    [left, right]
}

/// A text for Metal next to the module that a translator read. The text may give a member a wider type, because that is how a
/// translator puts the next element or column 16 bytes away, an array without a length one element, and a matrix by rows
/// columns, which its code transposes. So members at the module's place with the module's strides and enough room get the
/// module's size and order here, and its type if that is of the same scalars.
pub fn with_room_for(module: &ShownColumn, mut text: ShownColumn) -> ShownColumn {
    for block in text.blocks.iter_mut().map(|block| &mut block.shown) {
        let Some(other) = module.blocks.iter().find(|other| other.shown.name == block.name) else { continue };
        let mut fits = block.members.len() == other.shown.members.len();
        for row in &mut block.members {
            let of_module = other.shown.members.iter().find(|other| other.path == row.path);
            let has_room = of_module.is_some_and(|module| {
                let is_alike = (row.offset, row.array_stride, &row.array_strides, row.matrix_stride)
                    == (module.offset, module.array_stride, &module.array_strides, module.matrix_stride);
                let is_whole = match (row.size, module.size) {
                    (Some(size), Some(needed)) => size >= needed,
                    (None, None) => true,
                    (Some(size), None) => row.array_stride.is_some_and(|stride| size <= stride),
                    (None, Some(_)) => false,
                };
                is_alike && is_whole
            });
            fits &= has_room;
            if let Some(module) = of_module.filter(|_| has_room) {
                (row.size, row.unbounded, row.matrix_order) = (module.size, module.unbounded, module.matrix_order);
                let [own, of_module] = [&*row, module].map(|row| numeric(split_dimensions(&row.type_name).0));
                if own.map(|(scalar, _)| scalar) == of_module.map(|(scalar, _)| scalar) {
                    row.type_name.clone_from(&module.type_name);
                }
            }
        }
        if fits {
            block.size = other.shown.size;
        }
    }
    text
}

/// A file next to another one that is in another language, or compiled: types that compilers write for the other file's
/// get their names. In a SPIR-V file, which has offsets and strides only, members and blocks also get the other file's sizes,
/// of which padding may be a part. Sizes of constant blocks that differ in what follows the last member are one size.
#[must_use]
pub fn in_terms_of(other: &ShownColumn, mut file: ShownColumn, is_spirv: bool) -> ShownColumn {
    for block in file.blocks.iter_mut().map(|block| &mut block.shown) {
        let Some(other) = other.blocks.iter().find(|other| other.shown.name == block.name) else { continue };
        if is_spirv {
            leave_wrapper(&other.shown, block);
        }
        let may_be_padded = |own: Option<u32>, other: Option<u32>| is_spirv && own.is_some() && own <= other;
        let mut fits = block.members.len() == other.shown.members.len();
        for row in &mut block.members {
            let like = other.shown.members.iter().find(|other| other.path == row.path);
            let like = like.filter(|like| {
                let [one, twin] = [&*row, *like].map(|row| (row.offset, strides(row), row.matrix_vectors()));
                one == twin && may_be_compiled_to(&like.type_name, &row.type_name)
            });
            fits &= like.is_some();
            let Some(like) = like else { continue };
            if may_be_padded(row.size, like.size) {
                row.size = like.size;
            }
            if row.size == like.size {
                row.type_name.clone_from(&like.type_name);
            }
        }
        // Behind the members of a constant block there is no data: some compilers round its end up to 16 bytes.
        let registers = |size: Option<u32>| size.map(|size| size.div_ceil(16));
        let is_rounded = block.kind.is_constant() && registers(block.size) == registers(other.shown.size);
        if fits && (may_be_padded(block.size, other.shown.size) || is_rounded) {
            block.size = other.shown.size;
        }
    }
    file
}

/// Takes the struct away in which SPIR-V has each block, around a block that is none in the other file: naga gives it one
/// member.
fn leave_wrapper(other: &ShownBlock, block: &mut ShownBlock) {
    let is_bare = other.members.first().is_some_and(|row| row.path.is_empty());
    let Some(wrapper) = block.members.first().map(|row| row.path.clone()).filter(|_| is_bare) else { return };
    let inner = |path: &str| {
        let rest = path.strip_prefix(&wrapper).filter(|rest| rest.is_empty() || rest.starts_with(['[', '.']))?;
        Some(rest.to_owned())
    };
    let inner: Option<Vec<String>> = block.members.iter().map(|row| inner(&row.path)).collect();
    for (row, path) in block.members.iter_mut().zip(inner.into_iter().flatten()) {
        row.path = path;
    }
}

/// Compares block by block. A block that only one side has counts as a difference. Members are in the words of `language`.
pub fn diff(left: &ShownColumn, right: &ShownColumn, language: ShaderLanguage, options: &TextOptions<'_>) -> DiffText {
    let find = |column: &ShownColumn, name: &str| column.blocks.iter().position(|block| block.shown.name == name);
    let of_left = left.blocks.iter().map(|block| {
        let other = find(right, &block.shown.name).map(|index| &right.blocks[index]);
        [Some(block), other]
    });
    let only_right = right.blocks.iter().filter(|block| find(left, &block.shown.name).is_none());
    let pairs = of_left.chain(only_right.map(|block| [None, Some(block)]));

    let mut text = TextLines::default();
    let mut blocks = Vec::new();
    for sides in pairs {
        let comparison = BlockComparison { names: [&left.name, &right.name], sides, language, options };
        let block = comparison.data();
        comparison.draw(block.differs, &mut text);
        blocks.push(block);
    }

    let differs = blocks.iter().any(|block| block.differs);
    let tables = text.into_text();
    DiffText { tables, language, differs, doubt: None, blocks, bindings: ComparedBindings::NotAsked }
}

struct BlockComparison<'a> {
    names: [&'a ColumnName; 2],
    sides: [Option<&'a ShownColumnBlock>; 2],
    language: ShaderLanguage,
    options: &'a TextOptions<'a>,
}

/// A line on one side, as text; all empty for a member that is not there.
#[derive(Clone, Debug, Default, PartialEq)]
struct DiffNumbers {
    /// The offset, or the size of the whole block.
    place: String,
    size: String,
    strides: String,
    /// Only where it differs from the other side's.
    type_name: String,
}

/// A member, or the end of the block, on both sides.
#[derive(Clone, Debug, PartialEq)]
struct DiffLine {
    /// `None` for the end of the block.
    path: Option<String>,
    sides: [DiffNumbers; 2],
}

/// Columns of a file's name in a heading: two of them leave room for members in 80 columns.
const FILE_COLUMNS: usize = 18;

/// The names for headings: of a long name of a file its end, or `old` and `new` where both files have the same name, as in
/// two commits.
fn short_files(names: [&ColumnName; 2], style: Style) -> [ColumnName; 2] {
    let mut short = names.map(ColumnName::clone);
    let [Some(left), Some(right)] = names.map(|name| name.file.as_deref()) else { return short };
    if left == right || width(left).max(width(right)) <= FILE_COLUMNS {
        return short;
    }
    let name = |file: &str| file.rsplit(['/', '\\', ':']).next().unwrap_or_default().to_owned();
    let words = if name(left) == name(right) {
        ["old", "new"].map(str::to_owned)
    } else {
        [left, right].map(|file| cut_start(file, FILE_COLUMNS, style))
    };
    let has_one_target = short[0].layouts == short[1].layouts;
    for (name, word) in short.iter_mut().zip(words) {
        name.file = Some(word);
        if has_one_target {
            // The last line of the answer has it.
            name.layouts = NamedLayouts::Declared;
        }
    }
    short
}

impl BlockComparison<'_> {
    fn data(&self) -> DiffBlock {
        let different = self.lines().into_iter().filter(|line| line.sides[0] != line.sides[1]);
        let different: Vec<DiffLine> = different.collect();
        let [left, right] = self.sides.map(|side| side.map(|block| block.shown.clone()));
        let name = left.as_ref().or(right.as_ref()).map(|block| block.name.clone()).unwrap_or_default();
        let whole = self.whole();
        let differs = !different.is_empty() || !whole.is_empty() || self.refusal_differs();
        DiffBlock { name, differs, lines: different, whole, left, right }
    }

    /// What the block is on each side, where that differs: its memory, and its elements in an array of blocks.
    fn whole(&self) -> Vec<[String; 2]> {
        let [Some(left), Some(right)] = self.sides.map(|side| side.map(|block| &block.shown)) else {
            return Vec::new();
        };
        let sides = [left, right];
        let memory = sides.map(|block| memory(block.kind));
        let counts = sides.map(|block| match block.count {
            Count::Finite(1) => "one buffer".to_owned(),
            Count::Finite(count) => format!("{count} buffers"),
            Count::Unbounded => "buffers without a limit".to_owned(),
        });
        let mut whole = Vec::new();
        if let [Some(one), Some(other)] = memory
            && one != other
        {
            whole.push([one, other].map(str::to_owned));
        }
        if counts[0] != counts[1] {
            whole.push(counts);
        }
        whole
    }

    /// The table of the block, or one line if both sides agree.
    fn draw(&self, differs: bool, text: &mut TextLines) {
        let style = self.options.style;
        let Some(any) = self.sides.into_iter().flatten().next() else { return };
        let heading = heading(&any.shown, any.declared.as_deref(), self.language);
        let readable = self.sides.map(|side| side.filter(|block| block.shown.errors.is_empty()));
        match readable {
            [Some(left), Some(right)] if differs => {
                let names = short_files(self.names, style);
                let names = names.each_ref().map(|name| [name]);
                let names = names.each_ref().map(|name| &name[..]);
                let layouts = [(0, left), (1, right)]
                    .map(|(index, block)| ComparedLayout { name: short_name(&names, index, style), block });
                let table = MemberTable::of(heading, &names, &layouts, self.language, self.options).folded();
                table.draw(text);
                let columns = names.into_iter().zip([left, right]);
                let columns: Vec<MergedColumn<'_>> =
                    columns.map(|(names, block)| MergedColumn { names: names.to_vec(), block }).collect();
                totals(&columns, &table, Vec::new(), self.options, text);
                for [left, right] in self.whole() {
                    text.push(&style.paint(Tone::Disagree, &format!("{} {left} / {right}", style.differs())));
                }
                text.push("");
            }
            [Some(block), Some(_)] => {
                let size = block.shown.size.map_or_else(|| "runtime-sized".to_owned(), |size| format!("{size} bytes"));
                text.push(&format!("{}  {size}, the same", style.paint(Tone::Strong, &heading)));
            }
            [None, _] | [_, None] => text.push(&style.paint(Tone::Strong, &heading)),
        }

        for (block, name) in self.sides.iter().zip(self.names) {
            let rules = name_in_style(name, style);
            match block {
                Some(block) => text.append(&refused(&block.shown, &rules, style)),
                None => text.push(&style.paint(Tone::Disagree, &format!("  {rules} has no such block"))),
            }
        }
    }

    /// True if one side refuses the block, both refuse it for different reasons, or only one side
    /// has it.
    fn refusal_differs(&self) -> bool {
        match self.sides {
            [Some(left), Some(right)] => left.shown.errors != right.shown.errors,
            [None, _] | [_, None] => true,
        }
    }

    fn lines(&self) -> Vec<DiffLine> {
        let [left, right] = self.sides.map(|side| side.map_or(&[][..], |block| &block.shown.members));
        let in_left = |row: &MemberRow| left.iter().any(|other| other.path == row.path);
        let rows = left.iter().chain(right.iter().filter(|row| !in_left(row)));

        let mut lines: Vec<DiffLine> = rows
            .map(|row| {
                let rows = [left, right].map(|rows| rows.iter().find(|other| other.path == row.path));
                let mut sides = rows.map(|row| row.map(member).unwrap_or_default());
                if let [Some(one), Some(other)] = rows
                    && is_another_type(&one.type_name, &other.type_name)
                {
                    for (side, row) in sides.iter_mut().zip([one, other]) {
                        side.type_name = type_words(self.language, &row.type_name);
                    }
                }
                DiffLine { path: Some(row.path.clone()), sides }
            })
            .collect();
        let sides = self.sides.map(|side| side.map(|block| total(&block.shown)).unwrap_or_default());
        lines.push(DiffLine { path: None, sides });
        lines
    }
}

/// The memory of a block, where files in different languages have the same words for it.
fn memory(kind: BlockKind) -> Option<&'static str> {
    match kind {
        BlockKind::PushConstant => Some("push constants"),
        BlockKind::StructuredElement | BlockKind::StorageBlock => Some("storage buffer"),
        _ if kind.is_constant() => Some("uniform buffer"),
        _ => None,
    }
}

fn member(row: &MemberRow) -> DiffNumbers {
    let mut strides: Vec<String> = strides(row).iter().map(ToString::to_string).collect();
    strides.extend(row.matrix_vectors().map(|(order, stride)| format!("{} {stride}", order.as_str())));
    let bit = row.bit_offset.map(|bit| format!(".{bit}")).unwrap_or_default();
    let size = row.size.map_or_else(|| "[]".to_owned(), |size| size.to_string());
    let (place, strides) = (format!("{}{bit}", row.offset), strides.join(" "));
    DiffNumbers { place, size, strides, type_name: String::new() }
}

/// `144, 4 bytes, stride 16`; a dash for a member that is not there.
fn words_of(DiffNumbers { place, size, strides, type_name }: &DiffNumbers) -> String {
    if place.is_empty() {
        return "–".to_owned();
    }
    let size = if size == "[]" { "runtime-sized".to_owned() } else { format!("{size} bytes") };
    let strides = if strides.is_empty() { String::new() } else { format!(", stride {strides}") };
    let type_name = if type_name.is_empty() { String::new() } else { format!(", {type_name}") };
    format!("{place}, {size}{strides}{type_name}")
}

fn total(block: &ShownBlock) -> DiffNumbers {
    let text = |value: Option<u32>| value.map(|value| value.to_string()).unwrap_or_default();
    DiffNumbers { place: text(block.size), strides: text(block.stride), ..DiffNumbers::default() }
}
