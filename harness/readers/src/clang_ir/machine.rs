//! Executes a function of Clang's IR: follows its blocks and stores the values of names; `access`
//! has the memory.

use std::collections::HashMap;

use layoutproof_layout::shape::Count;

use super::access::AddressedMemory;
use super::budget::StepBudget;
use super::function::ClangFunction;
use super::instruction::{ClangAction, ClangInstruction, HandleType, Terminator};
use super::ir::Ir;
use super::operand::{Address, ClangOperand};
use super::survey::{IrResource, Survey};
use super::value::{AddressedObject, ClangHandle, ClangPointer, ClangValue};
use super::{intrinsic, lanes};
use crate::llvm::arithmetic::signed;
use crate::llvm::buffers::{BoundBuffers, RegisterSite};

/// Most resources of a survey.
const MAX_RESOURCES: usize = 1024;

/// Most nested calls.
const MAX_CALLS: u32 = 32;

/// The state of an execution.
#[derive(Debug)]
pub(super) struct ClangMachine<'a> {
    ir: &'a Ir,
    functions: &'a HashMap<String, ClangFunction>,
    pub(super) memory: AddressedMemory<'a>,
    /// The values of the current function.
    values: HashMap<&'a str, ClangValue>,
    budget: StepBudget,
    calls_left: u32,
    /// Objects in private memory of the module's variables, allocated on first use.
    variables: HashMap<&'a str, usize>,
    /// For each member of a constant buffer, the handle's variable and the offset in bytes.
    members: HashMap<&'a str, (&'a str, u64)>,
}

impl<'a> ClangMachine<'a> {
    /// A machine before its first instruction. With `survey` it follows the code without accessing
    /// buffers.
    pub(super) fn new(
        ir: &'a Ir,
        functions: &'a HashMap<String, ClangFunction>,
        buffers: BoundBuffers<'a>,
        survey: Option<Survey>,
    ) -> Self {
        let members = ir.constant_buffers.iter().flat_map(|buffer| {
            let placed = buffer.members.iter();
            placed.map(|(name, place)| (name.as_str(), (buffer.variable.as_str(), buffer.layout.offsets[*place])))
        });

        Self {
            ir,
            functions,
            memory: AddressedMemory::new(&ir.types, buffers, survey),
            values: HashMap::new(),
            budget: StepBudget::new(),
            calls_left: MAX_CALLS,
            variables: HashMap::new(),
            members: members.collect(),
        }
    }

    /// Executes the function `name`.
    ///
    /// # Errors
    /// The first instruction that cannot be executed, or more instructions than the budget allows.
    pub(super) fn run(&mut self, name: &str) -> Result<(), String> {
        let function = self.functions.get(name).ok_or_else(|| format!("no function is called `{name}`"))?;
        self.enter(function, Vec::new()).map(drop)
    }

    /// Executes a function with a new set of names, and returns its result.
    fn enter(&mut self, function: &'a ClangFunction, arguments: Vec<ClangValue>) -> Result<ClangValue, String> {
        if function.parameters.len() != arguments.len() {
            return Err("a call with another number of arguments".to_owned());
        }

        let left = self.calls_left.checked_sub(1);
        self.calls_left = left.ok_or_else(|| format!("more than {MAX_CALLS} calls within each other"))?;

        let own = function.parameters.iter().map(String::as_str).zip(arguments).collect();
        let callers = std::mem::replace(&mut self.values, own);
        let returned = self.body(function)?;
        self.values = callers;
        self.calls_left += 1;

        Ok(returned)
    }

    /// Executes blocks from the first one until a return.
    fn body(&mut self, function: &'a ClangFunction) -> Result<ClangValue, String> {
        let (mut block, mut before) = (&function.blocks[0], "");
        loop {
            let mut next = None;
            for instruction in self.choose(&block.instructions, before)? {
                self.budget.charge(1)?;
                match &instruction.action {
                    ClangAction::Flow(Terminator::Return(None)) => return Ok(ClangValue::Undefined),
                    ClangAction::Flow(Terminator::Return(Some(value))) => return self.value(value),
                    ClangAction::Flow(flow) => next = self.target(flow)?,
                    action => {
                        let value = self.execute(action)?;
                        instruction.result.iter().for_each(|name| drop(self.values.insert(name, value.clone())));
                    }
                }
            }

            let label = next.ok_or("a block without an end")?;
            before = &block.label;
            let place = function.labels.get(label).ok_or_else(|| format!("no block is called %{label}"))?;
            block = &function.blocks[*place];
        }
    }

    /// The label of the next block; `None` for a return.
    fn target(&mut self, flow: &'a Terminator) -> Result<Option<&'a str>, String> {
        Ok(match flow {
            Terminator::Jump(label) => Some(label),
            Terminator::Branch(condition, [yes, no]) => {
                Some(if self.value(condition)?.bits()? == 1 { yes } else { no })
            }
            Terminator::Switch(condition, cases, otherwise) => {
                self.budget.charge(cases.len() as u64)?;
                let value = self.value(condition)?.bits()?;
                let case = cases.iter().find(|(of_case, _)| *of_case == value);
                Some(case.map_or(otherwise.as_str(), |(_, label)| label.as_str()))
            }
            Terminator::Return(_) => None,
        })
    }

    /// Evaluates the phi instructions at the start of a block, all at once, and returns the other
    /// instructions.
    fn choose(&mut self, instructions: &'a [ClangInstruction], before: &str) -> Result<&'a [ClangInstruction], String> {
        let mut chosen = Vec::new();
        for instruction in instructions {
            let (ClangAction::Phi(incoming), Some(name)) = (&instruction.action, &instruction.result) else { break };
            self.budget.charge(incoming.len() as u64)?;
            let found = incoming.iter().find(|(_, label)| label == before);
            let (operand, _) = found.ok_or_else(|| format!("%{name} has no value from %{before}"))?;
            chosen.push((name.as_str(), self.value(operand)?));
        }

        let rest = &instructions[chosen.len()..];
        self.values.extend(chosen);
        Ok(rest)
    }

    fn execute(&mut self, action: &'a ClangAction) -> Result<ClangValue, String> {
        match action {
            ClangAction::Handle(resource, arguments) => self.handle(resource, arguments),
            ClangAction::ResourceElement(handle, index) => self.resource_element(handle, index),
            ClangAction::Call(name, arguments) => {
                let values = arguments.iter().map(|argument| self.value(argument)).collect::<Result<Vec<_>, _>>()?;
                match self.functions.get(name) {
                    Some(function) => self.enter(function, values),
                    None => intrinsic::call(name, &values, &mut self.memory, &mut self.budget),
                }
            }
            ClangAction::Extract(from, index) => {
                let ClangValue::Parts(parts) = self.value(from)? else { return Err("a part of a scalar".to_owned()) };
                let part = usize::try_from(*index).ok().and_then(|index| parts.get(index).cloned());
                part.ok_or_else(|| format!("part {index} is not there"))
            }
            ClangAction::ExtractElement(from, index) => lanes::extract(self.value(from)?, &self.value(index)?),
            ClangAction::InsertElement(count, operands) => lanes::insert(*count, self.three(operands)?),
            ClangAction::Shuffle(count, [first, second], mask) => {
                lanes::shuffle(*count, [self.value(first)?, self.value(second)?], self.value(mask)?)
            }
            ClangAction::Cast(name, (from, operand), to) => lanes::cast(name, self.value(operand)?, *from, *to),
            ClangAction::Binary(name, lanes, operands) => lanes::binary(name, *lanes, self.two(operands)?),
            ClangAction::Compare(name, lanes, operands) => lanes::compare(name, *lanes, self.two(operands)?),
            ClangAction::Select(operands) => lanes::select(self.three(operands)?),
            ClangAction::Same(operand) => self.value(operand),
            ClangAction::Allocate(size) => {
                let object = AddressedObject::Private(self.memory.private.allocate(*size)?);
                Ok(ClangValue::Pointer(ClangPointer { object, offset: 0 }))
            }
            ClangAction::Address(address) => self.address(address),
            ClangAction::Load(ty, pointer) => {
                let pointer = self.value(pointer)?.pointer()?;
                self.memory.load(ty, pointer)
            }
            ClangAction::Store(ty, value, pointer) => {
                let (value, pointer) = (self.value(value)?, self.value(pointer)?.pointer()?);
                self.memory.store(ty, value, pointer)?;
                Ok(ClangValue::Undefined)
            }
            ClangAction::Nothing => Ok(ClangValue::Undefined),
            ClangAction::Unknown(reason) => Err(reason.clone()),
            ClangAction::Phi(_) => Err("a choice that does not begin its block".to_owned()),
            ClangAction::Flow(_) => Err("an end within a block".to_owned()),
        }
    }

    fn resource_element(&mut self, handle: &'a ClangOperand, index: &'a ClangOperand) -> Result<ClangValue, String> {
        let (handle, index) = (self.value(handle)?.handle()?, self.value(index)?.word()?);
        let stride = handle.stride.ok_or("the address of an element that has none")?;
        let offset = stride.checked_mul(u64::from(index)).and_then(|offset| i64::try_from(offset).ok());
        let offset = offset.ok_or("an element beyond all buffers")?;
        Ok(ClangValue::Pointer(ClangPointer { object: AddressedObject::Resource(handle.site), offset }))
    }

    /// Operands: `(i32 space, i32 register, i32 count, i32 index, ptr name)`. In the implicit form
    /// an ordinal precedes the space and there is no register, because a later pass chooses it;
    /// until then the resource gets its own register, counted down from the highest.
    fn handle(&mut self, resource: &HandleType, arguments: &'a [ClangOperand]) -> Result<ClangValue, String> {
        let [first, second, count, index, name] = arguments else { return Err("a handle of no binding".to_owned()) };
        let (first, second) = (self.value(first)?.word()?, self.value(second)?.word()?);
        let (space, register) =
            if resource.implicit { (second, u32::MAX.checked_sub(first)) } else { (first, Some(second)) };
        let register = register.ok_or("a register beyond all")?;

        let site = RegisterSite { class: resource.class, space, register };
        if self.memory.survey.is_some() {
            self.note(resource, site, count, name)?;
        }

        let register = register.checked_add(self.value(index)?.word()?).ok_or("a register beyond all")?;
        Ok(ClangValue::Handle(ClangHandle { site: RegisterSite { register, ..site }, stride: resource.stride }))
    }

    /// Adds a resource to the survey.
    fn note(
        &mut self,
        resource: &HandleType,
        site: RegisterSite,
        count: &'a ClangOperand,
        name: &'a ClangOperand,
    ) -> Result<(), String> {
        // -1 means unbounded.
        let count = self.value(count)?.word()?;
        let count = if count == u32::MAX { Count::Unbounded } else { Count::Finite(count) };
        let name = self.text(name)?;
        let (implicit, element) = (resource.implicit, resource.element.clone());

        let known = &mut self.memory.survey.get_or_insert_default().resources;
        if known.len() == MAX_RESOURCES {
            return Err(format!("more than {MAX_RESOURCES} resources"));
        }
        known.push(IrResource { name, site, count, implicit, element });
        Ok(())
    }

    /// The text that initializes a variable.
    fn text(&mut self, operand: &'a ClangOperand) -> Result<String, String> {
        let AddressedObject::Private(object) = self.value(operand)?.pointer()?.object else { return Ok(String::new()) };
        let name = self.variables.iter().find(|(_, known)| **known == object).map(|(name, _)| *name);
        let variable = name.and_then(|name| self.ir.variables.get(name));
        Ok(variable.and_then(|variable| variable.text.clone()).unwrap_or_default())
    }

    pub(super) fn value(&mut self, operand: &'a ClangOperand) -> Result<ClangValue, String> {
        match operand {
            ClangOperand::Local(name) => {
                self.values.get(name.as_str()).cloned().ok_or_else(|| format!("%{name} is used before it is made"))
            }
            ClangOperand::Global(name) => self.variable(name).map(ClangValue::Pointer),
            ClangOperand::Bits(bits) => Ok(ClangValue::Bits(*bits)),
            ClangOperand::Undefined => Ok(ClangValue::Undefined),
            ClangOperand::Parts(parts) => {
                Ok(ClangValue::Parts(parts.iter().map(|part| self.value(part)).collect::<Result<_, _>>()?))
            }
            ClangOperand::Address(address) => self.address(address),
        }
    }

    /// The address of a variable of the module.
    fn variable(&mut self, name: &'a str) -> Result<ClangPointer, String> {
        if let Some((variable, offset)) = self.members.get(name).copied() {
            let ClangPointer { object, .. } = self.variable(variable)?;
            let AddressedObject::Private(object) = object else { return Err("a handle in a buffer".to_owned()) };
            let site = self.memory.private.link(object, 0).handle()?.site;
            let offset = i64::try_from(offset).map_err(|error| error.to_string())?;
            return Ok(ClangPointer { object: AddressedObject::Resource(site), offset });
        }
        let object = match self.variables.get(name) {
            Some(object) => *object,
            None => self.begin(name)?,
        };
        Ok(ClangPointer { object: AddressedObject::Private(object), offset: 0 })
    }

    /// Allocates a variable's memory. Initializers of constants are not read, because only names of
    /// resources have them.
    fn begin(&mut self, name: &'a str) -> Result<usize, String> {
        let variable = self.ir.variables.get(name).ok_or_else(|| format!("@{name} is not defined"))?;
        let size = self.ir.types.measure(&variable.ty)?.size;
        let object = self.memory.private.allocate(size)?;
        self.variables.insert(name, object);
        Ok(object)
    }

    fn address(&mut self, address: &'a Address) -> Result<ClangValue, String> {
        let base = self.value(&address.base)?.pointer()?;
        let Some(fixed) = address.fixed else {
            return Ok(ClangValue::Pointer(ClangPointer { object: AddressedObject::Nowhere, offset: 0 }));
        };

        let mut offset = base.offset.wrapping_add(fixed);
        for (index, width, size) in &address.scaled {
            let index = signed(self.value(index)?.bits()?, *width);
            offset = offset.wrapping_add(index.wrapping_mul(*size));
        }
        Ok(ClangValue::Pointer(ClangPointer { offset, ..base }))
    }

    fn two(&mut self, [a, b]: &'a [ClangOperand; 2]) -> Result<[ClangValue; 2], String> {
        Ok([self.value(a)?, self.value(b)?])
    }

    fn three(&mut self, [a, b, c]: &'a [ClangOperand; 3]) -> Result<[ClangValue; 3], String> {
        Ok([self.value(a)?, self.value(b)?, self.value(c)?])
    }
}
