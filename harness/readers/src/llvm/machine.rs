//! Executes a function: follows its blocks and stores the values of names. `memory` has the memory;
//! `dxil` and `clang` have what only one compiler writes.

use std::collections::{BTreeSet, HashMap};

use layoutproof_device::ResourceClass;
use layoutproof_layout::shape::Count;

use super::clang::{self, HandleType};
use super::instruction::{Action, Instruction, Terminator};
use super::ir_error::IrError;
use super::memory::{BoundBuffers, Memory, RegisterSite};
use super::module::{Function, Module};
use super::reader::{Address, Operand};
use super::types::Type;
use super::value::{AddressedObject, Handle, IndexUnit, Pointer, Value};
use super::{arithmetic, dxil};

/// A resource for which an entry point makes a handle.
#[derive(Clone, Debug)]
pub(crate) struct IrResource {
    /// Name as Clang writes it: `B`, `$Globals`.
    pub(crate) name: String,
    pub(crate) site: RegisterSite,
    pub(crate) count: Count,
    /// True if a later pass chooses the register; the one in `site` has no meaning then.
    pub(crate) implicit: bool,
    /// Type of a structured buffer's element, or of the content of a constant buffer.
    pub(crate) element: Option<Type>,
}

/// The resources that an entry point uses.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// In the order in which the entry point makes their handles.
    pub(crate) resources: Vec<IrResource>,
    /// The registers that it reads and writes if all reads give zeros.
    pub sites: BTreeSet<RegisterSite>,
    /// Why the code was not followed to its end.
    pub stopped: Option<IrError>,
}

const MAX_RESOURCES: usize = 1024;

/// The size of a pointer in Clang's IR for Metal.
const ADDRESS_BYTES: u64 = 8;

/// Most nested calls.
const MAX_CALLS: u32 = 32;

/// Names of a function whose room costs as much as an instruction when the function is called.
const NAMES_PER_STEP: u64 = 16;

#[derive(Debug)]
pub(super) struct Machine<'a> {
    module: &'a Module,
    functions: &'a HashMap<String, Function>,
    pub(super) memory: Memory<'a>,
    /// The function that is executed, and the value of each of its names once it is computed.
    function: &'a Function,
    values: Vec<Option<Value>>,
    budget: StepBudget,
    calls_left: u32,
    /// Objects in private memory of the module's variables, allocated on first use.
    variables: HashMap<&'a str, usize>,
    /// For each member of a constant buffer, the handle's variable and the offset in bytes.
    members: HashMap<&'a str, (&'a str, u64)>,
}

impl<'a> Machine<'a> {
    /// A machine before its first instruction. With `survey` it follows the code without accessing
    /// buffers.
    pub(super) fn new(
        module: &'a Module,
        functions: &'a HashMap<String, Function>,
        entry: &'a Function,
        buffers: BoundBuffers<'a>,
        survey: Option<Survey>,
    ) -> Self {
        let members = module.constant_buffers.iter().flat_map(|buffer| {
            let placed = buffer.members.iter();
            placed.map(|(name, place)| (name.as_str(), (buffer.variable.as_str(), buffer.layout.offsets[*place])))
        });

        Self {
            module,
            functions,
            memory: Memory::new(&module.types, buffers, survey),
            function: entry,
            values: Vec::new(),
            budget: StepBudget::new(),
            calls_left: MAX_CALLS,
            variables: HashMap::new(),
            members: members.collect(),
        }
    }

    /// Executes the entry point.
    pub(super) fn run(&mut self) -> Result<(), IrError> {
        // A kernel gets the addresses of its buffers from the annotations of its parameters.
        let arguments = vec![Value::Undefined; self.function.parameters.len()];
        self.enter(self.function, arguments).map(drop)
    }

    /// Executes a function with a new set of values, and returns its result.
    fn enter(&mut self, function: &'a Function, arguments: Vec<Value>) -> Result<Value, IrError> {
        if function.parameters.len() != arguments.len() {
            return Err("a call with another number of arguments".into());
        }

        let left = self.calls_left.checked_sub(1);
        self.calls_left = left.ok_or(IrError::limit("more than", MAX_CALLS, "calls within each other"))?;
        self.budget.charge(function.names.count() as u64 / NAMES_PER_STEP)?;

        let mut own = vec![None; function.names.count()];
        for (place, argument) in function.parameters.iter().zip(arguments) {
            own[*place] = Some(argument);
        }
        let caller = std::mem::replace(&mut self.function, function);
        let values = std::mem::replace(&mut self.values, own);
        let returned = self.body(function)?;
        (self.function, self.values) = (caller, values);
        self.calls_left += 1;

        Ok(returned)
    }

    /// Executes blocks from the first one until a return.
    fn body(&mut self, function: &'a Function) -> Result<Value, IrError> {
        let (mut block, mut before) = (&function.blocks[0], "");
        loop {
            let mut next = None;
            for instruction in self.choose(&block.instructions, before)? {
                self.budget.charge(1)?;
                match &instruction.action {
                    Action::Flow(Terminator::Return(None)) => return Ok(Value::Undefined),
                    Action::Flow(Terminator::Return(Some(value))) => return self.value(value),
                    Action::Flow(flow) => next = self.target(flow)?,
                    action => {
                        let value = self.execute(action)?;
                        if let Some(place) = instruction.result {
                            self.values[place] = Some(value);
                        }
                    }
                }
            }

            let label = next.ok_or("a block without an end")?;
            before = &block.label;
            let place = function.labels.get(label).ok_or_else(|| IrError::NoBlock(label.to_owned()))?;
            block = &function.blocks[*place];
        }
    }

    /// The label of the next block; `None` for a return.
    fn target(&mut self, flow: &'a Terminator) -> Result<Option<&'a str>, IrError> {
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
    fn choose(&mut self, instructions: &'a [Instruction], before: &str) -> Result<&'a [Instruction], IrError> {
        let mut chosen = Vec::new();
        for instruction in instructions {
            let (Action::Phi(incoming), Some(place)) = (&instruction.action, instruction.result) else { break };
            self.budget.charge(incoming.len() as u64)?;
            let found = incoming.iter().find(|(_, label)| label == before);
            let name = self.function.names.name(place);
            let missing = || IrError::NoValue { name: name.to_owned(), before: before.to_owned() };
            let (operand, _) = found.ok_or_else(missing)?;
            chosen.push((place, self.value(operand)?));
        }

        let rest = &instructions[chosen.len()..];
        for (place, value) in chosen {
            self.values[place] = Some(value);
        }
        Ok(rest)
    }

    fn execute(&mut self, action: &'a Action) -> Result<Value, IrError> {
        match action {
            Action::Handle(resource, arguments) => self.handle(resource, arguments),
            Action::ResourceElement(handle, index) => self.resource_element(handle, index),
            Action::ResourceStart(handle) => self.resource_start(handle),
            Action::Call(name, arguments) => {
                let values = arguments.iter().map(|argument| self.value(argument)).collect::<Result<Vec<_>, _>>()?;
                match self.functions.get(name) {
                    None if name.starts_with(clang::OF_PARAMETER) => self.bind_parameter(&values, arguments),
                    None if name.starts_with(clang::OF_MEMBER) => self.bind_member(arguments),
                    Some(function) => self.enter(function, values),
                    None if name.starts_with("dx.op.") => {
                        dxil::call(name, &values, &mut self.memory, &self.module.numbered_resources)
                    }
                    None => clang::call(name, &values, &mut self.memory, &mut self.budget),
                }
            }
            // Without a copy of the aggregate: DXIL extracts each component of each load.
            Action::Extract(Operand::Local(place), index) => self.local(*place)?.part(*index),
            Action::Extract(from, index) => self.value(from)?.part(*index),
            Action::ExtractElement(from, index) => arithmetic::extract(self.value(from)?, &self.value(index)?),
            Action::InsertElement(count, operands) => arithmetic::insert(*count, self.three(operands)?),
            Action::Shuffle(count, [first, second], mask) => {
                arithmetic::shuffle(*count, [self.value(first)?, self.value(second)?], self.value(mask)?)
            }
            Action::Cast(name, (from, operand), to) => arithmetic::cast(name, self.value(operand)?, *from, *to),
            Action::Binary(name, lanes, operands) => arithmetic::binary(name, *lanes, self.two(operands)?),
            Action::Compare(name, lanes, operands) => arithmetic::compare(name, *lanes, self.two(operands)?),
            Action::Select(operands) => arithmetic::select(self.three(operands)?),
            Action::Same(operand) => self.value(operand),
            Action::Allocate(size) => {
                let object = AddressedObject::Private(self.memory.private.allocate(*size)?);
                Ok(Value::Pointer(Pointer { object, offset: 0 }))
            }
            Action::Address(address) => self.address(address),
            Action::Load(ty, pointer) => {
                let pointer = self.value(pointer)?.pointer()?;
                self.memory.load(ty, pointer)
            }
            Action::Store(ty, value, pointer) => {
                let (value, pointer) = (self.value(value)?, self.value(pointer)?.pointer()?);
                self.memory.store(ty, value, pointer)?;
                Ok(Value::Undefined)
            }
            Action::Nothing => Ok(Value::Undefined),
            Action::Unknown(error) => Err(error.clone()),
            Action::Phi(_) => Err("a choice that does not begin its block".into()),
            Action::Flow(_) => Err("an end within a block".into()),
        }
    }

    /// Lets the memory of a kernel's parameter hold the address of the buffer that its annotation names.
    fn bind_parameter(&mut self, values: &[Value], arguments: &'a [Operand]) -> Result<Value, IrError> {
        let ([slot, ..], [_, text, ..]) = (values, arguments) else { return Err("an annotation of nothing".into()) };
        let (slot, text) = (slot.pointer()?, self.text(text)?);
        // A translator may declare buffers that the code does not read, such as naga's lengths of arrays.
        let site = clang::annotated_buffer(&text).and_then(|register| self.memory.site_of_register(register));
        if let Some(site) = site {
            let object = AddressedObject::Resource(site);
            self.memory.store(&Type::Pointer, Value::Pointer(Pointer { object, offset: 0 }), slot)?;
        }
        Ok(Value::Undefined)
    }

    /// Gives a member of an argument buffer memory that holds the address of the buffer with its number.
    fn bind_member(&mut self, arguments: &'a [Operand]) -> Result<Value, IrError> {
        let object = AddressedObject::Private(self.memory.private.allocate(ADDRESS_BYTES)?);
        let slot = Value::Pointer(Pointer { object, offset: 0 });
        self.bind_parameter(std::slice::from_ref(&slot), arguments)?;
        Ok(slot)
    }

    fn resource_element(&mut self, handle: &'a Operand, index: &'a Operand) -> Result<Value, IrError> {
        let (handle, index) = (self.value(handle)?.handle()?, self.value(index)?.word()?);
        let IndexUnit::Elements(stride) = handle.unit else {
            return Err("the address of an element that has none".into());
        };
        let offset = stride.checked_mul(u64::from(index)).and_then(|offset| i64::try_from(offset).ok());
        let offset = offset.ok_or("an element beyond all buffers")?;
        Ok(Value::Pointer(Pointer { object: AddressedObject::Resource(handle.site), offset }))
    }

    /// The address of a `ConstantBuffer<T>`, in which the code then finds the members of `T`.
    fn resource_start(&mut self, handle: &'a Operand) -> Result<Value, IrError> {
        let site = self.value(handle)?.handle()?.site;
        if site.class != ResourceClass::ConstantBuffer {
            return Err("the start of a resource that is no constant buffer".into());
        }
        Ok(Value::Pointer(Pointer { object: AddressedObject::Resource(site), offset: 0 }))
    }

    /// Operands: `(i32 space, i32 register, i32 count, i32 index, ptr name)`. In the implicit form
    /// an ordinal precedes the space and there is no register, because a later pass chooses it;
    /// until then the resource gets its own register, counted down from the highest.
    fn handle(&mut self, resource: &HandleType, arguments: &'a [Operand]) -> Result<Value, IrError> {
        let [first, second, count, index, name] = arguments else { return Err("a handle of no binding".into()) };
        let (first, second) = (self.value(first)?.word()?, self.value(second)?.word()?);
        let (space, register) =
            if resource.implicit { (second, u32::MAX.checked_sub(first)) } else { (first, Some(second)) };
        let register = register.ok_or("a register beyond all")?;

        let site = RegisterSite { class: resource.class, space, register };
        if self.memory.survey.is_some() {
            self.note(resource, site, count, name)?;
        }

        let register = register.checked_add(self.value(index)?.word()?).ok_or("a register beyond all")?;
        Ok(Value::Handle(Handle { site: RegisterSite { register, ..site }, unit: resource.unit }))
    }

    /// Adds a resource to the survey.
    fn note(
        &mut self,
        resource: &HandleType,
        site: RegisterSite,
        count: &'a Operand,
        name: &'a Operand,
    ) -> Result<(), IrError> {
        // -1 means unbounded.
        let count = self.value(count)?.word()?;
        let count = if count == u32::MAX { Count::Unbounded } else { Count::Finite(count) };
        let name = self.text(name)?;
        let (implicit, element) = (resource.implicit, resource.element.clone());

        let known = &mut self.memory.survey.get_or_insert_default().resources;
        if known.len() == MAX_RESOURCES {
            return Err(IrError::limit("more than", MAX_RESOURCES as u64, "resources"));
        }
        known.push(IrResource { name, site, count, implicit, element });
        Ok(())
    }

    /// The text that initializes a variable.
    fn text(&mut self, operand: &'a Operand) -> Result<String, IrError> {
        let AddressedObject::Private(object) = self.value(operand)?.pointer()?.object else { return Ok(String::new()) };
        let name = self.variables.iter().find(|(_, known)| **known == object).map(|(name, _)| *name);
        let variable = name.and_then(|name| self.module.variables.get(name));
        Ok(variable.and_then(|variable| variable.text.clone()).unwrap_or_default())
    }

    fn local(&self, place: usize) -> Result<&Value, IrError> {
        let unset = || IrError::name("%", self.function.names.name(place), "is used before it is made");
        self.values[place].as_ref().ok_or_else(unset)
    }

    fn value(&mut self, operand: &'a Operand) -> Result<Value, IrError> {
        match operand {
            Operand::Local(place) => self.local(*place).cloned(),
            Operand::Global(name) => self.variable(name).map(Value::Pointer),
            Operand::Bits(bits) => Ok(Value::Bits(*bits)),
            Operand::Undefined => Ok(Value::Undefined),
            Operand::Parts(parts) => {
                Ok(Value::Parts(parts.iter().map(|part| self.value(part)).collect::<Result<_, _>>()?))
            }
            Operand::Address(address) => self.address(address),
        }
    }

    /// The address of a variable of the module.
    fn variable(&mut self, name: &'a str) -> Result<Pointer, IrError> {
        if let Some((variable, offset)) = self.members.get(name).copied() {
            let Pointer { object, .. } = self.variable(variable)?;
            let AddressedObject::Private(object) = object else { return Err("a handle in a buffer".into()) };
            let site = self.memory.private.link(object, 0).handle()?.site;
            let offset = i64::try_from(offset)?;
            return Ok(Pointer { object: AddressedObject::Resource(site), offset });
        }
        let object = match self.variables.get(name) {
            Some(object) => *object,
            None => self.begin(name)?,
        };
        Ok(Pointer { object: AddressedObject::Private(object), offset: 0 })
    }

    /// Allocates a variable's memory. Initializers of constants are not read, because only names of
    /// resources have them.
    fn begin(&mut self, name: &'a str) -> Result<usize, IrError> {
        let variable = self.module.variables.get(name).ok_or_else(|| IrError::name("@", name, "is not defined"))?;
        let size = self.module.types.measure(&variable.ty)?.size;
        let object = self.memory.private.allocate(size)?;
        self.variables.insert(name, object);
        Ok(object)
    }

    fn address(&mut self, address: &'a Address) -> Result<Value, IrError> {
        let base = self.value(&address.base)?.pointer()?;
        let Some(fixed) = address.fixed else {
            return Ok(Value::Pointer(Pointer { object: AddressedObject::Nowhere, offset: 0 }));
        };

        let mut offset = base.offset.wrapping_add(fixed);
        for (index, width, size) in &address.scaled {
            let index = arithmetic::signed(self.value(index)?.bits()?, *width);
            offset = offset.wrapping_add(index.wrapping_mul(*size));
        }
        Ok(Value::Pointer(Pointer { offset, ..base }))
    }

    fn two(&mut self, [a, b]: &'a [Operand; 2]) -> Result<[Value; 2], IrError> {
        Ok([self.value(a)?, self.value(b)?])
    }

    fn three(&mut self, [a, b, c]: &'a [Operand; 3]) -> Result<[Value; 3], IrError> {
        Ok([self.value(a)?, self.value(b)?, self.value(c)?])
    }
}

/// Most work: instructions and, for an instruction with many parts, their number.
const MAX_STEPS: u64 = 1 << 20;

#[derive(Debug)]
pub(super) struct StepBudget {
    left: u64,
}

impl StepBudget {
    pub(super) fn new() -> Self {
        Self { left: MAX_STEPS }
    }

    pub(super) fn charge(&mut self, work: u64) -> Result<(), IrError> {
        let left = self.left.checked_sub(work);
        self.left = left.ok_or(IrError::limit("more than", MAX_STEPS, "instructions"))?;
        Ok(())
    }
}
