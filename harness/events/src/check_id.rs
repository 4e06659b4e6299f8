//! The identity of a check: the case, the rules, the producer and the device.
//!
//! People type these names to select trials, lists hold them, and records refer to checks by them.
//! Everything else compares the parts. Only this module joins and splits the text
//! `folder::case::rules::producer::device::runner`.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use layoutproof_bindings::request::parse_convention;
use layoutproof_bindings::{BindingRequest, Convention, Target};
use layoutproof_device::{DeviceInfo, RunnerKind};
use layoutproof_layout::{Column, RuleSet, find};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use crate::compare_by::compare_by;
use crate::producer::Producer;

/// The word for a producer, a device or an API that a check does not have.
const NONE: &str = "none";

/// Separates the parts of a name, and the folders of its case.
const SEPARATOR: &str = "::";

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CheckId {
    /// Case id, or file name for a user's file.
    pub case: String,
    pub rules: CheckRules,
    pub producer: ShaderMaker,
    /// `None` for a check that needs no device.
    pub device: Option<CheckDevice>,
}

#[derive(Clone, Debug)]
pub enum CheckRules {
    /// Offsets under the rule set of this name. Another version of this program may have others.
    Layout(String),
    Bindings(BindingRules),
}

/// Bindings on a target by a convention, which may be that of one version of its compiler.
#[derive(Clone, Debug)]
pub struct BindingRules {
    pub target: Target,
    pub convention: Convention,
    pub version: Option<String>,
    /// The parts above in one word, which reports borrow in many places.
    name: String,
}

#[derive(Clone, Debug)]
pub enum ShaderMaker {
    /// No shader takes part: the check compares a case with our rules.
    NoShader,
    Producer(Producer),
    /// A producer that only another version of this program has.
    Unknown(String),
}

/// A device, as one API lists it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CheckDevice {
    pub id: String,
    pub runner: RunnerKind,
}

/// A text that is not the name of a check.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CheckIdError {
    #[error("`{0}` is not the name of a check: it needs a case, rules, a producer, a device and an API")]
    TooFewParts(String),
    #[error("`{name}` is not the name of a check: no API is called `{api}`")]
    UnknownApi { name: String, api: String },
}

impl CheckId {
    /// The id that this one's name reads as. It differs only if the name of a file contains the
    /// separator.
    #[must_use]
    pub fn as_typed(&self) -> Cow<'_, Self> {
        if self.case.contains(SEPARATOR) {
            Cow::Owned(Self { case: self.case.replace(SEPARATOR, "/"), ..self.clone() })
        } else {
            Cow::Borrowed(self)
        }
    }

    /// The target and the compiler that the check is about; `None` if one of our generators wrote the
    /// shaders, or a compiler that only another version knows.
    pub fn column(&self) -> Option<Column<'_>> {
        match (&self.rules, self.producer.producer()) {
            (CheckRules::Bindings(BindingRules { target, convention, version, .. }), _) => {
                let column = Column::new((*target).into(), convention.compiler());
                Some(Column { version: version.as_deref(), ..column })
            }
            (CheckRules::Layout(_), Some(Producer::Compiler(toolchain))) => toolchain.column(),
            (CheckRules::Layout(_), Some(Producer::Generator(_)) | None) => None,
        }
    }

    /// The compiler or generator that laid out the blocks, as titles name it: `D3D12 · DXC`, `our SPIR-V`.
    pub fn title(&self) -> String {
        self.column().map_or_else(|| self.producer.title(), |column| column.to_string())
    }

    /// True if the check ran on this device, through this API.
    pub fn is_on(&self, device: &DeviceInfo) -> bool {
        self.device.as_ref().is_some_and(|own| own.id == device.id && own.runner == device.runner)
    }
}

impl fmt::Display for CheckId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { case, rules, producer, device } = self;
        let case = case.replace('/', SEPARATOR);
        let (device, runner) =
            device.as_ref().map_or((NONE, NONE), |device| (device.id.as_str(), device.runner.as_str()));
        write!(f, "{case}::{rules}::{producer}::{device}::{runner}")
    }
}

impl FromStr for CheckId {
    type Err = CheckIdError;

    fn from_str(name: &str) -> Result<Self, CheckIdError> {
        let mut parts = name.rsplitn(5, SEPARATOR);
        let [runner, device, producer, rules, case] = std::array::from_fn(|_| parts.next());
        let (Some(runner), Some(device), Some(producer), Some(rules), Some(case)) =
            (runner, device, producer, rules, case)
        else {
            return Err(CheckIdError::TooFewParts(name.to_owned()));
        };

        let device = if device == NONE {
            None
        } else {
            let api = RunnerKind::ALL.iter().find(|api| api.as_str() == runner);
            let runner =
                *api.ok_or_else(|| CheckIdError::UnknownApi { name: name.to_owned(), api: runner.to_owned() })?;
            Some(CheckDevice { id: device.to_owned(), runner })
        };
        let case = case.replace(SEPARATOR, "/");
        Ok(Self { case, rules: rules.into(), producer: producer.into(), device })
    }
}

impl CheckRules {
    /// The name in check names and records: `std140`, `vulkan.dxc@1.9`.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Layout(name) => name,
            Self::Bindings(rules) => &rules.name,
        }
    }

    /// The rule set, if this version has it.
    pub fn rule_set(&self) -> Option<&'static RuleSet> {
        match self {
            Self::Layout(name) => find(name),
            Self::Bindings(_) => None,
        }
    }
}

impl From<&BindingRequest> for CheckRules {
    fn from(request: &BindingRequest) -> Self {
        let BindingRequest { target, convention, version, .. } = request;
        let (target, convention, version) = (*target, *convention, version.clone());
        Self::Bindings(BindingRules { target, convention, version, name: request.name() })
    }
}

impl From<&str> for CheckRules {
    fn from(name: &str) -> Self {
        let bindings = name.split_once('.').and_then(|(target, convention)| {
            let target = Target::ALL.into_iter().find(|known| known.as_str() == target)?;
            let (convention, version) = parse_convention(convention)?;
            Some(Self::Bindings(BindingRules { target, convention, version, name: name.to_owned() }))
        });
        bindings.unwrap_or_else(|| Self::Layout(name.to_owned()))
    }
}

impl fmt::Display for CheckRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl ShaderMaker {
    pub fn as_str(&self) -> &str {
        match self {
            Self::NoShader => NONE,
            Self::Producer(producer) => producer.as_str(),
            Self::Unknown(name) => name,
        }
    }

    pub fn title(&self) -> String {
        match self {
            Self::NoShader => "no shader".to_owned(),
            Self::Producer(producer) => producer.title(),
            Self::Unknown(name) => name.clone(),
        }
    }

    /// The producer, if the check has one and this version knows it.
    pub fn producer(&self) -> Option<Producer> {
        match self {
            Self::Producer(producer) => Some(*producer),
            Self::NoShader | Self::Unknown(_) => None,
        }
    }
}

impl fmt::Display for ShaderMaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<&str> for ShaderMaker {
    fn from(name: &str) -> Self {
        match Producer::named(name) {
            Some(producer) => Self::Producer(producer),
            None if name == NONE => Self::NoShader,
            None => Self::Unknown(name.to_owned()),
        }
    }
}

impl From<Producer> for ShaderMaker {
    fn from(producer: Producer) -> Self {
        Self::Producer(producer)
    }
}

impl From<&DeviceInfo> for CheckDevice {
    fn from(device: &DeviceInfo) -> Self {
        Self { id: device.id.clone(), runner: device.runner }
    }
}

/// `lavapipe via Vulkan`
impl fmt::Display for CheckDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} via {}", self.id, self.runner.title())
    }
}

impl CheckDevice {
    /// The name in the last line of records: `lavapipe via ash`.
    pub fn name_in_records(&self) -> String {
        format!("{} via {}", self.id, self.runner.as_str())
    }

    /// The device of this name in the last line of records.
    pub fn of_records(name: &str) -> Option<Self> {
        let (id, runner) = name.rsplit_once(" via ")?;
        let runner = *RunnerKind::ALL.iter().find(|api| api.as_str() == runner)?;
        Some(Self { id: id.to_owned(), runner })
    }
}

/// Saves the name, and hashes it like `compare_by`.
macro_rules! is_its_name {
    ($($type:ty),*) => {$(
        impl Hash for $type {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.as_str().hash(state);
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer).map(|name| name.as_str().into())
            }
        }
    )*};
}

is_its_name!(CheckRules, ShaderMaker);
// As reports sort.
compare_by!(as_str: CheckRules, ShaderMaker);

impl Serialize for CheckId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CheckId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_reads_as_the_check_that_it_names() {
        for name in [
            "arrays::a::std140::rspirv::lavapipe::ash",
            "a::b::scalar@dxc::dxc-1.9-spirv-dx::swiftshader::ash",
            "a::b::d3d12.dxc@1.7.2308::dxc-dxil::warp::d3d12",
            "a::b::vulkan.slang-documented::none::none::none",
            "a.hlsl::rules-of-tomorrow::producer-of-tomorrow::model::model",
            "a::vulkan.tomorrow::rspirv::model::model",
        ] {
            let id: CheckId = name.parse().unwrap();
            assert_eq!(id.to_string(), name);
        }
    }

    #[test]
    fn parts_have_types() {
        let id: CheckId = "a::b::vulkan.dxc@1.9::none::none::none".parse().unwrap();
        assert_eq!((id.case.as_str(), id.device), ("a/b", None));
        assert!(matches!(id.producer, ShaderMaker::NoShader));
        let CheckRules::Bindings(rules) = id.rules else { panic!("{:?}", id.rules) };
        assert_eq!(
            (rules.target, rules.convention, rules.version.as_deref()),
            (Target::Vulkan, Convention::Dxc, Some("1.9"))
        );
    }

    #[test]
    fn other_texts_are_refused() {
        let error = |name: &str| name.parse::<CheckId>().unwrap_err();
        assert_eq!(error("b::std140::rspirv::model"), CheckIdError::TooFewParts("b::std140::rspirv::model".to_owned()));
        let name = "a::b::std140::rspirv::model::abacus";
        assert_eq!(error(name), CheckIdError::UnknownApi { name: name.to_owned(), api: "abacus".to_owned() });
    }
}
