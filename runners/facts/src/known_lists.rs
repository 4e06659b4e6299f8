//! The built-in lists of known differences, one for each compiler or driver.

use layoutproof_built_in::KNOWN;
use layoutproof_core::results::known::{self, KnownFile};
use layoutproof_inputs::refused_input::RefusedInput;
use layoutproof_site::KnownList;
use layoutproof_source::sources::SourceMap;

/// The lists, by name.
///
/// # Errors
/// A list has problems; only those of the first such list are returned.
pub fn known_lists() -> anyhow::Result<Vec<KnownList>> {
    let mut lists = Vec::new();
    let mut sources = SourceMap::default();

    for list in KNOWN {
        let file = sources.add(format!("ci/known/{}.toml", list.name), list.text);
        match known::read_file(file, &sources) {
            Ok(KnownFile { title, compiler, entries }) => {
                let (name, introduction) = (list.name.to_owned(), introduction(list.text));
                let title = title.unwrap_or_else(|| name.clone());
                lists.push(KnownList { name, title, compiler, introduction, entries });
            }
            Err(diagnostics) => return Err(RefusedInput { diagnostics, sources }.into()),
        }
    }
    Ok(lists)
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
