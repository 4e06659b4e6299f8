//! Combines the options of the command line and the project for one shader.

use std::path::Path;

use anyhow::Context;
use layoutproof_inputs::compile_args::CompileArguments;
use layoutproof_inputs::declare::DeclareArgs;
use layoutproof_inputs::layout_selection::LayoutSelection;
use layoutproof_inputs::project_file::{ProjectFile, ProjectShaders};

use crate::output::warn;

#[derive(Clone, Debug)]
pub(crate) struct ShaderSettings {
    /// Options for reading it.
    pub declare: DeclareArgs,
    /// What its build passes to its compiler.
    pub arguments: CompileArguments,
    /// What the compile arguments or the project name; empty if neither names anything.
    pub layouts: LayoutSelection,
}

impl ShaderSettings {
    /// The settings of a shader that the command line names, with its compile arguments.
    pub(crate) fn named(arguments: Option<&str>, declare: &DeclareArgs, project: &ProjectFile) -> anyhow::Result<Self> {
        let arguments = CompileArguments::read(arguments.unwrap_or_default()).context("--args")?;
        warn_of(&arguments, "--args");
        let mut declare = declare.clone();
        declare.complete(&arguments, Path::new(""));
        let layouts = LayoutSelection::of_shader(&LayoutSelection::default(), &arguments, &project.layouts);
        Ok(Self { declare, arguments, layouts }.read_for_its_targets())
    }

    /// The settings of a project's shader. Compile arguments of the command line replace the
    /// project's.
    pub(crate) fn of_project(
        shaders: &ProjectShaders,
        arguments: Option<&str>,
        declare: &DeclareArgs,
        project: &ProjectFile,
    ) -> anyhow::Result<Self> {
        let text = arguments.or(shaders.arguments.as_deref()).unwrap_or_default();
        let is_typed = arguments.is_some();
        let place = if is_typed {
            "--args".to_owned()
        } else {
            format!("{}: `args` of {}", project.path.display(), shaders.files.join(", "))
        };
        let arguments = CompileArguments::read(text).with_context(|| place.clone())?;
        warn_of(&arguments, &place);
        let of_project = if is_typed { &[][..] } else { &arguments.includes };
        for folder in of_project {
            project.include_folder(folder, &declare.include)?;
        }

        let typed = declare.include.clone();
        let mut declare = declare.clone();
        declare.lang = declare.lang.or(shaders.language);
        declare.matrix = declare.matrix.or(shaders.matrix);
        declare.define.extend(shaders.defines.iter().cloned());
        for folder in &shaders.includes {
            declare.include.push(project.include_folder(folder, &typed)?);
        }
        declare.entry = declare.entry.or_else(|| shaders.entry.clone());
        declare.complete(&arguments, &project.folder);

        let layouts = LayoutSelection::of_shader(&shaders.layouts, &arguments, &project.layouts);
        Ok(Self { declare, arguments, layouts }.read_for_its_targets())
    }

    /// `__spirv__` depends on the targets.
    fn read_for_its_targets(mut self) -> Self {
        let targets = self.layouts.shader_targets();
        if !targets.is_empty() {
            self.declare.targets = targets;
        }
        self
    }
}

/// Warns of what is not followed. `place` says whose arguments these are.
fn warn_of(arguments: &CompileArguments, place: &str) {
    for sentence in &arguments.not_followed {
        warn(&format!("warning: {place}: {sentence}\n"));
    }
}
