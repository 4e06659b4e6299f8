//! `layoutproof diff`: compares two layouts member by member: one input under two rule sets, or two
//! inputs, under every target of both where none is named.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use layoutproof_events::Account;
use layoutproof_events::shell::shell_word;
use layoutproof_events::summary::Exit;
use layoutproof_inputs::compile_args::CompileArguments;
use layoutproof_inputs::declare::DeclareArgs;
use layoutproof_inputs::inputs::{InputWord, read_input};
use layoutproof_inputs::named_compiler::named_compiler;
use layoutproof_inputs::refused_input::RefusedInput;
use layoutproof_inputs::rule_set::{
    defines_spirv, is_rules_word, is_target_word, rule_choice, target_choice, unknown_rules,
};
use layoutproof_inputs::shader_file::compiler_reading::{CompilerReading, RefusedFile};
use layoutproof_inputs::shared_suffixes::language_of_file;
use layoutproof_inputs::spirv_macro::column_defines_spirv;
use layoutproof_layout::native::Native;
use layoutproof_layout::{BlockLayout, DECLARED, RuleChoice, ShaderTarget};
use layoutproof_readers::spirv::{ModuleSource, as_hlsl};
use layoutproof_render::render;
use layoutproof_report::html::diff_page;
use layoutproof_show::diff_text::{
    BoundParameter, BoundPlaces, DiffText, TargetDiff, by_target, diff, in_terms_of, paired, targets_json,
    targets_markdown, with_room_for,
};
use layoutproof_show::front_ends::Purpose;
use layoutproof_show::markdown_text::escaped;
use layoutproof_show::shown_columns::{ColumnName, NamedLayouts, ShownColumn, ShownColumnBlock};
use layoutproof_show::struct_text::TextOptions;
use layoutproof_show::{
    InputContent, RuleSetLayouts, ShowInput, ShownColumnChoice, ShownRules, Style, accounts, one_line, shipping,
};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;

use crate::commands::show::args::{DiffArgs, DiffFormat};
use crate::commands::show::compiled_columns::layouts;
use crate::commands::show::revision::Revision;
use crate::output::{print, print_json, print_refusal, text_columns, warn_of_error, warn_rendered};

#[derive(Debug)]
struct DiffSide<'a> {
    input: &'a str,
    /// The rule set; `None` for the offsets that a module declares.
    rules: Option<&'a str>,
    /// The commit whose text of the input is compared.
    revision: Option<&'a Revision>,
}

impl<'a> DiffSide<'a> {
    fn of(input: &'a str, rules: Option<&'a str>) -> Self {
        Self { input, rules, revision: None }
    }

    /// As columns name the file: `HEAD:my.hlsl`.
    fn name(&self) -> String {
        let of_revision = self.revision.map(|revision| format!("{}:", revision.name)).unwrap_or_default();
        format!("{of_revision}{}", self.input)
    }
}

/// Compares two layouts.
pub(crate) fn compare(args: &DiffArgs, style: Style) -> anyhow::Result<Exit> {
    if let Some(words) = RevisionWords::of(&args.words, args.has_target_option)? {
        return compare_revision(args, &words, style);
    }
    let is_name = |word: &String| matches!(InputWord::of(word, None), InputWord::Filter(_));
    if let Some(range) = args.words.first().filter(|word| is_name(word) && means_commits(word)) {
        bail!("git knows no such commit here: {range}");
    }
    let sides =
        sides(&args.words).inspect_err(|error| tell_programs(args, &args.words[0], Code::UnknownRules, error))?;
    let [source, other] = &sides;
    if [source, other].iter().all(|side| Path::new(side.input).is_dir()) {
        return compare_folders(args, &sides, style);
    }
    let compared = compare_sides(args, &sides, true, style);
    compared.inspect_err(|error| tell_programs(args, source.input, Code::Unreadable, error))
}

/// True for `main...`, `HEAD~1..HEAD` and `HEAD^`, not for a path.
fn means_commits(word: &str) -> bool {
    let is_range = word.contains("..") && !word.starts_with('.') && !word.contains("/..");
    let is_before = word.contains(['~', '^']) && !word.starts_with('~');
    (is_range || is_before) && !Path::new(word).exists()
}

fn tell_programs(args: &DiffArgs, source: &str, code: Code, error: &anyhow::Error) {
    match args.format {
        DiffFormat::Json => print_refusal(source, code, error),
        DiffFormat::Text | DiffFormat::Markdown | DiffFormat::Html => {}
    }
}

/// What to compare with a commit: `HEAD a.hlsl vulkan`.
struct RevisionWords<'a> {
    revision: Revision,
    /// The commit to compare it with; `None` for the files that are here.
    other: Option<Revision>,
    /// Without named ones, all shaders that git tracks here, and those that changed since the commit.
    files: Vec<String>,
    are_named: bool,
    rules: Option<&'a str>,
}

impl<'a> RevisionWords<'a> {
    /// `None` if the words name no commit. `has_target_option` says that the last word is the target of an option.
    fn of(words: &'a [String], has_target_option: bool) -> anyhow::Result<Option<Self>> {
        let Some((first, rest)) = words.split_first() else { return Ok(None) };
        if Path::new(first).exists() {
            return Ok(None);
        }
        let range = Revision::range(first)?;
        let second = rest.first().filter(|word| range.is_none() && !Path::new(word).exists());
        let second = second.map_or(Ok(None), |word| Revision::named(word))?;
        let rest = if second.is_some() { &rest[1..] } else { rest };
        let (rules, files): (Vec<&String>, Vec<&String>) =
            rest.iter().partition(|word| !Path::new(word).exists() && (is_rules_word(word) || is_target_word(word)));
        // `main d3d12` may mean anything.
        let is_only_a_word = files.is_empty() && !rules.is_empty() && !has_target_option;
        if is_only_a_word && !first.contains("..") {
            return Ok(None);
        }
        let (revision, other) = match range {
            Some([revision, other]) => (revision, Some(other)),
            None => match Revision::named(first)? {
                Some(revision) => (revision, second),
                None => return Ok(None),
            },
        };
        if let Some(word) = files.iter().find(|word| !Path::new(word).is_file()) {
            if word.starts_with('-') {
                bail!("`{word}` follows `--`, where options are names: write it before")
            }
            if Path::new(word).is_dir() {
                bail!("`{word}` is a folder: name files, or none for all shaders that changed since {first}")
            }
            bail!("{first} is a commit, but `{word}` is no file here")
        }
        if let [_, second, ..] = rules.as_slice() {
            bail!("`{second}` is one target too many: name one for both versions, or none for all");
        }
        let is_shader =
            |word: &String| matches!(InputWord::of(word, None), InputWord::Shader(file) if !file.is_module());
        let are_named = !files.is_empty();
        let mut files: Vec<String> = files.into_iter().cloned().collect();
        if !are_named {
            let changed = [Some(&revision), other.as_ref()].into_iter().flatten();
            let changed = changed.flat_map(|revision| revision.changed.iter().map(|file| revision.relative(file)));
            let all = changed.chain(Revision::tracked()?).map(|file| file.display().to_string());
            let all: BTreeSet<String> = all.filter(is_shader).collect();
            files.extend(all);
        }
        let rules = rules.first().map(|word| word.as_str());
        Ok(Some(Self { revision, other, files, are_named, rules }))
    }

    /// True if the shader or a file that it includes may differ between the two.
    fn concerns(&self, file: &str, declare: &DeclareArgs) -> bool {
        let has_changed = |file: &Path| {
            [Some(&self.revision), self.other.as_ref()].into_iter().flatten().any(|revision| revision.has_changed(file))
        };
        if has_changed(Path::new(file)) {
            return true;
        }
        let mut sources = SourceMap::default();
        for is_defined in [false, true] {
            let declare = declare.with_spirv(is_defined);
            // What cannot be read now has the files that it includes up to there.
            let _ = read_input(file, &declare, None, Purpose::Comparison, &mut sources);
        }
        sources.files().iter().any(|file| has_changed(Path::new(&file.name)))
    }
}

/// Compares files with their texts in a commit, and with the texts that the files they include had there.
fn compare_revision(args: &DiffArgs, words: &RevisionWords<'_>, style: Style) -> anyhow::Result<Exit> {
    let RevisionWords { revision, other, files, are_named, rules } = words;
    let versions = [Some(revision), other.as_ref()];
    // The file's path in each version.
    let paths = |file: &str| {
        versions.map(|revision| {
            let path = Path::new(file);
            let found = revision.map_or_else(|| path.is_file().then(|| path.to_owned()), |commit| commit.path_of(path));
            found.map(|found| found.display().to_string())
        })
    };
    let compare = |paths: [&str; 2], prints_same| {
        let [before, now] = paths.map(|path| DiffSide::of(path, *rules));
        let sides = [DiffSide { revision: versions[0], ..before }, DiffSide { revision: versions[1], ..now }];
        compare_sides(args, &sides, prints_same, style)
    };
    if let ([file], true) = (files.as_slice(), are_named) {
        let paths = paths(file);
        for (revision, path) in versions.into_iter().zip(&paths) {
            if let (Some(revision), None) = (revision, path) {
                bail!("{} has no {file}", revision.name);
            }
        }
        let compared = compare(paths.each_ref().map(|path| path.as_deref().unwrap_or(file)), true);
        return compared.inspect_err(|error| tell_programs(args, file, Code::Unreadable, error));
    }
    if !args.format.holds_many() {
        bail!("several files are compared in text or Markdown: name one for a page or JSON");
    }
    let mut compared = ComparedFiles::new(args.format);
    for file in files {
        match paths(file) {
            [Some(before), Some(now)] if *are_named || words.concerns(file, &args.declare) => {
                compared.add(file, compare([&before, &now], false), style);
            }
            [Some(_), Some(_)] => {}
            [None, Some(_)] => compared.add_alone(&format!("not in {}", revision.name), file),
            // A file that is in a commit and not in the working tree counts as gone.
            [before, None] => {
                if before.is_some() || !Path::new(file).is_file() {
                    compared.add_alone(&format!("only in {}", revision.name), file);
                }
            }
        }
    }
    if compared.is_empty() {
        print(&format!("no shader here changed since {}, and no file that one includes\n", revision.name));
        return Ok(Exit::Agree);
    }
    Ok(compared.end("on one side only"))
}

/// What became of the files of two folders or commits.
struct ComparedFiles {
    format: DiffFormat,
    same: usize,
    differ: usize,
    /// There on one side only.
    alone: usize,
    unread: usize,
}

impl ComparedFiles {
    fn new(format: DiffFormat) -> Self {
        Self { format, same: 0, differ: 0, alone: 0, unread: 0 }
    }

    fn is_empty(&self) -> bool {
        let Self { same, differ, alone, unread, .. } = self;
        same + differ + alone + unread == 0
    }

    fn add_alone(&mut self, place: &str, name: &str) {
        self.alone += 1;
        self.print_line(&format!("{place}: {name}"));
    }

    fn print_line(&self, line: &str) {
        match self.format {
            DiffFormat::Markdown => print(&format!("\n{}\n", escaped(line))),
            DiffFormat::Text | DiffFormat::Json | DiffFormat::Html => print(&format!("{}\n", one_line(line))),
        }
    }

    fn add(&mut self, name: &str, compared: anyhow::Result<Exit>, style: Style) {
        match compared {
            Ok(Exit::Agree) => self.same += 1,
            // Neither side has a block: the file is for others to include.
            Ok(Exit::NothingSelected) => {}
            Ok(Exit::Missing) => self.unread += 1,
            Ok(_) => self.differ += 1,
            Err(error) => {
                self.unread += 1;
                self.print_line(&format!("not compared: {name}"));
                warn_of_error(&error, style);
            }
        }
    }

    /// Prints the totals. `alone` says what files on one side are.
    fn end(self, alone: &str) -> Exit {
        let Self { same, differ, alone: number, unread, .. } = self;
        let total = same + differ + unread;
        self.print_line(&format!(
            "{differ} of {total} shaders differ; the same: {same}, not compared: {unread}, {alone}: {number}"
        ));
        match (differ + number, unread) {
            (0, 0) => Exit::Agree,
            (0, _) => Exit::CouldNotRun,
            _ => Exit::Differ,
        }
    }
}

/// Compares the shaders of one name in two folders, and prints those that differ.
fn compare_folders(args: &DiffArgs, [left, right]: &[DiffSide<'_>; 2], style: Style) -> anyhow::Result<Exit> {
    if !args.format.holds_many() {
        bail!("folders are compared in text or Markdown: name two files for a page or JSON");
    }
    let shaders = |side: &DiffSide<'_>| shaders_below(side.input);
    let (lefts, rights) = (shaders(left)?, shaders(right)?);
    let mut compared = ComparedFiles::new(args.format);
    if lefts.is_empty() && rights.is_empty() {
        bail!("{} and {} hold no shader", left.input, right.input);
    }
    for name in lefts.union(&rights) {
        if !(lefts.contains(name) && rights.contains(name)) {
            let folder = if lefts.contains(name) { left.input } else { right.input };
            compared.add_alone(&format!("only in {folder}"), name);
            continue;
        }
        let [one, other] = [left, right].map(|side| Path::new(side.input).join(name).display().to_string());
        let sides = [DiffSide::of(&one, left.rules), DiffSide::of(&other, right.rules)];
        compared.add(name, compare_sides(args, &sides, false, style), style);
    }
    Ok(compared.end("in one folder only"))
}

/// The shader files below a folder, by their paths in it.
fn shaders_below(folder: &str) -> anyhow::Result<BTreeSet<String>> {
    let pattern = format!("{}/**/*", glob::Pattern::escape(folder.trim_end_matches('/')));
    let paths = glob::glob(&pattern).with_context(|| format!("looking for shaders in {folder}"))?;
    let mut found = BTreeSet::new();
    for path in paths {
        let path = path.with_context(|| format!("looking for shaders in {folder}"))?;
        let is_shader = matches!(InputWord::of(&path.display().to_string(), None), InputWord::Shader(_));
        if is_shader && path.is_file() {
            found.extend(path.strip_prefix(folder).map(|path| path.display().to_string()));
        }
    }
    Ok(found)
}

/// Compares two inputs, and prints the answer, unless they are the same and `prints_same` is false. The exit code is then
/// [`Exit::NothingSelected`] for inputs without a block, and [`Exit::Missing`] if a module does not say what the answer
/// depends on.
fn compare_sides(
    args: &DiffArgs,
    [left, right]: &[DiffSide<'_>; 2],
    prints_same: bool,
    style: Style,
) -> anyhow::Result<Exit> {
    // Two permutations of one file: the macros are those of the second.
    let is_permutation =
        !args.declare.define.is_empty() && args.words.iter().filter(|word| *word == left.input).count() == 2;
    let is_one_input = left.input == right.input && left.rules.is_some() && !is_permutation && left.revision.is_none();
    let mut of_left = args.declare.clone();
    let mut of_right = args.declare.clone();
    if is_permutation {
        let arguments = args.declare.args.as_deref().map(CompileArguments::read).transpose()?;
        let shared = arguments.map_or(0, |arguments| arguments.defines.len());
        // Without other macros, those of --args make the permutation.
        of_left.define.truncate(if shared < of_left.define.len() { shared } else { 0 });
    }
    for (declare, side) in [(&mut of_left, left), (&mut of_right, right)] {
        if let Some(revision) = side.revision {
            declare.texts = Arc::clone(&revision.texts);
        }
        declare.spirv_macro = side.rules.and_then(defines_spirv);
    }
    // `metal` and `cuda` are targets beside a target, and rule sets beside a rule set.
    let is_target = |side: &DiffSide<'_>| side.rules.is_some_and(|word| is_target_word(word) && !is_rules_word(word));
    let has_target = is_target(left) || is_target(right);
    let lay_out = |side, declare| layout(side, (args, declare), is_one_input, has_target, style);
    let inputs = [left.input, right.input];
    let (left, mut right) = (lay_out(left, &of_left)?, lay_out(right, &of_right)?);
    for file in right.shown.iter_mut().filter_map(|right| right.shown.name.file.as_mut()).filter(|_| is_permutation) {
        for define in &args.declare.define[of_left.define.len()..] {
            file.push_str(" -D ");
            file.push_str(&shell_word(define));
        }
    }
    let account = left.account.clone().both(right.account.clone());
    let language = words_of([&left, &right]);
    let options = TextOptions { width: text_columns(), ..TextOptions::plain(style) };
    let (text, exit) = match (left.shown.as_slice(), right.shown.as_slice()) {
        ([one], [other]) => {
            let readings = readings([&left, &right]).into_iter().map(|read| {
                let [own, next] = [(one, &left, other), (other, &right, one)]
                    .map(|(column, side, next)| column.read(side, read, next));
                let [first, second] = if is_one_input { [own, next.clone()] } else { paired(own, next.clone()) };
                let pair = match inputs.map(is_metal) {
                    [false, true] => [first.clone(), with_room_for(&first, second)],
                    [true, false] => [with_room_for(&second, first), second],
                    _ => in_shared_terms([first, second], [&left, &right]),
                };
                let mut difference = diff(&pair[0], &pair[1], language, &options);
                if !is_one_input {
                    let places = comparable_places([&left, &right], [one, other], [&next, &pair[1]]);
                    difference = difference.with_bindings(places.each_ref().map(Option::as_ref), style);
                }
                (pair, difference)
            });
            let mut readings: Vec<([ShownColumn; 2], DiffText)> = readings.collect();
            let ([one, other], difference) = readings.remove(0);
            let others = readings.into_iter().map(|(_, difference)| difference);
            let difference = others.fold(difference, |difference, other| difference.or_else(other, UNKNOWN_SOURCE));
            let text = match args.format {
                DiffFormat::Json => difference.to_json(&one, &other, &account),
                DiffFormat::Text => difference.with_verdict(&one.name, &other.name, style),
                DiffFormat::Markdown => difference.to_markdown(&one.name, &other.name),
                DiffFormat::Html => {
                    let limits = (!account.is_complete()).then(|| account.sentence());
                    diff_page([&one, &other], &difference, limits.as_deref())
                }
            };
            let exit = match (difference.is_uncertain(), difference.differs) {
                (true, _) => Exit::Missing,
                (false, true) => Exit::Differ,
                (false, false) => Exit::Agree,
            };
            (text, exit)
        }
        _ => compare_targets(args, inputs, [&left, &right], &account, &options)?,
    };
    let has_bindings = [&left, &right].iter().any(|side| side.shown.iter().any(SideColumn::binds_any));
    let compares_nothing = exit == Exit::Agree && account.entries.is_empty() && !has_bindings;
    let exit = if compares_nothing { Exit::NothingSelected } else { exit };
    if matches!(exit, Exit::Agree | Exit::NothingSelected) && !prints_same {
        return Ok(exit);
    }
    let nothing = "nothing to compare: neither has a block or a binding; `show --type NAME` lays a struct out";
    match args.format {
        DiffFormat::Json => print_json(&text),
        DiffFormat::Text if compares_nothing => print(&format!("{nothing}\n")),
        DiffFormat::Markdown if compares_nothing => print(&format!("{}\n", escaped(nothing))),
        DiffFormat::Text | DiffFormat::Markdown | DiffFormat::Html => print(&text),
    }
    match args.format {
        _ if account.is_complete() => {}
        DiffFormat::Text => print(&format!("{}\n", one_line(&account.sentence()))),
        DiffFormat::Markdown => print(&format!("\n{}\n", escaped(&account.sentence()))),
        DiffFormat::Json | DiffFormat::Html => {}
    }
    warn_rendered(&left.warnings);
    // The same input warns of the same things under both rule sets, but for the limits of each compiler.
    if left.warnings != right.warnings {
        warn_rendered(&right.warnings);
    }
    Ok(exit)
}

/// Where the parameters of two columns are bound, if the two say so in the same terms: those of the right one's blocks by the
/// names that the blocks have beside the left one's.
fn comparable_places(
    [left, right]: [&LaidOutSide; 2],
    [one, other]: [&SideColumn; 2],
    [before, after]: [&ShownColumn; 2],
) -> [Option<BoundPlaces>; 2] {
    if left.kind != right.kind {
        return [None, None];
    }
    let names =
        |column: &'_ ShownColumn| column.blocks.iter().map(|block| block.shown.name.clone()).collect::<Vec<_>>();
    let renamed: BTreeMap<String, String> = names(before).into_iter().zip(names(after)).collect();
    let of_right = other.places.iter().flatten();
    let of_right = of_right.map(|(path, place)| (renamed.get(path).unwrap_or(path).clone(), place.clone()));
    [one.places.clone(), other.places.is_some().then(|| of_right.collect())]
}

/// How to read the matrices and buffers of SPIR-V files.
#[derive(Clone, Copy, PartialEq)]
enum SpirvReading {
    AsWritten,
    /// As the HLSL or Slang of which they were made.
    Source,
}

const UNKNOWN_SOURCE: &str =
    "the SPIR-V does not say whether its source is HLSL or Slang, whose matrices are transposed in it";

/// How to read SPIR-V files so that they can be compared: as their sources, unless both sides are in SPIR-V's own terms and of
/// one kind of source. Two
/// readings if a file does not say what its source is.
fn readings([left, right]: [&LaidOutSide; 2]) -> Vec<SpirvReading> {
    use SpirvReading::{AsWritten, Source};
    match [left.spirv, right.spirv] {
        [Some(ModuleSource::Hlsl), None | Some(ModuleSource::Hlsl)] | [None, Some(ModuleSource::Hlsl)]
            if !left.is_metal && !right.is_metal =>
        {
            vec![Source]
        }
        [Some(ModuleSource::Unknown), None] | [None, Some(ModuleSource::Unknown)]
            if !left.is_metal && !right.is_metal =>
        {
            vec![AsWritten, Source]
        }
        // One of the two has another language's matrices.
        [Some(ModuleSource::Hlsl), Some(ModuleSource::Other)]
        | [Some(ModuleSource::Other), Some(ModuleSource::Hlsl)] => {
            vec![Source]
        }
        _ => vec![AsWritten],
    }
}

/// Types and sizes as the other file has them, where one of the two is compiled or in another language.
fn in_shared_terms([one, other]: [ShownColumn; 2], [left, right]: [&LaidOutSide; 2]) -> [ShownColumn; 2] {
    match [left.spirv.is_some(), right.spirv.is_some()] {
        _ if left.kind == right.kind => [one, other],
        [true, false] => [in_terms_of(&other, one, true), other],
        [_, is_spirv] => {
            let other = in_terms_of(&one, other, is_spirv);
            [one, other]
        }
    }
}

fn is_metal(input: &str) -> bool {
    matches!(InputWord::of(input, None), InputWord::Shader(file) if file.front_end.is_metal())
}

/// Compares two files under each target that both have. Returns the answer, and whether one tells them apart.
fn compare_targets(
    args: &DiffArgs,
    inputs: [&str; 2],
    [lefts, rights]: [&LaidOutSide; 2],
    account: &Account,
    options: &TextOptions<'_>,
) -> anyhow::Result<(String, Exit)> {
    let of_file = |column: &ShownColumn| {
        let name = ColumnName { file: column.name.file.clone(), ..ColumnName::DECLARED };
        ShownColumn { name, blocks: column.blocks.clone() }
    };
    let mut diffs = Vec::new();
    let mut files = None;
    for left in &lefts.shown {
        let is_same_target = |right: &&SideColumn| right.shown.name.layouts == left.shown.name.layouts;
        let Some(right) = rights.shown.iter().find(is_same_target) else { continue };
        let pair = paired(of_file(&left.shown), of_file(&right.shown));
        let [of_left, of_right] = in_shared_terms(pair, [lefts, rights]);
        let places = comparable_places([lefts, rights], [left, right], [&right.shown, &of_right]);
        let places = places.each_ref().map(Option::as_ref);
        let difference =
            diff(&of_left, &of_right, words_of([lefts, rights]), options).with_bindings(places, options.style);
        let target = ColumnName { file: None, layouts: left.shown.name.layouts.clone() };
        let rules = match &target.layouts {
            NamedLayouts::Target { column, .. } => Native::of_column(*column).map(|native| native.name.to_owned()),
            NamedLayouts::Rules(_) | NamedLayouts::Declared => None,
        };
        let rules = rules.unwrap_or_else(|| target.to_string());
        diffs.push(TargetDiff { target, rules, difference });
        files.get_or_insert((of_left.name, of_right.name));
    }
    let Some((left, right)) = &files else {
        // One of them has its own offsets, or they are in languages without a common target.
        let name = if lefts.shown.len() > 1 { inputs[0] } else { inputs[1] };
        bail!("the layout of {name} depends on the target: name it after the file, as `{name} vulkan`");
    };
    let text = match args.format {
        DiffFormat::Json => targets_json(&diffs, [left, right], account),
        DiffFormat::Text => by_target(&diffs, [left, right], options.style),
        DiffFormat::Markdown => targets_markdown(&diffs, [left, right]),
        DiffFormat::Html => {
            bail!("a page compares the files under one target: name it after the file, as `{} vulkan`", inputs[0])
        }
    };
    let differs = diffs.iter().any(|diff| diff.difference.differs);
    Ok((text, if differs { Exit::Differ } else { Exit::Agree }))
}

/// Sorts the words into inputs and rule sets. A rule set belongs to the input before it; a single
/// input has two.
fn sides(words: &[String]) -> anyhow::Result<[DiffSide<'_>; 2]> {
    let mut inputs: Vec<DiffSide<'_>> = Vec::new();
    let mut spare: Vec<&str> = Vec::new();
    for word in words {
        let is_rules = is_rules_word(word) || is_target_word(word);
        // The first word is an input, even if it is named like a rule set.
        match inputs.last_mut().filter(|_| is_rules || is_misspelt_rules(word)) {
            None => inputs.push(DiffSide::of(word, None)),
            Some(_) if !is_rules && is_compiler(word) => bail!("{}", compiler_hint(words)),
            // Two versions that are not here.
            Some(input) if !is_rules && is_misspelt_rules(input.input) && !is_rules_word(input.input) => {
                bail!("neither `{}` nor `{word}` is a file here, and `{word}` is no rule set", input.input)
            }
            Some(_) if !is_rules => bail!("{}", unknown_rules(word)),
            Some(input) if input.rules.is_none() => input.rules = Some(word),
            Some(_) => spare.push(word),
        }
    }

    match (inputs.as_slice(), spare.as_slice()) {
        ([DiffSide { input, rules: Some(left), .. }], [right]) => {
            Ok([DiffSide::of(input, Some(left)), DiffSide::of(input, Some(right))])
        }
        ([DiffSide { input, rules: left, .. }, right], []) => {
            // For two files under one rule set, naming it after the second file is enough.
            let both = right.rules.filter(|_| left.is_none() && words.len() == 3);
            let of_left = left.or(both.filter(|_| !says_own_offsets(input)));
            let of_right = right.rules.filter(|_| both.is_none() || !says_own_offsets(right.input));
            Ok([DiffSide::of(input, of_left), DiffSide::of(right.input, of_right)])
        }
        ([_], [_, right, ..]) => bail!("`{right}` is one rule set too many"),
        ([DiffSide { input, .. }], _) => bail!(
            "one input needs two targets, two inputs one each: `layoutproof diff {0} d3d12 vulkan`, `layoutproof diff {0} \
             vulkan other.spv`",
            shell_word(input)
        ),
        ([_, _, third, ..], _) => bail!("`{}` is one input too many", third.input),
        (_, spare) => bail!("`{}` is one rule set too many", spare.first().copied().unwrap_or_default()),
    }
}

fn is_compiler(word: &str) -> bool {
    named_compiler(word).is_ok() && !Path::new(word).exists()
}

/// The spelling for a user who names compilers alone: `diff dxc slangc a.hlsl`.
fn compiler_hint(words: &[String]) -> String {
    let (compilers, others): (Vec<&String>, Vec<&String>) = words.iter().partition(|word| is_compiler(word));
    let file = others.first().map_or("FILE", |word| word.as_str());
    let targets: Vec<String> = compilers.iter().map(|compiler| format!("vulkan.{compiler}")).collect();
    format!(
        "`{}` is a compiler: name it after a target, as `layoutproof diff {} {}`",
        compilers.first().map_or("", |word| word.as_str()),
        shell_word(file),
        targets.join(" ")
    )
}

/// True if a word is neither a file nor a complete case id, so that it can only be a misspelt rule
/// set.
fn is_misspelt_rules(word: &str) -> bool {
    let is_name = matches!(InputWord::of(word, None), InputWord::Filter(_));
    is_name && !Path::new(word).exists() && !word.contains('/') && !word.contains("::")
}

/// True if the word's suffix is that of a module that declares its own offsets.
fn says_own_offsets(word: &str) -> bool {
    InputWord::of(word, None).fixes_offsets()
}

fn choice_of(word: &str, prefers_target: bool, language: Option<ShaderLanguage>) -> anyhow::Result<RuleChoice> {
    if !is_rules_word(word) || (prefers_target && is_target_word(word)) {
        if let Some(choice) = target_choice(word, language)? {
            return Ok(choice);
        }
    }
    rule_choice(word)
}

/// The name of the column: the rule set's own for programs and for users who write it so, otherwise
/// target and compiler.
fn column_name(choice: RuleChoice, word: Option<&str>, format: DiffFormat) -> ColumnName {
    if format == DiffFormat::Json || word == Some(choice.name()) {
        ColumnName::of_rules(choice.name())
    } else {
        ShownColumnChoice::from(choice).column_name()
    }
}

/// An input under a rule set, or under each of its targets.
struct LaidOutSide {
    shown: Vec<SideColumn>,
    /// The kind of file, between two of which bindings and sizes mean the same.
    kind: SideKind,
    spirv: Option<ModuleSource>,
    is_metal: bool,
    /// The warnings that `show` prints about it, or who read it and why.
    warnings: String,
    account: Account,
}

/// The language in whose words members are: that of both sides, or HLSL.
fn words_of([left, right]: [&LaidOutSide; 2]) -> ShaderLanguage {
    let language = |side: &LaidOutSide| match side.kind {
        SideKind::Declared(language) | SideKind::LaidOut(language, _) => language,
        SideKind::Compiled => None,
    };
    language(left).filter(|own| language(right) == Some(*own)).unwrap_or(ShaderLanguage::Hlsl)
}

#[derive(Debug, PartialEq)]
enum SideKind {
    Declared(Option<ShaderLanguage>),
    LaidOut(Option<ShaderLanguage>, Option<ShaderTarget>),
    /// Read by a compiler, which says nothing of bindings here.
    Compiled,
}

struct SideColumn {
    shown: ShownColumn,
    /// The blocks of a SPIR-V file as HLSL or Slang has them.
    as_source: Option<Vec<ShownColumnBlock>>,
    /// Where parameters are bound; `None` if the file or the rule set does not say it.
    places: Option<BoundPlaces>,
}

impl SideColumn {
    fn binds_any(&self) -> bool {
        self.places.as_ref().is_some_and(|places| !places.is_empty())
    }

    /// The column to compare with `other`.
    fn read(&self, side: &LaidOutSide, reading: SpirvReading, other: &Self) -> ShownColumn {
        let as_source = self.as_source.as_ref().filter(|_| reading == SpirvReading::Source);
        let mut blocks = as_source.unwrap_or(&self.shown.blocks).clone();
        if side.spirv.is_some() {
            // slangc makes a structured buffer of a byte-address buffer, which is no block of the text.
            let is_block = |name: &str| other.shown.blocks.iter().any(|block| block.shown.name == name);
            let is_bound = |name: &str| other.places.as_ref().is_some_and(|places| places.contains_key(name));
            blocks.retain(|block| is_block(&block.shown.name) || !is_bound(&block.shown.name));
        }
        ShownColumn { name: self.shown.name.clone(), blocks }
    }
}

/// Lays an input out under a rule set.
fn layout(
    side: &DiffSide<'_>,
    (args, declare): (&DiffArgs, &DeclareArgs),
    is_one_input: bool,
    is_beside_target: bool,
    style: Style,
) -> anyhow::Result<LaidOutSide> {
    let mut sources = SourceMap::default();
    let input = match read_input(side.input, declare, None, Purpose::Display, &mut sources)? {
        Ok(mut input) => {
            if let InputContent::LaidOut(file) = &mut input.content {
                file.warn_of_restricted();
            }
            input
        }
        // Compilers open the file themselves.
        Err(diagnostics) if side.revision.is_some() => bail!(RefusedInput { diagnostics, sources }),
        Err(diagnostics) => {
            let mut compiled = compiled(side, (args, declare), is_beside_target, diagnostics, sources)?;
            for SideColumn { shown, .. } in compiled.shown.iter_mut().filter(|_| !is_one_input) {
                shown.name.file = Some(side.name());
            }
            return Ok(compiled);
        }
    };

    let name = side.input;
    let language = match &input.content {
        InputContent::Declared(source) => Some(input.shipped_language(source)),
        InputContent::LaidOut(_) => None,
    };
    let rules = side.rules.filter(|rules| *rules != DECLARED);
    let choice = rules.map(|rules| choice_of(rules, is_beside_target, language)).transpose()?;
    let shown_rules = match (&input.content, choice) {
        (InputContent::Declared(_), Some(choice)) => ShownRules::Named(vec![choice]),
        (InputContent::Declared(_) | InputContent::LaidOut(_), None) => ShownRules::Shipping,
        (InputContent::LaidOut(_), Some(_)) if is_one_input => {
            bail!(
                "{name} declares its own offsets: compare it with another file, as `layoutproof diff {} other.spv`",
                shell_word(name)
            )
        }
        (InputContent::LaidOut(_), Some(choice)) => {
            bail!("{name} declares its own offsets: it has them under `{DECLARED}`, not under `{}`", choice.name())
        }
    };

    let layouts = input.layouts(&shown_rules);
    let diagnostics = input.refusals(&layouts);
    // Beside other targets, the table of one says what it forbids.
    if !diagnostics.is_empty() && layouts.len() <= 1 {
        bail!(RefusedInput { diagnostics, sources });
    }
    let defines = |is_defined: bool| layouts.iter().any(|column| column_defines_spirv(column) == Some(is_defined));
    let is_split =
        declare.spirv().is_none() && defines(true) && defines(false) && declare.asks_for_spirv(sources.files());
    let parts = if is_split { read_by_target(side, declare, &mut sources)? } else { vec![(input, layouts)] };
    let warnings: Vec<Diagnostic> = parts.iter().flat_map(|(input, layouts)| input.warnings(layouts)).collect();
    let warnings = render(&warnings, &sources, style.colour);
    let (input, _) = &parts[0];
    let (kind, spirv) = match &input.content {
        InputContent::Declared(_) => (SideKind::Declared(input.language), None),
        InputContent::LaidOut(file) => (SideKind::LaidOut(input.language, file.api), file.spirv),
    };
    let as_source = match &input.content {
        InputContent::LaidOut(file) if spirv.is_some_and(|source| source != ModuleSource::Other) => {
            let blocks: Vec<BlockLayout> = file.blocks.iter().cloned().filter_map(as_hlsl).collect();
            Some(RuleSetLayouts::declared(&blocks, None).column().blocks)
        }
        InputContent::LaidOut(_) | InputContent::Declared(_) => None,
    };
    let column = |input: &ShowInput, layouts: &RuleSetLayouts| {
        let placements = input.usual_placements(std::slice::from_ref(layouts), declare.entry.as_deref());
        let shown = layouts.column();
        let declared = |path: &String| {
            let is_block = shown.blocks.iter().any(|block| block.shown.name == *path);
            let mut columns = placements.columns.iter().filter(|_| !is_block);
            columns.find_map(|column| column.declared.get(path)).cloned()
        };
        let bound = |(path, place)| {
            let declared = declared(&path);
            (path, BoundParameter { place, declared })
        };
        let places = (!placements.columns.is_empty()).then(|| placements.short_places().into_iter().map(bound));
        let places = places.map(Iterator::collect);
        SideColumn { shown, as_source: as_source.clone(), places }
    };
    let columns = parts.iter().flat_map(|(input, layouts)| layouts.iter().map(move |layouts| (input, layouts)));
    let mut shown: Vec<SideColumn> = columns.map(|(input, layouts)| column(input, layouts)).collect();
    if shown.is_empty() {
        let none = ShownColumn { name: ColumnName::DECLARED, blocks: Vec::new() };
        shown.push(SideColumn { shown: none, as_source: None, places: None });
    }
    for SideColumn { shown, .. } in &mut shown {
        if let Some(choice) = choice {
            shown.name = column_name(choice, rules, args.format);
        }
        if !is_one_input {
            shown.name.file = Some(side.name());
        }
    }
    let accounts = parts.iter().map(|(input, layouts)| accounts::of_input(input, name, layouts, &[], &sources));
    let account = accounts.reduce(Account::both).unwrap_or_default();
    Ok(LaidOutSide { shown, kind, spirv, is_metal: is_metal(name), warnings, account })
}

/// The columns that ship of a file that asks for `__spirv__`, read with and without it.
fn read_by_target(
    side: &DiffSide<'_>,
    declare: &DeclareArgs,
    sources: &mut SourceMap,
) -> anyhow::Result<Vec<(ShowInput, Vec<RuleSetLayouts>)>> {
    let mut parts = Vec::new();
    for is_defined in [false, true] {
        let declare = declare.with_spirv(is_defined);
        let input = match read_input(side.input, &declare, None, Purpose::Display, sources)? {
            Ok(input) => input,
            Err(diagnostics) => bail!(RefusedInput { diagnostics, sources: std::mem::take(sources) }),
        };
        let mut layouts = input.layouts(&ShownRules::Shipping);
        layouts.retain(|layouts| column_defines_spirv(layouts) == Some(is_defined));
        parts.push((input, layouts));
    }
    Ok(parts)
}

/// The layout of a file that our reader refuses, as the compiler of its target, or of each one, describes it.
fn compiled(
    side: &DiffSide<'_>,
    (args, declare): (&DiffArgs, &DeclareArgs),
    is_beside_target: bool,
    problems: Vec<Diagnostic>,
    sources: SourceMap,
) -> anyhow::Result<LaidOutSide> {
    let path = Path::new(side.input);
    let language = language_of_file(declare.lang, path);
    let file = RefusedFile { path, declare, profile: None, problems: &problems, sources: &sources, first_file: 0 };
    let choices: Vec<RuleChoice> = match (side.rules, language) {
        _ if !file.may_be_read() => Vec::new(),
        (Some(rules), _) => vec![choice_of(rules, is_beside_target, language)?],
        (None, Some(language)) => shipping(language).map(RuleChoice::Native).collect(),
        (None, None) => Vec::new(),
    };
    if choices.is_empty() {
        bail!(RefusedInput { diagnostics: problems, sources });
    }
    let read = match CompilerReading::of(file, choices.iter().map(|choice| choice.name()))? {
        Ok(read) => read,
        Err(diagnostics) => bail!(RefusedInput { diagnostics, sources }),
    };
    let notes = read.notes.iter().chain(&read.left_out).map(|note| format!("note: {note}\n"));
    let warnings = notes.collect::<Vec<_>>().concat();
    let mut shown = Vec::new();
    for layouts in layouts(read.columns) {
        let choice = layouts.choice.unwrap_or(choices[0]);
        let name = match side.rules {
            Some(_) => column_name(choice, side.rules, args.format),
            None => ShownColumnChoice::from(choice).column_name(),
        };
        let column = ShownColumn { name, blocks: layouts.column().blocks };
        shown.push(SideColumn { shown: column, as_source: None, places: None });
    }
    let account = accounts::of_compiled(side.input, shown.first().map_or(&[], |column| column.shown.blocks.as_slice()));
    Ok(LaidOutSide { shown, kind: SideKind::Compiled, spirv: None, is_metal: false, warnings, account })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(words: &str) -> String {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let text = |side: &DiffSide<'_>| format!("{} {}", side.input, side.rules.unwrap_or("-"));
        match sides(&words) {
            Ok([left, right]) => format!("{} | {}", text(&left), text(&right)),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn an_input_takes_the_rule_set_behind_it() {
        for (words, expected) in [
            ("a.hlsl std140 std430", "a.hlsl std140 | a.hlsl std430"),
            ("a.hlsl native:dxc-spirv a.spv", "a.hlsl native:dxc-spirv | a.spv -"),
            ("a.wgsl b.spv", "a.wgsl - | b.spv -"),
            ("a.hlsl b.hlsl std140", "a.hlsl std140 | b.hlsl std140"),
            ("a.spv b.hlsl std140", "a.spv - | b.hlsl std140"),
            ("a.hlsl d3d12 vulkan", "a.hlsl d3d12 | a.hlsl vulkan"),
            ("a.hlsl vulkan/scalar.dxc b.slang vulkan/scalar", "a.hlsl vulkan/scalar.dxc | b.slang vulkan/scalar"),
            ("a.hlsl std140 b.hlsl std430", "a.hlsl std140 | b.hlsl std430"),
            ("std140 std140 std430", "std140 std140 | std140 std430"),
        ] {
            assert_eq!(sorted(words), expected, "{words}");
        }
    }

    #[test]
    fn what_cannot_be_sorted_says_why() {
        for (words, expected) in [
            ("a.hlsl std140", "one input needs two targets"),
            ("a.hlsl std14 std430", "unknown rule set `std14`: did you mean `std140`?"),
            ("a.hlsl std140 std430 scalar", "`scalar` is one rule set too many"),
            ("v1x v2x", "neither `v1x` nor `v2x` is a file here"),
        ] {
            assert!(sorted(words).contains(expected), "{words}: {}", sorted(words));
        }
    }
}
