//! Reads the constant buffers with their first-level members, and the resources with their
//! registers, from Clang's IR. Does not need the program's declarations.

use layoutproof_layout::LayoutUnit;

use super::ClangProgram;
use super::ir::Ir;
use super::layouts::{HANDLE_ENDINGS, source_name};
use crate::dxil::definitions::ListedBuffer;
use crate::llvm::buffers::Class;
use layoutproof_bindings::BindingPlace;

/// The constant buffers in the module's order, without namespaces in their names.
///
/// # Errors
/// A module that cannot be read.
pub fn constant_buffers(text: &str) -> Result<Vec<ListedBuffer>, String> {
    let number = |bytes: u64| u32::try_from(bytes).map_err(|error| error.to_string());
    let ir = Ir::read(text)?;

    let listed = ir.constant_buffers.iter().map(|buffer| {
        let ended = HANDLE_ENDINGS.iter().find_map(|ending| buffer.variable.strip_suffix(ending));
        let members = buffer.members.iter();
        let members = members
            .map(|(variable, place)| Ok((source_name(variable).to_owned(), number(buffer.layout.offsets[*place])?)));
        Ok(ListedBuffer {
            name: ended.unwrap_or(&buffer.variable).to_owned(),
            size: number(buffer.layout.measure.size)?,
            members: members.collect::<Result<_, String>>()?,
        })
    });
    listed.collect()
}

/// The resources for which the first entry point makes handles, each with its place; `None` if a
/// later pass chooses it.
///
/// # Errors
/// A module that cannot be read.
pub fn resources(text: &str) -> Result<Vec<(String, Option<BindingPlace>)>, String> {
    let resources = ClangProgram::only(text)?.survey().resources;
    let placed = resources.into_iter().map(|resource| {
        let unit = match resource.site.class {
            Class::ShaderResource => LayoutUnit::ShaderResource,
            Class::UnorderedAccess => LayoutUnit::UnorderedAccess,
            Class::ConstantBuffer => LayoutUnit::ConstantBuffer,
        };
        let (space, index) = (resource.site.space, resource.site.register);
        let place = BindingPlace { unit, space, index, count: resource.count };
        (resource.name, (!resource.implicit).then_some(place))
    });
    Ok(placed.collect())
}
