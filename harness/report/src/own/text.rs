//! The execution of a module as text for people.

use std::fmt::Write as _;

use layoutproof_readers::spirv::accesses::own_images::OwnImageKind;
use layoutproof_readers::spirv::accesses::own_log::Observed;
use layoutproof_show::style::{Style, Tone, one_line};

use super::{OwnOutcome, OwnReport, PlainRun};
use crate::accesses::{accesses, add_rows};

/// What the module did on each device, and a summary. `is_whole` lists all accesses.
pub fn text(report: &OwnReport, style: Style, is_whole: bool) -> String {
    let mut text = String::new();
    let compiler = report.compiler.as_ref().map(|it| format!(" {} {it}", style.dot())).unwrap_or_default();
    let [x, y, z] = report.dispatch;
    let title = format!("{}{compiler} {} {} {x}x{y}x{z} workgroups", report.file, style.dot(), report.module.entry);
    let _ = writeln!(text, "{}\n", style.paint(Tone::Strong, &one_line(&title)));
    for (buffer, (size, is_chosen)) in report.module.buffers.iter().zip(&report.sizes) {
        let chosen = if *is_chosen || buffer.unsized_array.is_none() { "" } else { ", a size that nothing states" };
        let _ = writeln!(text, "  {} {}: {size} bytes{chosen}", buffer.kind.as_str(), one_line(&buffer.name));
    }
    for image in &report.module.images {
        let what = match image.kind {
            OwnImageKind::Sampler { .. } => "sampler",
            OwnImageKind::Image { .. } => "image",
        };
        let _ = writeln!(text, "  {what} {}: made", one_line(&image.name));
    }
    text.push('\n');
    let first = report.devices.iter().find_map(|device| match &device.outcome {
        OwnOutcome::Ran { log, .. } => Some(&log.sites),
        OwnOutcome::Skipped(_) | OwnOutcome::Broken(_) => None,
    });
    if let Some(observed) = first {
        add_sites(&mut text, report, observed, is_whole);
    }
    if let Some(invalid) = &report.invalid {
        let word = style.paint(Tone::Disagree, report.invalid_culprit().as_str());
        let _ = writeln!(text, "{word}: spirv-val rejects the module: {}", one_line(invalid));
    }
    if let Some(reason) = &report.not_validated {
        let _ = writeln!(text, "not validated: {}", one_line(reason));
    }
    for (fault, sentence) in report.static_faults() {
        let word = style.paint(Tone::Disagree, "your code");
        let _ = writeln!(text, "{word} ({}): {}", fault.kind.name(), one_line(&sentence));
        if let Some(place) = &fault.place {
            let _ = writeln!(text, "  at {}", one_line(&place.to_string()));
        }
    }
    for device in &report.devices {
        let name = one_line(&device.name);
        match &device.outcome {
            OwnOutcome::Skipped(reason) => {
                let _ = writeln!(text, "{}: {name}: {}", style.paint(Tone::Skip, "skipped"), one_line(reason));
            }
            OwnOutcome::Broken(reason) => {
                let _ = writeln!(text, "{}: {name}: {}", style.paint(Tone::Disagree, "broken"), one_line(reason));
            }
            OwnOutcome::Ran { log, differences, plain } => {
                for difference in differences {
                    let (tone, word) = match difference.culprit() {
                        Some(culprit) => (Tone::Disagree, culprit.as_str()),
                        None => (Tone::Skip, "open"),
                    };
                    let word = style.paint(tone, word);
                    let said = one_line(&report.difference_text(difference));
                    let _ = writeln!(text, "{word} ({}): {name}: {said}", difference.name());
                    if let Some(place) = report.place_of(difference) {
                        let _ = writeln!(text, "  at {}", one_line(&place.to_string()));
                    }
                }
                let total: u64 = log.sites.iter().map(|site| u64::from(site.count)).sum();
                if log.lost > 0 {
                    let word = style.paint(Tone::Skip, "open");
                    let lost = accesses(log.lost.into());
                    let _ = writeln!(
                        text,
                        "{word}: {name}: the log is full, {lost} are not in it: dispatch fewer workgroups"
                    );
                }
                let plain = match plain {
                    PlainRun::Same => "without the log it writes the same bytes".to_owned(),
                    PlainRun::Differs => "without the log it writes other bytes".to_owned(),
                    PlainRun::Varies => {
                        "two runs without the log write different bytes, so none are compared".to_owned()
                    }
                    PlainRun::Broken(reason) => {
                        let word = style.paint(Tone::Disagree, "broken");
                        format!("without the log it is {word}: {}", one_line(reason))
                    }
                    PlainRun::NoBuffer => "not run without the log, because it has no buffer to compare".to_owned(),
                    PlainRun::NotRun => {
                        "not run without the log, because an access was caught or not logged".to_owned()
                    }
                };
                let _ = writeln!(text, "{name}: {} executed, {plain}", accesses(total));
            }
        }
    }
    for (reason, count) in &report.module.not_logged {
        let _ = writeln!(text, "not logged: {count}, {}", reason.reason());
    }
    let tone = match () {
        () if report.fails() => Tone::Disagree,
        () if report.ran() > 0 && !report.is_open() => Tone::Agree,
        () => Tone::Skip,
    };
    text.push('\n');
    text + &style.paint(tone, &one_line(&report.headline())) + "\n"
}

fn add_sites(text: &mut String, report: &OwnReport, observed: &[Observed], is_whole: bool) {
    let mut rows: Vec<[String; 4]> = Vec::new();
    for (site, seen) in (0..).zip(observed) {
        let at = match (seen.count, seen.least == seen.most) {
            (0, _) => "never".to_owned(),
            (_, true) => format!("byte {}", seen.least),
            (_, false) => format!("bytes {} to {}", seen.least, seen.most),
        };
        let mut expected = report.access(site).map(|access| access.at.to_string()).unwrap_or_default();
        if let Some((name, least, most)) = &seen.filled {
            let to = if least == most { String::new() } else { format!(" to {most}") };
            let _ = write!(expected, ", {name} = {least}{to}");
        }
        let place = report.place(site).map(ToString::to_string).unwrap_or_default();
        rows.push([report.access_name(site), at, expected, place].map(|cell| one_line(&cell)));
    }
    add_rows(text, &rows, is_whole);
}
