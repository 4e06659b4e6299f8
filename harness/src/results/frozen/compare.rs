//! Compares the decisions of two builds of a compiler.

use std::collections::BTreeMap;

use strum::{IntoStaticStr, VariantArray};

use super::answer::{CaseAnswers, CaseDecisions, Fact, Facts, FrozenAnswer, FrozenQuestion};

/// One decision that differs between the two builds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildDifference {
    /// Id of the source.
    pub case: String,
    /// Compiler, target and layout option.
    pub toolchain: String,
    pub question: FrozenQuestion,
    /// Empty if the whole answer differs.
    pub path: String,
    /// The word of a [`Fact`], or `answer`.
    pub what: &'static str,
    /// The frozen build's value; `None` if it has none.
    pub old: Option<String>,
    pub new: Option<String>,
    /// What the difference means for the source's author.
    pub kind: ChangeKind,
    /// The reason in the list of accepted changes, if the difference is accepted.
    pub accepted: Option<String>,
}

/// What a difference between two builds means for the author of the source.
#[derive(Clone, Copy, Debug, IntoStaticStr, PartialEq, Eq, PartialOrd, Ord, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum ChangeKind {
    /// A number of bytes differs: an offset, a size, a stride, or where code reads. A number that
    /// only one build has counts too.
    Moved,
    /// A parameter is at another register or binding.
    Bindings,
    /// The new build refuses a source that the old one accepts.
    #[strum(serialize = "newly-rejected")]
    Rejected,
    /// The new build crashes, hangs or prints nonsense where the old one does not, or it refuses
    /// what the old one crashes on.
    Crashes,
    /// The new build accepts a source that the old one does not.
    #[strum(serialize = "newly-accepted")]
    Accepted,
    /// Both refuse the source, or both crash on it, with different words.
    Messages,
}

impl ChangeKind {
    /// The gravest first.
    pub fn all() -> &'static [Self] {
        Self::VARIANTS
    }

    /// The word in JSON.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    fn of_answers(old: Option<&FrozenAnswer>, new: Option<&FrozenAnswer>) -> Self {
        use FrozenAnswer::{Accepted, Broken, Refused};
        match (old, new) {
            (Some(Refused(_)), Some(Refused(_))) | (Some(Broken(_)), Some(Broken(_))) => Self::Messages,
            (_, Some(Accepted(_))) => Self::Accepted,
            (Some(Broken(_)), _) | (_, Some(Broken(_))) => Self::Crashes,
            (_, Some(Refused(_)) | None) => Self::Rejected,
        }
    }

    fn of_fact(fact: Fact, [old, new]: [Option<&String>; 2]) -> Self {
        match fact {
            Fact::Bound | Fact::Reflected => Self::Bindings,
            // If one side could be read, the other side's numbers may have moved.
            Fact::Unread if old.is_some() && new.is_some() => Self::Messages,
            Fact::Offset | Fact::Size | Fact::Stride | Fact::MatrixStride | Fact::Order | Fact::Code | Fact::Unread => {
                Self::Moved
            }
        }
    }
}

impl BuildDifference {
    /// `arrays/x:dxc-spirv:S.b:offset`, the name that patterns match. If the whole answer differs,
    /// the question takes the place of the path: `arrays/x:dxc-spirv:block S:answer`.
    pub fn name(&self) -> String {
        let path = if self.path.is_empty() { self.question.to_string() } else { self.path.clone() };
        format!("{}:{}:{path}:{}", self.case, self.toolchain, self.what)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuildComparison {
    /// The differences, by case and toolchain.
    pub differences: Vec<BuildDifference>,
    /// Number of facts and answers of either build.
    pub compared: usize,
    /// Number of cases that were compared under at least one toolchain.
    pub cases: usize,
    /// The answers in which neither build accepts the source, so that nothing else was compared.
    pub refused_by_both: Vec<RefusedByBoth>,
    /// Cases that the frozen set does not have.
    pub new: Vec<String>,
    /// Cases whose text changed since they were frozen; these are not compared.
    pub changed: Vec<String>,
    /// Cases of the frozen set that no longer exist.
    pub gone: Vec<String>,
    /// Toolchains that both sides have.
    pub toolchains_compared: Vec<String>,
    /// Toolchains that only one side has.
    pub toolchains: Vec<String>,
}

/// Compares every decision of `new` with that of `old`, by toolchain.
pub fn compare(old: &BTreeMap<String, CaseDecisions>, new: &BTreeMap<String, CaseDecisions>) -> BuildComparison {
    let mut found = BuildComparison::default();
    let (mut states, none) = (BTreeMap::<&str, CaseState>::new(), CaseDecisions::new());
    found.toolchains_compared = new.keys().filter(|name| old.contains_key(*name)).cloned().collect();
    let one_sided = old.keys().filter(|name| !new.contains_key(*name));
    found.toolchains = one_sided.chain(new.keys().filter(|name| !old.contains_key(*name))).cloned().collect();

    for (toolchain, new_cases) in new.iter().filter(|(name, _)| old.contains_key(*name)) {
        let old_cases = old.get(toolchain).unwrap_or(&none);
        for id in old_cases.keys().chain(new_cases.keys()) {
            let state = match (old_cases.get(id), new_cases.get(id)) {
                (Some(old), Some(new)) if old.digest != new.digest => CaseState::Changed,
                (Some(_), Some(_)) => CaseState::Compared,
                (None, _) => CaseState::New,
                (_, None) => CaseState::Gone,
            };
            states.insert(id, state);
        }
    }

    for (id, state) in states {
        match state {
            CaseState::Compared => {
                found.cases += 1;
                for (toolchain, cases) in new.iter().filter(|(name, _)| old.contains_key(*name)) {
                    let old = old.get(toolchain).and_then(|old_cases| old_cases.get(id));
                    if let (Some(old), Some(new)) = (old, cases.get(id)) {
                        found.add_case(id, toolchain, old, new);
                    }
                }
            }
            CaseState::Changed => found.changed.push(id.to_owned()),
            CaseState::New => found.new.push(id.to_owned()),
            CaseState::Gone => found.gone.push(id.to_owned()),
        }
    }
    found
}

/// An answer in which neither build accepts the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedByBoth {
    /// Id of the source.
    pub case: String,
    /// The new build's words.
    pub said: String,
}

#[derive(Clone, Copy)]
enum CaseState {
    Compared,
    Changed,
    New,
    Gone,
}

/// A question that both builds answered.
#[derive(Clone, Copy)]
struct QuestionKey<'a> {
    case: &'a str,
    toolchain: &'a str,
    question: &'a FrozenQuestion,
}

impl BuildComparison {
    fn add_case(&mut self, case: &str, toolchain: &str, old: &CaseAnswers, new: &CaseAnswers) {
        let questions = old.answers.keys().chain(new.answers.keys().filter(|name| !old.answers.contains_key(*name)));
        for question in questions {
            self.compared += 1;
            let key = QuestionKey { case, toolchain, question };
            self.note_refusals(key, old, new);
            match (old.answers.get(question), new.answers.get(question)) {
                (Some(FrozenAnswer::Accepted(old)), Some(FrozenAnswer::Accepted(new))) => self.add_facts(key, old, new),
                (old, new) if old == new => {}
                (old, new) => {
                    let kind = ChangeKind::of_answers(old, new);
                    self.add(key, ("", "answer"), kind, [old.map(said), new.map(said)]);
                }
            }
        }
    }

    fn note_refusals(&mut self, key: QuestionKey<'_>, old: &CaseAnswers, new: &CaseAnswers) {
        let is_accepted = |answer| matches!(answer, Some(&FrozenAnswer::Accepted(_)));
        let (old, new) = (old.answers.get(key.question), new.answers.get(key.question));
        if let Some(answer) = new.filter(|_| !is_accepted(old) && !is_accepted(new)) {
            self.refused_by_both.push(RefusedByBoth { case: key.case.to_owned(), said: said(answer) });
        }
    }

    fn add_facts(&mut self, question: QuestionKey<'_>, old: &Facts, new: &Facts) {
        let keys = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key)));
        for key @ (path, fact) in keys {
            self.compared += 1;
            let (old, new) = (old.get(key), new.get(key));
            if old != new {
                let fact: Fact = *fact;
                let kind = ChangeKind::of_fact(fact, [old, new]);
                self.add(question, (path, fact.as_str()), kind, [old.cloned(), new.cloned()]);
            }
        }
    }

    fn add(
        &mut self,
        key: QuestionKey<'_>,
        (path, what): (&str, &'static str),
        kind: ChangeKind,
        [old, new]: [Option<String>; 2],
    ) {
        let QuestionKey { case, toolchain, question } = key;
        let [case, toolchain, path] = [case, toolchain, path].map(str::to_owned);
        self.differences.push(BuildDifference {
            case,
            toolchain,
            question: question.clone(),
            path,
            what,
            old,
            new,
            kind,
            accepted: None,
        });
    }

    /// The differences that the list of intended changes does not accept.
    pub fn unaccepted(&self) -> impl Iterator<Item = &BuildDifference> {
        self.differences.iter().filter(|difference| difference.accepted.is_none())
    }
}

fn said(answer: &FrozenAnswer) -> String {
    match answer {
        FrozenAnswer::Accepted(_) => "accepted".to_owned(),
        FrozenAnswer::Refused(words) => format!("refused: {words}"),
        FrozenAnswer::Broken(words) => format!("broken: {words}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::frozen::text::read;

    fn set(text: &str) -> BTreeMap<String, CaseDecisions> {
        read(&format!("toolchain dxc-dxil\n{text}")).unwrap()
    }

    #[test]
    fn facts_and_answers_are_compared_leaf_by_leaf() {
        let old = set("case a 1\nblock S\n  S.x offset 0 code 0\n  S.y offset 4\nprogram\n  S bound b0\n");
        let new = set("case a 1\nblock S\n  S.x offset 0 code 4\n  S.z offset 4\nprogram refused: no\n");
        let found = compare(&old, &new);
        let told: Vec<_> =
            found.differences.iter().map(|it| (it.name(), it.old.as_deref(), it.new.as_deref())).collect();
        let expected = [
            ("a:dxc-dxil:S.x:code", Some("0"), Some("4")),
            ("a:dxc-dxil:S.y:offset", Some("4"), None),
            ("a:dxc-dxil:S.z:offset", None, Some("4")),
            ("a:dxc-dxil:program:answer", Some("accepted"), Some("refused: no")),
        ];
        assert_eq!(told, expected.map(|(name, old, new)| (name.to_owned(), old, new)));
        assert_eq!((found.cases, found.compared), (1, 6));
    }

    #[test]
    fn each_difference_has_its_meaning() {
        use ChangeKind::{Accepted, Crashes, Messages, Moved, Rejected};
        let old =
            set("case a 1\nblock S\n  S.x offset 0\n  S unread no code\nblock T refused: no\nblock U broken: died\n\
                       program\n  S bound b0\n");
        let new = set("case a 1\nblock S\n  S.x offset 4\n  S unread other code\nblock T\nblock U refused: no\n\
                       program refused: no\n");
        let kinds = |old, new| -> Vec<ChangeKind> {
            compare(old, new).differences.iter().map(|difference| difference.kind).collect()
        };
        assert_eq!(kinds(&old, &new), [Messages, Moved, Accepted, Crashes, Rejected]);
        assert_eq!(kinds(&new, &old), [Messages, Moved, Rejected, Crashes, Accepted]);
    }

    #[test]
    fn other_sources_are_named_and_not_compared() {
        let old = set("case a 1\nprogram\n  S bound b0\ncase gone 1\nprogram\n");
        let new = set("case a 2\nprogram\n  S bound b1\ncase new 1\nprogram\n");
        let found = compare(&old, &new);
        assert_eq!(found.differences, []);
        assert_eq!((found.new, found.changed, found.gone), (vec!["new".into()], vec!["a".into()], vec!["gone".into()]));
    }

    #[test]
    fn toolchains_that_one_side_lacks_are_named() {
        let found = compare(&set("case a 1\nprogram\n"), &BTreeMap::new());
        assert_eq!((found.toolchains, found.cases), (vec!["dxc-dxil".to_owned()], 0));
    }
}
