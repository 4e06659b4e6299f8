//! The shaders in the text of a program: its strings, and the files that its compiler puts into it.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use layoutproof_compilers::regular_file::read_text;
use layoutproof_inputs::declare::DeclareArgs;
use layoutproof_inputs::files::{self, FileKind};
use layoutproof_inputs::shader_file::included::IncludedFiles;
use layoutproof_show::front_ends::FrontEnd;
use layoutproof_source::host_text::{HostText, ProgramLanguage, ShaderString, language_of};
use layoutproof_source::shader_language::ShaderLanguage;

use crate::shader_blocks::ShaderJob;

/// Longest included file to look into for its language, in bytes.
const LONGEST_INCLUDED: u64 = 4 << 20;

/// What is read in place of a program's text.
#[derive(Debug, Default)]
pub struct HostTextShaders {
    pub jobs: Vec<ShaderJob>,
    /// The lines of shaders that the program completes when it runs.
    pub unfinished: Vec<u32>,
    /// Files with shaders that the program includes and that cannot be read, with the reason.
    pub unread: Vec<(PathBuf, String)>,
}

impl HostTextShaders {
    /// The shaders in the text of a program that the user lists like a shader, with the settings that they all have.
    /// `None` for a shader, or if the user says that the file is one.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn of_file(job: &ShaderJob) -> anyhow::Result<Option<Self>> {
        let Some(language) = program_language(&job.path, job.declare.lang) else { return Ok(None) };
        let text = HostText::read(&files::read_text(&job.path, FileKind::Shader)?, language);
        let mut shaders = Self { unfinished: text.unfinished, ..Self::default() };
        for shader in &text.shaders {
            let declare = with_string(&job.declare, &job.path, shader);
            shaders.jobs.push(ShaderJob { declare, ..job.clone() });
        }
        let allowed = IncludedFiles::of_shader(&job.path, &job.declare.include);
        for name in &text.included {
            let path = joined(&job.path, name);
            if allowed.excludes(&path) {
                if FrontEnd::of(None, &path).is_some() {
                    shaders
                        .unread
                        .push((path, format!("{} includes it from outside of the project", job.path.display())));
                }
            } else if let Some(included) = included_shader(&path) {
                let lang = match included {
                    IncludedShader::BySuffix => None,
                    IncludedShader::ByText(language) => Some(language),
                };
                let declare = DeclareArgs { lang, ..job.declare.clone() };
                shaders.jobs.push(ShaderJob { path, declare, ..job.clone() });
            }
        }
        Ok(Some(shaders))
    }

    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty() && self.unfinished.is_empty() && self.unread.is_empty()
    }
}

/// The path of a file that a text at `path` includes, without the steps back that lead out of the folder that they follow.
fn joined(path: &Path, name: &str) -> PathBuf {
    let whole = path.parent().unwrap_or(Path::new("")).join(name);
    let mut short = PathBuf::new();
    for part in whole.components() {
        let is_step =
            part == Component::ParentDir && matches!(short.components().next_back(), Some(Component::Normal(_)));
        if is_step {
            short.pop();
        } else if part != Component::CurDir {
            short.push(part);
        }
    }
    // A link to a folder has another parent than its name.
    let is_same = short.canonicalize().ok() == whole.canonicalize().ok();
    if is_same { short } else { whole }
}

/// The language of a program's text, unless its suffix or the user says that it is a shader.
pub fn program_language(path: &Path, named: Option<ShaderLanguage>) -> Option<ProgramLanguage> {
    ProgramLanguage::of(path).filter(|_| FrontEnd::of(named, path).is_none())
}

/// The options for a shader that is a string in the program at `path`.
pub(crate) fn with_string(declare: &DeclareArgs, path: &Path, shader: &ShaderString) -> DeclareArgs {
    let texts = [(path.display().to_string(), shader.text.clone())].into_iter().collect();
    DeclareArgs { lang: Some(shader.language), texts: Arc::new(texts), ..declare.clone() }
}

/// How layoutproof knows the language of an included shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IncludedShader {
    BySuffix,
    ByText(ShaderLanguage),
}

/// `None` for a file that is no shader.
pub(crate) fn included_shader(path: &Path) -> Option<IncludedShader> {
    if FrontEnd::of(None, path).is_some() {
        return Some(IncludedShader::BySuffix);
    }
    // Fonts and other programs' texts are included too.
    let text = read_text(path, LONGEST_INCLUDED).ok().filter(|_| ProgramLanguage::of(path).is_none())?;
    language_of(&text).map(IncludedShader::ByText)
}
