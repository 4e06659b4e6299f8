//! Executes DXIL operations (`dx.op.*`): loads from and stores to resources, and the handles that name them.
//!
//! Source: DirectX Intermediate Language (`DXIL.rst` of `DirectXShaderCompiler`), "DXIL operations".

use super::resources::{self, DxilResource, KIND_STRUCTURED, KIND_TBUFFER};
use super::value::{DxilHandle, DxilValue, IndexUnit};
use crate::llvm::buffers::{BoundBuffers, Class, RegisterSite};

/// Number of components that a store has as operands; its mask selects those to write.
const COMPONENTS: usize = 4;

/// Bytes of a register of a constant or texture buffer.
const REGISTER: u64 = 16;

/// Bytes of a component of a typed load.
const WORD: u64 = 4;

/// The resources of a job for operations: the bytes of the buffers, and the resources that code
/// refers to by number.
#[derive(Debug)]
pub(super) struct BoundResources<'a> {
    pub(super) buffers: BoundBuffers<'a>,
    pub(super) numbered: &'a [DxilResource],
}

impl BoundResources<'_> {
    fn find(&self, class: Class, number: u32) -> Result<DxilResource, String> {
        let found = self.numbered.iter().find(|resource| (resource.class, resource.number) == (class, number));
        found.copied().ok_or_else(|| format!("resource {number} of {class:?} is not in `!dx.resources`"))
    }

    /// `count` components of `size` bytes, starting at byte `start`.
    fn load(&self, handle: DxilHandle, start: u64, size: u64, count: u64) -> Result<DxilValue, String> {
        let component = |index: u64| self.buffers.load(handle.site, start + index * size, size).map(DxilValue::Bits);
        Ok(DxilValue::Parts((0..count).map(component).collect::<Result<_, _>>()?))
    }
}

/// An operation by name: `dx.op.rawBufferLoad.i32`.
#[derive(Clone, Copy, Debug)]
pub(super) struct DxilOperation<'a> {
    full_name: &'a str,
    /// `rawBufferLoad.i32`.
    short_name: &'a str,
}

impl<'a> DxilOperation<'a> {
    /// Parses the name of an operation.
    ///
    /// # Errors
    /// A function that is not an operation.
    pub(super) fn named(full_name: &'a str) -> Result<Self, String> {
        let short_name = full_name.strip_prefix("dx.op.").ok_or_else(|| format!("a call of `{full_name}`"))?;
        Ok(Self { full_name, short_name })
    }

    /// Executes the operation.
    ///
    /// # Errors
    /// An unknown operation, or arguments that it does not accept.
    pub(super) fn execute(
        self,
        arguments: &[DxilValue],
        resources: &mut BoundResources<'_>,
    ) -> Result<DxilValue, String> {
        let Self { full_name, short_name } = self;
        let (operation, overload) = short_name.rsplit_once('.').unwrap_or((short_name, ""));
        match (operation, arguments) {
            ("", _) => Err(format!("a call of `{full_name}`")),
            _ if short_name == "createHandleFromBinding" => created(arguments.get(1), arguments.get(2)),
            _ if short_name == "createHandle" => numbered(arguments, resources),
            _ if short_name == "annotateHandle" => annotated(arguments.get(1), arguments.get(2)),
            ("cbufferLoadLegacy", [_, handle, row]) => {
                let size = bytes_of(overload)?;
                let start = u64::from(row.word()?) * REGISTER;
                resources.load(handle.handle()?, start, size, REGISTER / size)
            }
            ("bufferLoad", [_, handle, row, _]) => {
                let (handle, size) = (handle.handle()?, bytes_of(overload)?);
                if handle.view != IndexUnit::Registers || size != WORD {
                    return Err(format!("the operation `{short_name}` on no tbuffer"));
                }
                resources.load(handle, u64::from(row.word()?) * REGISTER, size, REGISTER / size)
            }
            ("rawBufferLoad", [_, handle, index, offset, mask, _]) => {
                let handle = handle.handle()?;
                let count = mask.bits()?.checked_ilog2().map_or(0, |highest| u64::from(highest) + 1);
                resources.load(handle, address(handle, index, offset)?, bytes_of(overload)?, count)
            }
            ("rawBufferStore", [_, handle, index, offset, stored @ .., mask, _]) if stored.len() == COMPONENTS => {
                let (handle, size) = (handle.handle()?, bytes_of(overload)?);
                let start = address(handle, index, offset)?;
                let mask = mask.bits()?;
                for (component, value) in (0_u64..).zip(stored).filter(|(component, _)| mask >> component & 1 == 1) {
                    resources.buffers.store(handle.site, start + component * size, size, value.bits()?)?;
                }
                Ok(DxilValue::Undefined)
            }
            // Outputs of a stage are not in a buffer.
            ("storeOutput", _) => Ok(DxilValue::Undefined),
            ("splitDouble", [_, double]) => {
                let bits = double.bits()?;
                Ok(DxilValue::Parts(vec![DxilValue::Bits(bits & 0xFFFF_FFFF), DxilValue::Bits(bits >> 32)]))
            }
            ("makeDouble", [_, low, high]) => {
                Ok(DxilValue::Bits(u64::from(low.word()?) | u64::from(high.word()?) << 32))
            }
            _ => Err(format!("the operation `{short_name}`")),
        }
    }
}

/// The handle from `createHandle`: class, number within the class, register.
fn numbered(arguments: &[DxilValue], resources: &BoundResources<'_>) -> Result<DxilValue, String> {
    let [_, class, number, register, _] = arguments else { return Err("a handle of no resource".to_owned()) };
    let class = resources::class(class.bits()?)?;
    let resource = resources.find(class, number.word()?)?;
    let site = RegisterSite { class, space: resource.space, register: register.word()? };
    Ok(DxilValue::Handle(DxilHandle { site, view: resource.view }))
}

/// `{ i32 lower, i32 upper, i32 space, i8 class }`, and the register.
fn created(binding: Option<&DxilValue>, register: Option<&DxilValue>) -> Result<DxilValue, String> {
    let (Some(binding), Some(register)) = (binding, register) else {
        return Err("a handle of no binding".to_owned());
    };
    let [_, _, space, class] = parts(binding)?;
    let class = resources::class(class.bits()?)?;
    let site = RegisterSite { class, space: space.word()?, register: register.word()? };
    Ok(DxilValue::Handle(DxilHandle { site, view: IndexUnit::Bytes }))
}

/// `{ i32 kind and flags, i32 size of an element }`.
fn annotated(handle: Option<&DxilValue>, properties: Option<&DxilValue>) -> Result<DxilValue, String> {
    let (Some(handle), Some(properties)) = (handle, properties) else {
        return Err("a handle without properties".to_owned());
    };
    let [kind, size] = parts(properties)?;
    let view = match kind.bits()? & 0xFF {
        KIND_STRUCTURED => IndexUnit::Elements(size.word()?),
        KIND_TBUFFER => IndexUnit::Registers,
        _ => IndexUnit::Bytes,
    };
    Ok(DxilValue::Handle(DxilHandle { view, ..handle.handle()? }))
}

/// The parts of an aggregate constant; `zeroinitializer` has any number of parts.
fn parts<const COUNT: usize>(aggregate: &DxilValue) -> Result<[DxilValue; COUNT], String> {
    match aggregate {
        DxilValue::Parts(parts) => parts.clone().try_into().ok(),
        DxilValue::Bits(0) => Some([const { DxilValue::Bits(0) }; COUNT]),
        DxilValue::Bits(_) | DxilValue::Undefined | DxilValue::Handle(_) | DxilValue::Pointer { .. } => None,
    }
    .ok_or_else(|| format!("a constant that has not {COUNT} parts"))
}

/// The byte that a raw load or store addresses.
fn address(handle: DxilHandle, index: &DxilValue, offset: &DxilValue) -> Result<u64, String> {
    let index = u64::from(index.word()?);
    match handle.view {
        IndexUnit::Bytes => Ok(index),
        IndexUnit::Elements(stride) => Ok(index * u64::from(stride) + u64::from(offset.word()?)),
        IndexUnit::Registers => Err("a raw load or store of a tbuffer".to_owned()),
    }
}

/// Bytes of a component according to the overload's name.
fn bytes_of(overload: &str) -> Result<u64, String> {
    match overload {
        "i16" | "f16" => Ok(2),
        "i32" | "f32" => Ok(4),
        "i64" | "f64" => Ok(8),
        other => Err(format!("the overload `{other}`")),
    }
}
