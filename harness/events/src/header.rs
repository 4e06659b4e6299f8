//! The first line of a records file: versions, devices and arguments; and the reasons why two runs
//! cannot be merged.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use layoutproof_device::DeviceInfo;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordsFilter {
    /// Every check with all of its numbers.
    #[default]
    Full,
    /// Every check, and the rows of those whose numbers say more than the outcome, see
    /// [`CheckRecord::needs_rows`](crate::CheckRecord::needs_rows). The end counts the leaves of all rows.
    Outcomes,
    /// Only checks that do not simply agree, see
    /// [`CheckRecord::is_kept_by`](crate::CheckRecord::is_kept_by). The end has totals of the
    /// others.
    Failures,
    /// Only checks that a device got wrong. The end has totals of the others, but not their cases.
    Devices,
}

impl RecordsFilter {
    pub fn is_full(&self) -> bool {
        *self == Self::Full
    }

    pub fn has_every_check(self) -> bool {
        match self {
            Self::Full | Self::Outcomes => true,
            Self::Failures | Self::Devices => false,
        }
    }
}

/// A build of a tool or compiler. Its text is the version, then the digest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ToolBuild {
    pub version: String,
    /// SHA-256 of its file, by which builds of one version differ; `None` for tools inside this
    /// program, for spirv-val, and for a file that cannot be read.
    pub sha256: Option<String>,
}

impl ToolBuild {
    pub fn of_version(version: &str) -> Self {
        Self { version: version.to_owned(), sha256: None }
    }
}

impl fmt::Display for ToolBuild {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.version)?;
        self.sha256.iter().try_for_each(|digest| write!(f, ", SHA-256 {digest}"))
    }
}

/// Where a run took place. Runs on two hosts are two histories, even if GPU and driver have the same names.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Host {
    /// Operating system and processor: `linux x86_64`; empty in a browser.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub system: String,
    /// The name that the user gave this machine, if any: nothing of the machine itself is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
}

impl Host {
    /// The system of this process.
    pub fn here(machine: Option<String>) -> Self {
        Self { system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH), machine }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.machine {
            Some(machine) => write!(f, "{machine}, {}", self.system),
            None => f.write_str(&self.system),
        }
    }
}

/// Versions and settings of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// [`SCHEMA`](crate::SCHEMA).
    pub schema: u32,
    pub layoutproof: String,
    #[serde(default)]
    pub host: Host,
    /// The devices, one entry per API that lists them.
    pub devices: Vec<DeviceInfo>,
    /// Tools by name (`spirv-val`, `naga`, `rspirv`), and the compilers of the run.
    pub tools: BTreeMap<String, ToolBuild>,
    /// Environment variables that configure drivers, if set.
    pub environment: BTreeMap<String, String>,
    /// Number of selected cases.
    pub cases: u32,
    /// Absent if the file holds everything.
    #[serde(default, skip_serializing_if = "RecordsFilter::is_full")]
    pub records: RecordsFilter,
    /// The command-line arguments that decide which checks exist and what they find, by option.
    /// Arguments about output files are not included.
    #[serde(default)]
    pub arguments: BTreeMap<String, Vec<String>>,
    /// The options for files of reports that the run writes at its end, such as `junit`, without the files' names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
    /// A hash of the run's input texts, in hexadecimal digits: cases, shader files, lists of known
    /// differences.
    #[serde(default)]
    pub inputs: String,
}

/// Options that decide how long a run waits, and nothing about what it checks.
const LIMITS: [&str; 2] = ["time_limit", "compile_limit"];

impl RunHeader {
    /// The reasons why the records of `other` belong to another run, a sentence each.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let mut found = Vec::new();
        let compare = |found: &mut Vec<String>, what: &str, here: &str, there: &str| {
            if here != there {
                found.push(format!("{what}: `{there}` there, `{here}` here"));
            }
        };
        compare(&mut found, "layoutproof", &self.layoutproof, &other.layoutproof);
        compare(&mut found, "machine", &self.host.to_string(), &other.host.to_string());
        let arguments = |header: &Self| {
            let joined = |(option, values): (&String, &Vec<String>)| (option.clone(), values.join(","));
            let selects = |(option, _): &(&String, _)| !is_limit(option);
            header.arguments.iter().filter(selects).map(joined).collect::<BTreeMap<_, _>>()
        };
        let has_same_arguments = arguments(self) == arguments(other);
        let tools = |header: &Self| {
            let text = |(tool, build): (&String, &ToolBuild)| (tool.clone(), build.to_string());
            header.tools.iter().map(text).collect::<BTreeMap<_, _>>()
        };
        for (what, here, there) in [
            ("argument", &arguments(self), &arguments(other)),
            ("device", &by_place(&self.devices), &by_place(&other.devices)),
            ("tool", &tools(self), &tools(other)),
            ("variable", &self.environment, &other.environment),
        ] {
            let names: BTreeSet<&String> = here.keys().chain(there.keys()).collect();
            for name in names {
                // All facts about a device are many lines, and say nothing about one that is missing.
                if let ("device", Some(place)) = (what, only_side(here.contains_key(name), there.contains_key(name))) {
                    found.push(format!("{what} {name}: only {place}"));
                    continue;
                }
                let [here, there] = [here, there].map(|map| map.get(name).map_or("nothing", String::as_str));
                compare(&mut found, &format!("{what} {name}"), here, there);
            }
        }
        compare(&mut found, "cases", &self.cases.to_string(), &other.cases.to_string());
        if has_same_arguments {
            // If options differ, the texts differ as a consequence.
            compare(&mut found, "texts of cases, files and lists", &self.inputs, &other.inputs);
        }
        found
    }
}

fn only_side(is_here: bool, is_there: bool) -> Option<&'static str> {
    match (is_here, is_there) {
        (true, false) => Some("here"),
        (false, true) => Some("there"),
        (true, true) | (false, false) => None,
    }
}

/// True for an option of a run that decides neither which checks exist nor what they find.
pub fn is_limit(option: &str) -> bool {
    LIMITS.contains(&option)
}

/// All facts about each device, by `id via runner`.
fn by_place(devices: &[DeviceInfo]) -> BTreeMap<String, String> {
    let text = |device: &DeviceInfo| {
        let DeviceInfo { name, driver, api, index, features, max_uniform_range, max_push_constants, .. } = device;
        let features: Vec<String> = features.iter().map(ToString::to_string).collect();
        let limits = format!("uniform {max_uniform_range}, push constants {max_push_constants}");
        format!("{name}, {driver}, {api}, number {index}, {limits}, {}", features.join("+"))
    };
    devices.iter().map(|device| (format!("{} via {}", device.id, device.runner.title()), text(device))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use layoutproof_device::Runner;
    use layoutproof_model::Model;

    fn header() -> RunHeader {
        RunHeader {
            schema: 1,
            layoutproof: "0.1.0".to_owned(),
            host: Host::default(),
            devices: vec![Model::new().device().clone()],
            tools: BTreeMap::from([("naga".to_owned(), ToolBuild::of_version("30.0.1"))]),
            environment: BTreeMap::new(),
            cases: 3,
            records: RecordsFilter::Full,
            arguments: BTreeMap::from([("rules".to_owned(), vec!["std140".to_owned(), "scalar".to_owned()])]),
            outputs: Vec::new(),
            inputs: "0123".to_owned(),
        }
    }

    /// A run that was cut short may be resumed with other time limits, and write other files.
    #[test]
    fn limits_and_outputs_make_no_other_run() {
        let mut there = header();
        there.arguments.insert("time_limit".to_owned(), vec!["30".to_owned()]);
        there.outputs.push("junit".to_owned());
        assert_eq!(header().differences(&there), Vec::<String>::new());
        there.inputs = "4567".to_owned();
        assert_eq!(header().differences(&there), ["texts of cases, files and lists: `4567` there, `0123` here"]);
    }

    /// What a device can do fills many lines, and is no news of one that is missing.
    #[test]
    fn a_missing_device_is_named_alone() {
        let there = RunHeader { devices: Vec::new(), ..header() };
        assert_eq!(header().differences(&there), ["device model via model: only here"]);
        assert_eq!(there.differences(&header()), ["device model via model: only there"]);
    }

    #[test]
    fn every_key_counts() {
        let here = header();
        assert_eq!(here.differences(&here), Vec::<String>::new());
        let mut there = header();
        there.layoutproof = "0.0.9".to_owned();
        there.arguments = BTreeMap::from([("rules".to_owned(), vec!["std140".to_owned()])]);
        there.tools.insert("rspirv".to_owned(), ToolBuild::of_version("0.13.0"));
        there.environment.insert("GALLIVM_PERF".to_owned(), "nopt".to_owned());
        there.cases = 2;
        there.inputs = "4567".to_owned();
        let expected = [
            "layoutproof: `0.0.9` there, `0.1.0` here",
            "argument rules: `std140` there, `std140,scalar` here",
            "tool rspirv: `0.13.0` there, `nothing` here",
            "variable GALLIVM_PERF: `nopt` there, `nothing` here",
            "cases: `2` there, `3` here",
        ];
        assert_eq!(here.differences(&there), expected);
    }

    #[test]
    fn another_driver_is_another_device() {
        let mut there = header();
        there.devices[0].driver = "layoutproof 0.0.9".to_owned();
        let found = header().differences(&there);
        assert!(found.len() == 1 && found[0].starts_with("device model via model: `"), "{found:?}");
        assert!(found[0].contains("layoutproof 0.0.9"), "{found:?}");
    }

    #[test]
    fn other_texts_are_another_run() {
        let there = RunHeader { inputs: "4567".to_owned(), ..header() };
        assert_eq!(header().differences(&there), ["texts of cases, files and lists: `4567` there, `0123` here"]);
    }
}
