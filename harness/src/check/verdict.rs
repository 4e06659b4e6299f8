//! Compares the witnesses of a check and names the outcome and the culprit.
//!
//! Validity comes first: a device's behaviour on an invalid module says nothing about the device.
//! After that, each pair of neighbours in the chain expected, computed, compiled, observed is
//! compared. One broken link names a culprit; several leave it unclear.

use std::collections::BTreeSet;

use layoutproof_device::Feature;
pub use layoutproof_events::Validation;
pub use layoutproof_events::producer::Writer;

use layoutproof_events::{Culprit, Proves, Row, Witnesses};
use layoutproof_probes::Form;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeOrigin {
    /// The claim that agreement proves.
    pub proves: Proves,
    pub writer: Writer,
}

/// The result of judging a check's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Agrees,
    Differs { culprit: Culprit, sentence: String },
}

impl Verdict {
    /// The witness that disagrees with the others.
    pub fn culprit(&self) -> Option<Culprit> {
        match self {
            Self::Agrees => None,
            Self::Differs { culprit, .. } => Some(*culprit),
        }
    }

    pub fn sentence(&self) -> &str {
        match self {
            Self::Agrees => "all sources agree",
            Self::Differs { sentence, .. } => sentence,
        }
    }
}

pub fn judge(rows: &[Row], validation: &Validation, code: CodeOrigin) -> Verdict {
    if let Some(message) = refusal(validation) {
        let sentence = format!("the module is not valid, so the device's answer counts for nothing: {message}");
        return differ(Culprit::Module, sentence);
    }

    let broken: BTreeSet<Link> = rows.iter().flat_map(|row| broken_links(row, rows, code.proves)).collect();
    let culprits: BTreeSet<Culprit> = broken.iter().map(|link| culprit(*link, rows, code)).collect();
    let of_rows = judge_rows(&broken, &culprits);

    match validation {
        Validation::ValidOnlyWith { feature, message } => beyond_promise(&of_rows, code.writer, *feature, message),
        Validation::Valid | Validation::NotRun(_) | Validation::Invalid(_) => of_rows,
    }
}

/// Returns the validator's message if the module is not valid on any device.
fn refusal(validation: &Validation) -> Option<&str> {
    match validation {
        Validation::Invalid(message) => Some(message),
        Validation::Valid | Validation::NotRun(_) | Validation::ValidOnlyWith { .. } => None,
    }
}

/// Returns the verdict for a module that needs a feature that its layout option does not promise.
/// The fault is the writer's, and only the writer's if the rows name no other culprit.
fn beyond_promise(of_rows: &Verdict, writer: Writer, feature: Feature, message: &str) -> Verdict {
    let writers = match writer {
        Writer::Compiler => Culprit::Compiler,
        Writer::Generator => Culprit::Module,
    };
    let unpromised = format!("valid only with {feature}, which its layout option does not ask for: {message}");

    match of_rows.culprit() {
        None => differ(writers, format!("the module is {unpromised}")),
        Some(culprit) if culprit == writers || culprit == Culprit::Report => {
            differ(writers, format!("{}, and the module is {unpromised}", of_rows.sentence()))
        }
        Some(culprit) => differ(
            Culprit::Unclear,
            format!("no single source is at fault: {}, and the module is {unpromised}", culprit.as_str()),
        ),
    }
}

fn judge_rows(broken: &BTreeSet<Link>, culprits: &BTreeSet<Culprit>) -> Verdict {
    match (culprits.len(), culprits.first()) {
        (0, _) | (_, None) => Verdict::Agrees,
        (1, Some(Culprit::Case)) if broken.contains(&Link::ExpectedCompiled) => {
            differ(Culprit::Case, "the code reads different bytes than the case expects".to_owned())
        }
        (1, Some(only)) => differ(*only, sentence(*only).to_owned()),
        // Both faults are the compiler's. A wrong address outweighs a report that misses it.
        (_, Some(_)) if *culprits == BTreeSet::from([Culprit::Compiler, Culprit::Report]) => {
            let also = "and its report differs from what the code addresses";
            differ(Culprit::Compiler, format!("{}, {also}", sentence(Culprit::Compiler)))
        }
        (_, Some(_)) => {
            let named: Vec<_> = culprits.iter().map(|culprit| culprit.as_str()).collect();
            differ(Culprit::Unclear, format!("no single source is at fault: {}", named.join(", ")))
        }
    }
}

/// Returns the rows in which a pair of neighbours differs, once for each culprit.
pub fn differing(rows: &[Row], code: CodeOrigin) -> BTreeSet<(usize, Culprit)> {
    let links = |(index, row)| broken_links(row, rows, code.proves).into_iter().map(move |link| (index, link));
    rows.iter().enumerate().flat_map(links).map(|(index, link)| (index, culprit(link, rows, code))).collect()
}

fn differ(culprit: Culprit, sentence: String) -> Verdict {
    Verdict::Differs { culprit, sentence }
}

/// Neighbours in the chain of witnesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Link {
    ExpectedComputed,
    /// A case's claim about a compiler's code, and that code.
    ExpectedCompiled,
    ComputedCompiled,
    ReportedCompiled,
    CompiledObserved,
}

fn broken_links(row: &Row, rows: &[Row], proves: Proves) -> Vec<Link> {
    let Witnesses { expected, computed, reported, compiled, observed } = &row.witnesses;
    let differ = |a: &Option<_>, b: &Option<_>| a.is_some() && b.is_some() && a != b;
    let mut links = Vec::new();
    if differ(expected, computed) {
        links.push(Link::ExpectedComputed);
    }
    if computed.is_none() && differ(expected, compiled) {
        links.push(Link::ExpectedCompiled);
    }

    // A compiler that agrees with the case against the rules is a witness for the case, not a
    // culprit.
    let sides_with_case = proves.is_of_compiler() && expected.is_some() && expected == compiled;
    // A compiler whose report follows the rules knows the rule, so if its code differs, the report
    // is what misleads. But if its code reads the same member correctly by plain name, the report
    // is right and the code contradicts itself.
    let report_is_right = reported.is_some() && reported == computed;
    let at_odds = report_is_right && by_name(row, rows).is_some_and(|plain| plain.witnesses.compiled == *reported);
    let disagrees = differ(computed, compiled);
    if disagrees && !sides_with_case && (!report_is_right || at_odds) {
        links.push(Link::ComputedCompiled);
    }
    if differ(reported, compiled) && !at_odds {
        links.push(Link::ReportedCompiled);
    }

    // A compiler's code that takes a leaf from no byte of the block does so on every device.
    let nowhere = proves.is_of_compiler() && row.form().is_some() && compiled.is_none();
    if nowhere && computed.is_some() && observed.is_none() {
        links.push(Link::ComputedCompiled);
        return links;
    }

    if row.is_misread() {
        links.push(Link::CompiledObserved);
    }
    links
}

/// Returns the row that reads the same leaf by plain name, if `row` has another form.
fn by_name<'a>(row: &Row, rows: &'a [Row]) -> Option<&'a Row> {
    let other = row.form().is_some_and(|form| form != Form::Leaf);
    let same = |plain: &&Row| plain.form() == Some(Form::Leaf) && (&plain.path, plain.what) == (&row.path, row.what);
    rows.iter().filter(|_| other).find(same)
}

fn culprit(link: Link, rows: &[Row], code: CodeOrigin) -> Culprit {
    match (link, code.proves, code.writer) {
        (Link::ExpectedComputed, proves, _) if proves.is_of_compiler() => tie_break(rows),
        (Link::ExpectedComputed, _, _) => Culprit::CaseOrRules,
        (Link::ExpectedCompiled, _, _) => Culprit::Case,
        (Link::ComputedCompiled, _, Writer::Generator) => Culprit::Module,
        (Link::ComputedCompiled, _, Writer::Compiler) => Culprit::Compiler,
        (Link::ReportedCompiled, _, _) => Culprit::Report,
        (Link::CompiledObserved, _, _) => Culprit::Device,
    }
}

/// Lets a compiler's code decide between the case and the rules, if it answers for every disputed
/// row.
fn tie_break(rows: &[Row]) -> Culprit {
    let witnesses = rows.iter().map(|row| &row.witnesses);
    let disputed = witnesses.filter(|it| it.expected.is_some() && it.computed.is_some() && it.expected != it.computed);
    let disputed: Vec<&Witnesses> = disputed.collect();
    let answered = !disputed.is_empty() && disputed.iter().all(|it| it.compiled.is_some());
    if answered && disputed.iter().all(|it| it.compiled == it.expected) {
        Culprit::Rules
    } else if answered && disputed.iter().all(|it| it.compiled == it.computed) {
        Culprit::Case
    } else {
        Culprit::CaseOrRules
    }
}

fn sentence(culprit: Culprit) -> &'static str {
    match culprit {
        Culprit::CaseOrRules => "the case and our rules differ, and no compiler's code decides between them",
        Culprit::Case => "a compiler's code agrees with our rules; only the case's number differs",
        Culprit::Rules => "a compiler's code agrees with the case; only our rule differs",
        Culprit::Compiler => "case and rules agree, the compiler's code addresses other bytes",
        Culprit::Report => "the compiler's report differs from what its code addresses",
        Culprit::Module => "case and rules agree, the shader module says otherwise",
        Culprit::Device => "case, rules and shader agree, the device did something else",
        Culprit::Unclear => "no single source is at fault",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutproof_events::{Access, RecordValue};
    use layoutproof_layout::Quantity;
    use layoutproof_probes::{AddressSpace, Direction, Stage};

    /// A row of the witnesses expected, computed, compiled and observed.
    fn row(numbers: [Option<u32>; 4]) -> Row {
        of_form(None, None, numbers)
    }

    /// The same with a compiler's report.
    fn reported(reported: u32, numbers: [Option<u32>; 4]) -> Row {
        of_form(None, Some(reported), numbers)
    }

    fn of_form(form: Option<Form>, reported: Option<u32>, numbers: [Option<u32>; 4]) -> Row {
        let [expected, computed, compiled, observed] = numbers.map(|number| number.map(RecordValue::Number));
        let reported = reported.map(RecordValue::Number);
        let (space, stage, direction) = (AddressSpace::Uniform, Stage::Compute, Direction::Read);
        let witnesses = Witnesses { expected, computed, reported, compiled, observed };
        Row { access: Some(Access { space, stage, direction, form }), ..Row::new("S.c", Quantity::Offset, witnesses) }
    }

    const OURS: CodeOrigin = CodeOrigin { proves: Proves::Decorations, writer: Writer::Generator };
    /// A compiler that gets fixed offsets, as naga does through `@size`.
    const TOLD: CodeOrigin = CodeOrigin { proves: Proves::Decorations, writer: Writer::Compiler };
    const CHOSEN: CodeOrigin = CodeOrigin { proves: Proves::Compiler, writer: Writer::Compiler };

    fn check(numbers: [Option<u32>; 4], code: CodeOrigin, culprit: Option<Culprit>) {
        let verdict = judge(&[row([Some(0); 4]), row(numbers)], &Validation::Valid, code);
        assert_eq!(verdict.culprit(), culprit, "{numbers:?} {code:?}");
    }

    #[test]
    fn one_broken_link_names_its_culprit() {
        let [a, b] = [Some(36), Some(48)];
        for (numbers, code, culprit) in [
            ([a, a, a, a], OURS, None),
            ([None, a, a, a], OURS, None),
            ([b, a, a, a], OURS, Some(Culprit::CaseOrRules)),
            ([b, a, a, a], CHOSEN, Some(Culprit::Case)),
            ([b, a, b, b], CHOSEN, Some(Culprit::Rules)),
            ([a, a, b, b], OURS, Some(Culprit::Module)),
            ([a, a, b, b], TOLD, Some(Culprit::Compiler)),
            ([b, a, a, a], TOLD, Some(Culprit::CaseOrRules)),
            ([a, a, b, b], CHOSEN, Some(Culprit::Compiler)),
            ([a, a, a, b], OURS, Some(Culprit::Device)),
            ([a, a, a, None], OURS, Some(Culprit::Device)),
            ([a, a, b, Some(52)], OURS, Some(Culprit::Unclear)),
        ] {
            check(numbers, code, culprit);
        }
    }

    #[test]
    fn an_invalid_module_comes_before_everything() {
        let verdict = judge(&[row([Some(0); 4])], &Validation::Invalid("no".to_owned()), OURS);
        assert_eq!(verdict.culprit(), Some(Culprit::Module));
    }

    /// DXC's default promises what Vulkan 1.1 allows, and `[[vk::offset(8)]]` puts a struct at byte
    /// 8 of a uniform block.
    #[test]
    fn a_module_that_needs_more_than_was_promised_is_its_writers() {
        let limited =
            Validation::ValidOnlyWith { feature: Feature::ScalarBlockLayout, message: "error: line 4: no".to_owned() };
        let [a, b] = [Some(36), Some(48)];
        for (numbers, code, culprit) in [
            ([a, a, a, a], CHOSEN, Culprit::Compiler),
            ([a, a, b, b], CHOSEN, Culprit::Compiler),
            ([a, a, a, b], CHOSEN, Culprit::Unclear),
            ([b, a, b, b], CHOSEN, Culprit::Unclear),
            ([a, a, a, a], OURS, Culprit::Module),
        ] {
            let verdict = judge(&[row(numbers)], &limited, code);
            assert_eq!(verdict.culprit(), Some(culprit), "{}", verdict.sentence());
            assert!(verdict.sentence().contains("valid only with scalarBlockLayout"), "{}", verdict.sentence());
        }
    }

    #[test]
    fn a_report_that_differs_from_the_code_is_a_report() {
        let row = reported(4, [Some(0); 4]);
        let verdict = judge(&[row], &Validation::Valid, CHOSEN);
        assert_eq!(verdict.culprit(), Some(Culprit::Report));
    }

    /// A case's claim about where a compiler's code reads is checked against that code alone.
    #[test]
    fn a_claim_about_code_that_is_not_so_is_the_cases() {
        for (claimed, culprit) in [(0, None), (8, Some(Culprit::Case))] {
            let claim = Row { access: None, ..row([Some(claimed), None, Some(0), None]) };
            let verdict = judge(&[claim], &Validation::Valid, CHOSEN);
            assert_eq!(verdict.culprit(), culprit, "{}", verdict.sentence());
        }
    }

    /// DXC lists `row_major float1x2` after a float at byte 4 and loads it from byte 0.
    #[test]
    fn a_report_that_knows_the_rule_is_what_misleads() {
        let [listed, loaded] = [Some(4), Some(0)];
        let row = reported(4, [listed, listed, loaded, loaded]);
        let verdict = judge(&[row], &Validation::Valid, CHOSEN);
        assert_eq!(verdict.culprit(), Some(Culprit::Report));
    }

    /// DXC lists `float3x1` at byte 16. It reads `m[1][0]` at byte 20, but `m[index][0]` at byte
    /// 16.
    #[test]
    fn code_that_knows_better_by_name_is_the_compilers() {
        let [listed, loaded] = [Some(20), Some(16)];
        let by_form = |form, compiled| of_form(Some(form), Some(20), [listed, listed, compiled, compiled]);
        for (by_name, culprit) in [(listed, Culprit::Compiler), (loaded, Culprit::Report)] {
            let rows = [by_form(Form::Leaf, by_name), by_form(Form::Indexed, loaded)];
            assert_eq!(judge(&rows, &Validation::Valid, CHOSEN).culprit(), Some(culprit));
        }
    }

    /// A device's result for such code is no valid offset either.
    #[test]
    fn code_that_reads_no_byte_of_the_block_is_the_compilers() {
        let nowhere = of_form(Some(Form::Indexed), None, [Some(8), Some(8), None, None]);
        assert_eq!(
            judge(std::slice::from_ref(&nowhere), &Validation::Valid, CHOSEN).culprit(),
            Some(Culprit::Compiler)
        );
        assert_eq!(judge(&[nowhere], &Validation::Valid, OURS).culprit(), Some(Culprit::Device));
    }

    #[test]
    fn differing_rows_have_culprits_of_their_own() {
        let [right, wrong] = [Some(20), Some(16)];
        let misled = reported(20, [right, right, wrong, wrong]);
        let rows = [misled, row([right; 4]), row([right, right, wrong, wrong]), row([right, right, right, wrong])];
        let expected = [(0, Culprit::Report), (2, Culprit::Compiler), (3, Culprit::Device)];
        assert_eq!(differing(&rows, CHOSEN), expected.into());
    }

    #[test]
    fn wrong_code_weighs_more_than_a_report_that_misses_it() {
        let [right, wrong] = [Some(20), Some(16)];
        let misled = reported(20, [right, right, wrong, wrong]);
        let miscompiled = row([right, right, wrong, wrong]);
        let verdict = judge(&[misled, miscompiled], &Validation::Valid, CHOSEN);
        assert_eq!(verdict.culprit(), Some(Culprit::Compiler), "{}", verdict.sentence());
    }
}
