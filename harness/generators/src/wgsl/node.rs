//! WGSL types with their sizes in bytes. [`super::build`] makes them, and the rest of the generator
//! walks them.

use layoutproof_layout::Component;
use layoutproof_layout::scalar::Scalar;
use layoutproof_layout::shape::{Count, MatrixOrder};

use super::NotExpressible;

/// The scalar types that probes read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WgslScalar {
    F16,
    F32,
    I32,
    U32,
}

/// A WGSL type.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WgslNode {
    /// The type's name in the text.
    pub(super) ty: String,
    /// Path of the part of the block with this type, for messages.
    pub(super) path: String,
    /// WGSL's alignment in bytes.
    pub(super) alignment: u32,
    /// WGSL's size in bytes, including one element of a runtime-sized array.
    pub(super) size: u32,
    pub(super) shape: NodeShape,
}

/// The parts of a WGSL type.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NodeShape {
    Scalar(WgslScalar),
    Vector {
        scalar: WgslScalar,
        length: u32,
    },
    Matrix {
        scalar: WgslScalar,
        grid: Grid,
    },
    Array {
        element: Box<WgslNode>,
        count: Count,
        /// Bytes from one element to the next.
        stride: u32,
        /// Name of the wrapper struct around the element, if it needs one.
        wrapper: Option<String>,
    },
    Struct(Vec<NodeMember>),
}

/// A matrix in WGSL's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    /// The number of contiguous vectors: WGSL's columns, or the rows of a row-major matrix.
    pub(super) vectors: u32,
    /// The number of components of a vector.
    pub(super) length: u32,
    order: MatrixOrder,
}

/// A member of a WGSL struct.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NodeMember {
    /// Index of the laid-out member; `None` for a filler before the first one.
    pub(super) source: Option<u32>,
    /// The member's name in the text.
    pub(super) name: String,
    /// Bytes from the start of the struct by WGSL's rules.
    pub(super) offset: u32,
    pub(super) node: WgslNode,
}

/// Name of the element in a wrapper struct.
pub(super) const ELEMENT: &str = "element";

impl Grid {
    pub(super) fn new(rows: u32, columns: u32, order: MatrixOrder) -> Self {
        let (vectors, length) = order.vectors_and_length(rows, columns);
        Self { vectors, length, order }
    }

    /// Returns the vector that holds a cell of the declared matrix, and the component in it.
    pub(super) fn place(self, row: u32, column: u32) -> (u32, u32) {
        self.order.vector_and_element(row, column)
    }
}

impl WgslScalar {
    pub(super) fn spelling(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::F32 => "f32",
            Self::I32 => "i32",
            Self::U32 => "u32",
        }
    }

    fn size(self) -> u32 {
        match self {
            Self::F16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
        }
    }

    /// The word of a value. A half becomes a float on the way, since naga 30 casts no bits of halves; images hold normal halves
    /// only, which stay what they are.
    pub(super) fn word_of(self, value: &str) -> String {
        match self {
            Self::F16 => format!("pack2x16float(vec2<f32>(f32({value}), 0.0))"),
            Self::F32 | Self::I32 | Self::U32 => format!("bitcast<u32>({value})"),
        }
    }

    /// The value in a word.
    pub(super) fn value_of(self, word: &str) -> String {
        match self {
            Self::F16 => format!("f16(unpack2x16float({word}).x)"),
            Self::F32 | Self::I32 | Self::U32 => format!("bitcast<{}>({word})", self.spelling()),
        }
    }

    /// Returns WGSL's numeric type for `component`.
    pub(super) fn of(path: &str, component: Component) -> Result<Self, NotExpressible> {
        let Component { scalar, size } = component;
        match scalar {
            Scalar::Float16 | Scalar::Half if size == 2 => Ok(Self::F16),
            _ if size != 4 => Err(NotExpressible::new(
                path,
                format!("a `{}` of {size} bytes, which WGSL does not have", scalar.spelling()),
            )),
            Scalar::Bool => Err(NotExpressible::new(path, "a `bool` in memory that a host can see")),
            Scalar::Float16
            | Scalar::Half
            | Scalar::Float32
            | Scalar::Float64
            | Scalar::Min16Float
            | Scalar::Min10Float => Ok(Self::F32),
            Scalar::Int8 | Scalar::Int16 | Scalar::Int32 | Scalar::Int64 | Scalar::Min16Int | Scalar::Min12Int => {
                Ok(Self::I32)
            }
            Scalar::Uint8 | Scalar::Uint16 | Scalar::Uint32 | Scalar::Uint64 | Scalar::Min16Uint => Ok(Self::U32),
        }
    }
}

impl WgslNode {
    pub(super) fn scalar(path: &str, scalar: WgslScalar) -> Self {
        let (size, shape) = (scalar.size(), NodeShape::Scalar(scalar));
        Self { ty: scalar.spelling().to_owned(), path: path.to_owned(), alignment: size, size, shape }
    }

    /// Builds a vector. WGSL has no vectors of one component, so a scalar replaces them.
    pub(super) fn vector(path: &str, component: Component, length: u32) -> Result<Self, NotExpressible> {
        let scalar = WgslScalar::of(path, component)?;
        if length == 1 {
            return Ok(Self::scalar(path, scalar));
        }
        Ok(Self {
            ty: format!("vec{length}<{}>", scalar.spelling()),
            path: path.to_owned(),
            alignment: scalar.size() * length.next_power_of_two(),
            size: scalar.size() * length,
            shape: NodeShape::Vector { scalar, length },
        })
    }

    /// Builds a matrix, or a vector if the matrix consists of a single one.
    pub(super) fn matrix(path: &str, component: Component, grid: Grid) -> Result<Self, NotExpressible> {
        let Grid { vectors, length, .. } = grid;
        let column = Self::vector(path, component, length)?;
        if vectors == 1 {
            return Ok(column);
        }
        let scalar = WgslScalar::of(path, component)?;
        if length == 1 || !matches!(scalar, WgslScalar::F16 | WgslScalar::F32) {
            let scalar = component.scalar.spelling();
            return Err(NotExpressible::new(path, format!("a matrix of {vectors} vectors of {length} `{scalar}`")));
        }
        let (alignment, ty) = (column.alignment, format!("mat{vectors}x{length}<{}>", scalar.spelling()));
        Ok(Self { ty, size: alignment * vectors, shape: NodeShape::Matrix { scalar, grid }, ..column })
    }

    /// Returns true if the type has halves, which WGSL has to be told of.
    pub(super) fn has_halves(&self) -> bool {
        match &self.shape {
            NodeShape::Scalar(scalar) | NodeShape::Vector { scalar, .. } | NodeShape::Matrix { scalar, .. } => {
                *scalar == WgslScalar::F16
            }
            NodeShape::Array { element, .. } => element.has_halves(),
            NodeShape::Struct(members) => members.iter().any(|member| member.node.has_halves()),
        }
    }
}
