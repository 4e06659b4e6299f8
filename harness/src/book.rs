//! The text of `harness/book`, for the site. It is here because a package can include only files of
//! its own folder.

/// The table of contents, in Markdown.
pub const CONTENTS: &str = include_str!("../book/README.md");

/// All other pages: the name of the file without its extension, and its Markdown.
pub const BOOK: &[(&str, &str)] = &[
    ("accesses", include_str!("../book/accesses.md")),
    ("ci", include_str!("../book/ci.md")),
    ("command-line", include_str!("../book/command-line.md")),
    ("compilers", include_str!("../book/compilers.md")),
    ("drivers-and-fleets", include_str!("../book/drivers-and-fleets.md")),
    ("editors", include_str!("../book/editors.md")),
    ("engines", include_str!("../book/engines.md")),
    ("explorer", include_str!("../book/explorer.md")),
    ("failures", include_str!("../book/failures.md")),
    ("proof", include_str!("../book/proof.md")),
    ("records", include_str!("../book/records.md")),
    ("reliability", include_str!("../book/reliability.md")),
    ("report", include_str!("../book/report.md")),
    ("site", include_str!("../book/site.md")),
    ("translators", include_str!("../book/translators.md")),
    ("tutorial", include_str!("../book/tutorial.md")),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_page_of_the_folder_is_brought_along() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("book");
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let names: BTreeSet<String> =
            files.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
        let ours = BOOK.iter().map(|(name, _)| (*name).to_owned()).chain(["README".to_owned()]);
        assert_eq!(ours.collect::<BTreeSet<_>>(), names);
    }
}
