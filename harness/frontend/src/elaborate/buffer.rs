//! `cbuffer` and `tbuffer`: their members and the packoffset rules that need no layout.
//!
//! Source: wg-hlsl INF-0003, packoffset. DXC before 1.8.2405 accepts some of what this module
//! refuses, but its loads then read different bytes from those in its own listing.

use std::collections::BTreeMap;
use std::sync::Arc;

use layoutproof_layout::resource::{Access, Resource, ResourceKind, Texture};
use layoutproof_layout::scalar::{Scalar, SixteenBit};
use layoutproof_layout::shape::{Member, StructType, Type};
use layoutproof_layout::{Annotations, LayoutUnit, PackOffset, Register, RegisterClass, Span};

use super::Elaborator;
use super::lookup::LookupContext;
use super::record::MemberHolder;
use super::resolve::order;
use super::scope::ScopeId;
use crate::ast::{BufferDeclaration, BufferKeyword, Item};
use crate::module::{BufferStatic, Parameter, ParameterKind};
use layoutproof_source::diagnostics::{Code, Diagnostic};

impl<'t> Elaborator<'t> {
    /// Adds a buffer, after the buffers inside it.
    pub(super) fn buffer(&mut self, buffer: &'t BufferDeclaration<'t>, scope: ScopeId) {
        for item in &buffer.items {
            if let Item::Buffer(inner) = item {
                self.module.nested_buffers.push(inner.name.span);
                self.buffer(inner, scope);
            }
        }

        let context = LookupContext::plain(scope);
        let annotations = self.annotations(&buffer.prefix, &buffer.placement, &context);
        if let Some(packoffset) = annotations.packoffset {
            self.packoffset_outside(packoffset.span);
        }
        let kind = match buffer.kind {
            BufferKeyword::Cbuffer => ParameterKind::Cbuffer,
            BufferKeyword::Tbuffer => ParameterKind::Tbuffer,
        };
        self.buffer_statics(buffer, &context);
        let Some(ty) = self.buffer_type(buffer, &context) else { return };
        let Some(instance) = buffer.instance else {
            let ty = Type::Struct(ty);
            self.check_registers(&ty, kind, &annotations);
            let name = self.symbols.qualified(scope, buffer.name.text);
            return self.module.parameters.push(Parameter { name, kind, ty, annotations, span: buffer.name.span });
        };

        let resource = match buffer.kind {
            BufferKeyword::Cbuffer => ResourceKind::ConstantBuffer,
            BufferKeyword::Tbuffer => ResourceKind::TextureBuffer,
        };
        // The name that slangc 2026.14.1 gives the struct.
        let name = self.symbols.qualified(scope, &format!("SLANG_ParameterGroup_{}", buffer.name.text));
        let element = StructType { name, ..StructType::clone(&ty) };
        let ty =
            Type::Resource(Resource { kind: resource, element: Some(Box::new(element.into())), data_layout: None });
        self.check_registers(&ty, ParameterKind::Variable, &annotations);
        let (name, kind) = (self.symbols.qualified(scope, instance.text), ParameterKind::Variable);
        self.module.parameters.push(Parameter { name, kind, ty, annotations, span: instance.span });
    }

    fn buffer_statics(&mut self, buffer: &'t BufferDeclaration<'t>, context: &LookupContext) {
        let mut before = 0;
        for item in &buffer.items {
            let Item::Declaration(declaration) = item else { continue };
            if !declaration.prefix.has("static") {
                before += declaration.declarators.len();
                continue;
            }
            for declarator in &declaration.declarators {
                let order = order(&declaration.prefix);
                let ty = self.quietly(|elaborator| elaborator.declared(&declaration.ty, order, declarator, context));
                let Some(ty) = ty else { continue };
                let member = Member { span: declarator.name.span, ..Member::new(declarator.name.text, ty) };
                self.module.buffer_statics.push(BufferStatic { buffer: buffer.name.span, before, member });
            }
        }
    }

    fn buffer_type(&mut self, buffer: &'t BufferDeclaration<'t>, context: &LookupContext) -> Option<Arc<StructType>> {
        let mut members = Vec::new();
        let complete = self.members(&buffer.items, MemberHolder::Buffer, context, &mut members);
        self.check_members(&members);
        for member in &members {
            self.check_packoffset(member);
        }
        self.check_mixture(&members);
        let name = self.symbols.qualified(context.scope, buffer.name.text);
        let ty = Arc::new(StructType { name, base: None, members, span: buffer.name.span, is_open: false });
        self.measure_struct(&ty, buffer.name.span)?;
        complete.then_some(ty)
    }

    /// Limitations 3 and 4: no vector crosses a register, and only scalars and vectors begin inside one.
    fn check_packoffset(&mut self, member: &Member) {
        let Some(packoffset) = member.annotations.packoffset else { return };
        if packoffset.offset().is_none() {
            let message = format!("register c{} is beyond 2^32 bytes", packoffset.register);
            self.problems.report(Diagnostic::error(Code::BadPackoffset, packoffset.span, message));
        }
        match &member.ty {
            Type::Scalar(scalar) => self.check_crossing(*scalar, 1, packoffset),
            Type::Enum(ty) => self.check_crossing(ty.underlying, 1, packoffset),
            Type::Vector { scalar, length } => self.check_crossing(*scalar, *length, packoffset),
            Type::Matrix { .. } => self.check_component("a matrix", packoffset),
            Type::Array { .. } => self.check_component("an array", packoffset),
            Type::Struct(_) => self.check_component("a struct", packoffset),
            // These take no bytes, so a component cannot be wrong.
            Type::Pointer { .. } | Type::Handle { .. } | Type::Interface { .. } | Type::Resource(_) => {}
        }
    }

    /// A register has four 32-bit components. A 64-bit value takes two, a 16-bit value one.
    fn check_crossing(&mut self, scalar: Scalar, length: u32, packoffset: PackOffset) {
        let start = packoffset.component.unwrap_or(0);
        let components = length * scalar.size(SixteenBit::Off, 4).div_ceil(4);
        if start > 0 && start + components > 4 {
            let message = format!(
                "{components} components starting at component {start} cross the end of register c{}, which has 4",
                packoffset.register
            );
            self.problems.report(Diagnostic::error(Code::PackoffsetCrossesRegister, packoffset.span, message));
        }
    }

    fn check_component(&mut self, what: &str, packoffset: PackOffset) {
        if packoffset.component.unwrap_or(0) > 0 {
            let message = format!("{what} must begin at component x of a register");
            self.problems.report(Diagnostic::error(Code::PackoffsetComponent, packoffset.span, message));
        }
    }

    /// Limitation 2. DXC since 1.8.2405 only warns of it, and there resources count as members without packoffset.
    fn check_mixture(&mut self, members: &[Member]) {
        let with = members.iter().find(|member| member.annotations.packoffset.is_some());
        let without = members.iter().find(|member| member.annotations.packoffset.is_none());
        if let (Some(with), Some(without)) = (with, without) {
            let message = format!("`{}` has no packoffset, but `{}` has one", without.name, with.name);
            let problem = Diagnostic::warning(Code::PackoffsetMixed, without.span, message);
            self.problems.report(problem.with_label(with.span, "has a packoffset"));
        }
    }

    pub(super) fn check_registers(&mut self, ty: &Type, kind: ParameterKind, annotations: &Annotations) {
        let innermost = ty.dimensions().0;
        let allowed = match (kind, innermost) {
            (ParameterKind::Cbuffer, _) => Some(&[LayoutUnit::ConstantBuffer][..]),
            (ParameterKind::Tbuffer, _) => Some(&[LayoutUnit::ShaderResource][..]),
            (_, Type::Resource(resource)) => Some(resource.kind.register_classes()),
            // The letter on a loose global has no effect: DXC 1.7.2308 puts `register(b2)` at byte 32.
            (ParameterKind::Variable | ParameterKind::Global, _) => None,
        };

        for register in &annotations.registers {
            let fits = |allowed: &&[LayoutUnit]| {
                register.class.is_none_or(|class| class.unit().is_some_and(|unit| allowed.contains(&unit)))
            };
            if let Some(allowed) = allowed.filter(|allowed| !fits(allowed)) {
                let wanted: Vec<String> = allowed.iter().map(|unit| format!("`{unit}`")).collect();
                let message = format!("this needs a register of class {}", wanted.join(" or "));
                self.bad_register::<()>(register.span, message);
            }
            if kind == ParameterKind::Global && register.space.is_some() {
                self.bad_register::<()>(register.span, "a loose global has no register space".to_owned());
            }
        }

        if let (ParameterKind::Cbuffer | ParameterKind::Tbuffer, Some(register)) =
            (kind, annotations.registers.iter().find(|register| register.profile.is_some()))
        {
            let message = "the register of a constant buffer cannot be limited to one profile";
            self.bad_register::<()>(register.span, message.to_owned());
        }
        self.check_conflict(annotations);
    }

    /// Converts `s` registers on a texture to `t`, and `t` registers on a sampler to `s`. Direct3D
    /// 9 had one letter for both, and DXC 1.7.2308 accepts either.
    pub(super) fn swap_letters(&mut self, ty: &Type, annotations: &mut Annotations) {
        let own = match ty.dimensions().0.resource().map(|resource| resource.kind) {
            Some(ResourceKind::Texture(Texture { access: Access::Read, .. })) => LayoutUnit::ShaderResource,
            Some(ResourceKind::Sampler | ResourceKind::SamplerComparison) => LayoutUnit::Sampler,
            _ => return,
        };
        let is_other = |register: &&mut Register| match register.class {
            Some(RegisterClass::Unit(unit @ (LayoutUnit::ShaderResource | LayoutUnit::Sampler))) => unit != own,
            _ => false,
        };
        for register in annotations.registers.iter_mut().filter(is_other) {
            (register.class, register.only_dxc) = (Some(RegisterClass::Unit(own)), true);
            let message = format!("this counts as a register of class `{own}`, as in DXC");
            self.problems.report(Diagnostic::warning(Code::BadRegister, register.span, message));
        }
    }

    /// Reports a second register for the same class and profile.
    fn check_conflict(&mut self, annotations: &Annotations) {
        let mut seen: BTreeMap<(Option<RegisterClass>, Option<&str>), Span> = BTreeMap::new();
        for register in &annotations.registers {
            if let Some(earlier) = seen.insert((register.class, register.profile.as_deref()), register.span) {
                let problem = Diagnostic::error(Code::BadRegister, register.span, "two registers of one class");
                self.problems.report(problem.with_label(earlier, "the other one"));
            }
        }
    }
}
