//! The declarations of a text, before rule sets lay them out and conventions bind them.

use std::ops::Range;

use layoutproof_frontend::module::Module;
use layoutproof_frontend::{DeclareOptions, declare};
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::{LayoutOptions, Span};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::sources::SourceMap;

use crate::BindingInvocation;

/// Source text as its author wrote it, and settings that belong to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceText {
    pub text: String,
    /// Macros, as on a command line.
    pub defines: Vec<(String, String)>,
    /// Folders of included files; the author's own first.
    pub include_paths: Vec<String>,
}

/// The declarations of a user's file or of a case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Declarations {
    /// The file's name, or the id of the case.
    pub name: String,
    pub module: Module,
    /// Matrix order and 16-bit types.
    pub options: LayoutOptions,
    /// Binding settings other than target and convention.
    pub invocation: BindingInvocation,
    pub text: SourceText,
    /// What the file includes, in its [`SourceMap::files`].
    pub included: Range<usize>,
    pub is_case: bool,
}

impl Declarations {
    /// Reads a user's declarations.
    ///
    /// # Errors
    /// Every problem of the file. A file that declares nothing and reaches no memory is an error.
    pub fn of_file(
        span: Span,
        options: LayoutOptions,
        declared: &DeclareOptions,
        sources: &mut SourceMap,
    ) -> Result<Self, Vec<Diagnostic>> {
        let found = Self::of_program(span, options, declared, sources)?;
        let Module { blocks, parameters, views, .. } = &found.module;
        if blocks.is_empty() && parameters.is_empty() && views.is_empty() {
            return Err(found.nothing_declared(span));
        }
        Ok(found)
    }

    /// Reads a user's declarations to show them, or to find their bindings. Here a file may consist of entry points
    /// whose only parameters are inputs and outputs.
    ///
    /// # Errors
    /// Every problem of the file. A file with neither parameters nor entry points is an error.
    pub fn of_bound_file(
        span: Span,
        options: LayoutOptions,
        declared: &DeclareOptions,
        sources: &mut SourceMap,
    ) -> Result<Self, Vec<Diagnostic>> {
        let found = Self::of_program(span, options, declared, sources)?;
        let Module { blocks, parameters, views, entry_points, .. } = &found.module;
        if blocks.is_empty() && parameters.is_empty() && views.is_empty() && entry_points.is_empty() {
            return Err(found.nothing_declared(span));
        }
        Ok(found)
    }

    /// Reads a user's program, which may have nothing but entry points.
    ///
    /// # Errors
    /// Every problem of the file.
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

        let file = sources.file(span.file);
        let text = SourceText {
            text: file.text.clone(),
            defines: declared.defines.clone(),
            include_paths: std::iter::once(own_folder(&file.name)).chain(declared.include_paths.clone()).collect(),
        };
        Ok(Self {
            name: file.name.clone(),
            module,
            options,
            invocation: BindingInvocation { entry: declared.entry.clone(), ..BindingInvocation::default() },
            text,
            included: opened..sources.files().len(),
            is_case: false,
        })
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
}

/// Returns the folder of a file, where `#include "..."` looks first. Compilers run in another
/// folder, so the working folder needs a name too.
fn own_folder(name: &str) -> String {
    name.rsplit_once(['/', '\\']).map_or(".", |(folder, _)| folder).to_owned()
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
            let found = Declarations::of_file(span, options, &declared, &mut sources).unwrap();
            assert_eq!(found.options.sixteen_bit, sixteen_bit);
            assert_eq!(found.module.warnings.len(), warnings, "{:?}", found.module.warnings);
        }
    }
}
