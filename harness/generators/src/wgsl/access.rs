//! Follows a leaf's steps through the WGSL type of a laid-out type.

use layoutproof_layout::Leaf;
use layoutproof_layout::shape::Count;
use layoutproof_layout::tree::LeafStep;

use super::NotExpressible;
use super::node::{ELEMENT, NodeShape, WgslNode, WgslScalar};
use layoutproof_probes::is_indexed;
use layoutproof_readers::wgsl_probe::{BLOCK, WgslStep};

/// Returns the expression that follows `steps` from the block's variable.
pub(super) fn expression(steps: &[WgslStep]) -> String {
    steps.iter().fold(BLOCK.to_owned(), |text, step| text + &step.to_string())
}

/// Returns the expression that follows `steps` from the block's variable, with the indices of array elements and of matrix
/// cells from the input: word `table` there is 0, the next one 1, and so on.
pub(super) fn indexed_expression(steps: &[WgslStep], table: usize) -> String {
    let mut text = BLOCK.to_owned();
    let mut is_in_matrix = false;
    for step in steps {
        let indexed = match step {
            WgslStep::Element(index) | WgslStep::Column(index) => Some(*index),
            WgslStep::Component(index) => Some(*index).filter(|_| is_in_matrix),
            WgslStep::Member { .. } => None,
        };
        let step_text =
            indexed.map_or_else(|| step.to_string(), |index| format!("[input[{}]]", table + index as usize));
        text += &step_text;
        is_in_matrix = matches!(step, WgslStep::Column(_));
    }
    text
}

/// How the text accesses a leaf, starting from the block's variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WgslLeafAccess {
    /// The steps from the block's variable to the leaf.
    pub(super) path: Vec<WgslStep>,
    pub(super) scalar: WgslScalar,
    /// The length of the vector that contains the leaf; `None` for a scalar on its own.
    pub(super) vector: Option<u32>,
    /// True if the leaf is in an array or a matrix.
    pub(super) is_indexed: bool,
}

impl WgslLeafAccess {
    /// Returns the steps to the vector that contains the leaf, and the last step within it; `None`
    /// for a scalar on its own.
    pub(super) fn in_vector(&self) -> Option<(&[WgslStep], &WgslStep)> {
        let (component, vector) = self.path.split_last()?;
        self.vector.map(|_| (vector, component))
    }
}

impl WgslNode {
    /// Returns the access to `leaf`.
    ///
    /// # Errors
    ///
    /// The leaf is not part of the block.
    pub(super) fn access(&self, leaf: &Leaf) -> Result<WgslLeafAccess, NotExpressible> {
        let access = self.follow(&leaf.steps, Vec::new());
        let access = access.ok_or_else(|| NotExpressible::new(&leaf.path, "no part of the block"))?;
        Ok(WgslLeafAccess { is_indexed: is_indexed(leaf), ..access })
    }

    fn follow(&self, steps: &[LeafStep], mut path: Vec<WgslStep>) -> Option<WgslLeafAccess> {
        match (&self.shape, steps) {
            // A vector of one component and a matrix of one cell are scalars in WGSL.
            (NodeShape::Scalar(scalar), [] | [LeafStep::Component(0) | LeafStep::Cell { row: 0, column: 0 }]) => {
                Some(WgslLeafAccess { path, scalar: *scalar, vector: None, is_indexed: false })
            }
            (NodeShape::Vector { scalar, length }, [step]) => {
                path.push(WgslStep::Component(vector_component(*step)?));
                Some(WgslLeafAccess { path, scalar: *scalar, vector: Some(*length), is_indexed: false })
            }
            (NodeShape::Matrix { scalar, grid }, [LeafStep::Cell { row, column }]) => {
                let (vector, component) = grid.place(*row, *column);
                path.extend([WgslStep::Column(vector), WgslStep::Component(component)]);
                Some(WgslLeafAccess { path, scalar: *scalar, vector: Some(grid.length), is_indexed: false })
            }
            (NodeShape::Array { element, wrapper, .. }, [LeafStep::Element(index), rest @ ..]) => {
                path.push(WgslStep::Element(*index));
                path.extend(wrapper.as_ref().map(|_| wrapped_element()));
                element.follow(rest, path)
            }
            (NodeShape::Struct(members), [LeafStep::Member(source), rest @ ..]) => {
                let (index, member) = (0..).zip(members).find(|(_, member)| member.source == Some(*source))?;
                path.push(WgslStep::Member { index, name: member.name.clone() });
                member.node.follow(rest, path)
            }
            _ => None,
        }
    }

    /// Returns the steps from the block's variable to the runtime-sized array that ends the block.
    pub(super) fn runtime_sized_place(&self) -> Option<Vec<WgslStep>> {
        match &self.shape {
            NodeShape::Array { count: Count::Unbounded, .. } => Some(Vec::new()),
            NodeShape::Struct(members) => {
                let (index, last) = (0..).zip(members).last()?;
                let is_array = matches!(last.node.shape, NodeShape::Array { count: Count::Unbounded, .. });
                is_array.then(|| vec![WgslStep::Member { index, name: last.name.clone() }])
            }
            NodeShape::Scalar(_) | NodeShape::Vector { .. } | NodeShape::Matrix { .. } | NodeShape::Array { .. } => {
                None
            }
        }
    }

    /// Returns the path of the runtime-sized array in the block, if it has one.
    pub(super) fn runtime_sized(&self) -> Option<String> {
        match &self.shape {
            NodeShape::Scalar(_) | NodeShape::Vector { .. } | NodeShape::Matrix { .. } => None,
            NodeShape::Array { count: Count::Unbounded, .. } => Some(self.path.clone()),
            NodeShape::Array { count: Count::Finite(_), element, .. } => element.runtime_sized(),
            NodeShape::Struct(members) => members.iter().find_map(|member| member.node.runtime_sized()),
        }
    }
}

/// The step into a wrapper struct.
pub(super) fn wrapped_element() -> WgslStep {
    WgslStep::Member { index: 0, name: ELEMENT.to_owned() }
}

/// Returns the component index of a step into a vector, or into a matrix that is a single vector.
fn vector_component(step: LeafStep) -> Option<u32> {
    match step {
        LeafStep::Component(index)
        | LeafStep::Cell { row: 0, column: index }
        | LeafStep::Cell { row: index, column: 0 } => Some(index),
        LeafStep::Cell { .. } | LeafStep::Member(_) | LeafStep::Element(_) => None,
    }
}
