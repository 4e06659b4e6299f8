//! Tables of `list`, `devices` and `doctor`.

use layoutproof_device::DeviceInfo;

use super::style::{Style, TextLines, Tone, one_line, pad, width};
use super::terminal;

/// A rule set as `list` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleSetLine {
    /// Name, dialect included.
    pub name: String,
    /// What it is, in a sentence.
    pub what: String,
    /// Where the rule is written down, or with what it was measured.
    pub source: String,
    /// A declaration with its numbers.
    pub example: String,
}

/// A case as `list` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseLine {
    /// Path without its ending.
    pub id: String,
    /// The claim.
    pub summary: String,
}

/// The state of something that `doctor` looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolHealth {
    /// Installed and working.
    Good,
    /// Not installed; fewer checks can run.
    Missing,
    /// Installed and not working.
    Broken,
    /// Something that the user should look at.
    Warning,
}

/// Something that `doctor` looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its state.
    pub health: ToolHealth,
    /// `Vulkan loader`, `dxc`, `spirv-val`.
    pub name: String,
    /// Version and place, or what went wrong.
    pub detail: String,
    /// What to do about it; empty for nothing.
    pub advice: String,
}

/// All rule sets, each with its source and its example below.
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

/// All cases with their claims, one a line.
pub fn cases(lines: &[CaseLine], style: Style) -> String {
    let columns = lines.iter().map(|line| width(&line.id)).max().unwrap_or(0);
    let mut text = TextLines::default();
    for line in lines {
        let id = style.paint(Tone::Strong, &pad(&line.id, columns));
        text.push(&format!("  {id}  {}", one_line(&line.summary)));
    }
    text.into_text()
}

/// All devices with the APIs through which they were found, and what each can do.
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
            device.runner.as_str(),
            device.max_uniform_range,
        ));
        text.push(&format!("    {features}"));
    }
    text.into_text()
}

/// The findings of `layoutproof doctor`, with advice below what is not good.
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
