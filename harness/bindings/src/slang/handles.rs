//! Finds `DescriptorHandle<T>` in a program, and removes it for Metal, where resources need no
//! handles and slangc lays out the resource itself.
//!
//! Source: measured with Slang 2026.14.1.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use layoutproof_layout::resource::Resource;
use layoutproof_layout::shape::{Member, StructType, Type};

use layoutproof_frontend::module::Module;

/// True if a parameter of `module` is or holds a handle, also inside buffers.
pub(super) fn has_handles(module: &Module) -> bool {
    let mut seen = HashSet::new();
    let entries = module.entry_points.iter().flat_map(|entry| &entry.parameters).map(|parameter| &parameter.ty);
    let mut types = module.parameters.iter().map(|parameter| &parameter.ty).chain(entries);
    types.any(|ty| has_handle(ty, &mut seen))
}

fn has_handle(ty: &Type, seen: &mut HashSet<*const StructType>) -> bool {
    match ty.dimensions().0 {
        Type::Handle { .. } => true,
        Type::Struct(structure) => {
            let bases = std::iter::successors(Some(structure), |structure| structure.base.as_ref());
            let new: Vec<&Arc<StructType>> = bases.filter(|structure| seen.insert(Arc::as_ptr(structure))).collect();
            new.iter().flat_map(|structure| &structure.members).any(|member| has_handle(&member.ty, seen))
        }
        Type::Resource(resource) => resource.element.as_deref().is_some_and(|element| has_handle(element, seen)),
        _ => false,
    }
}

/// Returns `module` with resources in place of their handles, except for handles that pass between
/// stages.
pub(super) fn without_handles(module: &Module) -> Module {
    let (mut handles, mut module) = (OpenedHandles::default(), module.clone());
    for parameter in &mut module.parameters {
        parameter.ty = handles.opened(&parameter.ty);
    }
    let entry_parameters = module.entry_points.iter_mut().flat_map(|entry| &mut entry.parameters);
    for parameter in entry_parameters.filter(|parameter| parameter.is_uniform()) {
        parameter.ty = handles.opened(&parameter.ty);
    }
    module
}

/// The structs without handles, keyed by the structs with them.
#[derive(Debug, Default)]
struct OpenedHandles(HashMap<*const StructType, Arc<StructType>>);

impl OpenedHandles {
    fn opened(&mut self, ty: &Type) -> Type {
        match ty {
            Type::Handle { resource } => Type::Resource(self.opened_resource(resource)),
            Type::Array { element, count } => Type::Array { element: Box::new(self.opened(element)), count: *count },
            Type::Struct(structure) => Type::Struct(self.opened_struct(structure)),
            Type::Resource(resource) => Type::Resource(self.opened_resource(resource)),
            _ => ty.clone(),
        }
    }

    fn opened_resource(&mut self, resource: &Resource) -> Resource {
        let element = resource.element.as_deref().map(|element| Box::new(self.opened(element)));
        Resource { element, ..resource.clone() }
    }

    fn opened_struct(&mut self, structure: &Arc<StructType>) -> Arc<StructType> {
        if let Some(opened) = self.0.get(&Arc::as_ptr(structure)) {
            return Arc::clone(opened);
        }
        let base = structure.base.as_ref().map(|base| self.opened_struct(base));
        let members = structure.members.iter().map(|member| Member { ty: self.opened(&member.ty), ..member.clone() });
        let members = members.collect();
        let opened = Arc::new(StructType { base, members, ..StructType::clone(structure) });
        self.0.insert(Arc::as_ptr(structure), Arc::clone(&opened));
        opened
    }
}
