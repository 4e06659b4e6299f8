//! Finds out which host type belongs to which block, by names.
//!
//! What a user has written, in `layoutproof.toml`, on the command line or in a comment of the shader, is followed to the
//! letter. Otherwise the same name counts more than one that differs by conventions, and two candidates of equal weight
//! are refused.

use serde::{Deserialize, Serialize};

use super::names::{last_segment, type_key};

/// Most candidates that are named for a block without a match.
const MOST_CANDIDATES: usize = 3;

/// Names by which a block may be found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockNames {
    /// Name of the block: `PerFrame`, `cb`.
    pub block: String,
    /// Name of the struct that it holds, if it has one.
    pub element: Option<String>,
    /// Name of the host type that a user has written, if any.
    pub stated: Option<String>,
}

/// What was found for a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeMatch {
    /// This type.
    Found(String),
    /// Several types, none better than the others.
    Ambiguous(Vec<String>),
    /// None; the nearest names, best first.
    None(Vec<String>),
    /// None of the name that the user has written; the nearest names, best first.
    StatedMissing {
        /// What was written.
        stated: String,
        /// Similar names.
        nearest: Vec<String>,
    },
}

/// How well a name fits. Greater is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MatchQuality {
    /// The same but for conventions of the block's name.
    BlockKey,
    /// The same but for conventions of the struct's name.
    ElementKey,
    /// The block's name.
    BlockName,
    /// The struct's name.
    ElementName,
    /// The whole qualified name.
    QualifiedName,
}

/// True if a type of this name may belong to one of the blocks, so that its layout is worth reading.
pub fn is_candidate(blocks: &[BlockNames], type_name: &str) -> bool {
    blocks.iter().any(|block| match &block.stated {
        Some(stated) => is_stated(stated, type_name),
        None => quality(block, type_name).is_some(),
    })
}

/// Finds the type of a block among the names of all types.
pub fn match_type<'a>(block: &BlockNames, type_names: impl Iterator<Item = &'a str> + Clone) -> TypeMatch {
    if let Some(stated) = &block.stated {
        let exact = type_names.clone().find(|name| *name == stated);
        let found: Vec<&str> = type_names.clone().filter(|name| is_stated(stated, name)).collect();
        return match (exact, found.as_slice()) {
            (Some(name), _) => TypeMatch::Found(name.to_owned()),
            (None, [name]) => TypeMatch::Found((*name).to_owned()),
            (None, []) => TypeMatch::StatedMissing {
                stated: stated.clone(),
                nearest: nearest(&BlockNames { block: stated.clone(), element: None, stated: None }, type_names),
            },
            (None, several) => TypeMatch::Ambiguous(owned(several)),
        };
    }

    let mut best: Option<MatchQuality> = None;
    let mut found: Vec<&str> = Vec::new();
    for name in type_names.clone() {
        let Some(quality) = quality(block, name) else { continue };
        if best.is_none_or(|best| quality > best) {
            best = Some(quality);
            found.clear();
        }
        if best == Some(quality) {
            found.push(name);
        }
    }
    match found.as_slice() {
        [] => TypeMatch::None(nearest(block, type_names)),
        [name] => TypeMatch::Found((*name).to_owned()),
        several => TypeMatch::Ambiguous(owned(several)),
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Whether a stated name is the type's, or its end behind a namespace.
fn is_stated(stated: &str, type_name: &str) -> bool {
    type_name == stated || type_name.strip_suffix(stated).is_some_and(|before| before.ends_with("::"))
}

fn quality(block: &BlockNames, type_name: &str) -> Option<MatchQuality> {
    // Of templates only the user can say which one is meant.
    if type_name.contains('<') {
        return None;
    }
    let element = block.element.as_deref();
    let name = last_segment(type_name);
    if element == Some(type_name) || (block.block.contains("::") && block.block == type_name) {
        return Some(MatchQuality::QualifiedName);
    }
    if element.is_some_and(|element| last_segment(element) == name) {
        return Some(MatchQuality::ElementName);
    }
    if last_segment(&block.block) == name {
        return Some(MatchQuality::BlockName);
    }

    let key = type_key(type_name);
    if element.is_some_and(|element| type_key(element) == key) {
        return Some(MatchQuality::ElementKey);
    }
    (type_key(&block.block) == key).then_some(MatchQuality::BlockKey)
}

/// Names that are nearly those of a block, best first.
pub fn nearest<'a>(block: &BlockNames, type_names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let keys: Vec<String> = [block.stated.as_deref(), Some(block.block.as_str()), block.element.as_deref()]
        .into_iter()
        .flatten()
        .map(type_key)
        .collect();
    let mut scored: Vec<ScoredName<'_>> = type_names
        .filter(|name| !name.contains('<'))
        .filter_map(|name| {
            let key = type_key(name);
            let scores = keys.iter().filter_map(|own| score(own, &key));
            Some(ScoredName { distance: scores.min()?, name })
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

/// How far two keys are apart; `None` for keys that have nothing in common.
fn score(own: &str, other: &str) -> Option<usize> {
    if own.len() < 3 || other.len() < 3 || own.len().abs_diff(other.len()) > own.len().max(6) {
        return None;
    }
    if own.contains(other) || other.contains(own) {
        return Some(own.len().abs_diff(other.len()).min(2));
    }
    let distance = edit_distance(own.as_bytes(), other.as_bytes());
    (distance <= own.len() / 3).then_some(distance)
}

/// Letters to insert, remove or replace.
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
        BlockNames { block: block.to_owned(), element: element.map(str::to_owned), stated: stated.map(str::to_owned) }
    }

    #[test]
    fn names_are_found_by_quality() {
        let types = ["engine::PerFrame", "engine::PerFrameData", "Light", "editor::Light", "Material", "Node<float>"];
        let found = |block: BlockNames| match_type(&block, types.iter().copied());
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
        let missing = TypeMatch::StatedMissing {
            stated: "Lights".to_owned(),
            nearest: vec!["Light".to_owned(), "editor::Light".to_owned()],
        };
        assert_eq!(found(names("x", None, Some("Lights"))), missing);
    }
}
