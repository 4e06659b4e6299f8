//! A case's placement under one convention on one target: compares the places that the case expects
//! with those that our rules compute, for every parameter.
//!
//! This is a static check: it writes no shader and uses no device.

use std::collections::BTreeMap;
use std::sync::Arc;

use layoutproof_layout::Quantity;

use crate::case::{BindExpectation, By, ExpectedDiagnostic};
use crate::check::source::Source;
use crate::check::verdict::{CodeOrigin, Validation, Verdict, Writer, judge};
use layoutproof_bindings::place::{NOT_BOUND, places_text};
use layoutproof_bindings::{BindingPlace, BindingRequest, BoundModule, bind};
use layoutproof_events::check_id::{CheckId, CheckRules, ShaderMaker};
use layoutproof_events::{
    CheckRecord, CommandOption, Outcome, Proves, RecordValue, RerunCommand, Row, Story, Witnesses,
};
use layoutproof_source::diagnostics::{Code, Diagnostic};

/// A source's parameters as one convention places them.
#[derive(Clone, Debug)]
pub struct BindingCheck {
    pub source: Arc<Source>,
    /// The target, the convention and their settings.
    pub request: BindingRequest,
    /// The result of our rules: the placement, or the diagnostics with which the convention refuses
    /// it.
    pub bound: Result<BoundModule, Vec<Diagnostic>>,
    /// The places that the case expects; `None` if it expects only a refusal or a warning.
    pub expected: Option<BindExpectation>,
}

impl BindingCheck {
    /// Makes a check for every target and convention that a case mentions, in the case's order.
    pub fn all(source: &Arc<Source>) -> Vec<Self> {
        let expected = source.bind.iter().map(|expectation| {
            let BindExpectation { target, convention, version, .. } = expectation;
            source.invocation.request(*target, *convention, version.clone())
        });

        let told = source.rejects.iter().chain(&source.warns).filter_map(|told| match &told.by {
            By::Convention { target, convention, version } => {
                Some(source.invocation.request(*target, *convention, version.clone()))
            }
            By::Layoutproof | By::Compiler(_) | By::Rules(_) => None,
        });
        let mut requests: Vec<BindingRequest> = Vec::new();
        for request in expected.chain(told) {
            if !requests.contains(&request) {
                requests.push(request);
            }
        }
        requests.into_iter().map(|request| Self::new(Arc::clone(source), request)).collect()
    }

    pub fn new(source: Arc<Source>, request: BindingRequest) -> Self {
        let asked = |expectation: &&BindExpectation| {
            (expectation.target, expectation.convention) == (request.target, request.convention)
                && expectation.version == request.version
        };
        let expected = source.bind.iter().find(asked).cloned();
        Self { bound: bind(&source.module, &request), source, request, expected }
    }

    pub fn id(&self) -> CheckId {
        let (case, rules) = (self.source.id.clone(), CheckRules::from(&self.request));
        CheckId { case, rules, producer: ShaderMaker::NoShader, device: None }
    }

    /// Returns a diagnostic for each refusal or warning that the case expects and the convention
    /// does not give.
    pub fn problems(&self) -> Vec<Diagnostic> {
        let refusals = self.bound.as_ref().err().map_or(&[][..], Vec::as_slice);
        let warnings = self.bound.as_ref().map_or(&[][..], |bound| bound.warnings.as_slice());
        let rejects = self.told(&self.source.rejects).map(|told| (told, refusals, "refuse this"));
        let warns = self.told(&self.source.warns).map(|told| (told, warnings, "warn of this"));
        let silent = rejects.chain(warns).filter(|(told, given, _)| !given.iter().any(|it| says(told, it)));
        let problem = |(told, given, what): (&ExpectedDiagnostic, &[Diagnostic], &str)| {
            let wanted = told.code.as_deref().or(told.message.as_deref()).unwrap_or("anything");
            let said = given.first().map_or("no diagnostic", |first| &first.message);
            let message = format!("{} does not {what}: expected `{wanted}`, but got: {said}", self.request.name());
            Diagnostic::error(Code::BadCase, told.span, message)
        };
        silent.map(problem).collect()
    }

    fn told<'a>(&'a self, all: &'a [ExpectedDiagnostic]) -> impl Iterator<Item = &'a ExpectedDiagnostic> {
        let own = By::Convention {
            target: self.request.target,
            convention: self.request.convention,
            version: self.request.version.clone(),
        };
        all.iter().filter(move |told| told.by == own)
    }

    /// Returns one row per parameter that the case places. Unless the case is partial, parameters
    /// that only our rules place have rows too.
    pub fn static_rows(&self) -> Vec<Row> {
        let Some(expectation) = &self.expected else { return Vec::new() };
        let mut rows: Vec<Row> =
            expectation.entries.iter().map(|entry| self.row(&entry.path, Some(&entry.places))).collect();
        let computed = self.bound.iter().flat_map(|bound| &bound.bindings).filter(|_| !expectation.partial);
        for binding in computed {
            if !rows.iter().any(|row| row.path == binding.path) {
                rows.push(self.row(&binding.path, Some(&[])));
            }
        }
        rows
    }

    /// Returns the rows to check on devices: for a case its static rows, for a plain file, which
    /// expects nothing, one row per bound parameter.
    pub(super) fn rows(&self) -> Vec<Row> {
        if self.expected.is_some() {
            return self.static_rows();
        }
        let mut rows: Vec<Row> = Vec::new();
        for binding in self.bound.iter().flat_map(|bound| &bound.bindings) {
            if !rows.iter().any(|row| row.path == binding.path) {
                rows.push(self.row(&binding.path, None));
            }
        }
        rows
    }

    fn row(&self, path: &str, expected: Option<&[BindingPlace]>) -> Row {
        let witnesses = Witnesses {
            expected: expected.map(|places| RecordValue::Text(places_text(&sorted(places.to_vec())))),
            computed: Some(RecordValue::Text(self.computed(path))),
            ..Witnesses::default()
        };
        Row::new(path, Quantity::Binding, witnesses)
    }

    fn computed(&self, path: &str) -> String {
        match &self.bound {
            Ok(bound) => {
                let rows = bound.bindings.iter().filter(|binding| binding.path == path);
                places_text(&sorted(rows.map(BindingPlace::from).collect()))
            }
            Err(refusals) => refusals.first().map_or(NOT_BOUND.to_owned(), |refusal| refusal.message.clone()),
        }
    }

    /// Makes the record of the check. It compares the case with our rules and counts no leaves.
    pub fn record(&self) -> CheckRecord {
        let rows = self.static_rows();
        let validation = Validation::NotRun("no shader takes part".to_owned());
        let code = CodeOrigin { proves: Proves::Decorations, writer: Writer::Generator };
        let verdict = judge(&rows, &validation, code);
        let outcome = match verdict {
            Verdict::Agrees => Outcome::Agrees,
            Verdict::Differs { culprit, sentence } => {
                Outcome::Differs { culprit, broke: None, story: Some(Box::new(self.story(&sentence))) }
            }
        };
        CheckRecord { rows, ..CheckRecord::new(self.id(), Proves::Decorations, validation, outcome) }
    }

    pub(super) fn story(&self, sentence: &str) -> Story {
        let Self { source, request, expected, .. } = self;
        let version = request.version.as_ref().map(|version| format!("@{version}")).unwrap_or_default();
        let convention = format!("{}{version}", request.convention);
        Story {
            summary: source.summary.clone(),
            place: source.place.clone(),
            authority: expected.as_ref().map(|expected| expected.authority.to_string()).unwrap_or_default(),
            blocks: Vec::new(),
            hint: None,
            moved_by: BTreeMap::new(),
            resembles: None,
            again: RerunCommand::Show {
                input: source.id.clone(),
                options: vec![
                    CommandOption::new("--target", request.target),
                    CommandOption::new("--convention", convention),
                ],
            },
            verdict: sentence.to_owned(),
            shaders: Vec::new(),
        }
    }
}

/// Returns true if `given` is the diagnostic that the case expects. If the case names one of our
/// codes, the message in the case comes from a compiler and is not compared.
fn says(told: &ExpectedDiagnostic, given: &Diagnostic) -> bool {
    match (&told.code, &told.message) {
        (Some(code), _) => code == given.code.as_str(),
        (None, Some(fragment)) => given.message.contains(fragment),
        (None, None) => true,
    }
}

/// Sorts places by unit, space and index. A case may list them in any order.
fn sorted(mut places: Vec<BindingPlace>) -> Vec<BindingPlace> {
    places.sort_by_key(|place| (place.unit, place.space, place.index));
    places
}
