//! Writes SPIR-V modules with offsets and strides of our own: version 1.3, and 1.4 for ray-tracing
//! stages and for blocks in workgroup memory or in a descriptor heap.
//!
//! Any rule set can be written, because every offset is a decoration: nothing here knows a layout
//! rule. One module holds all entry points of a plan. The block's variables share set 0 binding 0,
//! one per combination of space and direction.
//!
//! `block` chooses types, and `types` emits them. `buffers` and `interface` declare variables, and
//! `module` writes entry points; `stages` adds what an entry point of each stage needs in addition
//! to the probe. `body` and `forms` write the code, `access` its loads and stores, and `convert`
//! the conversions between leaves and words. `caller` writes the ray generation that reaches another
//! stage. `input_place` is the place of the input. `rules` and
//! `needs` find what a device and `spirv-val` must allow. `workgroup` fills workgroup memory, and
//! `heap` finds a block in the descriptor heap.
//! `regions` writes modules of many blocks.
//!
//! Source: SPIR-V specification; `SPV_KHR_physical_storage_buffer`; `SPV_KHR_ray_tracing`; Vulkan
//! specification, "Shader Interfaces"; `SPV_KHR_untyped_pointers`; `SPV_EXT_descriptor_heap`.

mod access;
mod block;
mod body;
mod buffers;
mod caller;
mod convert;
mod forms;
mod heap;
mod input_place;
mod interface;
mod kind;
mod module;
mod needs;
mod regions;
mod rules;
mod stages;
mod types;
mod workgroup;

use std::collections::{BTreeMap, BTreeSet};

use rspirv::binary::Assemble;

use self::block::{SpirvBlock, Way};
pub use self::caller::caller;
use self::module::{ModuleUse, ModuleWriter};
pub use self::regions::region_job;
pub use self::rules::required_feature;
use layoutproof_device::{Feature, Shader};
use layoutproof_layout::{BlockLayout, BlockRules, Extent};

use super::ProduceError;
use layoutproof_probes::{AddressSpace, Form, ProbeEntry, ProbePlan, Wiring, push_words, spread, workgroup_words};

/// A module and its requirements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpirvModule {
    pub words: Vec<u32>,
    /// The rules that the block obeys, by the spaces in which the module holds it.
    pub rules: BTreeMap<AddressSpace, BlockRules>,
    /// Features that the module's types, and the spaces and stages of its entry points, need on a
    /// device.
    features: BTreeSet<Feature>,
}

impl SpirvModule {
    /// Returns the rules under which the whole module is valid.
    pub fn block_rules(&self) -> BlockRules {
        self.rules.values().max().copied().unwrap_or(BlockRules::Relaxed)
    }

    /// Lists the features that a device needs to accept the module. They do not depend on the entry
    /// point, since the whole module must be valid.
    pub fn requires(&self) -> BTreeSet<Feature> {
        let push = self.rules.contains_key(&AddressSpace::PushConstant).then_some(Feature::PushConstants);
        let of_rules = self.rules.iter().filter_map(|(space, rules)| required_feature(*rules, *space));
        of_rules.chain(push).chain(self.features.iter().copied()).collect()
    }

    /// Returns the words as a shader.
    pub fn shader(&self) -> Shader {
        Shader::Spirv(self.words.clone())
    }
}

/// Writes the module of `plan` for `layout`.
///
/// # Errors
///
/// The rule set forbids the block, the plan has no entry points or has leaves that are not in the
/// block, or an entry point cannot hold the block.
pub fn produce(layout: &BlockLayout, plan: &ProbePlan) -> Result<SpirvModule, ProduceError> {
    let Ok(laid_out) = &layout.result else {
        return Err(ProduceError::Refused { rules: layout.rules.clone(), block: layout.name.clone() });
    };
    if plan.entries.is_empty() {
        return Err(ProduceError::NothingToProbe { block: layout.name.clone() });
    }
    refuse_unsized(layout, laid_out.size, plan)?;

    let block = SpirvBlock::new(laid_out, &plan.leaves);
    let ways = ways_in(layout, &block, plan)?;
    let has = |form| plan.entries.iter().any(|entry| entry.forms.contains(&form));
    let other = if has(Form::Copied) || has(Form::Retyped) { spread(laid_out) } else { None };
    let copy = match other {
        Some(other) => {
            let block = SpirvBlock::new(&other, &plan.leaves);
            let leaves = ways_in(layout, &block, plan)?.into_iter().map(|way| way.indices).collect();
            Some((block.node, leaves))
        }
        None => None,
    };

    let kinds = block.node.kinds();
    let spaces: BTreeSet<AddressSpace> = plan.entries.iter().map(|entry| entry.space).collect();
    let needs = needs::of(&kinds, &spaces);
    // Entry points that need other features are in other modules, so all are traced or none is.
    let module_use = ModuleUse {
        traced: plan.entries.iter().any(|entry| entry.stage.is_traced()),
        untyped: plan.entries.iter().any(ProbeEntry::is_untyped),
    };
    let mut module = ModuleWriter::new(&block.node, &layout.name, &needs, &spaces, module_use);
    if let Some((node, leaves)) = copy {
        module.add_copy(&node, leaves);
    }

    for entry in &plan.entries {
        let wiring = Wiring::new(layout, plan, entry);
        let words = match entry.space {
            AddressSpace::Workgroup => workgroup_words(layout, plan),
            AddressSpace::PushConstant => push_words(layout, plan),
            _ => Ok(0),
        };
        module.write_entry(entry, &ways, &wiring, words.map_err(|_| no_image(layout))?)?;
    }

    let rules = spaces.into_iter().map(|space| (space, rules::needed(&block.node, space))).collect();
    let of_types = needs.iter().map(|need| need.feature);
    let features = of_types.chain(plan.entries.iter().flat_map(ProbeEntry::requires)).collect();
    Ok(SpirvModule { words: module.finish().assemble(), rules, features })
}

/// Returns the loosest Vulkan rules that the leaves of `plan` need in the spaces of its entry
/// points; `None` for a block without a layout, or a plan without entry points.
pub fn block_rules(layout: &BlockLayout, plan: &ProbePlan) -> Option<BlockRules> {
    let block = SpirvBlock::new(layout.result.as_ref().ok()?, &plan.leaves);
    plan.entries.iter().map(|entry| rules::needed(&block.node, entry.space)).max()
}

fn no_image(layout: &BlockLayout) -> ProduceError {
    ProduceError::NothingToProbe { block: layout.name.clone() }
}

/// Returns the indices of each leaf of a plan.
fn ways_in(layout: &BlockLayout, block: &SpirvBlock<'_>, plan: &ProbePlan) -> Result<Vec<Way>, ProduceError> {
    let no_leaf = |path: &String| ProduceError::NoSuchLeaf { block: layout.name.clone(), path: path.clone() };
    plan.leaves.iter().map(|leaf| block.way(leaf).ok_or_else(|| no_leaf(&leaf.path))).collect()
}

/// Checks that no entry point needs a size if the block has an unsized array.
fn refuse_unsized(layout: &BlockLayout, size: Extent, plan: &ProbePlan) -> Result<(), ProduceError> {
    let whole = |form: &Form| match form {
        Form::Whole
        | Form::Parameter
        | Form::Copied
        | Form::Private
        | Form::Function
        | Form::Workgroup
        | Form::Sized
        | Form::UntypedWhole => true,
        Form::Leaf
        | Form::Vector
        | Form::Indexed
        | Form::Divergent
        | Form::Length
        | Form::Linked
        | Form::ByteAddress
        | Form::Untyped
        | Form::UntypedVector
        | Form::UntypedLength
        | Form::Retyped => false,
    };
    let sized = |space: AddressSpace| match space {
        AddressSpace::Uniform
        | AddressSpace::UniformElement
        | AddressSpace::InlineUniform
        | AddressSpace::HeapUniform
        | AddressSpace::PushConstant
        | AddressSpace::ShaderRecord
        | AddressSpace::Workgroup => true,
        AddressSpace::Storage | AddressSpace::StorageElement | AddressSpace::HeapStorage | AddressSpace::Address => {
            false
        }
    };

    let cannot = |entry: &&ProbeEntry| sized(entry.space) || entry.forms.iter().any(whole);
    match plan.entries.iter().find(cannot) {
        Some(entry) if size == Extent::Unbounded => {
            Err(ProduceError::Unsized { entry: entry.name.clone(), block: layout.name.clone() })
        }
        Some(_) | None => Ok(()),
    }
}
