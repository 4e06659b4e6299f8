//! spirv-val, asked once about each module of a run: rule sets that agree on a layout have the same module.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use layoutproof_compilers::cache::AnswerCache;
use layoutproof_compilers::spirv_val::{SpirvVal, ValidatorAnswer};
use layoutproof_core::check::verdict::Validation;
use layoutproof_layout::BlockRules;

/// Words of a module, and the rules under which it is validated.
type Question = (Vec<u32>, BlockRules);

/// spirv-val with what it has said so far, in this run and in earlier ones.
#[derive(Debug)]
pub(crate) struct Validator {
    program: SpirvVal,
    said: Mutex<HashMap<Question, ValidatorAnswer>>,
    cache: Option<Arc<AnswerCache>>,
}

impl Validator {
    /// The validator of this machine, which is not asked what `cache` knows; `None` where there is none.
    pub(crate) fn find(cache: Option<&Arc<AnswerCache>>) -> Option<Self> {
        let cache = cache.cloned();
        SpirvVal::find().map(|program| Self { program, said: Mutex::default(), cache })
    }

    /// Validates a module, or repeats the answer of an earlier call. That spirv-val could not be run is not kept.
    pub(crate) fn validate(&self, words: &[u32], rules: BlockRules) -> ValidatorAnswer {
        let said = || self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let question = (words.to_vec(), rules);
        if let Some(known) = said().get(&question) {
            return known.clone();
        }

        let answer = self.program.validate(words, rules, self.cache.as_deref());
        match &answer.validation {
            Validation::Valid | Validation::ValidOnlyWith { .. } | Validation::Invalid(_) => {
                drop(said().insert(question, answer.clone()));
            }
            Validation::NotRun(_) => {}
        }
        answer
    }
}
