//! Reads bindings from Slang's reflection: one row for each unit of each global parameter.

use layoutproof_layout::LayoutUnit;
use layoutproof_layout::shape::Count;
use serde::Deserialize;

use super::{Amount, count};
use crate::ReadError;

/// One unit of one global parameter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReflectedBinding {
    pub name: String,
    /// Never bytes.
    pub unit: LayoutUnit,
    /// Register space, descriptor set or group.
    pub space: u32,
    /// First index of the unit; `None` if slangc found no place after an unbounded array and writes
    /// `unbounded`.
    pub index: Option<u32>,
    pub count: Count,
}

#[derive(Deserialize)]
struct BindingsJson {
    #[serde(default)]
    parameters: Vec<ParameterJson>,
}

#[derive(Deserialize)]
struct ParameterJson {
    #[serde(default)]
    name: String,
    binding: Option<BindingJson>,
    #[serde(default)]
    bindings: Vec<BindingJson>,
}

#[derive(Deserialize)]
struct BindingJson {
    kind: String,
    #[serde(default)]
    space: u32,
    index: Option<Amount>,
    count: Option<Amount>,
}

/// The rows of the global parameters, in the order of the JSON.
pub fn parameters(json: &str) -> Result<Vec<ReflectedBinding>, ReadError> {
    let program: BindingsJson = serde_json::from_str(json)?;
    let mut rows = Vec::new();
    for parameter in program.parameters {
        for place in parameter.binding.into_iter().chain(parameter.bindings) {
            rows.extend(row(&parameter.name, &place)?);
        }
    }
    Ok(rows)
}

/// The row for one unit of a parameter; `None` for bytes.
fn row(name: &str, place: &BindingJson) -> Result<Option<ReflectedBinding>, ReadError> {
    let unit = match place.kind.as_str() {
        "uniform" => return Ok(None),
        "constantBuffer" => LayoutUnit::ConstantBuffer,
        "shaderResource" => LayoutUnit::ShaderResource,
        "unorderedAccess" => LayoutUnit::UnorderedAccess,
        "samplerState" => LayoutUnit::Sampler,
        "descriptorTableSlot" => LayoutUnit::Binding,
        "registerSpace" | "subElementRegisterSpace" => LayoutUnit::Space,
        "pushConstantBuffer" => LayoutUnit::PushConstant,
        "specializationConstant" => LayoutUnit::ConstantId,
        "inputAttachmentIndex" => LayoutUnit::InputAttachment,
        kind => {
            let problem = "has a binding of unknown kind";
            return Err(ReadError::Parameter { parameter: name.to_owned(), problem, word: kind.to_owned() });
        }
    };

    let taken = count(name, place.count.as_ref())?.unwrap_or(Count::Finite(1));
    let index = match count(name, place.index.as_ref())?.unwrap_or(Count::Finite(0)) {
        Count::Finite(index) => Some(index),
        Count::Unbounded => None,
    };
    Ok(Some(ReflectedBinding { name: name.to_owned(), unit, space: place.space, index, count: taken }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shortened from slangc 2026.14.1, `-target hlsl -profile sm_6_6`.
    const JSON: &str = r#"{"parameters": [
        {"name": "A", "binding": {"kind": "shaderResource", "index": 3}, "type": {"kind": "resource"}},
        {"name": "p", "binding": {"kind": "subElementRegisterSpace", "index": 1}, "type": {}},
        {"name": "s", "bindings": [{"kind": "samplerState", "index": 0},
                                   {"kind": "uniform", "offset": 0, "size": 16, "elementStride": 0}], "type": {}},
        {"name": "un", "binding": {"kind": "unorderedAccess", "space": 2, "index": 0, "count": "unbounded"}}],
        "entryPoints": []}"#;

    #[test]
    fn units_are_read_and_bytes_are_not() {
        use LayoutUnit::{Sampler, ShaderResource, Space, UnorderedAccess};
        let rows = parameters(JSON).unwrap();
        let told: Vec<_> = rows.iter().map(|r| (r.name.as_str(), r.unit, r.space, r.index, r.count)).collect();
        let expected = [
            ("A", ShaderResource, 0, Some(3), Count::Finite(1)),
            ("p", Space, 0, Some(1), Count::Finite(1)),
            ("s", Sampler, 0, Some(0), Count::Finite(1)),
            ("un", UnorderedAccess, 2, Some(0), Count::Unbounded),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(parameters("no JSON").is_err());
        assert!(parameters(&JSON.replace("samplerState", "spoon")).unwrap_err().to_string().contains("spoon"));
        assert!(parameters(&JSON.replace("unbounded", "unknown")).unwrap_err().to_string().contains("unknown"));
    }
}
