//! Builds a SPIR-V module. Types and constants go through rspirv's builder, which reuses equal
//! ones.

use layoutproof_device::{ImageKind, ImageView, TexelType};
use rspirv::dr::{Builder, Operand};
use rspirv::spirv::{
    AddressingModel, Capability, Decoration, Dim, ExecutionMode, ExecutionModel, FunctionControl, ImageFormat,
    MemoryModel, StorageClass, Word,
};

/// Why a builder's call in an open function cannot fail.
pub(super) const OPEN: &str = "a block is open while a body is written";

/// A SPIR-V module under construction.
pub(super) struct Emitter {
    pub(super) builder: Builder,
    capabilities: Vec<Capability>,
    /// The block with one `uint`.
    word_block: Option<Word>,
    /// The ids of the `uint` constants so far.
    constants: Vec<(u32, Word)>,
}

impl Emitter {
    /// Starts an empty module of SPIR-V 1.3.
    pub(super) fn new() -> Self {
        let mut builder = Builder::new();
        builder.set_version(1, 3);
        builder.capability(Capability::Shader);
        builder.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
        Self { builder, capabilities: vec![Capability::Shader], word_block: None, constants: Vec::new() }
    }

    pub(super) fn need(&mut self, capability: Capability) {
        if !self.capabilities.contains(&capability) {
            self.capabilities.push(capability);
            self.builder.capability(capability);
        }
    }

    pub(super) fn uint(&mut self) -> Word {
        self.builder.type_int(32, 0)
    }

    pub(super) fn int(&mut self) -> Word {
        self.builder.type_int(32, 1)
    }

    pub(super) fn float(&mut self) -> Word {
        self.builder.type_float(32, None)
    }

    /// Returns the type of a texel's components.
    pub(super) fn component(&mut self, texel: TexelType) -> Word {
        match texel {
            TexelType::Float | TexelType::Depth => self.float(),
            TexelType::Sint => self.int(),
            TexelType::Uint => self.uint(),
        }
    }

    /// Returns a `uint` constant.
    pub(super) fn constant(&mut self, value: u32) -> Word {
        if let Some((_, id)) = self.constants.iter().find(|(known, _)| *known == value) {
            return *id;
        }
        let uint = self.uint();
        let id = self.builder.constant_bit32(uint, value);
        self.constants.push((value, id));
        id
    }

    /// Returns `length` equal components of a 32-bit type; the scalar itself for a length of 1.
    pub(super) fn splat(&mut self, ty: Word, bits: u32, length: u32) -> Word {
        let scalar = self.builder.constant_bit32(ty, bits);
        if length == 1 {
            return scalar;
        }
        let vector = self.builder.type_vector(ty, length);
        self.builder.constant_composite(vector, (0..length).map(|_| scalar))
    }

    /// Returns the block that holds one `uint` at byte 0.
    pub(super) fn word_block(&mut self) -> Word {
        if let Some(block) = self.word_block {
            return block;
        }
        let uint = self.uint();
        let block = self.block(uint, "word");
        self.word_block = Some(block);
        block
    }

    /// Returns the block that holds an unbounded array of words.
    pub(super) fn words_block(&mut self) -> Word {
        let uint = self.uint();
        let words = self.builder.id();
        self.builder.type_runtime_array_id(Some(words), uint);
        self.builder.decorate(words, Decoration::ArrayStride, [Operand::LiteralBit32(4)]);
        self.block(words, "words")
    }

    fn block(&mut self, member: Word, name: &str) -> Word {
        let block = self.builder.id();
        self.builder.type_struct_id(Some(block), [member]);
        self.builder.decorate(block, Decoration::Block, []);
        self.builder.member_decorate(block, 0, Decoration::Offset, [Operand::LiteralBit32(0)]);
        self.builder.name(block, format!("{name}_block"));
        self.builder.member_name(block, 0, name);
        block
    }

    /// Returns an image type; for a combined kind, the sampled image type.
    pub(super) fn image(&mut self, kind: ImageKind, view: ImageView, texel: TexelType) -> Word {
        let storage = matches!(kind, ImageKind::Storage | ImageKind::StorageTexels);
        let texels = matches!(kind, ImageKind::UniformTexels | ImageKind::StorageTexels);
        let (dim, arrayed) = if texels { (Dim::DimBuffer, false) } else { dimension(view) };
        if let Some(capability) = capability(dim, arrayed, storage) {
            self.need(capability);
        }

        let component = self.component(texel);
        let depth = u32::from(texel == TexelType::Depth);
        let (sampled, format) = if storage { (2, format(texel)) } else { (1, ImageFormat::Unknown) };
        let image = self.builder.type_image(component, dim, depth, u32::from(arrayed), 0, sampled, format, None);

        match kind {
            ImageKind::Combined => self.builder.type_sampled_image(image),
            ImageKind::Sampled | ImageKind::Storage | ImageKind::UniformTexels | ImageKind::StorageTexels => image,
        }
    }

    /// Declares a variable outside of functions.
    pub(super) fn global(&mut self, ty: Word, class: StorageClass, name: &str) -> Word {
        let pointer = self.builder.type_pointer(None, class, ty);
        let variable = self.builder.variable(pointer, None, class, None);
        self.builder.name(variable, name);
        variable
    }

    /// Decorates a variable with a number.
    pub(super) fn decorate(&mut self, variable: Word, decoration: Decoration, number: u32) {
        self.builder.decorate(variable, decoration, [Operand::LiteralBit32(number)]);
    }

    /// Gives a variable its set and binding.
    pub(super) fn bind(&mut self, variable: Word, set: u32, binding: u32) {
        self.decorate(variable, Decoration::DescriptorSet, set);
        self.decorate(variable, Decoration::Binding, binding);
    }

    /// Opens the function of an entry point.
    pub(super) fn begin(&mut self) -> Word {
        let void = self.builder.type_void();
        let signature = self.builder.type_function(void, []);
        let begun = self.builder.begin_function(void, None, FunctionControl::NONE, signature);
        let function = begun.expect("no function is open between entry points");
        self.builder.begin_block(None).expect("a function was just begun");
        function
    }

    /// Ends the open function and makes it the entry point `name`.
    pub(super) fn end(&mut self, function: Word, model: ExecutionModel, name: &str, interface: &[Word]) {
        self.builder.ret().expect(OPEN);
        self.builder.end_function().expect("the function is open");
        self.builder.name(function, name);
        self.builder.entry_point(model, function, name, interface);
        match model {
            ExecutionModel::GLCompute => self.builder.execution_mode(function, ExecutionMode::LocalSize, [1, 1, 1]),
            ExecutionModel::Fragment => self.builder.execution_mode(function, ExecutionMode::OriginUpperLeft, []),
            _ => {}
        }
    }
}

/// Returns the dimension of a view, and true if it is an array.
fn dimension(view: ImageView) -> (Dim, bool) {
    match view {
        ImageView::D1 => (Dim::Dim1D, false),
        ImageView::D1Array => (Dim::Dim1D, true),
        ImageView::D2 => (Dim::Dim2D, false),
        ImageView::D2Array => (Dim::Dim2D, true),
        ImageView::D3 => (Dim::Dim3D, false),
        ImageView::Cube => (Dim::DimCube, false),
        ImageView::CubeArray => (Dim::DimCube, true),
    }
}

/// Returns the capability that an image type needs in addition to `Shader`.
fn capability(dim: Dim, arrayed: bool, storage: bool) -> Option<Capability> {
    match (dim, storage) {
        (Dim::Dim1D, false) => Some(Capability::Sampled1D),
        (Dim::Dim1D, true) => Some(Capability::Image1D),
        (Dim::DimBuffer, false) => Some(Capability::SampledBuffer),
        (Dim::DimBuffer, true) => Some(Capability::ImageBuffer),
        (Dim::DimCube, false) if arrayed => Some(Capability::SampledCubeArray),
        (Dim::DimCube, true) if arrayed => Some(Capability::ImageCubeArray),
        _ => None,
    }
}

fn format(texel: TexelType) -> ImageFormat {
    match texel {
        TexelType::Float | TexelType::Depth => ImageFormat::Rgba32f,
        TexelType::Sint => ImageFormat::Rgba32i,
        TexelType::Uint => ImageFormat::Rgba32ui,
    }
}
