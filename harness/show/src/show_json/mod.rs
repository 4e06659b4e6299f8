//! The JSON output of `layoutproof show`: layouts and bindings of one source.
//!
//! The text reporters draw the same value. Keys and their order follow schema 1 of the command-line
//! contract.

use layoutproof_layout::padding::BlockPadding;
use layoutproof_layout::shape::Count;
use layoutproof_layout::{
    BlockKind, BlockLayout, Extent, LayoutWarning, LayoutWarningKind, MemberRow, Reach, Refusal, ViewId,
};
use serde::{Serialize, Serializer};

use layoutproof_events::{Account, SCHEMA};
use layoutproof_source::diagnostics::{self, Code, Diagnostic, Severity};
use layoutproof_source::plain_text::escape_json;
use layoutproof_source::sources::SourceMap;

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shown {
    schema: u32,
    /// Name of the file or case, as the user gave it.
    pub source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub convention: Option<String>,
    /// The compiler that gave the bindings of a source that only it reads, with its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_by: Option<String>,
    /// Why the source is refused (then there are no layouts and no bindings), or which blocks are
    /// forbidden by a rule set that the user named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<ShownProblem>>,
    /// Problems that do not change a layout.
    pub warnings: Vec<ShownProblem>,
    /// Number of errors and warnings beyond the listed ones.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
    /// One per rule set, in the order of the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layouts: Option<Vec<ShownLayout>>,
    /// Padding of each bounded block, if `--padding` is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub padding: Option<Vec<BlockPadding>>,
    /// One per unit that a parameter uses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bindings: Option<Vec<ShownBinding>>,
    /// The bindings of each target and compiler, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placements: Option<Vec<ShownPlacement>>,
    /// The entry point that the bindings belong to, for conventions that need one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// Parameters without a binding, because the entry point does not use them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<String>,
    /// What the source has, and what the output says about it; absent for a refused source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<Account>,
}

/// The bindings of one of several targets or compilers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShownPlacement {
    pub target: String,
    /// The compiler as people call it: `dxc`, `slangc`.
    pub compiler: String,
    /// The name of its rules: `dxc`, `slang@2026.12`.
    pub convention: String,
    /// The compiler itself, with its version, of a source that only it reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_by: Option<String>,
    /// One per unit that a parameter uses.
    pub bindings: Vec<ShownBinding>,
    /// The entry point that the bindings belong to, for conventions that need one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// Parameters without a binding, because the entry point does not use them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<String>,
}

/// All blocks under one rule set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShownLayout {
    /// Rule set, including the dialect; `declared` for the decorations in a module.
    pub rules: String,
    /// The target of a compiler's choice: `d3d12`, `vulkan/scalar`; absent for a rule set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The compiler: `dxc`; absent for a rule set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
    /// The build whose own answer the layouts are, for a file that layoutproof refuses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_by: Option<String>,
    /// In declaration order.
    pub blocks: Vec<ShownBlock>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShownBlock {
    /// The same in every column.
    #[serde(skip)]
    pub view: ViewId,
    pub name: String,
    pub kind: BlockKind,
    /// How the shader gets at the memory; absent for a parameter.
    #[serde(serialize_with = "reach_word", skip_serializing_if = "is_parameter")]
    pub reach: Reach,
    /// Size in bytes; `None` for an unbounded or forbidden block.
    pub size: Option<u32>,
    /// Alignment in bytes; `None` for a forbidden block.
    pub alignment: Option<u32>,
    /// Bytes from one structured-buffer element to the next.
    pub stride: Option<u32>,
    /// Elements of an array of blocks.
    #[serde(serialize_with = "count")]
    pub count: Count,
    /// Why the rule set forbids the block; then it has no members.
    pub errors: Vec<Refusal>,
    /// Why the language forbids the block where an implementation lacks a feature; absent if it does not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forbidden: Vec<Refusal>,
    /// Members of every level, parents before children.
    pub members: Vec<MemberRow>,
}

/// A unit that a parameter uses.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShownBinding {
    /// Path of the parameter, or of a resource in it.
    pub path: String,
    /// `b`, `t`, `u`, `s`, `binding`, `space`, `push-constant` ...
    pub unit: String,
    /// Register space, descriptor set or group.
    pub space: u32,
    /// Register, binding or location.
    pub index: u32,
    #[serde(serialize_with = "count")]
    pub count: Count,
    /// Why the place is uncertain; absent if it is certain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncertain: Option<String>,
    /// Our rules' place if it differs from the compiler's, which this binding states; absent if
    /// they agree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computed: Option<Vec<ComputedBinding>>,
    /// Parameters that share one of its places; absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overlaps: Vec<String>,
}

/// A unit that a parameter uses according to a convention's rules.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComputedBinding {
    pub unit: String,
    /// Register space, descriptor set or group.
    pub space: u32,
    /// Register, binding or location.
    pub index: u32,
    #[serde(serialize_with = "count")]
    pub count: Count,
}

/// A diagnostic and its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShownProblem {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Code, in kebab case.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// Columns (target · compiler) that it concerns; absent if it concerns all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub concerns: Vec<String>,
}

/// Errors to list, and warnings to list; the rest is counted.
const LISTED: usize = 1000;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn count<S: Serializer>(count: &Count, serializer: S) -> Result<S::Ok, S::Error> {
    match count {
        Count::Finite(count) => serializer.serialize_u32(*count),
        Count::Unbounded => serializer.serialize_str("unbounded"),
    }
}

fn reach_word<S: Serializer>(reach: &Reach, serializer: S) -> Result<S::Ok, S::Error> {
    reach.word().serialize(serializer)
}

fn is_parameter(reach: &Reach) -> bool {
    reach.word().is_none()
}

impl ShownProblem {
    /// Converts a diagnostic and resolves its place in `sources`.
    pub fn new(diagnostic: &Diagnostic, sources: &SourceMap) -> Self {
        let place = sources.position(diagnostic.span());
        Self {
            line: place.line,
            column: place.column,
            code: diagnostic.code.to_string(),
            message: diagnostic.message.clone(),
            concerns: diagnostic.concerns.clone(),
        }
    }
}

impl ShownLayout {
    /// All blocks under a rule set, which belongs to no compiler.
    pub fn of_rules(rules: impl Into<String>, blocks: Vec<ShownBlock>) -> Self {
        Self { rules: rules.into(), target: None, compiler: None, read_by: None, blocks }
    }
}

/// The parts of a block that need a feature of the language.
fn forbidden_parts(block: &BlockLayout) -> Vec<Refusal> {
    let needing = block.warnings.iter().filter(|warning| warning.kind == LayoutWarningKind::NeedsFeature);
    needing
        .map(|LayoutWarning { path, message, .. }| Refusal { path: path.clone(), message: message.clone() })
        .collect()
}

impl ShownBlock {
    /// A laid-out or forbidden block. `members` are its rows; a forbidden block has none.
    pub fn new(block: &BlockLayout, members: Vec<MemberRow>) -> Self {
        let (size, alignment, errors) = match &block.result {
            Ok(laid_out) => (laid_out.size, Some(laid_out.alignment), Vec::new()),
            Err(refusals) => (Extent::Unbounded, None, refusals.clone()),
        };
        Self {
            view: block.view,
            name: block.name.clone(),
            kind: block.kind,
            reach: block.reach.clone(),
            size: size.finite(),
            alignment,
            stride: block.stride,
            count: block.count,
            members: if errors.is_empty() { members } else { Vec::new() },
            errors,
            forbidden: forbidden_parts(block),
        }
    }

    /// Every reason for a line that says *Forbidden*.
    pub fn refusals(&self) -> impl Iterator<Item = &Refusal> {
        self.errors.iter().chain(&self.forbidden)
    }
}

impl Shown {
    pub fn layouts(source: impl Into<String>, layouts: Vec<ShownLayout>) -> Self {
        Self { layouts: Some(layouts), ..Self::empty(source.into()) }
    }

    pub fn bindings(source: impl Into<String>, placement: &ShownPlacement) -> Self {
        let ShownPlacement { target, compiler: _, convention, read_by, bindings, entry, unused } = placement.clone();
        Self {
            target: Some(target),
            convention: Some(convention),
            read_by,
            bindings: Some(bindings),
            entry,
            unused,
            ..Self::empty(source.into())
        }
    }

    /// Output with the bindings of several targets or compilers.
    pub fn placements(source: impl Into<String>, placements: Vec<ShownPlacement>) -> Self {
        Self { placements: Some(placements), ..Self::empty(source.into()) }
    }

    /// Output for a refused source: only its errors and warnings.
    pub fn refused(source: impl Into<String>, diagnostics: &[Diagnostic], sources: &SourceMap) -> Self {
        let of = |severity| diagnostics.iter().filter(move |diagnostic| diagnostic.severity == severity);
        let listed =
            |severity| of(severity).take(LISTED).map(|diagnostic| ShownProblem::new(diagnostic, sources)).collect();
        let beyond = |severity| of(severity).count().saturating_sub(LISTED);
        let left_out = diagnostics::left_out(diagnostics) + beyond(Severity::Error) + beyond(Severity::Warning);
        Self {
            errors: Some(listed(Severity::Error)),
            warnings: listed(Severity::Warning),
            left_out,
            ..Self::empty(source.into())
        }
    }

    #[must_use]
    pub fn with_warnings(self, warnings: &[Diagnostic], sources: &SourceMap) -> Self {
        let left_out = diagnostics::left_out(warnings) + warnings.len().saturating_sub(LISTED);
        let listed = warnings.iter().take(LISTED).map(|warning| ShownProblem::new(warning, sources));
        Self { warnings: listed.collect(), left_out, ..self }
    }

    /// Adds the blocks that a rule set named by the user forbids. Without any, `errors` stays
    /// absent.
    #[must_use]
    pub fn with_forbidden(self, forbidden: &[Diagnostic], sources: &SourceMap) -> Self {
        if forbidden.is_empty() {
            return self;
        }
        let left_out = self.left_out + diagnostics::left_out(forbidden) + forbidden.len().saturating_sub(LISTED);
        let listed = forbidden.iter().take(LISTED).map(|problem| ShownProblem::new(problem, sources));
        Self { errors: Some(listed.collect()), left_out, ..self }
    }

    /// Output if the source could not be read. `place` is line and column, if the reason has them.
    pub fn not_read(source: impl Into<String>, code: Code, message: String, place: Option<(u32, u32)>) -> Self {
        let (line, column) = place.unwrap_or((1, 1));
        let problem = ShownProblem { line, column, code: code.to_string(), message, concerns: Vec::new() };
        Self { errors: Some(vec![problem]), ..Self::empty(source.into()) }
    }

    fn empty(source: String) -> Self {
        Self {
            schema: SCHEMA,
            source,
            target: None,
            read_by: None,
            convention: None,
            errors: None,
            warnings: Vec::new(),
            left_out: 0,
            layouts: None,
            padding: None,
            bindings: None,
            placements: None,
            entry: None,
            unused: Vec::new(),
            account: None,
        }
    }

    #[must_use]
    pub fn with_account(self, account: Account) -> Self {
        Self { account: Some(account), ..self }
    }

    /// The output as one line of JSON, newline included.
    pub fn to_json(&self) -> String {
        let json = serde_json::to_string(self).expect("the keys of these types are strings and no value is a map");
        escape_json(&json).into_owned() + "\n"
    }
}

#[cfg(test)]
mod tests;
