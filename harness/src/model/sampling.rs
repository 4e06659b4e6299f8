//! Instructions on images and samplers. An image has one texel per mip level, so coordinates mean nothing.

use rspirv::dr::Instruction;
use rspirv::spirv::{ImageOperands, Op};

use super::descriptors::Descriptor;
use super::execute::Call;
use super::machine::Machine;
use super::value::Value;
use crate::read_spirv::types::Operands;

/// What stands for a sampled image: the image and the level that its sampler sees.
fn sampled(image: usize, level: u32) -> Value {
    Value::parts(vec![Value::Bits(image as u64), Value::Bits(level.into())])
}

impl Machine<'_> {
    /// The value of an image, a sampler or both, as a load of its variable gives it.
    pub(super) fn handle(&self, descriptor: Descriptor) -> Result<Value, String> {
        match descriptor {
            Descriptor::Image(image) => Ok(Value::Bits(image as u64)),
            Descriptor::Combined(image) => Ok(sampled(image, 0)),
            Descriptor::Sampler(level) => Ok(Value::Bits(level.into())),
            Descriptor::Memory(_) => Err("a load of a whole buffer".into()),
        }
    }

    /// The result of an instruction on images; `None` where it is none.
    pub(super) fn sample(&mut self, call: Call<'_>) -> Option<Result<Value, String>> {
        Some(match call.instruction.class.opcode {
            Op::SampledImage => self.operands(call.frame, call.instruction).map(Value::parts),
            Op::Image => self.operand(call, 0).and_then(|sampled| sampled.at(&[0]).cloned()),
            Op::ImageFetch | Op::ImageRead => self.fetch(call),
            Op::ImageSampleExplicitLod => self.sample_level(call),
            _ => return None,
        })
    }

    fn fetch(&mut self, call: Call<'_>) -> Result<Value, String> {
        let image = self.operand(call, 0)?.bits()?;
        let level = match lod(call.instruction) {
            Some(operand) => self.operand(call, operand)?.bits()?,
            None => 0,
        };
        self.texel(image, level)
    }

    /// The sampler clamps to one level, whichever the instruction asks for; an image with fewer gives its last.
    fn sample_level(&mut self, call: Call<'_>) -> Result<Value, String> {
        let sampled = self.operand(call, 0)?;
        let (image, level) = (sampled.at(&[0])?.bits()?, sampled.at(&[1])?.bits()?);
        let levels = self.image(image)?.len() as u64;
        self.texel(image, level.min(levels.saturating_sub(1)))
    }

    /// Writes the only texel of a storage image.
    pub(super) fn write_image(&mut self, call: Call<'_>) -> Result<(), String> {
        let image = self.operand(call, 0)?.bits()?;
        let value = self.operand(call, 2)?;
        let mut texel = [0; 4];
        for (index, word) in (0..).zip(&mut texel) {
            let bits = value.at(&[index])?.bits()? & u64::from(u32::MAX);
            *word = u32::try_from(bits).unwrap_or(u32::MAX);
        }
        let index = usize::try_from(image).unwrap_or(usize::MAX);
        let level = self.descriptors.images.get_mut(index).and_then(|levels| levels.first_mut());
        *level.ok_or("a write to no image")? = texel;
        Ok(())
    }

    fn image(&self, image: u64) -> Result<&Vec<[u32; 4]>, String> {
        let found = usize::try_from(image).ok().and_then(|image| self.descriptors.images.get(image));
        found.ok_or_else(|| "an image is needed where none is".to_owned())
    }

    /// A level that the image does not have gives zeros, as a robust device does.
    fn texel(&self, image: u64, level: u64) -> Result<Value, String> {
        let levels = self.image(image)?;
        let texel = usize::try_from(level).ok().and_then(|level| levels.get(level)).copied().unwrap_or_default();
        Ok(Value::parts(texel.map(|word| Value::Bits(word.into())).to_vec()))
    }
}

/// The operand of a fetch that says the mip level, if there is one.
fn lod(instruction: &Instruction) -> Option<usize> {
    /// Behind the image, the coordinate and the mask that says which operands follow.
    const FIRST: usize = 3;
    let has = instruction.operands.iter().any(
        |operand| matches!(operand, rspirv::dr::Operand::ImageOperands(mask) if mask.contains(ImageOperands::LOD)),
    );
    (has && Operands(instruction).id(FIRST).is_some()).then_some(FIRST)
}
