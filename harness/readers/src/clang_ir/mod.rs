//! Executes Clang's IR on the CPU, to find out which bytes Clang's code for Direct3D really loads.
//!
//! The input is the output of `clang-dxc -Xclang -emit-llvm`: LLVM assembly with opaque pointers,
//! before the DirectX target lowers it to DXIL. `ir` reads types and variables, `function` reads
//! blocks of instructions, `machine` executes an entry point over the buffers of a job, [`layouts`]
//! reports the layout that the types state. A member of a constant buffer is a separate variable in
//! address space 2; its offset comes from the type of the whole buffer. Unsupported instructions
//! are rejected by name.
//!
//! Source: LLVM Language Reference Manual; LLVM's DirectX target, "DirectX Types"; wg-hlsl, Types
//! with explicit layouts in DXIL and SPIR-V; the IR of Clang 22.1.8.

mod access;
mod budget;
mod data_layout;
mod function;
mod instruction;
mod intrinsic;
mod ir;
mod lanes;
pub mod layouts;
pub mod listed;
mod machine;
mod memory;
mod operand;
mod reader;
mod survey;
mod types;
mod value;

use std::collections::HashMap;

use self::function::ClangFunction;
use self::ir::Ir;
use self::machine::ClangMachine;
use crate::llvm::buffers::{BoundBuffer, BoundBuffers};

pub use self::survey::Survey;

/// An entry point that can be executed.
#[derive(Clone, Debug)]
pub struct ClangProgram {
    ir: Ir,
    functions: HashMap<String, ClangFunction>,
    entry: String,
}

impl ClangProgram {
    /// Reads a module and the entry point `name`.
    ///
    /// # Errors
    /// A line outside functions that cannot be parsed, or no such function.
    pub fn read(text: &str, name: &str) -> Result<Self, String> {
        let ir = Ir::read(text)?;
        let functions = function::functions(text, &ir.types)?;
        if functions.contains_key(name) {
            Ok(Self { ir, functions, entry: name.to_owned() })
        } else {
            Err(format!("the module has no function `{name}`"))
        }
    }

    /// Reads a module and its first entry point.
    ///
    /// # Errors
    /// As [`Self::read`], or a module without an entry point.
    pub(crate) fn only(text: &str) -> Result<Self, String> {
        Self::read(text, &function::entry(text)?)
    }

    /// Executes the entry point over `buffers`.
    ///
    /// # Errors
    /// The first instruction that cannot be executed.
    pub(crate) fn run(&self, buffers: &mut [BoundBuffer]) -> Result<(), String> {
        ClangMachine::new(&self.ir, &self.functions, BoundBuffers(buffers), None).run(&self.entry)
    }

    /// The resources that the entry point uses, as far as its code can be followed.
    pub fn survey(&self) -> Survey {
        let survey = Some(Survey::default());
        let mut machine = ClangMachine::new(&self.ir, &self.functions, BoundBuffers(&mut []), survey);
        let stopped = machine.run(&self.entry).err();
        Survey { stopped, ..machine.memory.survey.unwrap_or_default() }
    }
}
