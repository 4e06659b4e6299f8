//! The text of an editor, laid out.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::anyhow;
use layoutproof_inputs::declare::DeclareArgs;
use layoutproof_inputs::inputs::read_input;
use layoutproof_inputs::layout_selection::{LayoutSelection, target};
use layoutproof_inputs::project_file::{PROJECT_FILE, ProjectFile};
use layoutproof_inputs::refused_input::{RefusedInput, first_problem};
use layoutproof_inputs::replaced_texts::ReplacedTexts;
use layoutproof_inputs::spirv_macro::columns_as_read;
use layoutproof_layout::limits::MovedMember;
use layoutproof_layout::{FileId, ViewId};
use layoutproof_show::bindings_text::BindingsColumn;
use layoutproof_show::front_ends::{FrontEnd, Purpose, TextFrontEnd};
use layoutproof_show::shown_columns::{ColumnName, ShownColumn};
use layoutproof_show::{InputContent, MemberPlace, RuleSetLayouts, ShowInput, ShownRules};
use layoutproof_source::diagnostics::Diagnostic;
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;

use crate::commands::lsp::positions::line_range;
use crate::shader_settings::ShaderSettings;

pub(super) struct Reading {
    pub(super) sources: SourceMap,
    /// The text of the editor.
    pub(super) file: FileId,
    /// What is wrong with the text.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Why the file could not be read at all.
    pub(super) failure: Option<String>,
    /// `None` if the text is refused.
    pub(super) laid_out: Option<LaidOutText>,
}

pub(super) struct LaidOutText {
    pub(super) input: ShowInput,
    pub(super) layouts: Vec<RuleSetLayouts>,
    pub(super) columns: Vec<ShownColumn>,
    pub(super) places: Vec<MemberPlace>,
    /// The members that code of a column has at other bytes, each with its block and the name of the column.
    moved: Vec<(ViewId, ColumnName, MovedMember)>,
}

/// A member at a place of the text.
pub(super) struct FoundMember<'a> {
    /// The bytes of its name.
    pub(super) name: Range<usize>,
    /// The blocks that hold it, with its path in each.
    pub(super) members: Vec<&'a MemberPlace>,
}

impl Reading {
    /// Reads a file. `texts` are all open files by their names; `targets` are the columns, if the editor names any.
    pub(super) fn of(path: &Path, language: &str, texts: ReplacedTexts, targets: &[String]) -> Self {
        let mut sources = SourceMap::default();
        let name = path.display().to_string();
        match read(path, language, Arc::new(texts), targets, &mut sources) {
            Ok((laid_out, diagnostics)) => {
                let file = sources.files().iter().position(|file| file.name == name).unwrap_or_default();
                let file = FileId(u32::try_from(file).unwrap_or(u32::MAX));
                let mut reading = Self { sources, file, diagnostics, failure: None, laid_out };
                if let Some(text) = &mut reading.laid_out {
                    text.places = text.input.member_places(&text.layouts, &reading.sources, file);
                }
                reading
            }
            Err(error) => {
                let refused = error.downcast_ref::<RefusedInput>();
                let first = refused.map(|refused| first_problem(&name, &refused.diagnostics, &refused.sources).text);
                let failure = Some(first.unwrap_or_else(|| format!("{error:#}")));
                let file = sources.add(name, "");
                Self { sources, file, diagnostics: Vec::new(), failure, laid_out: None }
            }
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.sources.file(self.file).text
    }

    /// True if this is the file at a path.
    pub(super) fn is_of(&self, path: &Path) -> bool {
        is_same_file(Path::new(&self.sources.file(self.file).name), path)
    }

    /// The line that includes a file, or the first of the files between the two.
    pub(super) fn include_of(&self, path: &Path) -> Option<lsp_types::Range> {
        let name_of = |file: &str| Path::new(file).file_name().map(|name| name.to_string_lossy().into_owned());
        let mut wanted: Vec<String> = name_of(&path.to_string_lossy()).into_iter().collect();
        loop {
            let includes =
                |text: &str| text.lines().position(|line| wanted.contains(&included(line).unwrap_or_default()));
            if let Some(line) = includes(self.text()) {
                return Some(line_range(u32::try_from(line + 1).ok()?));
            }
            let between = self.sources.files().iter().filter(|file| includes(&file.text).is_some());
            let between: Vec<String> = between.filter_map(|file| name_of(&file.name)).collect();
            let known = wanted.len();
            for name in between {
                if !wanted.contains(&name) {
                    wanted.push(name);
                }
            }
            if wanted.len() == known {
                return None;
            }
        }
    }

    /// True if the file was read with the help of another one.
    pub(super) fn includes(&self, path: &Path) -> bool {
        let name = path.display().to_string();
        self.sources.files().iter().enumerate().any(|(index, file)| file.name == name && index != self.file.0 as usize)
    }

    /// The member that is declared at a byte of the text.
    pub(super) fn member_at(&self, byte: usize) -> Option<FoundMember<'_>> {
        let places = &self.laid_out.as_ref()?.places;
        let bytes = |place: &MemberPlace| place.span.start as usize..place.span.end as usize;
        let name = places.iter().map(bytes).find(|bytes| bytes.start <= byte && byte <= bytes.end)?;
        let members = places.iter().filter(|place| bytes(place) == name).collect();
        Some(FoundMember { name, members })
    }

    /// The identifier around a byte of the text.
    pub(super) fn word_at(&self, byte: usize) -> Option<(Range<usize>, &str)> {
        let text = self.text();
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let start = text[..byte]
            .rfind(|letter| !is_part(letter))
            .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
        let end = text[byte..].find(|letter| !is_part(letter)).map_or(text.len(), |at| byte + at);
        (start < end).then(|| (start..end, &text[start..end]))
    }
}

impl LaidOutText {
    /// The block with a name: its own, or that of the variable that the text has for it.
    pub(super) fn view_named(&self, name: &str) -> Option<ViewId> {
        let blocks = self.layouts.iter().flat_map(|column| &column.blocks);
        blocks.map(|block| &block.layout).find(|layout| layout.name == name).map(|layout| layout.view)
    }

    /// The name of a block.
    pub(super) fn name_of(&self, view: ViewId) -> Option<&str> {
        let mut blocks = self.layouts.iter().flat_map(|column| &column.blocks);
        blocks.find(|block| block.layout.view == view).map(|block| block.layout.name.as_str())
    }

    /// Where the code of compilers has a member that the rules put elsewhere: `, really at byte 32 (Vulkan · DXC)`.
    pub(super) fn really(&self, view: ViewId, path: &str) -> String {
        let own = self.moved.iter().filter(|(block, _, member)| *block == view && member.path == path);
        own.map(|(_, column, member)| format!(", really at byte {} ({column})", member.place))
            .collect::<Vec<_>>()
            .concat()
    }

    /// Comments for the start of a copy of a block, about the members that code of its column has elsewhere.
    pub(super) fn moved_comments(&self, view: ViewId, column: &ColumnName) -> String {
        let own = self.moved.iter().filter(|(block, name, _)| (*block, name) == (view, column));
        let line = |(_, _, MovedMember { path, place, .. }): &(ViewId, ColumnName, MovedMember)| {
            format!("// Warning: `{path}` is really at byte {place} ({column})\n")
        };
        own.map(line).collect::<Vec<_>>().concat()
    }

    /// Where a block is bound, in each column: `b0`, `set 0 binding 2`.
    pub(super) fn bound(&self, name: &str) -> Vec<(String, String)> {
        let columns = self.input.usual_placements(&self.layouts, None).columns;
        let rows = BindingsColumn::rows(&columns);
        let row = rows.iter().find(|row| row.path == name);
        let names = columns.iter().map(|column| column.name.clone());
        row.map(|row| names.zip(row.places.iter().cloned()).collect()).unwrap_or_default()
    }
}

/// The layouts of a file and what is wrong with it.
fn read(
    path: &Path,
    language: &str,
    texts: Arc<ReplacedTexts>,
    targets: &[String],
    sources: &mut SourceMap,
) -> anyhow::Result<(Option<LaidOutText>, Vec<Diagnostic>)> {
    let project = project_of(path).map(|project| ProjectFile::find(Some(&project))).transpose()?.flatten();
    let project = project.unwrap_or_default();
    let named = ShaderLanguage::named(&language.to_ascii_lowercase()).filter(|_| FrontEnd::of(None, path).is_none());
    let declare = DeclareArgs { lang: named, texts, ..DeclareArgs::default() };
    let mut settings = match project.entries_of(path).into_iter().next() {
        Some(shaders) => ShaderSettings::of_project(shaders, None, &declare, &project)?,
        None => ShaderSettings::named(None, &declare, &project)?,
    };
    let language = ShaderLanguage::of(settings.declare.lang, path);
    let selection = if targets.is_empty() {
        settings.layouts.clone()
    } else {
        let targets = targets.iter().map(|word| target(word)).collect::<anyhow::Result<_>>()?;
        LayoutSelection { targets, ..LayoutSelection::default() }
    };
    let rules = match language {
        Some(language) if TextFrontEnd::of(language).own_targets().is_empty() => selection.choices(Some(language))?,
        Some(_) => Vec::new(),
        None => return Err(anyhow!("no shader language is known for {}", path.display())),
    };
    if !targets.is_empty() {
        settings.declare.targets = selection.shader_targets();
    }
    let rules = if rules.is_empty() { ShownRules::Shipping } else { ShownRules::Columns(rules) };

    let word = path.display().to_string();
    let profile = settings.arguments.profile.as_deref();
    let mut input = match read_input(&word, &settings.declare, profile, Purpose::Display, sources)? {
        Ok(input) => input,
        Err(found) => return Ok((None, found)),
    };
    let own = (word.as_str(), &settings.declare, profile);
    let layouts = columns_as_read(own, Purpose::Display, &rules, &mut input, sources)?.layouts;
    // A language that fixes the layout decides what is allowed.
    let forbidden = match &input.content {
        InputContent::LaidOut(_) => input.refusals(&layouts),
        InputContent::Declared(_) => Vec::new(),
    };
    let diagnostics = [forbidden, input.warnings(&layouts)].concat();
    let columns = layouts.iter().map(RuleSetLayouts::column).collect();
    let of_column = |column: &RuleSetLayouts| {
        let name = column.name.clone();
        input.moved_members(column).into_iter().map(move |(view, member)| (view, name.clone(), member))
    };
    let moved = layouts.iter().flat_map(of_column).collect();
    Ok((Some(LaidOutText { input, layouts, columns, places: Vec::new(), moved }), diagnostics))
}

/// The last part of the name that an include names: `common.hlsli`.
fn included(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    let end = if rest.starts_with('<') { '>' } else { '"' };
    let name = rest.get(1..)?.split(end).next()?;
    name.rsplit(['/', '\\']).next().map(str::to_owned)
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().ok().zip(other.canonicalize().ok()).is_some_and(|(one, other)| one == other)
}

/// The project file of a shader: in its folder or the nearest one above.
pub(super) fn project_of(path: &Path) -> Option<PathBuf> {
    path.ancestors().skip(1).map(|folder| folder.join(PROJECT_FILE)).find(|file| file.is_file())
}
