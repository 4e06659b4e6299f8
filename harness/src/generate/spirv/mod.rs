//! SPIR-V 1.3 modules with offsets and strides of our own: block and plan in, words out.
//!
//! Any rule set can be written, because every offset is a decoration: nothing here knows a layout rule. One module
//! holds all entry points of a plan; the block's variables share set 0 binding 0, one per way in which an entry point
//! sees it. `block` chooses types, `types` emits them, `body` writes the code, `convert` what stands between leaves and
//! words, `rules` and `needs` say what a device and `spirv-val` must allow.
//!
//! Source: SPIR-V specification 1.3; Vulkan specification, "Shader Interfaces".

mod block;
mod body;
mod convert;
mod needs;
mod rules;
mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rspirv::binary::Assemble;
use rspirv::dr::Operand;
use rspirv::spirv::{
    AddressingModel, Capability, Decoration, ExecutionMode, ExecutionModel, FunctionControl, MemoryModel, StorageClass,
    Word,
};

use self::block::{Block, Kind, Node};
use self::body::{Body, Interface, Place};
use self::needs::Need;
pub use self::rules::BlockRules;
use self::types::{Typed, Types};
use super::ProduceError;
use crate::layout::{BlockLayout, Extent};
use crate::probe::{ProbeEntry, ProbePlan};
use crate::record::{Direction, Form, Space};
use crate::runner::{Feature, Shader};
use crate::shape::Count;

/// A module and what it asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Produced {
    /// SPIR-V words.
    pub words: Vec<u32>,
    /// The rules that the block obeys, by the spaces in which the module holds it.
    pub rules: BTreeMap<Space, BlockRules>,
    /// What the module's types need of a device.
    types: BTreeSet<Feature>,
}

impl Produced {
    /// Options for `spirv-val` beside `--target-env vulkan1.1`.
    pub fn spirv_val_flags(&self) -> Vec<&'static str> {
        self.loosest().and_then(BlockRules::spirv_val_flag).into_iter().collect()
    }

    /// What a device must have to take the module, whichever entry point is run: validity is the whole module's.
    pub fn requires(&self) -> BTreeSet<Feature> {
        let push = self.rules.contains_key(&Space::PushConstant).then_some(Feature::PushConstants);
        self.loosest().and_then(BlockRules::feature).into_iter().chain(push).chain(self.types.iter().copied()).collect()
    }

    /// The words as a shader.
    pub fn shader(&self) -> Shader {
        Shader::Spirv(self.words.clone())
    }

    fn loosest(&self) -> Option<BlockRules> {
        self.rules.values().max().copied()
    }
}

/// Writes the module of `plan` for `layout`.
///
/// # Errors
/// If the rule set forbids the block, the plan has no entry points, or leaves that the block has not, or an entry point
/// cannot hold the block.
pub fn produce(layout: &BlockLayout, plan: &ProbePlan) -> Result<Produced, ProduceError> {
    let Ok(laid_out) = &layout.result else {
        return Err(ProduceError::Refused { rules: layout.rules.clone(), block: layout.name.clone() });
    };
    if plan.entries.is_empty() {
        return Err(ProduceError::NothingToProbe { block: layout.name.clone() });
    }
    refuse_unsized(layout, laid_out.size, plan)?;
    let block = Block::new(laid_out, &plan.leaves);
    let no_leaf = |path: &String| ProduceError::NoSuchLeaf { block: layout.name.clone(), path: path.clone() };
    let leaves = plan.leaves.iter().map(|leaf| block.indices(leaf).ok_or_else(|| no_leaf(&leaf.path)));
    let leaves = leaves.collect::<Result<Vec<_>, _>>()?;
    let kinds = block.node.kinds();
    let spaces: BTreeSet<Space> = plan.entries.iter().map(|entry| entry.space).collect();
    let needs = needs::of(&kinds, &spaces);
    let mut module = Module::new(&block.node, &layout.name, &needs);
    for entry in &plan.entries {
        module.write_entry(entry, &leaves)?;
    }
    let rules = spaces.into_iter().map(|space| (space, rules::needed(&block.node, space))).collect();
    let types = needs.iter().map(|need| need.feature).collect();
    Ok(Produced { words: module.types.builder.module().assemble(), rules, types })
}

fn refuse_unsized(layout: &BlockLayout, size: Extent, plan: &ProbePlan) -> Result<(), ProduceError> {
    let cannot = |entry: &&ProbeEntry| entry.space != Space::Storage || entry.forms.contains(&Form::Whole);
    match plan.entries.iter().find(cannot) {
        Some(entry) if size == Extent::Unbounded => {
            Err(ProduceError::Unsized { entry: entry.name.clone(), block: layout.name.clone() })
        }
        Some(_) | None => Ok(()),
    }
}

/// A module under construction: the block's type, the two other buffers and the block's variables.
struct Module<'a> {
    types: Types,
    block_name: &'a str,
    block: Rc<Typed>,
    output: Place,
    input: Place,
    blocks: BTreeMap<(Space, Direction), Place>,
}

impl<'a> Module<'a> {
    fn new(block: &Node, block_name: &'a str, needs: &[Need]) -> Self {
        let mut types = Types::new();
        types.builder.set_version(1, 3);
        types.builder.capability(Capability::Shader);
        for need in needs {
            types.builder.capability(need.capability);
        }
        let extensions: BTreeSet<&str> = needs.iter().filter_map(|need| need.extension).collect();
        for extension in extensions {
            types.builder.extension(extension);
        }
        types.builder.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
        let block = Rc::new(types.emit(block));
        types.builder.decorate(block.id, Decoration::Block, []);
        let output = word_buffer(&mut types, "output", 1);
        let input = word_buffer(&mut types, "input", 2);
        types.builder.decorate(input.variable, Decoration::NonWritable, []);
        Self { types, block_name, block, output, input, blocks: BTreeMap::new() }
    }

    fn write_entry(&mut self, entry: &ProbeEntry, leaves: &[Vec<u32>]) -> Result<(), ProduceError> {
        let void = self.types.builder.type_void();
        let signature = self.types.builder.type_function(void, []);
        let block = self.block_place(entry.space, entry.direction);
        let interface = Interface { block, output: self.output.clone(), input: self.input.clone() };
        let builder = &mut self.types.builder;
        let no_function = "no function is open between entries";
        let function = builder.begin_function(void, None, FunctionControl::NONE, signature).expect(no_function);
        builder.begin_block(None).expect("a function was just begun");
        let mut body = Body { types: &mut self.types, interface, leaves };
        body.store_nonce();
        match entry.direction {
            Direction::Read => {
                entry.forms.iter().fold(1, |first, form| body.read(*form, first));
            }
            Direction::Write => {
                let missing = |_| ProduceError::PartlyProbed { entry: entry.name.clone() };
                entry.forms.iter().try_for_each(|form| body.write(*form)).map_err(missing)?;
            }
        }
        let builder = &mut self.types.builder;
        builder.ret().expect("the block is open");
        builder.end_function().expect("the function is open");
        builder.name(function, &*entry.name);
        // Before SPIR-V 1.4 an interface lists inputs and outputs only, and probes have none.
        builder.entry_point(ExecutionModel::GLCompute, function, &*entry.name, []);
        builder.execution_mode(function, ExecutionMode::LocalSize, [1, 1, 1]);
        Ok(())
    }

    /// The block's variable in a space; entries that only read see a variable that nobody may write.
    fn block_place(&mut self, space: Space, direction: Direction) -> Place {
        if let Some(place) = self.blocks.get(&(space, direction)) {
            return place.clone();
        }
        let class = match space {
            Space::Uniform => StorageClass::Uniform,
            Space::Storage => StorageClass::StorageBuffer,
            Space::PushConstant => StorageClass::PushConstant,
        };
        let pointer = self.types.pointer(class, self.block.id);
        let builder = &mut self.types.builder;
        let variable = builder.variable(pointer, None, class, None);
        match (space, direction) {
            (Space::PushConstant, _) => {}
            (Space::Storage, Direction::Read) => {
                bind(&mut self.types, variable, 0);
                self.types.builder.decorate(variable, Decoration::NonWritable, []);
            }
            (Space::Uniform, _) | (Space::Storage, Direction::Write) => bind(&mut self.types, variable, 0),
        }
        self.types.builder.name(variable, self.block_name);
        let place = Place { variable, class, ty: Rc::clone(&self.block) };
        self.blocks.insert((space, direction), place.clone());
        place
    }
}

/// A storage buffer of `uint` at set 0.
fn word_buffer(types: &mut Types, name: &str, binding: u32) -> Place {
    let uint = Box::new(Node::Scalar(Kind::WORD));
    let words = Node::Array { element: uint, count: Count::Unbounded, stride: 4 };
    let words = block::Field { name: "words".into(), index: 0, offset: 0, node: words };
    let ty = types.emit(&Node::Struct { name: format!("{name}_block"), fields: vec![words] });
    types.builder.decorate(ty.id, Decoration::Block, []);
    let class = StorageClass::StorageBuffer;
    let pointer = types.pointer(class, ty.id);
    let variable = types.builder.variable(pointer, None, class, None);
    types.builder.name(variable, name);
    bind(types, variable, binding);
    Place { variable, class, ty: Rc::new(ty) }
}

fn bind(types: &mut Types, variable: Word, binding: u32) {
    types.builder.decorate(variable, Decoration::DescriptorSet, [Operand::LiteralBit32(0)]);
    types.builder.decorate(variable, Decoration::Binding, [Operand::LiteralBit32(binding)]);
}
