//! What Clang's IR for Direct3D states: the layout of a block, in the type of a constant buffer or
//! of a structured buffer's element, and the resources with their registers.
//!
//! [`crate::llvm`] reads the text and follows the code.
//!
//! The types name no members below the first level, so our own layout names them in order. A struct
//! with a different number of members, for example because of a base, is left out. Explicit padding
//! does not count as a member, and neither do the byte arrays that replace it in C++ structs.

use layoutproof_bindings::BindingPlace;
use layoutproof_layout::shape::{Count, MatrixOrder};
use layoutproof_layout::{BlockKind, BlockLayout, LaidOut, LaidOutMember, LaidOutShape, Numbers, Quantity, join};

use crate::dxil::ListedBuffer;
use crate::llvm::{ConstantBuffer, IrError, LaidOutStruct, Module, Primitive, Program, Type};
use crate::registers::unit_of;

/// Suffixes of variables that hold a constant buffer's handle.
const HANDLE_ENDINGS: [&str; 2] = [".cb", ".tb"];

/// The numbers that the module's types state for the block of `layout`; empty if they do not
/// mention it.
pub fn reported(text: &str, layout: &BlockLayout) -> Result<Numbers, IrError> {
    let Ok(root) = &layout.result else { return Ok(Numbers::default()) };
    let program = Program::only(text)?;

    let mut told = ReportedNumbers { module: &program.module, numbers: Numbers::default() };
    let mut buffers = program.module.constant_buffers.iter();
    match (buffers.find(|buffer| stands_for(&buffer.variable, &layout.name)), &root.shape) {
        (Some(own), LaidOutShape::Struct(members)) if layout.kind != BlockKind::StructuredElement => {
            told.constant_buffer(&layout.name, own, members)?;
        }
        _ => {
            let resources = program.survey().resources;
            let own = resources.into_iter().find(|resource| resource.name == layout.name);
            if let Some(element) = own.and_then(|resource| resource.element) {
                told.element(layout, &element, root)?;
            }
        }
    }
    Ok(told.numbers)
}

/// True if the variable holds the handle of the block. Clang leaves namespaces out of its name.
fn stands_for(variable: &str, block: &str) -> bool {
    let own = block.rsplit("::").next().unwrap_or(block);
    HANDLE_ENDINGS.iter().any(|ending| variable.strip_suffix(ending) == Some(own))
}

/// The variable's name in the source: the last part of `_ZN1N1zE`, or the whole name.
fn source_name(variable: &str) -> &str {
    let Some(mut rest) = variable.strip_prefix("_ZN").and_then(|rest| rest.strip_suffix('E')) else { return variable };
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let length: usize = rest[..digits].parse().unwrap_or(0);
        match rest.get(digits + length..) {
            Some("") => return &rest[digits..],
            Some(behind) if length > 0 => rest = behind,
            _ => return variable,
        }
    }
}

/// The cells of a matrix, and the order in which they are contiguous.
struct MatrixCells {
    rows: u32,
    columns: u32,
    order: MatrixOrder,
}

/// Collects the numbers of a block.
struct ReportedNumbers<'a> {
    module: &'a Module,
    numbers: Numbers,
}

impl ReportedNumbers<'_> {
    fn constant_buffer(
        &mut self,
        block: &str,
        buffer: &ConstantBuffer,
        members: &[LaidOutMember],
    ) -> Result<(), IrError> {
        self.numbers.add(Quantity::Size, block, bytes(buffer.layout.measure.size));

        for (variable, place) in &buffer.members {
            let name = source_name(variable);
            if let Some(member) = members.iter().find(|member| member.name == name) {
                let (ty, offset) = (&buffer.layout.members[*place], buffer.layout.offsets[*place]);
                self.member(&join(block, name), offset, ty, &member.layout)?;
            }
        }
        Ok(())
    }

    /// The element of a structured buffer, or the content of a `ConstantBuffer<T>`.
    fn element(&mut self, block: &BlockLayout, ty: &Type, root: &LaidOut) -> Result<(), IrError> {
        let size = bytes(self.module.types.measure(ty)?.size);
        self.numbers.add(Quantity::Size, &block.name, size);
        if block.kind == BlockKind::StructuredElement {
            self.numbers.add(Quantity::ArrayStride, &block.name, size);
        }
        self.parts(&block.name, 0, ty, root)
    }

    /// A member, `offset` bytes from the start of the block.
    fn member(&mut self, path: &str, offset: u64, ty: &Type, layout: &LaidOut) -> Result<(), IrError> {
        self.numbers.add(Quantity::Offset, path, bytes(offset));
        self.parts(path, offset, ty, layout)
    }

    fn parts(&mut self, path: &str, offset: u64, ty: &Type, laid_out: &LaidOut) -> Result<(), IrError> {
        match &laid_out.shape {
            LaidOutShape::Struct(members) => match self.module.types.structure(ty)? {
                Some(own) => self.members(path, offset, &own, members),
                None => Ok(()),
            },
            LaidOutShape::Array { element, count, .. } => match self.element_of(ty)? {
                Some((of_element, stride)) => {
                    // An array with a single element does not show its stride.
                    let stride = bytes(stride).filter(|_| *count != Count::Finite(1));
                    self.numbers.add(Quantity::ArrayStride, path, stride);
                    self.parts(&format!("{path}[]"), offset, &of_element, element)
                }
                None => Ok(()),
            },
            LaidOutShape::Matrix { rows, columns, order, .. } => {
                self.cells(path, offset, ty, &MatrixCells { rows: *rows, columns: *columns, order: *order })
            }
            _ => Ok(()),
        }
    }

    /// The cells of a matrix. It is an array of its components, one contiguous vector after the
    /// other, or an array of vectors, whose stride then separates them.
    fn cells(&mut self, path: &str, offset: u64, ty: &Type, cells: &MatrixCells) -> Result<(), IrError> {
        let Some((element, step)) = self.element_of(ty)? else { return Ok(()) };
        let (vectors, length) = cells.order.vectors_and_length(cells.rows, cells.columns);
        let (component, stride) = match element {
            Type::Primitive(_) => (step, step * u64::from(length)),
            Type::Vector(_, component) => (self.module.types.measure(&Type::Primitive(component))?.size, step),
            _ => return Ok(()),
        };

        for (vector, at) in (0..vectors).flat_map(|vector| (0..length).map(move |at| (vector, at))) {
            let (row, column) = cells.order.row_and_column(vector, at);
            let cell = offset + stride * u64::from(vector) + component * u64::from(at);
            self.numbers.add(Quantity::Offset, &format!("{path}[{row}][{column}]"), bytes(cell));
        }

        if vectors > 1 {
            self.numbers.add(Quantity::MatrixStride, path, bytes(stride));
        }
        Ok(())
    }

    fn members(
        &mut self,
        path: &str,
        start: u64,
        own: &LaidOutStruct,
        members: &[LaidOutMember],
    ) -> Result<(), IrError> {
        let typed = own.members.iter().zip(&own.offsets).filter(|(ty, _)| ty.padding().is_none() && !is_bytes(ty));
        let typed: Vec<_> = typed.collect();
        let named: Vec<_> = members.iter().filter(|member| member.layout.shape != LaidOutShape::Resource).collect();
        if typed.len() != named.len() || named.iter().any(|member| member.is_base || member.bits.is_some()) {
            return Ok(());
        }

        for ((ty, offset), member) in typed.into_iter().zip(named) {
            self.member(&join(path, &member.name), start + offset, ty, &member.layout)?;
        }
        Ok(())
    }

    /// The element of an array and its stride. In a constant buffer an array is `<{ [2 x <{ float,
    /// target("dx.Padding", 12) }>], float }>`, whose last element has no padding after it.
    fn element_of(&self, ty: &Type) -> Result<Option<(Type, u64)>, IrError> {
        if let Type::Array(_, element) = ty {
            return Ok(Some((Type::clone(element), self.module.types.measure(element)?.size)));
        }
        let own = self.module.types.structure(ty)?;
        let Some([Type::Array(_, padded), last]) = own.as_ref().map(|own| &own.members[..]) else {
            return Ok(None);
        };
        Ok(Some((last.clone(), self.module.types.measure(padded)?.size)))
    }
}

/// True for the padding in C++ structs.
fn is_bytes(ty: &Type) -> bool {
    *ty == Type::Primitive(Primitive::Integer(8))
        || matches!(ty, Type::Array(_, element) if **element == Type::Primitive(Primitive::Integer(8)))
}

fn bytes(number: u64) -> Option<u32> {
    u32::try_from(number).ok()
}

/// The constant buffers in the module's order, without namespaces in their names.
pub fn constant_buffers(text: &str) -> Result<Vec<ListedBuffer>, IrError> {
    let module = Module::read(text)?;

    let listed = module.constant_buffers.iter().map(|buffer| {
        let ended = HANDLE_ENDINGS.iter().find_map(|ending| buffer.variable.strip_suffix(ending));
        let members = buffer.members.iter();
        let members = members.map(|(variable, place)| {
            Ok((source_name(variable).to_owned(), u32::try_from(buffer.layout.offsets[*place])?))
        });
        Ok(ListedBuffer {
            name: ended.unwrap_or(&buffer.variable).to_owned(),
            size: u32::try_from(buffer.layout.measure.size)?,
            members: members.collect::<Result<_, IrError>>()?,
        })
    });
    listed.collect()
}

/// The resources for which the first entry point makes handles, each with its place; `None` if a
/// later pass chooses it.
pub fn resources(text: &str) -> Result<Vec<(String, Option<BindingPlace>)>, IrError> {
    let resources = Program::only(text)?.survey().resources;
    let placed = resources.into_iter().map(|resource| {
        let unit = unit_of(resource.site.class);
        let (space, index) = (resource.site.space, resource.site.register);
        let place = BindingPlace { unit, space, index, count: resource.count };
        (resource.name, (!resource.implicit).then_some(place))
    });
    Ok(placed.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_variables_are_those_of_the_source() {
        // The Itanium C++ ABI, "External Names": <nested-name> ::= N <prefix> <unqualified-name> E.
        assert_eq!(source_name("_ZN5Outer5Inner1zE"), "z");
        assert_eq!(source_name("_ZN1N1zE"), "z");
        assert_eq!(source_name("x"), "x");
        assert_eq!(source_name("_ZN9E"), "_ZN9E");
        assert!(stands_for("B.cb", "N::B") && stands_for("$Globals.cb", "$Globals") && !stands_for("B.cb", "C"));
    }
}
