//! Checks against machines: which GPUs with which drivers answer alike. `layoutproof runs DIR --matrix`.
//!
//! A column is a set of machines (a device with a driver) that answer all checks alike, a row a set of checks with the
//! same answers on every machine. Checks that are right on every machine have no row.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use layoutproof_events::CheckId;
use layoutproof_show::style::{counted, grouped, one_line};
use serde_json::{Value, json};

/// Machines of one device, or checks of one row, that the text names.
const SHOWN: usize = 3;

/// The answer of a machine to a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Cell {
    #[default]
    NotCompared,
    Right,
    /// With the number of the fault among those of the check, from 0.
    Wrong(u8),
    /// As many runs were right as wrong.
    Undecided,
}

impl Cell {
    fn letter(self) -> char {
        match self {
            Self::NotCompared => ' ',
            Self::Right => '.',
            Self::Wrong(fault) => "xyzuvw".chars().nth(fault.into()).unwrap_or('w'),
            Self::Undecided => '?',
        }
    }

    fn word(self) -> Value {
        match self {
            Self::NotCompared => Value::Null,
            Self::Right => "right".into(),
            Self::Wrong(fault) => format!("wrong-{}", fault + 1).into(),
            Self::Undecided => "undecided".into(),
        }
    }
}

/// A device with a driver.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Machine {
    /// `alpha via Vulkan`, with its host if there are several.
    pub(crate) device: String,
    pub(crate) driver: String,
}

#[derive(Debug)]
pub struct RunMatrix {
    /// Machines that answer alike.
    pub(crate) columns: Vec<Vec<Machine>>,
    pub(crate) rows: Vec<MatrixRow>,
    pub(crate) right_everywhere: usize,
}

#[derive(Debug)]
pub(crate) struct MatrixRow {
    /// By column.
    pub(crate) cells: Vec<Cell>,
    /// Without their device.
    pub(crate) checks: Vec<CheckId>,
}

impl RunMatrix {
    /// `answers` are those of each machine, whose place is in `machines`, to each check.
    pub(crate) fn new(machines: &[Machine], answers: BTreeMap<CheckId, BTreeMap<usize, Cell>>) -> Self {
        let total = answers.len();
        let is_right = |cells: &BTreeMap<usize, Cell>| cells.values().all(|cell| *cell == Cell::Right);
        let odd: Vec<(CheckId, BTreeMap<usize, Cell>)> =
            answers.into_iter().filter(|(_, cells)| !is_right(cells)).collect();
        let mut columns: BTreeMap<Vec<Cell>, Vec<usize>> = BTreeMap::new();
        for machine in 0..machines.len() {
            let column = odd.iter().map(|(_, cells)| cells.get(&machine).copied().unwrap_or_default()).collect();
            columns.entry(column).or_default().push(machine);
        }
        let mut columns: Vec<(Vec<Cell>, Vec<usize>)> = columns.into_iter().collect();
        columns.sort_by_key(|(_, machines)| machines[0]);

        let mut rows: BTreeMap<Vec<Cell>, Vec<CheckId>> = BTreeMap::new();
        for (place, (check, _)) in odd.into_iter().enumerate() {
            let cells = columns.iter().map(|(column, _)| column[place]).collect();
            rows.entry(cells).or_default().push(check);
        }
        let right_everywhere = total - rows.values().map(Vec::len).sum::<usize>();
        let mut rows: Vec<MatrixRow> = rows.into_iter().map(|(cells, checks)| MatrixRow { cells, checks }).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.checks.len()));
        let named = columns.into_iter().map(|(_, places)| places.into_iter().map(|place| machines[place].clone()));
        Self { columns: named.map(Iterator::collect).collect(), rows, right_everywhere }
    }

    /// A line for each column, then a line for each row.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (number, machines) in (1..).zip(&self.columns) {
            let _ = writeln!(text, "{number:>3}  {}", one_line(&names(machines)));
        }
        if !self.rows.is_empty() {
            text += "\nchecks ";
            for number in 1..=self.columns.len() {
                let _ = write!(text, "{number:>4}");
            }
            text.push('\n');
        }
        for MatrixRow { cells, checks } in &self.rows {
            let _ = write!(text, "{:>6} ", grouped(checks.len() as u64));
            for cell in cells {
                let _ = write!(text, "{:>4}", cell.letter());
            }
            let first = without_device(&checks[0]);
            let more = checks.len() - 1;
            let more = if more > 0 { format!(", {} more", grouped(more as u64)) } else { String::new() };
            let _ = writeln!(text, "   {}{more}", one_line(&first));
        }
        if !self.rows.is_empty() {
            text += "\n. right  x y z wrong in different ways  ? as often right as wrong\n";
        }
        let right = counted(self.right_everywhere as u64, "check");
        let _ = writeln!(text, "{right} right on every machine");
        text
    }

    pub fn json(&self) -> Value {
        let machine = |machine: &Machine| json!({"device": machine.device, "driver": machine.driver});
        let row = |row: &MatrixRow| {
            json!({
                "cells": row.cells.iter().map(|cell| cell.word()).collect::<Vec<_>>(),
                "checks": row.checks.iter().map(without_device).collect::<Vec<_>>(),
            })
        };
        json!({
            "columns": self.columns.iter().map(|machines| machines.iter().map(machine).collect()).collect::<Vec<Value>>(),
            "rows": self.rows.iter().map(row).collect::<Vec<_>>(),
            "right_everywhere": self.right_everywhere,
        })
    }
}

/// `arrays::floats::std140::naga`.
pub(crate) fn without_device(check: &CheckId) -> String {
    check.to_string().trim_end_matches("::none::none").to_owned()
}

/// `alpha via Vulkan: Mesa 25.0, Mesa 25.1 and 3 more; beta via Vulkan: ...`.
pub(crate) fn names(machines: &[Machine]) -> String {
    let of_devices = machines.chunk_by(|one, other| one.device == other.device).map(|machines| {
        let drivers: Vec<&str> = machines.iter().take(SHOWN).map(|machine| machine.driver.as_str()).collect();
        let more = machines.len() - drivers.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}: {}{more}", machines[0].device, drivers.join(", "))
    });
    of_devices.collect::<Vec<_>>().join("; ")
}
