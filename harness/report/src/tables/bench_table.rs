//! The table of `layoutproof bench`: how long designs took on one device, one line each.

use std::time::Duration;

use layoutproof_show::Style;

/// The designs on one device and kind of buffer, measured in turns.
#[derive(Clone, Debug, PartialEq)]
pub struct BenchTable {
    /// Device, driver and kind of buffer.
    pub subject: String,
    /// Number of cases.
    pub cases: u64,
    /// The state of the drivers' shader caches.
    pub cache: String,
    /// One per design.
    pub lines: Vec<BenchLine>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct BenchLine {
    pub name: String,
    /// The comparison that the design is used in.
    pub role: BenchRole,
    /// Number of worker processes.
    pub workers: usize,
    /// The measurements, in the order of the rounds; never empty.
    pub rounds: Vec<BenchRound>,
}

/// The role of a design in a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenchRole {
    /// The design that speed-ups are relative to.
    Baseline,
    /// A design to measure.
    Design,
    /// A lower bound for the time of any design of the kind.
    Floor,
}

/// One measurement of a design.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BenchRound {
    /// Wall time.
    pub wall: Duration,
    /// Number of leaves that were read and compared.
    pub leaves: u64,
    /// Processor time of host and workers together, and the host's part of it; `None` if the system
    /// does not report it.
    pub cpu: Option<(Duration, Duration)>,
    /// Peak memory of host and workers together, in bytes.
    pub peak_bytes: Option<u64>,
}

impl BenchLine {
    /// The round with the median time. For an even number of rounds, the slower of the two in the
    /// middle.
    pub fn median(&self) -> BenchRound {
        let mut rounds = self.rounds.clone();
        rounds.sort_by_key(|round| round.wall);
        rounds[rounds.len() / 2]
    }

    fn per_second(&self, count: u64) -> f64 {
        ratio(count) / self.median().wall.as_secs_f64()
    }

    /// Fastest and slowest round in milliseconds.
    fn spread(&self) -> (u128, u128) {
        let walls = || self.rounds.iter().map(|round| round.wall.as_millis());
        (walls().min().unwrap_or(0), walls().max().unwrap_or(0))
    }
}

pub fn bench_table(table: &BenchTable, style: Style) -> String {
    let BenchTable { subject, cases, cache, lines } = table;
    let rounds = lines.first().map_or(0, |line| line.rounds.len());
    let leaves = lines.first().map_or(0, |line| line.median().leaves);
    let separator = if style.ascii { '-' } else { '·' };
    let mut text = format!(
        "{subject} {separator} {cases} cases, {leaves} leaves {separator} {cache} {separator} medians of {rounds}\n\n"
    );
    let heads = ["workers", "wall ms", "(fastest-slowest)", "leaves/s", "cases/s", "CPU s", "host CPU", "peak MiB"];
    text.push_str(&row("design", &heads.map(str::to_owned)));
    text.extend(lines.iter().map(|line| row(&line.name, &cells(line, *cases))));
    text.push('\n');
    text + &conclusions(table)
}

fn cells(line: &BenchLine, cases: u64) -> [String; 8] {
    let median = line.median();
    let (fastest, slowest) = line.spread();
    let unknown = || "?".to_owned();
    let share = |(all, host): (Duration, Duration)| format!("{:.0}%", 100.0 * part(host, all));

    [
        line.workers.to_string(),
        median.wall.as_millis().to_string(),
        format!("({fastest}-{slowest})"),
        format!("{:.0}", line.per_second(median.leaves)),
        format!("{:.0}", line.per_second(cases)),
        median.cpu.map_or_else(unknown, |(all, _)| format!("{:.2}", all.as_secs_f64())),
        median.cpu.map_or_else(unknown, share),
        median.peak_bytes.map_or_else(unknown, |bytes| (bytes >> 20).to_string()),
    ]
}

fn row(name: &str, cells: &[String; 8]) -> String {
    let [workers, wall, spread, leaves, cases, cpu, host, peak] = cells;
    format!("  {name:<32} {workers:>7} {wall:>8} {spread:>17} {leaves:>9} {cases:>8} {cpu:>7} {host:>9} {peak:>9}\n")
}

/// The speed of each design relative to the baseline and to the floor.
fn conclusions(table: &BenchTable) -> String {
    let find = |role| table.lines.iter().find(|line| line.role == role).map(BenchLine::median);
    let (baseline, floor) = (find(BenchRole::Baseline), find(BenchRole::Floor));
    let designs = table.lines.iter().filter(|line| line.role == BenchRole::Design);
    designs.map(|line| conclusion(line, baseline, floor)).collect()
}

/// One design compared with the baseline and the floor; empty if there is neither.
fn conclusion(line: &BenchLine, baseline: Option<BenchRound>, floor: Option<BenchRound>) -> String {
    let own = line.median();
    let ratio = baseline.map(|baseline| {
        let cpu = baseline.cpu.zip(own.cpu).map(|((all, _), (own, _))| part(all, own));
        let cpu = cpu.map_or_else(String::new, |times| format!(" ({times:.1} times in processor time)"));
        format!("{:.1} times as fast as the baseline{cpu}", part(baseline.wall, own.wall))
    });
    let share = floor.map(|floor| {
        let cpu = floor.cpu.zip(own.cpu).map(|((least, _), (own, _))| 100.0 * part(least, own));
        let cpu = cpu.map_or_else(String::new, |share| format!(" ({share:.0}% in processor time)"));
        format!("{:.0}% of the floor{cpu}", 100.0 * part(floor.wall, own.wall))
    });

    let said: Vec<String> = ratio.into_iter().chain(share).collect();
    if said.is_empty() { String::new() } else { format!("  {}: {}\n\n", line.name, said.join(", ")) }
}

/// `part / whole`; 1 if `whole` is zero.
fn part(part: Duration, whole: Duration) -> f64 {
    if whole.is_zero() { 1.0 } else { part.as_secs_f64() / whole.as_secs_f64() }
}

#[expect(clippy::cast_precision_loss, reason = "counts of cases and leaves are far below 2^52")]
fn ratio(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn line(name: &str, role: BenchRole, walls: &[u64]) -> BenchLine {
        let round = |wall: &u64| BenchRound {
            wall: Duration::from_millis(*wall),
            leaves: 2600,
            cpu: Some((Duration::from_millis(2 * wall), Duration::from_millis(wall / 5))),
            peak_bytes: Some(50 << 20),
        };
        BenchLine { name: name.to_owned(), role, workers: 2, rounds: walls.iter().map(round).collect() }
    }

    fn table(lines: Vec<BenchLine>) -> BenchTable {
        BenchTable { subject: "lavapipe, uniform".to_owned(), cases: 100, cache: "no shader cache".to_owned(), lines }
    }

    const STYLE: Style = Style { colour: false, ascii: false };

    #[test]
    fn medians_ratios_and_the_share_of_the_floor() {
        let lines = vec![
            line("one pipeline per case", BenchRole::Baseline, &[2100, 1900, 2000]),
            line("fused by 32", BenchRole::Design, &[100, 90, 500]),
            line("floor of that, by 32", BenchRole::Floor, &[80, 80, 80]),
        ];
        expect![[r"
            lavapipe, uniform · 100 cases, 2600 leaves · no shader cache · medians of 3

              design                           workers  wall ms (fastest-slowest)  leaves/s  cases/s   CPU s  host CPU  peak MiB
              one pipeline per case                  2     2000       (1900-2100)      1300       50    4.00       10%        50
              fused by 32                            2      100          (90-500)     26000     1000    0.20       10%        50
              floor of that, by 32                   2       80           (80-80)     32500     1250    0.16       10%        50

              fused by 32: 20.0 times as fast as the baseline (20.0 times in processor time), 80% of the floor (80% in processor time)

        "]].assert_eq(&bench_table(&table(lines), STYLE));
    }

    #[test]
    fn a_design_alone_has_no_ratio() {
        let alone = BenchLine {
            rounds: vec![BenchRound { cpu: None, peak_bytes: None, ..line("", BenchRole::Design, &[7]).rounds[0] }],
            ..line("fused by 4", BenchRole::Design, &[7])
        };
        expect![[r"
            lavapipe, uniform · 100 cases, 2600 leaves · no shader cache · medians of 1

              design                           workers  wall ms (fastest-slowest)  leaves/s  cases/s   CPU s  host CPU  peak MiB
              fused by 4                             2        7             (7-7)    371429    14286       ?         ?         ?

        "]].assert_eq(&bench_table(&table(vec![alone]), STYLE));
    }
}
