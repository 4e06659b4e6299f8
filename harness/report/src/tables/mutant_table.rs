//! The table of `layoutproof mutants`: which planted faults the cases detect.

use layoutproof_core::results::mutants::{DeviceLine, Killers, MutantTable, RuleLine};
use layoutproof_show::style::{Style, TextLines, Tone, one_line, pad, pad_left, width};

/// Columns of a number.
const NUMBER_COLUMNS: usize = 12;

/// Case ids per line.
const NAMED_CASES: usize = 3;

/// Both tables. `every_line` lists each rule mutant, not only the survivors.
pub fn mutant_table(mutants: &MutantTable, every_line: bool, style: Style) -> String {
    let mut text = TextLines::default();
    counts(&mutants.rules, &mut text, style);

    let listed: Vec<&RuleLine> = mutants.rules.iter().filter(|line| every_line || line.survives()).collect();
    let columns = listed.iter().map(|line| width(&title(line, style))).max().unwrap_or(0);
    for line in listed {
        let (tone, word) = fate(line.survives(), line.equivalent.is_some());
        let why = line.equivalent.as_deref().map_or_else(|| killers(&line.killers, style), one_line);
        text.push(&format!("{} {}  {why}", style.verb(tone, word), pad(&title(line, style), columns)));
    }

    devices(&mutants.devices, &mut text, style);
    for sentence in &mutants.stale {
        text.push(&format!("{} {}", style.verb(Tone::Disagree, "Stale"), one_line(sentence)));
    }
    text.push(&summary(mutants, style));
    text.into_text()
}

/// One line per rule set.
fn counts(lines: &[RuleLine], text: &mut TextLines, style: Style) {
    let columns = lines.iter().map(|line| width(&line.rules)).max().unwrap_or(0);
    let row = |name: &str, numbers: [String; 4]| {
        let numbers: Vec<String> = numbers.iter().map(|number| pad_left(number, NUMBER_COLUMNS)).collect();
        format!("  {}{}", pad(name, columns), numbers.concat())
    };
    let head = ["mutants", "killed", "equivalent", "survive"].map(str::to_owned);
    text.push(&style.paint(Tone::Strong, &row("rules", head)));

    for group in lines.chunk_by(|one, next| one.rules == next.rules) {
        let count = |is: &dyn Fn(&RuleLine) -> bool| group.iter().filter(|line| is(line)).count().to_string();
        let numbers = [
            group.len().to_string(),
            count(&|line| !line.killers.is_empty()),
            count(&|line| line.equivalent.is_some()),
            count(&RuleLine::survives),
        ];
        text.push(&row(&group[0].rules, numbers));
    }
}

fn devices(lines: &[DeviceLine], text: &mut TextLines, style: Style) {
    let names = lines.iter().map(|line| width(&line.name)).max().unwrap_or(0);
    let sentences = lines.iter().map(|line| width(&line.what)).max().unwrap_or(0);
    for line in lines {
        let (tone, word) = fate(line.survives(), false);
        let (name, what) = (pad(&line.name, names), pad(&line.what, sentences));
        text.push(&format!("{} {name}  {what}  {}", style.verb(tone, word), killers(&line.killers, style)));
        line.misnamed.iter().for_each(|check| text.push(&format!("{}{}", " ".repeat(13), one_line(check))));
    }
}

fn title(line: &RuleLine, style: Style) -> String {
    let arrow = if style.ascii { "->" } else { "→" };
    format!("{} {}: {} {arrow} {}", line.rules, line.parameter, line.from, line.to)
}

fn fate(survives: bool, explained: bool) -> (Tone, &'static str) {
    match (survives, explained) {
        (true, _) => (Tone::Disagree, "Survives"),
        (false, true) => (Tone::Skip, "Equivalent"),
        (false, false) => (Tone::Agree, "Killed"),
    }
}

/// The number of cases and the first few of them.
fn killers(killers: &Killers, style: Style) -> String {
    let count = killers.cases.len();
    let amount = if killers.stopped { format!("{count} or more") } else { count.to_string() };
    let named: Vec<&str> = killers.cases.iter().take(NAMED_CASES).map(String::as_str).collect();
    let rest = if count > NAMED_CASES { format!(", {}", style.ellipsis()) } else { String::new() };
    if named.is_empty() { "no case".to_owned() } else { format!("{amount}: {}{rest}", one_line(&named.join(", "))) }
}

fn summary(mutants: &MutantTable, style: Style) -> String {
    let surviving = mutants.rules.iter().filter(|line| line.survives()).count()
        + mutants.devices.iter().filter(|line| line.survives()).count();
    let explained = mutants.rules.iter().filter(|line| line.equivalent.is_some()).count();
    let counts = format!(
        "{} rule mutants ({explained} equivalent) and {} misreading devices: {surviving} survive, {} stale",
        mutants.rules.len(),
        mutants.devices.len(),
        mutants.stale.len()
    );
    let tone = if mutants.is_clean() { Tone::Agree } else { Tone::Disagree };
    format!("{} {counts}", style.verb(tone, "Mutants"))
}
