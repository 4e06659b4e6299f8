//! Declares the variables of a program's resources in SPIR-V, decorated with their sets and
//! bindings.

use layoutproof_device::{ImageKind, ImageView};
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, StorageClass, Word};

use super::emitter::{Emitter, OPEN};
use layoutproof_probes::binding::{BindingProgram, BindingSite, BoundKind, ProbedBinding};
use layoutproof_probes::image::REFILL_WORD;

/// A variable, with the facts that code needs to read it.
#[derive(Clone, Copy, Debug)]
pub(super) struct BindingVariable {
    /// The variable, or the specialization constant itself.
    pub(super) id: Word,
    /// The pointee type; for an array, the type of one element.
    pub(super) ty: Word,
    pub(super) class: StorageClass,
    pub(super) arrayed: bool,
}

impl BindingVariable {
    /// Loads all of one element.
    pub(super) fn load(self, emitter: &mut Emitter, element: u32) -> Word {
        let mut pointer = self.id;
        if self.arrayed {
            let ty = emitter.builder.type_pointer(None, self.class, self.ty);
            let index = emitter.constant(element);
            pointer = emitter.builder.access_chain(ty, None, self.id, [index]).expect(OPEN);
        }
        emitter.builder.load(self.ty, None, pointer, None, []).expect(OPEN)
    }
}

/// The program's own variables.
#[derive(Clone, Debug)]
pub(super) struct ToolVariables {
    pub(super) output: Word,
    /// One for each sampler that is read, in order.
    pub(super) levels: Vec<BindingVariable>,
    pub(super) nearest: Option<BindingVariable>,
}

pub(super) fn declare(emitter: &mut Emitter, probed: &ProbedBinding) -> BindingVariable {
    let (ty, class) = match probed.kind {
        BoundKind::Uniform => (emitter.word_block(), StorageClass::Uniform),
        BoundKind::Storage { .. } => (emitter.word_block(), StorageClass::StorageBuffer),
        BoundKind::Image { kind, view, texel } => (emitter.image(kind, view, texel), StorageClass::UniformConstant),
        BoundKind::Sampler { .. } => (emitter.builder.type_sampler(), StorageClass::UniformConstant),
        BoundKind::PushConstants => (emitter.word_block(), StorageClass::PushConstant),
        BoundKind::Constant => return constant(emitter, probed),
        BoundKind::Varying => (emitter.uint(), StorageClass::Input),
        BoundKind::Target => (emitter.uint(), StorageClass::Output),
    };

    let arrayed = probed.elements > 1;
    let whole = if arrayed {
        let length = emitter.constant(probed.elements);
        emitter.builder.type_array(ty, length)
    } else {
        ty
    };

    let id = emitter.global(whole, class, &probed.path);
    if let BindingSite::Descriptor { set, binding, .. } = probed.site {
        emitter.bind(id, set, binding);
    }
    if probed.kind == (BoundKind::Storage { writable: false }) {
        emitter.builder.decorate(id, Decoration::NonWritable, []);
    }
    BindingVariable { id, ty, class, arrayed }
}

/// Declares a specialization constant. Its value is the refill unless a pipeline sets another.
fn constant(emitter: &mut Emitter, probed: &ProbedBinding) -> BindingVariable {
    let ty = emitter.uint();
    let id = emitter.builder.spec_constant_bit32(ty, REFILL_WORD);
    emitter.builder.name(id, &*probed.path);

    if let BindingSite::Constant { id: number } = probed.site {
        emitter.builder.decorate(id, Decoration::SpecId, [Operand::LiteralBit32(number)]);
    }

    BindingVariable { id, ty, class: StorageClass::Private, arrayed: false }
}

/// Declares the program's own variables.
pub(super) fn declare_tools(emitter: &mut Emitter, program: &BindingProgram) -> ToolVariables {
    let tools = &program.tools;
    let words = emitter.words_block();
    let output = emitter.global(words, StorageClass::StorageBuffer, "output");
    emitter.bind(output, 0, tools.output);

    let samplers = program.sampler_reads();
    let levels = tools.levels.iter().zip(samplers).map(|(binding, read)| {
        let ty = emitter.image(ImageKind::Sampled, ImageView::D2, program.sampler_texel(read));
        opaque(emitter, ty, *binding, "levels")
    });
    let levels = levels.collect();

    let nearest = program.reads_cubes().then(|| {
        let ty = emitter.builder.type_sampler();
        opaque(emitter, ty, tools.nearest, "nearest")
    });

    ToolVariables { output, levels, nearest }
}

fn opaque(emitter: &mut Emitter, ty: Word, binding: u32, name: &str) -> BindingVariable {
    let class = StorageClass::UniformConstant;
    let id = emitter.global(ty, class, name);
    emitter.bind(id, 0, binding);
    BindingVariable { id, ty, class, arrayed: false }
}
