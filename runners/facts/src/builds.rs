//! Reports how the builds of a compiler treat a reduced source. Installed builds compile it; for
//! others, frozen decisions are used.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use layoutproof_compilers::cache::AnswerCache;
use layoutproof_compilers::compiler::Compiler;
use layoutproof_compilers::toolchains::Toolchains;
use layoutproof_compilers::typed_command::{TypedAnswer, TypedCommand, TypedEnd};
use layoutproof_core::check::{Source, Subject};
use layoutproof_core::results::frozen::{CaseAnswers, FrozenAnswer, FrozenQuestion, decide};
use layoutproof_core::results::known::ReducedSource;
use layoutproof_events::Row;
use layoutproof_executor::tools::MachineTools;
use layoutproof_inputs::all_cases;
use layoutproof_inputs::shader_file::reader_process::ReaderProcess;
use layoutproof_layout::find;
use layoutproof_readers::toolchain::{Toolchain, toolchains};
use layoutproof_records::decision_rows::{add_rows, differs};
use layoutproof_records::frozen_set::FrozenSet;

/// The compilers of this machine, and the sets of frozen decisions.
#[derive(Debug)]
pub struct BuildsAtHand {
    compilers: Toolchains,
    frozen: Vec<FrozenSet>,
}

/// A reduced source as one text, with its case.
#[derive(Debug)]
pub struct PastedSource<'a> {
    pub reduced: &'a ReducedSource,
    /// Declarations and entry point.
    pub text: String,
    /// The case under the rule set whose numbers are compared.
    pub subject: Option<Subject>,
}

impl<'a> PastedSource<'a> {
    /// Runs the source's command line with a compiler.
    pub(crate) fn ask(&self, compiler: &Compiler) -> anyhow::Result<TypedAnswer> {
        let arguments: Vec<&str> = self.reduced.arguments().collect();
        let command = TypedCommand {
            arguments: &arguments,
            file: self.reduced.file(),
            text: &self.text,
            outputs: &self.reduced.outputs,
        };
        command.run(compiler).with_context(|| format!("asking {}", compiler.name()))
    }

    /// Builds the text: the declarations of the case, or their replacement, followed by the entry
    /// point.
    pub fn of(reduced: &'a ReducedSource) -> anyhow::Result<Self> {
        let source = case_of(&reduced.case)?;
        let declarations = match (&reduced.declare, &source.text) {
            (Some(own), _) => own,
            (None, Some(text)) => &text.text,
            (None, None) => anyhow::bail!("{} has no source text", reduced.case),
        };
        let text = format!("{}\n{}\n", declarations.trim(), reduced.entry.trim());

        let rules = reduced.rules.as_deref().map(|name| find(name).with_context(|| format!("no rule set is `{name}`")));
        let subject = rules.transpose()?.map(|rules| Subject::new(Arc::clone(&source), rules));
        Ok(Self { reduced, text, subject })
    }

    /// The lines of an answer that show the difference; `None` if it does not show it.
    pub(crate) fn shown_in<'o>(&self, answer: &'o TypedAnswer) -> Option<Vec<&'o str>> {
        match answer.end {
            TypedEnd::Broken(_) => None,
            TypedEnd::Accepted | TypedEnd::Refused => self.reduced.shown_lines(&answer.output),
        }
    }
}

pub(crate) fn case_of(id: &str) -> anyhow::Result<Arc<Source>> {
    let sources = all_cases::sources(&[], &[id.to_owned()])?;
    sources.into_iter().find(|source| source.id == id).with_context(|| format!("no case {id}"))
}

impl BuildsAtHand {
    pub fn find(limit: Duration) -> anyhow::Result<Self> {
        let compilers = Toolchains::find(MachineTools::find()?.folder()).limit(limit);
        let compilers = compilers.with_reader(Arc::new(ReaderProcess::of_this_program()?));
        Ok(Self { compilers, frozen: FrozenSet::built_in()? })
    }

    /// The same builds; decisions about cases come from this cache.
    #[must_use]
    pub fn with_cache(self, cache: Option<Arc<AnswerCache>>) -> Self {
        Self { compilers: self.compilers.with_cache(cache), ..self }
    }

    pub(crate) fn compilers(&self) -> &Toolchains {
        &self.compilers
    }

    /// The toolchain's compiler, if it was found.
    pub(crate) fn compiler(&self, toolchain: &Toolchain) -> Option<&Compiler> {
        self.compilers.compilers().iter().find(|compiler| compiler.name() == toolchain.compiler)
    }

    /// The case's numbers, next to the compiler's current decisions about it.
    pub(crate) fn rows(&self, subject: &Subject, toolchain: &'static Toolchain) -> Vec<Row> {
        rows_of(&decide(&subject.source, toolchain, &self.compilers), subject)
    }

    /// How a build treats the source. The build is installed, or has a frozen set.
    pub(crate) fn finding(&self, source: &PastedSource<'_>, toolchain: &Toolchain) -> anyhow::Result<BuildAnswer> {
        if let Some(compiler) = self.compiler(toolchain) {
            let answer = source.ask(compiler)?;
            return Ok(BuildAnswer { build: build_name(compiler), ..finding_of(&answer, source) });
        }
        Ok(self.frozen_finding(source, toolchain))
    }

    fn frozen_finding(&self, source: &PastedSource<'_>, toolchain: &Toolchain) -> BuildAnswer {
        let decided = self.frozen.iter().find_map(|set| {
            let name = set.decided.keys().find(|name| set.producer(name) == toolchain.name)?;
            Some((set, set.decided[name].get(&source.reduced.case)))
        });
        let Some((set, answers)) = decided else {
            let finding = "not at hand".to_owned();
            return BuildAnswer { build: toolchain.compiler.to_owned(), finding, shows: None };
        };

        let (shows, finding) = match (answers, &source.subject) {
            (Some(answers), _) if broken(answers).is_some() => {
                (Some(false), format!("breaks: {}", broken(answers).unwrap_or_default()))
            }
            (Some(answers), Some(subject)) if rows_of(answers, subject).iter().any(differs) => {
                (Some(true), "its numbers differ from the case's".to_owned())
            }
            (Some(_), Some(_)) => (Some(false), "its numbers are the case's".to_owned()),
            (Some(_), None) | (None, _) => (None, "they do not tell".to_owned()),
        };
        let build = format!("{} (by its frozen decisions about the case)", set.manifest.says);
        BuildAnswer { build, finding, shows }
    }
}

/// How one build treats a source.
pub(crate) struct BuildAnswer {
    pub build: String,
    pub finding: String,
    /// True if the build shows the difference, false if it compiles the source without it; `None`
    /// if unknown.
    pub shows: Option<bool>,
}

pub(crate) fn toolchain_named(name: &str) -> anyhow::Result<&'static Toolchain> {
    toolchains().iter().find(|toolchain| toolchain.name == name).with_context(|| format!("no toolchain is `{name}`"))
}

/// A build's name for people. slangc reports its version without its name.
pub(crate) fn build_name(compiler: &Compiler) -> String {
    let version = compiler.version();
    let has_name = version.starts_with(|first: char| first.is_ascii_alphabetic());
    if has_name { version.to_owned() } else { format!("{} {version}", compiler.name()) }
}

/// How a compiler ended, as a predicate.
pub(crate) fn end_words(end: &TypedEnd) -> String {
    match end {
        TypedEnd::Accepted => "accepts the source".to_owned(),
        TypedEnd::Refused => "refuses the source".to_owned(),
        TypedEnd::Broken(sentence) => format!("breaks ({sentence})"),
    }
}

/// The finding of an answer; the caller adds the build's name.
fn finding_of(answer: &TypedAnswer, source: &PastedSource<'_>) -> BuildAnswer {
    let (shows, finding) = match (source.shown_in(answer), &answer.end) {
        (Some(_), _) => (Some(true), "the same".to_owned()),
        (None, TypedEnd::Accepted) => (Some(false), "accepts the source, without that output".to_owned()),
        (None, TypedEnd::Refused) => {
            let error =
                answer.output.lines().map(str::trim).find(|line| line.contains("error")).unwrap_or("no message");
            (None, format!("refuses the source otherwise: `{}`", error.replace('`', "'")))
        }
        (None, TypedEnd::Broken(_)) => (None, end_words(&answer.end)),
    };
    BuildAnswer { build: String::new(), finding, shows }
}

pub(crate) fn broken(answers: &CaseAnswers) -> Option<&str> {
    answers.answers.values().find_map(|answer| match answer {
        FrozenAnswer::Broken(words) => Some(words.as_str()),
        FrozenAnswer::Accepted(_) | FrozenAnswer::Refused(_) => None,
    })
}

pub(crate) fn rows_of(answers: &CaseAnswers, subject: &Subject) -> Vec<Row> {
    let mut rows = Vec::new();
    for (question, answer) in &answers.answers {
        match answer {
            FrozenAnswer::Accepted(facts) if matches!(question, FrozenQuestion::Block(_)) => {
                add_rows(facts, subject, &mut rows);
            }
            FrozenAnswer::Accepted(_) | FrozenAnswer::Refused(_) | FrozenAnswer::Broken(_) => {}
        }
    }
    rows
}
