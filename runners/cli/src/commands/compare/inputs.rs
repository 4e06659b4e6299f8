//! What `compare` asks both builds about: cases, and the user's own files.

use std::collections::BTreeMap;
use std::sync::Arc;

use layoutproof_compilers::family::Family;
use layoutproof_core::check::Source;
use layoutproof_core::results::frozen::{CaseDecisions, FrozenAnswer};
use layoutproof_events::{Account, AccountEntry, AccountState, FoundKind, NotCompared};
use layoutproof_inputs::all_cases::{Cases, sources_of};
use layoutproof_inputs::declare::DeclareArgs;
use layoutproof_inputs::inputs::{InputWord, check_filter};
use layoutproof_inputs::shader_file::{ShaderFile, inside_of_project};
use layoutproof_layout::Span;
use layoutproof_readers::toolchain::toolchains;
use layoutproof_show::front_ends::Purpose;
use layoutproof_show::{InputContent, accounts};
use layoutproof_source::diagnostics::Severity;
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;

use crate::output::warn;

/// The sources to compare, and their texts for the places of members.
#[derive(Default)]
pub(crate) struct Inputs {
    /// By id, each once.
    pub sources: Vec<Arc<Source>>,
    texts: SourceMap,
    /// Number of files that could not be read; a message about each is printed.
    pub unread: usize,
    /// What the sources are: `case`, `file`, or `source` for both.
    pub noun: &'static str,
}

impl Inputs {
    /// Reads the cases and files that the words name; all cases if there are none.
    pub(crate) fn read(
        words: &[String],
        declare: &DeclareArgs,
        profile: Option<&str>,
        family: Family,
    ) -> anyhow::Result<Self> {
        let mut inputs = Self::default();
        let mut cases = Cases::load(&declare.cases)?;
        let mut ids = if words.is_empty() { cases.matching(&[]) } else { Vec::new() };
        let mut files: BTreeMap<String, Arc<Source>> = BTreeMap::new();
        for word in words {
            match InputWord::of(word, declare.lang) {
                InputWord::Shader(file) => {
                    if let Some(source) = inputs.read_file(&file, declare, profile, family)? {
                        files.insert(source.id.clone(), source);
                    }
                }
                InputWord::CaseFile(path) => ids.push(cases.add_file(&path)?),
                InputWord::Filter(filter) => {
                    check_filter(&filter)?;
                    let found = cases.matching(std::slice::from_ref(&filter));
                    if found.is_empty() {
                        anyhow::bail!("no file and no case is called `{filter}`{}", cases.suggestion(&filter));
                    }
                    ids.extend(found);
                }
            }
        }

        ids.sort();
        ids.dedup();
        inputs.noun = match (ids.is_empty(), files.is_empty()) {
            (false, true) => "case",
            (true, _) => "file",
            (false, false) => "source",
        };
        inputs.sources = sources_of(&cases, &ids, &mut inputs.texts)?;
        inputs.sources.extend(files.into_values());
        Ok(inputs)
    }

    /// Reads a user's file; prints a message and returns `None` if it has problems, so that one bad
    /// file does not keep the others from being compared.
    fn read_file(
        &mut self,
        file: &ShaderFile,
        declare: &DeclareArgs,
        profile: Option<&str>,
        family: Family,
    ) -> anyhow::Result<Option<Arc<Source>>> {
        let name = file.path.display();
        let language = file.front_end.language();
        let compiler = family.compiler();
        // Every family of compilers reads HLSL, slangc besides Slang.
        let is_read = |language| {
            language == ShaderLanguage::Hlsl
                || toolchains().iter().any(|it| it.compiler == compiler && it.language() == Some(language))
        };
        if file.front_end.fixes_offsets() || !language.is_some_and(is_read) {
            let title = language.map_or("a compiled module", ShaderLanguage::title);
            warn(&format!("error: {name} is {title}, which {compiler} does not read\n"));
            self.unread += 1;
            return Ok(None);
        }

        let first = self.texts.files().len();
        let read = file.read(declare, profile, Purpose::Reflection, &mut self.texts)?;
        inside_of_project(&file.path, declare, &self.texts.files()[first..])?;
        match read {
            Ok(InputContent::Declared(mut declared)) => {
                declared.invocation.profile = profile.map(str::to_owned);
                Ok(Some(Arc::new(Source::of_declarations(*declared, &self.texts))))
            }
            Ok(InputContent::LaidOut(_)) => Ok(None),
            Err(problems) => {
                self.unread += 1;
                let error = problems.iter().find(|problem| problem.severity == Severity::Error);
                let line = error.map(|error| {
                    let (file, line) = (self.texts.file(error.span().file), self.texts.position(error.span()).line);
                    format!("error: {}:{line}: {}\n", file.name, error.message)
                });
                warn(&line.unwrap_or_else(|| format!("error: {name} could not be read\n")));
                Ok(None)
            }
        }
    }

    /// What the user's files have, and what became of it. Builds are compared in what both decide: a block or parameter
    /// about which neither says anything is not compared.
    pub(crate) fn account(&self, decided: [&BTreeMap<String, CaseDecisions>; 2]) -> Account {
        let mut entries = Vec::new();
        for source in self.sources.iter().filter(|source| !source.is_case) {
            let facts: Vec<&str> = decided.into_iter().flat_map(|build| facts(build, &source.id)).collect();
            let state = |name: &str| {
                let is_own = |path: &&&str| {
                    path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
                };
                let message = "neither build says where it is".to_owned();
                let missing = || AccountState::not_compared(NotCompared::NoLayout { message });
                facts.iter().find(is_own).map_or_else(missing, |_| AccountState::Compared)
            };
            let module = &source.module;
            for block in &module.blocks {
                let line =
                    (self.texts.file(block.span.file).name == source.id).then(|| self.texts.position(block.span).line);
                entries.push(AccountEntry {
                    kind: FoundKind::Block,
                    name: block.name.clone(),
                    file: source.id.clone(),
                    line,
                    target: None,
                    state: state(&block.name),
                });
            }
            for mut entry in accounts::besides_blocks(module, &source.id, &self.texts) {
                if entry.kind == FoundKind::Parameter {
                    entry.state = state(&entry.name);
                }
                entries.push(entry);
            }
        }
        Account { entries }
    }

    /// The file and line of a member or parameter of a user's file; `None` for a case.
    pub(crate) fn place_of(&self, id: &str, path: &str) -> Option<String> {
        let source = self.sources.iter().find(|source| source.id == id && !source.is_case)?;
        let line = |span: Span| format!("{}:{}", self.texts.file(span.file).name, self.texts.position(span).line);
        Some(Self::span_of(source, path).map_or_else(|| id.to_owned(), line))
    }

    fn span_of(source: &Source, path: &str) -> Option<Span> {
        // DXC's name for the counter of a buffer in SPIR-V.
        let path = path.strip_prefix("counter.var.").unwrap_or(path);
        let inside = |name: &str| {
            let rest = path.strip_prefix(name)?;
            (rest.is_empty() || rest.starts_with(['.', '['])).then_some(rest)
        };
        let blocks = source.module.blocks.iter().filter_map(|block| Some((block, inside(&block.name)?)));
        let block = blocks.max_by_key(|(block, _)| block.name.len());
        let of_block = block.map(|(block, rest)| {
            let member = rest.trim_start_matches(|c: char| c != '.').trim_start_matches('.');
            block.place_of(member)
        });
        let mut parameters = source.module.parameters.iter();
        let of_parameter = || parameters.find(|it| inside(&it.name).is_some()).map(|parameter| parameter.span);
        let span = of_block.filter(|span| *span != Span::default()).or_else(of_parameter);
        span.filter(|span| *span != Span::default())
    }
}

/// The paths about which a build says something in a source.
fn facts<'a>(decided: &'a BTreeMap<String, CaseDecisions>, id: &str) -> Vec<&'a str> {
    let answers = decided.values().filter_map(|cases| cases.get(id)).flat_map(|found| found.answers.values());
    let facts = answers.filter_map(|answer| match answer {
        FrozenAnswer::Accepted(facts) => Some(facts),
        FrozenAnswer::Refused(_) | FrozenAnswer::Broken(_) => None,
    });
    facts.flat_map(|facts| facts.keys().map(|(path, _)| path.as_str())).collect()
}
