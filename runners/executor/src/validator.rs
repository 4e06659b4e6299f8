//! Runs spirv-val once on each distinct module of a run: rule sets that agree on a layout share a
//! module.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use layoutproof_compilers::cache::AnswerCache;
use layoutproof_compilers::spirv_val::{ModuleOrigin, SpirvVal, ValidatorAnswer};
use layoutproof_core::check::verdict::Validation;
use layoutproof_layout::BlockRules;

/// The words of a module, and the rules for its validation.
type Question = (Vec<u32>, BlockRules, ModuleOrigin);

/// spirv-val with its answers so far, from this run and from earlier ones.
#[derive(Debug)]
pub(crate) struct Validator {
    program: SpirvVal,
    said: Mutex<HashMap<Question, ValidatorAnswer>>,
    cache: Option<Arc<AnswerCache>>,
}

impl Validator {
    /// Finds the validator of this machine; `None` if it has none. It does not run for modules that
    /// `cache` knows.
    pub(crate) fn find(cache: Option<&Arc<AnswerCache>>) -> Option<Self> {
        let cache = cache.cloned();
        SpirvVal::find().map(|program| Self { program, said: Mutex::default(), cache })
    }

    /// Validates a module, or repeats the answer of an earlier call. Does not keep the answer if
    /// spirv-val could not run.
    pub(crate) fn validate(&self, words: &[u32], rules: BlockRules, made_of: ModuleOrigin) -> ValidatorAnswer {
        let said = || self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let question = (words.to_vec(), rules, made_of);
        if let Some(known) = said().get(&question) {
            return known.clone();
        }

        let answer = self.program.validate(words, rules, made_of, self.cache.as_deref());
        match &answer.validation {
            Validation::Valid | Validation::ValidOnlyWith { .. } | Validation::Invalid(_) => {
                drop(said().insert(question, answer.clone()));
            }
            Validation::NotRun(_) => {}
        }
        answer
    }
}
