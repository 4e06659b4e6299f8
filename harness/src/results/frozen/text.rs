//! Writes decisions as text that people can read in a diff, and reads it back.
//!
//! ```text
//! toolchain dxc-dxil
//! case arrays/a_case 0123456789abcdef
//! program
//!   S bound b0
//! block S
//!   S.b offset 16 stride 16
//!   S.b[1] code 32
//! block T refused: its first error
//! ```
//! Each toolchain's sources with their digests, their questions, and the facts of each answer by path. One-word facts share a line,
//! others have a separate line. Everything is sorted by name, so that equal decisions give equal text.

use std::collections::BTreeMap;
use std::fmt::Write;

use thiserror::Error;

use super::answer::{CaseAnswers, CaseDecisions, Fact, Facts, FrozenAnswer, FrozenQuestion};

/// After a question about a source that the compiler rejects.
const REFUSED: &str = " refused: ";
const BROKEN: &str = " broken: ";
/// Start of a toolchain's line.
const TOOLCHAIN: &str = "toolchain ";
/// Start of a source's line.
const CASE: &str = "case ";
/// Start of a fact's line.
const INDENT: &str = "  ";

/// A text that does not have the format, for example after editing by hand.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("line {line}: `{text}` is no line of frozen decisions")]
pub struct BadFrozen {
    /// From 1.
    pub line: usize,
    pub text: String,
}

/// The text of decisions by toolchain.
pub fn write(decided: &BTreeMap<String, CaseDecisions>) -> String {
    let mut text = String::new();
    for (toolchain, own) in decided {
        writeln!(text, "{TOOLCHAIN}{toolchain}").expect("a String takes every write");
        write_cases(own, &mut text);
    }
    text
}

fn write_cases(decided: &CaseDecisions, text: &mut String) {
    for (id, case) in decided {
        writeln!(text, "{CASE}{id} {}", case.digest).expect("a String takes every write");
        for (question, answer) in &case.answers {
            match answer {
                FrozenAnswer::Accepted(facts) => {
                    writeln!(text, "{question}").expect("a String takes every write");
                    write_facts(facts, text);
                }
                FrozenAnswer::Refused(words) => {
                    writeln!(text, "{question}{REFUSED}{words}").expect("a String takes every write");
                }
                FrozenAnswer::Broken(words) => {
                    writeln!(text, "{question}{BROKEN}{words}").expect("a String takes every write");
                }
            }
        }
    }
}

fn write_facts(facts: &Facts, text: &mut String) {
    // The path whose line is not finished yet; one-word facts share it.
    let mut open: Option<&str> = None;

    for ((path, fact), value) in facts {
        let goes_on = fact.is_word() && open == Some(path);
        if !goes_on {
            if open.is_some() {
                text.push('\n');
            }
            text.push_str(INDENT);
            text.push_str(path);
        }
        write!(text, " {fact} {value}").expect("a String takes every write");
        open = Some(path);
    }

    if open.is_some() {
        text.push('\n');
    }
}

/// Reads the output of [`write()`].
pub fn read(text: &str) -> Result<BTreeMap<String, CaseDecisions>, BadFrozen> {
    let mut decided = BTreeMap::new();
    let mut reader = FrozenTextReader::default();
    for (index, line) in text.lines().enumerate() {
        reader.take(line, &mut decided).ok_or_else(|| BadFrozen { line: index + 1, text: line.to_owned() })?;
    }
    Ok(decided)
}

#[derive(Default)]
struct FrozenTextReader {
    toolchain: String,
    case: String,
    question: Option<FrozenQuestion>,
}

impl FrozenTextReader {
    /// Reads a line; `None` if its format is unknown.
    fn take(&mut self, line: &str, decided: &mut BTreeMap<String, CaseDecisions>) -> Option<()> {
        if let Some(toolchain) = line.strip_prefix(TOOLCHAIN) {
            *self = Self { toolchain: toolchain.to_owned(), ..Self::default() };
            return decided.insert(toolchain.to_owned(), CaseDecisions::new()).is_none().then_some(());
        }
        let decided = decided.get_mut(&self.toolchain)?;
        if let Some(rest) = line.strip_prefix(CASE) {
            let (id, digest) = rest.split_once(' ')?;
            id.clone_into(&mut self.case);
            let case = CaseAnswers { digest: digest.to_owned(), ..CaseAnswers::default() };
            return decided.insert(id.to_owned(), case).is_none().then_some(());
        }

        let case = decided.get_mut(&self.case)?;
        if let Some(rest) = line.strip_prefix(INDENT) {
            return match case.answers.get_mut(self.question.as_ref()?)? {
                FrozenAnswer::Accepted(facts) => read_facts(rest, facts),
                FrozenAnswer::Refused(_) | FrozenAnswer::Broken(_) => None,
            };
        }

        let (question, answer) = if let Some((question, words)) = line.split_once(REFUSED) {
            (question, FrozenAnswer::Refused(words.to_owned()))
        } else if let Some((question, words)) = line.split_once(BROKEN) {
            (question, FrozenAnswer::Broken(words.to_owned()))
        } else {
            (line, FrozenAnswer::Accepted(Facts::new()))
        };

        self.question = question_of(question);
        case.answers.insert(self.question.clone()?, answer).is_none().then_some(())
    }
}

fn question_of(text: &str) -> Option<FrozenQuestion> {
    match text.split_once(' ') {
        None if text == "program" => Some(FrozenQuestion::Program),
        Some(("block", block)) => Some(FrozenQuestion::Block(block.to_owned())),
        Some(("entry", entry)) => Some(FrozenQuestion::Entry(entry.to_owned())),
        _ => None,
    }
}

/// `S.b offset 16 stride 16`, `S bound set 0 binding 1`.
fn read_facts(line: &str, facts: &mut Facts) -> Option<()> {
    let (path, mut rest) = line.split_once(' ')?;
    while !rest.is_empty() {
        let (word, value) = rest.split_once(' ')?;
        let fact: Fact = word.parse().ok()?;
        let (value, behind) = if fact.is_word() { value.split_once(' ').unwrap_or((value, "")) } else { (value, "") };
        facts.insert((path.to_owned(), fact), value.to_owned()).is_none().then_some(())?;
        rest = behind;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
toolchain dxc-dxil
case arrays/a_case 0123456789abcdef
block S
  S size 48
  S bound set 0 binding 1
  S.b offset 16 stride 16
  S.b[1] code 32
block T refused: a word, or two: three
program broken: dxc ended with signal 11
case arrays/b_case 0000000000000000
program
toolchain dxc-spirv
case arrays/a_case 0123456789abcdef
program
";

    #[test]
    fn what_is_read_is_written_again() {
        assert_eq!(write(&read(TEXT).unwrap()), TEXT);
    }

    #[test]
    fn lines_of_another_form_are_named() {
        let line = |text: &str| read(&format!("toolchain t\n{text}")).unwrap_err().line - 1;
        assert_eq!(read("case a 0\n").unwrap_err().line, 1);
        assert_eq!(line("toolchain t\n"), 1);
        assert_eq!(line("case a 0\ntoolchain u\nprogram\n"), 3);
        assert_eq!(line("program\n"), 1);
        assert_eq!(line("case a 0\nwhat\n"), 2);
        assert_eq!(line("case a 0\nprogram\n  S offset\n"), 3);
        assert_eq!(line("case a 0\nprogram\n  S place 3\n"), 3);
        assert_eq!(line("case a 0\nprogram\nprogram\n"), 3);
        assert_eq!(line("case a 0\ncase a 0\n"), 2);
        assert_eq!(line("case a 0\nprogram refused: no\n  S offset 3\n"), 3);
    }
}
