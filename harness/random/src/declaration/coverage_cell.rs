//! Cells of random declarations: the type of a member, the member before it, and the form of the
//! block.
//!
//! [`RandomDeclaration::cells`] lists the cells of a declaration, [`CellDraws`] draws rare cells
//! more often, and [`CellTally`] counts each compiler's checks per cell.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use super::shape::{BlockForm, MemberType, RandomDeclaration, RandomMember, RandomStruct};
use super::tree::{DeclarationTree, Declarations};
use layoutproof_probes::leaf_kind::{After, MemberFamily};
use layoutproof_source::stable_hash::stable_hash;
use proptest::strategy::ValueTree;

/// Number of declarations in the sample that finds the possible cells and their frequencies.
const SAMPLE: u64 = 400;

/// The seed of the sample. It does not depend on the user's seed.
const SAMPLE_SEED: u64 = 0;

/// Number of draws per declaration. About one in six has the same form of block as the first; the
/// one with the rarest cell among them wins.
const CANDIDATES: u64 = 16;

/// A type of member after another member, in a form of block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeclarationCell {
    pub block: BlockForm,
    pub member: MemberFamily,
    /// The kind of the member before it.
    pub after: After,
}

impl fmt::Display for DeclarationCell {
    /// Formats as `cbuffer: matrix after a scalar`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (block, member) = (self.block.as_str(), self.member.as_str());
        match self.after {
            After::Start => write!(f, "{block}: {member} at the start"),
            After::Other => write!(f, "{block}: {member} after a member without bytes"),
            After::Array => write!(f, "{block}: {member} after an array"),
            After::Scalar | After::Vector | After::Matrix | After::Struct => {
                write!(f, "{block}: {member} after a {}", self.after.as_str())
            }
        }
    }
}

impl RandomDeclaration {
    /// Returns the cells of all members that are not structs.
    pub fn cells(&self) -> BTreeSet<DeclarationCell> {
        let mut found = BTreeSet::new();
        self.add_cells(&self.content, After::Start, &mut found);
        found
    }

    /// Adds the cells of a struct that follows `before`.
    fn add_cells(&self, structure: &RandomStruct, before: After, found: &mut BTreeSet<DeclarationCell>) {
        let mut after = before;
        if let Some(base) = &structure.base {
            self.add_cells(base, before, found);
            after = After::Struct;
        }
        for member in &structure.members {
            match family(&member.ty) {
                None => member.ty.structure().into_iter().for_each(|inner| self.add_cells(inner, after, found)),
                Some(element) => {
                    let member = if member.dimensions.is_empty() { element } else { element.in_array() };
                    found.insert(DeclarationCell { block: self.block, member, after });
                }
            }
            after = kind_of(member);
        }
    }
}

/// Returns the family of a type that is not a struct.
fn family(ty: &MemberType) -> Option<MemberFamily> {
    match ty {
        MemberType::Struct(_) => None,
        MemberType::Scalar(_) | MemberType::Enum(_) => Some(MemberFamily::Scalar),
        MemberType::Vector { .. } => Some(MemberFamily::Vector),
        MemberType::Matrix { .. } => Some(MemberFamily::Matrix),
    }
}

/// Returns the kind of a member, for the cell of the next one.
fn kind_of(member: &RandomMember) -> After {
    match &member.ty {
        MemberType::Struct(inner) if inner.holds_nothing() => After::Other,
        _ if !member.dimensions.is_empty() => After::Array,
        MemberType::Struct(_) => After::Struct,
        MemberType::Scalar(_) | MemberType::Enum(_) => After::Scalar,
        MemberType::Vector { .. } => After::Vector,
        MemberType::Matrix { .. } => After::Matrix,
    }
}

/// The declarations of a type space, where those with rare cells are drawn more often.
///
/// A fixed sample determines the rare cells, so a declaration depends only on its seed and number.
#[derive(Clone, Debug)]
pub struct CellDraws {
    declarations: Declarations,
    sample: BTreeMap<DeclarationCell, u64>,
}

impl CellDraws {
    /// Prepares draws from a type space.
    pub fn new(declarations: Declarations) -> Self {
        let mut sample: BTreeMap<DeclarationCell, u64> = BTreeMap::new();
        for number in 0..SAMPLE {
            for cell in declarations.nth(SAMPLE_SEED, number).current().cells() {
                *sample.entry(cell).or_default() += 1;
            }
        }
        Self { declarations, sample }
    }

    /// Iterates over the cells that occur in the sample.
    pub fn cells(&self) -> impl Iterator<Item = DeclarationCell> {
        self.sample.keys().copied()
    }

    /// Draws the declaration with this number. Among a few draws it takes the first one with the
    /// rarest cell. All of these draws have the same form of block, so that forms with few cells
    /// stay as frequent as others.
    pub fn nth(&self, seed: u64, number: u64) -> DeclarationTree {
        let draw = |candidate| match candidate {
            0 => self.declarations.nth(seed, number),
            _ => self.declarations.nth(stable_hash(&format!("{seed} {candidate}")), number),
        };
        let first = draw(0);
        let block = first.current().block;
        let others = (1..CANDIDATES).map(draw).filter(|tree| tree.current().block == block);
        let alike = std::iter::once(first.clone()).chain(others);
        alike.min_by_key(|tree| self.thinnest(&tree.current())).unwrap_or(first)
    }

    /// Returns the sample count of the rarest cell in a declaration.
    fn thinnest(&self, declaration: &RandomDeclaration) -> u64 {
        let often = |cell| self.sample.get(&cell).copied().unwrap_or(0);
        declaration.cells().into_iter().map(often).min().unwrap_or(SAMPLE)
    }
}

/// Counts the checks that a compiler has answered, for each cell that can be drawn for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellTally {
    checks: BTreeMap<String, BTreeMap<DeclarationCell, u64>>,
}

/// A cell with the number of checks that a compiler has answered in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedCell<'a> {
    pub compiler: &'a str,
    pub cell: DeclarationCell,
    pub checks: u64,
}

impl CellTally {
    /// Adds cells that can be drawn for a compiler, with no checks so far.
    pub fn add_possible(&mut self, compiler: &str, cells: impl Iterator<Item = DeclarationCell>) {
        let of_compiler = self.checks.entry(compiler.to_owned()).or_default();
        for cell in cells {
            of_compiler.entry(cell).or_default();
        }
    }

    /// Counts a declaration that a compiler has answered.
    pub fn add(&mut self, compiler: &str, declaration: &RandomDeclaration) {
        let of_compiler = self.checks.entry(compiler.to_owned()).or_default();
        for cell in declaration.cells() {
            *of_compiler.entry(cell).or_default() += 1;
        }
    }

    /// Iterates over all cells, by compiler and form of block.
    pub fn counted(&self) -> impl Iterator<Item = CountedCell<'_>> {
        self.checks.iter().flat_map(|(compiler, cells)| {
            cells.iter().map(move |(cell, checks)| CountedCell { compiler, cell: *cell, checks: *checks })
        })
    }

    /// Returns the cells with fewer checks than `floor`.
    pub fn below(&self, floor: u64) -> Vec<CountedCell<'_>> {
        self.counted().filter(|counted| counted.checks < floor).collect()
    }
}

impl fmt::Display for CellTally {
    /// Formats as `70 of 72 cells have a check, the fewest 1: type of a member, the member before it, form of block,
    /// compiler`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let checks: Vec<u64> = self.counted().map(|cell| cell.checks).collect();
        let reached = checks.iter().filter(|checks| **checks > 0).count();
        let fewest = checks.iter().min().unwrap_or(&0);
        write!(f, "{reached} of {} cells have a check, the fewest {fewest}", checks.len())?;
        f.write_str(": type of a member, the member before it, form of block, compiler")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declaration::TypeSpace;
    use layoutproof_layout::LayoutOptions;

    fn cells_as_text(block: BlockForm, content: RandomStruct) -> Vec<String> {
        let declaration = RandomDeclaration { options: LayoutOptions::default(), block, content };
        declaration.cells().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_first_member_of_a_struct_has_what_lies_before_the_struct() {
        let float = RandomMember::plain(MemberType::FLOAT);
        let inner = RandomStruct { base: None, members: vec![float.clone().array(2), float.clone()] };
        let held = RandomMember::plain(MemberType::Struct(Box::new(inner)));
        let content = RandomStruct { base: None, members: vec![float.clone(), held, float] };
        let all = [
            "cbuffer: scalar at the start",
            "cbuffer: scalar after an array",
            "cbuffer: scalar after a struct",
            "cbuffer: array of scalars after a scalar",
        ];
        assert_eq!(cells_as_text(BlockForm::Cbuffer, content), all);
    }

    #[test]
    fn thin_cells_are_drawn_more_often() {
        let draws = CellDraws::new(Declarations::new(TypeSpace::dxc_dxil()));
        let thin: BTreeSet<DeclarationCell> =
            draws.sample.iter().filter(|(_, count)| **count <= SAMPLE / 100).map(|(cell, _)| *cell).collect();
        let has_thin = |tree: DeclarationTree| !tree.current().cells().is_disjoint(&thin);
        let count = |draw: &dyn Fn(u64) -> DeclarationTree| (0..400).filter(|number| has_thin(draw(*number))).count();
        let (plain, chosen) =
            (count(&|number| draws.declarations.nth(1, number)), count(&|number| draws.nth(1, number)));
        assert!(2 * chosen > 3 * plain, "{plain} of 400 have a thin cell, {chosen} where these are preferred");
        assert_eq!(draws.nth(1, 7).current(), draws.clone().nth(1, 7).current());
    }

    #[test]
    fn cells_without_enough_checks_are_below_the_floor() {
        let declaration = RandomDeclaration {
            options: LayoutOptions::default(),
            block: BlockForm::Cbuffer,
            content: RandomStruct { base: None, members: vec![RandomMember::plain(MemberType::FLOAT)] },
        };
        let mut tally = CellTally::default();
        let never = DeclarationCell { block: BlockForm::Tbuffer, member: MemberFamily::Vector, after: After::Array };
        tally.add_possible("dxc", [never].into_iter());
        tally.add("dxc", &declaration);
        let below = |floor| tally.below(floor).iter().map(|counted| counted.cell.to_string()).collect::<Vec<_>>();
        assert_eq!(below(1), ["tbuffer: vector after an array"]);
        assert_eq!(below(2).len(), 2);
        assert!(below(0).is_empty());
    }

    #[test]
    fn a_tally_counts_cells_of_each_compiler() {
        let content = RandomStruct { base: None, members: vec![RandomMember::plain(MemberType::FLOAT)] };
        let declaration = RandomDeclaration { options: LayoutOptions::default(), block: BlockForm::Cbuffer, content };
        let mut tally = CellTally::default();
        let never = DeclarationCell { block: BlockForm::Cbuffer, member: MemberFamily::Matrix, after: After::Array };
        tally.add_possible("dxc", [never].into_iter());
        for compiler in ["dxc", "dxc", "tint"] {
            tally.add(compiler, &declaration);
        }
        assert!(tally.to_string().starts_with("2 of 3 cells have a check, the fewest 0:"), "{tally}");
        assert_eq!(tally.below(2).len(), 2);
    }
}
