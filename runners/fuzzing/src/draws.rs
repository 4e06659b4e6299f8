//! Chooses the declarations to try: random ones from a seed, or all small ones.

use std::ops::Range;

use anyhow::Context;
use layoutproof_layout::LayoutOptions;
use layoutproof_random::declaration::exhaustive::{self, exhaustive};
use layoutproof_random::declaration::{
    BlockForm, CellDraws, DeclarationTree, Declarations, RandomDeclaration, TypeSpace,
};
use layoutproof_records::shard::Shard;

use crate::Fuzz;

#[derive(Clone, Debug)]
pub struct DrawArguments {
    pub seed: u64,
    pub from: u64,
    pub count: u64,
    pub shard: Option<Shard>,
    /// All declarations of up to this many members, in place of `count` random ones.
    pub exhaustive: Option<u32>,
}

#[derive(Debug)]
pub struct Draws {
    seed: u64,
    pub numbers: Range<u64>,
    source: DrawnFrom,
    /// A space of everything that can be drawn.
    pub space: TypeSpace,
}

#[derive(Debug)]
enum DrawnFrom {
    /// Random ones from several type spaces, which take turns.
    Random(Vec<CellDraws>),
    /// All small ones.
    All(Vec<RandomDeclaration>),
}

impl Draws {
    pub fn of(args: &DrawArguments, fuzz: &Fuzz) -> anyhow::Result<Self> {
        let (source, count) = match args.exhaustive {
            None => {
                let draws = fuzz.spaces().into_iter().map(|space| CellDraws::new(Declarations::new(space)));
                (DrawnFrom::Random(draws.collect()), args.count)
            }
            Some(most) => {
                let kinds = exhaustive::members();
                let total = exhaustive::count(kinds.len() as u64, most).filter(|total| *total < 1 << 24);
                total.with_context(|| format!("all declarations of {most} members are too many"))?;
                let all = [BlockForm::Cbuffer, BlockForm::StructuredBuffer]
                    .into_iter()
                    .flat_map(|form| exhaustive(most, &kinds, form, LayoutOptions::default()));
                let all: Vec<RandomDeclaration> = all.collect();
                let count = all.len() as u64;
                (DrawnFrom::All(all), count.saturating_sub(args.from))
            }
        };
        Ok(Self { seed: args.seed, numbers: numbers(args, count)?, source, space: TypeSpace::everything() })
    }

    /// Declaration `number`, in a form that can be shrunk.
    pub(crate) fn tree(&self, number: u64) -> DeclarationTree {
        match &self.source {
            DrawnFrom::Random(spaces) => spaces[turn(number, spaces.len())].nth(self.seed, number),
            DrawnFrom::All(all) => {
                DeclarationTree::new(all[turn(number, all.len())].clone(), self.space.clone().into())
            }
        }
    }
}

/// The numbers of `count` declarations or programs, limited to the shard of the arguments.
pub fn numbers(args: &DrawArguments, count: u64) -> anyhow::Result<Range<u64>> {
    let all = args.from..args.from.checked_add(count).context("the number of the last one would be too large")?;
    Ok(args.shard.map_or(all.clone(), |shard| shard.share_of(&all)))
}

/// The index that has turn `number` among `length` alternatives.
pub(crate) fn turn(number: u64, length: usize) -> usize {
    usize::try_from(number % length as u64).expect("it is less than a length")
}
