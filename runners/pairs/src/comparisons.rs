//! Compares each block with each host struct once, although hundreds of shaders include the same block.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use layoutproof_hostcheck::{
    BlockPart, CompareOptions, Comparison, LinePlace, ProgramStruct, ShaderBlock, SizeContract, VectorTypes, compare,
    compare_and_advise,
};
use layoutproof_layout::{BlockLayout, ComponentReads, ShaderTarget};

use crate::shader_blocks::TargetBlock;

/// The comparisons of a check so far. Memory would not hold a copy for each shader of an engine.
#[derive(Debug)]
pub struct Comparisons<'a> {
    /// Vector types of libraries and of the user.
    pub vector_types: &'a VectorTypes,
    /// What the shaders read of the members of blocks, by the names of the blocks: one shader may not read what another does.
    reads: BTreeMap<String, ComponentReads>,
    /// By the names of the block, its part and the host struct.
    known: RefCell<HashMap<(String, String, String), Vec<KnownComparison>>>,
    hosts: RefCell<HashMap<String, Vec<Arc<ProgramStruct>>>>,
}

#[derive(Debug)]
struct KnownComparison {
    block: ComparedBlock,
    host: Arc<ProgramStruct>,
    comparison: Arc<Comparison>,
}

/// What a comparison depends on besides the part and the host struct.
#[derive(Debug)]
struct ComparedBlock {
    layout: BlockLayout,
    places: BTreeMap<String, LinePlace>,
    renames: BTreeMap<String, String>,
    host_start: Option<u32>,
    contract: Option<SizeContract>,
    api: Option<ShaderTarget>,
}

impl<'a> Comparisons<'a> {
    /// The comparisons of these blocks.
    pub fn new<'b>(vector_types: &'a VectorTypes, blocks: impl IntoIterator<Item = &'b TargetBlock>) -> Self {
        let mut reads: BTreeMap<String, ComponentReads> = BTreeMap::new();
        for block in blocks.into_iter().filter(|block| !block.reads.is_empty()) {
            reads.entry(block.layout.name.clone()).or_default().merge(&block.reads);
        }
        Self { vector_types, reads, known: RefCell::default(), hosts: RefCell::default() }
    }

    /// Compares a part of a block with a host struct, unless another shader has the same block.
    pub(crate) fn compare(&self, block: &TargetBlock, part: &BlockPart<'_>, host: &ProgramStruct) -> Arc<Comparison> {
        let host = self.shared(host);
        let mut known = self.known.borrow_mut();
        let names = (block.layout.name.clone(), part.path.clone(), host.name.clone());
        let known = known.entry(names).or_default();
        let is_same = |known: &&KnownComparison| Arc::ptr_eq(&known.host, &host) && known.block.is_of(block);
        if let Some(known) = known.iter().find(is_same) {
            return Arc::clone(&known.comparison);
        }

        let renames = block.renames_in(part);
        let shader = ShaderBlock { layout: &block.layout, part, places: &block.places };
        let comparison = Arc::new(compare_and_advise(shader, &host, self.options(block, &renames)));
        known.push(KnownComparison { block: ComparedBlock::new(block), host, comparison: Arc::clone(&comparison) });
        comparison
    }

    /// Compares a part of a block with a host struct, and does not keep the comparison. It advises nothing.
    pub(crate) fn compare_once(&self, block: &TargetBlock, part: &BlockPart<'_>, host: &ProgramStruct) -> Comparison {
        let renames = block.renames_in(part);
        let shader = ShaderBlock { layout: &block.layout, part, places: &block.places };
        compare(shader, host, self.options(block, &renames))
    }

    /// The options for a block, with its names in the part that is compared.
    pub fn options<'b>(&'b self, block: &'b TargetBlock, renames: &'b BTreeMap<String, String>) -> CompareOptions<'b> {
        let (host_start, contract, api) = (block.host_start, block.contract, block.api);
        let reads = self.reads.get(&block.layout.name).unwrap_or(&block.reads);
        CompareOptions { renames, vector_types: self.vector_types, host_start, contract, api, reads }
    }

    /// The one copy of a host struct.
    pub(crate) fn shared(&self, host: &ProgramStruct) -> Arc<ProgramStruct> {
        let mut hosts = self.hosts.borrow_mut();
        let namesakes = hosts.entry(host.name.clone()).or_default();
        if let Some(known) = namesakes.iter().find(|known| ***known == *host) {
            return Arc::clone(known);
        }
        let new = Arc::new(host.clone());
        namesakes.push(Arc::clone(&new));
        new
    }
}

impl ComparedBlock {
    fn new(block: &TargetBlock) -> Self {
        Self {
            layout: block.layout.clone(),
            places: block.places.clone(),
            renames: block.renames.clone(),
            host_start: block.host_start,
            contract: block.contract,
            api: block.api,
        }
    }

    fn is_of(&self, block: &TargetBlock) -> bool {
        (self.host_start, self.contract, self.api) == (block.host_start, block.contract, block.api)
            && self.renames == block.renames
            && self.places == block.places
            && self.layout == block.layout
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use layoutproof_hostcheck::{ProgramContract, block_parts};
    use layoutproof_source::sources::SourceMap;

    use super::*;
    use crate::shader_blocks::{ShaderJob, read};
    use layoutproof_inputs::declare::DeclareArgs;
    use layoutproof_inputs::layout_selection::LayoutSelection;

    /// The block of a shader that includes or declares it.
    fn block_of(folder: &Path, name: &str, text: &str) -> TargetBlock {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        let job = ShaderJob {
            path,
            declare: DeclareArgs::default(),
            profile: None,
            named: LayoutSelection::default(),
            usual: LayoutSelection::default(),
        };
        read(&job, &mut SourceMap::default()).unwrap().unwrap().blocks.remove(0)
    }

    fn host(size: u32) -> ProgramStruct {
        ProgramStruct {
            name: "Frame".to_owned(),
            object: "a.o".to_owned(),
            size,
            fields: Vec::new(),
            place: None,
            contract: ProgramContract::Fixed,
            other_layouts: Vec::new(),
            is_named_by_variable: false,
            written_by: None,
        }
    }

    #[test]
    fn shaders_that_include_a_block_share_its_comparison() {
        let folder = tempfile::tempdir().unwrap();
        let frame = "cbuffer Frame { float4 tint; };";
        std::fs::write(folder.path().join("frame.hlsli"), frame).unwrap();
        let include = "#include \"frame.hlsli\"\n";
        let a = block_of(folder.path(), "a.hlsl", include);
        let b = block_of(folder.path(), "b.hlsl", &format!("// Another line.\n{include}"));
        let copy = block_of(folder.path(), "copy.hlsl", frame);
        let wider = block_of(folder.path(), "wider.hlsl", "cbuffer Frame { float4 tint, other; };");
        let pushed = TargetBlock { host_start: Some(16), ..a.clone() };
        let renamed = TargetBlock { renames: BTreeMap::from([("tint".to_owned(), "color".to_owned())]), ..a.clone() };

        let comparisons = Comparisons::new(VectorTypes::built_in(), []);
        let compared = |block: &TargetBlock, host: &ProgramStruct| {
            let parts = block_parts(&block.layout, block.layout.result.as_ref().unwrap());
            comparisons.compare(block, &parts[0], host)
        };
        let first = compared(&a, &host(16));
        assert!(Arc::ptr_eq(&first, &compared(&b, &host(16))));
        assert!(!Arc::ptr_eq(&first, &compared(&a, &host(32))));
        for block in [copy, wider, pushed, renamed] {
            assert!(!Arc::ptr_eq(&first, &compared(&block, &host(16))), "{block:?}");
        }
    }
}
