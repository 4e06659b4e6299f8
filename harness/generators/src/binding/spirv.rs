//! Writes a binding program in SPIR-V 1.3: one variable for each parameter, and one entry point
//! that reads all of them.
//!
//! Source: SPIR-V specification 1.3; Vulkan specification, "Shader Interfaces".

use rspirv::binary::Assemble;
use rspirv::spirv::{ExecutionModel, StorageClass, Word};

use super::draw;
use super::emitter::{Emitter, OPEN};
use super::read;
use super::variable::{BindingVariable, ToolVariables, declare, declare_tools};
use layoutproof_probes::binding::{BindingProgram, ENTRY, FIRST_ANSWER, Pass, is_sampler};

/// Returns the words of the module of `program`.
pub fn module(program: &BindingProgram) -> Vec<u32> {
    let mut emitter = Emitter::new();
    match program.pass {
        Pass::Compute => compute(&mut emitter, program),
        Pass::Varyings | Pass::Targets => draw::write(&mut emitter, program),
    }
    emitter.builder.module().assemble()
}

fn compute(emitter: &mut Emitter, program: &BindingProgram) {
    let tools = declare_tools(emitter, program);
    let variables: Vec<BindingVariable> = program.bound.iter().map(|probed| declare(emitter, probed)).collect();

    let function = emitter.begin();
    let nonce = {
        let pointer = output(emitter, &tools, 1);
        let uint = emitter.uint();
        emitter.builder.load(uint, None, pointer, None, []).expect(OPEN)
    };
    store(emitter, &tools, 0, nonce);

    let samplers = program.sampler_reads();
    let words: Vec<u32> = samplers.iter().filter_map(|read| program.reads[*read].site.word()).collect();
    let mut levels = tools.levels.iter().copied();
    for (answer, found) in (FIRST_ANSWER..).zip(&program.reads) {
        let kind = program.bound[found.of].kind;
        let other = if is_sampler(kind) { levels.next() } else { tools.nearest };
        let value = read::read(emitter, kind, variables[found.of], found.site.element(), other, &words);
        store(emitter, &tools, answer, value);
    }
    emitter.end(function, ExecutionModel::GLCompute, ENTRY, &[]);
}

fn store(emitter: &mut Emitter, tools: &ToolVariables, word: u32, value: Word) {
    let pointer = output(emitter, tools, word);
    emitter.builder.store(pointer, value, None, []).expect(OPEN);
}

/// Returns a pointer to a word of the output.
fn output(emitter: &mut Emitter, tools: &ToolVariables, word: u32) -> Word {
    let uint = emitter.uint();
    let pointer = emitter.builder.type_pointer(None, StorageClass::StorageBuffer, uint);
    let (zero, word) = (emitter.constant(0), emitter.constant(word));
    emitter.builder.access_chain(pointer, None, tools.output, [zero, word]).expect(OPEN)
}
