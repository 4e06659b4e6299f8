//! Resolves the types, constants and attributes of a WGSL module.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{Count, Member, StructType, Type};
use layoutproof_layout::{Annotations, Span, join};
use layoutproof_source::diagnostics::{Code, Diagnostic};

use crate::constant::{Callee, Conversion, Evaluator, Names, NoValue, ScalarValue, Value, convert, integer};
use crate::parser::{Parser, tokens_of};
use crate::syntax::{
    AttributeSyntax, Declaration, DeclarationKind, Expression, ExpressionKind, MemberSyntax, ResultSyntax, Syntax,
};
use crate::tokens::{Token, TokenKind};
use crate::usage::{is_entry, names_in};
use crate::words::RESERVED;
use crate::{WgslBinding, WgslDirection, WgslModule, WgslOverride, WgslSpace, WgslVariable, WgslVarying, WgslView};

/// Deepest nesting of structs, arrays and aliases, as for SPIR-V.
const DEEPEST: usize = 64;

const MOST_PROBLEMS: usize = 100;

/// The extension for 16-bit floats.
const F16: &str = "f16";

/// The text of a place.
pub(super) type Written<'t> = &'t (dyn Fn(Span) -> &'t str + 't);

/// Resolves the declarations of a module.
pub(super) fn elaborate<'a>(
    syntax: &Syntax<'a>,
    tokens: &[Token<'a>],
    written: Written<'_>,
) -> Result<WgslModule, Vec<Diagnostic>> {
    let mut elaborator = Elaborator {
        declarations: BTreeMap::new(),
        structs: BTreeMap::new(),
        constants: BTreeMap::new(),
        open: Vec::new(),
        problems: Vec::new(),
        warnings: Vec::new(),
        has_f16: syntax.enabled.contains(&F16),
        depth: 0,
        atomic_members: BTreeSet::new(),
    };
    for declaration in &syntax.declarations {
        if elaborator.declarations.insert(declaration.name, declaration).is_some() {
            elaborator.report(declaration.span, format!("`{}` is declared twice", declaration.name));
        }
        elaborator.local_names(declaration, tokens);
    }
    elaborator.forbidden_words(tokens);
    // In this order most constants name only known ones.
    for declaration in &syntax.declarations {
        if let DeclarationKind::Const { .. } = declaration.kind {
            let _ = elaborator.constant(declaration.name, declaration.span, 0);
        }
    }
    for assert in &syntax.asserts {
        let value = Evaluator { names: &mut elaborator, depth: 0 }.value(assert);
        if value == Ok(Value::Scalar(ScalarValue::Bool(false))) {
            elaborator.report(assert.span, "this assertion is false".to_owned());
        }
    }

    let has_standard_uniforms = syntax.required.contains(&"uniform_buffer_standard_layout");
    let mut module = WgslModule { has_standard_uniforms, ..WgslModule::default() };
    for declaration in &syntax.declarations {
        let Declaration { name, span, attributes, kind } = declaration;
        match kind {
            DeclarationKind::Struct(_) => {
                elaborator.structure(name);
            }
            DeclarationKind::Override => {
                let id = AttributeSyntax::find(attributes, "id").and_then(|id| elaborator.attribute_value(id));
                module.overrides.push(WgslOverride { name: (*name).to_owned(), id, span: *span });
            }
            // After all structs, whose problems are reported.
            DeclarationKind::Variable { space, .. } if space.first() == Some(&"workgroup") => {}
            DeclarationKind::Variable { space, ty, span } => {
                module.variables.extend(elaborator.variable(declaration, space, ty.as_ref(), *span, written));
            }
            DeclarationKind::Alias(_) | DeclarationKind::Const { .. } | DeclarationKind::Function { .. } => {}
        }
    }
    for declaration in &syntax.declarations {
        module.shared.extend(elaborator.workgroup_variable(declaration, written));
        if let DeclarationKind::Function { parameters, result, body } = &declaration.kind {
            let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
            elaborator.views(tokens_of(tokens, body), &names, written, &mut module.views);
            if is_entry(&declaration.attributes) {
                module.varyings.extend(elaborator.varyings(declaration.name, parameters, result.as_ref()));
            }
        }
    }
    module.atomic_members = elaborator.atomic_members;
    module.warnings = elaborator.warnings;
    let mut problems = elaborator.problems;
    if problems.is_empty() {
        return Ok(module);
    }
    problems.sort_by_key(|problem| problem.span().start);
    Err(problems)
}

/// What a type is, as far as hosts see it.
#[derive(Clone, Debug)]
enum Resolved {
    Data(Data),
    /// A texture, sampler or acceleration structure.
    Handle,
    /// `buffer`, or `buffer<N>` with its size in bytes: memory without a type.
    Buffer(Option<u32>),
    BindingArray {
        element: Box<Resolved>,
        count: Count,
    },
}

#[derive(Clone, Debug)]
struct Data {
    ty: Type,
    /// True for an atomic, or an array of atomics.
    is_atomic: bool,
    /// Levels of structs and arrays.
    depth: usize,
    has_array: bool,
    /// A `bool` in it, with its path: bools are not shared with a host.
    bool_at: Option<(String, Span)>,
}

impl Data {
    fn plain(ty: Type) -> Self {
        Self { ty, is_atomic: false, depth: 0, has_array: false, bool_at: None }
    }
}

#[derive(Clone, Debug)]
enum State<T> {
    /// Being resolved.
    Open,
    Done(T),
}

struct Elaborator<'s, 'a> {
    declarations: BTreeMap<&'a str, &'s Declaration<'a>>,
    /// `None` for a struct with a problem that is reported.
    structs: BTreeMap<&'a str, State<Option<Data>>>,
    constants: BTreeMap<&'a str, State<Result<Value, NoValue>>>,
    /// Aliases that are being resolved.
    open: Vec<&'a str>,
    problems: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    has_f16: bool,
    /// Types around the one that is being resolved.
    depth: usize,
    atomic_members: BTreeSet<(String, String)>,
}

/// Where an input or output is declared.
#[derive(Clone, Copy, Debug)]
struct VaryingPlace<'a> {
    entry: &'a str,
    direction: WgslDirection,
    span: Span,
}

impl<'s, 'a> Elaborator<'s, 'a> {
    fn report(&mut self, span: Span, message: String) {
        self.push(Diagnostic::error(Code::BadModule, span, message));
    }

    /// Reports a problem of something that then has no value.
    fn refuse<T>(&mut self, span: Span, message: String) -> Option<T> {
        self.report(span, message);
        None
    }

    fn push(&mut self, problem: Diagnostic) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(problem);
        }
    }

    /// Reports names that a function declares twice in one block. Its parameters are names of its body.
    ///
    /// Source: WGSL, 5.3 Declaration and Scope.
    fn local_names(&mut self, declaration: &Declaration<'a>, tokens: &[Token<'a>]) {
        let DeclarationKind::Function { parameters, body, .. } = &declaration.kind else { return };
        let mut names: Vec<&str> = Vec::new();
        for MemberSyntax { name, span, .. } in parameters {
            if names.contains(name) {
                self.report(*span, format!("`{}` has two parameters `{name}`", declaration.name));
            }
            names.push(name);
        }
        let body = tokens_of(tokens, body);
        for index in names_in(body, &names).redeclared {
            self.report(body[index].span, format!("`{}` is declared twice in this block", body[index].text));
        }
    }

    /// Reports words that name nothing in WGSL, each once. An attribute of a compiler may have one.
    ///
    /// Source: WGSL, 3.7 Identifiers.
    fn forbidden_words(&mut self, tokens: &[Token<'a>]) {
        let mut reported: BTreeSet<&str> = BTreeSet::new();
        let mut is_attribute = false;
        for token in tokens {
            let text = token.text;
            let is_word = token.kind == TokenKind::Word && !is_attribute;
            is_attribute = token.is_sign('@');
            if !is_word || !(RESERVED.contains(&text) || text.starts_with("__")) || !reported.insert(text) {
                continue;
            }
            let message = match text.strip_prefix("__") {
                Some(_) => format!("`{text}` begins with two underscores, which WGSL does not allow"),
                None => format!("`{text}` is a reserved word of WGSL, and names nothing"),
            };
            self.report(token.span, message);
        }
    }

    /// A struct or an array in the memory of a workgroup; `None` also for one whose type has no size here, for example because
    /// a pipeline sets a length. Only compilers report its problems.
    fn workgroup_variable(&mut self, declaration: &Declaration<'a>, written: Written<'_>) -> Option<WgslVariable> {
        let DeclarationKind::Variable { space, ty, span } = &declaration.kind else { return None };
        if space.first() != Some(&"workgroup") {
            return None;
        }
        let known = self.problems.len();
        let found = self.variable(declaration, space, ty.as_ref(), *span, written);
        self.problems.truncate(known);
        found.filter(|variable| matches!(variable.data, Some(Type::Struct(_) | Type::Array { .. })))
    }

    /// The variable, if it has an address space with a layout. Its own problems are reported.
    fn variable(
        &mut self,
        declaration: &Declaration<'a>,
        space: &[&'a str],
        ty: Option<&Expression<'a>>,
        span: Span,
        written: Written<'_>,
    ) -> Option<WgslVariable> {
        let Declaration { name, attributes, .. } = declaration;
        let space = match space.first() {
            None => WgslSpace::Handle,
            Some(&"uniform") => WgslSpace::Uniform,
            Some(&"storage") => WgslSpace::Storage,
            Some(&("immediate" | "push_constant")) => WgslSpace::Immediate,
            Some(&"workgroup") => WgslSpace::Workgroup,
            Some(_) => return None,
        };
        let Some(ty) = ty else {
            return self.refuse(span, format!("`{name}` has no type"));
        };
        let number = |elaborator: &mut Self, attribute| {
            AttributeSyntax::find(attributes, attribute).and_then(|found| elaborator.attribute_value(found))
        };
        let (group, binding) = (number(self, "group"), number(self, "binding"));
        let resolved = self.resolve(ty)?;
        let (resolved, count) = match resolved {
            Resolved::BindingArray { element, count } => (*element, count),
            other => (other, Count::Finite(1)),
        };
        let data = match (space, resolved) {
            (WgslSpace::Handle, Resolved::Handle) | (WgslSpace::Uniform | WgslSpace::Storage, Resolved::Buffer(_)) => {
                None
            }
            (WgslSpace::Handle, _) => {
                return self.refuse(span, format!("`{name}` has data and no address space, such as `var<uniform>`"));
            }
            (_, Resolved::Data(data)) => Some(data),
            (WgslSpace::Immediate, Resolved::Buffer(_)) => {
                return self.refuse(ty.span, format!("`{name}` is a buffer, which WGSL does not allow in immediates"));
            }
            (WgslSpace::Workgroup, Resolved::Buffer(_)) => None,
            (_, Resolved::Handle | Resolved::BindingArray { .. }) => {
                let message =
                    format!("`{name}` is a texture or sampler: declare it with `var`, without an address space");
                return self.refuse(ty.span, message);
            }
        };
        let bool_at = data.as_ref().and_then(|data| data.bool_at.clone());
        if let Some((path, place)) = bool_at.filter(|_| space != WgslSpace::Workgroup) {
            let path = join(name, &path);
            let message = format!("`{path}` is a bool, which WGSL does not share with a host");
            let problem = Diagnostic::error(Code::BadModule, place, message);
            self.push(problem.with_help("use a `u32`; its value is up to you"));
            return None;
        }
        if space == WgslSpace::Immediate && data.as_ref().is_some_and(|data| data.has_array) {
            let message = format!("`{name}` holds an array, which WGSL does not allow in immediates");
            let help = "naga accepts it, with the layout of storage buffers; Tint refuses it";
            self.warnings.push(Diagnostic::warning(Code::CompilerLimit, span, message).with_help(help));
        }
        Some(WgslVariable {
            name: (*name).to_owned(),
            space,
            is_atomic: data.as_ref().is_some_and(|data| data.is_atomic),
            data: data.map(|data| data.ty),
            count,
            binding: group.zip(binding).map(|(group, binding)| WgslBinding { group, binding }),
            declared: written(span).split_whitespace().collect::<Vec<_>>().join(" "),
            span,
        })
    }

    /// The inputs and outputs of an entry point that have a location. Two at one place are reported.
    ///
    /// Source: WGSL, 13.3.1.3 Input-output Locations: locations of one direction do not overlap, except those of two
    /// `@blend_src`.
    fn varyings(
        &mut self,
        entry: &'a str,
        parameters: &[MemberSyntax<'a>],
        result: Option<&ResultSyntax<'a>>,
    ) -> Vec<WgslVarying> {
        let mut found = Vec::new();
        for MemberSyntax { name, attributes, ty, span } in parameters {
            let place = VaryingPlace { entry, direction: WgslDirection::Input, span: *span };
            self.varying(&place, join(entry, name), attributes, ty, &mut found);
        }
        if let Some(ResultSyntax { attributes, ty }) = result {
            let place = VaryingPlace { entry, direction: WgslDirection::Output, span: ty.span };
            self.varying(&place, format!("{entry}.$result"), attributes, ty, &mut found);
        }
        let mut earlier: BTreeMap<(WgslDirection, u32, Option<u32>), &WgslVarying> = BTreeMap::new();
        for varying in &found {
            if let Some(first) = earlier.insert((varying.direction, varying.location, varying.blend_source), varying) {
                let WgslVarying { path, location, span, .. } = varying;
                let message = format!("`{path}` has location {location}, which `{}` has, too", first.path);
                self.push(Diagnostic::error(Code::BadModule, *span, message).with_label(first.span, "the other one"));
            }
        }
        found
    }

    /// Adds an input or output, or the members of one that is a struct.
    fn varying(
        &mut self,
        place: &VaryingPlace<'a>,
        path: String,
        attributes: &[AttributeSyntax<'a>],
        ty: &Expression<'a>,
        found: &mut Vec<WgslVarying>,
    ) {
        if let Some(location) = AttributeSyntax::find(attributes, "location") {
            let Some(location) = self.attribute_value(location) else { return };
            let blend_source = AttributeSyntax::find(attributes, "blend_src");
            let blend_source = blend_source.and_then(|attribute| self.attribute_value(attribute));
            let VaryingPlace { entry, direction, span } = *place;
            found.push(WgslVarying { entry: entry.to_owned(), path, direction, location, blend_source, span });
            return;
        }
        for MemberSyntax { name, attributes, ty, span } in self.members_of(ty) {
            if AttributeSyntax::find(attributes, "location").is_some() {
                let place = VaryingPlace { span: *span, ..*place };
                self.varying(&place, join(&path, name), attributes, ty, found);
            }
        }
    }

    /// The members of a type that is a struct, also through aliases.
    fn members_of(&self, ty: &Expression<'a>) -> &'s [MemberSyntax<'a>] {
        let mut name = ty;
        for _ in 0..DEEPEST {
            let ExpressionKind::Name { name: word, .. } = &name.kind else { return &[] };
            match self.declarations.get(word).map(|declaration| &declaration.kind) {
                Some(DeclarationKind::Struct(members)) => return members,
                Some(DeclarationKind::Alias(aliased)) => name = aliased,
                Some(_) | None => return &[],
            }
        }
        &[]
    }

    /// Adds the views in the body of a function. Syntax errors in bodies are for compilers to report.
    fn views(&mut self, body: &[Token<'a>], parameters: &[&'a str], written: Written<'_>, views: &mut Vec<WgslView>) {
        let is_view = |token: &Token<'_>| matches!(token.text, "bufferView" | "bufferArrayView");
        for at in (0..body.len()).filter(|at| is_view(&body[*at])) {
            let Ok(call) = Parser::new(&body[at..], body[at].span).primary() else { continue };
            let ExpressionKind::Call { callee, arguments } = &call.kind else { continue };
            let ExpressionKind::Name { template, .. } = &callee.kind else { continue };
            let ([ty], [memory, offset, ..]) = (template.as_slice(), arguments.as_slice()) else { continue };
            let Some(view) = self.view(body, parameters, written, &call, (ty, memory, offset)) else { continue };
            if !views.iter().any(|known| known.name == view.name) {
                views.push(view);
            }
        }
    }

    /// The view that a call makes; `None` if no host sees its memory, or the type has a problem, which is reported.
    fn view(
        &mut self,
        body: &[Token<'a>],
        parameters: &[&'a str],
        written: Written<'_>,
        call: &Expression<'a>,
        (ty, memory, offset): (&Expression<'a>, &Expression<'a>, &Expression<'a>),
    ) -> Option<WgslView> {
        let name = match &memory.kind {
            ExpressionKind::Unary { operand, .. } => operand,
            _ => memory,
        };
        let ExpressionKind::Name { name, .. } = &name.kind else { return None };
        let declared = self.declarations.get(name).map(|declaration| &declaration.kind);
        let (space, limit) = match declared {
            Some(DeclarationKind::Variable { space, ty: Some(ty), .. }) => {
                let space = match space.first() {
                    Some(&"uniform") => WgslSpace::Uniform,
                    Some(&"storage") => WgslSpace::Storage,
                    // `var<workgroup>`.
                    _ => return None,
                };
                let Resolved::Buffer(size) = self.resolve(ty)? else { return None };
                (space, size)
            }
            // A pointer, whose memory only the callers know.
            _ => (WgslSpace::Storage, None),
        };
        let Resolved::Data(Data { ty: data, .. }) = self.resolve(ty)? else {
            return self.refuse(ty.span, "a view has a type of data".to_owned());
        };

        let is_within = |token: &&Token<'_>| offset.span.start <= token.span.start && token.span.end <= offset.span.end;
        let mut names = body.iter().filter(is_within).filter(|token| token.kind == TokenKind::Word);
        let is_local = |name: &str| {
            let declares = |pair: &[Token<'_>]| matches!(pair[0].text, "let" | "var" | "const") && pair[1].text == name;
            parameters.contains(&name) || body.windows(2).any(declares)
        };
        // A local name may hide a constant.
        let offset = if names.any(|token| is_local(token.text)) {
            None
        } else {
            let value = Evaluator { names: self, depth: 0 }.value(offset).ok();
            value.and_then(|value| integer(&value)).and_then(|value| u32::try_from(value).ok())
        };

        let is_array_view = matches!(&call.kind, ExpressionKind::Call { callee, .. }
            if matches!(callee.kind, ExpressionKind::Name { name: "bufferArrayView", .. }));
        let mut type_name = written(ty.span).split_whitespace().collect::<Vec<_>>().join(" ");
        let data = if is_array_view && !is_unsized(&data) {
            let message = format!("`bufferArrayView` is for types without a fixed size: Tint refuses `{type_name}`");
            let help = format!("write `array<{type_name}>`, which this shows");
            self.warnings.push(Diagnostic::warning(Code::CompilerLimit, ty.span, message).with_help(help));
            type_name = format!("array<{type_name}>");
            Type::Array { element: Box::new(data), count: Count::Unbounded }
        } else {
            data
        };
        let place = offset.map_or_else(String::new, |offset| format!(" at {offset}"));
        Some(WgslView { name: format!("{name} as {type_name}{place}"), space, data, offset, limit, span: call.span })
    }

    /// The value of an attribute's argument, which is reported if there is none.
    fn attribute_value(&mut self, attribute: &AttributeSyntax<'a>) -> Option<u32> {
        let AttributeSyntax { name, arguments, span } = attribute;
        let [argument] = arguments.as_slice() else {
            return self.refuse(*span, format!("`@{name}` has one argument"));
        };
        let value = Evaluator { names: self, depth: 0 }.value(argument);
        match value.map(|value| integer(&value).and_then(|value| u32::try_from(value).ok())) {
            Ok(Some(value)) => Some(value),
            Ok(None) => self.refuse(argument.span, format!("`@{name}` needs a whole number from 0 to 4294967295")),
            Err(NoValue { span, message }) => self.refuse(span, format!("`@{name}` is not known: {message}")),
        }
    }

    /// The struct `name`; `None` if it has a problem, which is reported.
    fn structure(&mut self, name: &'a str) -> Option<Data> {
        match self.structs.get(name) {
            Some(State::Done(done)) => return done.clone(),
            Some(State::Open) => {
                let span = self.declarations[name].span;
                return self.refuse(span, format!("`{name}` contains itself"));
            }
            None => {}
        }
        let declaration = *self.declarations.get(name)?;
        let DeclarationKind::Struct(members) = &declaration.kind else { return None };
        self.structs.insert(name, State::Open);
        let done = self.members(declaration, members);
        self.structs.insert(name, State::Done(done.clone()));
        done
    }

    fn members(&mut self, declaration: &Declaration<'a>, members: &[MemberSyntax<'a>]) -> Option<Data> {
        let mut structure = StructType { span: declaration.span, ..StructType::new(declaration.name, []) };
        let mut data = Data::plain(Type::Scalar(Scalar::Uint32));
        let (mut names, mut is_whole) = (BTreeSet::new(), true);
        for member in members {
            if !names.insert(member.name) {
                self.report(member.span, format!("`{}` has two members `{}`", declaration.name, member.name));
                is_whole = false;
            }
            let annotations = self.annotations(&member.attributes);
            let resolved = self.resolve(&member.ty);
            let (Some(annotations), Some(resolved)) = (annotations, resolved) else {
                is_whole = false;
                continue;
            };
            let Resolved::Data(inner) = resolved else {
                let message = format!(
                    "`{}` is a texture, sampler, acceleration structure or buffer, which cannot be a member of a struct",
                    member.name
                );
                self.report(member.span, message);
                is_whole = false;
                continue;
            };
            if inner.is_atomic {
                self.atomic_members.insert((declaration.name.to_owned(), member.name.to_owned()));
            }
            data.depth = data.depth.max(inner.depth + 1);
            data.has_array |= inner.has_array;
            if let (None, Some((path, place))) = (&data.bool_at, inner.bool_at) {
                data.bool_at = Some((join(member.name, &path), if path.is_empty() { member.span } else { place }));
            }
            structure.members.push(Member { annotations, span: member.span, ..Member::new(member.name, inner.ty) });
        }
        if members.is_empty() {
            return self.refuse(declaration.span, format!("`{}` has no members", declaration.name));
        }
        is_whole.then(|| Data { ty: Type::Struct(Arc::new(structure)), ..data })
    }

    /// `@align` and `@size` of a member; `None` if one is wrong, which is reported.
    fn annotations(&mut self, attributes: &[AttributeSyntax<'a>]) -> Option<Annotations> {
        let mut annotations = Annotations::default();
        if let Some(attribute) = AttributeSyntax::find(attributes, "align") {
            let align = self.attribute_value(attribute)?;
            if !align.is_power_of_two() {
                return self.refuse(attribute.span, format!("@align({align}) is no power of two"));
            }
            annotations.align = Some(align);
        }
        if let Some(attribute) = AttributeSyntax::find(attributes, "size") {
            annotations.size = Some(self.attribute_value(attribute)?);
        }
        Some(annotations)
    }

    /// What the type is; `None` if it has a problem, which is reported.
    fn resolve(&mut self, expression: &Expression<'a>) -> Option<Resolved> {
        if self.depth > DEEPEST {
            self.push(too_deep(expression.span));
            return None;
        }
        self.depth += 1;
        let resolved = self.resolve_inside(expression);
        self.depth -= 1;
        match resolved {
            Some(Resolved::Data(data)) if data.depth > DEEPEST => {
                self.push(too_deep(expression.span));
                None
            }
            other => other,
        }
    }

    fn resolve_inside(&mut self, expression: &Expression<'a>) -> Option<Resolved> {
        let span = expression.span;
        let ExpressionKind::Name { name, template } = &expression.kind else {
            return self.refuse(span, "this is no type".to_owned());
        };
        let Some(declaration) = self.declarations.get(name).copied() else {
            return self.predeclared(name, template, span);
        };
        match &declaration.kind {
            DeclarationKind::Struct(_) => self.structure(name).map(Resolved::Data),
            DeclarationKind::Alias(_) if self.open.contains(name) => {
                self.refuse(span, format!("the alias `{name}` names itself"))
            }
            DeclarationKind::Alias(ty) => {
                self.open.push(name);
                let resolved = self.resolve(ty);
                self.open.pop();
                resolved
            }
            DeclarationKind::Const { .. }
            | DeclarationKind::Override
            | DeclarationKind::Variable { .. }
            | DeclarationKind::Function { .. } => self.refuse(span, format!("`{name}` is no type")),
        }
    }

    /// A type of the language (WGSL, 6.9 Predeclared Types and Type-Generators Summary).
    fn predeclared(&mut self, name: &str, template: &[Expression<'a>], span: Span) -> Option<Resolved> {
        if let Some(scalar) = scalar(name) {
            let scalar = self.checked(scalar, span)?;
            let bool_at = (scalar == Scalar::Bool).then(|| (String::new(), span));
            return Some(Resolved::Data(Data { bool_at, ..Data::plain(Type::Scalar(scalar)) }));
        }
        if let Some((dimensions, suffix)) = vector_or_matrix(name) {
            let scalar = match (suffix, template) {
                (Some(scalar), []) => self.checked(scalar, span)?,
                (None, [component]) => self.component(component)?,
                _ => {
                    return self.refuse(span, format!("`{name}` has one type between `<` and `>`"));
                }
            };
            return match dimensions {
                Dimensions::Vector(length) => {
                    let bool_at = (scalar == Scalar::Bool).then(|| (String::new(), span));
                    Some(Resolved::Data(Data { bool_at, ..Data::plain(Type::vector(scalar, length)) }))
                }
                Dimensions::Matrix { .. } if !scalar.is_float() => {
                    self.refuse(span, format!("`{name}` is a matrix of floats, not of {}", scalar.spelling()))
                }
                // `matCxR` has C columns, `floatRxC` of the layout has R rows.
                Dimensions::Matrix { columns, rows } => {
                    Some(Resolved::Data(Data::plain(Type::matrix(scalar, rows, columns))))
                }
            };
        }
        match (name, template) {
            ("atomic", [inner]) => match self.resolve(inner)? {
                // Tint has atomics of `vec2u` as an extension.
                Resolved::Data(data) if matches!(data.ty, Type::Scalar(_) | Type::Vector { .. }) => {
                    Some(Resolved::Data(Data { is_atomic: true, ..data }))
                }
                Resolved::Data(_) | Resolved::Handle | Resolved::Buffer(_) | Resolved::BindingArray { .. } => {
                    self.refuse(inner.span, "an atomic is a scalar".to_owned())
                }
            },
            ("buffer", []) => Some(Resolved::Buffer(None)),
            ("buffer", [size]) => match self.length(size)? {
                Count::Finite(size) => Some(Resolved::Buffer(Some(size))),
                Count::Unbounded => None,
            },
            ("array", [element]) => self.array(element, Count::Unbounded, span),
            ("array", [element, length]) => {
                let count = self.length(length)?;
                self.array(element, count, span)
            }
            ("binding_array", [element, length @ ..]) => {
                let count = match length {
                    [] => Count::Unbounded,
                    [length, ..] => self.length(length)?,
                };
                let element = Box::new(self.resolve(element)?);
                Some(Resolved::BindingArray { element, count })
            }
            ("sampler" | "sampler_comparison" | "acceleration_structure" | "ray_query", _) => Some(Resolved::Handle),
            // Texel buffers are an extension of Tint.
            (name, _) if name.starts_with("texture_") || name == "texel_buffer" => Some(Resolved::Handle),
            _ => self.refuse(span, format!("unknown type `{name}`")),
        }
    }

    fn checked(&mut self, scalar: Scalar, span: Span) -> Option<Scalar> {
        if scalar == Scalar::Float16 && !self.has_f16 {
            let problem = Diagnostic::error(Code::BadModule, span, "f16 needs `enable f16;`");
            self.push(problem.with_help("write the directive before all declarations"));
            return None;
        }
        Some(scalar)
    }

    /// The scalar between `<` and `>`.
    fn component(&mut self, expression: &Expression<'a>) -> Option<Scalar> {
        match self.resolve(expression)? {
            Resolved::Data(Data { ty: Type::Scalar(scalar), .. }) => Some(scalar),
            Resolved::Data(_) | Resolved::Handle | Resolved::Buffer(_) | Resolved::BindingArray { .. } => {
                self.refuse(expression.span, "this is no scalar type".to_owned())
            }
        }
    }

    fn array(&mut self, element: &Expression<'a>, count: Count, span: Span) -> Option<Resolved> {
        let Resolved::Data(element) = self.resolve(element)? else {
            return self
                .refuse(span, "an array cannot hold textures, samplers or buffers: use `binding_array`".to_owned());
        };
        let bool_at = element.bool_at.map(|(path, place)| (join("[]", &path), place));
        let (ty, depth) = (Type::Array { element: Box::new(element.ty), count }, element.depth + 1);
        Some(Resolved::Data(Data { ty, depth, bool_at, has_array: true, is_atomic: element.is_atomic }))
    }

    fn length(&mut self, length: &Expression<'a>) -> Option<Count> {
        let value = Evaluator { names: self, depth: 0 }.value(length);
        match value.map(|value| integer(&value)) {
            Ok(Some(value)) => {
                let count = u32::try_from(value).ok().filter(|count| *count > 0);
                if count.is_none() {
                    self.report(length.span, format!("an array has a length from 1 to 4294967295, not {value}"));
                }
                count.map(Count::Finite)
            }
            Ok(None) => self.refuse(length.span, "the length of an array is a whole number".to_owned()),
            Err(NoValue { span, message }) => {
                self.refuse(span, format!("the length of this array is not known: {message}"))
            }
        }
    }
}

impl<'a> Names<'a> for Elaborator<'_, 'a> {
    fn constant(&mut self, name: &'a str, span: Span, depth: usize) -> Result<Value, NoValue> {
        let no_value = |message: String| Err(NoValue { span, message });
        match self.constants.get(name) {
            Some(State::Done(Ok(value))) => return Ok(value.clone()),
            Some(State::Done(Err(problem))) => return Err(problem.clone()),
            Some(State::Open) => return no_value(format!("`{name}` needs its own value")),
            None => {}
        }
        let Some(declaration) = self.declarations.get(name).copied() else {
            return no_value(format!("nothing declares `{name}`"));
        };
        let (ty, value) = match &declaration.kind {
            DeclarationKind::Const { ty, value } => (ty.as_ref(), value),
            DeclarationKind::Override => {
                return no_value(format!(
                    "`{name}` is an override: WGSL allows overrides only in the sizes of workgroup variables"
                ));
            }
            DeclarationKind::Alias(_)
            | DeclarationKind::Struct(_)
            | DeclarationKind::Variable { .. }
            | DeclarationKind::Function { .. } => return no_value(format!("`{name}` is no constant")),
        };
        self.constants.insert(name, State::Open);
        let value = Evaluator { names: self, depth }.value(value);
        let conversion = ty.and_then(|ty| self.conversion(ty));
        let value = value.and_then(|value| match (value, conversion) {
            (Value::Scalar(scalar), Some(conversion)) => convert(scalar, conversion)
                .map(Value::Scalar)
                .map_err(|problem| NoValue { span, message: format!("this expression {problem}") }),
            (value, _) => Ok(value),
        });
        self.constants.insert(name, State::Done(value.clone()));
        value
    }

    fn callee(&mut self, name: &'a str, template: &[Expression<'a>]) -> Callee {
        let mut name = name;
        let mut component = template.first().and_then(|component| self.conversion(component));
        for _ in 0..DEEPEST {
            match self.declarations.get(name).map(|declaration| &declaration.kind) {
                None => break,
                Some(DeclarationKind::Alias(Expression {
                    kind: ExpressionKind::Name { name: aliased, template },
                    ..
                })) => {
                    name = aliased;
                    component = template.first().and_then(|component| self.conversion(component));
                }
                Some(_) => return Callee::Other,
            }
        }
        if let Some(conversion) = scalar(name).and_then(conversion_to) {
            return Callee::Scalar(conversion);
        }
        match vector_or_matrix(name) {
            Some((Dimensions::Vector(length), suffix)) => {
                let component = suffix.and_then(conversion_to).or(component);
                Callee::Vector { length: length as usize, component }
            }
            None if name == "array" => Callee::Array,
            Some((Dimensions::Matrix { .. }, _)) | None => Callee::Other,
        }
    }
}

impl<'a> Elaborator<'_, 'a> {
    /// The conversion to a scalar type, through aliases; `None` for other types.
    fn conversion(&self, ty: &Expression<'a>) -> Option<Conversion> {
        let mut ty = ty;
        for _ in 0..DEEPEST {
            let ExpressionKind::Name { name, .. } = &ty.kind else { return None };
            match self.declarations.get(name).map(|declaration| &declaration.kind) {
                None => return scalar(name).and_then(conversion_to),
                Some(DeclarationKind::Alias(aliased)) => ty = aliased,
                Some(_) => return None,
            }
        }
        None
    }
}

/// True for an array without a length, and a struct that ends with one.
fn is_unsized(ty: &Type) -> bool {
    match ty {
        Type::Array { count, .. } => *count == Count::Unbounded,
        Type::Struct(structure) => structure.members.last().is_some_and(|last| is_unsized(&last.ty)),
        _ => false,
    }
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(Code::TooDeep, span, format!("its type is nested more than {DEEPEST} levels deep"))
}

fn conversion_to(scalar: Scalar) -> Option<Conversion> {
    match scalar {
        Scalar::Int32 => Some(Conversion::Int),
        Scalar::Uint32 => Some(Conversion::Uint),
        Scalar::Float16 | Scalar::Float32 => Some(Conversion::Float),
        Scalar::Bool => Some(Conversion::Bool),
        _ => None,
    }
}

/// The scalar types of WGSL, and those that naga adds.
fn scalar(name: &str) -> Option<Scalar> {
    Some(match name {
        "bool" => Scalar::Bool,
        "i32" => Scalar::Int32,
        "u32" => Scalar::Uint32,
        "f16" => Scalar::Float16,
        "f32" => Scalar::Float32,
        "i16" => Scalar::Int16,
        "u16" => Scalar::Uint16,
        "i64" => Scalar::Int64,
        "u64" => Scalar::Uint64,
        "f64" => Scalar::Float64,
        _ => return None,
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dimensions {
    Vector(u32),
    Matrix { columns: u32, rows: u32 },
}

/// The dimensions of `vec3` or `mat4x3`, and the scalar of `vec3u` or `mat4x3h`.
fn vector_or_matrix(name: &str) -> Option<(Dimensions, Option<Scalar>)> {
    let (letters, is_vector) = match name.strip_prefix("vec") {
        Some(letters) => (letters, true),
        None => (name.strip_prefix("mat")?, false),
    };
    let length = |letter: Option<char>| letter?.to_digit(10).filter(|length| (2..=4).contains(length));
    let mut letters = letters.chars();
    let first = length(letters.next())?;
    let dimensions = if is_vector {
        Dimensions::Vector(first)
    } else {
        letters.next().filter(|letter| *letter == 'x')?;
        Dimensions::Matrix { columns: first, rows: length(letters.next())? }
    };
    let scalar = match letters.as_str() {
        "" => None,
        "f" => Some(Scalar::Float32),
        "h" => Some(Scalar::Float16),
        "i" if is_vector => Some(Scalar::Int32),
        "u" if is_vector => Some(Scalar::Uint32),
        _ => return None,
    };
    Some((dimensions, scalar))
}
