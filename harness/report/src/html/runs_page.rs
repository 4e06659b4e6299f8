//! The page of `runs DIR --html`: what the history of the runs shows, and which machines answer alike.

use maud::{Markup, html};

use super::page_frame::PageFrame;
use crate::run_history::{Finding, RunHistory};
use crate::run_matrix::{Cell, MatrixRow, RunMatrix, names, without_device};
use layoutproof_show::style::{counted, grouped, one_line};

/// Rows and findings that the page has, and names in a row: a page of 200 machines and 20,000 checks stays small.
const SHOWN: usize = 500;
const NAMED: usize = 40;

/// The page. `quarantined` is the number of checks that are counted apart; `problems` are runs that are left out or not
/// complete.
pub fn runs_page(history: &RunHistory, findings: &[Finding], quarantined: usize, problems: &[String]) -> String {
    let matrix = history.matrix();
    let failures = findings.iter().filter(|finding| finding.is_failure()).count();
    let content = html! {
        section id="findings" {
            h2 { "Findings" }
            @if findings.is_empty() { p { "No check changed its answer." } }
            @for finding in findings.iter().take(SHOWN) {
                article.card {
                    h3 { (one_line(&history.heading(finding))) }
                    ul { @for line in history.details(finding) { li { (one_line(&line)) } } }
                }
            }
            (rest(findings.len(), "finding"))
        }
        (machines(&matrix))
    };
    let intro = html! {
        ul.totals {
            li { span class=(if failures == 0 { "badge agree" } else { "badge differ" }) { (counted(failures as u64, "finding")) } }
        }
        p.legend { (one_line(&history.summary(findings, quarantined))) }
        @if !problems.is_empty() { ul { @for problem in problems { li.bad { (one_line(problem)) } } } }
    };
    PageFrame { title: "History of runs", intro, content }.into_text()
}

fn machines(matrix: &RunMatrix) -> Markup {
    html! {
        section id="machines" {
            h2 { "Machines that answer alike" }
            ol { @for machines in &matrix.columns { li { (one_line(&names(machines))) } } }
            @if !matrix.rows.is_empty() {
                div.scroll tabindex="0" {
                    table.matrix {
                        thead {
                            tr {
                                th scope="col" { "checks" }
                                @for number in 1..=matrix.columns.len() { th scope="col" { (number) } }
                            }
                        }
                        tbody { @for row in matrix.rows.iter().take(SHOWN) { (matrix_row(row)) } }
                    }
                }
                (rest(matrix.rows.len(), "row"))
                p.legend { "✓ right · ≠ wrong, with a number for each way to be wrong · ? as often right as wrong · empty: not compared" }
            }
            p { (counted(matrix.right_everywhere as u64, "check")) " right on every machine." }
        }
    }
}

fn matrix_row(row: &MatrixRow) -> Markup {
    let MatrixRow { cells, checks } = row;
    html! {
        tr {
            th scope="row" {
                details {
                    summary { (counted(checks.len() as u64, "check")) " " code { (one_line(&without_device(&checks[0]))) } }
                    ul { @for check in checks.iter().take(NAMED) { li { code { (one_line(&without_device(check))) } } } }
                    @if checks.len() > NAMED { p { "and " (grouped((checks.len() - NAMED) as u64)) " more" } }
                }
            }
            @for cell in cells {
                @match cell {
                    Cell::NotCompared => td {},
                    Cell::Right => td.most { "✓" },
                    Cell::Wrong(fault) => td.other { "≠" (u32::from(*fault) + 1) },
                    Cell::Undecided => td.other { "?" },
                }
            }
        }
    }
}

/// How many the page leaves out.
fn rest(all: usize, noun: &str) -> Markup {
    html! { @if all > SHOWN { p { (counted((all - SHOWN) as u64, noun)) " more: " code { "--format json" } } } }
}
