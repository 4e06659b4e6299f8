//! The layouts that one place names: the command line, an entry of `layoutproof.toml`, or a
//! compiler's arguments.

use anyhow::bail;
use layoutproof_layout::column::ColumnError;
use layoutproof_layout::native::Native;
use layoutproof_layout::{Column, RuleChoice, ShaderCompiler, ShaderTarget, TargetChoice};
use layoutproof_show::{ShownColumnChoice, columns};
use layoutproof_source::nearest_name::did_you_mean;
use layoutproof_source::shader_language::ShaderLanguage;

use crate::compile_args::CompileArguments;
use crate::named_compiler::CompilerName;
use crate::rule_set::{rule_choices, target_of};

/// Rule sets, targets and compilers. It has no path of a program, since `layoutproof.toml` holds one too.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayoutSelection {
    pub rules: Vec<String>,
    pub targets: Vec<TargetChoice>,
    pub compilers: Vec<CompilerName>,
}

impl LayoutSelection {
    /// These rule sets, and no target.
    pub fn of_rules(rules: Vec<String>) -> Self {
        Self { rules, ..Self::default() }
    }

    /// The rule sets of the target and compiler that a build's arguments name.
    pub fn of_arguments(arguments: &CompileArguments) -> Self {
        Self::of_rules(arguments.native().map(str::to_owned).into_iter().collect())
    }

    /// The first selection that names anything: that of a shader's own entry, that of an option of its arguments, the
    /// project's, or the usual target of the compiler in the arguments. The arguments complete it.
    pub fn of_shader(own: &Self, arguments: &CompileArguments, project: &Self) -> Self {
        let of_arguments = Self::of_arguments(arguments);
        let by_option = if arguments.names_target { of_arguments.clone() } else { Self::default() };
        let mut selections = [own.clone(), by_option, project.clone(), of_arguments].into_iter();
        let mut chosen = selections.find(|selection| !selection.is_empty()).unwrap_or_default();
        chosen.complete(arguments);
        chosen
    }

    /// The usual target of a language, which is compared where nothing is named.
    pub fn usual(language: Option<ShaderLanguage>) -> Self {
        let target = match language {
            Some(ShaderLanguage::Slang) => ShaderTarget::Vulkan,
            _ => ShaderTarget::D3d12,
        };
        Self { targets: vec![TargetChoice::plain(target)], ..Self::default() }
    }

    /// Completes targets by what a build passes to its compiler: the layout for Vulkan, and the
    /// compiler where none is named and it has these targets.
    pub fn complete(&mut self, arguments: &CompileArguments) {
        for choice in &mut self.targets {
            *choice = arguments.with_layout(*choice);
        }
        if self.compilers.is_empty() {
            self.compilers.extend(compiler_of(arguments, &self.targets).map(CompilerName::any));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.targets.is_empty() && self.compilers.is_empty()
    }

    /// The targets of the columns; rule sets have none.
    pub fn shader_targets(&self) -> Vec<ShaderTarget> {
        let of_rules = self.rules.iter().filter_map(|name| target_of(name));
        self.targets.iter().map(|choice| choice.target).chain(of_rules).collect()
    }

    /// The columns for a file in `language`: the rule sets, then the targets with their compilers.
    ///
    /// # Errors
    /// A name is unknown, or a target or compiler has no column with the others.
    pub fn choices(&self, language: Option<ShaderLanguage>) -> anyhow::Result<Vec<ShownColumnChoice>> {
        let mut found: Vec<ShownColumnChoice> = rule_choices(&self.rules)?.into_iter().map(Into::into).collect();
        if self.targets.is_empty() && self.compilers.is_empty() {
            return Ok(found);
        }
        let compilers: Vec<_> = self.compilers.iter().map(CompilerName::column_part).collect();
        found.extend(columns(&self.targets, &compilers, language)?.into_iter().filter_map(choice));
        Ok(found)
    }

    /// The names of those choices; compilers without a target are those of the language's usual one.
    ///
    /// # Errors
    /// See [`Self::choices`].
    pub fn names(&self, language: Option<ShaderLanguage>) -> anyhow::Result<Vec<String>> {
        let mut whole = self.clone();
        if self.targets.is_empty() && !self.compilers.is_empty() {
            whole.targets = Self::usual(language).targets;
        }
        Ok(whole.choices(language)?.iter().map(|column| column.choice.name().to_owned()).collect())
    }
}

/// The compiler of a build's arguments, if it has these targets.
pub fn compiler_of(arguments: &CompileArguments, targets: &[TargetChoice]) -> Option<ShaderCompiler> {
    let compiler = arguments.compiler.filter(|_| !targets.is_empty())?;
    columns(targets, &[(compiler, None)], None).is_ok().then_some(compiler)
}

/// The compiler's choice of a column; `None` if its rules for bytes are not known.
pub fn choice(column: Column<'_>) -> Option<ShownColumnChoice> {
    let native = Native::of_column(column)?;
    Some(ShownColumnChoice { choice: RuleChoice::Native(native), version: column.version.map(str::to_owned) })
}

/// Parses a target, and suggests the nearest one.
///
/// # Errors
/// The word names no target, or one without this layout.
pub fn target(word: &str) -> anyhow::Result<TargetChoice> {
    match word.parse() {
        Err(ColumnError::Target(name)) => {
            let meant = did_you_mean(&name, ShaderTarget::ALL.iter().map(|target| target.as_str()));
            let known = TARGETS.join(", ");
            bail!("unknown target{}", if meant.is_empty() { format!("; known are {known}") } else { meant })
        }
        parsed => Ok(parsed?),
    }
}

/// The targets that messages list.
const TARGETS: [&str; 5] = ["d3d12", "vulkan", "webgpu", "metal", "opengl"];
