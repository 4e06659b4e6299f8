//! Tries how each shader of a folder can be read: alone, with the macros of the build, by compilers, or with
//! macros whose values are guessed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use layoutproof_hostcheck::matching::BlockNames;
use layoutproof_inputs::declare::DeclareArgs;
use layoutproof_inputs::layout_selection::LayoutSelection;
use layoutproof_inputs::refused_input::{advice_on, reading_errors};
use layoutproof_layout::BlockLayout;
use layoutproof_source::diagnostics::{Diagnostic, ReadingAdvice};
use layoutproof_source::host_text::ShaderString;
use layoutproof_source::shader_language::ShaderLanguage;
use layoutproof_source::sources::SourceMap;

use super::build_defines::HeaderValues;
use crate::host_text_shaders::with_string;
use crate::parallel;
use crate::shader_blocks::{ShaderBlocks, ShaderJob, TargetBlock, read, read_without_compilers};

/// The value of a macro of which only the name is known.
pub const GUESSED_VALUE: u32 = 1;

/// The number of shaders to read before blocks that are known already are dropped: an engine's blocks in all of its
/// shaders take gigabytes.
const READ_AT_ONCE: usize = 64;

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
    /// Time was up before all ways were tried. Holds the problem of reading it alone, if that was tried.
    NotRead(Option<Problem>),
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

/// Reads a shader, with or without compilers.
type ReadShader = fn(&ShaderJob, &mut SourceMap) -> anyhow::Result<Result<ShaderBlocks, Vec<Diagnostic>>>;

/// Why a shader cannot be read.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    /// The first error, without its place.
    pub cause: String,
    /// What may help, with the macros that the shader asks for.
    pub advice: ReadingAdvice,
}

impl Trials<'_> {
    /// The results for all shaders, in their order. All shaders are tried one way before any is tried the next: on a
    /// slow or busy machine, the time is then enough for the ways that read most of them.
    ///
    /// # Errors
    /// The threads cannot be started.
    pub(super) fn of(
        self,
        shaders: &[TrialShader],
        has_time: impl Fn() -> bool + Sync,
    ) -> anyhow::Result<TriedShaders> {
        let mut known: HashMap<(BlockNames, Option<&Path>), Vec<BlockLayout>> = HashMap::new();
        let mut blocks = Vec::new();
        let mut trials: Vec<Option<Trial>> = vec![None; shaders.len()];
        let mut problems: Vec<Option<Problem>> = vec![None; shaders.len()];
        for attempt in [Attempt::Alone, Attempt::BuildMacros, Attempt::Compilers, Attempt::GuessedMacros] {
            let open: Vec<usize> = (0..shaders.len()).filter(|shader| trials[*shader].is_none()).collect();
            for some in open.chunks(READ_AT_ONCE) {
                let results = parallel::for_all(some, |shader| {
                    has_time().then(|| self.attempt(attempt, &shaders[*shader], problems[*shader].as_ref(), &has_time))
                })?;
                for (shader, result) in some.iter().zip(results) {
                    match result {
                        Some(Ok((trial, read))) => {
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
                        Some(Err(problem)) => {
                            // An attempt that ran out of time may have ended too early.
                            if attempt == Attempt::GuessedMacros && has_time() {
                                trials[*shader] = Some(Trial::Refused(problem.clone()));
                            }
                            problems[*shader] = Some(problem);
                        }
                        None => {}
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

    /// The modules of compilers that have blocks, of those for which there is time.
    ///
    /// # Errors
    /// The threads cannot be started.
    pub(super) fn modules_with_blocks(
        self,
        modules: Vec<PathBuf>,
        has_time: impl Fn() -> bool + Sync,
    ) -> anyhow::Result<Vec<PathBuf>> {
        let has_blocks = parallel::for_all(&modules, |path| {
            let module = TrialShader { path: path.clone(), string: None, language: None };
            let read = || self.blocks_of(&module, &[], read_without_compilers);
            has_time() && read().is_ok_and(|blocks| !blocks.is_empty())
        })?;
        Ok(modules.into_iter().zip(has_blocks).filter_map(|(path, has)| has.then_some(path)).collect())
    }

    /// Tries one way. The error is the problem of reading the shader alone, with our own reader.
    fn attempt(
        self,
        attempt: Attempt,
        shader: &TrialShader,
        problem: Option<&Problem>,
        has_time: &impl Fn() -> bool,
    ) -> Result<(Trial, Vec<TargetBlock>), Problem> {
        let name = shader.path.file_name().unwrap_or_default().to_string_lossy();
        let own = self.own_sets.get(name.as_ref()).into_iter().flatten();
        let Some(problem) = problem else {
            let alone = self.blocks_of(shader, &[], read_without_compilers)?;
            // Conditions may hide all blocks from a shader without its macros.
            let shown = own.filter(|_| alone.is_empty()).take_while(|_| has_time()).find_map(|set| {
                let blocks = self.blocks_of(shader, set, read_without_compilers).ok()?;
                (!blocks.is_empty()).then(|| (Trial::With(Macros::Build, set.clone()), blocks))
            });
            return Ok(shown.unwrap_or((Trial::Alone, alone)));
        };
        let with_set = |read: &dyn Fn(&[String]) -> Option<Vec<TargetBlock>>| {
            let mut sets = own.clone().chain(self.define_sets).take_while(|_| has_time());
            sets.find_map(|set| Some((Trial::With(Macros::Build, set.clone()), read(set)?)))
        };
        let found = match attempt {
            Attempt::Alone => None,
            Attempt::BuildMacros => with_set(&|set| self.blocks_of(shader, set, read_without_compilers).ok()),
            Attempt::Compilers => {
                // No compiler can read a shader that lacks its macros.
                let has_macros = |problem: &Problem| problem.advice.macros.is_empty();
                let alone = if has_macros(problem) { self.blocks_of(shader, &[], read).ok() } else { None };
                match alone {
                    Some(blocks) => Some((Trial::Alone, blocks)),
                    None => with_set(&|set| match self.blocks_of(shader, set, read_without_compilers) {
                        Err(own) if !has_macros(&own) => None,
                        _ => self.blocks_of(shader, set, read).ok(),
                    }),
                }
            }
            Attempt::GuessedMacros => self.with_guessed_macros(shader, problem.clone(), has_time),
        };
        found.ok_or_else(|| problem.clone())
    }

    /// The blocks of a shader with these macros, or why it cannot be read with them. A shader may have no block.
    fn blocks_of(
        self,
        shader: &TrialShader,
        defines: &[String],
        read: ReadShader,
    ) -> Result<Vec<TargetBlock>, Problem> {
        let declare = DeclareArgs {
            include: self.includes.to_vec(),
            define: defines.to_vec(),
            lang: shader.language,
            ..DeclareArgs::default()
        };
        let string = shader.string.as_ref();
        let declare = string.map_or(declare.clone(), |string| with_string(&declare, &shader.path, string));
        let job = ShaderJob {
            path: shader.path.clone(),
            declare,
            profile: None,
            named: LayoutSelection::default(),
            usual: LayoutSelection::default(),
        };
        let problems = match read(&job, &mut SourceMap::default()) {
            Ok(Ok(read)) => return Ok(read.blocks),
            Ok(Err(problems)) => problems,
            Err(error) => return Err(Problem { cause: format!("{error:#}"), advice: ReadingAdvice::default() }),
        };
        match reading_errors(&problems).next() {
            None => Ok(Vec::new()),
            Some(first) => Err(Problem { cause: first.message.clone(), advice: advice_on(&problems) }),
        }
    }

    /// Reads a shader with the macros that its `#error` lines ask for; `None` if they are not enough.
    fn with_guessed_macros(
        self,
        shader: &TrialShader,
        mut problem: Problem,
        has_time: &impl Fn() -> bool,
    ) -> Option<(Trial, Vec<TargetBlock>)> {
        let mut macros: BTreeSet<String> = BTreeSet::new();
        let mut origin = Macros::Headers;
        loop {
            let before = macros.len();
            for name in &problem.advice.macros {
                match self.header_values.get(name) {
                    Some(value) => macros.insert(format!("{name}={value}")),
                    None => {
                        origin = Macros::Guessed;
                        macros.insert(format!("{name}={GUESSED_VALUE}"))
                    }
                };
            }
            if macros.is_empty() || !has_time() {
                return None;
            }
            let defines: Vec<String> = macros.iter().cloned().collect();
            // A shader with all of its macros may only be too much for our own reader.
            let has_macros = macros.len() == before;
            let read: ReadShader = if has_macros { read } else { read_without_compilers };
            match self.blocks_of(shader, &defines, read) {
                Ok(blocks) => return Some((Trial::With(origin, defines), blocks)),
                Err(_) if has_macros => return None,
                Err(next) => problem = next,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// The trials of shaders for which time is up after so many questions for it.
    fn trials(shaders: &[&str], questions: u32) -> Vec<Trial> {
        let folder = tempfile::tempdir().unwrap();
        let write = |(index, text): (usize, &&str)| {
            let path = folder.path().join(format!("{index}.hlsl"));
            std::fs::write(&path, text).unwrap();
            path
        };
        let paths = shaders.iter().enumerate().map(write);
        let shaders: Vec<TrialShader> = paths.map(|path| TrialShader { path, string: None, language: None }).collect();
        let asked = AtomicU32::new(0);
        let has_time = || asked.fetch_add(1, Ordering::Relaxed) < questions;
        let files = BTreeSet::new();
        let (own_sets, header_values) = (&BTreeMap::new(), &HeaderValues::new(folder.path(), &files));
        Trials { includes: &[], define_sets: &[], own_sets, header_values }.of(&shaders, has_time).unwrap().trials
    }

    /// A compiler or macros might still read the shader.
    #[test]
    fn a_shader_without_time_for_all_attempts_is_not_refused() {
        let found = trials(&["cbuffer A { float4 a[sizeof(float4)]; };"], 1);
        assert!(matches!(&found[..], [Trial::NotRead(Some(_))]), "{found:?}");
        assert!(matches!(&trials(&["cbuffer A { float4 a; };"], 0)[..], [Trial::NotRead(None)]));
    }

    /// The first two questions are for reading both shaders alone.
    #[test]
    fn a_shader_that_needs_macros_takes_no_time_from_the_others() {
        let needs_macros = "#ifndef LANES\n#error LANES is not defined\n#endif\ncbuffer A { float4 a[LANES]; };";
        let found = trials(&[needs_macros, "cbuffer A { float4 a; };"], 2);
        assert!(matches!(&found[..], [Trial::NotRead(Some(_)), Trial::Alone]), "{found:?}");
        let found = trials(&[needs_macros, "cbuffer A { float4 a; };"], u32::MAX);
        let [Trial::With(Macros::Guessed, macros), Trial::Alone] = &found[..] else { panic!("{found:?}") };
        assert_eq!(macros, &["LANES=1"]);
    }
}
