//! What an answer found in its inputs, and what it compared of that.
//!
//! Every command makes an entry where it compares a thing or drops it; reports only print the entries. A thing that
//! the user did not exclude and that was not compared is open: no answer about it may be green.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantNames};

use crate::reason::Reason;

/// Most things that a sentence names.
const MOST_NAMED: usize = 3;

/// All things that an answer found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "SavedAccount", into = "SavedAccount")]
pub struct Account {
    pub entries: Vec<AccountEntry>,
}

/// A thing that an answer found, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountEntry {
    pub kind: FoundKind,
    /// The name in the file; for a target, its name.
    pub name: String,
    /// The input that has it.
    pub file: String,
    /// The line of its declaration or use in that file, from 1; `None` if it is in another file or unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The target of the answer: `D3D12 · DXC`; `None` if the file fixes its layout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    #[serde(flatten)]
    pub state: AccountState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum FoundKind {
    /// A declared block of bytes.
    Block,
    /// A declared parameter without bytes: a texture, a sampler, a buffer of bytes.
    Parameter,
    /// A resource fetched from a descriptor heap.
    DescriptorHeap,
    /// Data of a stage that no descriptor names: a payload, a record, workgroup memory.
    StageData,
    /// A load or store of a type in a buffer of bytes.
    RawAccess,
    /// Memory behind a pointer that is no parameter.
    Pointer,
    /// A target for which programs in the file's language ship.
    Target,
    EntryPoint,
    /// A file that is named, but could not be read.
    File,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum AccountState {
    Compared,
    /// Some leaves were compared, the others not.
    InPart {
        leaves: u64,
        of: u64,
        why: NotCompared,
    },
    NotCompared {
        why: NotCompared,
    },
}

/// Why a thing was not compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, VariantNames)]
#[serde(tag = "reason", rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum NotCompared {
    /// layoutproof has no probe and no layout for memory of this kind.
    NoProbe,
    /// No device here read it.
    NotRead { causes: Vec<Reason> },
    /// A compiler refuses the file, in its own words. `option` is the one with which it takes the file.
    Refused {
        compiler: String,
        message: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        option: Option<String>,
    },
    /// No compiler for the target was found.
    NoCompiler,
    /// No device here runs the code of the target.
    NoDevice,
    /// The target or the rule set has no layout for it.
    NoLayout { message: String },
    /// No rule places the members of such memory, so there is nothing to compare.
    NoOffsets,
    /// The answer is not certain.
    Uncertain { message: String },
    /// No host struct is compared with it.
    NoHost { message: String },
    /// The file could not be read.
    Unread { message: String },
    /// The answer is about something else: `option` asks for it.
    NotAsked { option: String },
    /// An option of the user leaves it out.
    Excluded { option: String },
}

/// The keys of an account in files. The counts follow from the entries.
#[derive(Serialize, Deserialize)]
struct SavedAccount {
    #[serde(default, skip_deserializing)]
    found: usize,
    #[serde(default, skip_deserializing)]
    compared: usize,
    #[serde(default, skip_deserializing)]
    open: usize,
    #[serde(default, skip_deserializing)]
    summary: String,
    entries: Vec<AccountEntry>,
}

impl From<Account> for SavedAccount {
    fn from(account: Account) -> Self {
        Self {
            found: account.entries.len(),
            compared: account.entries.iter().filter(|entry| entry.state == AccountState::Compared).count(),
            open: account.open().count(),
            summary: account.sentence(),
            entries: account.entries,
        }
    }
}

impl From<SavedAccount> for Account {
    fn from(saved: SavedAccount) -> Self {
        Self { entries: saved.entries }
    }
}

impl FoundKind {
    /// The words in brackets after a name; `None` for what every reader expects.
    fn words(self) -> Option<&'static str> {
        match self {
            Self::Block | Self::Target | Self::File => None,
            Self::Parameter => Some("parameter"),
            Self::DescriptorHeap => Some("descriptor heap"),
            Self::StageData => Some("data of a stage"),
            Self::RawAccess => Some("raw load or store"),
            Self::Pointer => Some("pointer"),
            Self::EntryPoint => Some("entry point"),
        }
    }

    /// True for memory that code reaches without a declared block.
    pub fn is_view(self) -> bool {
        match self {
            Self::DescriptorHeap | Self::RawAccess | Self::Pointer | Self::StageData => true,
            Self::Block | Self::Parameter | Self::Target | Self::EntryPoint | Self::File => false,
        }
    }
}

impl NotCompared {
    /// True if nothing says that the user wants it so.
    pub fn is_open(&self) -> bool {
        match self {
            Self::NoOffsets | Self::NotAsked { .. } | Self::Excluded { .. } => false,
            Self::NoProbe
            | Self::NotRead { .. }
            | Self::Refused { .. }
            | Self::NoCompiler
            | Self::NoDevice
            | Self::NoLayout { .. }
            | Self::Uncertain { .. }
            | Self::NoHost { .. }
            | Self::Unread { .. } => true,
        }
    }
}

impl AccountState {
    pub fn not_compared(why: NotCompared) -> Self {
        Self::NotCompared { why }
    }

    pub fn why(&self) -> Option<&NotCompared> {
        match self {
            Self::Compared => None,
            Self::InPart { why, .. } | Self::NotCompared { why } => Some(why),
        }
    }

    fn is_open(&self) -> bool {
        self.why().is_some_and(NotCompared::is_open)
    }
}

impl AccountEntry {
    /// True if it was neither compared nor excluded by the user.
    pub fn is_open(&self) -> bool {
        self.state.is_open()
    }

    /// ``halves`` or `Tint (descriptor heap, line 6)`, without the target.
    fn title(&self) -> String {
        let place = self.line.filter(|_| self.kind.is_view()).map(|line| format!("line {line}"));
        let words: Vec<String> = self.kind.words().map(str::to_owned).into_iter().chain(place).collect();
        match (self.kind, words.as_slice()) {
            (FoundKind::Target | FoundKind::File, _) => self.name.clone(),
            (_, []) => format!("`{}`", self.name),
            (_, words) => format!("{} ({})", self.name, words.join(", ")),
        }
    }
}

impl Account {
    /// The things that were neither compared nor excluded by the user.
    pub fn open(&self) -> impl Iterator<Item = &AccountEntry> {
        self.entries.iter().filter(|entry| entry.is_open())
    }

    /// True if a file that the user names could not be read.
    pub fn has_unread_file(&self) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.kind == FoundKind::File && matches!(entry.state.why(), Some(NotCompared::Unread { .. })))
    }

    /// The open entries that no reader of the answer sees otherwise: not files that were refused and not blocks that
    /// are listed without a host struct.
    #[must_use]
    pub fn unseen(&self) -> Self {
        Self { entries: self.unseen_entries().cloned().collect() }
    }

    pub fn unseen_entries(&self) -> impl Iterator<Item = &AccountEntry> {
        let is_unseen = |entry: &&AccountEntry| {
            !matches!(entry.state.why(), Some(NotCompared::NoHost { .. } | NotCompared::Unread { .. }))
        };
        self.open().filter(is_unseen)
    }

    /// The account of an answer that compares two readings of the same things: what one of them lacks is not compared.
    #[must_use]
    pub fn both(mut self, other: Self) -> Self {
        for entry in other.entries {
            let is_same = |own: &&mut AccountEntry| {
                (own.kind, &own.name, &own.file, own.line) == (entry.kind, &entry.name, &entry.file, entry.line)
            };
            match self.entries.iter_mut().find(is_same) {
                Some(own) if own.state == AccountState::Compared => own.state = entry.state,
                Some(_) => {}
                None => self.entries.push(entry),
            }
        }
        self
    }

    /// True if an answer about the inputs covers everything that the user did not exclude.
    pub fn is_complete(&self) -> bool {
        self.open().next().is_none()
    }

    /// How many of the blocks and of the other memory were compared in full, for all their targets: `2 of 3 blocks`.
    /// `None` if there is none.
    fn blocks(&self) -> Option<(u64, u64)> {
        let mut blocks: BTreeMap<(&str, &str, FoundKind, Option<u32>), bool> = BTreeMap::new();
        for entry in self.entries.iter().filter(|entry| entry.kind == FoundKind::Block || entry.kind.is_view()) {
            let is_excluded = entry.state.why().is_some_and(|why| !why.is_open());
            if is_excluded {
                continue;
            }
            let line = entry.line.filter(|_| entry.kind.is_view());
            let is_compared = blocks.entry((&entry.file, &entry.name, entry.kind, line)).or_insert(true);
            *is_compared &= entry.state == AccountState::Compared;
        }
        let compared = blocks.values().filter(|is_compared| **is_compared).count() as u64;
        (!blocks.is_empty()).then_some((compared, blocks.len() as u64))
    }

    /// `2 of 2 blocks compared`; `None` without blocks.
    pub fn counts(&self) -> Option<String> {
        self.counts_of("compared")
    }

    fn counts_of(&self, done: &str) -> Option<String> {
        let (compared, all) = self.blocks()?;
        let blocks = if all == 1 { "block" } else { "blocks" };
        Some(format!("{compared} of {all} {blocks} {done}"))
    }

    /// What was not compared and why, a clause for each reason: ``` `mats` for Vulkan · DXC: refused ...```. At most
    /// three clauses.
    pub fn gaps(&self) -> Vec<String> {
        let mut groups: Vec<(String, Option<&str>, Vec<String>)> = Vec::new();
        for entry in self.open() {
            let reason = entry.state.to_string();
            let target = entry.target.as_deref();
            let title = entry.title();
            match groups.iter_mut().find(|(known, of, _)| *known == reason && *of == target) {
                Some((_, _, titles)) if titles.contains(&title) => {}
                Some((_, _, titles)) => titles.push(title),
                None => groups.push((reason, target, vec![title])),
            }
        }
        let count = groups.len();
        let clause = |(reason, target, titles): (String, Option<&str>, Vec<String>)| {
            let target = target.map(|target| format!(" for {target}")).unwrap_or_default();
            format!("{}{target}: {reason}", some_of(&titles))
        };
        let mut clauses: Vec<String> = groups.into_iter().take(MOST_NAMED).map(clause).collect();
        if count > MOST_NAMED {
            clauses.push(format!("{} more", count - MOST_NAMED));
        }
        clauses
    }

    /// `2 of 3 blocks compared; Tint (descriptor heap, line 6): no probe reads it`.
    pub fn sentence(&self) -> String {
        self.sentence_of("compared")
    }

    /// The same of an answer that lays out and compares nothing: `2 of 3 blocks laid out`.
    pub fn sentence_of(&self, done: &str) -> String {
        // Without its compilers a file is not read, so that nothing is known about its blocks.
        let has_blocks = |entry: &AccountEntry| !matches!(entry.kind, FoundKind::Target | FoundKind::File);
        let none = || if self.open().all(has_blocks) { "no block found".to_owned() } else { format!("nothing {done}") };
        let counts = self.counts_of(done).unwrap_or_else(none);
        std::iter::once(counts).chain(self.gaps()).collect::<Vec<_>>().join("; ")
    }
}

fn some_of(titles: &[String]) -> String {
    let listed = titles[..titles.len().min(MOST_NAMED)].join(", ");
    match titles.len().saturating_sub(MOST_NAMED) {
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}

impl fmt::Display for AccountState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compared => f.write_str("compared"),
            Self::InPart { leaves, of, why } => write!(f, "{leaves} of {of} leaves; {why}"),
            Self::NotCompared { why } => why.fmt(f),
        }
    }
}

impl fmt::Display for NotCompared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoProbe => f.write_str("no probe reads it"),
            Self::NotRead { causes } => {
                f.write_str("no device here read it")?;
                let Some(first) = causes.first() else { return Ok(()) };
                write!(f, " ({first}")?;
                match causes.len() {
                    1 => f.write_str(")"),
                    several => write!(f, "; {} more)", several - 1),
                }
            }
            Self::Refused { compiler, message, option } => {
                write!(f, "refused by {compiler}: {message}")?;
                option.iter().try_for_each(|option| write!(f, "; pass `{option}`"))
            }
            Self::NoCompiler => f.write_str("no compiler (`layoutproof doctor` names the command)"),
            Self::NoOffsets => f.write_str("the driver chooses its layout"),
            Self::NoDevice => f.write_str("no device here runs this code"),
            Self::NoLayout { message }
            | Self::Uncertain { message }
            | Self::NoHost { message }
            | Self::Unread { message } => f.write_str(message),
            Self::NotAsked { option } => write!(f, "not asked for: {option}"),
            Self::Excluded { option } => write!(f, "excluded by {option}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(kind: FoundKind, name: &str, target: Option<&str>, state: AccountState) -> AccountEntry {
        let (name, file, target) = (name.to_owned(), "a.hlsl".to_owned(), target.map(str::to_owned));
        AccountEntry { kind, name, file, line: Some(6), target, state }
    }

    #[test]
    fn a_sentence_counts_blocks_and_names_what_is_open() {
        use FoundKind::{Block, DescriptorHeap, Target};
        let lacks = NotCompared::NotRead { causes: vec![Reason::DeviceLacks("shaderFloat16".to_owned())] };
        let excluded = NotCompared::Excluded { option: "--target".to_owned() };
        let account = Account {
            entries: vec![
                entry(Block, "root", Some("D3D12 · DXC"), AccountState::Compared),
                entry(Block, "root", Some("Vulkan · DXC"), AccountState::Compared),
                entry(Block, "halves", Some("D3D12 · DXC"), AccountState::Compared),
                entry(Block, "halves", Some("Vulkan · DXC"), AccountState::not_compared(lacks)),
                entry(DescriptorHeap, "Tint", None, AccountState::not_compared(NotCompared::NoProbe)),
                entry(Target, "Vulkan · Slang", None, AccountState::not_compared(excluded)),
            ],
        };
        let expected = "1 of 3 blocks compared; `halves` for Vulkan · DXC: no device here read it (device lacks shaderFloat16); \
                        Tint (descriptor heap, line 6): no probe reads it";
        assert_eq!(account.sentence(), expected);
        assert_eq!(account.open().count(), 2);
    }

    #[test]
    fn a_target_without_a_compiler_says_nothing_about_blocks() {
        let lacks = |kind, name| entry(kind, name, None, AccountState::not_compared(NotCompared::NoCompiler));
        let sentence = |entries| Account { entries }.sentence();
        let expected = "nothing compared; Vulkan · DXC: no compiler (`layoutproof doctor` names the command)";
        assert_eq!(sentence(vec![lacks(FoundKind::Target, "Vulkan · DXC")]), expected);
        assert_eq!(sentence(Vec::new()), "no block found");
    }

    #[test]
    fn a_saved_account_is_the_same_account() {
        let part = AccountState::InPart { leaves: 3, of: 4, why: NotCompared::NoDevice };
        let account = Account { entries: vec![entry(FoundKind::Block, "a", None, part)] };
        let text = serde_json::to_string(&account).unwrap();
        let start = r#"{"found":1,"compared":0,"open":1,"summary":"0 of 1 block compared; "#;
        assert!(text.starts_with(start), "{text}");
        let state = r#""state":"in-part","leaves":3,"of":4,"why":{"reason":"no-device"}}"#;
        assert!(text.contains(state), "{text}");
        assert_eq!(serde_json::from_str::<Account>(&text).unwrap(), account);
    }
}
