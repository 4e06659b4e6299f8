//! Executes a function of DXIL. Stores the values of names and private memory; `operation` has the
//! buffers of a job.

use std::borrow::Cow;

use super::function::{DxilAction, DxilFunction, DxilOperand};
use super::operation::{BoundResources, DxilOperation};
use super::resources::DxilResource;
use super::value::DxilValue;
use crate::llvm::arithmetic::{binary, cast, compare};
use crate::llvm::buffers::{BoundBuffer, BoundBuffers};

/// Most scalars of private memory: D3D's limit for indexable temporary registers with four
/// components.
const MAX_PRIVATE: usize = 4 * 4096;

/// The state of an execution.
#[derive(Debug)]
pub(super) struct DxilMachine<'a> {
    resources: BoundResources<'a>,
    function: &'a DxilFunction,
    /// The value of each name in the function, once it is computed.
    values: Vec<Option<DxilValue>>,
    private: Vec<Vec<DxilValue>>,
    /// Remaining scalars of private memory.
    private_left: usize,
}

impl<'a> DxilMachine<'a> {
    /// `resources` are those that code refers to by number.
    pub(super) fn new(
        function: &'a DxilFunction,
        buffers: &'a mut [BoundBuffer],
        resources: &'a [DxilResource],
    ) -> Self {
        let resources = BoundResources { buffers: BoundBuffers(buffers), numbered: resources };
        let values = vec![None; function.names.len()];
        Self { resources, function, values, private: Vec::new(), private_left: MAX_PRIVATE }
    }

    /// Executes the function's instructions in order.
    ///
    /// # Errors
    /// The first instruction that cannot be executed.
    pub(super) fn run(&mut self) -> Result<(), String> {
        for instruction in &self.function.instructions {
            let value = self.execute(&instruction.action)?;
            if let Some(place) = instruction.result {
                self.values[place] = Some(value);
            }
        }
        Ok(())
    }

    fn execute(&mut self, action: &DxilAction) -> Result<DxilValue, String> {
        match action {
            DxilAction::Call(name, arguments) => {
                let operation = DxilOperation::named(name)?;
                let values = arguments.iter().map(|(_, operand)| self.value(operand).map(Cow::into_owned));
                let values = values.collect::<Result<Vec<_>, _>>()?;
                operation.execute(&values, &mut self.resources)
            }
            DxilAction::Extract(from, index) => match self.value(from)?.as_ref() {
                DxilValue::Parts(parts) => {
                    parts.get(*index).cloned().ok_or_else(|| format!("part {index} is not there"))
                }
                _ => Err("`extractvalue` of a scalar".to_owned()),
            },
            DxilAction::Cast(name, (from, operand), to) => {
                Ok(DxilValue::Bits(cast(name, self.value(operand)?.bits()?, *from, *to)?))
            }
            DxilAction::Binary(name, ty, operands) => Ok(DxilValue::Bits(binary(name, *ty, self.two(operands)?)?)),
            DxilAction::Compare(name, ty, operands) => {
                Ok(DxilValue::Bits(u64::from(compare(name, *ty, self.two(operands)?)?)))
            }
            DxilAction::Select([condition, yes, no]) => {
                let chosen = if self.value(condition)?.bits()? == 1 { yes } else { no };
                self.value(chosen).map(Cow::into_owned)
            }
            DxilAction::Allocate(count) => self.allocate(*count as usize),
            DxilAction::Element(pointer, index) => {
                let (slot, at) = self.pointer(pointer)?;
                let index = self.value(index)?.word()? as usize;
                Ok(DxilValue::Pointer { slot, at: at.saturating_add(index) })
            }
            // A load from outside of private memory is undefined; zero matches no byte of a buffer.
            DxilAction::Load(pointer) => {
                let (slot, at) = self.pointer(pointer)?;
                Ok(self.private[slot].get(at).cloned().unwrap_or(DxilValue::Bits(0)))
            }
            DxilAction::Store(value, pointer) => {
                let ((slot, at), value) = (self.pointer(pointer)?, self.value(value)?.into_owned());
                if let Some(place) = self.private[slot].get_mut(at) {
                    *place = value;
                }
                Ok(DxilValue::Undefined)
            }
            DxilAction::Return => Ok(DxilValue::Undefined),
        }
    }

    fn allocate(&mut self, count: usize) -> Result<DxilValue, String> {
        let left = self.private_left.checked_sub(count);
        self.private_left = left.ok_or_else(|| format!("more than {MAX_PRIVATE} scalars of private memory"))?;
        self.private.push(vec![DxilValue::Undefined; count]);
        Ok(DxilValue::Pointer { slot: self.private.len() - 1, at: 0 })
    }

    fn value(&self, operand: &DxilOperand) -> Result<Cow<'_, DxilValue>, String> {
        match operand {
            DxilOperand::Local(place) => {
                let value = self.values[*place].as_ref().map(Cow::Borrowed);
                value.ok_or_else(|| format!("%{} is used before it is made", self.function.names[*place]))
            }
            DxilOperand::Bits(bits) => Ok(Cow::Owned(DxilValue::Bits(*bits))),
            DxilOperand::Undefined => Ok(Cow::Owned(DxilValue::Undefined)),
            DxilOperand::Parts(parts) => {
                let parts = parts.iter().map(|part| self.value(part).map(Cow::into_owned));
                Ok(Cow::Owned(DxilValue::Parts(parts.collect::<Result<_, _>>()?)))
            }
        }
    }

    fn two(&self, [a, b]: &[DxilOperand; 2]) -> Result<[u64; 2], String> {
        Ok([self.value(a)?.bits()?, self.value(b)?.bits()?])
    }

    fn pointer(&self, operand: &DxilOperand) -> Result<(usize, usize), String> {
        match self.value(operand)?.as_ref() {
            DxilValue::Pointer { slot, at } => Ok((*slot, *at)),
            _ => Err("expected a pointer".to_owned()),
        }
    }
}
