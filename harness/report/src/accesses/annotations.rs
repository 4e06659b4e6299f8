//! The faults at the lines of the accesses: annotations for GitHub Actions, and SARIF.

use layoutproof_show::style::one_line;

use super::FollowedFiles;
use crate::formats::sarif::sarif;
use crate::github::{Annotation, shown};
use crate::source_root::SourceRoot;

/// The headline, then an annotation for each fault: at most ten.
pub fn annotations(followed: &FollowedFiles, root: &SourceRoot) -> String {
    shown(&problems(followed), Some(root))
}

/// SARIF with a result for each fault.
pub fn sarif_log(followed: &FollowedFiles, root: &SourceRoot) -> String {
    sarif("accesses", &problems(followed), followed.unread.is_empty(), Some(root))
}

fn problems(followed: &FollowedFiles) -> Vec<Annotation<'_>> {
    let is_failing = followed.faults() > 0 || !followed.unread.is_empty();
    let mut found = vec![Annotation::headline("layoutproof accesses", is_failing, followed.headline())];
    for file in &followed.files {
        found.extend(file.accesses.faults.iter().map(|fault| Annotation {
            is_error: true,
            rule: fault.kind.name(),
            file: Some(fault.place.as_ref().map_or(&file.file, |place| &place.file)),
            line: fault.place.as_ref().map(|place| place.line),
            title: fault.kind.name().to_owned(),
            text: one_line(&file.sentence(fault)),
        }));
    }
    found.extend(followed.unread.iter().map(|unread| Annotation {
        file: Some(unread.place().0),
        line: unread.place().1,
        ..Annotation::without_place("unread-input", one_line(&unread.reason()))
    }));
    found
}
