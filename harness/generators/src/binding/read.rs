//! Writes code that reads one resource as a `uint`.
//!
//! Buffers and push constants are loaded. Texels are fetched by coordinate, or sampled through a
//! sampler that sees one mip level. The coordinate is the first texel or the middle of the texture,
//! which gives the same value in images of one colour.

use layoutproof_device::{ImageKind, ImageView, TexelType};
use rspirv::dr::Operand;
use rspirv::spirv::{ImageOperands, Word};

use super::compare;
use super::emitter::{Emitter, OPEN};
use super::variable::BindingVariable;
use layoutproof_probes::binding::{BoundKind, is_sampled_cube};

/// Reads element `element` of `variable`, which has this kind. `other` is the texture that
/// identifies a sampler, or the sampler that reads a cube map; `words` belong to the samplers that
/// the program reads.
pub(super) fn read(
    emitter: &mut Emitter,
    kind: BoundKind,
    variable: BindingVariable,
    element: u32,
    other: Option<BindingVariable>,
    words: &[u32],
) -> Word {
    match kind {
        BoundKind::Uniform | BoundKind::Storage { .. } | BoundKind::PushConstants => word(emitter, variable, element),
        BoundKind::Constant => variable.id,
        BoundKind::Varying | BoundKind::Target => variable.load(emitter, element),
        BoundKind::Sampler { comparison } => {
            let sampler = variable.load(emitter, element);
            let levels = other.expect("a sampler that is read has a texture");
            if comparison {
                return compare::read(emitter, levels, sampler, words);
            }
            sampled(emitter, levels, 0, sampler, ImageView::D2, TexelType::Float)
        }
        BoundKind::Image { view, texel, .. } if is_sampled_cube(kind) => {
            let nearest = other.expect("a program that reads cube maps has a sampler for them");
            let sampler = nearest.load(emitter, 0);
            sampled(emitter, variable, element, sampler, view, texel)
        }
        BoundKind::Image { kind: ImageKind::Combined, view, texel } => {
            let image = variable.load(emitter, element);
            sample(emitter, image, view, texel)
        }
        BoundKind::Image { kind, view, texel } => texel_of(emitter, kind, view, texel, variable, element),
    }
}

/// Loads the first word of a block.
fn word(emitter: &mut Emitter, variable: BindingVariable, element: u32) -> Word {
    let uint = emitter.uint();
    let pointer = emitter.builder.type_pointer(None, variable.class, uint);
    let zero = emitter.constant(0);
    let index = emitter.constant(element);
    let indices = if variable.arrayed { vec![index, zero] } else { vec![zero] };
    let chain = emitter.builder.access_chain(pointer, None, variable.id, indices).expect(OPEN);
    emitter.builder.load(uint, None, chain, None, []).expect(OPEN)
}

/// Samples a texture through a separate sampler.
fn sampled(
    emitter: &mut Emitter,
    texture: BindingVariable,
    element: u32,
    sampler: Word,
    view: ImageView,
    texel: TexelType,
) -> Word {
    let image = texture.load(emitter, element);
    let ty = emitter.builder.type_sampled_image(texture.ty);
    let both = emitter.builder.sampled_image(ty, None, image, sampler).expect(OPEN);
    sample(emitter, both, view, texel)
}

/// Samples the middle of a combined image at level 0, which the sampler clamps to the level that it
/// sees.
fn sample(emitter: &mut Emitter, combined: Word, view: ImageView, texel: TexelType) -> Word {
    let float = emitter.float();
    let middle = match view {
        // A direction must not be zero; the layer is the first one.
        ImageView::Cube | ImageView::CubeArray => direction(emitter, view),
        ImageView::D1 | ImageView::D1Array | ImageView::D2 | ImageView::D2Array | ImageView::D3 => {
            emitter.splat(float, 0.0_f32.to_bits(), coordinates(view))
        }
    };
    let level = emitter.splat(float, 0.0_f32.to_bits(), 1);
    let component = emitter.component(texel);
    let ty = emitter.builder.type_vector(component, 4);
    let lod = [Operand::IdRef(level)];
    let texels = emitter.builder.image_sample_explicit_lod(ty, None, combined, middle, ImageOperands::LOD, lod);
    first(emitter, texels.expect(OPEN), texel)
}

/// Returns the direction of the positive x axis, in the first cube of an array.
fn direction(emitter: &mut Emitter, view: ImageView) -> Word {
    let float = emitter.float();
    let one = emitter.builder.constant_bit32(float, 1.0_f32.to_bits());
    let zero = emitter.builder.constant_bit32(float, 0.0_f32.to_bits());
    let length = coordinates(view);
    let vector = emitter.builder.type_vector(float, length);
    let components = (0..length).map(|index| if index == 0 { one } else { zero });
    emitter.builder.constant_composite(vector, components)
}

/// Reads the first texel of an image or a typed buffer.
fn texel_of(
    emitter: &mut Emitter,
    kind: ImageKind,
    view: ImageView,
    texel: TexelType,
    variable: BindingVariable,
    element: u32,
) -> Word {
    let image = variable.load(emitter, element);

    let int = emitter.int();
    let texels = matches!(kind, ImageKind::UniformTexels | ImageKind::StorageTexels);
    let at = emitter.splat(int, 0, if texels { 1 } else { storage_coordinates(view) });

    let component = emitter.component(texel);
    let ty = emitter.builder.type_vector(component, 4);
    let read = match kind {
        ImageKind::Storage | ImageKind::StorageTexels => emitter.builder.image_read(ty, None, image, at, None, []),
        ImageKind::UniformTexels => emitter.builder.image_fetch(ty, None, image, at, None, []),
        ImageKind::Sampled | ImageKind::Combined => {
            let level = emitter.splat(int, 0, 1);
            let lod = [Operand::IdRef(level)];
            emitter.builder.image_fetch(ty, None, image, at, Some(ImageOperands::LOD), lod)
        }
    };
    first(emitter, read.expect(OPEN), texel)
}

/// Returns the bits of a texel's first component.
fn first(emitter: &mut Emitter, texel: Word, ty: TexelType) -> Word {
    let component = emitter.component(ty);
    let value = emitter.builder.composite_extract(component, None, texel, [0]).expect(OPEN);
    let uint = emitter.uint();
    match ty {
        TexelType::Uint => value,
        TexelType::Float | TexelType::Depth | TexelType::Sint => {
            emitter.builder.bitcast(uint, None, value).expect(OPEN)
        }
    }
}

/// Returns the number of components of a sampling coordinate.
fn coordinates(view: ImageView) -> u32 {
    match view {
        ImageView::D1 => 1,
        ImageView::D1Array | ImageView::D2 => 2,
        ImageView::D2Array | ImageView::D3 | ImageView::Cube => 3,
        ImageView::CubeArray => 4,
    }
}

/// Returns the number of components of a texel coordinate. The faces of cubes are layers.
fn storage_coordinates(view: ImageView) -> u32 {
    match view {
        ImageView::CubeArray => 3,
        ImageView::D1 | ImageView::D1Array | ImageView::D2 | ImageView::D2Array | ImageView::D3 | ImageView::Cube => {
            coordinates(view)
        }
    }
}
