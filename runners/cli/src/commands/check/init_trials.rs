//! Tries how each shader of a folder can be read: alone, with the macros of the build, by compilers, or with
//! macros whose values are guessed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use layoutproof_inputs::declare::DeclareArgs;
use layoutproof_inputs::layout_selection::LayoutSelection;
use layoutproof_inputs::refused_input::short_advice;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::sources::SourceMap;

use super::parallel;
use super::shader_blocks::{ShaderBlocks, ShaderJob, read, read_without_compilers};

/// The value of a macro of which only the name is known.
pub(super) const GUESSED_VALUE: u32 = 1;

/// The settings of the trials.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trials<'a> {
    /// Folders with included files.
    pub includes: &'a [String],
    /// Sets of macros that the build defines.
    pub define_sets: &'a [Vec<String>],
}

/// How a shader can be read.
#[derive(Clone, Debug)]
pub(super) enum Trial {
    Alone,
    /// With these macros.
    With(Macros, Vec<String>),
    /// Not at all, for this reason.
    Refused(String),
    /// Time was up before all ways were tried. Holds the problem of reading it alone, if that was tried.
    NotRead(Option<String>),
}

/// Where the macros of a shader come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Macros {
    /// The commands of the build.
    Build,
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
struct Problem {
    text: String,
    missing_macros: Vec<String>,
}

impl Trials<'_> {
    /// The results for all shaders, in their order. All shaders are tried one way before any is tried the next: on a
    /// slow or busy machine, the time is then enough for the ways that read most of them.
    ///
    /// # Errors
    /// The threads cannot be started.
    pub(super) fn of(self, shaders: &[PathBuf], has_time: impl Fn() -> bool + Sync) -> anyhow::Result<Vec<Trial>> {
        let mut trials: Vec<Option<Trial>> = vec![None; shaders.len()];
        let mut problems: Vec<Option<Problem>> = vec![None; shaders.len()];
        for attempt in [Attempt::Alone, Attempt::BuildMacros, Attempt::Compilers, Attempt::GuessedMacros] {
            let open: Vec<usize> = (0..shaders.len()).filter(|shader| trials[*shader].is_none()).collect();
            let results = parallel::for_all(&open, |shader| {
                has_time().then(|| self.attempt(attempt, &shaders[*shader], problems[*shader].as_ref(), &has_time))
            })?;
            for (shader, result) in open.into_iter().zip(results) {
                match result {
                    Some(Ok(trial)) => trials[shader] = Some(trial),
                    Some(Err(problem)) => {
                        // An attempt that ran out of time may have ended too early.
                        if attempt == Attempt::GuessedMacros && has_time() {
                            trials[shader] = Some(Trial::Refused(problem.text.clone()));
                        }
                        problems[shader] = Some(problem);
                    }
                    None => {}
                }
            }
        }
        let not_read = |problem: Option<Problem>| Trial::NotRead(problem.map(|problem| problem.text));
        Ok(trials
            .into_iter()
            .zip(problems)
            .map(|(trial, problem)| trial.unwrap_or_else(|| not_read(problem)))
            .collect())
    }

    /// Tries one way. The error is the problem of reading the shader alone, with our own reader.
    fn attempt(
        self,
        attempt: Attempt,
        path: &Path,
        problem: Option<&Problem>,
        has_time: &impl Fn() -> bool,
    ) -> Result<Trial, Problem> {
        let problem = match problem {
            Some(problem) => problem,
            None => match self.problem_of(path, &[], read_without_compilers) {
                Some(problem) => return Err(problem),
                None => return Ok(Trial::Alone),
            },
        };
        let with_set = |is_enough: &dyn Fn(&[String]) -> bool| {
            let set = self.define_sets.iter().find(|set| has_time() && is_enough(set));
            set.map(|set| Trial::With(Macros::Build, set.clone()))
        };
        let found = match attempt {
            Attempt::Alone => None,
            Attempt::BuildMacros => with_set(&|set| self.problem_of(path, set, read_without_compilers).is_none()),
            Attempt::Compilers => {
                // No compiler can read a shader that lacks its macros.
                let has_macros = |problem: &Problem| problem.missing_macros.is_empty();
                let is_read = |set: &[String]| has_time() && self.problem_of(path, set, read).is_none();
                if has_macros(problem) && is_read(&[]) {
                    Some(Trial::Alone)
                } else {
                    with_set(&|set| {
                        let own = self.problem_of(path, set, read_without_compilers);
                        own.is_none_or(|own| has_macros(&own)) && is_read(set)
                    })
                }
            }
            Attempt::GuessedMacros => {
                let macros = self.guessed_macros(path, problem.clone(), has_time);
                macros.map(|macros| Trial::With(Macros::Guessed, macros))
            }
        };
        found.ok_or_else(|| problem.clone())
    }

    /// Why a shader cannot be read alone with these macros; `None` if it can, even if it has no buffer.
    fn problem_of(self, file: &Path, defines: &[String], read: ReadShader) -> Option<Problem> {
        let job = self.job(file, defines);
        match read(&job, &mut SourceMap::default()) {
            Ok(Ok(_)) => None,
            Ok(Err(problems)) => {
                let problems: Vec<Diagnostic> =
                    problems.into_iter().filter(|problem| problem.code != Code::NothingDeclared).collect();
                let text = format!("{}{}", problems.first()?.message, short_advice(&problems));
                Some(Problem {
                    text,
                    missing_macros: problems.iter().flat_map(Diagnostic::missing_macros).cloned().collect(),
                })
            }
            Err(error) => Some(Problem { text: format!("{error:#}"), missing_macros: Vec::new() }),
        }
    }

    /// A shader with these macros.
    pub(super) fn job(self, file: &Path, defines: &[String]) -> ShaderJob {
        let declare =
            DeclareArgs { include: self.includes.to_vec(), define: defines.to_vec(), ..DeclareArgs::default() };
        ShaderJob {
            path: file.to_owned(),
            declare,
            profile: None,
            named: LayoutSelection::default(),
            usual: LayoutSelection::default(),
        }
    }

    /// The macros with which a shader can be read if its `#error` lines ask for them; `None` if they are not
    /// enough.
    fn guessed_macros(self, file: &Path, mut problem: Problem, has_time: &impl Fn() -> bool) -> Option<Vec<String>> {
        let mut macros: BTreeSet<String> = BTreeSet::new();
        loop {
            let before = macros.len();
            macros.extend(problem.missing_macros.iter().map(|name| format!("{name}={GUESSED_VALUE}")));
            if !has_time() {
                return None;
            }
            let defines: Vec<String> = macros.iter().cloned().collect();
            if macros.len() == before {
                // The shader has its macros, so what is left may only be too much for our own reader.
                let is_read = before > 0 && self.problem_of(file, &defines, read).is_none();
                return is_read.then_some(defines);
            }
            match self.problem_of(file, &defines, read_without_compilers) {
                Some(next) => problem = next,
                None => return Some(defines),
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
        let paths: Vec<PathBuf> = shaders.iter().enumerate().map(write).collect();
        let asked = AtomicU32::new(0);
        let has_time = || asked.fetch_add(1, Ordering::Relaxed) < questions;
        Trials { includes: &[], define_sets: &[] }.of(&paths, has_time).unwrap()
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
