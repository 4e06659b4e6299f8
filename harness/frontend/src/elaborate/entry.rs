//! Finds entry points, their parameters and their uniform data.
//!
//! Source: Slang user guide, Parameter Layout Rules. Parameters of a compute entry point without a
//! semantic count as uniform, as Slang 2026.14.1 reports in its warning E38040.

use std::collections::BTreeMap;
use std::sync::Arc;

use layoutproof_layout::shape::{StructType, Type};
use layoutproof_layout::{Annotations, Argument, Attribute, Span};

use super::lookup::{GenericBinding, GenericValue, LookupContext};
use super::resolve::order;
use super::scope::ScopeId;
use super::{Elaborator, NamedType};
use crate::ast::{
    AttributeSyntax, FunctionDeclaration, FunctionParameter, GenericParameter, PlacementSyntax, TypeExpression,
    TypeKind,
};
use crate::module::{EntryParameter, EntryPoint, ParameterKind, StageWrapper};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::nearest_name::known_names;

#[derive(Clone, Copy, Debug)]
pub(super) struct ScopedFunction<'t> {
    pub(super) declaration: &'t FunctionDeclaration<'t>,
    pub(super) scope: ScopeId,
}

impl<'t> Elaborator<'t> {
    pub(super) fn entry_points(&mut self, functions: &[ScopedFunction<'t>], whole: Span) {
        let chosen: Vec<ScopedFunction<'t>> = match self.entry {
            Some(name) => functions.iter().copied().filter(|function| function.declaration.name.text == name).collect(),
            None => default_entries(functions, self.is_slang),
        };
        match (self.entry, chosen.as_slice()) {
            (Some(name), []) => {
                let known = functions.iter().map(|function| function.declaration.name.text);
                let message = format!("no function is named `{name}`{}", known_names(name, known, ""));
                self.problems.report(Diagnostic::error(Code::UnknownPath, whole, message));
            }
            // Among overloads, the user means the one with a stage.
            (Some(_), [first, ..]) => {
                let with_stage = chosen.iter().find(|function| has_stage(function.declaration, self.is_slang));
                self.entry_point(*with_stage.unwrap_or(first));
            }
            (None, _) => {
                for entry in chosen {
                    if entry.declaration.prefix.generics.is_none() || self.is_slang {
                        self.entry_point(entry);
                    } else {
                        self.skip_generic(entry.declaration);
                    }
                }
            }
        }
    }

    /// A generic function is an entry point only for given arguments, which HLSL cannot choose.
    fn skip_generic(&mut self, function: &FunctionDeclaration<'t>) {
        let name = function.name.text;
        let message = format!("skipped: `{name}` is an entry point only once its generic arguments are chosen");
        self.problems.report(Diagnostic::warning(Code::Skipped, function.name.span, message));
    }

    /// Returns the context inside a generic entry point, with an open type for each type parameter.
    /// Also returns the names of its generic parameters, in the form in which slangc 2026.14.1
    /// lists them.
    fn open_parameters(&mut self, generics: &[GenericParameter<'t>], scope: ScopeId) -> (LookupContext, Vec<String>) {
        let inner = self.symbols.generic_scope(scope);
        let listed = generics.iter().filter(|parameter| !parameter.is_pack);
        let types = listed.clone().filter(|parameter| !parameter.is_value);
        let open = types.map(|parameter| {
            let (name, span) = (parameter.name.text.to_owned(), parameter.name.span);
            let ty = StructType { name: name.clone(), base: None, members: Vec::new(), span, is_open: true };
            GenericBinding { scope: inner, name, value: GenericValue::Type(Type::Struct(Arc::new(ty))) }
        });
        let context = LookupContext::new(inner, open.collect());
        let named = listed.map(|parameter| parameter.name.text.to_owned());
        (context, named.collect())
    }

    fn entry_point(&mut self, entry: ScopedFunction<'t>) {
        let ScopedFunction { declaration: function, scope } = entry;
        let (context, generics) = match &function.prefix.generics {
            Some(generics) => {
                let message = format!(
                    "`{}` is generic: what depends on its arguments consumes nothing here, as in slangc's reflection",
                    function.name.text
                );
                self.problems.report(Diagnostic::warning(Code::UncertainLayout, function.name.span, message));
                self.open_parameters(generics, scope)
            }
            None => (LookupContext::plain(scope), Vec::new()),
        };
        let annotations = self.annotations(&function.prefix, &PlacementSyntax::default(), &context);
        let parameters = match &function.parameters {
            Ok(parameters) => parameters.as_slice(),
            Err(problem) => return self.problems.report(problem.clone()),
        };
        let lacks_varyings = lacks_varyings(&annotations);
        let parameters: Vec<EntryParameter> = parameters
            .iter()
            .filter_map(|parameter| self.entry_parameter(parameter, lacks_varyings, &context))
            .collect();
        let result = function.result.as_ref().filter(|ty| !is_void(ty));
        let result = result.and_then(|ty| self.resolve(ty, order(&function.prefix), &context));

        self.module.entry_points.push(EntryPoint {
            name: self.symbols.qualified(scope, function.name.text),
            annotations,
            generics,
            parameters,
            result,
            result_semantic: function.result_semantic.map(str::to_owned),
            span: function.name.span,
        });
    }

    fn entry_parameter(
        &mut self,
        parameter: &FunctionParameter<'t>,
        lacks_varyings: bool,
        context: &LookupContext,
    ) -> Option<EntryParameter> {
        let FunctionParameter { prefix, ty, declarator, tokens } = parameter;
        let found = self.declared(ty, order(prefix), declarator, context);
        let mut annotations = self.annotations(prefix, &declarator.placement, context);
        if let Some(packoffset) = annotations.packoffset {
            self.packoffset_outside(packoffset.span);
        }

        let (ty, name, span) = (found?, declarator.name.text.to_owned(), declarator.name.span);
        self.refuse_empty(&ty, span)?;
        self.check_registers(&ty, ParameterKind::Variable, &annotations);
        let wrapper = self.stage_wrapper(&parameter.ty, &annotations, context);
        let is_plain = wrapper == StageWrapper::None;
        if lacks_varyings && is_plain && self.is_implicitly_uniform(&ty, &annotations) {
            let message = format!("`{name}` has no semantic and counts as uniform, as in Slang");
            self.problems.report(Diagnostic::warning(Code::ImplicitUniform, span, message));
            annotations.modifiers.push("uniform".to_owned());
        } else if self.is_slang && is_plain && matches!(ty.dimensions().0, Type::Pointer { .. }) {
            // slangc 2026.14.1 passes no address between stages, regardless of the semantic.
            annotations.modifiers.push("uniform".to_owned());
        }

        self.warn_of_push_constant(&name, &annotations);
        let text = self.source.text(tokens.clone());
        Some(EntryParameter { name, ty, wrapper, annotations, text, span })
    }

    /// Returns the wrapper that `ty` names, unless the source declares a type with that name.
    fn stage_wrapper(
        &mut self,
        ty: &TypeExpression<'t>,
        annotations: &Annotations,
        context: &LookupContext,
    ) -> StageWrapper {
        // `out vertices V v[64]` is HLSL's spelling of `OutputVertices<V, 64> v`.
        let has = |word: &str| annotations.modifiers.iter().any(|modifier| modifier == word);
        if has("vertices") || has("primitives") {
            return StageWrapper::MeshOutput;
        }
        if has("indices") {
            return StageWrapper::MeshIndices;
        }

        let TypeKind::Path(path) = &ty.kind else { return StageWrapper::None };
        let [part] = path.parts.as_slice() else { return StageWrapper::None };
        let wrapper = match part.name.text {
            "PointStream" | "LineStream" | "TriangleStream" => StageWrapper::Stream,
            "InputPatch" | "OutputPatch" => StageWrapper::Patch,
            "OutputVertices" | "OutputPrimitives" => StageWrapper::MeshOutput,
            "OutputIndices" => StageWrapper::MeshIndices,
            _ => return StageWrapper::None,
        };
        if self.find_type(path, context).is_none() { wrapper } else { StageWrapper::None }
    }

    /// Warns of `[[vk::push_constant]]` on an entry-point parameter. slangc 2026.14.1 binds such a
    /// parameter as if the attribute were missing (its warning E38010), but lays out its bytes as
    /// for a push constant.
    fn warn_of_push_constant(&mut self, name: &str, annotations: &Annotations) {
        let is_push_constant = |attribute: &&Attribute| attribute.name == "push_constant";
        let attribute = annotations.attributes.iter().find(is_push_constant).filter(|_| self.is_slang);
        if let Some(attribute) = attribute {
            let message =
                format!("`{name}` is an entry-point parameter: slangc binds it to a descriptor despite the attribute");
            let help =
                "for a push constant, declare it as a global; plain `uniform` data becomes one without the attribute";
            self.problems.report(Diagnostic::warning(Code::Ignored, attribute.span, message).with_help(help));
        }
    }

    fn is_implicitly_uniform(&self, ty: &Type, annotations: &Annotations) -> bool {
        let written = |word: &&str| annotations.modifiers.iter().any(|modifier| modifier == word);
        // slangc makes a parameter uniform regardless of its direction.
        let directions = ["in", "out", "inout"];
        let is_varying = ["uniform", "groupshared", "payload"].iter().any(written)
            || (!self.is_slang && directions.iter().any(written));
        let is_ordinary =
            (self.measure(ty).data || is_open(ty)) && !matches!(ty, Type::Resource(_) | Type::Handle { .. });
        is_ordinary && !is_varying && annotations.semantic.is_none() && !has_semantics(ty)
    }

    /// Resolves the pointee of every pointer, by spelling. Structs are elaborated only now, when none is in progress.
    pub(super) fn finish_pointees(&mut self, span: Span) -> BTreeMap<String, Type> {
        let mut finished = BTreeMap::new();
        // A pointee's members may point to structs that nothing pointed to before.
        while let Some((name, named)) = self.pointees.pop_first() {
            if finished.contains_key(&name) {
                continue;
            }
            let place = match &named {
                NamedType::Struct(specialisation) => self.symbols.ty(specialisation.id).span,
                NamedType::Type(_) => span,
            };
            if let Some(ty) = self.complete(named, place) {
                finished.insert(name, ty);
            }
        }

        finished
    }
}

/// Returns the functions with a stage, or else the function `main`.
fn default_entries<'t>(functions: &[ScopedFunction<'t>], is_slang: bool) -> Vec<ScopedFunction<'t>> {
    let staged: Vec<ScopedFunction<'t>> =
        functions.iter().copied().filter(|function| has_stage(function.declaration, is_slang)).collect();
    if !staged.is_empty() {
        return staged;
    }
    let main = functions
        .iter()
        .find(|function| function.declaration.name.text == "main" && function.declaration.body.is_some());
    main.copied().into_iter().collect()
}

/// Returns true if an attribute makes a function an entry point. Patch constant functions count only in Slang.
fn has_stage(function: &FunctionDeclaration<'_>, is_slang: bool) -> bool {
    let stages: &[&str] =
        if is_slang { &["shader", "numthreads", "patchconstantfunc"] } else { &["shader", "numthreads"] };
    let names_stage = |attribute: &AttributeSyntax<'_>| stages.iter().any(|name| attribute.is(name, is_slang));
    function.body.is_some() && function.prefix.attributes.iter().any(names_stage)
}

/// Returns true for the stages whose parameters without a semantic are uniform (Slang 2026.14.1).
fn lacks_varyings(annotations: &Annotations) -> bool {
    let stage = annotations.attribute(None, "shader").and_then(|attribute| attribute.arguments.first());
    match stage {
        Some(Argument::Text(stage)) => {
            matches!(stage.as_str(), "compute" | "amplification" | "raygeneration" | "raygen" | "intersection")
        }
        Some(Argument::Integer(_) | Argument::Other(_)) | None => {
            annotations.attribute(None, "numthreads").is_some()
                && annotations.attribute(None, "outputtopology").is_none()
        }
    }
}

fn is_void(ty: &TypeExpression<'_>) -> bool {
    matches!(&ty.kind, TypeKind::Path(path) if path.parts.len() == 1 && path.parts[0].name.text == "void")
}

/// Returns true if nothing is known about the type itself.
fn is_open(ty: &Type) -> bool {
    matches!(ty.dimensions().0, Type::Struct(ty) if ty.is_open)
}

fn has_semantics(ty: &Type) -> bool {
    match ty.dimensions().0 {
        Type::Struct(ty) => {
            ty.members.iter().any(|member| member.annotations.semantic.is_some() || has_semantics(&member.ty))
        }
        _ => false,
    }
}
