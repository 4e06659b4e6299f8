//! `layoutproof accesses`: which bytes and members the code of shaders touches, and what is wrong with that.
//!
//! `text` is for people, `json`, `junit`, `sarif_log` and `annotations` for programs. All show the same [`FollowedFiles`].

mod annotations;
mod json;
mod junit;
mod text;

use std::collections::BTreeMap;
use std::fmt::Write;

use layoutproof_readers::spirv::accesses::{Access, ByteExpr, Fault, FaultKind, ModuleAccesses, Why};
use layoutproof_show::declaration_words::type_words;
use layoutproof_show::style::counted;
use layoutproof_source::shader_language::ShaderLanguage;

use crate::host_check::UnreadInput;

pub use annotations::{annotations, sarif_log};
pub use json::json;
pub use junit::junit;
pub(crate) use text::add_rows;
pub use text::text;

/// A module that was followed.
#[derive(Clone, Debug)]
pub struct FollowedFile {
    pub file: String,
    /// The language in whose words people read types.
    pub language: ShaderLanguage,
    /// The compiler that made the module, with its version.
    pub compiler: Option<String>,
    pub accesses: ModuleAccesses,
}

impl FollowedFile {
    /// How many of its accesses were not followed, by the reason.
    fn open(&self) -> BTreeMap<Why, u64> {
        let mut open = BTreeMap::new();
        for access in &self.accesses.accesses {
            if let (None, ByteExpr::Unknown(why)) = (access.view, &access.at) {
                *open.entry(*why).or_default() += 1;
            }
        }
        open
    }

    fn sentence(&self, fault: &Fault) -> String {
        sentence(fault, &self.accesses.accesses, self.language)
    }
}

#[derive(Clone, Debug, Default)]
pub struct FollowedFiles {
    pub files: Vec<FollowedFile>,
    pub unread: Vec<UnreadInput>,
}

impl FollowedFiles {
    pub fn faults(&self) -> usize {
        self.files.iter().map(|file| file.accesses.faults.len()).sum()
    }

    pub fn accesses(&self) -> usize {
        self.files.iter().map(|file| file.accesses.accesses.len()).sum()
    }

    /// How many accesses were not followed, by the reason.
    pub fn open(&self) -> BTreeMap<Why, u64> {
        let mut open = BTreeMap::new();
        for (why, count) in self.files.iter().flat_map(FollowedFile::open) {
            *open.entry(why).or_default() += count;
        }
        open
    }

    /// How many accesses were followed to a member.
    pub fn followed(&self) -> u64 {
        self.accesses() as u64 - self.open().values().sum::<u64>()
    }

    /// How many accesses were found and followed, and why not all.
    pub fn account(&self) -> String {
        let mut text = format!("{}, {} followed to a member", accesses(self.accesses() as u64), self.followed());
        for (why, count) in &self.open() {
            let _ = write!(text, "; {count} open: {why}");
        }
        text
    }

    /// The sentence that sums it up.
    pub fn headline(&self) -> String {
        let faults = match self.faults() as u64 {
            0 => "no fault".to_owned(),
            faults => counted(faults, "fault"),
        };
        let unread = match self.unread.len() as u64 {
            0 => String::new(),
            unread => format!("; {} could not be read", counted(unread, "file")),
        };
        format!("{faults}: {}{unread}", self.account())
    }
}

pub(crate) fn accesses(count: u64) -> String {
    if count == 1 { "1 access".to_owned() } else { format!("{count} accesses") }
}

/// What the access of a fault does, in words: ``store of `lights[].color` ``.
fn subject(fault: &Fault, accesses: &[Access]) -> String {
    let access = fault.access.and_then(|index| accesses.get(index as usize));
    let whole = member_of(&fault.view, &fault.member);
    match access {
        Some(access) => format!("{} of `{whole}`", access.kind.as_str()),
        None => format!("`{whole}`"),
    }
}

pub(crate) fn member_of(view: &str, member: &str) -> String {
    match (view, member) {
        (view, "") => view.to_owned(),
        (view, member) if member.starts_with('[') => format!("{view}{member}"),
        (view, member) => format!("{view}.{member}"),
    }
}

/// A fault in a sentence, with types in the words of `language`.
pub(crate) fn sentence(fault: &Fault, accesses: &[Access], language: ShaderLanguage) -> String {
    let mut kind = fault.kind.clone();
    if let FaultKind::OtherType { declared_type, accessed, .. } = &mut kind {
        *declared_type = type_words(language, declared_type);
        *accessed = type_words(language, accessed);
    }
    format!("{} {kind}", subject(fault, accesses))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use layoutproof_readers::spirv::accesses::{AccessKind, View, ViewKind};

    use super::*;

    /// A view that no access reaches, and an access whose pointer is not known, prove nothing.
    #[test]
    fn what_is_not_followed_is_no_success() {
        let why = Why::Pointer;
        let access = Access {
            kind: AccessKind::Load,
            view: None,
            at: ByteExpr::Unknown(why),
            size: Some(4),
            member: String::new(),
            type_name: "float".to_owned(),
            promised: None,
            place: None,
            entries: BTreeSet::new(),
        };
        let untouched = vec!["m".to_owned()];
        let view = View { name: "S".to_owned(), kind: ViewKind::Storage, set: None, binding: None, untouched };
        let accesses = ModuleAccesses { views: vec![view], accesses: vec![access], ..ModuleAccesses::default() };
        let file = FollowedFile { file: "a.spv".to_owned(), language: ShaderLanguage::Hlsl, compiler: None, accesses };
        let followed = FollowedFiles { files: vec![file], unread: Vec::new() };

        assert_eq!(followed.followed(), 0);
        assert_eq!(followed.account(), format!("1 access, 0 followed to a member; 1 open: {why}"));
        let report = junit(&followed);
        assert!(report.contains("tests=\"2\" skipped=\"2\""), "{report}");
    }
}
