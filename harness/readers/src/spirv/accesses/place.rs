//! Follows pointers through types: the bytes, the member and the type that an access chain leads to.

use std::cell::RefCell;

use rspirv::spirv::Word;
use rustc_hash::FxHashMap;

use super::Why;
use super::trace::MemoryId;
use super::value::{Sum, SymbolId, Symbols};
use crate::spirv::types::{MatrixLayout, SpirvType, SpirvTypes};

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Of this struct.
    Member(Word, u32),
    /// Of an array, by its index if that is constant.
    Element(Option<u32>),
    /// Of a vector.
    Component(Option<u32>),
    /// A vector of a matrix.
    Column(Option<u32>),
}

impl Step {
    /// Any element in place of one.
    pub(super) fn without_index(self) -> Self {
        match self {
            Self::Element(_) => Self::Element(None),
            own => own,
        }
    }
}

/// An index outside of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Beyond {
    pub(super) least: i64,
    pub(super) length: u32,
}

/// What a pointer points to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) memory: MemoryId,
    /// The type from which the path starts.
    pub(super) root: Word,
    pub(super) steps: Vec<Step>,
    pub(super) ty: Word,
    /// The layout of the matrices in the value there.
    pub(super) matrix: Option<MatrixLayout>,
    /// Bytes from one component of the vector there to the next, if they do not adjoin.
    pub(super) component_stride: Option<u32>,
    /// Bytes from the start of the memory.
    pub(super) at: Result<Sum, Why>,
    /// The byte at which the path starts.
    pub(super) root_at: Result<Sum, Why>,
    pub(super) beyond: Option<Beyond>,
    /// An index outside of an array in code that nothing decides about, and the symbols of the index.
    pub(super) reached: Option<(Beyond, Vec<SymbolId>)>,
    /// A stride on the way that is smaller than its element, and the size of that.
    pub(super) overlap: Option<(u32, u32)>,
}

impl Place {
    pub(super) fn start(memory: MemoryId, root: Word) -> Self {
        Self {
            memory,
            root,
            steps: Vec::new(),
            ty: root,
            matrix: None,
            component_stride: None,
            at: Ok(Sum::default()),
            root_at: Ok(Sum::default()),
            beyond: None,
            reached: None,
            overlap: None,
        }
    }

    /// The same bytes as another type.
    pub(super) fn cast(self, root: Word) -> Self {
        if self.ty == root {
            return self;
        }
        let root_at = self.at.clone();
        Self { root, steps: Vec::new(), ty: root, matrix: None, component_stride: None, root_at, ..self }
    }

    /// This many bytes further.
    pub(super) fn plus(mut self, bytes: &Sum) -> Self {
        self.at = self.at.and_then(|at| at.plus(bytes).ok_or(Why::ManyTerms));
        self
    }

    /// What both places have in common; `None` if they have different types.
    pub(super) fn same_but_for_bytes(&self, other: &Self) -> bool {
        (self.memory, self.root, self.ty, self.matrix, self.component_stride)
            == (other.memory, other.root, other.ty, other.matrix, other.component_stride)
            && self.steps.len() == other.steps.len()
            && self.steps.iter().zip(&other.steps).all(|(one, other)| one.without_index() == other.without_index())
    }

    /// Forgets the indices of elements that another place does not have.
    pub(super) fn join_steps(&mut self, other: &Self) {
        for (own, other) in self.steps.iter_mut().zip(&other.steps) {
            if own != other {
                *own = own.without_index();
            }
        }
    }
}

/// Sizes of types, by the stride and the order of their matrices.
type KnownSizes = FxHashMap<(Word, Option<(u32, bool)>), Option<u32>>;

/// The types of a module with their sizes.
#[derive(Debug)]
pub(super) struct Layouts<'a> {
    pub(super) types: &'a SpirvTypes,
    /// Sizes that are known already, because types contain types.
    sizes: RefCell<KnownSizes>,
}

/// What a type has at a byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    Scalar {
        path: String,
        ty: Word,
        /// The byte at which it starts.
        start: u32,
        row_major: Option<bool>,
    },
    /// A member whose parts are not known: a pointer.
    Opaque,
    Padding,
    /// After the end.
    Beyond,
}

impl<'a> Layouts<'a> {
    pub(super) fn new(types: &'a SpirvTypes) -> Self {
        Self { types, sizes: RefCell::default() }
    }

    /// The place of a part.
    pub(super) fn part(&self, place: &Place, index: &Sum, symbols: &Symbols) -> Option<Place> {
        let constant = index.as_constant();
        let small = constant.and_then(|index| u32::try_from(index).ok());
        let mut part = place.clone();
        let advanced = |place: &Place, bytes: Option<u32>| -> Result<Sum, Why> {
            let bytes = index.times(i64::from(bytes.ok_or(Why::NoLayout)?)).ok_or(Why::ManyTerms)?;
            place.at.as_ref().map_err(|why| *why)?.plus(&bytes).ok_or(Why::ManyTerms)
        };
        let beyond = |length: u32| {
            let least = symbols.least(index).filter(|least| *least >= i64::from(length));
            let negative = constant.filter(|index| *index < 0);
            place.beyond.or(least.or(negative).map(|least| Beyond { least, length }))
        };
        let reached = |length: u32| {
            let outside = symbols
                .reached_outside(index, length)
                .map(|least| (Beyond { least, length }, index.terms.iter().map(|(symbol, _)| *symbol).collect()));
            place.reached.clone().or(outside)
        };
        let overlap = |stride: Option<u32>, element: Word| {
            let (stride, size) = stride.zip(self.size(element, place.matrix))?;
            (stride < size).then_some((stride, size))
        };
        match self.types.get(place.ty) {
            SpirvType::Struct(members) => {
                let number = small?;
                let member = members.get(number as usize)?;
                part.at = match member.offset {
                    Some(offset) => part.at.and_then(|at| at.plus(&Sum::constant(offset.into())).ok_or(Why::ManyTerms)),
                    None => Err(Why::NoLayout),
                };
                part.steps.push(Step::Member(place.ty, number));
                (part.ty, part.matrix) = (member.ty, member.matrix);
            }
            SpirvType::Array { element, length, stride } => {
                // A pipeline may make the array longer.
                let is_fixed = self.types.specialized_length(place.ty).is_none();
                (part.beyond, part.reached) =
                    if is_fixed { (beyond(*length), reached(*length)) } else { (place.beyond, place.reached.clone()) };
                part.ty = *element;
                part.overlap = place.overlap.or(overlap(*stride, *element));
                if !(stride.is_none() && place.steps.is_empty() && self.is_block(*element)) {
                    part.at = advanced(place, *stride);
                    part.steps.push(Step::Element(small));
                }
            }
            SpirvType::RuntimeArray { element, stride } => {
                part.beyond = constant.filter(|index| *index < 0).map(|least| Beyond { least, length: 0 });
                part.reached = reached(u32::MAX).filter(|(outside, _)| outside.least < 0);
                part.ty = *element;
                part.overlap = place.overlap.or(overlap(*stride, *element));
                if !(stride.is_none() && place.steps.is_empty() && self.is_block(*element)) {
                    part.at = advanced(place, *stride);
                    part.steps.push(Step::Element(small));
                }
            }
            SpirvType::Matrix { column, columns } => {
                let SpirvType::Vector { component, .. } = self.types.get(*column) else { return None };
                let (between, within) = match place.matrix {
                    Some(MatrixLayout { stride, row_major: true }) => (self.width(*component), Some(stride)),
                    Some(MatrixLayout { stride, row_major: false }) => (Some(stride), None),
                    None => (None, None),
                };
                part.at = advanced(place, between);
                (part.beyond, part.reached) = (beyond(*columns), reached(*columns));
                part.component_stride = within;
                part.steps.push(Step::Column(small));
                part.ty = *column;
            }
            SpirvType::Vector { component, length } => {
                part.at = advanced(place, place.component_stride.or(self.width(*component)));
                (part.beyond, part.reached) = (beyond(*length), reached(*length));
                part.component_stride = None;
                part.steps.push(Step::Component(small));
                part.ty = *component;
            }
            _ => return None,
        }
        Some(part)
    }

    /// True for a block, or an array of blocks: its elements are descriptors.
    fn is_block(&self, mut ty: Word) -> bool {
        while let SpirvType::Array { element, stride: None, .. } | SpirvType::RuntimeArray { element, stride: None } =
            self.types.get(ty)
        {
            ty = *element;
        }
        self.types.blocks.contains(&ty) || self.types.buffer_blocks.contains(&ty)
    }

    /// The type of a block inside of arrays of descriptors.
    pub(super) fn block(&self, mut ty: Word) -> Word {
        while let SpirvType::Array { element, stride: None, .. } | SpirvType::RuntimeArray { element, stride: None } =
            self.types.get(ty)
        {
            ty = *element;
        }
        ty
    }

    /// The size of a scalar or an address, in bytes.
    pub(super) fn width(&self, scalar: Word) -> Option<u32> {
        match self.types.get(scalar) {
            SpirvType::Int { bits, .. } | SpirvType::Float { bits } => Some(bits / 8),
            _ if self.types.is_address(scalar) => Some(8),
            _ => None,
        }
    }

    /// Bytes from the first to the last one of a value, gaps included; `None` for types without an end or a layout.
    pub(super) fn size(&self, ty: Word, matrix: Option<MatrixLayout>) -> Option<u32> {
        let key = (ty, matrix.map(|matrix| (matrix.stride, matrix.row_major)));
        if let Some(known) = self.sizes.borrow().get(&key) {
            return *known;
        }
        let size = self.computed_size(ty, matrix);
        self.sizes.borrow_mut().insert(key, size);
        size
    }

    fn computed_size(&self, ty: Word, matrix: Option<MatrixLayout>) -> Option<u32> {
        let repeated =
            |count: u32, stride: u32, last: u32| stride.checked_mul(count.checked_sub(1)?)?.checked_add(last);
        match self.types.get(ty) {
            SpirvType::Vector { component, length } => self.width(*component)?.checked_mul(*length),
            SpirvType::Matrix { column, columns } => {
                let SpirvType::Vector { component, length } = self.types.get(*column) else { return None };
                let MatrixLayout { stride, row_major } = matrix?;
                let (count, in_vector) = if row_major { (*length, *columns) } else { (*columns, *length) };
                repeated(count, stride, self.width(*component)?.checked_mul(in_vector)?)
            }
            SpirvType::Array { element, length, stride } => repeated(*length, (*stride)?, self.size(*element, matrix)?),
            SpirvType::Struct(members) => members.iter().try_fold(0_u32, |size, member| {
                let end = member.offset?.checked_add(self.size(member.ty, member.matrix)?)?;
                Some(size.max(end))
            }),
            _ => self.width(ty),
        }
    }

    /// Bytes up to the end of the last part with a size, and the start and the stride of an array without a length.
    pub(super) fn sized_part(&self, ty: Word) -> Option<(u32, Option<(u32, u32)>)> {
        match self.types.get(ty) {
            SpirvType::RuntimeArray { stride, .. } => Some((0, Some((0, (*stride)?)))),
            SpirvType::Struct(members) => members.iter().try_fold((0, None), |(size, open), member| {
                let start = member.offset?;
                let (own, own_open) = match self.types.get(member.ty) {
                    SpirvType::Struct(_) | SpirvType::RuntimeArray { .. } => self.sized_part(member.ty)?,
                    _ => (self.size(member.ty, member.matrix)?, None),
                };
                let own_open = match own_open {
                    Some((at, stride)) => Some((start.checked_add(at)?, stride)),
                    None => None,
                };
                Some((size.max(start.checked_add(own)?), open.or(own_open)))
            }),
            _ => Some((self.size(ty, None)?, None)),
        }
    }

    /// Bytes of the value at a place.
    pub(super) fn size_at(&self, place: &Place) -> Option<u32> {
        match (self.types.get(place.ty), place.component_stride) {
            (SpirvType::Vector { component, length }, Some(stride)) => {
                stride.checked_mul(length.checked_sub(1)?)?.checked_add(self.width(*component)?)
            }
            _ => self.size(place.ty, place.matrix),
        }
    }

    /// What a type has at a byte.
    pub(super) fn leaf(&self, ty: Word, matrix: Option<MatrixLayout>, at: u32) -> Leaf {
        self.leaf_below(ty, matrix, at, 0, String::new())
    }

    fn leaf_below(&self, ty: Word, matrix: Option<MatrixLayout>, at: u32, start: u32, mut path: String) -> Leaf {
        // A type is nested at most 64 deep.
        match self.types.get(ty) {
            SpirvType::Struct(members) => {
                let found = members.iter().enumerate().find(|(_, member)| {
                    let Some(offset) = member.offset else { return false };
                    at >= offset && self.size(member.ty, member.matrix).is_none_or(|size| at - offset < size)
                });
                match found {
                    Some((index, member)) => {
                        if !self.is_wrapper(ty) {
                            if !path.is_empty() {
                                path.push('.');
                            }
                            path += &member.name.clone().unwrap_or_else(|| format!("_{index}"));
                        }
                        let offset = member.offset.unwrap_or(0);
                        self.leaf_below(member.ty, member.matrix, at - offset, start + offset, path)
                    }
                    None if self.size(ty, None).is_some_and(|size| at >= size) => Leaf::Beyond,
                    None => Leaf::Padding,
                }
            }
            SpirvType::Array { element, stride, .. } | SpirvType::RuntimeArray { element, stride } => {
                let Some(stride) = stride.filter(|stride| *stride > 0) else { return Leaf::Opaque };
                if let SpirvType::Array { length, .. } = self.types.get(ty)
                    && at / stride >= *length
                {
                    return Leaf::Beyond;
                }
                let start = start + at / stride * stride;
                match self.leaf_below(*element, matrix, at % stride, start, path + "[]") {
                    Leaf::Beyond => Leaf::Padding,
                    leaf => leaf,
                }
            }
            SpirvType::Matrix { column, columns } => {
                let (SpirvType::Vector { component, length }, Some(MatrixLayout { stride, row_major })) =
                    (self.types.get(*column), matrix)
                else {
                    return Leaf::Opaque;
                };
                let (Some(width), true) = (self.width(*component), stride > 0) else { return Leaf::Opaque };
                let in_vector = if row_major { *columns } else { *length } * width;
                if at % stride >= in_vector {
                    return Leaf::Padding;
                }
                let start = start + at / stride * stride + at % stride / width * width;
                Leaf::Scalar { path, ty: *component, start, row_major: Some(row_major) }
            }
            SpirvType::Vector { component, length } => match self.width(*component) {
                Some(width) if at >= width * length => Leaf::Beyond,
                Some(width) => {
                    Leaf::Scalar { path, ty: *component, start: start + at / width * width, row_major: None }
                }
                None => Leaf::Opaque,
            },
            SpirvType::Int { .. } | SpirvType::Float { .. } => match self.width(ty) {
                Some(width) if at < width => Leaf::Scalar { path, ty, start, row_major: None },
                _ => Leaf::Beyond,
            },
            _ => Leaf::Opaque,
        }
    }

    pub(super) fn type_name(&self, ty: Word) -> String {
        match self.types.get(ty) {
            SpirvType::Void => "void".to_owned(),
            SpirvType::Bool => "bool".to_owned(),
            SpirvType::Int { bits: 32, signed } => if *signed { "int" } else { "uint" }.to_owned(),
            SpirvType::Int { bits, signed } => format!("{}int{bits}_t", if *signed { "" } else { "u" }),
            SpirvType::Float { bits: 16 } => "float16_t".to_owned(),
            SpirvType::Float { bits: 32 } => "float".to_owned(),
            SpirvType::Float { bits: 64 } => "double".to_owned(),
            SpirvType::Float { bits } => format!("float{bits}_t"),
            SpirvType::Vector { component, length } => format!("{}{length}", self.type_name(*component)),
            SpirvType::Matrix { column, columns } => match self.types.get(*column) {
                SpirvType::Vector { component, length } => {
                    format!("{}{length}x{columns}", self.type_name(*component))
                }
                _ => "matrix".to_owned(),
            },
            SpirvType::Array { element, length, .. } => format!("{}[{length}]", self.type_name(*element)),
            SpirvType::RuntimeArray { element, .. } => format!("{}[]", self.type_name(*element)),
            SpirvType::Struct(_) => {
                self.types.names.get(&ty).filter(|name| !name.is_empty()).map_or("struct", |name| name).to_owned()
            }
            SpirvType::Pointer { .. } | SpirvType::UntypedPointer { .. } => "pointer".to_owned(),
            SpirvType::Other => "an opaque type".to_owned(),
        }
    }

    /// True for a struct that a compiler puts around the content of a buffer or around an array. slangc 2026.14.1 names
    /// its member.
    fn is_wrapper(&self, ty: Word) -> bool {
        let SpirvType::Struct(members) = self.types.get(ty) else { return false };
        let [only] = members.as_slice() else { return false };
        match only.name.as_deref() {
            None | Some("__member0") => true,
            Some("data") => {
                let is_array = matches!(self.types.get(only.ty), SpirvType::Array { .. });
                is_array && self.types.names.get(&ty).is_some_and(|name| name.starts_with("_Array_"))
            }
            Some(_) => false,
        }
    }

    /// The steps as a path: `lights[].color.y`.
    pub(super) fn path(&self, steps: &[Step]) -> String {
        let mut path = String::new();
        for step in steps {
            match step {
                // A struct around the content, which a compiler adds.
                Step::Member(parent, 0) if self.is_wrapper(*parent) => {}
                Step::Member(parent, index) => {
                    let name = match self.types.get(*parent) {
                        SpirvType::Struct(members) => {
                            members.get(*index as usize).and_then(|member| member.name.clone())
                        }
                        _ => None,
                    };
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path += &name.unwrap_or_else(|| format!("_{index}"));
                }
                Step::Component(Some(index @ 0..4)) => {
                    path.push('.');
                    path.push(['x', 'y', 'z', 'w'][*index as usize]);
                }
                Step::Column(Some(index)) | Step::Element(Some(index)) => {
                    path.extend(["[", &index.to_string(), "]"]);
                }
                Step::Element(None) | Step::Component(_) | Step::Column(None) => path += "[]",
            }
        }
        path
    }

    /// The members of a type that hold data, as paths: `lights[].color`.
    pub(super) fn members(&self, ty: Word) -> Vec<String> {
        let mut found = Vec::new();
        self.add_members(ty, String::new(), &mut found);
        found
    }

    fn add_members(&self, ty: Word, path: String, found: &mut Vec<String>) {
        /// Limit on the listed members of a block.
        const MOST: usize = 4096;
        if found.len() >= MOST {
            return;
        }
        match self.types.get(ty) {
            SpirvType::Struct(members) if self.is_wrapper(ty) => {
                for member in members {
                    self.add_members(member.ty, path.clone(), found);
                }
            }
            SpirvType::Struct(members) => {
                for (index, member) in members.iter().enumerate() {
                    let name = member.name.clone().unwrap_or_else(|| format!("_{index}"));
                    let path = if path.is_empty() { name } else { format!("{path}.{name}") };
                    self.add_members(member.ty, path, found);
                }
            }
            SpirvType::Array { element, .. } | SpirvType::RuntimeArray { element, .. } => {
                self.add_members(*element, path + "[]", found);
            }
            _ => found.push(path),
        }
    }
}
