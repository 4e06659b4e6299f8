//! The selection of columns: rule sets and compilers' choices.

use std::fmt;

use layoutproof_layout::native::{Native, find_native, natives};
use layoutproof_layout::{
    Block, Column, LayoutVariant, RuleChoice, RuleSet, ShaderCompiler, ShaderTarget, TargetChoice,
};
use layoutproof_source::shader_language::{ShaderLanguage, alternatives};

use crate::front_ends::TextFrontEnd;
use crate::shown_columns::ColumnName;

/// A column that the user names: a rule set, or a compiler's choice.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownColumnChoice {
    pub choice: RuleChoice,
    /// The compiler's build, where the user names one.
    pub version: Option<String>,
}

impl From<RuleChoice> for ShownColumnChoice {
    fn from(choice: RuleChoice) -> Self {
        Self { choice, version: None }
    }
}

impl ShownColumnChoice {
    /// The column's name: of a compiler's choice in the words that people use.
    pub fn column_name(&self) -> ColumnName {
        match self.column() {
            Some(column) => ColumnName::of_target(column),
            None => ColumnName::of_rules(self.choice.name()),
        }
    }

    fn column(&self) -> Option<Column<'_>> {
        let column = self.choice.column()?;
        Some(Column { version: self.version.as_deref().or(column.version), ..column })
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum ShownRules {
    /// The targets that programs in the input's language ship for. Modules that declare their own
    /// offsets have the single column `declared`.
    Shipping,
    /// These, labelled as targets. A block that a compiler lacks is left out of its column.
    Columns(Vec<ShownColumnChoice>),
    /// Every rule set without a dialect. A block that one of them forbids is shown as forbidden.
    Bare,
    /// The rule sets without a dialect that a compiler uses for such a block.
    Relevant,
    /// These, under their own names. A block that a compiler lacks is shown as forbidden.
    Named(Vec<RuleChoice>),
}

/// True if a compiler uses this rule set, or a dialect of it, for such a block.
pub(super) fn is_relevant(rules: &RuleSet, block: &Block) -> bool {
    let bare = |name: &'static str| name.split_once('@').map_or(name, |(bare, _)| bare);
    let takes = |native: &Native| native.rules(block).is_some_and(|taken| bare(taken.name) == rules.name);
    natives().iter().any(takes)
}

/// Most columns that `show` has by default.
pub const MOST_COLUMNS: usize = 4;

/// The targets of a language whose files are laid out by rule sets, four at most; none for another language.
pub fn shipping(language: ShaderLanguage) -> impl Iterator<Item = &'static Native> {
    TextFrontEnd::of(language).ships().iter().filter_map(|name| find_native(name))
}

/// The target of files that declare their own offsets; compilers' output belongs to Vulkan here, as GLSL does.
pub(crate) fn shipping_of_laid_out(language: Option<ShaderLanguage>) -> Option<&'static Native> {
    let fixes = TextFrontEnd::of(language.unwrap_or(ShaderLanguage::Glsl)).fixes();
    find_native(fixes.map_or("native:glsl", |fixes| fixes.native))
}

/// The compiler that programs in a language use for a target.
///
/// DXC is Microsoft's compiler for D3D12, and the Vulkan SDK's compiler for HLSL. Slang compiles its own language, and
/// both languages for the other targets.
pub fn usual_compiler(target: ShaderTarget, language: Option<ShaderLanguage>) -> ShaderCompiler {
    match target {
        ShaderTarget::D3d12 | ShaderTarget::Vulkan if language != Some(ShaderLanguage::Slang) => ShaderCompiler::Dxc,
        _ => ShaderCompiler::Slang,
    }
}

/// Targets and compilers that have no column together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoColumn {
    compiler: ShaderCompiler,
    /// `None` if the compiler reads other languages.
    choice: Option<TargetChoice>,
}

/// The columns of these targets and compilers, for a file in `language`: each compiler with each
/// target. Without compilers, the usual one of each target; without targets, those that ship;
/// without both, the columns that ship.
///
/// # Errors
/// One of the targets or compilers has no column with any of the others.
pub fn columns<'a>(
    targets: &[TargetChoice],
    compilers: &[(ShaderCompiler, Option<&'a str>)],
    language: Option<ShaderLanguage>,
) -> Result<Vec<Column<'a>>, NoColumn> {
    // Texts that fix all offsets ship nothing: their layouts do not depend on the columns that the user names.
    let laid_out_by_rules = language.filter(|language| TextFrontEnd::of(*language).fixes().is_none());
    let shipped = || shipping(laid_out_by_rules.unwrap_or(ShaderLanguage::Hlsl)).map(|native| native.column);
    if targets.is_empty() && compilers.is_empty() {
        return Ok(shipped().collect());
    }
    if compilers.is_empty() {
        return targets.iter().map(|choice| usual_column(*choice, language)).collect();
    }

    let mut choices = targets.to_vec();
    if targets.is_empty() {
        // A language's targets are those of its widest compiler.
        let all = [ShaderTarget::D3d12, ShaderTarget::Vulkan, ShaderTarget::Webgpu, ShaderTarget::Metal];
        let ships = |target: &ShaderTarget| shipped().any(|column| column.target == *target);
        choices = all.into_iter().filter(ships).map(TargetChoice::plain).collect();
    }
    let column = |choice: TargetChoice, (compiler, version): (ShaderCompiler, Option<&'a str>)| {
        let TargetChoice { target, variant } = choice;
        Column { target, compiler: Some(compiler), version, variant }
    };
    let mut found: Vec<Column<'a>> = Vec::new();
    for choice in &choices {
        for compiler in compilers {
            let column = column(*choice, *compiler);
            if exists(column) && !found.contains(&column) {
                found.push(column);
            }
        }
    }

    for choice in targets {
        if !found.iter().any(|column| column.choice() == *choice) {
            return Err(NoColumn { compiler: compilers[0].0, choice: Some(*choice) });
        }
    }
    for (compiler, _) in compilers {
        if !found.iter().any(|column| column.compiler == Some(*compiler)) {
            return Err(NoColumn { compiler: *compiler, choice: targets.first().copied() });
        }
    }
    Ok(found)
}

/// The column of a target alone. DXC has no C layout, so that is Slang's.
fn usual_column(choice: TargetChoice, language: Option<ShaderLanguage>) -> Result<Column<'static>, NoColumn> {
    let TargetChoice { target, variant } = choice;
    let usual = usual_compiler(target, language);
    let of = |compiler| Column { variant, ..Column::new(target, compiler) };
    let candidates = [usual, ShaderCompiler::Slang].map(of);
    let found = candidates.into_iter().find(|column| exists(*column));
    found.ok_or(NoColumn { compiler: usual, choice: Some(choice) })
}

/// True if a compiler's rules are known, for bytes or for bindings.
fn exists(column: Column<'_>) -> bool {
    let is_documented = column.compiler == Some(ShaderCompiler::SlangDocumented);
    let measured = if is_documented { Some(ShaderCompiler::Slang) } else { column.compiler };
    Native::of_column(Column { compiler: measured, ..column }).is_some()
}

impl fmt::Display for NoColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { compiler, choice } = self;
        let own: Vec<Column<'_>> =
            natives().iter().map(|native| native.column).filter(|own| own.compiler == Some(*compiler)).collect();
        let mut targets: Vec<&str> = own.iter().map(|column| column.target.as_str()).collect();
        targets.dedup();
        match choice {
            Some(TargetChoice { target: ShaderTarget::Opengl, .. }) => write!(
                f,
                "no compiler from HLSL or Slang to opengl is known here: name a .glsl file, whose blocks declare their \
                 layouts"
            ),
            Some(TargetChoice { target, variant: Some(variant) })
                if own.iter().any(|column| column.target == *target) =>
            {
                let of = |column: &Column<'_>| column.variant.filter(|_| column.target == *target);
                let mut known: Vec<&str> = own.iter().filter_map(of).map(LayoutVariant::as_str).collect();
                known.dedup();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                write!(f, "{compiler} has no layout `{}` for {target}; known are {known}", variant.as_str())
            }
            Some(choice) if !targets.is_empty() => {
                write!(f, "{compiler} is not known to write code for {choice}, only for {}", alternatives(&targets))
            }
            Some(_) | None => write!(f, "{compiler} lays out no HLSL or Slang"),
        }
    }
}

impl std::error::Error for NoColumn {}

#[cfg(test)]
mod tests {
    use layoutproof_layout::{BlockKind, Scalar, Type, find};

    use super::*;

    #[test]
    fn a_structured_buffer_has_nothing_to_do_with_constant_registers() {
        let block = |kind| Block::new("b", kind, Type::Scalar(Scalar::Float32));
        let relevant = |name: &str, kind| is_relevant(find(name).unwrap(), &block(kind));
        assert!(relevant("hlsl-cbuffer", BlockKind::Cbuffer) && relevant("std430", BlockKind::StructuredElement));
        assert!(!relevant("hlsl-cbuffer", BlockKind::StructuredElement));
        assert!(!relevant("hlsl-structured", BlockKind::Cbuffer));
    }

    fn titles(targets: &str, compilers: &[ShaderCompiler], language: ShaderLanguage) -> String {
        let targets: Vec<TargetChoice> = targets.split_whitespace().map(|word| word.parse().unwrap()).collect();
        let compilers: Vec<_> = compilers.iter().map(|compiler| (*compiler, None)).collect();
        match columns(&targets, &compilers, Some(language)) {
            Ok(found) => found.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
            Err(problem) => problem.to_string(),
        }
    }

    #[test]
    fn what_ships_is_a_compilers_choice() {
        for front_end in ShaderLanguage::ALL.map(TextFrontEnd::of) {
            let fixed = front_end.fixes().map(|fixes| fixes.native);
            assert!(front_end.ships().iter().chain(&fixed).all(|name| find_native(name).is_some()));
            assert!(front_end.ships().len() <= MOST_COLUMNS);
        }
    }

    #[test]
    fn targets_and_compilers_name_columns() {
        use ShaderCompiler::{Clang, Dxc, Fxc, Slang, Tint};
        use ShaderLanguage::{Hlsl, Slang as SlangFile};
        for (targets, compilers, language, expected) in [
            ("", &[][..], Hlsl, "D3D12 · DXC, Vulkan · DXC, Vulkan · Slang"),
            ("", &[], SlangFile, "D3D12 · Slang, Vulkan · Slang, WebGPU · Slang, Metal · Slang"),
            ("d3d12 vulkan webgpu metal", &[], Hlsl, "D3D12 · DXC, Vulkan · DXC, WebGPU · Slang, Metal · Slang"),
            ("vulkan vulkan/scalar", &[], SlangFile, "Vulkan · Slang, Vulkan · Slang (scalar)"),
            ("vulkan/dx vulkan/c", &[], Hlsl, "Vulkan · DXC (dx), Vulkan · Slang (c)"),
            ("vulkan/scalar", &[Dxc, Slang], Hlsl, "Vulkan · DXC (scalar), Vulkan · Slang (scalar)"),
            ("", &[Dxc], Hlsl, "D3D12 · DXC, Vulkan · DXC"),
            ("", &[Slang], SlangFile, "D3D12 · Slang, Vulkan · Slang, WebGPU · Slang, Metal · Slang"),
            ("", &[Fxc, Clang], Hlsl, "D3D12 · FXC, D3D12 · Clang, Vulkan · Clang"),
            ("d3d12 metal", &[Dxc, Slang], Hlsl, "D3D12 · DXC, D3D12 · Slang, Metal · Slang"),
            ("metal", &[Dxc], Hlsl, "dxc is not known to write code for metal, only for d3d12 or vulkan"),
            ("vulkan/gl", &[], SlangFile, "slangc has no layout `gl` for vulkan; known are scalar, dx, c"),
            (
                "opengl",
                &[],
                Hlsl,
                "no compiler from HLSL or Slang to opengl is known here: name a .glsl file, whose blocks \
                declare their layouts",
            ),
            ("", &[Tint], Hlsl, "tint lays out no HLSL or Slang"),
        ] {
            assert_eq!(titles(targets, compilers, language), expected, "{targets} {compilers:?}");
        }
    }
}
