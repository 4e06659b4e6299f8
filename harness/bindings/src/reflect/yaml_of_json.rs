//! Prints the JSON of slangc's reflection as the tree of the reflection chapter, for files that only slangc reads.

use layoutproof_layout::LayoutUnit;
use layoutproof_layout::shape::Count;
use serde_json::Value;
use thiserror::Error;

use super::node::{NodeFields, ReflectionNode};
use super::spelling;
use super::yaml::{AccessPath, amounts, head, places, scalar_head};
use crate::Target;
use crate::tree::UnitOffset;

/// What the YAML of a program has and slangc's JSON does not state.
pub const NOT_IN_JSON: &str = "names of resource types, orders of matrices, the stages that use a parameter, \
     the cumulative offsets in entry points, and the constant buffers that slangc adds for loose parameters";

/// Prints slangc's JSON for a target as YAML, without [`NOT_IN_JSON`].
///
/// # Errors
/// The text is no JSON, or counts in a unit that is not known.
pub fn yaml_of_json(json: &str, target: Target) -> Result<String, JsonError> {
    let program: Value = serde_json::from_str(json)?;
    let reader = JsonReader { target };
    if let Some(word) = reader.unknown_unit(&program) {
        return Err(JsonError::UnknownUnit(word.to_owned()));
    }
    let entries = list(&program["entryPoints"]).map(|entry| reader.entry_point(entry).into()).collect();
    let globals = reader.variables(&program["parameters"], Some(&AccessPath::default()));
    let top = NodeFields::default()
        .with("global scope", NodeFields::default().with("parameters", globals))
        .with("entry points", ReflectionNode::List(entries));
    Ok(ReflectionNode::from(top).to_yaml())
}

#[derive(Debug, Error)]
pub enum JsonError {
    #[error("slangc's reflection is no JSON: {0}")]
    NoJson(#[from] serde_json::Error),
    #[error("slangc's reflection counts in `{0}`, a unit that is not known")]
    UnknownUnit(String),
}

struct JsonReader {
    target: Target,
}

impl JsonReader {
    /// The first word for a unit, of a place or a size, that is not known.
    fn unknown_unit<'v>(&self, value: &'v Value) -> Option<&'v str> {
        let Value::Object(fields) = value else { return list(value).find_map(|item| self.unknown_unit(item)) };
        fields.iter().find_map(|(key, value)| {
            let amounts = match key.as_str() {
                "binding" => std::slice::from_ref(value),
                "bindings" | "sizes" => value.as_array().map_or(&[][..], Vec::as_slice),
                _ => return self.unknown_unit(value),
            };
            amounts.iter().find_map(|amount| match amount["kind"].as_str() {
                Some(word) => self.unit(amount).is_none().then_some(word),
                // An entry point's list of the parameters that it uses.
                None => self.unknown_unit(amount),
            })
        })
    }

    fn entry_point(&self, entry: &Value) -> NodeFields {
        let axes = || {
            let axis = |index: usize| number(&entry["threadGroupSize"][index]);
            NodeFields::default().with("x", axis(0)).with("y", axis(1)).with("z", axis(2))
        };
        NodeFields::default()
            .with("name", text(&entry["name"]))
            .with_some("stage", entry["stage"].as_str().map(|stage| ReflectionNode::Bare(stage.to_owned())))
            .with_some("thread group size", entry["threadGroupSize"].is_array().then(axes))
            .with("parameters", self.variables(&entry["parameters"], None))
            .with_some("result", entry["result"].is_object().then(|| self.variable(&entry["result"], None)))
    }

    /// `path` leads to the enclosing variable; `None` below an array and in an entry point, whose resources count from a
    /// place that slangc does not state.
    fn variables(&self, variables: &Value, path: Option<&AccessPath<'_>>) -> ReflectionNode {
        ReflectionNode::List(list(variables).map(|variable| self.variable(variable, path).into()).collect())
    }

    fn variable(&self, variable: &Value, path: Option<&AccessPath<'_>>) -> NodeFields {
        let semantic = variable["semanticName"].as_str().map(|name| {
            let name = NodeFields::default().with("name", ReflectionNode::text(name));
            name.with("index", number(&variable["semanticIndex"]))
        });
        let own = self.offsets(variable);
        let inside = path.map(|path| path.to(&own));
        NodeFields::default()
            .with("name", text(&variable["name"]))
            .and(places(&own, path))
            .with_some("semantic", semantic)
            .with("type layout", self.type_layout(&variable["type"], inside.as_ref()))
    }

    /// The offsets of a variable, in slangc's order.
    fn offsets(&self, variable: &Value) -> Vec<UnitOffset> {
        let one = Some(&variable["binding"]).filter(|one| one.is_object());
        let offset = |binding: &Value| {
            let unit = self.unit(binding)?;
            let offset = number(&binding[if unit == LayoutUnit::Bytes { "offset" } else { "index" }]);
            Some(UnitOffset { unit, space: number(&binding["space"]), offset })
        };
        one.into_iter().chain(list(&variable["bindings"])).filter_map(offset).collect()
    }

    fn unit(&self, amount: &Value) -> Option<LayoutUnit> {
        spelling::unit_named(amount["kind"].as_str()?, self.target)
    }

    fn type_layout(&self, ty: &Value, path: Option<&AccessPath<'_>>) -> NodeFields {
        let none = NodeFields::default();
        let length = |key: &str| number(&ty[key]);
        let element_type = || NodeFields::default().with("element type", self.type_layout(&ty["elementType"], None));
        match ty["kind"].as_str().unwrap_or_default() {
            "scalar" => {
                let scalar = ty["scalarType"].as_str().and_then(spelling::scalar_named);
                scalar.map_or_else(|| NodeFields::kind("Scalar"), scalar_head).and(self.sizes(ty))
            }
            "vector" => {
                let head = head("vector", "Vector").with("element count", length("elementCount"));
                head.and(self.sizes(ty)).and(element_type())
            }
            "matrix" => {
                let head = head("matrix", "Matrix").with("row count", length("rowCount"));
                head.with("column count", length("columnCount")).and(self.sizes(ty)).and(element_type())
            }
            "array" => {
                // slangc prints 0 for an unsized array.
                let count = Some(length("elementCount")).filter(|count| *count > 0);
                let head = head("Array", "Array").with("element count", count.map_or(Count::Unbounded, Count::Finite));
                head.and(self.sizes(ty)).with("element type layout", self.type_layout(&ty["elementType"], None))
            }
            "struct" => {
                let head = none.with("name", text(&ty["name"])).with("kind", "Struct").and(self.sizes(ty));
                head.with("fields", self.variables(&ty["fields"], path))
            }
            "constantBuffer" => self.contained(ty, "ConstantBuffer", path),
            "parameterBlock" => self.contained(ty, "ParameterBlock", path),
            "textureBuffer" => self.contained(ty, "TextureBuffer", path),
            "samplerState" => NodeFields::kind("SamplerState").and(self.sizes(ty)),
            "resource" => self.resource(ty),
            "outputStream" => {
                let head = head("OutputStream", "OutputStream").and(self.sizes(ty));
                head.with("element type layout", self.type_layout(&ty["elementType"], None))
            }
            "pointer" => head("Ptr", "Pointer").and(self.sizes(ty)),
            kind => {
                let named = none.with_some("name", ty["name"].as_str().map(ReflectionNode::text));
                named.with("kind", ReflectionNode::Bare(kind.to_owned())).and(self.sizes(ty))
            }
        }
    }

    /// Prints sizes where slangc states them: not for the type of a vector's component.
    fn sizes(&self, ty: &Value) -> NodeFields {
        if !ty["sizes"].is_array() {
            return NodeFields::default();
        }
        let amount = |size: &Value| {
            let value = size["value"].as_u64().and_then(|value| u32::try_from(value).ok());
            Some((self.unit(size)?, value.map_or(Count::Unbounded, Count::Finite)))
        };
        let alignment = list(&ty["sizes"]).map(|size| number(&size["alignment"])).max().unwrap_or_default();
        amounts(&list(&ty["sizes"]).filter_map(amount).collect::<Vec<_>>(), alignment)
    }

    fn contained(&self, ty: &Value, kind: &'static str, path: Option<&AccessPath<'_>>) -> NodeFields {
        let own = self.offsets(&ty["containerVarLayout"]);
        let content = self.offsets(&ty["elementVarLayout"]);
        let around = path.cloned().map(|path| path.into_container(&own));
        let inner = path.cloned().map(|path| path.into_content(&own));
        let inside = inner.as_ref().map(|path| path.to(&content));
        let element = self.type_layout(&ty["elementVarLayout"]["type"], inside.as_ref());
        head(kind, kind)
            .and(self.sizes(ty))
            .with("container", places(&own, around.as_ref()))
            .with("element", places(&content, inner.as_ref()).with("type layout", element))
    }

    fn resource(&self, ty: &Value) -> NodeFields {
        let word = |word: &str| {
            ReflectionNode::Bare(if word == "subpassInput" { "TEXTURE_SUBPASS".to_owned() } else { words(word) })
        };
        let shape = ["feedback", "array", "multisample", "combined"].into_iter().zip(FLAGS);
        let base = ty["baseShape"].as_str().unwrap_or_default();
        let shape = shape.fold(NodeFields::default().with("base shape", word(base)), |shape, (key, flag)| {
            shape.with_some(flag, ty[key].as_bool())
        });
        let result = if base == "structuredBuffer" { "element type layout" } else { "result type" };
        let has_result = ty["resultType"].is_object();
        NodeFields::kind("Resource")
            .with("shape", shape)
            .with("access", word(ty["access"].as_str().unwrap_or("read")))
            .and(self.sizes(ty))
            .with_some(result, has_result.then(|| self.type_layout(&ty["resultType"], None)))
    }
}

const FLAGS: [&str; 4] = ["FEEDBACK", "ARRAY", "MULTISAMPLE", "COMBINED"];

/// The chapter's spelling of a word: `STRUCTURED_BUFFER` for `structuredBuffer`.
fn words(word: &str) -> String {
    let mut spelled = String::new();
    let mut last = ' ';
    for letter in word.chars() {
        if (letter.is_uppercase() || letter.is_ascii_digit()) && last.is_lowercase() {
            spelled.push('_');
        }
        spelled.extend(letter.to_uppercase());
        last = letter;
    }
    spelled
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// 0 if there is none, as slangc omits zeros.
fn number(value: &Value) -> u32 {
    value.as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or_default()
}

fn text(value: &Value) -> ReflectionNode {
    value.as_str().map_or(ReflectionNode::Null, ReflectionNode::text)
}
