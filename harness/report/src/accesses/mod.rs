//! `layoutproof accesses`: which bytes and members the code of shaders touches, and what is wrong with that.
//!
//! `text` is for people, `json`, `junit` and `annotations` for programs. All show the same [`FollowedFiles`].

mod annotations;
mod json;
mod junit;
mod text;

use std::collections::BTreeMap;
use std::fmt::Write;

use layoutproof_readers::spirv::accesses::{Access, ByteExpr, Fault, ModuleAccesses, Why};
use layoutproof_show::style::counted;

use crate::host_check::UnreadInput;

pub use annotations::annotations;
pub use json::json;
pub use junit::junit;
pub use text::text;

/// A module that was followed.
#[derive(Clone, Debug)]
pub struct FollowedFile {
    pub file: String,
    /// The compiler that made the module, with its version.
    pub compiler: Option<String>,
    pub accesses: ModuleAccesses,
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
        for access in self.files.iter().flat_map(|file| &file.accesses.accesses) {
            if let (None, ByteExpr::Unknown(why)) = (access.view, &access.at) {
                *open.entry(*why).or_default() += 1;
            }
        }
        open
    }

    /// How many accesses were found and followed, and why not all.
    pub fn account(&self) -> String {
        let (found, open) = (self.accesses() as u64, self.open());
        let followed = found - open.values().sum::<u64>();
        let mut text = format!("{}, {followed} followed to a member", accesses(found));
        for (why, count) in &open {
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

fn accesses(count: u64) -> String {
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

fn member_of(view: &str, member: &str) -> String {
    match (view, member) {
        (view, "") => view.to_owned(),
        (view, member) if member.starts_with('[') => format!("{view}{member}"),
        (view, member) => format!("{view}.{member}"),
    }
}

fn sentence(fault: &Fault, accesses: &[Access]) -> String {
    format!("{} {}", subject(fault, accesses), fault.kind)
}
