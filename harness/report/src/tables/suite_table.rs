//! The table of `layoutproof dev bench`: how long the built-in cases took on each device.

use std::time::Duration;

use layoutproof_show::counted;

#[derive(Clone, Debug, PartialEq)]
pub struct SuiteLine {
    /// The device with its driver.
    pub subject: String,
    /// Number of checks: cases under rule sets.
    pub checks: usize,
    /// Most checks of a round that differed or broke. Each was run once more by itself.
    pub differing: usize,
    /// The measurements, in the order of the rounds; never empty.
    pub rounds: Vec<SuiteRound>,
}

/// The suite on one device, once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SuiteRound {
    /// Wall time until every shader was written and validated.
    pub writing: Duration,
    /// Wall time from then on until the last record.
    pub running: Duration,
    /// Accesses to leaves that the device executed, each form once.
    pub accesses: usize,
    /// Rows of records that an access answered. One access may answer for several rule sets.
    pub rows: usize,
}

impl SuiteRound {
    fn wall(&self) -> Duration {
        self.writing + self.running
    }
}

/// The table; `cache` is the state of the drivers' shader caches.
pub fn suite_table(lines: &[SuiteLine], cache: &str) -> String {
    let rounds = lines.first().map_or(0, |line| line.rounds.len());
    let mut text = format!("the built-in cases, {cache}, medians of {rounds}\n\n");
    text.push_str(&row(
        "device",
        &["checks", "wall ms", "(fastest-slowest)", "writing", "accesses", "per s", "rows", "per s"].map(str::to_owned),
    ));
    text.extend(lines.iter().map(|line| row(&line.subject, &cells(line))));
    text.extend(lines.iter().filter(|line| line.differing > 0).map(|line| {
        let count = counted(line.differing as u64, "check");
        format!("\n  {}: {count} differ, and take longer than right ones\n", line.subject)
    }));
    text
}

fn cells(line: &SuiteLine) -> [String; 8] {
    let mut rounds = line.rounds.clone();
    rounds.sort_by_key(SuiteRound::wall);
    let median = rounds[rounds.len() / 2];
    let (fastest, slowest) = (rounds[0].wall().as_millis(), rounds[rounds.len() - 1].wall().as_millis());
    let milliseconds = |time: Duration| time.as_millis().to_string();
    [
        line.checks.to_string(),
        milliseconds(median.wall()),
        format!("({fastest}-{slowest})"),
        milliseconds(median.writing),
        median.accesses.to_string(),
        per_second(median.accesses, median.wall()),
        median.rows.to_string(),
        per_second(median.rows, median.wall()),
    ]
}

#[expect(clippy::cast_precision_loss, reason = "counts of accesses are far below 2^52")]
fn per_second(count: usize, wall: Duration) -> String {
    format!("{:.0}", count as f64 / wall.as_secs_f64())
}

fn row(subject: &str, cells: &[String; 8]) -> String {
    let [checks, wall, spread, writing, accesses, per_second, rows, rows_per_second] = cells;
    format!(
        "  {subject:<40} {checks:>7} {wall:>8} {spread:>17} {writing:>8} {accesses:>9} {per_second:>7} {rows:>8} \
         {rows_per_second:>7}\n"
    )
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn medians_and_rates() {
        let round = |seconds| SuiteRound {
            writing: Duration::from_secs(1),
            running: Duration::from_secs(seconds),
            accesses: 30_000,
            rows: 90_000,
        };
        let line = SuiteLine {
            subject: "lavapipe, Mesa".to_owned(),
            checks: 500,
            differing: 2,
            rounds: [19, 9, 14].map(round).into(),
        };
        expect![[r"
            the built-in cases, no shader cache, medians of 3

              device                                    checks  wall ms (fastest-slowest)  writing  accesses   per s     rows   per s
              lavapipe, Mesa                               500    15000     (10000-20000)     1000     30000    2000    90000    6000

              lavapipe, Mesa: 2 checks differ, and take longer than right ones
        "]]
        .assert_eq(&suite_table(&[line], "no shader cache"));
    }
}
