//! Members of structs and constant buffers, and the rules that forbid some members.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use layoutproof_layout::Span;
use layoutproof_layout::scalar::SixteenBit;
use layoutproof_layout::shape::{Count, Member, StructType, Type};

use super::Elaborator;
use super::generic::{Specialisation, TypeUseSite};
use super::lookup::LookupContext;
use super::resolve::{NamedType, order};
use super::scope::{TypeEntry, TypeId};
use crate::ast::{DeclarationSyntax, Declarator, Expression, Identifier, Item, StructDeclaration, TypeKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};

#[derive(Clone, Debug)]
pub(super) enum StructState {
    InProgress,
    Done(Option<Arc<StructType>>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemberHolder {
    Struct,
    Buffer,
}

impl<'t> Elaborator<'t> {
    /// Returns the struct with its members; `span` is the place of use.
    pub(super) fn struct_type(&mut self, specialisation: &Specialisation, span: Span) -> Option<Arc<StructType>> {
        let symbol = self.symbols.ty(specialisation.id);
        let (TypeEntry::Struct { declaration, .. }, place) = (symbol.entry, symbol.span) else { return None };
        let key = (specialisation.id, Rc::clone(&specialisation.context.key));
        match self.structs.get(&key) {
            Some(StructState::Done(done)) => {
                let done = done.clone();
                if done.is_none() {
                    self.report_again(&key);
                }
                return done;
            }
            Some(StructState::InProgress) => {
                let message = format!("`{}` contains itself", specialisation.name);
                self.problems
                    .report(Diagnostic::error(Code::CyclicStruct, span, message).with_label(place, "declared here"));
                return None;
            }
            None => {}
        }

        self.structs.insert(key.clone(), StructState::InProgress);
        self.insides.insert(specialisation.name.clone(), specialisation.context.clone());
        let before = self.problems.count();
        let done = self.nested(span, |elaborator| elaborator.new_struct(declaration, specialisation, place));
        match &done {
            Some(done) => drop(self.specialisations.insert(Arc::as_ptr(done), specialisation.clone())),
            None => self.keep_problems(&key, before),
        }
        self.structs.insert(key, StructState::Done(done.clone()));
        done
    }

    /// Returns the struct `id` as seen from `inside`, if it is elaborated.
    pub(super) fn finished_struct(&self, id: TypeId, inside: &LookupContext) -> Option<Arc<StructType>> {
        match self.structs.get(&(id, Rc::clone(&inside.key)))? {
            StructState::Done(done) => done.clone(),
            StructState::InProgress => None,
        }
    }

    fn new_struct(
        &mut self,
        declaration: &'t StructDeclaration<'t>,
        specialisation: &Specialisation,
        span: Span,
    ) -> Option<Arc<StructType>> {
        let context = &specialisation.context;
        let mut base = None;
        let has_base = self.base(declaration, context, &mut base);
        let mut members = Vec::new();
        let complete = self.members(&declaration.items, MemberHolder::Struct, context, &mut members);
        self.check_members(&members);
        let ty = Arc::new(StructType { name: specialisation.name.clone(), base, members, span, is_open: false });
        self.measure_struct(&ty, span)?;
        // A struct with a broken member would have a wrong layout. Its other members have been checked by now.
        (complete && has_base).then_some(ty)
    }

    /// Finds the base struct, if any. Interfaces among the bases have no bytes. Returns `false` after a problem.
    fn base(
        &mut self,
        declaration: &'t StructDeclaration<'t>,
        context: &LookupContext,
        found: &mut Option<Arc<StructType>>,
    ) -> bool {
        let mut complete = true;
        for base in &declaration.bases {
            let declared = match &base.kind {
                TypeKind::Path(path) => self.find_type(path, context),
                TypeKind::Struct(_) | TypeKind::Enum(_) => None,
            };
            if declared.map_or_else(|| is_core_interface(&base.kind), |id| self.is_interface(id)) {
                continue;
            }
            match self.resolve(base, None, context) {
                Some(Type::Struct(ty)) if found.is_none() => *found = Some(ty),
                Some(other) => {
                    let message = format!("`{other}` cannot be a base here: a struct can have only one base struct");
                    self.problems.report(Diagnostic::error(Code::Unsupported, base.span, message));
                    complete = false;
                }
                None => complete = false,
            }
        }

        complete
    }

    fn is_interface(&self, id: TypeId) -> bool {
        matches!(self.symbols.ty(id).entry, TypeEntry::Interface { .. })
    }

    /// Appends the members that `items` declare. Returns `false` if some could not be resolved.
    pub(super) fn members(
        &mut self,
        items: &'t [Item<'t>],
        holder: MemberHolder,
        context: &LookupContext,
        out: &mut Vec<Member>,
    ) -> bool {
        let mut complete = true;
        for item in items {
            complete &= match item {
                Item::Declaration(declaration) => self.declaration_members(declaration, holder, context, out),
                Item::Namespace { path, items } if holder == MemberHolder::Buffer => {
                    self.namespace_members(path, items, context, out)
                }
                Item::Namespace { path, .. } => self.misplaced(path.first().copied(), "a namespace"),
                // A buffer inside a buffer is a separate buffer (measured with DXC 1.7.2308).
                Item::Buffer(_) if holder == MemberHolder::Buffer => true,
                Item::Buffer(buffer) => self.misplaced(Some(buffer.name), "a constant buffer"),
                _ => true,
            };
        }
        complete
    }

    fn misplaced(&mut self, name: Option<Identifier<'_>>, what: &str) -> bool {
        let span = name.map(|name| name.span).unwrap_or_default();
        self.problems.report(Diagnostic::error(Code::Unsupported, span, format!("{what} is not allowed in a struct")));
        false
    }

    /// Members of a namespace inside a buffer follow in sequence like all others, under qualified names.
    fn namespace_members(
        &mut self,
        path: &'t [Identifier<'t>],
        items: &'t [Item<'t>],
        context: &LookupContext,
        out: &mut Vec<Member>,
    ) -> bool {
        let inner = path.iter().try_fold(context.scope, |scope, name| self.symbols.namespace(scope, name.text));
        let Some(scope) = inner else { return true };
        let first = out.len();
        let complete = self.members(items, MemberHolder::Buffer, &LookupContext::plain(scope), out);
        let names: Vec<&str> = path.iter().map(|name| name.text).collect();

        for member in &mut out[first..] {
            member.name = format!("{}::{}", names.join("::"), member.name);
        }

        complete
    }

    fn declaration_members(
        &mut self,
        declaration: &'t DeclarationSyntax<'t>,
        holder: MemberHolder,
        context: &LookupContext,
        out: &mut Vec<Member>,
    ) -> bool {
        let prefix = &declaration.prefix;
        if prefix.has("typedef") || prefix.has("static") || prefix.has("groupshared") {
            return true;
        }
        if declaration.declarators.is_empty() {
            return self.nameless(declaration);
        }

        let mut complete = true;
        for declarator in &declaration.declarators {
            match self.member(declaration, declarator, holder, context) {
                Some(member) if has_no_element(&member.ty) => self.skip_empty(&member),
                Some(member) => out.push(member),
                None => complete = false,
            }
        }

        complete
    }

    /// Warns that a member without elements is left out: slangc 2026.14.1 gives it no bytes and no alignment.
    fn skip_empty(&mut self, member: &Member) {
        let message = format!("skipped: `{}` has 0 elements and takes no bytes", member.name);
        self.problems.report(Diagnostic::warning(Code::Skipped, member.span, message));
    }

    /// Refuses an array of 0 elements that is not a member.
    pub(super) fn refuse_empty(&mut self, ty: &Type, span: Span) -> Option<()> {
        if has_no_element(ty) {
            let message = "an array cannot have 0 elements";
            return self.problems.refuse(Diagnostic::error(Code::BadArrayLength, span, message));
        }
        Some(())
    }

    /// `struct S { ... };` declares a type. Without a name, its members would belong to the enclosing struct.
    fn nameless(&mut self, declaration: &'t DeclarationSyntax<'t>) -> bool {
        let problem = match &declaration.ty.kind {
            TypeKind::Struct(inner) if inner.name.text.is_empty() => "this struct has neither a name nor a member name",
            TypeKind::Struct(_) | TypeKind::Enum(_) => return true,
            TypeKind::Path(_) => "this declares nothing",
        };
        self.problems.report(Diagnostic::error(Code::Unsupported, declaration.span, problem));
        false
    }

    fn member(
        &mut self,
        declaration: &'t DeclarationSyntax<'t>,
        declarator: &'t Declarator<'t>,
        holder: MemberHolder,
        context: &LookupContext,
    ) -> Option<Member> {
        let ty = self.declared(&declaration.ty, order(&declaration.prefix), declarator, context);
        let mut annotations = self.annotations(&declaration.prefix, &declarator.placement, context);
        let prefix = &declaration.prefix;
        annotations.is_hidden = holder == MemberHolder::Struct
            && (prefix.has("private") || (self.symbols.hides(context.scope) && !prefix.has("public")));

        self.check_placement(&annotations, holder);
        self.check_semantic(declarator, context);
        let bit_width = match &declarator.placement.bit_width {
            Some(width) => Some(self.bit_width(width, ty.as_ref(), declarator.name, holder, context)?),
            None => None,
        };

        // The member is dropped only here, so that other problems with it are reported first. One without bits ends the
        // storage unit and has no place of its own, whether or not it has a name.
        let name = if bit_width == Some(0) { "" } else { declarator.name.text }.to_owned();
        Some(Member { name, ty: ty?, bit_width, annotations, span: declarator.name.span })
    }

    /// `uint a : N;` is a semantic even if `N` is a constant. DXC 1.7.2308 warns of it.
    fn check_semantic(&mut self, declarator: &'t Declarator<'t>, context: &LookupContext) {
        let Some(word) = declarator.placement.semantic else { return };
        let known = self.symbols.outwards(context.scope).any(|scope| self.symbols.value_in(scope, word).is_some());
        if known {
            let message = format!("`{word}` is a semantic here, but a constant has that name");
            let problem = Diagnostic::warning(Code::BadBitField, declarator.name.span, message);
            self.problems.report(problem.with_help(format!("for a bit-field write `({word})`")));
        }
    }

    /// Returns the width of a bit-field in bits. As in C, it is at most the width of the integer
    /// type, and 0 only without a name. slangc 2026.14.1 takes 0 with a name, and gives it the same effect.
    fn bit_width(
        &mut self,
        width: &Expression<'t>,
        ty: Option<&Type>,
        name: Identifier<'t>,
        holder: MemberHolder,
        context: &LookupContext,
    ) -> Option<u32> {
        let width_span = width.span;
        let width = self.integer(width, context)?;
        let widest = match ty? {
            Type::Scalar(scalar) if !scalar.is_float() => Some(scalar.size(SixteenBit::On, 4) * 8),
            Type::Enum(ty) => Some(ty.underlying.size(SixteenBit::On, 4) * 8),
            _ => None,
        };

        let fits = |bits: &u32| widest.is_some_and(|widest| *bits <= widest);
        let may_be_empty = self.is_slang || name.text.is_empty();
        let found = u32::try_from(width).ok().filter(fits).filter(|bits| *bits > 0 || may_be_empty);
        let problem = match (holder, widest, found) {
            (MemberHolder::Buffer, _, _) => {
                "a constant buffer cannot have bit-fields: put them into a struct".to_owned()
            }
            (MemberHolder::Struct, None, _) => "only integers and enums can be bit-fields".to_owned(),
            (MemberHolder::Struct, Some(widest), None) => {
                let or_empty = if self.is_slang { "0" } else { "1" };
                let unless_named = if self.is_slang { "" } else { ", or 0 without a name" };
                format!("a bit-field cannot have {width} bits: use {or_empty} to {widest}{unless_named}")
            }
            (MemberHolder::Struct, Some(_), Some(bits)) => return Some(bits),
        };

        self.problems.refuse(Diagnostic::error(Code::BadBitField, width_span, problem))
    }

    /// Refuses names declared twice, and unsized arrays that are not last.
    pub(super) fn check_members(&mut self, members: &[Member]) {
        let mut names: HashMap<&str, Span> = HashMap::new();
        for member in members.iter().filter(|member| !member.name.is_empty()) {
            if let Some(earlier) = names.insert(&member.name, member.span) {
                let name = Identifier { text: &member.name, span: member.span };
                self.redefinition(name, "member", Some(earlier));
            }
        }
        self.check_unsized(members);
    }

    /// Refuses unsized arrays that are not last.
    pub(super) fn check_unsized(&mut self, members: &[Member]) {
        let Some((_, all_but_last)) = members.split_last() else { return };
        for member in all_but_last {
            if self.measure(&member.ty).unbounded {
                let message = format!("`{}` is runtime-sized, so nothing can follow it", member.name);
                self.problems.report(Diagnostic::error(Code::UnsizedNotLast, member.span, message));
            }
        }
    }

    /// Elaborates every declared type, so that unused types are checked too.
    pub(super) fn check_types(&mut self) {
        for id in self.symbols.type_ids() {
            let symbol = self.symbols.ty(id).clone();
            let is_generic = match symbol.entry {
                TypeEntry::Struct { generics, .. } => generics.is_some(),
                TypeEntry::Alias { generics, .. } => generics.is_some(),
                TypeEntry::Enum(_) => false,
                TypeEntry::Interface { .. } | TypeEntry::Unread(_) => continue,
            };

            // A generic struct, or a declaration inside one, cannot be checked without arguments.
            // The data in a Slang attribute belongs to a declaration, not to a shader.
            let is_attribute = self.symbols.is_attribute(id);
            if is_generic
                || is_attribute
                || self.symbols.outwards(symbol.scope).any(|scope| self.symbols.scope(scope).generic)
            {
                continue;
            }

            let context = LookupContext::plain(symbol.scope);
            let named = self.named_type(id, None, TypeUseSite::here(symbol.span, &context));
            if let Some(named @ NamedType::Struct(_)) = named {
                self.complete(named, symbol.span);
            }
            self.check_enumerators(id);
        }
    }
}

/// Returns true for an array with 0 elements in any dimension.
fn has_no_element(ty: &Type) -> bool {
    ty.dimensions().1.contains(&Count::Finite(0))
}

/// Interfaces of Slang's core library that a struct may name.
fn is_core_interface(kind: &TypeKind<'_>) -> bool {
    match kind {
        TypeKind::Path(path) => path.parts.first().is_some_and(|part| {
            let mut letters = part.name.text.chars();
            letters.next() == Some('I') && letters.next().is_some_and(char::is_uppercase)
        }),
        TypeKind::Struct(_) | TypeKind::Enum(_) => false,
    }
}
