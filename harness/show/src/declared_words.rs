//! The declarations of blocks and resources in the user's words: `StructuredBuffer<Light> lights`.

use indexmap::IndexMap;
use layoutproof_frontend::module::Module;
use layoutproof_layout::RegisterClass;
use layoutproof_layout::shape::{Count, Resource, Type};
use layoutproof_layout::{Block, BlockKind, Pointer, PointerPlace, Reach, StageData};

use crate::style::one_line;

/// The declaration of a block. `None` if the module declares no parameter of its name.
pub(crate) fn declared_block(module: &Module, block: &Block) -> Option<String> {
    let Block { name, declared_name, .. } = block;
    // A view without a variable has the name of its type.
    let variable =
        || if block.element.to_string() == *declared_name { String::new() } else { format!(" {declared_name}") };
    let words = match &block.reach {
        Reach::Parameter => return declared_parameter_block(module, block),
        Reach::DescriptorHeap => {
            let resource = match block.kind {
                BlockKind::StructuredElement => "StructuredBuffer",
                BlockKind::TextureBuffer => "TextureBuffer",
                BlockKind::ParameterBlock => "ParameterBlock",
                _ => "ConstantBuffer",
            };
            format!("{resource}<{}>{} (descriptor heap)", block.element, variable())
        }
        Reach::RawAccess { .. } => format!("{} (raw load or store)", block.element),
        Reach::Stage(StageData::WorkgroupMemory) => {
            let count = if block.count == Count::Finite(1) { String::new() } else { format!("[{}]", block.count) };
            format!("groupshared {} {declared_name}{count}", block.element)
        }
        Reach::Stage(data) => format!("{}{} ({data})", block.element, variable()),
        Reach::Pointer(Pointer { place: PointerPlace::Code, .. }) => format!("{} (pointer)", block.element),
        Reach::Pointer(_) => format!("{} is pointed to by {name}", block.element),
    };
    Some(one_line(&words))
}

fn declared_parameter_block(module: &Module, block: &Block) -> Option<String> {
    let name = &block.declared_name;
    let words = match block.kind {
        BlockKind::Cbuffer => format!("cbuffer {name}"),
        BlockKind::Tbuffer => format!("tbuffer {name}"),
        BlockKind::Globals => format!("loose globals {name}"),
        BlockKind::EntryUniforms => {
            let entry = block.entry_point.and_then(|entry| module.entry_points.get(entry));
            format!("uniform parameters of {}", entry.map_or(name, |entry| &entry.name))
        }
        BlockKind::PushConstant => format!("[[vk::push_constant]] {}", declared_parameter(module, name)?),
        BlockKind::ShaderRecord => format!("[[vk::shader_record]] {}", declared_parameter(module, name)?),
        BlockKind::ConstantBuffer
        | BlockKind::Pointee
        | BlockKind::StageData
        | BlockKind::TextureBuffer
        | BlockKind::ParameterBlock
        | BlockKind::StructuredElement
        | BlockKind::UniformBlock
        | BlockKind::StorageBlock
        | BlockKind::Workgroup => declared_parameter(module, name)?,
    };
    Some(one_line(&words))
}

/// The declaration of the parameter at `path`: `Texture2D<float4> albedo[4]`, `material.albedo` for
/// a member. `None` if the module has none.
pub(crate) fn declared_parameter(module: &Module, path: &str) -> Option<String> {
    let bare = path.split('[').next().unwrap_or(path);
    let ty = type_at(module, bare)?;
    if let Type::Struct(_) = ty
        && module.blocks.iter().any(|block| block.name == path && block.kind.has_direct_members())
    {
        return module.blocks.iter().find(|block| block.name == path).and_then(|block| declared_block(module, block));
    }
    let (base, counts) = ty.dimensions();
    Some(one_line(&format!("{base} {bare}{}", dimensions(&counts))))
}

/// `[4][]`.
fn dimensions(counts: &[Count]) -> String {
    counts.iter().map(|count| format!("[{count}]")).collect::<Vec<_>>().concat()
}

fn type_at<'m>(module: &'m Module, path: &str) -> Option<&'m Type> {
    let mut steps = path.split('.');
    let first = steps.next()?;
    let global = module.parameters.iter().find(|parameter| parameter.name == first).map(|parameter| &parameter.ty);
    let of_entry = || {
        let mut parameters = module.entry_points.iter().flat_map(|entry| &entry.parameters);
        parameters.find(|parameter| parameter.name == first).map(|parameter| &parameter.ty)
    };
    let mut ty = global.or_else(of_entry)?;
    for step in steps {
        let element = match ty.dimensions().0 {
            Type::Resource(Resource { element: Some(element), .. }) => element,
            other => other,
        };
        let Type::Struct(structure) = element.dimensions().0 else { return None };
        ty = &structure.member(step)?.ty;
    }
    Some(ty)
}

/// The declarations of the parameters that are bound but have no bytes of their own, those of one
/// type together: `Texture2D albedo, normals`.
pub(crate) fn declared_resources(module: &Module) -> Vec<String> {
    let has_block = |name: &str| module.blocks.iter().any(|block| block.name == name);
    let mut by_type: IndexMap<String, Vec<String>> = IndexMap::new();
    for parameter in module.parameters.iter().filter(|parameter| !has_block(&parameter.name)) {
        let (base, counts) = parameter.ty.dimensions();
        if !matches!(base, Type::Resource(_)) {
            continue;
        }
        let name = format!("{}{}", parameter.name, dimensions(&counts));
        by_type.entry(base.to_string()).or_default().push(name);
    }
    by_type.into_iter().map(|(base, names)| one_line(&format!("{base} {}", names.join(", ")))).collect()
}

/// The option of DXC that moves the later of two parameters to another binding, if their registers
/// are of different classes: all classes share the bindings of a set.
pub(crate) fn shift_option(module: &Module, first: &str, second: &str) -> Option<String> {
    let class = |path: &str| {
        let parameter = module.parameters.iter().find(|parameter| parameter.name == path)?;
        let annotations = &parameter.annotations;
        let has_binding = annotations.attribute(Some("vk"), "binding").is_some();
        let class = annotations.registers.iter().find_map(|register| register.class);
        class.filter(|_| !has_binding)
    };
    let (first, second) = (class(first)?, class(second)?);
    match second {
        RegisterClass::Unit(unit) if first != second => Some(format!("-fvk-{unit}-shift")),
        RegisterClass::Unit(_) | RegisterClass::Constant | RegisterClass::Integer => None,
    }
}
