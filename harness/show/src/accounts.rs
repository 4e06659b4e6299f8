//! What a module has, for accounts: its blocks, parameters, views and entry points.

use layoutproof_events::{Account, AccountEntry, AccountState, FoundKind, NotCompared};
use layoutproof_frontend::module::{Module, Parameter, ParameterKind, ViewKind};
use layoutproof_layout::shape::Type;
use layoutproof_layout::{Block, BlockLayout, Reach, Span};
use layoutproof_source::sources::SourceMap;

use crate::bindings_text::{BindingsColumn, rows};
use crate::rule_set_layouts::{LaidOutBlock, RuleSetLayouts};
use crate::show_input::{InputContent, LEFT_TO_DRIVER, LaidOutFile, ShowInput};
use crate::shown_columns::{BlockPresence, ShownColumnBlock};

/// DXC 1.7.2308 `-T cs_6_6`: the stores of `Store<float3x2>` go column after column, the loads of `Load<float3x2>` row after
/// row.
const RAW_MATRICES: &str = "DXC loads a matrix that is no member row by row, and stores it in its own order";

pub fn view_kind(kind: ViewKind) -> FoundKind {
    match kind {
        ViewKind::DescriptorHeap => FoundKind::DescriptorHeap,
        ViewKind::RawAccess { .. } => FoundKind::RawAccess,
        ViewKind::Pointer => FoundKind::Pointer,
        ViewKind::Stage(_) => FoundKind::StageData,
    }
}

pub fn reach_kind(reach: &Reach) -> FoundKind {
    match reach {
        Reach::Parameter => FoundKind::Block,
        Reach::Pointer(_) => FoundKind::Pointer,
        Reach::DescriptorHeap => FoundKind::DescriptorHeap,
        Reach::RawAccess { .. } => FoundKind::RawAccess,
        Reach::Stage(_) => FoundKind::StageData,
    }
}

/// True if the bytes of a parameter are a block, or a part of `$Globals`.
pub fn block_of_parameter(module: &Module, parameter: &Parameter) -> bool {
    let is_own = |name: &str| {
        let rest = name.strip_prefix(parameter.name.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '#', '[']))
    };
    parameter.kind == ParameterKind::Global || module.blocks.iter().any(|block| is_own(&block.name))
}

/// What a file has and what `show` says about it. `word` is the file as the user names it.
pub fn of_input(
    input: &ShowInput,
    word: &str,
    layouts: &[RuleSetLayouts],
    columns: &[BindingsColumn],
    sources: &SourceMap,
) -> Account {
    let entry = |kind, name: &str, span, state| entry(kind, name, (word, sources), span, state);
    let mut entries = Vec::new();
    match &input.content {
        InputContent::Declared(source) => {
            let module = &source.module;
            for block in &module.blocks {
                entries.push(entry(FoundKind::Block, &block.name, Some(block.span), state_of(&block.name, layouts)));
            }
            let mut others = besides_blocks(module, word, sources);
            for found in others.iter_mut().filter(|found| found.kind == FoundKind::Parameter) {
                found.state = state_of_parameter(&found.name, columns);
            }
            entries.extend(others);
            for point in &module.entry_points {
                entries.push(entry(FoundKind::EntryPoint, &point.name, Some(point.span), AccountState::Compared));
            }
        }
        InputContent::LaidOut(file) => {
            for block in &file.blocks {
                entries.push(entry(FoundKind::Block, &block.name, None, state_of(&block.name, layouts)));
            }
            let of_compilers = columns.iter().filter(|column| column.answered_by.is_some());
            let of_compilers = of_compilers.flat_map(|column| &column.bound.bindings);
            for binding in file.bindings.iter().flat_map(|bindings| &bindings.bindings).chain(of_compilers) {
                let is_known = entries.iter().any(|known: &AccountEntry| known.name == binding.path);
                if !is_known {
                    let state = state_of_parameter(&binding.path, columns);
                    entries.push(entry(FoundKind::Parameter, &binding.path, Some(binding.span), state));
                }
            }
        }
    }
    Account { entries }
}

/// The blocks that a compiler has in a file that only it reads. What else the file has is not known.
pub fn of_compiled(word: &str, blocks: &[ShownColumnBlock]) -> Account {
    let block = |block: &ShownColumnBlock| AccountEntry {
        kind: FoundKind::Block,
        name: block.shown.name.clone(),
        file: word.to_owned(),
        line: None,
        target: None,
        state: AccountState::Compared,
    };
    Account { entries: blocks.iter().map(block).collect() }
}

fn entry(
    kind: FoundKind,
    name: &str,
    (word, sources): (&str, &SourceMap),
    span: Option<Span>,
    state: AccountState,
) -> AccountEntry {
    // Includes have lines of their own.
    let own = span.filter(|span| *span != Span::default() && sources.file(span.file).name == word);
    let line = own.map(|span| sources.position(span).line);
    AccountEntry { kind, name: name.to_owned(), file: word.to_owned(), line, target: None, state }
}

/// The parameters without bytes, which no answer about bytes is about, and the memory that no answer covers.
pub fn besides_blocks(module: &Module, word: &str, sources: &SourceMap) -> Vec<AccountEntry> {
    let parameters = module.parameters.iter().filter(|found| !block_of_parameter(module, found)).map(|found| {
        let state = AccountState::not_compared(NotCompared::NotAsked { option: "--bindings".to_owned() });
        entry(FoundKind::Parameter, &found.name, (word, sources), Some(found.span), state)
    });
    let is_raw = |kind| matches!(kind, ViewKind::RawAccess { .. });
    let views = module.views.iter().map(|view| {
        let why = match &view.ty {
            Some(ty) if is_raw(view.kind) && matches!(ty.dimensions().0, Type::Matrix { .. }) => {
                NotCompared::Uncertain { message: RAW_MATRICES.to_owned() }
            }
            Some(_) => NotCompared::NoProbe,
            None => NotCompared::NoLayout { message: "its type is not known".to_owned() },
        };
        let state = AccountState::not_compared(why);
        entry(view_kind(view.kind), &view.name, (word, sources), Some(view.span), state)
    });
    parameters.chain(views).collect()
}

/// A block that no parameter holds and that is not compared.
pub fn view_not_compared(block: &Block, word: &str, sources: &SourceMap, why: NotCompared) -> AccountEntry {
    let state = AccountState::not_compared(why);
    entry(reach_kind(&block.reach), &block.name, (word, sources), Some(block.span), state)
}

/// The blocks of a file that an OpenGL driver lays out.
pub fn driver_blocks(file: &LaidOutFile, word: &str) -> Vec<AccountEntry> {
    let blocks = file.blocks.iter().filter(|block| block.is_left_to_driver());
    let entry = |block: &BlockLayout| AccountEntry {
        kind: FoundKind::Block,
        name: block.name.clone(),
        file: word.to_owned(),
        line: None,
        target: None,
        state: left_to_driver(),
    };
    blocks.map(entry).collect()
}

fn left_to_driver() -> AccountState {
    AccountState::not_compared(NotCompared::NoLayout { message: LEFT_TO_DRIVER.to_owned() })
}

/// A block that no column lays out has the reason of the first. An answer about bindings alone has no columns.
fn state_of(block: &str, layouts: &[RuleSetLayouts]) -> AccountState {
    let all = layouts.iter().flat_map(|layouts| &layouts.blocks).filter(|found| found.layout.name == *block);
    if let Some(message) = all.clone().find_map(|found| found.layout.broken_access()) {
        return AccountState::not_compared(NotCompared::Uncertain { message: message.to_owned() });
    }
    if all.clone().any(|found| found.layout.is_left_to_driver()) {
        return left_to_driver();
    }
    let is_of_stage = |found: &LaidOutBlock| {
        found.presence == BlockPresence::Unplaced && matches!(found.layout.reach, Reach::Stage(_))
    };
    if all.clone().any(is_of_stage) && all.clone().all(|found| found.layout.result.is_err()) {
        return AccountState::not_compared(NotCompared::NoOffsets);
    }
    let refusals: Option<Vec<_>> = all.map(|found| found.layout.result.as_ref().err()).collect();
    match refusals.and_then(|refusals| refusals.into_iter().flatten().next()) {
        None => AccountState::Compared,
        Some(refusal) => AccountState::not_compared(NotCompared::NoLayout { message: refusal.message.clone() }),
    }
}

fn state_of_parameter(name: &str, columns: &[BindingsColumn]) -> AccountState {
    let is_own = |path: &str| {
        let rest = path.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let uncertain = columns.iter().flat_map(rows).find_map(|row| row.uncertain.filter(|_| is_own(&row.path)));
    match uncertain {
        None => AccountState::Compared,
        Some(message) => AccountState::not_compared(NotCompared::Uncertain { message }),
    }
}
