//! One execution of a function: names, private memory, the buffers of a job.

use std::collections::HashMap;

use super::function::{Action, Instruction, Operand};
use super::operation;
use super::resources::Resource;
use super::value::{Handle, Value};
use crate::inspect::llvm::arithmetic::{binary, cast, compare};
use crate::inspect::llvm::buffers::{Bound, Buffers, Class};

/// Most scalars of private memory, which is D3D's limit for indexable temporary registers of four components.
const MAX_PRIVATE: usize = 4 * 4096;

/// The state of an execution.
#[derive(Debug)]
pub(super) struct Machine<'a> {
    buffers: Buffers<'a>,
    resources: &'a [Resource],
    values: HashMap<&'a str, Value>,
    private: Vec<Vec<Value>>,
    /// Scalars of private memory that are left.
    private_left: usize,
}

impl<'a> Machine<'a> {
    /// `resources` are those that code names by number.
    pub(super) fn new(buffers: &'a mut [Bound], resources: &'a [Resource]) -> Self {
        let buffers = Buffers(buffers);
        Self { buffers, resources, values: HashMap::new(), private: Vec::new(), private_left: MAX_PRIVATE }
    }

    /// The resource of this class and number.
    pub(super) fn resource(&self, class: Class, number: u32) -> Result<Resource, String> {
        let found = self.resources.iter().find(|resource| (resource.class, resource.number) == (class, number));
        found.copied().ok_or_else(|| format!("resource {number} of {class:?} is in no list"))
    }

    /// Executes the instructions in order.
    ///
    /// # Errors
    /// The first instruction that cannot be executed.
    pub(super) fn run(&mut self, instructions: &'a [Instruction]) -> Result<(), String> {
        for instruction in instructions {
            let value = self.execute(&instruction.action)?;
            if let Some(name) = &instruction.result {
                self.values.insert(name, value);
            }
        }
        Ok(())
    }

    fn execute(&mut self, action: &Action) -> Result<Value, String> {
        match action {
            Action::Call(name, arguments) => operation::call(self, name, arguments),
            Action::Extract(from, index) => match self.value(from)? {
                Value::Parts(parts) => parts.get(*index).cloned().ok_or_else(|| format!("part {index} is not there")),
                _ => Err("a part of a scalar".to_owned()),
            },
            Action::Cast(name, (from, operand), to) => {
                Ok(Value::Bits(cast(name, self.value(operand)?.bits()?, (*from, *to))?))
            }
            Action::Binary(name, ty, operands) => Ok(Value::Bits(binary(name, *ty, self.two(operands)?)?)),
            Action::Compare(name, ty, operands) => Ok(Value::Bits(u64::from(compare(name, *ty, self.two(operands)?)?))),
            Action::Select([condition, yes, no]) => {
                let chosen = if self.value(condition)?.bits()? == 1 { yes } else { no };
                self.value(chosen)
            }
            Action::Allocate(count) => self.allocate(*count as usize),
            Action::Element(pointer, index) => {
                let (slot, at) = self.pointer(pointer)?;
                let index = self.value(index)?.word()? as usize;
                Ok(Value::Pointer { slot, at: at.saturating_add(index) })
            }
            // What is outside private memory is undefined; a zero names no byte of a buffer.
            Action::Load(pointer) => {
                let (slot, at) = self.pointer(pointer)?;
                Ok(self.private[slot].get(at).cloned().unwrap_or(Value::Bits(0)))
            }
            Action::Store(value, pointer) => {
                let ((slot, at), value) = (self.pointer(pointer)?, self.value(value)?);
                if let Some(place) = self.private[slot].get_mut(at) {
                    *place = value;
                }
                Ok(Value::Undefined)
            }
            Action::Return => Ok(Value::Undefined),
        }
    }

    fn allocate(&mut self, count: usize) -> Result<Value, String> {
        let left = self.private_left.checked_sub(count);
        self.private_left = left.ok_or_else(|| format!("more than {MAX_PRIVATE} scalars of private memory"))?;
        self.private.push(vec![Value::Undefined; count]);
        Ok(Value::Pointer { slot: self.private.len() - 1, at: 0 })
    }

    /// The value of an operand.
    pub(super) fn value(&self, operand: &Operand) -> Result<Value, String> {
        match operand {
            Operand::Local(name) => {
                self.values.get(name.as_str()).cloned().ok_or_else(|| format!("%{name} is used before it is made"))
            }
            Operand::Bits(bits) => Ok(Value::Bits(*bits)),
            Operand::Undefined => Ok(Value::Undefined),
            Operand::Parts(parts) => {
                Ok(Value::Parts(parts.iter().map(|part| self.value(part)).collect::<Result<_, _>>()?))
            }
        }
    }

    fn two(&self, [a, b]: &[Operand; 2]) -> Result<[u64; 2], String> {
        Ok([self.value(a)?.bits()?, self.value(b)?.bits()?])
    }

    fn pointer(&self, operand: &Operand) -> Result<(usize, usize), String> {
        match self.value(operand)? {
            Value::Pointer { slot, at } => Ok((slot, at)),
            _ => Err("no pointer where one is needed".to_owned()),
        }
    }

    /// `count` components of `size` bytes from `start` on.
    pub(super) fn load(&self, handle: Handle, (start, size): (u64, u64), count: u64) -> Result<Value, String> {
        let component = |index: u64| self.buffers.load(handle.site, (start + index * size, size)).map(Value::Bits);
        Ok(Value::Parts((0..count).map(component).collect::<Result<_, _>>()?))
    }

    /// Stores the low `size` bytes of `bits` at `start`.
    pub(super) fn store(&mut self, handle: Handle, at: (u64, u64), bits: u64) -> Result<(), String> {
        self.buffers.store(handle.site, at, bits)
    }
}
