//! The user's home folder in records: `~`, since its name is the user's. In texts that people read, too.

use layoutproof_events::{CheckRecord, RunEnd, RunHeader};

/// The mark of the home folder in records, as in a shell.
const MARK: &str = "~";

/// The home folder of this user, as a JSON string has it.
#[derive(Clone, Debug, Default)]
pub struct Home(Option<String>);

impl Home {
    /// That of this process; none if it has no parent, as in a container.
    pub fn here() -> Self {
        let folder = std::env::home_dir().filter(|home| home.is_absolute() && home.parent().is_some());
        Self::at(folder.as_ref().and_then(|home| home.to_str()).unwrap_or_default())
    }

    fn at(folder: &str) -> Self {
        let folder = folder.trim_end_matches(['/', '\\']);
        let quoted = serde_json::to_string(folder).expect("a string is JSON");
        Self((!folder.is_empty()).then(|| quoted.trim_matches('"').to_owned()))
    }

    /// A line of JSON, or a word without backslashes, with the mark in place of the folder.
    pub fn hidden(&self, line: String) -> String {
        match &self.0 {
            Some(folder) if line.contains(folder.as_str()) => replaced(&line, folder, MARK),
            Some(_) | None => line,
        }
    }

    /// Puts the folder back where this machine needs it: to find the files of a run again.
    pub fn restore(&self, runs: &mut [RunHeader], checks: &mut [CheckRecord], end: Option<&mut RunEnd>) {
        // Not JSON here: as the system writes the folder.
        let Some(folder) = self.0.as_ref().map(|folder| folder.replace("\\\\", "\\")) else { return };
        let put_back = |text: &mut String| {
            if text.contains(MARK) {
                *text = replaced(text, MARK, &folder);
            }
        };
        for run in runs {
            run.arguments.values_mut().flatten().for_each(put_back);
        }
        for check in checks {
            put_back(&mut check.id.case);
        }
        for source in end.into_iter().flat_map(|end| &mut end.sources) {
            put_back(&mut source.case);
        }
    }
}

/// Replaces `folder` where it is a whole path or begins one.
fn replaced(text: &str, folder: &str, by: &str) -> String {
    let is_of_path = |letter: char| letter.is_alphanumeric() || "/\\.-_~".contains(letter);
    let mut parts = text.split(folder);
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // A JSON string has a line break as `\n`.
        let begins = !written.ends_with(is_of_path) || written.ends_with("\\n") || written.ends_with("\\t");
        let ends = part.chars().next().is_none_or(|letter| !is_of_path(letter) || "/\\".contains(letter));
        written += if begins && ends { by } else { folder };
        written += part;
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_the_user_has_no_name_in_records() {
        for (folder, line, hidden) in [
            ("/home/jane", r#"{"a":["/home/jane/x.hlsl","dxc=/home/jane/dxc"]}"#, r#"{"a":["~/x.hlsl","dxc=~/dxc"]}"#),
            ("/home/jane/", r#""/home/jane""#, r#""~""#),
            ("/root", r#""/srv/root/x /roots /root/x:/root/y""#, r#""/srv/root/x /roots ~/x:~/y""#),
            ("/home/jane", r#""error:\n/home/jane/x.hlsl""#, r#""error:\n~/x.hlsl""#),
            (r"C:\Users\jane", r#""C:\\Users\\jane\\x.hlsl""#, r#""~\\x.hlsl""#),
            ("", r#""/x""#, r#""/x""#),
        ] {
            assert_eq!(Home::at(folder).hidden(line.to_owned()), hidden, "{folder}");
        }
    }

    #[test]
    fn a_run_finds_its_files_again() {
        for (folder, mark, path) in
            [("/home/jane", "~/x.hlsl", "/home/jane/x.hlsl"), (r"C:\Users\jane", r"~\x.hlsl", r"C:\Users\jane\x.hlsl")]
        {
            let mut run: RunHeader = serde_json::from_str(
                r#"{"schema":1,"layoutproof":"","devices":[],"tools":{},"environment":{},"cases":0}"#,
            )
            .unwrap();
            run.arguments.insert("inputs".to_owned(), vec![mark.to_owned(), "a~b".to_owned()]);
            Home::at(folder).restore(std::slice::from_mut(&mut run), &mut [], None);
            assert_eq!(run.arguments["inputs"], [path, "a~b"]);
        }
    }
}
