//! Instructions on images and samplers. Images have one texel per mip level, so coordinates are
//! ignored.
//!
//! The value of an image is its index, the value of a sampler the mip level that it sees; a sampled
//! image is a composite of both.

use layoutproof_device::ImageView;
use rspirv::dr::Instruction;
use rspirv::spirv::{ImageOperands, Op};

use super::descriptors::ModelImage;
use super::frame::Call;
use super::machine::ModelMachine;
use super::model_error::ModelError;
use super::value::{ModelDescriptor, ModelValue};
use layoutproof_readers::spirv::Operands;

/// The value of an image, a sampler or both, as the load of a variable returns it.
pub(super) fn handle(descriptor: ModelDescriptor) -> Result<ModelValue, ModelError> {
    match descriptor {
        ModelDescriptor::Image(image) => Ok(ModelValue::Bits(image as u64)),
        ModelDescriptor::Combined(image) => {
            Ok(ModelValue::parts(vec![ModelValue::Bits(image as u64), ModelValue::Bits(0)]))
        }
        ModelDescriptor::Sampler(level) => Ok(ModelValue::Bits(level.into())),
        ModelDescriptor::Memory(_) => Err("a load of a whole buffer".into()),
    }
}

impl ModelMachine<'_> {
    /// The result of an instruction on images; `None` for any other instruction.
    pub(super) fn sample(&mut self, call: Call<'_>) -> Option<Result<ModelValue, ModelError>> {
        Some(match call.instruction.class.opcode {
            Op::SampledImage => self.operands(call.frame, call.instruction).map(ModelValue::parts),
            Op::Image => self.operand(call, 0).and_then(|sampled| sampled.at(&[0]).cloned()),
            Op::ImageFetch | Op::ImageRead => self.fetch(call),
            Op::ImageSampleExplicitLod => self.sample_level(call),
            Op::ImageSampleDrefExplicitLod => self.compare(call),
            Op::ImageQueryLevels => self.image_of(call).map(|image| ModelValue::Bits(image.levels.len() as u64)),
            Op::ImageQuerySize | Op::ImageQuerySizeLod => self.query_size(call),
            _ => return None,
        })
    }

    fn fetch(&mut self, call: Call<'_>) -> Result<ModelValue, ModelError> {
        let image = self.operand(call, 0)?.bits()?;
        let level = match lod(call.instruction) {
            Some(operand) => self.operand(call, operand)?.bits()?,
            None => 0,
        };
        self.texel(image, level)
    }

    /// The sampler clamps to one level, whichever level the instruction requests. An image with
    /// fewer levels returns its last.
    fn sample_level(&mut self, call: Call<'_>) -> Result<ModelValue, ModelError> {
        let sampled = self.operand(call, 0)?;
        let (image, level) = (sampled.at(&[0])?.bits()?, sampled.at(&[1])?.bits()?);
        let levels = self.image(image)?.levels.len() as u64;
        self.texel(image, level.min(levels.saturating_sub(1)))
    }

    /// Compares the reference with the depth: 1.0 if it is less or equal, otherwise 0.0.
    fn compare(&mut self, call: Call<'_>) -> Result<ModelValue, ModelError> {
        let depth = float(self.sample_level(call)?.at(&[0])?)?;
        let reference = float(&self.operand(call, 2)?)?;
        let passes: f32 = if reference <= depth { 1.0 } else { 0.0 };
        Ok(ModelValue::Bits(passes.to_bits().into()))
    }

    /// Writes the only texel of a storage image.
    pub(super) fn write_image(&mut self, call: Call<'_>) -> Result<(), ModelError> {
        let image = self.operand(call, 0)?.bits()?;
        let value = self.operand(call, 2)?;
        let mut texel = [0; 4];
        for (index, word) in (0..).zip(&mut texel) {
            let bits = value.at(&[index])?.bits()? & u64::from(u32::MAX);
            *word = u32::try_from(bits).unwrap_or(u32::MAX);
        }
        let index = usize::try_from(image).unwrap_or(usize::MAX);
        let level = self.descriptors.images.get_mut(index).and_then(|image| image.levels.first_mut());
        *level.ok_or("a write to no image")? = texel;
        Ok(())
    }

    /// The image that the first operand names.
    fn image_of(&mut self, call: Call<'_>) -> Result<&ModelImage, ModelError> {
        let image = self.operand(call, 0)?.bits()?;
        self.image(image)
    }

    fn query_size(&mut self, call: Call<'_>) -> Result<ModelValue, ModelError> {
        let level = match call.instruction.class.opcode {
            Op::ImageQuerySizeLod => self.operand(call, 1)?.bits()?,
            _ => 0,
        };
        let sizes: Vec<ModelValue> = self.image_of(call)?.sizes(level).into_iter().map(ModelValue::Bits).collect();
        match <[ModelValue; 1]>::try_from(sizes) {
            Ok([only]) => Ok(only),
            Err(sizes) => Ok(ModelValue::parts(sizes)),
        }
    }

    fn image(&self, image: u64) -> Result<&ModelImage, ModelError> {
        let found = usize::try_from(image).ok().and_then(|image| self.descriptors.images.get(image));
        found.ok_or(ModelError::Needed("an image"))
    }

    /// Returns zeros for a level that the image does not have, as a robust device does.
    fn texel(&self, image: u64, level: u64) -> Result<ModelValue, ModelError> {
        let levels = &self.image(image)?.levels;
        let texel = usize::try_from(level).ok().and_then(|level| levels.get(level)).copied().unwrap_or_default();
        Ok(ModelValue::parts(texel.map(|word| ModelValue::Bits(word.into())).to_vec()))
    }
}

impl ModelImage {
    /// The result of a size query for a mip level: texels, and two elements for an array.
    fn sizes(&self, level: u64) -> Vec<u64> {
        let levels = self.levels.len() as u64;
        let above = u32::try_from(levels.saturating_sub(level.saturating_add(1))).unwrap_or(0);
        let side = 1_u64.checked_shl(above).unwrap_or(0);
        match self.view {
            None | Some(ImageView::D1) => vec![side],
            Some(ImageView::D1Array) => vec![side, 2],
            Some(ImageView::D2 | ImageView::Cube) => vec![side; 2],
            Some(ImageView::D2Array | ImageView::CubeArray) => vec![side, side, 2],
            Some(ImageView::D3) => vec![side; 3],
        }
    }
}

/// Reads a 32-bit float from its bits.
fn float(value: &ModelValue) -> Result<f32, ModelError> {
    let bits = u32::try_from(value.bits()?).map_err(|_| ModelError::Needed("a 32-bit float"))?;
    Ok(f32::from_bits(bits))
}

/// The operand of a fetch with the mip level, if there is one.
fn lod(instruction: &Instruction) -> Option<usize> {
    /// It follows the image, the coordinate and the mask of optional operands.
    const FIRST: usize = 3;
    let has = instruction.operands.iter().any(
        |operand| matches!(operand, rspirv::dr::Operand::ImageOperands(mask) if mask.contains(ImageOperands::LOD)),
    );
    (has && Operands(instruction).id(FIRST).is_some()).then_some(FIRST)
}
