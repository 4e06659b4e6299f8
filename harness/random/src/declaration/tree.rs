//! Integrates random declarations with `proptest`: a strategy, and a tree that simplifies its value
//! step by step.
//!
//! The i-th declaration of a seed depends only on the seed, on i and on the type space, so neither
//! threads nor shards change it.

use std::collections::HashSet;
use std::sync::Arc;

use proptest::strategy::{NewTree, SBoxedStrategy, Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::generate;
use super::reduce::reductions;
use super::shape::RandomDeclaration;
use super::space::TypeSpace;
use crate::runner_of;

/// A strategy for the declarations of a type space.
#[derive(Clone, Debug)]
pub struct Declarations {
    space: Arc<TypeSpace>,
    drawn: SBoxedStrategy<RandomDeclaration>,
}

impl Declarations {
    /// Makes a strategy for this space.
    pub fn new(space: TypeSpace) -> Self {
        let drawn = generate::declarations(&space);
        Self { space: Arc::new(space), drawn }
    }

    /// Draws the declaration with this number, the same in every run, shard and thread.
    ///
    /// # Panics
    ///
    /// If the space has no scalar, no form of block, or no options.
    pub fn nth(&self, seed: u64, index: u64) -> DeclarationTree {
        self.new_tree(&mut runner_of(seed, index))
            .expect("hardly any declaration is too large, so one is found in 65536 attempts")
    }
}

impl Strategy for Declarations {
    type Tree = DeclarationTree;
    type Value = RandomDeclaration;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let drawn = self.drawn.new_tree(runner)?.current();
        Ok(DeclarationTree::new(drawn, Arc::clone(&self.space)))
    }
}

/// A declaration on its way to the smallest one that still fails.
///
/// [`ValueTree::simplify`] accepts the current declaration and moves to a smaller one.
/// [`ValueTree::complicate`] goes back and tries another, or returns `false` if none is left. No
/// declaration is tried twice.
#[derive(Clone, Debug)]
pub struct DeclarationTree {
    space: Arc<TypeSpace>,
    current: RandomDeclaration,
    /// The smallest declaration known to fail, if `current` is one step below it.
    kept: Option<RandomDeclaration>,
    /// Declarations below the smallest one that are still untried, the best last; `None` until the
    /// first one is needed.
    steps: Option<Vec<RandomDeclaration>>,
    /// All declarations that were current at some time.
    tried: HashSet<RandomDeclaration>,
}

impl DeclarationTree {
    /// Makes a tree with the value `drawn`, which must be in the space.
    pub fn new(drawn: RandomDeclaration, space: Arc<TypeSpace>) -> Self {
        Self { space, tried: HashSet::from([drawn.clone()]), current: drawn, kept: None, steps: None }
    }

    fn next_below(&mut self) -> Option<RandomDeclaration> {
        let list = || reductions(&self.current, &self.space).into_iter().rev().collect();
        self.steps.get_or_insert_with(list).pop()
    }

    /// Moves to the next declaration that is in the space and untried.
    fn step(&mut self) -> bool {
        while let Some(next) = self.next_below() {
            if next.fits(&self.space) && self.tried.insert(next.clone()) {
                let before = std::mem::replace(&mut self.current, next);
                self.kept.get_or_insert(before);
                return true;
            }
        }
        false
    }
}

impl ValueTree for DeclarationTree {
    type Value = RandomDeclaration;

    fn current(&self) -> RandomDeclaration {
        self.current.clone()
    }

    fn simplify(&mut self) -> bool {
        if self.kept.take().is_some() {
            self.steps = None;
        }
        self.step()
    }

    fn complicate(&mut self) -> bool {
        let Some(kept) = self.kept.take() else { return false };
        self.current = kept;
        self.step()
    }
}
