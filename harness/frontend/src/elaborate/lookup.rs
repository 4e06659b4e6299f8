//! Looks up names from the place of use outwards, through namespaces, structs and generic parameters.

use std::rc::Rc;

use layoutproof_layout::Span;
use layoutproof_layout::shape::{MatrixOrder, Type};

use super::Elaborator;
use super::generic::TypeUseSite;
use super::resolve::NamedType;
use super::scope::{ScopeId, TypeId, ValueId};
use crate::ast::{NamePath, PathPart};
use layoutproof_source::diagnostics::{Code, Diagnostic};
use layoutproof_source::nearest_name::nearest_name;
use layoutproof_source::top_level::is_like_macro;
use layoutproof_source::words::words;

/// The value of a generic parameter: a type or an integer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum GenericValue {
    Type(Type),
    Integer(i64),
}

#[derive(Clone, Debug)]
pub(super) struct GenericBinding {
    /// The scope of the struct that declares the parameter.
    pub(super) scope: ScopeId,
    pub(super) name: String,
    pub(super) value: GenericValue,
}

/// A scope, and the values of the generic parameters visible in it.
#[derive(Clone, Debug)]
pub(super) struct LookupContext {
    pub(super) scope: ScopeId,
    pub(super) bindings: Rc<[GenericBinding]>,
    /// The bindings as text. Equal bindings have equal text.
    pub(super) key: Rc<str>,
}

impl LookupContext {
    /// Creates the context of `scope` without generic arguments.
    pub(super) fn plain(scope: ScopeId) -> Self {
        Self { scope, bindings: Rc::new([]), key: "".into() }
    }

    pub(super) fn new(scope: ScopeId, bindings: Vec<GenericBinding>) -> Self {
        let key = bindings.iter().fold(String::new(), |key, binding| {
            key + &format!("{:?}:{}={};", binding.scope, binding.name, binding.value.written())
        });
        Self { scope, bindings: bindings.into(), key: key.into() }
    }
}

impl GenericValue {
    /// Returns the value as text. Equal values have equal text.
    pub(super) fn written(&self) -> String {
        match self {
            Self::Integer(value) => value.to_string(),
            Self::Type(ty) => written(ty),
        }
    }
}

/// Returns the spelling of a type with its matrix order, which the type's own spelling leaves out.
/// Equal types have equal text.
pub(super) fn written(ty: &Type) -> String {
    match ty.dimensions().0 {
        Type::Matrix { order: Some(MatrixOrder::Row), .. } => format!("row_major {ty}"),
        Type::Matrix { order: Some(MatrixOrder::Column), .. } => format!("column_major {ty}"),
        _ => ty.to_string(),
    }
}

impl<'t> Elaborator<'t> {
    /// Returns the value of the generic parameter that `path` names.
    pub(super) fn generic(&self, path: &NamePath<'t>, context: &LookupContext) -> Option<GenericValue> {
        let [part] = path.parts.as_slice() else { return None };
        if part.arguments.is_some() || path.is_rooted {
            return None;
        }
        self.symbols.outwards(context.scope).find_map(|scope| {
            let named = |binding: &&GenericBinding| binding.scope == scope && binding.name == part.name.text;
            context.bindings.iter().find(named).map(|binding| binding.value.clone())
        })
    }

    /// Finds the declared type `path` and the context that declares it.
    pub(super) fn find_type_in(
        &mut self,
        path: &NamePath<'t>,
        context: &LookupContext,
    ) -> Option<(TypeId, LookupContext)> {
        let context = &self.seen_by(path, context);
        let (last, outer) = path.parts.split_last()?;
        let name = last.name.text;
        if outer.is_empty() {
            let mut scopes = self.symbols.outwards(context.scope);
            let (scope, id) = scopes.find_map(|scope| Some((scope, self.symbols.type_in(scope, name)?)))?;
            drop(scopes);
            return Some((id, self.seen_from(context, scope)));
        }

        let inside = self.qualifier(outer, path.span, context)?;
        let id = self.symbols.type_in(inside.scope, name)?;
        Some((id, inside))
    }

    /// Returns the context for looking up the first name of `path`.
    fn seen_by(&self, path: &NamePath<'t>, context: &LookupContext) -> LookupContext {
        let root = self.symbols.outwards(context.scope).last().filter(|_| path.is_rooted);
        root.map_or_else(|| context.clone(), |root| self.seen_from(context, root))
    }

    pub(super) fn find_type(&mut self, path: &NamePath<'t>, context: &LookupContext) -> Option<TypeId> {
        self.find_type_in(path, context).map(|(id, _)| id)
    }

    /// Finds the declared constant `path` and the context for evaluating it.
    pub(super) fn find_value(
        &mut self,
        path: &NamePath<'t>,
        context: &LookupContext,
    ) -> Option<(ValueId, LookupContext)> {
        let context = &self.seen_by(path, context);
        let (last, outer) = path.parts.split_last()?;
        let name = last.name.text;
        let (id, found) = if outer.is_empty() {
            let mut scopes = self.symbols.outwards(context.scope);
            let id = scopes.find_map(|scope| self.symbols.value_in(scope, name))?;
            drop(scopes);
            (id, context.clone())
        } else {
            let inside = self.qualifier(outer, path.span, context)?;
            (self.symbols.value_in(inside.scope, name)?, inside)
        };

        let scope = self.symbols.value(id).scope;
        Some((id, self.seen_from(&found, scope)))
    }

    /// Returns the context that the names before the last `::` lead to.
    pub(super) fn qualifier(
        &mut self,
        parts: &[PathPart<'t>],
        span: Span,
        context: &LookupContext,
    ) -> Option<LookupContext> {
        let (first, rest) = parts.split_first()?;
        let outwards: Vec<ScopeId> = self.symbols.outwards(context.scope).collect();
        let site = TypeUseSite { span, written: context, found: context };
        let argument = self.inside_argument(first, context);

        let mut inside = argument.or_else(|| outwards.iter().find_map(|scope| self.enter(*scope, first, site)))?;
        for part in rest {
            inside = self.enter(inside.scope, part, TypeUseSite { found: &inside.clone(), ..site })?;
        }

        Some(inside)
    }

    /// Returns the context inside the struct that the generic parameter `part` stands for: `T::Inner`.
    fn inside_argument(&self, part: &PathPart<'t>, context: &LookupContext) -> Option<LookupContext> {
        let path = NamePath { is_rooted: false, parts: vec![part.clone()], span: part.name.span };
        match self.generic(&path, context)? {
            GenericValue::Type(Type::Struct(ty)) => self.insides.get(&ty.name).cloned(),
            GenericValue::Type(_) | GenericValue::Integer(_) => None,
        }
    }

    /// Returns the context inside the namespace or struct `part` of `scope`.
    fn enter(&mut self, scope: ScopeId, part: &PathPart<'t>, site: TypeUseSite<'_>) -> Option<LookupContext> {
        if let Some(namespace) = self.symbols.namespace_in(scope, part.name.text) {
            return Some(self.seen_from(site.found, namespace));
        }
        let id = self.symbols.type_in(scope, part.name.text)?;
        match self.named_type(id, Some(part), site)? {
            NamedType::Struct(specialisation) => Some(specialisation.context),
            NamedType::Type(_) => None,
        }
    }

    /// Reports an unknown type name, and suggests a similar one.
    pub(super) fn unknown_type(&mut self, path: &NamePath<'t>) {
        let names: Vec<&str> = path.parts.iter().map(|part| part.name.text).collect();
        let name = names.join("::");
        let mut problem = Diagnostic::error(Code::UnknownType, path.span, format!("no type is named `{name}`"));
        if !self.problems.is_full() {
            if let Some(meant) = self.similar_type(&name) {
                problem = problem.with_help(format!("did you mean `{meant}`?"));
            } else if let Some(help) = self.unread_modules() {
                problem = problem.with_help(help);
            }
        }
        if problem.help.is_none() && is_like_macro(&name) {
            problem = problem.with_missing_macros(&[&name]);
        }
        self.problems.report(problem);
    }

    /// Returns a help text for a name that another module may declare.
    pub(super) fn unread_modules(&self) -> Option<String> {
        let imports = &self.module.imports;
        (!imports.is_empty()).then(|| format!("imported modules are not read: `{}`", imports.join("`, `")))
    }

    /// Finds the declared or built-in type with the most similar name.
    ///
    /// Caches each answer: code that is only partly understood may look up one name a million times.
    fn similar_type(&mut self, name: &str) -> Option<String> {
        if let Some(known) = self.similar_types.get(name) {
            return known.clone();
        }

        let declared: Vec<&str> = self.symbols.type_ids().map(|id| self.symbols.ty(id).name.as_ref()).collect();
        let similar = nearest_name(name, declared.into_iter().chain(BUILT_IN_TYPES)).map(str::to_owned);
        self.similar_types.insert(name.to_owned(), similar.clone());
        similar
    }
}

/// Built-in types to suggest for misspelt names.
const BUILT_IN_TYPES: [&str; 40] = words(
    "
    bool int int2 int3 int4 uint uint2 uint3 uint4 float float2 float3 float4 half half2 half3 half4 double float2x2
    float3x3 float3x4 float4x3 float4x4 int16_t uint16_t int64_t uint64_t float16_t matrix vector ConstantBuffer
    StructuredBuffer RWStructuredBuffer ByteAddressBuffer RWByteAddressBuffer ParameterBlock Texture2D RWTexture2D
    TextureCube SamplerState
    ",
);
