//! The built-in lists of known differences, one for each compiler or driver.

use layoutproof_built_in::KNOWN;
use layoutproof_core::results::known::{self, KnownFile};
use layoutproof_site::KnownList;

use crate::built_in_lists::read_all;

/// The lists, by name.
///
/// # Errors
/// A list has problems; only those of the first such list are returned.
pub fn known_lists() -> anyhow::Result<Vec<KnownList>> {
    read_all("ci/known", KNOWN, |list, file, sources| {
        let KnownFile { title, compiler, entries } = known::read_file(file, sources)?;
        let (name, introduction) = (list.name.to_owned(), introduction(list.text));
        Ok(KnownList { title: title.unwrap_or_else(|| name.clone()), name, compiler, introduction, entries })
    })
}

/// The comment at the start of a list, as one paragraph.
fn introduction(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix('#'));
    lines.map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use layoutproof_readers::toolchain::toolchains;

    use super::*;

    #[test]
    fn a_list_says_what_people_call_its_compiler() {
        for list in known_lists().unwrap() {
            let is_known = |name: &String| toolchains().iter().any(|toolchain| toolchain.name_in_cases == name);
            assert!(list.compiler.as_ref().is_none_or(is_known), "{}", list.name);
            assert!(
                KNOWN.iter().any(|file| file.name == list.name && file.text.contains("\ntitle = ")),
                "{}",
                list.name
            );
        }
    }

    #[test]
    fn a_list_begins_with_what_it_is_about() {
        assert_eq!(introduction("# Of A.\n#\n# B.\n\n[[known]]\n# c"), "Of A. B.");
        for list in known_lists().unwrap() {
            assert!(!list.introduction.is_empty(), "{}", list.name);
        }
    }
}
