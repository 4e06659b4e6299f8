//! A case or a user's file with parsed declarations.

use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::{LayoutOptions, Span};

use crate::case::{BindExpectation, By, Case, Expectation, ExpectedDiagnostic};
use layoutproof_bindings::BindingInvocation;
use layoutproof_frontend::module::Module;
use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_probes::reserved::Reserved;
use layoutproof_readers::toolchain::SourceText;
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
    ///
    /// Every problem of the file. A file that declares nothing and reaches no memory is an error.
    pub fn of_file(
        span: Span,
        options: LayoutOptions,
        declared: &DeclareOptions,
        sources: &mut SourceMap,
    ) -> Result<Self, Vec<Diagnostic>> {
        let source = Self::of_program(span, options, declared, sources)?;

        let Module { blocks, parameters, views, .. } = &source.module;
        if blocks.is_empty() && parameters.is_empty() && views.is_empty() {
            return Err(source.nothing_declared(span));
        }
        Ok(source)
    }

    /// Reads a user's declarations to find their bindings. Here a file may consist of entry points
    /// whose only parameters are inputs and outputs.
    pub fn of_bound_file(
        span: Span,
        options: LayoutOptions,
        declared: &DeclareOptions,
        sources: &mut SourceMap,
    ) -> Result<Self, Vec<Diagnostic>> {
        let source = Self::of_program(span, options, declared, sources)?;
        let Module { blocks, parameters, entry_points, .. } = &source.module;
        if blocks.is_empty() && parameters.is_empty() && entry_points.is_empty() {
            return Err(source.nothing_declared(span));
        }
        Ok(source)
    }

    fn nothing_declared(self, span: Span) -> Vec<Diagnostic> {
        let message = "this declares no shader parameter, so there is nothing to lay out";
        let start = Span { end: span.start, ..span };
        let help = if self.module.entry_points.is_empty() {
            "a struct is laid out where a cbuffer, a ConstantBuffer<T> or another buffer holds it"
        } else {
            "`layoutproof show FILE --target vulkan` lists the locations of its inputs and outputs"
        };
        let problem = Diagnostic::error(Code::NothingDeclared, start, message).with_help(help);
        self.module.warnings.into_iter().chain([problem]).collect()
    }

    /// Reads a user's program, which may have nothing but entry points.
    pub fn of_program(
        span: Span,
        options: LayoutOptions,
        declared: &DeclareOptions,
        sources: &mut SourceMap,
    ) -> Result<Self, Vec<Diagnostic>> {
        let opened = sources.files().len();
        let mut module = declare(sources, span, declared)?;
        let is_slang = declared.is_slang(&sources.file(span.file).name);
        let options = if is_slang && options.sixteen_bit == SixteenBit::Off {
            let start = Span { end: span.start, ..span };
            let message = "16-bit types cannot be off: `half` has 2 bytes in Slang";
            module.warnings.push(Diagnostic::warning(Code::Ignored, start, message));
            LayoutOptions { sixteen_bit: SixteenBit::On, ..options }
        } else {
            options
        };
        let invocation = BindingInvocation { entry: declared.entry.clone(), ..BindingInvocation::default() };

        let file = sources.file(span.file);
        let text = SourceText {
            text: file.text.clone(),
            defines: declared.defines.clone(),
            include_paths: std::iter::once(own_folder(&file.name)).chain(declared.include_paths.clone()).collect(),
        };
        // The file itself and its includes.
        let read = sources.files()[opened..].iter().chain([file]).map(|file| file.text.as_str());
        let defines = declared.defines.iter().map(|(name, value)| format!("#define {name} {value}"));
        let defines: Vec<String> = defines.collect();
        let texts: Vec<&str> = read.chain(defines.iter().map(String::as_str)).collect();
        let reserved = Reserved::free_in(&texts, &module);
        let included = digest_of(&sources.files()[opened..]);
        Ok(Self { module, options, invocation, text: Some(text), included, reserved, ..Self::of_module(&file.name) })
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
            ..DeclareOptions::default()
        };
        let ours: Vec<&ExpectedDiagnostic> =
            case.rejects.iter().filter(|reject| reject.by == By::Layoutproof).collect();
        let module = match declare(sources, case.declare, &options) {
            Ok(module) => module,
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

/// Returns the folder of a file, where `#include "..."` looks first. Compilers run in another
/// folder, so the working folder needs a name too.
fn own_folder(name: &str) -> String {
    name.rsplit_once(['/', '\\']).map_or(".", |(folder, _)| folder).to_owned()
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

#[cfg(test)]
mod tests {
    use super::*;
    use layoutproof_source::shader_language::ShaderLanguage;

    /// slangc 2026.14.1 has no switch like `-enable-16bit-types`: `half` is `f16` in its WGSL, `half` in its HLSL and Metal.
    #[test]
    fn half_of_slang_has_two_bytes() {
        let text = "struct S { half a; half b; }; ConstantBuffer<S> s;";
        for (language, sixteen_bit, warnings) in
            [(ShaderLanguage::Slang, SixteenBit::On, 1), (ShaderLanguage::Hlsl, SixteenBit::Off, 0)]
        {
            let mut sources = SourceMap::default();
            let file = sources.add("a", text);
            let span = Span { file, start: 0, end: u32::try_from(text.len()).unwrap() };
            let options = LayoutOptions { sixteen_bit: SixteenBit::Off, ..LayoutOptions::default() };
            let declared = DeclareOptions { language: Some(language), ..DeclareOptions::default() };
            let source = Source::of_file(span, options, &declared, &mut sources).unwrap();
            assert_eq!(source.options.sixteen_bit, sixteen_bit);
            assert_eq!(source.module.warnings.len(), warnings, "{:?}", source.module.warnings);
        }
    }
}
