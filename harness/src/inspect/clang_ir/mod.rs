//! Clang's IR on the CPU: what code that Clang makes for Direct3D really loads.
//!
//! The input is what `clang-dxc -Xclang -emit-llvm` writes: LLVM assembly with opaque pointers, before the DirectX target
//! makes DXIL of it. `ir` reads types and variables, `function` blocks of instructions, `machine` executes an entry point over the buffers of a job,
//! [`layouts`] says what the types claim. A member of a constant buffer is a variable of its own in address space 2, which
//! stands where the type of the whole buffer has it. What is not understood is refused by name.
//!
//! Source: LLVM Language Reference Manual; LLVM's DirectX target, "DirectX Types"; wg-hlsl, Types with explicit layouts in
//! DXIL and SPIR-V; the IR of Clang 22.1.8.

mod access;
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
mod types;
mod value;

use std::collections::{BTreeSet, HashMap};

use layoutproof_layout::shape::Count;

use self::function::ClangFunction;
use self::ir::Ir;
use self::machine::ClangMachine;
use self::types::ClangType;
use crate::inspect::llvm::buffers::{BoundBuffer, BoundBuffers, RegisterSite};

/// An entry point that can be executed.
#[derive(Clone, Debug)]
pub(crate) struct ClangProgram {
    ir: Ir,
    functions: HashMap<String, ClangFunction>,
    entry: String,
}

/// A resource that an entry point makes a handle of.
#[derive(Clone, Debug)]
pub(crate) struct IrResource {
    /// Name as Clang writes it: `B`, `$Globals`.
    pub(crate) name: String,
    pub(crate) site: RegisterSite,
    pub(crate) count: Count,
    /// Whether a later pass finds the register; that of the site means nothing then.
    pub(crate) implicit: bool,
    /// Type of a structured buffer's element.
    element: Option<ClangType>,
}

/// What an entry point does with resources.
#[derive(Clone, Debug, Default)]
pub(crate) struct Survey {
    /// What it makes handles of, in this order.
    pub(crate) resources: Vec<IrResource>,
    /// Where it reads and writes when all that it reads is zeros.
    pub(crate) sites: BTreeSet<RegisterSite>,
    /// Why it was not followed to its end.
    pub(crate) stopped: Option<String>,
}

impl ClangProgram {
    /// Reads a module and the entry point `name`.
    ///
    /// # Errors
    /// A line outside functions that is not understood, or no such function.
    pub(crate) fn read(text: &str, name: &str) -> Result<Self, String> {
        let ir = Ir::read(text)?;
        let functions = function::functions(text, &ir.types)?;
        if functions.contains_key(name) {
            Ok(Self { ir, functions, entry: name.to_owned() })
        } else {
            Err(format!("the module has no function `{name}`"))
        }
    }

    /// The same of the first entry point that there is.
    ///
    /// # Errors
    /// The same.
    pub(crate) fn only(text: &str) -> Result<Self, String> {
        Self::read(text, &function::entry(text)?)
    }

    /// Executes the entry point over `buffers`.
    ///
    /// # Errors
    /// The first instruction that cannot be executed.
    pub(crate) fn run(&self, buffers: &mut [BoundBuffer]) -> Result<(), String> {
        ClangMachine::new(&self.ir, &self.functions, BoundBuffers(buffers)).run(&self.entry)
    }

    /// What the entry point does with resources, as far as it can be followed.
    pub(crate) fn survey(&self) -> Survey {
        let mut machine = ClangMachine::new(&self.ir, &self.functions, BoundBuffers(&mut []));
        machine.survey = Some(Survey::default());
        let stopped = machine.run(&self.entry).err();
        Survey { stopped, ..machine.survey.unwrap_or_default() }
    }
}
