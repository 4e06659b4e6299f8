//! Reads LLVM assembly and executes it on the CPU, to find out which bytes a compiler's code for
//! Direct3D really addresses.
//!
//! The input is DXC's listing of DXIL (LLVM 3.7), or the output of `clang-dxc -Xclang -emit-llvm`
//! before the DirectX target lowers it to DXIL. `reader` reads a line, `instruction` an
//! instruction, `module` the whole text; `machine` executes an entry point over the buffers of a
//! job. `accesses` follows its loads and stores without
//! executing them. `dxil` has the operations and the metadata of DXIL, `clang` the intrinsics and the constant
//! buffers of Clang's IR; everything else is the same for both. What is not supported is rejected by
//! name.
//!
//! Source: LLVM Language Reference Manual.

mod accesses;
mod arithmetic;
mod clang;
mod dxil;
mod instruction;
mod ir_error;
mod machine;
mod memory;
mod module;
mod reader;
mod types;
mod value;

use std::collections::HashMap;

use self::machine::Machine;
use self::memory::BoundBuffers;
use self::module::Function;

pub(crate) use self::clang::ConstantBuffer;
pub use self::dxil::stage_sizes;
pub use self::ir_error::IrError;
pub use self::machine::Survey;
pub(crate) use self::memory::BoundBuffer;
pub use self::memory::RegisterSite;
pub(crate) use self::module::{Module, defined_types};
pub(crate) use self::types::{LaidOutStruct, Primitive, StructType, Type};

/// An entry point that can be executed.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) module: Module,
    functions: HashMap<String, Function>,
    entry: String,
}

impl Program {
    /// Reads a module and the entry point `name`.
    pub fn read(text: &str, name: &str) -> Result<Self, IrError> {
        let module = Module::read(text)?;
        let functions = module::functions(text, &module.types)?;
        // Itanium C++ ABI, 5.1: a kernel of Metal is a function of C++, whose name comes after its length.
        let mangled = format!("_Z{}{name}", name.len());
        let entry = functions
            .keys()
            .find(|own| *own == name)
            .or_else(|| functions.keys().find(|own| own.starts_with(&mangled)));
        let entry = entry.cloned().ok_or_else(|| IrError::unsupported("the module has no function", name))?;
        Ok(Self { module, functions, entry })
    }

    /// Reads a module and its first entry point.
    pub(crate) fn only(text: &str) -> Result<Self, IrError> {
        Self::read(text, &module::entry(text)?)
    }

    /// Executes the entry point over `buffers`.
    pub(crate) fn run(&self, buffers: &mut [BoundBuffer]) -> Result<(), IrError> {
        self.machine(buffers, None).run()
    }

    /// The resources that the entry point uses, as far as its code can be followed.
    pub fn survey(&self) -> Survey {
        let mut machine = self.machine(&mut [], Some(Survey::default()));
        let stopped = machine.run().err();
        Survey { stopped, ..machine.memory.survey.unwrap_or_default() }
    }

    fn machine<'a>(&'a self, buffers: &'a mut [BoundBuffer], survey: Option<Survey>) -> Machine<'a> {
        let entry = &self.functions[&self.entry];
        Machine::new(&self.module, &self.functions, entry, BoundBuffers(buffers), survey)
    }
}
