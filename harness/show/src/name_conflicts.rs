//! Blocks that shaders lay out in different ways: a uniform block that was changed in nine of ten shaders, or a payload whose
//! caller and callee disagree.
//!
//! Blocks of one name are compared, and in the shaders of one pipeline (`sky.task`, `sky.mesh`) also blocks that are one
//! memory under several names: data that a stage passes on, and push constants. A bound block may end earlier in one shader
//! than in another, which changes nothing for the members before. A payload may not: both sides move all of it.

use std::collections::{BTreeMap, BTreeSet};

use layoutproof_layout::{BlockKind, BlockLayout, LaidOutShape, Leaf, MemberRow, Reach, StageData};

use crate::layout_text::member_tree::split_dimensions;
use crate::stage_interfaces::stem;

/// Most layouts that a sentence describes, and most shaders of each that it names.
const MOST_NAMED: usize = 3;

/// A block of a shader under one column.
#[derive(Clone, Debug)]
pub struct ShaderBlock<'a> {
    pub file: &'a str,
    /// The rule set or target, which is the same for all blocks that are compared.
    pub column: String,
    pub layout: &'a BlockLayout,
}

impl<'a> ShaderBlock<'a> {
    /// The name that shaders share: that of the struct, or else of the block.
    fn name(&self) -> &'a str {
        match &self.layout.result {
            Ok(root) if matches!(root.shape, LaidOutShape::Struct(_)) && root.type_name != "struct" => &root.type_name,
            _ => &self.layout.name,
        }
    }
}

/// Shaders that agree about a block.
struct SharedLayout<'a> {
    /// The block of the shader that declares most of it, with its members.
    longest: &'a BlockLayout,
    rows: Vec<MemberRow>,
    files: Vec<&'a str>,
}

impl<'a> SharedLayout<'a> {
    fn new(block: &ShaderBlock<'a>) -> Self {
        Self { longest: block.layout, rows: block.layout.rows(), files: vec![block.file] }
    }

    /// Adds a shader whose block is the same. Returns whether it is.
    fn add(&mut self, new: &Self) -> bool {
        let is_same = match (&self.longest.result, &new.longest.result) {
            (Ok(own), Ok(other)) => {
                let is_whole = (self.rows.len(), own.size) == (new.rows.len(), other.size);
                let is_passed_on = matches!(self.longest.reach, Reach::Stage(_));
                let mut pairs = self.rows.iter().zip(&new.rows);
                pairs.all(|(one, other)| is_same_member(one, other)) && (is_whole || !is_passed_on)
            }
            // Without offsets, the reasons list the types.
            (Err(own), Err(other)) => own == other,
            // A rule set forbids one of them; its own error says so.
            (Ok(_), Err(_)) | (Err(_), Ok(_)) => true,
        };
        if is_same {
            self.files.extend(&new.files);
            if new.rows.len() > self.rows.len() {
                (self.longest, self.rows) = (new.longest, new.rows.clone());
            }
        }
        is_same
    }

    fn has_most_members_of(&self, other: &Self) -> bool {
        let common = self.rows.iter().filter(|own| other.rows.iter().any(|row| row.path == own.path)).count();
        2 * common > self.rows.len().max(other.rows.len())
    }

    /// `48 bytes in a.vert, b.vert`.
    fn words(&self) -> String {
        let mut files = self.files.clone();
        files.dedup();
        let more = files.len().saturating_sub(MOST_NAMED);
        let named = files[..files.len() - more].join(", ");
        let size = match &self.longest.result {
            Ok(root) => root.size.finite().map_or_else(|| "runtime-sized".to_owned(), |size| format!("{size} bytes")),
            Err(reasons) => reasons.first().map(|reason| reason.message.clone()).unwrap_or_default(),
        };
        match more {
            0 => format!("{size} in {named}"),
            more => format!("{size} in {named} and {more} more"),
        }
    }

    /// `` ; they part at `float4x4 view` at byte 64 against ... ``.
    fn difference(&self, other: &Self) -> String {
        let words = |row: &MemberRow| format!("`{} {}` at byte {}", row.type_name, row.path, row.offset);
        let pair = self.rows.iter().zip(&other.rows).find(|(one, other)| !is_same_member(one, other));
        pair.map_or_else(String::new, |(one, other)| format!("; they part at {} against {}", words(one), words(other)))
    }
}

/// Lengths of arrays may differ: what comes after the array shows it.
fn is_same_member(one: &MemberRow, other: &MemberRow) -> bool {
    let facts = |row: &MemberRow| (row.offset, row.array_stride, row.matrix_vectors());
    facts(one) == facts(other) && split_dimensions(&one.type_name).0 == split_dimensions(&other.type_name).0
}

/// A sentence for each name with several layouts: `` `Camera` has 2 layouts in 14 shaders: ... ``. Blocks with a name that
/// `is_generic`, such as `Params`, are compared only with those that have most of their members: any block may be called so.
pub fn name_conflicts(blocks: &[ShaderBlock<'_>], is_generic: impl Fn(&str) -> bool) -> Vec<String> {
    let mut by_name: BTreeMap<_, Vec<&ShaderBlock<'_>>> = BTreeMap::new();
    for block in blocks.iter().filter(|block| !block.name().starts_with('$')) {
        let layout = block.layout;
        let data = match layout.reach {
            Reach::Stage(data) => Some(<&str>::from(data)),
            _ => None,
        };
        by_name.entry((block.name(), layout.kind.as_str(), data)).or_default().push(block);
    }
    let of_names = by_name.into_iter().flat_map(|((name, ..), blocks)| conflicts(name, &blocks, is_generic(name)));
    of_names.chain(pipeline_conflicts(blocks)).collect()
}

/// A sentence for each pipeline and kind of memory that its shaders see in different ways under several names.
fn pipeline_conflicts(blocks: &[ShaderBlock<'_>]) -> Vec<String> {
    type Blocks<'b, 'a> = Vec<&'b ShaderBlock<'a>>;
    let mut pipelines: BTreeMap<(&str, &str), Vec<(&str, Blocks<'_, '_>)>> = BTreeMap::new();
    for block in blocks {
        let memory = match (&block.layout.reach, block.layout.kind) {
            (Reach::Stage(StageData::WorkgroupMemory | StageData::NodeRecord | StageData::TransformFeedback), _) => {
                continue;
            }
            (Reach::Stage(data), _) => data.into(),
            (_, BlockKind::PushConstant) => BlockKind::PushConstant.as_str(),
            _ => continue,
        };
        let columns = pipelines.entry((stem(block.file), memory)).or_default();
        match columns.iter_mut().find(|(column, _)| *column == block.column) {
            Some((_, known)) => known.push(block),
            None => columns.push((&block.column, vec![block])),
        }
    }
    let of_pipeline = |((_, memory), columns): ((&str, &str), Vec<(&str, Blocks<'_, '_>)>)| {
        columns.into_iter().find_map(|(_, blocks)| match memory {
            "push-constant" => split_push_constants(&blocks),
            _ => unknown_to_others(memory, &blocks),
        })
    };
    pipelines.into_iter().filter_map(of_pipeline).collect()
}

/// Data of a stage whose type no other shader of the pipeline has. A caller may have several types, for several callees. Those
/// of one name are compared by their name.
fn unknown_to_others(memory: &str, blocks: &[&ShaderBlock<'_>]) -> Option<String> {
    let is_same = |one: &ShaderBlock<'_>, other: &ShaderBlock<'_>| {
        one.name() == other.name() || SharedLayout::new(one).add(&SharedLayout::new(other))
    };
    blocks.iter().find_map(|block| {
        let mut others = blocks.iter().filter(|other| other.file != block.file).peekable();
        let other = *others.peek()?;
        let mut own = blocks.iter().filter(|it| it.file == block.file);
        let is_known = own.any(|own| others.clone().any(|other| is_same(own, other)));
        (!is_known).then(|| {
            let sides = [block, other].map(|it| SharedLayout::new(it).words());
            let (data, names) = (memory.replace('-', " "), [block.name(), other.name()]);
            format!("the {data} `{}` is of another type than `{}`: {}", names[0], names[1], sides.join("; "))
        })
    })
}

/// Push constants of two stages, which are the same bytes, with a member at two places or with numbers of two kinds in one.
fn split_push_constants(blocks: &[&ShaderBlock<'_>]) -> Option<String> {
    let words = |it: &ShaderBlock<'_>, path: &str, offset: u32| format!("`{path}` of {} at byte {offset}", it.file);
    let pairs = (0..).zip(blocks).flat_map(|(at, one)| blocks[at + 1..].iter().map(move |other| (one, other)));
    pairs.filter(|(one, other)| one.file != other.file && one.name() != other.name()).find_map(|(one, other)| {
        let (rows, other_rows) = (one.layout.rows(), other.layout.rows());
        let is_moved = |(row, other): &(&MemberRow, &MemberRow)| {
            row.path == other.path && row.type_name == other.type_name && row.offset != other.offset
        };
        let mut same_names = rows.iter().flat_map(|row| other_rows.iter().map(move |other| (row, other)));
        let moved = same_names.find(is_moved).map(|(row, other_row)| {
            [words(one, &row.path, row.offset), words(other, &other_row.path, other_row.offset)]
        });
        let (leaves, other_leaves) = (one.layout.leaves(), other.layout.leaves());
        let mut pairs = leaves.iter().flat_map(|leaf| other_leaves.iter().map(move |other| (leaf, other)));
        let mixed = || {
            let (leaf, other_leaf) = pairs.find(|(leaf, other)| is_mixed(leaf, other))?;
            Some([words(one, &leaf.path, leaf.offset), words(other, &other_leaf.path, other_leaf.offset)])
        };
        let [first, second] = moved.or_else(mixed)?;
        Some(format!("push constants of two stages disagree: {first}, {second}"))
    })
}

/// True for numbers of different kinds or sizes that share bytes.
fn is_mixed(one: &Leaf, other: &Leaf) -> bool {
    let range = |leaf: &Leaf| leaf.offset..leaf.offset + leaf.component.size;
    let (own, others) = (range(one), range(other));
    let share_bytes = own.start < others.end && others.start < own.end;
    share_bytes && (own != others || one.component.scalar.is_float() != other.component.scalar.is_float())
}

/// The first column under which the blocks differ is the one of the sentences.
fn conflicts<'a>(name: &str, blocks: &[&ShaderBlock<'a>], is_generic: bool) -> Vec<String> {
    let mut columns: Vec<&str> = Vec::new();
    for block in blocks {
        if !columns.contains(&block.column.as_str()) {
            columns.push(&block.column);
        }
    }
    let is_related = |one: &SharedLayout<'a>, other: &SharedLayout<'a>| !is_generic || one.has_most_members_of(other);
    let of_column = |column: &str| -> Vec<String> {
        let mut layouts: Vec<SharedLayout<'a>> = Vec::new();
        for block in blocks.iter().filter(|block| block.column == column) {
            let new = SharedLayout::new(block);
            if !layouts.iter_mut().any(|layout| is_related(layout, &new) && layout.add(&new)) {
                layouts.push(new);
            }
        }
        let mut kinds: Vec<Vec<SharedLayout<'a>>> = Vec::new();
        for layout in layouts {
            match kinds.iter_mut().find(|kind| is_related(&kind[0], &layout)) {
                Some(kind) => kind.push(layout),
                None => kinds.push(vec![layout]),
            }
        }
        kinds.into_iter().filter_map(|kind| sentence(name, kind)).collect()
    };
    columns.into_iter().map(of_column).find(|sentences| !sentences.is_empty()).unwrap_or_default()
}

/// `None` if no two shaders differ.
fn sentence(name: &str, mut layouts: Vec<SharedLayout<'_>>) -> Option<String> {
    let files: BTreeSet<&str> = layouts.iter().flat_map(|layout| &layout.files).copied().collect();
    if layouts.len() < 2 || files.len() < 2 {
        return None;
    }
    // The usual layout comes first.
    layouts.sort_by_key(|layout| std::cmp::Reverse(layout.files.len()));
    let mut sides: Vec<String> = layouts.iter().take(MOST_NAMED).map(SharedLayout::words).collect();
    if layouts.len() > MOST_NAMED {
        sides.push(format!("and {} more", layouts.len() - MOST_NAMED));
    }
    let difference = layouts[0].difference(&layouts[1]);
    let (count, files) = (layouts.len(), files.len());
    Some(format!("`{name}` has {count} layouts in {files} shaders: {}{difference}", sides.join("; ")))
}

#[cfg(test)]
mod tests {
    use layoutproof_layout::scalar::Scalar;
    use layoutproof_layout::shape::{Member, StructType, Type};
    use layoutproof_layout::{Annotations, Block, LayoutOptions, Span, StageData, find, lay_out};

    use super::*;

    /// `float3 a; float b;` as a block of std140 with this name.
    fn block(name: &str, members: &[(&str, Type)], reach: Reach) -> BlockLayout {
        let member = |(name, ty): &(&str, Type)| Member {
            name: (*name).to_owned(),
            ty: ty.clone(),
            bit_width: None,
            annotations: Annotations::default(),
            span: Span::default(),
        };
        let members = members.iter().map(member).collect();
        let ty = StructType { name: name.to_owned(), base: None, members, span: Span::default(), is_open: false };
        let block = Block { reach, ..Block::uniform(name, Type::Struct(ty.into())) };
        lay_out(&block, find("std140").unwrap(), LayoutOptions::default())
    }

    fn warnings(layouts: &[(&str, BlockLayout)]) -> Vec<String> {
        let column = || "std140".to_owned();
        let blocks = layouts.iter().map(|(file, layout)| ShaderBlock { file, column: column(), layout });
        name_conflicts(&blocks.collect::<Vec<_>>(), |name| name == "Params")
    }

    /// Offsets: OpenGL 4.6, 7.6.2.2, std140.
    #[test]
    fn a_block_that_differs_in_one_shader_is_named() {
        let float = || Type::Scalar(Scalar::Float32);
        let vector = || Type::vector(Scalar::Float32, 3);
        let usual = || block("Camera", &[("eye", vector()), ("fov", float())], Reach::Parameter);
        let other = || block("Camera", &[("fov", float()), ("eye", vector())], Reach::Parameter);
        let shorter = || block("Camera", &[("eye", vector())], Reach::Parameter);
        let found = warnings(&[("a.vert", usual()), ("b.vert", other()), ("c.vert", usual()), ("d.vert", shorter())]);
        // OpenGL 4.6, 7.6.2.2, rule 9: a struct ends at a multiple of 16.
        let expected = "`Camera` has 2 layouts in 4 shaders: 16 bytes in a.vert, c.vert, d.vert; 32 bytes in b.vert; they part at \
                        `float3 eye` at byte 0 against `float fov` at byte 0";
        assert_eq!(found, [expected]);
        assert!(warnings(&[("a.vert", usual()), ("d.vert", shorter())]).is_empty());
        // Both sides of a call move the whole payload.
        let payload = |members: &[(&str, Type)]| block("Pay", members, Reach::Stage(StageData::RayPayload));
        let (long, short) = (payload(&[("a", vector()), ("b", float())]), payload(&[("a", vector())]));
        assert_eq!(warnings(&[("a.rgen", long.clone()), ("b.rchit", short)]).len(), 1);
        assert!(warnings(&[("a.rgen", long.clone()), ("b.rchit", long)]).is_empty());
    }

    /// Both sides of a call, of a task shader and its mesh shaders, and of push constants in one pipeline.
    #[test]
    fn one_memory_under_two_names_is_compared() {
        let float = || Type::Scalar(Scalar::Float32);
        let (uint, vector) = (Type::Scalar(Scalar::Uint32), Type::vector(Scalar::Float32, 3));
        let payload = |name: &str, second: Type| {
            block(name, &[("a", vector.clone()), ("b", second)], Reach::Stage(StageData::MeshPayload))
        };
        let (task, mesh, other) = (payload("Task", float()), payload("Mesh", float()), payload("Mesh", vector.clone()));
        assert!(warnings(&[("a.task", task.clone()), ("a.mesh", mesh)]).is_empty());
        assert!(warnings(&[("a.task", task.clone()), ("b.mesh", other.clone())]).is_empty());
        let expected = "the mesh payload `Task` is of another type than `Mesh`: 16 bytes in a.task; 32 bytes in a.mesh";
        assert_eq!(warnings(&[("a.task", task.clone()), ("a.mesh", other.clone())]), [expected]);
        // A caller has a type for each of its callees.
        let third = payload("Third", vector.clone());
        assert!(warnings(&[("a.task", task.clone()), ("a.task", third), ("a.mesh", other)]).is_empty());

        let push = |name: &str, members: &[(&str, Type)]| BlockLayout {
            kind: BlockKind::PushConstant,
            ..block(name, members, Reach::Parameter)
        };
        let vertex = push("V", &[("tint", vector.clone()), ("scale", float())]);
        let moved = push("F", &[("scale", float()), ("after", float())]);
        let expected =
            "push constants of two stages disagree: `scale` of a.vert at byte 12, `scale` of a.frag at byte 0";
        assert_eq!(warnings(&[("a.vert", vertex.clone()), ("a.frag", moved)]), [expected]);
        let mixed = push("F", &[("ids", uint)]);
        let expected = "push constants of two stages disagree: `tint.x` of a.vert at byte 0, `ids` of a.frag at byte 0";
        assert_eq!(warnings(&[("a.vert", vertex.clone()), ("a.frag", mixed)]), [expected]);
        let start = push("F", &[("colour", vector.clone())]);
        assert!(warnings(&[("a.vert", vertex), ("a.frag", start)]).is_empty());
    }

    /// Unrelated blocks share a generic name; only those with most of the same members are one block that was changed.
    #[test]
    fn a_generic_name_alone_is_no_reason_for_a_warning() {
        let float = || Type::Scalar(Scalar::Float32);
        let params = |members: &[&str]| {
            let members: Vec<(&str, Type)> = members.iter().map(|name| (*name, float())).collect();
            block("Params", &members, Reach::Parameter)
        };
        let (blur, tone) = (params(&["radius", "sigma", "step"]), params(&["exposure", "gamma"]));
        let vector = Type::vector(Scalar::Float32, 3);
        let changed = block("Params", &[("sigma", vector), ("radius", float()), ("step", float())], Reach::Parameter);
        assert!(warnings(&[("blur.comp", blur.clone()), ("tone.comp", tone.clone())]).is_empty());
        let found = warnings(&[("blur.comp", blur), ("tone.comp", tone), ("blur.frag", changed)]);
        let expected = "`Params` has 2 layouts in 2 shaders: 16 bytes in blur.comp; 32 bytes in blur.frag; they part at \
                        `float radius` at byte 0 against `float3 sigma` at byte 0";
        assert_eq!(found, [expected]);
    }
}
