//! Descriptors: which buffer, image or sampler a variable names, and the texels of images.
//!
//! All texels of a mip level are alike, so coordinates are not looked at; a sampler sees one level.

use super::machine::Machine;
use super::value::{At, Place, Value};
use crate::read_spirv::types::{SpirvType, SpirvVariable};

impl Machine<'_> {
    /// The place of a bound variable.
    pub(super) fn descriptors(&self, variable: &SpirvVariable) -> Result<Place, String> {
        let (set, binding) = (variable.set.unwrap_or(0), variable.binding.unwrap_or(0));
        match self.program.types.get(variable.pointee) {
            SpirvType::Array { .. } | SpirvType::RuntimeArray { .. } => Ok(Place::Descriptors { set, binding }),
            SpirvType::Void
            | SpirvType::Bool
            | SpirvType::Int { .. }
            | SpirvType::Float { .. }
            | SpirvType::Vector { .. }
            | SpirvType::Matrix { .. }
            | SpirvType::Struct(_)
            | SpirvType::Pointer { .. }
            | SpirvType::Other => self.descriptor((set, binding, 0)),
        }
    }

    /// What is bound at a set, a binding and an element of it.
    pub(super) fn descriptor(&self, at: (u32, u32, u32)) -> Result<Place, String> {
        let bound = &self.memories[..self.push_constants];
        if let Some(buffer) = bound.iter().position(|memory| (memory.set, memory.binding, memory.element) == at) {
            return Ok(Place::Memory { buffer, at: At::start() });
        }
        let images = self.job.images.iter().map(|image| (image.set, image.binding, image.element));
        let samplers = self.job.samplers.iter().map(|sampler| (sampler.set, sampler.binding, sampler.element));
        let found = (0..).zip(images.chain(samplers)).find(|(_, place)| *place == at);
        match (found, at) {
            (Some((descriptor, _)), _) => Ok(Place::Opaque { descriptor }),
            (None, (set, binding, 0)) => Err(format!("nothing is bound at set {set} binding {binding}")),
            (None, (set, binding, element)) => {
                Err(format!("nothing is bound at set {set} binding {binding} element {element}"))
            }
        }
    }

    /// A texel of an image, or of an image with a sampler, at the level that the sampler sees.
    pub(super) fn texel(&self, image: &Value) -> Result<Value, String> {
        let (image, level) = match image {
            Value::Bits(image) => (*image, 0),
            Value::Parts(both) => match &both[..] {
                [image, sampler] => (image.bits()?, self.level(sampler.bits()?)?),
                _ => return Err("an image with more than a sampler".into()),
            },
            Value::Pointer(_) => return Err("a texel of a pointer".into()),
        };
        let image = usize::try_from(image).ok().and_then(|image| self.job.images.get(image));
        let texel = image.and_then(|image| image.levels.get(level as usize)).ok_or("no image or no such mip level")?;
        Ok(Value::parts(texel.iter().map(|word| Value::Bits((*word).into())).collect()))
    }

    fn level(&self, sampler: u64) -> Result<u32, String> {
        let index = usize::try_from(sampler).ok().and_then(|index| index.checked_sub(self.job.images.len()));
        let sampler = index.and_then(|index| self.job.samplers.get(index));
        sampler.map(|sampler| sampler.level).ok_or_else(|| "an image where a sampler is needed".to_owned())
    }
}
