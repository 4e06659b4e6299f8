//! Escapes foreign text before people read it, so that it cannot steer a terminal or hide text.
//!
//! Foreign text comes from user files, compilers, drivers and file names. Our own colours are added after this step.

use std::borrow::Cow;
use std::fmt::Write;

/// Escapes control characters (except newline and tab) and characters that change the direction of text, as `\u{1b}`.
pub fn escape_controls(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        push_escaped(&mut escaped, letter);
    }
    Cow::Owned(escaped)
}

/// Same as [`escape_controls`] for coloured text: keeps the sequences that set colours and weights.
pub fn escape_all_but_colours(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }

    let mut escaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_unsafe) {
        let (before, found) = rest.split_at(start);
        escaped.push_str(before);

        let length = if let Some(length) = colour_length(found) {
            escaped.push_str(&found[..length]);
            length
        } else {
            let letter = found.chars().next().unwrap_or_default();
            push_escaped(&mut escaped, letter);
            letter.len_utf8()
        };
        rest = &found[length..];
    }

    escaped.push_str(rest);
    Cow::Owned(escaped)
}

/// Escapes such characters in the strings of JSON text. It uses JSON's own escapes, so the values stay equal.
///
/// Outside strings, the only such character in JSON is the carriage return, which is kept.
pub fn escape_json(json: &str) -> Cow<'_, str> {
    let is_unsafe = |letter: char| letter != '\r' && is_unsafe(letter);
    if !json.contains(is_unsafe) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for letter in json.chars() {
        if is_unsafe(letter) {
            // All of them are below U+10000, so one escape is enough.
            let _ = write!(escaped, "\\u{:04x}", u32::from(letter));
        } else {
            escaped.push(letter);
        }
    }
    Cow::Owned(escaped)
}

/// Returns true if a terminal could interpret the character as a command, if it changes the
/// direction of nearby text, or if XML forbids it.
///
/// Sources: ECMA-48 (C0, C1), Unicode 16, property `Bidi_Control`, and the line and paragraph separators; XML 1.0,
/// `Char`.
pub fn is_unsafe(letter: char) -> bool {
    match letter {
        '\n' | '\t' => false,
        '\u{61c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{fffe}'
        | '\u{ffff}' => true,
        _ => letter.is_control(),
    }
}

/// Appends a character, as an escape if it is unsafe.
pub fn push_escaped(text: &mut String, letter: char) {
    if is_unsafe(letter) {
        text.extend(letter.escape_unicode());
    } else {
        text.push(letter);
    }
}

/// Escapes the start of each line that a CI service would take as a command: `::error::` and `##[error]` in GitHub
/// Actions, `##vso[` in Azure Pipelines.
///
/// Sources: GitHub's runner, `ActionCommand.TryParseV2` and `TryParse`, which skip spaces before a command; Azure's
/// agent, `Command.TryParse`.
pub fn escape_commands(text: &str) -> Cow<'_, str> {
    let is_command = |line: &str| {
        let line = line.trim_start();
        line.starts_with("::") || line.contains("##[") || line.contains("##vso[")
    };
    if !text.lines().any(is_command) {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive('\n').map(|line| {
        if is_command(line) { line.replacen("::", "\\u{3a}:", 1).replace("##", "#\\u{23}") } else { line.to_owned() }
    });
    Cow::Owned(lines.collect())
}

/// Returns the length in bytes of the sequence `ESC [ numbers m` (ECMA-48, SGR) at the start of `text`.
fn colour_length(text: &str) -> Option<usize> {
    let numbers = text.strip_prefix("\u{1b}[")?;
    let end = numbers.find(|letter: char| !(letter.is_ascii_digit() || letter == ';'))?;
    numbers[end..].starts_with('m').then_some(2 + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_shown() {
        for (text, expected) in [
            ("plain, ä, \t tab\n", "plain, ä, \t tab\n"),
            ("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"),
            ("a\rb\u{7f}\u{9b}31m", "a\\u{d}b\\u{7f}\\u{9b}31m"),
            ("no\u{fffe}character\u{ffff}, \u{fffd}", "no\\u{fffe}character\\u{ffff}, \u{fffd}"),
            ("if \u{202e}resu\u{2066}x", "if \\u{202e}resu\\u{2066}x"),
        ] {
            assert_eq!(escape_controls(text), expected);
        }
    }

    #[test]
    fn no_line_is_a_command_of_a_ci_service() {
        for (text, expected) in [
            ("error: a\n::error::b\n", "error: a\n\\u{3a}:error::b\n"),
            ("  ::set-env name=A::b", "  \\u{3a}:set-env name=A::b"),
            ("a ##[error]b", "a #\\u{23}[error]b"),
            ("##vso[task.setvariable variable=a]b", "#\\u{23}vso[task.setvariable variable=a]b"),
            ("engine::Frame ## 1\n", "engine::Frame ## 1\n"),
        ] {
            assert_eq!(escape_commands(text), expected);
        }
    }

    #[test]
    fn only_colours_stay() {
        let text = "\u{1b}[1;31mred\u{1b}[0m \u{1b}]0;x\u{7} \u{1b}[2J \u{1b}[";
        assert_eq!(escape_all_but_colours(text), "\u{1b}[1;31mred\u{1b}[0m \\u{1b}]0;x\\u{7} \\u{1b}[2J \\u{1b}[");
        assert_eq!(escape_all_but_colours("plain"), "plain");
    }

    #[test]
    fn json_keeps_its_values() {
        let value = "x\u{7f}\u{9b}\u{202e}ä";
        let json = serde_json::to_string(value).expect("a string is JSON");
        let escaped = escape_json(&json);
        assert_eq!(escaped, r#""x\u007f\u009b\u202eä""#);
        assert_eq!(serde_json::from_str::<String>(&escaped).expect("it is still JSON"), value);
    }
}
