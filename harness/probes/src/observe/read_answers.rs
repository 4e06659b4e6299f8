//! Reads the answers of one probe: the nonces first, then the leaves, then the bytes that must not
//! change.

use layoutproof_device::ReadBack;

use super::checked_answer::{CheckedAnswer, word_at};
use super::clobber::changes;
use super::decode_leaf::ProbeAnswers;
use super::observation::{BadReadBack, Observation, Observed, ProbeProblem};
use crate::{AnswerSlot, Direction, ProbeEntry, ProbeJob, ProbePlan};

/// Reads the answers of one probe of `plan`, one answer per dispatch.
pub fn observe(plan: &ProbePlan, probe: &ProbeJob, answers: &[ReadBack]) -> Observed {
    let mut observed = Observed::default();
    if answers.len() != probe.runs.len() {
        let bad = BadReadBack::Answers { dispatches: probe.runs.len(), answers: answers.len() };
        observed.problems.push(bad.into());
        return observed;
    }

    let views = probe.runs.iter().zip(answers).map(|(run, answer)| CheckedAnswer::new(run, answer, probe.interface));
    let views = match views.collect::<Result<Vec<_>, _>>() {
        Ok(views) => views,
        Err(bad) => {
            observed.problems.push(bad.into());
            return observed;
        }
    };

    for view in &views {
        let nonce = word_at(&view.output.bytes, 0);
        if nonce != word_at(&view.input_job.bytes, 0) {
            add(&mut observed.problems, ProbeProblem::NoNonce { found: view.run.salt.turn(nonce) });
        }
    }

    let answers = ProbeAnswers { plan, probe, views: &views };
    match probe.entry.direction {
        Direction::Read => answers.read(&mut observed),
        Direction::Write => answers.write(&mut observed),
    }

    for problem in views.iter().flat_map(|view| changes(plan, probe, view)) {
        add(&mut observed.problems, problem);
    }
    observed
}

/// Returns the observations of a device that reads every leaf of a probe at its place in the
/// layout.
pub fn observed_right(plan: &ProbePlan, probe: &ProbeJob) -> Observed {
    let ProbeEntry { space, direction, .. } = probe.entry;
    let right = |slot: &AnswerSlot| Observation {
        leaf: slot.leaf,
        space,
        direction,
        form: slot.form,
        range: probe.range,
        offset: Some(plan.leaves[slot.leaf as usize].offset),
        note: None,
    };
    Observed { observations: probe.wiring.slots.iter().map(right).collect(), problems: Vec::new() }
}

/// Adds a problem unless it is already there. A mistake in one plane usually occurs in most planes.
fn add(problems: &mut Vec<ProbeProblem>, new: ProbeProblem) {
    let same = |old: &ProbeProblem| match (old, &new) {
        (ProbeProblem::Changed { role, offset, .. }, ProbeProblem::Changed { role: other, offset: at, .. }) => {
            (role, offset) == (other, at)
        }
        (ProbeProblem::NoNonce { .. }, ProbeProblem::NoNonce { .. }) => true,
        (old, new) => old == new,
    };
    if !problems.iter().any(same) {
        problems.push(new);
    }
}
