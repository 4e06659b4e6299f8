//! Evaluates attributes, registers and packoffsets, with the checks that need no layout.
//!
//! Sources: wg-hlsl INF-0003, packoffset; register forms as DXC 1.7.2308 accepts them.

use layoutproof_layout::{
    Annotations, Argument, Attribute, LayoutQualifier, PackOffset, Register, RegisterClass, Span,
};

use super::Elaborator;
use super::lookup::LookupContext;
use super::record::MemberHolder;
use crate::ast::{
    ArgumentSyntax, AttributeSyntax, LayoutSyntax, PackOffsetSyntax, PlacementSyntax, Prefix, RegisterSyntax,
};
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// Attributes with numeric arguments: namespace, name, minimum and maximum number of arguments.
const NUMERIC_ATTRIBUTES: [(Option<&str>, &str, usize, usize); 9] = [
    (Some("gl"), "binding", 1, 2),
    (None, "vk_binding", 1, 2),
    (Some("vk"), "binding", 1, 2),
    (Some("vk"), "constant_id", 1, 1),
    (Some("vk"), "counter_binding", 1, 1),
    (Some("vk"), "input_attachment_index", 1, 1),
    (Some("vk"), "location", 1, 1),
    (Some("vk"), "offset", 1, 1),
    (Some("vk"), "push_constant", 0, 0),
];

impl<'t> Elaborator<'t> {
    /// Evaluates everything around a declaration.
    pub(super) fn annotations(
        &mut self,
        prefix: &Prefix<'t>,
        placement: &PlacementSyntax<'t>,
        context: &LookupContext,
    ) -> Annotations {
        let packoffsets: Vec<PackOffset> =
            placement.packoffsets.iter().filter_map(|syntax| self.packoffset(*syntax)).collect();
        if let [.., before, last] = packoffsets.as_slice() {
            if before.offset() != last.offset() {
                let message = "this packoffset overrides the one before it";
                let problem = Diagnostic::warning(Code::BadPackoffset, last.span, message);
                self.problems.report(problem.with_label(before.span, "overridden"));
            }
        }

        Annotations {
            registers: placement.registers.iter().filter_map(|syntax| self.register(syntax)).collect(),
            packoffset: packoffsets.last().copied(),
            attributes: prefix.attributes.iter().map(|syntax| self.attribute(syntax, context)).collect(),
            layout: prefix.layout.iter().map(|syntax| self.layout_qualifier(syntax, context)).collect(),
            semantic: placement.semantic.map(str::to_owned),
            modifiers: prefix.modifiers.iter().map(|modifier| modifier.text.to_owned()).collect(),
            ..Annotations::default()
        }
    }

    fn attribute(&mut self, syntax: &AttributeSyntax<'t>, context: &LookupContext) -> Attribute {
        let arguments = syntax.arguments.iter().map(|argument| self.argument_value(argument, context)).collect();
        let (namespace, name) = syntax.identity(self.is_slang);
        let attribute = Attribute {
            namespace: namespace.map(str::to_owned),
            name: name.to_owned(),
            arguments,
            declared: self.declared_attribute(namespace, name, context.scope),
            span: syntax.span,
        };
        self.check_attribute(&attribute);
        self.check_known(&attribute);
        attribute
    }

    fn argument_value(&mut self, argument: &ArgumentSyntax<'t>, context: &LookupContext) -> Argument {
        match argument {
            ArgumentSyntax::Text(text) => Argument::Text((*text).to_owned()),
            ArgumentSyntax::Value(expression, written) => match self.evaluate(expression, context) {
                Ok(constant) => Argument::Integer(constant.value),
                Err(_) => Argument::Other(written.clone()),
            },
            ArgumentSyntax::Other(written) => Argument::Other(written.clone()),
        }
    }

    fn check_attribute(&mut self, attribute: &Attribute) {
        let rule = NUMERIC_ATTRIBUTES
            .iter()
            .find(|(namespace, name, _, _)| *namespace == attribute.namespace.as_deref() && *name == attribute.name);
        let Some((_, name, least, most)) = rule else { return };

        let count = attribute.arguments.len();
        let message = if count < *least || count > *most {
            format!("`{name}` takes {least} to {most} arguments, not {count}")
        } else if attribute.arguments.iter().any(|argument| index(argument).is_none()) {
            format!("the arguments of `{name}` are numbers from 0 to 2^32 - 1")
        } else {
            return;
        };
        self.problems.report(Diagnostic::error(Code::BadAttribute, attribute.span, message));
    }

    fn layout_qualifier(&mut self, syntax: &LayoutSyntax<'t>, context: &LookupContext) -> LayoutQualifier {
        let value = syntax.value.as_ref().and_then(|expression| self.integer(expression, context));
        LayoutQualifier { name: syntax.name.text.to_owned(), value, span: syntax.name.span }
    }

    /// `register(t3)`, `register(t3, space1)`, `register(space1)`, `register(ps_5_0, t3)`.
    fn register(&mut self, syntax: &RegisterSyntax<'t>) -> Option<Register> {
        let mut register =
            Register { class: None, index: None, space: None, profile: None, only_dxc: false, span: syntax.span };
        let mut words = syntax.words.as_slice();
        if let [profile, rest @ ..] = words {
            if is_profile(profile.text) && !rest.is_empty() {
                register.profile = Some(profile.text.to_owned());
                words = rest;
            }
        }

        let (first, second) = match words {
            [first] => (first, None),
            [first, second] => (first, Some(second)),
            _ => return self.bad_register(syntax.span, "expected one register and at most one space".to_owned()),
        };
        if let Some(space) = space(first.text) {
            register.space = Some(self.register_number(space, first.span)?);
        } else {
            let (class, index) = self.register_name(first.text, first.span)?;
            (register.class, register.index) = (Some(class), Some(index.unwrap_or(0)));
            if index.is_none() {
                register.only_dxc = true;
                let message = format!("`{}` has no number and counts as `{}0`, as in DXC", first.text, class);
                self.problems.report(Diagnostic::warning(Code::BadRegister, first.span, message));
            }
        }

        if let Some(second) = second {
            let Some(number) = space(second.text).filter(|_| register.space.is_none()) else {
                return self.bad_register(
                    second.span,
                    format!("`{}` is not a register space; write for example `space1`", second.text),
                );
            };
            register.space = Some(self.register_number(number, second.span)?);
        }

        if syntax.indexed {
            let message = "the index in brackets is ignored, as in DXC";
            self.problems.report(Diagnostic::warning(Code::BadRegister, syntax.span, message));
        }
        Some(register)
    }

    /// Parses class and number. DXC accepts a letter without a number.
    fn register_name(&mut self, name: &str, span: Span) -> Option<(RegisterClass, Option<u32>)> {
        let mut letters = name.chars();
        let class = RegisterClass::of_letter(letters.next()?);
        let number = letters.as_str();
        let Some(class) = class.filter(|_| number.bytes().all(|byte| byte.is_ascii_digit())) else {
            let message = format!(
                "`{name}` is not a register; write one of the letters b, c, i, s, t, u and a number, such as `t3`"
            );
            return self.bad_register(span, message);
        };

        if number.is_empty() {
            return Some((class, None));
        }
        Some((class, Some(self.register_number(number, span)?)))
    }

    fn register_number(&mut self, digits: &str, span: Span) -> Option<u32> {
        match digits.parse() {
            Ok(number) => Some(number),
            Err(_) => self.bad_register(span, format!("`{digits}` is not a number from 0 to 2^32 - 1")),
        }
    }

    pub(super) fn bad_register<T>(&mut self, span: Span, message: String) -> Option<T> {
        self.problems.refuse(Diagnostic::error(Code::BadRegister, span, message))
    }

    /// `packoffset(c2.y)`; a bare `c` is `c0`.
    fn packoffset(&mut self, syntax: PackOffsetSyntax<'t>) -> Option<PackOffset> {
        let digits = syntax.register.strip_prefix(['c', 'C']);
        let number = digits.map(|digits| if digits.is_empty() { Ok(0) } else { digits.parse::<u32>() });
        let component = syntax.component.map(component);
        let message = match (number, component) {
            (None, _) => format!("`{}` is not a constant register; write for example `c2`", syntax.register),
            (Some(Err(_)), _) => format!(
                "`{}` is not a constant register: the number after `c` must be from 0 to 2^32 - 1",
                syntax.register
            ),
            (_, Some(None)) => "a packoffset ends in one of x, y, z, w, r, g, b, a".to_owned(),
            (Some(Ok(register)), Some(Some(component))) => {
                return Some(PackOffset { register, component: Some(component), span: syntax.span });
            }
            (Some(Ok(register)), None) => return Some(PackOffset { register, component: None, span: syntax.span }),
        };

        self.problems.refuse(Diagnostic::error(Code::BadPackoffset, syntax.span, message))
    }

    /// "packoffset is only allowed in a constant buffer" (wg-hlsl INF-0003, limitation 1).
    pub(super) fn check_placement(&mut self, annotations: &Annotations, holder: MemberHolder) {
        match (holder, annotations.packoffset) {
            (MemberHolder::Struct, Some(packoffset)) => self.packoffset_outside(packoffset.span),
            (MemberHolder::Struct, None) | (MemberHolder::Buffer, _) => {}
        }
    }

    pub(super) fn packoffset_outside(&mut self, span: Span) {
        let message = "packoffset is only allowed on the members of a constant buffer";
        self.problems.report(Diagnostic::error(Code::PackoffsetOutsideCbuffer, span, message));
    }
}

/// Returns the value of an argument that is an index or an offset.
fn index(argument: &Argument) -> Option<u32> {
    match argument {
        Argument::Integer(value) => u32::try_from(*value).ok(),
        Argument::Text(_) | Argument::Other(_) => None,
    }
}

/// Returns true for `ps`, `vs_5_0` and similar profiles.
fn is_profile(word: &str) -> bool {
    let stage = word.split('_').next().unwrap_or(word);
    matches!(stage, "vs" | "ps" | "gs" | "hs" | "ds" | "cs" | "lib" | "ms" | "as")
}

/// Returns the digits in `space1`.
fn space(word: &str) -> Option<&str> {
    word.strip_prefix("space").filter(|digits| !digits.is_empty())
}

fn component(word: &str) -> Option<u32> {
    match word {
        "x" | "r" => Some(0),
        "y" | "g" => Some(1),
        "z" | "b" => Some(2),
        "w" | "a" => Some(3),
        _ => None,
    }
}
