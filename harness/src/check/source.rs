//! A case or a user's file with parsed declarations.

use layoutproof_layout::{Block, LayoutOptions, PointerPlace, Span};

use crate::case::{BindExpectation, By, Case, Expectation, ExpectedDiagnostic};
use layoutproof_bindings::{BindingInvocation, Declarations, SourceText};
use layoutproof_frontend::module::Module;
use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_probes::reserved::Reserved;
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::sources::{LinePlace, SourceFile, SourceMap};
use sha2::{Digest, Sha256};

/// Errors that a case may expect as warnings, because some compiler accepts what the documents
/// forbid. DXC before 1.8.2405 lets arrays, structs and matrices begin at any component.
const TAKEN_BY_COMPILERS: [Code; 1] = [Code::PackoffsetComponent];

/// Declarations to check, before any rule set lays them out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Source {
    /// The case id, or the file's name.
    pub id: String,
    /// The case's claim; empty for a file.
    pub summary: String,
    /// The file, and for a case the line of its declarations.
    pub place: LinePlace,
    pub module: Module,
    /// Matrix order and 16-bit types.
    pub options: LayoutOptions,
    /// True if the user does not say how large types of 16 bits are, so that `options` are an assumption.
    pub assumes_sixteen_bit: bool,
    /// The numbers that the case expects; empty for a file.
    pub expect: Vec<Expectation>,
    /// Places where the case claims that a compiler's code reads, if the compiler's listing gives
    /// another place; empty for a file.
    pub accessed: Vec<Expectation>,
    /// The bindings that the case expects for parameters; empty for a file.
    pub bind: Vec<BindExpectation>,
    /// Binding settings other than target and convention.
    pub invocation: BindingInvocation,
    /// Refusals by rule sets, conventions and compilers that the case expects.
    pub rejects: Vec<ExpectedDiagnostic>,
    /// Warnings by rule sets, conventions and compilers that the case expects.
    pub warns: Vec<ExpectedDiagnostic>,
    /// The declarations as the author wrote them; `None` for a module with fixed layouts.
    pub text: Option<SourceText>,
    /// SHA-256 of the texts that a user's file includes; `None` if it includes nothing.
    pub included: Option<String>,
    /// The names and numbers that the text leaves free for probes.
    pub reserved: Reserved,
    /// True for a case, false for a user's file.
    pub is_case: bool,
}

impl Source {
    /// Reads a user's declarations.
    ///
    /// # Errors
    /// See [`Declarations::of_file`].
    pub fn of_file(
        span: Span,
        options: LayoutOptions,
        declared: &DeclareOptions,
        sources: &mut SourceMap,
    ) -> Result<Self, Vec<Diagnostic>> {
        Declarations::of_file(span, options, declared, sources).map(|found| Self::of_declarations(found, sources))
    }

    /// Makes the source of a user's declarations, which were read into `sources`, or of a case's without its claims.
    pub fn of_declarations(declared: Declarations, sources: &SourceMap) -> Self {
        let Declarations { name, module, options, invocation, text, included, is_case } = declared;
        let included = &sources.files()[included];
        let texts = included.iter().map(|file| file.text.as_str()).chain([text.text.as_str()]);
        let defines: Vec<String> = text.defines.iter().map(|(name, value)| format!("#define {name} {value}")).collect();
        let texts: Vec<&str> = texts.chain(defines.iter().map(String::as_str)).collect();
        let reserved = Reserved::free_in(&texts, &module);
        let included = digest_of(included);
        let text = Some(text);
        Self { module, options, invocation, text, included, reserved, is_case, ..Self::of_module(&name) }
    }

    /// The declarations, without the claims of a case.
    pub fn into_declarations(self) -> Declarations {
        let Self { id, module, options, invocation, text, is_case, .. } = self;
        Declarations { name: id, module, options, invocation, text: text.unwrap_or_default(), included: 0..0, is_case }
    }

    /// Makes a source for a module that fixes its own layouts. It has the file's name, and we parse
    /// none of its declarations.
    pub fn of_module(name: &str) -> Self {
        Self { id: name.to_owned(), place: LinePlace::of_file(name), ..Self::default() }
    }

    /// Reads a case's declarations. Returns `None` for a case whose declarations our parser must
    /// refuse, once it refuses them for the stated reason.
    ///
    /// # Errors
    ///
    /// Problems that the case does not expect, and expected refusals that are missing.
    pub fn of_case(case: &Case, sources: &mut SourceMap) -> Result<Option<Self>, Vec<Diagnostic>> {
        let warnings = || case.warns.iter().filter(|warn| warn.by == By::Layoutproof);
        let is_warned = |code: &Code| warnings().any(|warn| warn.code.as_deref() == Some(code.as_str()));
        let options = DeclareOptions {
            entry: case.invocation.entry.clone(),
            defines: case.defines.clone(),
            taken: TAKEN_BY_COMPILERS.into_iter().filter(is_warned).collect(),
            views: !case.expect.is_empty(),
            ..DeclareOptions::default()
        };
        let ours: Vec<&ExpectedDiagnostic> =
            case.rejects.iter().filter(|reject| reject.by == By::Layoutproof).collect();
        let module = match declare(sources, case.declare, &options) {
            Ok(mut module) => {
                let is_asked = |block: &Block| match block.pointer() {
                    Some(pointer) => {
                        pointer.is_buffer_pointer || matches!(pointer.place, PointerPlace::Parameter { .. })
                    }
                    None => !block.reach.is_in_code(),
                };
                module.blocks.retain(|block| is_asked(block) || case.expects_of(block));
                module
            }
            Err(found) => return unexpected(case, &ours, &found, sources).map(|()| None),
        };

        let is_silent =
            |warn: &&ExpectedDiagnostic| !module.warnings.iter().any(|given| matches(case, warn, given, sources));
        let missing = ours.into_iter().chain(warnings().filter(is_silent));
        let missing: Vec<_> = missing.map(|expected| not_given(case, expected)).collect();
        if missing.is_empty() { Ok(Some(Self::declared(case, module, sources))) } else { Err(missing) }
    }

    /// Makes the source of a case whose claim is that compilers refuse it. We do not parse its
    /// declarations.
    pub fn unread(case: &Case, sources: &SourceMap) -> Self {
        Self::declared(case, Module::default(), sources)
    }

    fn declared(case: &Case, module: Module, sources: &SourceMap) -> Self {
        let line = sources.position(case.declare).line;
        let text = sources.text(case.declare);
        let reserved = Reserved::free_in(&[text], &module);
        Self {
            id: case.id.clone(),
            summary: case.summary.clone(),
            place: LinePlace { file: sources.file(case.file).name.clone(), line: Some(line) },
            module,
            options: case.options,
            assumes_sixteen_bit: false,
            expect: case.expect.clone(),
            accessed: case.accessed.clone(),
            bind: case.bind.clone(),
            invocation: case.invocation.clone(),
            rejects: by_others(&case.rejects),
            warns: by_others(&case.warns),
            text: Some(SourceText { text: text.to_owned(), defines: case.defines.clone(), include_paths: Vec::new() }),
            included: None,
            reserved,
            is_case: true,
        }
    }
}

/// SHA-256 of texts; `None` for no texts.
fn digest_of(files: &[SourceFile]) -> Option<String> {
    let mut digest = Sha256::new();
    for file in files {
        digest.update([file.text.as_bytes(), &[0xFF]].concat());
    }
    (!files.is_empty()).then(|| format!("{:x}", digest.finalize()))
}

/// Keeps the diagnostics that rule sets, conventions and compilers must give, and drops those of
/// our own parser.
fn by_others(all: &[ExpectedDiagnostic]) -> Vec<ExpectedDiagnostic> {
    let by_others = |given: &&ExpectedDiagnostic| match given.by {
        By::Rules(_) | By::Convention { .. } | By::Compiler(_) => true,
        By::Layoutproof => false,
    };
    all.iter().filter(by_others).cloned().collect()
}

/// Compares the refusals with the ones that the case expects, and returns unexpected and missing
/// ones.
fn unexpected(
    case: &Case,
    expected: &[&ExpectedDiagnostic],
    found: &[Diagnostic],
    sources: &SourceMap,
) -> Result<(), Vec<Diagnostic>> {
    let surprise = found.iter().filter(|given| !expected.iter().any(|reject| matches(case, reject, given, sources)));
    let absent = expected.iter().filter(|reject| !found.iter().any(|given| matches(case, reject, given, sources)));
    let problems: Vec<_> = surprise.cloned().chain(absent.map(|reject| not_given(case, reject))).collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

fn matches(case: &Case, expected: &ExpectedDiagnostic, given: &Diagnostic, sources: &SourceMap) -> bool {
    let first = sources.position(case.declare).line;
    let line = sources.position(given.span()).line + 1 - first;
    expected.line.is_none_or(|wanted| wanted == line) && expected.matches(Some(given.code), &given.message)
}

fn not_given(case: &Case, expected: &ExpectedDiagnostic) -> Diagnostic {
    let what = expected.code.as_deref().or(expected.message.as_deref()).unwrap_or("a diagnostic");
    let line = expected.line.map(|line| format!(" on line {line} of the declaration")).unwrap_or_default();
    let message = format!("case {} expects `{what}`{line}, but it is not given", case.id);
    Diagnostic::error(Code::BadCase, expected.span, message)
}
