//! Prints the tables of `list`, `devices` and `doctor`.

use layoutproof_device::DeviceInfo;

use super::terminal;
use layoutproof_show::style::{Style, TextLines, Tone, one_line, pad, width};

/// A rule set in the output of `list`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSetLine {
    /// The name, including the dialect.
    pub name: String,
    /// One sentence that describes the rule set.
    pub what: String,
    /// The specification that defines the rule, or the measurement that it comes from.
    pub source: String,
    /// An example declaration with its offsets and sizes.
    pub example: String,
}

/// A case in the output of `list`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseLine {
    /// The case file's path without its extension.
    pub id: String,
    /// The claim.
    pub summary: String,
}

/// The state of a tool or device that `doctor` checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolHealth {
    /// Installed and working.
    Good,
    /// Not installed; fewer checks can run.
    Missing,
    /// Installed but not working.
    Broken,
    /// Works, but needs the user's attention.
    Warning,
}

/// One result of `doctor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub health: ToolHealth,
    /// For example `Vulkan loader`, `dxc`, `spirv-val`.
    pub name: String,
    /// Version and path, or the error.
    pub detail: String,
    /// What to do about it. Empty if there is nothing to do.
    pub advice: String,
}

/// All rule sets, each followed by its source and its example.
pub fn rule_sets(lines: &[RuleSetLine], style: Style) -> String {
    let columns = lines.iter().map(|line| width(&line.name)).max().unwrap_or(0);
    let indent = " ".repeat(columns + 4);
    let mut text = TextLines::default();
    for line in lines {
        text.push(&format!("  {}  {}", style.paint(Tone::Strong, &pad(&line.name, columns)), line.what));
        for (label, value) in [("source ", &line.source), ("example", &line.example)] {
            if !value.is_empty() {
                text.push(&format!("{indent}{}  {value}", style.paint(Tone::Dim, label)));
            }
        }
    }
    text.into_text()
}

/// All cases with their claims, one per line.
pub fn cases(lines: &[CaseLine], style: Style) -> String {
    let columns = lines.iter().map(|line| width(&line.id)).max().unwrap_or(0);
    let mut text = TextLines::default();
    for line in lines {
        let id = style.paint(Tone::Strong, &pad(&line.id, columns));
        text.push(&format!("  {id}  {}", one_line(&line.summary)));
    }
    text.into_text()
}

/// All devices with the APIs that list them and their limits and features.
pub fn devices(devices: &[DeviceInfo], style: Style) -> String {
    let mut text = TextLines::default();
    text.append(&terminal::devices(devices, style));
    for device in devices {
        let features: Vec<String> = device.features.iter().map(ToString::to_string).collect();
        let features = if features.is_empty() { "no optional features".to_owned() } else { features.join(", ") };
        let push = match device.max_push_constants {
            0 => "no push constants".to_owned(),
            bytes => format!("push constants up to {bytes} bytes"),
        };
        let kind = if device.hardware { "hardware" } else { "software" };

        text.push("");
        text.push(&format!(
            "  {} via {}: {kind}; uniform blocks up to {} bytes, {push}",
            style.paint(Tone::Strong, &one_line(&device.id)),
            device.runner.title(),
            device.max_uniform_range,
        ));
        text.push(&format!("    {features}"));
        if let Some(what) = device.unfit() {
            text.push(&format!("    no check can run on it: it lacks {what}"));
        }
    }
    text.into_text()
}

/// The results of `layoutproof doctor`; everything that is not good is followed by advice.
pub fn doctor(findings: &[Finding], style: Style) -> String {
    let columns = findings.iter().map(|finding| width(&finding.name)).max().unwrap_or(0);
    let mut text = TextLines::default();
    for finding in findings {
        let (tone, word) = match finding.health {
            ToolHealth::Good => (Tone::Agree, "Found"),
            ToolHealth::Missing => (Tone::Skip, "Missing"),
            ToolHealth::Broken => (Tone::Disagree, "Broken"),
            ToolHealth::Warning => (Tone::Skip, "Warning"),
        };
        let name = pad(&finding.name, columns);
        text.push(&format!("{} {name}  {}", style.verb(tone, word), one_line(&finding.detail)));
        if !finding.advice.is_empty() {
            text.push(&format!("{}{}", " ".repeat(columns + 13), one_line(&finding.advice)));
        }
    }
    text.into_text()
}
