//! Matches host types to blocks, by names.
//!
//! A name that the user states, in `layoutproof.toml`, on the command line or in a comment of the
//! shader, always decides. Otherwise an equal name counts more than one that differs by
//! conventions, and two candidates of equal weight are refused.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

pub use super::names::{
    Kinship, is_generic, is_named_after, is_of_graphics_api, kinship, names_a_buffer, names_an_upload,
};
use super::names::{as_identifier, core_key, core_words, folded, last_segment, type_key, uploaded_key};

/// Maximum number of candidates listed for a block without a match.
const MOST_CANDIDATES: usize = 3;

/// The names that can identify the host type of a block.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BlockNames {
    /// Name of the block, for example `PerFrame`, `cb`.
    pub block: String,
    /// Name of its struct, if it has one.
    pub element: Option<String>,
    /// The word for the block's kind that `show` adds to the names of structs with several layouts:
    /// `structured`.
    pub use_word: String,
    /// Names of the structs in the block that a host program may declare separately, from the
    /// outside to the inside: those of [`block_parts`](super::block_parts) without the first.
    pub parts: Vec<PartName>,
    /// The host type that the user states, if any.
    pub stated: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PartName {
    /// Name of the struct, for example `Particle`.
    pub element: String,
    /// Name of its member, for example `particles`; empty for the elements of a block that is an
    /// array.
    pub member: String,
    /// True if it is the whole block; false if other members precede it.
    pub is_all: bool,
    /// The host type that the user states for it, if any.
    pub stated: Option<String>,
}

impl BlockNames {
    /// The host type that the user states for the whole block or for the part that is all of it.
    pub fn stated_for_all(&self) -> Option<&String> {
        self.stated.as_ref().or_else(|| Some(self.stated_part()?.1))
    }

    /// The part that is all of the block and whose type the user states.
    fn stated_part(&self) -> Option<(usize, &String)> {
        let mut parts = self.parts.iter().enumerate().filter(|(_, part)| part.is_all);
        parts.find_map(|(index, part)| Some((index, part.stated.as_ref()?)))
    }
}

/// The result of looking for a block's host type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeMatch {
    /// Exactly one type.
    Found(String),
    /// Several types of equal weight.
    Ambiguous(Vec<String>),
    /// No type; the nearest names, best first.
    None(Vec<String>),
    /// No type with the name that the user states; the nearest names, best first.
    StatedMissing { stated: String, nearest: Vec<String> },
}

/// The quality of a name match. Greater is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MatchQuality {
    /// Equal to the block's name except for conventions.
    BlockKey,
    /// Equal to the struct's name except for conventions.
    ElementKey,
    BlockName,
    /// Equal to the struct's name.
    ElementName,
    /// Equal to the whole qualified name.
    QualifiedName,
    /// The struct's name with the word for the block's kind: `Light_structured`, the name that `show`
    /// gives to a layout of `Light` if there are several.
    KindName,
    /// The struct's name followed by that of the block or member: `Light_lights`.
    UsedName,
}

/// The host type of a block, and the part of the block that it represents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockMatch {
    pub found: TypeMatch,
    /// The part with its name, as an index into the block's parts; `None` if the block itself has
    /// the name or the user stated it.
    pub part: Option<usize>,
}

/// The blocks that types may match, by the keys of possible names: programs have thousands of types, and
/// engines hundreds of blocks.
#[derive(Debug)]
pub struct Candidates<'a> {
    blocks: Vec<&'a BlockNames>,
    /// Indices of the blocks by the keys of all names that [`quality`] accepts.
    by_key: HashMap<String, Vec<usize>>,
    /// The same by the keys under which uploaded forms are found.
    by_core: HashMap<String, Vec<usize>>,
    /// Indices of the blocks with a stated name.
    stated: Vec<usize>,
}

impl<'a> Candidates<'a> {
    pub fn new(blocks: impl IntoIterator<Item = &'a BlockNames>) -> Self {
        let (by_key, by_core) = (HashMap::new(), HashMap::new());
        let mut candidates = Self { blocks: Vec::new(), by_key, by_core, stated: Vec::new() };
        let add = |places: &mut HashMap<String, Vec<usize>>, key: String, index: usize| {
            let of_key = places.entry(key).or_default();
            if of_key.last() != Some(&index) {
                of_key.push(index);
            }
        };
        for (index, block) in blocks.into_iter().enumerate() {
            candidates.blocks.push(block);
            if block.stated.is_some() || block.parts.iter().any(|part| part.stated.is_some()) {
                candidates.stated.push(index);
            }
            for key in possible_names(block).iter().map(|name| type_key(name)) {
                add(&mut candidates.by_key, key, index);
            }
            for key in own_names(block).map(core_key).filter(|key| !key.is_empty()) {
                add(&mut candidates.by_core, key, index);
            }
        }
        candidates
    }

    /// The indices of the blocks that a type with this name may match.
    pub fn blocks_of(&self, type_name: &str) -> impl Iterator<Item = usize> {
        let of_key = self.by_key.get(&type_key(type_name)).map(Vec::as_slice).unwrap_or_default();
        let of_core = uploaded_key(type_name).and_then(|key| self.by_core.get(&key));
        let of_core = of_core.map(Vec::as_slice).unwrap_or_default();
        let possible: BTreeSet<usize> = of_key.iter().chain(of_core).chain(&self.stated).copied().collect();
        possible.into_iter().filter(move |index| is_candidate(self.blocks[*index], type_name))
    }

    /// True if a type with this name may match one of the blocks, so that its layout is worth reading.
    pub fn has(&self, type_name: &str) -> bool {
        self.blocks_of(type_name).next().is_some()
    }
}

/// The names of a block and of its structs.
fn own_names(block: &BlockNames) -> impl Iterator<Item = &str> {
    let parts = block.parts.iter().map(|part| part.element.as_str());
    std::iter::once(block.block.as_str()).chain(block.element.as_deref()).chain(parts)
}

/// Names of types in the form in which [`is_named_for_file`] compares them.
pub fn names_for_file(block: &BlockNames, file_name: &str) -> BTreeSet<String> {
    let stem = file_name.split('.').next().unwrap_or_default();
    let structs = block.element.iter().chain(block.parts.iter().filter(|part| part.is_all).map(|part| &part.element));
    // Without `Constants`, the name would be that of the file.
    let key = |own: &String| {
        let name = format!("{stem}_{own}");
        if is_generic(own) { folded(&name) } else { type_key(&name) }
    };
    structs.map(key).collect()
}

/// True if a type is named after the shader's file and the struct in it: `PhongDrawUniform` for the `DrawUniform` of
/// `Phong.vert`.
pub fn is_named_for_file(names: &BTreeSet<String>, type_name: &str) -> bool {
    !type_name.contains('<')
        && (names.contains(&type_key(type_name)) || names.contains(&folded(last_segment(type_name))))
}

/// The words of the structs of blocks, to which names of uploaded types may be similar.
#[derive(Clone, Debug)]
pub struct UploadNames(BTreeSet<Vec<String>>);

impl UploadNames {
    pub fn of<'a>(blocks: impl IntoIterator<Item = &'a BlockNames>) -> Self {
        let words = blocks.into_iter().flat_map(own_names).map(|name| core_words(name).0);
        Self(words.filter(|words| !words.is_empty()).collect())
    }

    /// True if a type is what a program uploads and has the words of one of the structs after others, or begins like it:
    /// `GpuMeshletVertex` or `GpuMeshInstance` for `Vertex` and `MeshInstanceDraw`.
    pub fn has_similar(&self, type_name: &str) -> bool {
        let (own, uploaded) = core_words(type_name);
        let is_similar = |base: &Vec<String>| own.ends_with(base) || (own.len() > 1 && base.starts_with(&own));
        uploaded > 0 && !type_name.contains('<') && self.0.iter().any(is_similar)
    }
}

/// True if a type with this name may match the block, or be what the program uploads instead of one that does.
pub fn is_candidate(block: &BlockNames, type_name: &str) -> bool {
    has_candidate_name(block, type_name)
        || own_names(block).any(|own| kinship(type_name, own) == Some(Kinship::UploadedForm))
}

/// True if a type with this name may match the block.
pub fn has_candidate_name(block: &BlockNames, type_name: &str) -> bool {
    let is_candidate_of = |stated: Option<&String>, quality: &dyn Fn() -> Option<MatchQuality>| match stated {
        Some(stated) => is_stated(stated, type_name),
        None => quality().is_some(),
    };
    is_candidate_of(block.stated.as_ref(), &|| quality(block, type_name))
        || block
            .parts
            .iter()
            .any(|part| is_candidate_of(part.stated.as_ref(), &|| part_quality(block, part, type_name)))
}

/// True if a type's name equals that of a block or of its struct, without help from conventions, and
/// says what it is for: many structs are called `UBO`.
pub fn has_own_name(block: &BlockNames, type_name: &str) -> bool {
    has_name(block, type_name) && !is_generic(type_name)
}

/// True if a type's name equals that of a block or of its struct, without help from conventions. The name of
/// elements after a header is not the block's.
pub fn has_name(block: &BlockNames, type_name: &str) -> bool {
    let whole = block.parts.iter().filter(|part| part.is_all);
    let best = whole.filter_map(|part| part_quality(block, part, type_name)).chain(quality(block, type_name)).max();
    best >= Some(MatchQuality::BlockName)
}

/// Finds the host type of a block among all type names. If no type has the block's own name, a type
/// named like a part that is the whole block matches.
pub fn match_type<'a>(block: &BlockNames, type_names: impl Iterator<Item = &'a str> + Clone) -> BlockMatch {
    if let Some(stated) = &block.stated {
        return BlockMatch { found: match_stated(stated, type_names), part: None };
    }
    if let Some((part, stated)) = block.stated_part() {
        return BlockMatch { found: match_stated(stated, type_names), part: Some(part) };
    }
    let own = BestTypes::of(type_names.clone(), |name| quality(block, name));
    let mut best = BlockMatch { found: own.found(), part: None };
    let mut best_quality = own.quality;
    if best_quality < Some(MatchQuality::BlockName) {
        for (index, part) in block.parts.iter().enumerate().filter(|(_, part)| part.is_all) {
            let types = BestTypes::of(type_names.clone(), |name| part_quality(block, part, name));
            if types.quality > best_quality {
                best_quality = types.quality;
                best = BlockMatch { found: types.found(), part: Some(index) };
            }
        }
    }
    if best.found == TypeMatch::None(Vec::new()) {
        best.found = TypeMatch::None(nearest(block, &NameKey::all(type_names)));
    }
    best
}

/// Finds the host type of a part of a block.
pub fn match_part<'a>(
    block: &BlockNames,
    part: &PartName,
    type_names: impl Iterator<Item = &'a str> + Clone,
) -> TypeMatch {
    match &part.stated {
        Some(stated) => match_stated(stated, type_names),
        None => BestTypes::of(type_names, |name| part_quality(block, part, name)).found(),
    }
}

fn match_stated<'a>(stated: &str, type_names: impl Iterator<Item = &'a str> + Clone) -> TypeMatch {
    let exact = type_names.clone().find(|name| *name == stated);
    let found: Vec<&str> = type_names.clone().filter(|name| is_stated(stated, name)).collect();
    match (exact, found.as_slice()) {
        (Some(name), _) => TypeMatch::Found(name.to_owned()),
        (None, [name]) => TypeMatch::Found((*name).to_owned()),
        (None, []) => {
            let own = BlockNames {
                block: stated.to_owned(),
                element: None,
                use_word: String::new(),
                parts: Vec::new(),
                stated: None,
            };
            TypeMatch::StatedMissing { stated: stated.to_owned(), nearest: nearest(&own, &NameKey::all(type_names)) }
        }
        (None, several) => TypeMatch::Ambiguous(owned(several)),
    }
}

struct BestTypes<'a> {
    quality: Option<MatchQuality>,
    names: Vec<&'a str>,
}

impl<'a> BestTypes<'a> {
    fn of(type_names: impl Iterator<Item = &'a str>, quality: impl Fn(&str) -> Option<MatchQuality>) -> Self {
        let mut best = Self { quality: None, names: Vec::new() };
        for name in type_names {
            let Some(quality) = quality(name) else { continue };
            if best.quality.is_none_or(|best| quality > best) {
                best = Self { quality: Some(quality), names: Vec::new() };
            }
            if best.quality == Some(quality) {
                best.names.push(name);
            }
        }
        best
    }

    fn found(&self) -> TypeMatch {
        match self.names.as_slice() {
            [] => TypeMatch::None(Vec::new()),
            [name] => TypeMatch::Found((*name).to_owned()),
            several => TypeMatch::Ambiguous(owned(several)),
        }
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// True if a stated name equals the type's name, or its end after a namespace.
fn is_stated(stated: &str, type_name: &str) -> bool {
    type_name == stated || type_name.strip_suffix(stated).is_some_and(|before| before.ends_with("::"))
}

fn quality(block: &BlockNames, type_name: &str) -> Option<MatchQuality> {
    // Only the user can say which instance of a template is meant.
    if type_name.contains('<') {
        return None;
    }
    let element = block.element.as_deref();
    let name = last_segment(type_name);
    if let Some(used) = element.and_then(|element| used_name(name, element, &block.use_word, &block.block)) {
        return Some(used);
    }
    if element == Some(type_name) || (block.block.contains("::") && block.block == type_name) {
        return Some(MatchQuality::QualifiedName);
    }
    if element.is_some_and(|element| is_name_of(name, element)) {
        return Some(MatchQuality::ElementName);
    }
    if is_name_of(name, &block.block) {
        return Some(MatchQuality::BlockName);
    }

    let key = type_key(type_name);
    if element.is_some_and(|element| type_key(element) == key) {
        return Some(MatchQuality::ElementKey);
    }
    (type_key(&block.block) == key).then_some(MatchQuality::BlockKey)
}

/// The quality of a name for a part. Only the struct's name counts; the member's name may follow
/// it.
fn part_quality(block: &BlockNames, part: &PartName, type_name: &str) -> Option<MatchQuality> {
    if type_name.contains('<') {
        return None;
    }
    let (element, name) = (part.element.as_str(), last_segment(type_name));
    let users = [&block.block, &part.member].into_iter();
    if let Some(used) = users.filter_map(|user| used_name(name, element, &block.use_word, user)).max() {
        Some(used)
    } else if element == type_name {
        Some(MatchQuality::QualifiedName)
    } else if is_name_of(name, element) {
        Some(MatchQuality::ElementName)
    } else {
        (type_key(element) == type_key(type_name)).then_some(MatchQuality::ElementKey)
    }
}

/// True if a type has a name of the shader, without its namespace or with the namespace in the
/// name.
fn is_name_of(name: &str, declared: &str) -> bool {
    last_segment(declared) == name || as_identifier(declared) == name
}

/// The names that [`quality`] and [`part_quality`] accept, without conventions: every type that they accept has
/// the key of one of these.
fn possible_names(block: &BlockNames) -> Vec<String> {
    let mut names = vec![block.block.clone(), as_identifier(&block.block)];
    let elements = block.element.iter().map(|element| (element, None));
    for (element, member) in elements.chain(block.parts.iter().map(|part| (&part.element, Some(&part.member)))) {
        names.extend([element.clone(), as_identifier(element)]);
        for user in std::iter::once(&block.block).chain(member) {
            for used in [user.clone(), format!("{}_{user}", block.use_word), block.use_word.clone()] {
                names.extend(used_names(element, &used));
            }
        }
    }
    names
}

/// How well a type has the name that `show` gives a struct with several layouts: `Light_structured`,
/// with its user `Light_lights` or `Light_structured_lights`.
fn used_name(name: &str, element: &str, word: &str, user: &str) -> Option<MatchQuality> {
    let is = |used: &str| used_names(element, used).iter().any(|possible| possible == name);
    if !user.is_empty() && (is(user) || is(&format!("{word}_{user}"))) {
        return Some(MatchQuality::UsedName);
    }
    (!word.is_empty() && is(word)).then_some(MatchQuality::KindName)
}

/// The key of a type's name. Programs have thousands of names, each of which is compared with those of all
/// blocks.
#[derive(Clone, Debug)]
pub struct NameKey<'a> {
    name: &'a str,
    key: String,
    letters: Letters,
}

impl<'a> NameKey<'a> {
    /// The keys of all names, without instances of templates.
    pub fn all(type_names: impl Iterator<Item = &'a str>) -> Vec<Self> {
        type_names.filter(|name| !name.contains('<')).map(Self::new).collect()
    }

    fn new(name: &'a str) -> Self {
        let key = type_key(name);
        Self { name, letters: Letters::of(&key), key }
    }
}

/// The letters in a key, as bits. Rare characters share some.
#[derive(Clone, Copy, Debug)]
struct Letters(u64);

impl Letters {
    fn of(key: &str) -> Self {
        Self(key.bytes().fold(0, |letters, byte| letters | (1 << (byte % 64))))
    }

    /// The fewest letters that must change to make one key of the other.
    fn fewest_changes(self, other: Self) -> u32 {
        (self.0 & !other.0).count_ones().max((other.0 & !self.0).count_ones())
    }

    fn may_contain(self, other: Self) -> bool {
        self.0 & !other.0 == 0 || other.0 & !self.0 == 0
    }
}

/// The name of a struct with the name of its use, without and with its namespace.
fn used_names(element: &str, used: &str) -> [String; 2] {
    [last_segment(element), element].map(|element| as_identifier(&format!("{element}_{used}")))
}

/// Names that are similar to those of a block, best first.
pub fn nearest(block: &BlockNames, type_names: &[NameKey<'_>]) -> Vec<String> {
    let keys: Vec<NameKey<'_>> = [block.stated.as_deref(), Some(block.block.as_str()), block.element.as_deref()]
        .into_iter()
        .flatten()
        .chain(block.parts.iter().map(|part| part.element.as_str()))
        .map(NameKey::new)
        .collect();
    let mut scored: Vec<ScoredName<'_>> = type_names
        .iter()
        .filter_map(|found| {
            let distance = keys.iter().filter_map(|own| score(own, found)).min()?;
            Some(ScoredName { distance, name: found.name })
        })
        .collect();
    scored.sort();
    scored.dedup();
    scored.into_iter().take(MOST_CANDIDATES).map(|scored| scored.name.to_owned()).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ScoredName<'a> {
    distance: usize,
    name: &'a str,
}

/// The distance between two keys; `None` if they have nothing in common.
fn score(own: &NameKey<'_>, other: &NameKey<'_>) -> Option<usize> {
    let (own_letters, other_letters) = (own.letters, other.letters);
    let (own, other) = (own.key.as_str(), other.key.as_str());
    let difference = own.len().abs_diff(other.len());
    if own.len() < 3 || other.len() < 3 || difference > own.len().max(6) {
        return None;
    }
    if own_letters.may_contain(other_letters) && (own.contains(other) || other.contains(own)) {
        return Some(difference.min(2));
    }
    let most = own.len() / 3;
    if difference > most || own_letters.fewest_changes(other_letters) as usize > most {
        return None;
    }
    let distance = edit_distance(own.as_bytes(), other.as_bytes());
    (distance <= most).then_some(distance)
}

/// The number of letters to insert, remove or replace.
fn edit_distance(left: &[u8], right: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, from) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, to) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(block: &str, element: Option<&str>, stated: Option<&str>) -> BlockNames {
        BlockNames {
            block: block.to_owned(),
            element: element.map(str::to_owned),
            use_word: "structured".to_owned(),
            parts: Vec::new(),
            stated: stated.map(str::to_owned),
        }
    }

    fn array_of(block: &str, element: &str, member: &str, is_all: bool) -> BlockNames {
        let (element, member) = (element.to_owned(), member.to_owned());
        BlockNames { parts: vec![PartName { element, member, is_all, stated: None }], ..names(block, None, None) }
    }

    /// Looking up keys finds the same types as trying each name.
    #[test]
    fn candidates_are_the_types_that_may_match() {
        let blocks = [
            names("PerFrame", Some("engine::FrameConstants"), None),
            names("N::cbLights", Some("N::Light"), None),
            names("x", None, Some("editor::Material")),
            array_of("Items", "Particle", "items", false),
            BlockNames { use_word: String::new(), ..names("m_sky", Some("Sky_t"), None) },
        ];
        let types = "
            PerFrame per_frame_data g::PerFrameCB FrameConstants_structured FrameConstants_PerFrame
            engine_FrameConstants Frame N_Light_structured N_cbLights Lights Light_structured_N_cbLights Material
            a::editor::Material a::editor::Material<int> Particle_items a::ParticleData Items
            Particle_structured_Items particles Sky SkyBlock Sky_t_m_sky Node<float> Other
        ";
        let types: Vec<&str> = types.split_whitespace().collect();
        let candidates = Candidates::new(&blocks);
        let mut found = 0;
        for name in types {
            let tried: Vec<usize> = (0..blocks.len()).filter(|block| is_candidate(&blocks[*block], name)).collect();
            assert_eq!(candidates.blocks_of(name).collect::<Vec<_>>(), tried, "{name}");
            found += tried.len();
        }
        assert!(found >= 18, "{found}");
    }

    /// Names without enough letters in common are left out before the number of changes is counted.
    #[test]
    fn similar_names_differ_in_a_third_of_their_letters() {
        let nearest_of =
            |block: &str, types: &[&str]| nearest(&names(block, None, None), &NameKey::all(types.iter().copied()));
        assert_eq!(nearest_of("Shadows", &["Shadow", "Shallows", "Meadow", "Frame"]), ["Shadow", "Shallows"]);
        assert_eq!(nearest_of("abcdef", &["fedcba", "abcdxf", "abxdxf", "axxdxf"]), ["abcdxf", "abxdxf"]);
    }

    #[test]
    fn a_struct_may_be_named_after_the_file_and_the_struct_in_it() {
        let is_named =
            |block: &BlockNames, file: &str, name: &str| is_named_for_file(&names_for_file(block, file), name);
        let draw = names("draws", Some("DrawUniform"), None);
        for (name, is) in
            [("a::PhongDrawUniform", true), ("PhongDraw", true), ("PhongDrawUniform3D", true), ("Phong", false)]
        {
            assert_eq!(is_named(&draw, "Phong.vert", name), is, "{name}");
        }
        let constants = names("constants", Some("Constants"), None);
        for (name, is) in [("nvvk::RayPicker", false), ("RayPickerConstants", true), ("RayPickerData", false)] {
            assert_eq!(is_named(&constants, "ray_picker.cpp", name), is, "{name}");
        }
    }

    #[test]
    fn names_are_found_by_quality() {
        let types = ["engine::PerFrame", "engine::PerFrameData", "Light", "editor::Light", "Material", "Node<float>"];
        let found = |block: BlockNames| match_type(&block, types.iter().copied()).found;
        let is = |name: &str| TypeMatch::Found(name.to_owned());
        assert_eq!(found(names("PerFrame", None, None)), is("engine::PerFrame"));
        assert_eq!(found(names("per_frame_data", None, None)), TypeMatch::Ambiguous(owned(&types[..2])));
        assert_eq!(found(names("cb", Some("MaterialCB"), None)), is("Material"));
        assert_eq!(found(names("lights", Some("Light"), None)), is("Light"));
        assert_eq!(found(names("x", None, Some("editor::Light"))), is("editor::Light"));
        assert_eq!(found(names("x", None, Some("PerFrameData"))), is("engine::PerFrameData"));
        assert_eq!(found(names("x", None, Some("Node<float>"))), is("Node<float>"));
        assert_eq!(found(names("Materials", None, None)), TypeMatch::None(vec!["Material".to_owned()]));
        assert_eq!(found(names("Shadow", None, None)), TypeMatch::None(Vec::new()));
        // Names that a host cannot have as they are.
        let types = ["Entry_main", "Globals", "N_S"];
        for (block, host) in [("$Entry.main", "Entry_main"), ("$Globals", "Globals"), ("N::S", "N_S")] {
            assert_eq!(match_type(&names(block, None, None), types.into_iter()).found, is(host));
        }
        let missing = TypeMatch::StatedMissing {
            stated: "Lights".to_owned(),
            nearest: vec!["Light".to_owned(), "editor::Light".to_owned()],
        };
        assert_eq!(found(names("x", None, Some("Lights"))), missing);
    }
    /// The host fills a buffer of structs with the struct of its elements, unless a type has the
    /// buffer's own name.
    #[test]
    fn elements_are_found_where_the_buffer_has_no_type() {
        let is = |name: &str, part| BlockMatch { found: TypeMatch::Found(name.to_owned()), part };
        let found = |block: &BlockNames, types: &[&str]| match_type(block, types.iter().copied());
        let particles = array_of("Particles", "Particle", "particles", true);
        assert_eq!(found(&particles, &["sim::Particle"]), is("sim::Particle", Some(0)));
        assert_eq!(found(&particles, &["sim::Particle", "sim::Particles"]), is("sim::Particles", None));
        // `ParticleBuffer` equals `Particle` except for a convention, and is the element.
        let buffer = array_of("ParticleBuffer", "Particle", "items", true);
        assert_eq!(found(&buffer, &["Particle"]), is("Particle", Some(0)));
        assert_eq!(found(&buffer, &["Particle", "Particle_items"]), is("Particle_items", Some(0)));
        assert!(is_candidate(&buffer, "Particle_items"));
        // Elements after a header are not the block.
        let counted = array_of("Counted", "Sphere", "spheres", false);
        assert_eq!(found(&counted, &["Sphere"]).found, TypeMatch::None(vec!["Sphere".to_owned()]));
        let elements = match_part(&counted, &counted.parts[0], ["Sphere"].into_iter());
        assert_eq!(elements, TypeMatch::Found("Sphere".to_owned()));
    }
}
