//! Colours and symbols for text output.
//!
//! Colour never carries meaning alone: a word or one of the marks `≠`, `!`, `?` and `·` is always next
//! to it.

use anstyle::AnsiColor;

use layoutproof_source::plain_text::escape_controls;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Write ANSI colours.
    pub colour: bool,
    /// Draw only ASCII characters. Names that come from the user stay as they are.
    pub ascii: bool,
}

/// The meaning of a piece of text; it selects the colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Agrees: green.
    Agree,
    /// Disagrees, is stale or broken: red.
    Disagree,
    /// Skipped: yellow.
    Skip,
    /// A known difference: cyan.
    Known,
    /// Padding and absent values: dim.
    Dim,
    /// A heading: bold.
    Strong,
    /// No colour.
    Plain,
}

/// Columns for the verb at the start of a line. Verbs are right-aligned in them.
pub(crate) const VERB_COLUMNS: usize = 10;

impl Style {
    /// No colour and no ASCII restriction: the style for files.
    pub const PLAIN: Self = Self { colour: false, ascii: false };

    pub fn paint(self, tone: Tone, text: &str) -> String {
        if !self.colour || text.trim().is_empty() {
            return text.to_owned();
        }

        let style = match tone {
            Tone::Agree => AnsiColor::Green.on_default().bold(),
            Tone::Disagree => AnsiColor::Red.on_default().bold(),
            Tone::Skip => AnsiColor::Yellow.on_default(),
            Tone::Known => AnsiColor::Cyan.on_default(),
            Tone::Dim => anstyle::Style::new().dimmed(),
            Tone::Strong => anstyle::Style::new().bold(),
            Tone::Plain => return text.to_owned(),
        };
        format!("{style}{text}{style:#}")
    }

    /// `word` right-aligned in the first 10 columns of a line.
    pub fn verb(self, tone: Tone, word: &str) -> String {
        let indent = " ".repeat(VERB_COLUMNS.saturating_sub(width(word)));
        format!("{indent}{}", self.paint(tone, word))
    }

    /// The mark for an absent value, and the separator between parts of a heading.
    pub fn dot(self) -> &'static str {
        if self.ascii { "-" } else { "·" }
    }

    /// The mark of a line on which layouts part.
    pub fn differs(self) -> &'static str {
        if self.ascii { "!" } else { "≠" }
    }

    /// The mark where text is left out.
    pub fn ellipsis(self) -> &'static str {
        if self.ascii { "..." } else { "…" }
    }
}

/// Text built line by line. Lines have no trailing spaces.
#[derive(Clone, Debug, Default)]
pub struct TextLines(String);

impl TextLines {
    pub fn push(&mut self, line: &str) {
        self.0.push_str(line.trim_end());
        self.0.push('\n');
    }

    /// Appends text that already ends with a line break.
    pub fn append(&mut self, lines: &str) {
        self.0.push_str(lines);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn into_text(self) -> String {
        self.0
    }
}

/// Words in lines of at most `columns`: the first begins with `start`, the others with `indent`. A word
/// that is longer than a line keeps its length.
pub fn wrapped<W: AsRef<str>>(
    start: &str,
    indent: &str,
    words: impl IntoIterator<Item = W>,
    columns: usize,
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = start.to_owned();
    let mut is_begun = false;
    for word in words {
        let word = word.as_ref();
        if is_begun && width(&line) + width(word) > columns {
            lines.push(line.trim_end().to_owned());
            indent.clone_into(&mut line);
        }
        line += word;
        line.push(' ');
        is_begun = true;
    }
    lines.push(line.trim_end().to_owned());
    lines
}

/// Width in columns. Every symbol that reports draw is one column wide.
pub fn width(text: &str) -> usize {
    text.chars().count()
}

/// `text` padded with spaces on the right to `columns`.
pub fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// `text` padded with spaces on the left to `columns`.
pub fn pad_left(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Foreign text (a driver's message, a path) on one line, with control characters shown as escapes.
/// Raw ones could steer a terminal, and XML forbids them.
pub fn one_line(text: &str) -> String {
    let line = text.lines().map(str::trim_end).collect::<Vec<_>>().join(" / ");
    escape_controls(&line).replace('\t', " ")
}

pub fn cut(text: &str, columns: usize, style: Style) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let kept: String = text.chars().take(columns.saturating_sub(width(style.ellipsis()))).collect();
    kept + style.ellipsis()
}

/// The end of a text, as of a path, whose start says less.
pub fn cut_start(text: &str, columns: usize, style: Style) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let left = text.chars().count() - columns.saturating_sub(width(style.ellipsis()));
    style.ellipsis().chars().chain(text.chars().skip(left)).collect()
}

/// A count for people, with a comma between thousands: `2,940`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 check`, `3 checks`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        for (number, text) in [(0, "0"), (999, "999"), (2940, "2,940"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
        assert_eq!([counted(1, "check"), counted(2, "check")], ["1 check", "2 checks"]);
    }

    #[test]
    fn lines_end_between_words() {
        let lines = wrapped("note: ", "      ", "the quick brown fox jumps".split(' '), 16);
        assert_eq!(lines, ["note: the quick", "      brown fox", "      jumps"]);
        assert_eq!(wrapped("- ", "  ", ["a-very-long-word", "b"], 8), ["- a-very-long-word", "  b"]);
    }

    #[test]
    fn control_characters_of_foreign_text_are_not_passed_on() {
        assert_eq!(one_line("line one\r\nred \u{1b}[31m"), "line one / red \\u{1b}[31m");
    }

    #[test]
    fn colour_wraps_the_word_and_not_its_indent() {
        let style = Style { colour: true, ascii: false };
        assert_eq!(style.verb(Tone::Known, "Known"), "     \u{1b}[36mKnown\u{1b}[0m");
        assert_eq!(Style::PLAIN.verb(Tone::Known, "Known"), "     Known");
    }
}
