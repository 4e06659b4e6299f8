//! Builds WGSL types from laid-out types: WGSL's type names, alignments, sizes, and the struct
//! declarations that they need.
//!
//! An exact fit compares every offset and stride under WGSL's rules with the layout's. A gap before
//! a member becomes `@size` on the member before it, and a wide array stride becomes a wrapper
//! struct around the element. The builder never writes `@align`: it cannot lower an alignment, and
//! raising one only moves later members.

use layoutproof_layout::shape::Count;
use layoutproof_layout::{LaidOut, LaidOutMember, LaidOutShape};
use naga::valid::MAX_TYPE_SIZE;

use super::super::names::member_name;
use super::NotExpressible;
use super::node::{ELEMENT, Grid, NodeMember, NodeShape, WgslNode, WgslScalar};

/// Decides who chooses the offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// The layout: WGSL's offsets must come out the same.
    Exact,
    /// WGSL's own rules.
    Plain,
}

/// Builds nodes, and the struct declarations that they name.
#[derive(Debug)]
pub(super) struct WgslBuilder {
    fit: Fit,
    declarations: Vec<String>,
}

/// An array dimension of the layout.
#[derive(Clone, Copy, Debug)]
struct WgslDimension {
    count: Count,
    /// Bytes from one element to the next.
    stride: u32,
}

impl WgslBuilder {
    pub(super) fn new(fit: Fit) -> Self {
        Self { fit, declarations: Vec::new() }
    }

    /// The same builder for a block with this fit.
    pub(super) fn fitting(&mut self, fit: Fit) -> &mut Self {
        self.fit = fit;
        self
    }

    /// Returns the struct declarations, inner structs first.
    pub(super) fn into_declarations(self) -> String {
        self.declarations.concat()
    }

    /// Builds the node of a type; `None` for a type without bytes.
    pub(super) fn node(&mut self, path: &str, laid_out: &LaidOut) -> Result<Option<WgslNode>, NotExpressible> {
        match &laid_out.shape {
            LaidOutShape::Scalar(component) => WgslNode::vector(path, *component, 1).map(Some),
            LaidOutShape::Vector { component, length } => WgslNode::vector(path, *component, *length).map(Some),
            LaidOutShape::Matrix { component, rows, columns, order, stride } => {
                let node = WgslNode::matrix(path, *component, Grid::new(*rows, *columns, *order))?;
                self.check_matrix(&node, *stride)?;
                Ok(Some(node))
            }
            LaidOutShape::Array { element, count, stride } => {
                let Some(element) = self.node(&format!("{path}[]"), element)? else { return Ok(None) };
                match count {
                    Count::Finite(0) => Ok(None),
                    Count::Finite(_) | Count::Unbounded => {
                        self.array(path, element, WgslDimension { count: *count, stride: *stride }).map(Some)
                    }
                }
            }
            LaidOutShape::Struct(members) => self.structure(path, members),
            LaidOutShape::Pointer { .. } => Err(NotExpressible::new(path, "a pointer")),
            LaidOutShape::Resource => Ok(None),
        }
    }

    fn check_matrix(&self, node: &WgslNode, stride: u32) -> Result<(), NotExpressible> {
        let WgslNode { ty, path, alignment, shape, .. } = node;
        match shape {
            NodeShape::Matrix { .. } if self.fit == Fit::Exact && stride != *alignment => {
                let reason = format!("the vectors of `{ty}` are {alignment} bytes apart, those of the layout {stride}");
                Err(NotExpressible::new(path, reason))
            }
            _ => Ok(()),
        }
    }

    fn array(&mut self, path: &str, element: WgslNode, laid_out: WgslDimension) -> Result<WgslNode, NotExpressible> {
        let WgslDimension { count, stride } = laid_out;
        let natural = element.size.next_multiple_of(element.alignment);
        let (stride, wrapper) = match self.fit {
            Fit::Exact if stride != natural => (stride, Some(self.wrapper(path, &element, stride)?)),
            Fit::Exact | Fit::Plain => (natural, None),
        };

        let name = wrapper.as_deref().unwrap_or(&element.ty);
        let (ty, elements) = match count {
            Count::Finite(count) => (format!("array<{name}, {count}>"), count),
            Count::Unbounded => (format!("array<{name}>"), 1),
        };

        let size = within_naga(path, stride.checked_mul(elements))?;
        let alignment = element.alignment;
        let shape = NodeShape::Array { element: Box::new(element), count, stride, wrapper };
        Ok(WgslNode { ty, path: path.to_owned(), alignment, size, shape })
    }

    /// Declares a struct of `stride` bytes around `element`.
    fn wrapper(&mut self, path: &str, element: &WgslNode, stride: u32) -> Result<String, NotExpressible> {
        let WgslNode { ty, size, alignment, .. } = element;
        if stride < *size {
            let reason = format!("an element `{ty}` takes {size} bytes, the layout's stride is {stride}");
            return Err(NotExpressible::new(path, reason));
        }
        if !stride.is_multiple_of(*alignment) {
            let reason = format!("the stride of `{ty}` is a multiple of {alignment} bytes, the layout's is {stride}");
            return Err(NotExpressible::new(path, reason));
        }
        Ok(self.declare("Element", &format!("    @size({stride}) {ELEMENT}: {ty},\n")))
    }

    fn structure(&mut self, path: &str, members: &[LaidOutMember]) -> Result<Option<WgslNode>, NotExpressible> {
        let mut fields: Vec<NodeMember> = Vec::new();
        for (index, member) in (0..).zip(members) {
            let place = join(path, &member.name);
            if member.bits.is_some() {
                return Err(NotExpressible::new(&place, "a bit-field"));
            }
            let Some(node) = self.node(&place, &member.layout)? else { continue };
            let offset = self.place(&mut fields, &node, member.offset)?;
            fields.push(NodeMember { source: Some(index), name: member_name(index, &member.name), offset, node });
        }

        self.declare_struct(path, fields)
    }

    /// Declares a struct of these members; `None` if there are none.
    pub(super) fn declare_struct(
        &mut self,
        path: &str,
        fields: Vec<NodeMember>,
    ) -> Result<Option<WgslNode>, NotExpressible> {
        let Some(last) = fields.last() else { return Ok(None) };
        let alignment = fields.iter().map(|field| field.node.alignment).max().unwrap_or(1);
        let end = last.offset.checked_add(last.node.size).and_then(|end| end.checked_next_multiple_of(alignment));
        let size = within_naga(path, end)?;
        let ty = self.declare("Struct", &member_lines(&fields));
        Ok(Some(WgslNode { ty, path: path.to_owned(), alignment, size, shape: NodeShape::Struct(fields) }))
    }

    /// Returns the offset of the next member. Adds a filler if the first member is not at offset 0.
    fn place(&self, fields: &mut Vec<NodeMember>, node: &WgslNode, offset: u32) -> Result<u32, NotExpressible> {
        let end = fields.last().map_or(Some(0), |last| last.offset.checked_add(last.node.size));
        let end = within_naga(&node.path, end)?;
        if self.fit == Fit::Plain {
            return Ok(end.next_multiple_of(node.alignment));
        }

        if !offset.is_multiple_of(node.alignment) {
            let WgslNode { ty, alignment, .. } = node;
            let reason = format!("the offset of `{ty}` is a multiple of {alignment} bytes, the layout's is {offset}");
            return Err(NotExpressible::new(&node.path, reason));
        }
        if let Some(last) = fields.last().filter(|_| offset < end) {
            let reason = format!("`{}` ends at {end} bytes in WGSL, the layout's offset is {offset}", last.node.path);
            return Err(NotExpressible::new(&node.path, reason));
        }

        if fields.is_empty() && offset > 0 {
            // Not more aligned than what follows, so that the struct is not either.
            let scalar = if node.alignment < 4 { WgslScalar::F16 } else { WgslScalar::U32 };
            let filler = WgslNode::scalar("", scalar);
            fields.push(NodeMember { source: None, name: "filler".to_owned(), offset: 0, node: filler });
        }
        Ok(offset)
    }

    fn declare(&mut self, prefix: &str, members: &str) -> String {
        let name = format!("{prefix}{}", self.declarations.len());
        self.declarations.push(format!("struct {name} {{\n{members}}}\n\n"));
        name
    }
}

/// Writes the member declarations, with `@size` where WGSL would put the next member elsewhere.
fn member_lines(fields: &[NodeMember]) -> String {
    let lines = fields.iter().enumerate().map(|(index, NodeMember { name, offset, node, .. })| {
        let next = fields.get(index + 1).filter(|next| {
            let end = offset + node.size;
            end.next_multiple_of(next.node.alignment) != next.offset
        });
        let size = next.map(|next| format!("@size({}) ", next.offset - offset)).unwrap_or_default();
        format!("    {size}{name}: {},\n", node.ty)
    });
    lines.collect()
}

/// Joins the path of a member. The members of a base struct, which has no name, count as the
/// struct's own.
fn join(path: &str, name: &str) -> String {
    match (path.is_empty(), name.is_empty()) {
        (_, true) => path.to_owned(),
        (true, false) => name.to_owned(),
        (false, false) => format!("{path}.{name}"),
    }
}

/// Checks a size, which is `None` beyond 2^32, so that later arithmetic cannot overflow.
fn within_naga(path: &str, size: Option<u32>) -> Result<u32, NotExpressible> {
    size.filter(|size| *size <= MAX_TYPE_SIZE).ok_or_else(|| {
        NotExpressible::new(path, format!("larger than {MAX_TYPE_SIZE} bytes, the largest type in naga"))
    })
}
