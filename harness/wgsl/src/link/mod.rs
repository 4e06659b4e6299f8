//! Links modules of WESL, and of `naga_oil`, into one WGSL text.
//!
//! Imports are followed to the declarations that the file needs, conditions are decided by the macros of the user, and
//! each token keeps its place in the user's files. Code that no declaration of the file reaches is left out, as WESL's
//! linker does. Opens files through [`Sources`] alone.
//!
//! Source: WESL's specification (Imports, `ConditionalTranslation`) and `naga_oil` 0.23.
//!
//! The crate `wesl` is no help: 0.4.0, the last release for Rust 1.95, refuses the conditions around several declarations
//! that 56 files of Bevy 0.20-dev have, its text has no places below declarations, and it does not read `naga_oil`'s directives.

mod conditions;
mod imports;
mod naga_oil;
mod resolve;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use layoutproof_layout::{FileId, Span};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::{SourceMap, Sources};
use layoutproof_source::text_limits::check_text;

use self::conditions::Cutter;
use self::imports::Imports;
use self::naga_oil::Preprocessed;
use self::resolve::PackageRoots;
use crate::tokens::{Token, TokenKind, tokens};
use crate::usage::names_in;

/// Most modules of one text.
const MOST_MODULES: usize = 1024;

/// Most names in the warning about those that are not set.
const SHOWN_NAMES: usize = 6;

/// Where modules are, and what decides their conditions.
#[derive(Clone, Copy, Debug)]
pub struct LinkSearch<'a> {
    /// The macros as the user writes them: `NAME`, which a condition tests, and `NAME=VALUE`, which `constants::NAME`
    /// and `#{NAME}` stand for.
    pub macros: &'a [String],
    /// The `-I` folders.
    pub folders: &'a [String],
    pub files: &'a dyn Sources,
}

impl LinkSearch<'_> {
    /// The value of a macro: empty if it has none.
    fn value(&self, name: &str) -> Option<&str> {
        self.macros.iter().rev().find_map(|word| {
            let (found, value) = word.split_once('=').unwrap_or((word, ""));
            (found == name).then_some(value)
        })
    }
}

/// A WGSL text whose tokens come from the user's files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkedText {
    pub text: String,
    /// The first byte of each token, and its place in the user's files.
    places: Vec<(u32, Span)>,
    pub warnings: Vec<Diagnostic>,
}

impl LinkedText {
    /// The place in the user's files of a range of the text.
    pub fn place(&self, span: Span) -> Span {
        let token = |byte: u32| {
            let index = self.places.partition_point(|(start, _)| *start <= byte).saturating_sub(1);
            self.places.get(index).map_or(span, |(_, place)| *place)
        };
        token(span.start).to(token(span.end.saturating_sub(1).max(span.start)))
    }

    /// Moves a problem from the text to its place in the user's files.
    #[must_use]
    pub fn in_files(&self, mut problem: Diagnostic) -> Diagnostic {
        for label in &mut problem.labels {
            label.span = self.place(label.span);
        }
        problem
    }
}

/// True for a text that only a linker turns into WGSL.
pub fn needs_linking(text: &str) -> bool {
    let is_linked = |line: &str| {
        let line = line.trim_start();
        line.starts_with('#') || line.starts_with("import ") || line.starts_with("import{")
    };
    ["::", "@if", "#{"].iter().any(|sign| text.contains(sign)) || text.lines().any(is_linked)
}

/// Links the file with the modules that it imports, which are added to `sources`.
///
/// # Errors
/// A module or declaration that is not there, or what only another linker understands, at its place.
pub fn link(file: FileId, search: &LinkSearch<'_>, sources: &mut SourceMap) -> Result<LinkedText, Diagnostic> {
    let mut linker = Linker {
        search,
        sources,
        modules: Vec::new(),
        roots: PackageRoots::default(),
        unset: BTreeMap::new(),
        warnings: Vec::new(),
    };
    let path = linker.sources.file(file).name.replace('\\', "/");
    let stem = path.rsplit_once('.').map_or(path.as_str(), |(stem, _)| stem).to_owned();
    let root = linker.roots.of_main();
    linker.load(file, stem, root)?;
    let reached = linker.reach()?;
    Ok(linker.written(&reached))
}

/// A token that owns its text: a name, a path `a::b::c`, a sign.
#[derive(Clone, Debug)]
struct Piece {
    kind: TokenKind,
    text: String,
    span: Span,
}

impl Piece {
    fn of(token: &Token<'_>) -> Self {
        Self { kind: token.kind, text: token.text.to_owned(), span: token.span }
    }

    fn is_sign(&self, sign: char) -> bool {
        self.kind == TokenKind::Sign(sign)
    }

    fn is_word(&self, word: &str) -> bool {
        self.kind == TokenKind::Word && self.text == word
    }
}

#[derive(Debug)]
struct Module {
    file: FileId,
    /// Path of the file without its suffix: modules below it are in a folder of that name.
    stem: String,
    /// The root of its package in [`PackageRoots`].
    root: usize,
    imports: Imports,
    items: Vec<Item>,
    by_name: BTreeMap<String, usize>,
    is_naga_oil: bool,
}

/// A declaration, directive or assertion.
#[derive(Debug)]
struct Item {
    kind: ItemKind,
    pieces: Vec<Piece>,
    /// Index of the name in `pieces`.
    name: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ItemKind {
    /// `enable`, `requires`, `diagnostic`: these come first in a text.
    Directive,
    Assertion,
    Declaration,
}

/// A declaration of a module: their indices.
type ItemId = (usize, usize);

/// What a name of a module stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    Item(ItemId),
    /// The value of a macro.
    Value(String),
}

/// Declarations that the text needs, and what their names stand for, by the indices of tokens.
#[derive(Debug, Default)]
struct Reached {
    items: BTreeSet<ItemId>,
    targets: HashMap<(ItemId, usize), Target>,
}

struct Linker<'a> {
    search: &'a LinkSearch<'a>,
    sources: &'a mut SourceMap,
    modules: Vec<Module>,
    roots: PackageRoots,
    /// Names in the conditions of declarations that the user does not set, with a place.
    unset: BTreeMap<String, Span>,
    warnings: Vec<Diagnostic>,
}

impl Linker<'_> {
    /// Reads the declarations of a file.
    fn load(&mut self, file: FileId, stem: String, root: usize) -> Result<usize, Diagnostic> {
        let whole = &self.sources.file(file).text;
        if self.modules.len() == MOST_MODULES {
            let message = format!("this text imports more than {MOST_MODULES} modules");
            return Err(Diagnostic::error(Code::LimitExceeded, Span { file, ..Span::default() }, message));
        }
        let Preprocessed { text, placeholders, mut imports, is_naga_oil, unset } =
            naga_oil::preprocess(whole, file, self.search)?;
        check_text(&text, file, ShaderLanguage::Wgsl)?;
        let mut pieces: Vec<Piece> = tokens(&text, file)?.iter().map(Piece::of).collect();
        pieces.extend(placeholders);
        pieces.sort_by_key(|piece| piece.span.start);

        let mut cutter = Cutter::new(&pieces, self.search)?;
        let nodes = cutter.module()?;
        for (name, place) in unset.into_iter().chain(cutter.into_unset()) {
            self.unset.entry(name).or_insert(place);
        }

        let mut items = Vec::new();
        for node in nodes {
            match node.iter().find(|piece| piece.kind == TokenKind::Word) {
                Some(word) if node[0].is_word("import") => imports.add_statement(&node[1..], word.span)?,
                Some(word) if word.text == "virtual" || is_override_of_function(&node) => {
                    let message = format!("`{}` functions of naga_oil are not linked", word.text);
                    return Err(Diagnostic::error(Code::Unsupported, word.span, message));
                }
                Some(_) => items.push(Item::of(with_paths(node))),
                None => {}
            }
        }
        let named = items.iter().enumerate();
        let by_name = named.filter_map(|(index, item)| Some((item.pieces[item.name?].text.clone(), index))).collect();
        self.modules.push(Module { file, stem, root, imports, items, by_name, is_naga_oil });
        Ok(self.modules.len() - 1)
    }

    /// Follows names from the declarations of the main file.
    fn reach(&mut self) -> Result<Reached, Diagnostic> {
        let mut reached = Reached::default();
        let mut waiting: Vec<ItemId> = (0..self.modules[0].items.len()).rev().map(|item| (0, item)).collect();
        let mut seen_modules = BTreeSet::from([0]);
        while let Some(id) = waiting.pop() {
            if !reached.items.insert(id) {
                continue;
            }
            let uses = self.modules[id.0].items[id.1].uses();
            for index in uses {
                let Piece { text, span, .. } = self.modules[id.0].items[id.1].pieces[index].clone();
                let Some(target) = self.target(id.0, &text, span)? else { continue };
                if let Target::Item(item) = target {
                    waiting.push(item);
                    if seen_modules.insert(item.0) {
                        let whole = self.modules[item.0].items.iter().enumerate();
                        let whole = whole.filter(|(_, other)| other.kind != ItemKind::Declaration);
                        waiting.extend(whole.map(|(index, _)| (item.0, index)));
                    }
                }
                reached.targets.insert((id, index), target);
            }
        }
        Ok(reached)
    }

    /// The text of the reached declarations: those of the main file have their names, the others theirs where no
    /// other name is the same.
    fn written(mut self, reached: &Reached) -> LinkedText {
        let item = |(module, item): &ItemId| &self.modules[*module].items[*item];
        let own_name = |id: &ItemId| item(id).name.map(|index| item(id).pieces[index].text.as_str());
        let mut taken: BTreeSet<String> = BTreeSet::new();
        for id in &reached.items {
            let words = item(id).pieces.iter().enumerate().filter(|(_, piece)| piece.kind == TokenKind::Word);
            let is_member =
                |index: usize| index.checked_sub(1).is_some_and(|before| item(id).pieces[before].is_sign('.'));
            let others = words.filter(|(index, _)| {
                item(id).name != Some(*index) && !is_member(*index) && !reached.targets.contains_key(&(*id, *index))
            });
            taken.extend(others.map(|(_, piece)| piece.text.clone()));
        }
        let mut names: HashMap<ItemId, String> = HashMap::new();
        for id in &reached.items {
            let Some(name) = own_name(id) else { continue };
            let mut unique = name.to_owned();
            let mut number = 2;
            while id.0 != 0 && taken.contains(&unique) {
                unique = format!("{name}_{number}");
                number += 1;
            }
            taken.insert(unique.clone());
            names.insert(*id, unique);
        }

        let mut linked = LinkedText::default();
        let mut directives = BTreeSet::new();
        let is_directive = |id: &&ItemId| item(id).kind == ItemKind::Directive;
        for id in reached.items.iter().filter(is_directive) {
            let words: Vec<&str> = item(id).pieces.iter().map(|piece| piece.text.as_str()).collect();
            if directives.insert(words.concat()) {
                linked.push(&item(id).pieces, |_| None);
            }
        }
        for id in reached.items.iter().filter(|id| !is_directive(id)) {
            linked.push(&item(id).pieces, |index| match reached.targets.get(&(*id, index)) {
                Some(Target::Item(target)) => names.get(target).cloned(),
                Some(Target::Value(value)) => Some(value.clone()),
                None if item(id).name == Some(index) => names.get(id).cloned(),
                None => None,
            });
        }
        linked.warnings = std::mem::take(&mut self.warnings);
        linked.warnings.extend(self.unset_names());
        linked
    }

    /// Warns of names that decide declarations and that the user does not set.
    fn unset_names(&mut self) -> Option<Diagnostic> {
        let unset = std::mem::take(&mut self.unset);
        let place = *unset.values().min_by_key(|span| (span.file, span.start))?;
        let mut names: Vec<String> = unset.keys().take(SHOWN_NAMES).map(|name| format!("`{name}`")).collect();
        if unset.len() > SHOWN_NAMES {
            names.push(format!("{} more", unset.len() - SHOWN_NAMES));
        }
        let message = format!("conditions of declarations take names that are not set as false: {}", names.join(", "));
        Some(Diagnostic::warning(Code::UncertainLayout, place, message).with_help("`-D NAME` sets a name"))
    }
}

impl LinkedText {
    /// Adds tokens, whose texts `renamed` may replace.
    fn push(&mut self, pieces: &[Piece], renamed: impl Fn(usize) -> Option<String>) {
        let mut before: Option<&Piece> = None;
        for (index, piece) in pieces.iter().enumerate() {
            let is_adjacent =
                before.is_some_and(|before| before.span.file == piece.span.file && before.span.end == piece.span.start);
            if !is_adjacent {
                let ends_line = before.is_none_or(|before| [';', '{', '}'].iter().any(|sign| before.is_sign(*sign)));
                self.text.push(if ends_line { '\n' } else { ' ' });
            }
            self.places.push((u32::try_from(self.text.len()).unwrap_or(u32::MAX), piece.span));
            match renamed(index) {
                Some(name) => self.text.push_str(&name),
                None => self.text.push_str(&piece.text),
            }
            before = Some(piece);
        }
    }
}

impl Item {
    fn of(pieces: Vec<Piece>) -> Self {
        let at = after_attributes(&pieces);
        let keyword = pieces.get(at).map(|piece| piece.text.as_str());
        let (kind, name) = match keyword {
            Some("enable" | "requires" | "diagnostic") => (ItemKind::Directive, None),
            Some("const_assert") => (ItemKind::Assertion, None),
            Some("var") if pieces.get(at + 1).is_some_and(|next| next.kind == TokenKind::TemplateStart) => {
                let end = pieces.iter().position(|piece| piece.kind == TokenKind::TemplateEnd);
                (ItemKind::Declaration, end.map(|end| end + 1))
            }
            _ => (ItemKind::Declaration, Some(at + 1)),
        };
        let name = name.filter(|name| pieces.get(*name).is_some_and(|piece| piece.kind == TokenKind::Word));
        Self { kind, pieces, name }
    }

    /// The tokens that may name declarations of the module, or of others.
    fn uses(&self) -> Vec<usize> {
        if self.kind == ItemKind::Directive {
            return Vec::new();
        }
        let keyword = after_attributes(&self.pieces);
        let is_function = self.pieces.get(keyword).is_some_and(|piece| piece.text == "fn");
        let has_members = is_function || self.pieces.get(keyword).is_some_and(|piece| piece.text == "struct");
        let body = if is_function { self.pieces.iter().position(|piece| piece.is_sign('{')) } else { None };
        let body = body.unwrap_or(self.pieces.len());

        let mut uses = Vec::new();
        let mut declared = Vec::new();
        let mut space = 0..0;
        if self.name.is_some_and(|name| name > keyword + 1) {
            space = keyword..self.name.unwrap_or(keyword);
        }
        for (index, piece) in self.pieces[..body].iter().enumerate() {
            let before = index.checked_sub(1).map(|before| &self.pieces[before]);
            let is_part = before.is_some_and(|before| before.is_sign('.') || before.is_sign('@'));
            if piece.kind != TokenKind::Word || is_part || self.name == Some(index) || space.contains(&index) {
                continue;
            }
            if has_members && self.pieces.get(index + 1).is_some_and(|next| next.is_sign(':')) {
                declared.push(piece.text.as_str());
                continue;
            }
            uses.push(index);
        }
        let tokens: Vec<Token<'_>> = self.pieces[body..]
            .iter()
            .map(|piece| Token { kind: piece.kind, text: &piece.text, span: piece.span })
            .collect();
        uses.extend(names_in(&tokens, &declared).global.into_iter().map(|index| body + index));
        uses
    }
}

/// True for `override fn`, with which `naga_oil` replaces a `virtual fn`.
fn is_override_of_function(node: &[Piece]) -> bool {
    matches!(&node[after_attributes(node)..], [first, second, ..] if first.is_word("override") && second.is_word("fn"))
}

/// The index after the attributes at the start.
fn after_attributes(pieces: &[Piece]) -> usize {
    let mut at = 0;
    while pieces.get(at).is_some_and(|piece| piece.is_sign('@')) {
        at += 2;
        if pieces.get(at).is_some_and(|piece| piece.is_sign('(')) {
            at = conditions::closing(pieces, at).map_or(pieces.len(), |end| end + 1);
        }
    }
    // The text may end after an `@`.
    at.min(pieces.len())
}

/// The tokens with each path `a::b` as one.
fn with_paths(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut joined: Vec<Piece> = Vec::with_capacity(pieces.len());
    let mut rest = pieces.into_iter().peekable();
    while let Some(piece) = rest.next() {
        let is_colons = piece.is_sign(':')
            && rest.peek().is_some_and(|next| next.is_sign(':') && next.span.start == piece.span.end)
            && joined.last().is_some_and(|last| last.kind == TokenKind::Word);
        if !is_colons {
            joined.push(piece);
            continue;
        }
        rest.next();
        match (joined.last_mut(), rest.next()) {
            (Some(last), Some(next)) => {
                last.text = format!("{}::{}", last.text, next.text);
                last.span = last.span.to(next.span);
            }
            _ => joined.push(piece),
        }
    }
    joined
}

#[cfg(test)]
mod tests;
