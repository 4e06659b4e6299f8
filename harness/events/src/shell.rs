//! Quotes words of commands that people copy into a shell.
//!
//! A name from a file or a folder may hold anything, such as `$(rm a).hlsl`. shlex, which rustc's own tools use,
//! quotes for POSIX shells; on Windows people paste into PowerShell.

use std::borrow::Cow;

/// The word as a shell takes it literally, but for `~/` at its start, which is the home folder as records name it.
pub fn shell_word(word: &str) -> Cow<'_, str> {
    if cfg!(windows) { powershell_word(word) } else { posix_word(word) }
}

fn posix_word(word: &str) -> Cow<'_, str> {
    if is_plain(word) {
        return Cow::Borrowed(word);
    }
    // A home folder, as records name it: the shell must know it.
    if let Some(path) = word.strip_prefix("~/") {
        return Cow::Owned(format!("~/{}", posix_word(path)));
    }
    // No file name and no argument holds a NUL.
    shlex::try_quote(word).unwrap_or_else(|_| Cow::Owned(posix_word(&word.replace('\0', "")).into_owned()))
}

/// Source: PowerShell's `about_Quoting_Rules`: between single quotes everything is literal, and two of them are one. It
/// also takes typographic quotes as quotes.
fn powershell_word(word: &str) -> Cow<'_, str> {
    let quotes = ['\'', '\u{2018}', '\u{2019}', '\u{201a}', '\u{201b}'];
    // `@` begins an array there.
    if is_plain(word) && !word.starts_with('@') {
        return Cow::Borrowed(word);
    }
    let quoted = word
        .chars()
        .map(|letter| if quotes.contains(&letter) { format!("{letter}{letter}") } else { letter.to_string() });
    Cow::Owned(format!("'{}'", quoted.collect::<String>()))
}

/// True for a word of letters, digits and signs that mean nothing to a shell. `=` means something at the start alone.
fn is_plain(word: &str) -> bool {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./,=:+@%".contains(letter);
    !word.is_empty() && !word.starts_with(['=', '%']) && word.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_stay() {
        for word in ["a.hlsl", "shaders/ä-1_2.hlsl", "dxc,slangc", "-DA=1", "scalar@dxc-1.9", "T=x:y+z%"] {
            assert_eq!((posix_word(word), powershell_word(word)), (word.into(), word.into()));
        }
        assert_eq!((posix_word(""), powershell_word("")), ("''".into(), "''".into()));
        assert_eq!(powershell_word("a'b\u{2019} $(c).hlsl"), "'a''b\u{2019}\u{2019} $(c).hlsl'");
    }

    /// Asks a shell, which is the authority.
    #[cfg(unix)]
    #[test]
    fn a_shell_takes_every_word_literally() {
        for word in [
            "$(touch X).hlsl",
            "`touch X`",
            "a b",
            "it's",
            "a\"b",
            "a\\",
            "a\\nb",
            "!x",
            "~",
            "*",
            "a;b",
            "a&b",
            "#a",
            "=a",
            "{a,b}",
            "a\nb",
            "$HOME",
            "'",
            "''\"",
            "",
            "%1",
            "<a>",
            "|",
            "ä ö",
            "-n",
        ] {
            let script = format!("printf %s {}", posix_word(word));
            let said = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(said.stdout).unwrap(), word, "{script}");
        }
    }
}
