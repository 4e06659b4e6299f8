//! The columns that `layoutproof.toml` sets for a shader, used if the command line names none.

use std::path::Path;

use layoutproof_inputs::declare::DeclareArgs;
use layoutproof_inputs::inputs::InputWord;
use layoutproof_inputs::project_file::ProjectFile;
use layoutproof_inputs::shared_suffixes::language_of_file;
use layoutproof_show::{MOST_COLUMNS, ShownRules};

use crate::commands::show::args::ShowArgs;
use crate::commands::show::formats::FormatKind;
use crate::shader_settings::ShaderSettings;

/// The project's settings for one shader.
#[derive(Clone, Debug)]
pub(super) struct ProjectColumns {
    /// Options for reading it.
    pub(super) declare: DeclareArgs,
    /// Shader profile, if known.
    pub(super) profile: Option<String>,
    /// The rule sets that ship.
    pub(super) rules: ShownRules,
    /// A line that names the source of the columns.
    pub(super) note: String,
}

impl ProjectColumns {
    /// The project, unless the command line selects the columns. JSON and host structs ignore the
    /// project: their output must not depend on the current folder.
    pub(super) fn project(args: &ShowArgs) -> anyhow::Result<Option<ProjectFile>> {
        let is_free =
            args.rules.is_empty() && !args.all && args.placement.target.is_empty() && args.compiler.is_empty();
        let is_for_people = matches!(args.format.kind, FormatKind::Tables | FormatKind::Drawing);
        if !is_free || !is_for_people {
            return Ok(None);
        }
        ProjectFile::find(args.config.as_deref())
    }

    /// The project's settings for a shader; `None` if it has none.
    pub(super) fn of(project: &ProjectFile, word: &str, declare: &DeclareArgs) -> anyhow::Result<Option<Self>> {
        let shaders = project.entries_of(Path::new(word)).into_iter().next();
        let settings = match shaders {
            Some(shaders) => ShaderSettings::of_project(shaders, None, declare, project)?,
            None => ShaderSettings::named(None, declare, project)?,
        };
        let is_declarations =
            matches!(InputWord::of(word, settings.declare.lang), InputWord::Shader(file) if !file.fixes_offsets());
        if !is_declarations || (shaders.is_none() && settings.layouts.is_empty()) {
            return Ok(None);
        }

        let language = language_of_file(settings.declare.lang, Path::new(word));
        let mut choices = settings.layouts.choices(language)?;
        let all = choices.len();
        choices.truncate(MOST_COLUMNS);
        let file = project.path.display();
        let note = match all {
            0 => format!("  read with the settings of {file}\n"),
            1..=MOST_COLUMNS => format!("  columns from {file}\n"),
            _ => format!("  columns from {file}: the first {MOST_COLUMNS} of {all}; --rules shows others\n"),
        };
        let rules = if choices.is_empty() { ShownRules::Shipping } else { ShownRules::Columns(choices) };
        Ok(Some(Self { declare: settings.declare, profile: settings.arguments.profile, rules, note }))
    }
}
