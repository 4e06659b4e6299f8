//! Tries how each shader of a folder can be read: alone, with the macros of the build, by compilers, or with
//! macros whose values are guessed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use layoutproof_hostcheck::matching::BlockNames;
use layoutproof_inputs::declare::DeclareArgs;
use layoutproof_inputs::layout_selection::LayoutSelection;
use layoutproof_inputs::refused_input::{advice_on, reading_errors};
use layoutproof_inputs::shader_file::compiler_reading::is_read_by_compilers;
use layoutproof_inputs::shared_suffixes::language_of_file;
use layoutproof_layout::BlockLayout;
use layoutproof_source::diagnostics::ReadingAdvice;
use layoutproof_source::host_text::ShaderString;
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;

use super::build_defines::HeaderValues;
use super::build_layouts::BuildLayout;
use super::reading_budget::{Reader, ReadingBudget, Share, cost, cost_of_text};
use crate::host_text_shaders::with_string;
use crate::parallel;
use crate::partial_reading::missing_types;
use crate::shader_blocks::{ShaderJob, TargetBlock, read, read_without_compilers};

/// The value of a macro of which only the name is known.
pub const GUESSED_VALUE: u32 = 1;

/// The settings of the trials.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trials<'a> {
    /// Folders with included files.
    pub includes: &'a [String],
    /// Sets of macros that the build defines.
    pub define_sets: &'a [Vec<String>],
    /// Sets of macros that the build defines for single shaders, by the names of their files.
    pub own_sets: &'a BTreeMap<String, Vec<Vec<String>>>,
    /// The values that headers of the project give to macros.
    pub header_values: &'a HeaderValues<'a>,
    /// The layout options of the build.
    pub layouts: &'a BTreeMap<ShaderLanguage, BuildLayout>,
}

/// A shader to try.
#[derive(Clone, Debug)]
pub(super) struct TrialShader {
    pub path: PathBuf,
    /// The shader, if it is a string in the text of a program at `path`.
    pub string: Option<ShaderString>,
    /// Its language, if the suffix does not tell it.
    pub language: Option<ShaderLanguage>,
}

/// What came of the trials.
#[derive(Debug)]
pub(super) struct TriedShaders {
    /// The result of each shader.
    pub trials: Vec<Trial>,
    /// The blocks whose layout depends on the target or the order of matrices, each once for the shaders of a folder
    /// that include it.
    pub blocks: Vec<TargetBlock>,
}

/// How a shader can be read.
#[derive(Clone, Debug)]
pub(super) enum Trial {
    Alone,
    /// With these macros.
    With(Macros, Vec<String>),
    /// Not at all, for this reason.
    Refused(Problem),
    /// Not all ways were tried. Holds the problem of reading it alone, if that was tried.
    NotRead(Option<Problem>),
    /// It lacks macros to which nothing in the project gives values, such as types. `check` compares the blocks that need none
    /// of them.
    Incomplete(Problem),
}

/// Where the macros of a shader come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Macros {
    /// The commands of the build.
    Build,
    /// The shader asks for them, and headers of the project, which it does not include, give them one value.
    Headers,
    /// The shader asks for them. Programs that compile shaders when they run define such macros.
    Guessed,
}

/// A way of reading a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attempt {
    Alone,
    BuildMacros,
    Compilers,
    GuessedMacros,
}

/// Why a shader cannot be read.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    /// The first error, without its place.
    pub cause: String,
    /// What may help, with the macros that the shader asks for.
    pub advice: ReadingAdvice,
    /// The types that the shader certainly lacks, with the macros of this reading.
    pub types: BTreeSet<String>,
}

impl Problem {
    /// True if the macros that the shader lacks are known.
    pub(super) fn names_macros(&self) -> bool {
        !self.types.is_empty() || !self.advice.macros.is_empty()
    }

    /// The names of the macros that the shader lacks, or the error.
    pub(super) fn lack(&self) -> String {
        let names: BTreeSet<&str> = self.types.iter().chain(&self.advice.macros).map(String::as_str).collect();
        if self.names_macros() { names.into_iter().collect::<Vec<_>>().join(", ") } else { self.cause.clone() }
    }

    /// True if a set of macros defines all types that the shader lacks. glslang would refuse it otherwise, after a start.
    fn has_types_in(&self, set: &[String]) -> bool {
        let names: Vec<&str> = set.iter().filter_map(|word| word.split('=').next()).collect();
        self.types.iter().all(|name| names.contains(&name.as_str()))
    }
}

impl Trials<'_> {
    /// The results for all shaders, in their order. All shaders are tried one way before any is tried the next: the
    /// budget is then enough for the ways that read most of them.
    ///
    /// # Errors
    /// The threads cannot be started.
    pub(super) fn of(self, shaders: &[TrialShader], budget: &mut ReadingBudget) -> anyhow::Result<TriedShaders> {
        let mut known: HashMap<(BlockNames, Option<&Path>), Vec<BlockLayout>> = HashMap::new();
        let mut blocks = Vec::new();
        let mut trials: Vec<Option<Trial>> = vec![None; shaders.len()];
        let mut problems: Vec<Option<Problem>> = vec![None; shaders.len()];
        for attempt in [Attempt::Alone, Attempt::BuildMacros, Attempt::Compilers, Attempt::GuessedMacros] {
            let open: Vec<usize> = (0..shaders.len()).filter(|shader| trials[*shader].is_none()).collect();
            let mut rest = open.as_slice();
            while let Some((count, share)) = budget.shares(rest.len()) {
                let (some, later) = rest.split_at(count);
                rest = later;
                let results = parallel::for_all(some, |shader| {
                    let share = Share::new(share);
                    (self.attempt(attempt, &shaders[*shader], problems[*shader].as_ref(), &share), share)
                })?;
                for (shader, (result, share)) in some.iter().zip(results) {
                    budget.spend(share.used());
                    match result {
                        Ok((trial, read)) => {
                            trials[*shader] = Some(trial);
                            let folder = shaders[*shader].path.parent();
                            let is_new = |block: &TargetBlock| {
                                let layouts = known.entry((block.names.clone(), folder)).or_default();
                                let is_new = block.open.is_some() && !layouts.contains(&block.layout);
                                if is_new {
                                    layouts.push(block.layout.clone());
                                }
                                is_new
                            };
                            blocks.extend(read.into_iter().filter(is_new));
                        }
                        Err(problem) => {
                            // An attempt that used up its share may have ended too early.
                            if attempt == Attempt::GuessedMacros && share.is_left() {
                                trials[*shader] = Some(Trial::Refused(problem.clone()));
                            }
                            problems[*shader] = Some(problem);
                        }
                    }
                }
            }
        }
        let trials = trials.into_iter().zip(problems);
        Ok(TriedShaders {
            trials: trials.map(|(trial, problem)| trial.unwrap_or(Trial::NotRead(problem))).collect(),
            blocks,
        })
    }

    /// The modules of compilers that have blocks, of the first ones that the budget allows.
    ///
    /// # Errors
    /// The threads cannot be started.
    pub(super) fn modules_with_blocks(
        self,
        mut modules: Vec<PathBuf>,
        budget: &mut ReadingBudget,
    ) -> anyhow::Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        while let Some((count, share)) = budget.shares(modules.len()) {
            let later = modules.split_off(count);
            let has_blocks = parallel::for_all(&modules, |path| {
                let module = TrialShader { path: path.clone(), string: None, language: None };
                let share = Share::new(share);
                let read = self.blocks_of(&module, &[], Reader::Own, &share);
                (read.is_ok_and(|blocks| !blocks.is_empty()), share.used())
            })?;
            for (path, (has, used)) in modules.into_iter().zip(has_blocks) {
                budget.spend(used);
                found.extend(has.then_some(path));
            }
            modules = later;
        }
        Ok(found)
    }

    /// Tries one way. The error is the problem of reading the shader alone, with our own reader.
    fn attempt(
        self,
        attempt: Attempt,
        shader: &TrialShader,
        problem: Option<&Problem>,
        share: &Share,
    ) -> Result<(Trial, Vec<TargetBlock>), Problem> {
        let name = shader.path.file_name().unwrap_or_default().to_string_lossy();
        let own = self.own_sets.get(name.as_ref()).into_iter().flatten();
        let Some(problem) = problem else {
            // The build compiles it so. Without its macros it lacks types, or conditions hide its blocks.
            let with_first = own.clone().next().map(|set| {
                let blocks = self.blocks_of(shader, set, Reader::Own, share)?;
                Ok::<_, Problem>((Trial::With(Macros::Build, set.clone()), blocks))
            });
            match &with_first {
                Some(Ok((trial, blocks))) if !blocks.is_empty() => return Ok((trial.clone(), blocks.clone())),
                Some(Err(problem)) if !problem.types.is_empty() => return Err(problem.clone()),
                Some(_) | None => {}
            }
            let alone = match self.blocks_of(shader, &[], Reader::Own, share) {
                Ok(alone) => alone,
                Err(problem) => return with_first.and_then(Result::ok).ok_or(problem),
            };
            let shown = own.skip(1).filter(|_| alone.is_empty()).take_while(|_| share.is_left()).find_map(|set| {
                let blocks = self.blocks_of(shader, set, Reader::Own, share).ok()?;
                (!blocks.is_empty()).then(|| (Trial::With(Macros::Build, set.clone()), blocks))
            });
            return Ok(shown.unwrap_or((Trial::Alone, alone)));
        };
        // The first set was tried before the shader alone.
        let sets_after = |first: usize| own.clone().skip(first).chain(self.define_sets).take_while(|_| share.is_left());
        let with_set = |set: &Vec<String>, blocks| (Trial::With(Macros::Build, set.clone()), blocks);
        let found = match attempt {
            Attempt::Alone => None,
            Attempt::BuildMacros => sets_after(1)
                .filter(|set| problem.has_types_in(set))
                .find_map(|set| Some(with_set(set, self.blocks_of(shader, set, Reader::Own, share).ok()?))),
            Attempt::Compilers if !has_compilers(shader) => None,
            Attempt::Compilers => {
                // No compiler can read a shader that lacks its macros.
                let has_macros = |problem: &Problem| problem.advice.macros.is_empty();
                let read_alone = || self.blocks_of(shader, &[], Reader::Compilers, share).ok();
                let read_with = |set: &Vec<String>| match self.blocks_of(shader, set, Reader::Own, share) {
                    Err(own) if !has_macros(&own) => None,
                    _ => Some(with_set(set, self.blocks_of(shader, set, Reader::Compilers, share).ok()?)),
                };
                let alone = has_macros(problem).then(read_alone).flatten().map(|blocks| (Trial::Alone, blocks));
                alone.or_else(|| sets_after(0).find_map(read_with))
            }
            // A guessed number is no type.
            Attempt::GuessedMacros if problem.types.iter().any(|name| self.header_values.get(name).is_none()) => {
                Some((Trial::Incomplete(problem.clone()), Vec::new()))
            }
            Attempt::GuessedMacros => return self.with_guessed_macros(shader, problem.clone(), share),
        };
        found.ok_or_else(|| problem.clone())
    }

    /// The blocks of a shader with these macros, or why it cannot be read with them. A shader may have no block.
    fn blocks_of(
        self,
        shader: &TrialShader,
        defines: &[String],
        reader: Reader,
        share: &Share,
    ) -> Result<Vec<TargetBlock>, Problem> {
        let language = language_of_file(shader.language, &shader.path);
        share.spend(cost(reader, language));
        let declare = DeclareArgs {
            include: self.includes.to_vec(),
            define: defines.to_vec(),
            lang: shader.language,
            ..DeclareArgs::default()
        };
        let string = shader.string.as_ref();
        let mut declare = string.map_or(declare.clone(), |string| with_string(&declare, &shader.path, string));
        let mut usual = LayoutSelection::default();
        if let Some(layout) = language.and_then(|language| self.layouts.get(&language)) {
            declare.complete(&layout.arguments, Path::new(""));
            usual = LayoutSelection::of_arguments(&layout.arguments);
        }
        let path = shader.path.clone();
        let job = ShaderJob { path, declare, profile: None, named: LayoutSelection::default(), usual };
        let mut sources = SourceMap::default();
        let read = match reader {
            Reader::Own => read_without_compilers(&job, &mut sources),
            Reader::Compilers => read(&job, &mut sources),
        };
        share.spend(cost_of_text(sources.files().iter().map(|file| file.text.len()).sum()));
        let problems = match read {
            Ok(Ok(read)) => return Ok(read.blocks),
            Ok(Err(problems)) => problems,
            Err(error) => {
                let (cause, advice) = (format!("{error:#}"), ReadingAdvice::default());
                return Err(Problem { cause, advice, types: BTreeSet::new() });
            }
        };
        match reading_errors(&problems).next() {
            None => Ok(Vec::new()),
            Some(first) => {
                let is_glsl = language == Some(ShaderLanguage::Glsl);
                let types = if is_glsl { missing_types(&sources, defines) } else { BTreeSet::new() };
                Err(Problem { cause: first.message.clone(), advice: advice_on(&problems), types })
            }
        }
    }

    /// Reads a shader with the macros that its `#error` lines ask for. If they are not enough, the error is the first
    /// problem that they leave.
    fn with_guessed_macros(
        self,
        shader: &TrialShader,
        mut problem: Problem,
        share: &Share,
    ) -> Result<(Trial, Vec<TargetBlock>), Problem> {
        let mut macros: BTreeSet<String> = BTreeSet::new();
        let mut origin = Macros::Headers;
        loop {
            let before = macros.len();
            for name in problem.advice.macros.iter().chain(&problem.types) {
                match self.header_values.get(name) {
                    Some(value) => macros.insert(format!("{name}={value}")),
                    None => {
                        origin = Macros::Guessed;
                        macros.insert(format!("{name}={GUESSED_VALUE}"))
                    }
                };
            }
            // A shader with all of its macros may only be too much for our own reader.
            let has_macros = macros.len() == before;
            if macros.is_empty() || !share.is_left() || (has_macros && !has_compilers(shader)) {
                return Err(problem);
            }
            let defines: Vec<String> = macros.iter().cloned().collect();
            let reader = if has_macros { Reader::Compilers } else { Reader::Own };
            match self.blocks_of(shader, &defines, reader, share) {
                Ok(blocks) => return Ok((Trial::With(origin, defines), blocks)),
                Err(_) if has_macros => return Err(problem),
                Err(next) => problem = next,
            }
        }
    }
}

fn has_compilers(shader: &TrialShader) -> bool {
    is_read_by_compilers(language_of_file(shader.language, &shader.path))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The trials of shaders with this budget, in which each reading of ours costs 1.
    fn trials(shaders: &[&str], left: u32) -> Vec<Trial> {
        let folder = tempfile::tempdir().unwrap();
        let write = |(index, text): (usize, &&str)| {
            let path = folder.path().join(format!("{index}.hlsl"));
            std::fs::write(&path, text).unwrap();
            path
        };
        let paths = shaders.iter().enumerate().map(write);
        let shaders: Vec<TrialShader> = paths.map(|path| TrialShader { path, string: None, language: None }).collect();
        let files = BTreeSet::new();
        let (own_sets, header_values) = (&BTreeMap::new(), &HeaderValues::new(folder.path(), &files));
        Trials { includes: &[], define_sets: &[], own_sets, header_values, layouts: &BTreeMap::new() }
            .of(&shaders, &mut ReadingBudget::of(left))
            .unwrap()
            .trials
    }

    /// A compiler or macros might still read the shader.
    #[test]
    fn a_shader_is_not_refused_before_all_attempts() {
        let found = trials(&["cbuffer A { float4 a[sizeof(bool4)]; };"], 1);
        assert!(matches!(&found[..], [Trial::NotRead(Some(_))]), "{found:?}");
        assert!(matches!(&trials(&["cbuffer A { float4 a; };"], 0)[..], [Trial::NotRead(None)]));
    }

    /// The first two readings are of both shaders alone.
    #[test]
    fn a_shader_that_needs_macros_costs_the_others_nothing() {
        let needs_macros = "#ifndef LANES\n#error LANES is not defined\n#endif\ncbuffer A { float4 a[LANES]; };";
        let found = trials(&[needs_macros, "cbuffer A { float4 a; };"], 2);
        assert!(matches!(&found[..], [Trial::NotRead(Some(_)), Trial::Alone]), "{found:?}");
        let found = trials(&[needs_macros, "cbuffer A { float4 a; };"], 900);
        let [Trial::With(Macros::Guessed, macros), Trial::Alone] = &found[..] else { panic!("{found:?}") };
        assert_eq!(macros, &["LANES=1"]);
        let found =
            trials(&["#ifndef LANES\n#error LANES is not defined\n#endif\ncbuffer A { Missing a[LANES]; };"], 900);
        let [Trial::Refused(problem)] = &found[..] else { panic!("{found:?}") };
        assert!(problem.cause.contains("`Missing`") && problem.advice.macros.is_empty(), "{problem:?}");
    }

    /// Much text takes much time.
    #[test]
    fn long_shaders_cost_more() {
        let long = format!("cbuffer A {{ float4 a; }}; /* {} */", "-".repeat(800 << 10));
        let found = trials(&[long.as_str(); 3], 8);
        assert!(matches!(&found[..], [Trial::Alone, Trial::Alone, Trial::NotRead(None)]), "{found:?}");
    }

    /// A count decides, not the time: the same shaders are read on a busy machine.
    #[test]
    fn the_first_shaders_are_read_where_the_budget_is_small() {
        let shaders = vec!["cbuffer A { float4 a; };"; 40];
        let found = trials(&shaders, 10);
        assert_eq!(found.iter().filter(|trial| matches!(trial, Trial::Alone)).count(), 10);
        assert!(found[..10].iter().all(|trial| matches!(trial, Trial::Alone)), "{found:?}");
        assert!(found[10..].iter().all(|trial| matches!(trial, Trial::NotRead(None))), "{found:?}");
        assert!(trials(&shaders, 40).iter().all(|trial| matches!(trial, Trial::Alone)));
    }
}
