//! Reads offsets, sizes and strides of a block's members, in bytes, from Slang's reflection.
//!
//! Slang states no stride and no order for matrices, so only the first element of a matrix has an
//! offset.

use std::borrow::Cow;

use layoutproof_layout::{Numbers, Quantity, join};
use serde::Deserialize;

use super::{Amount, finite};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LayoutsJson {
    #[serde(default)]
    pub(super) parameters: Vec<VariableJson>,
    #[serde(default)]
    pub(super) entry_points: Vec<EntryPointJson>,
}

#[derive(Deserialize)]
pub(super) struct EntryPointJson {
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) parameters: Vec<VariableJson>,
    pub(super) result: Option<VariableJson>,
}

/// A parameter, a field, or the element of a container.
#[derive(Deserialize)]
pub(super) struct VariableJson {
    #[serde(default)]
    pub(super) name: String,
    binding: Option<VariablePlaceJson>,
    #[serde(default)]
    bindings: Vec<VariablePlaceJson>,
    #[serde(rename = "type", default)]
    pub(super) ty: TypeJson,
}

/// The place in one unit: an offset and a size in bytes, or an index and a count.
#[derive(Deserialize)]
pub(super) struct VariablePlaceJson {
    pub(super) kind: String,
    pub(super) offset: Option<Amount>,
    pub(super) size: Option<Amount>,
    pub(super) space: Option<Amount>,
    pub(super) index: Option<Amount>,
    pub(super) count: Option<Amount>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TypeJson {
    #[serde(default)]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) fields: Vec<VariableJson>,
    pub(super) element_type: Option<Box<TypeJson>>,
    /// 0 for an array without an end.
    pub(super) element_count: Option<Amount>,
    pub(super) row_count: Option<Amount>,
    pub(super) column_count: Option<Amount>,
    pub(super) scalar_type: Option<String>,
    pub(super) uniform_stride: Option<Amount>,
    /// For a structured buffer.
    pub(super) result_type: Option<Box<TypeJson>>,
    base_shape: Option<String>,
    /// The element of a constant buffer, with offsets from its own start; in `elementType` they
    /// include the container's.
    pub(super) element_var_layout: Option<Box<VariableJson>>,
    /// The units that a constant buffer or parameter block takes itself.
    pub(super) container_var_layout: Option<Box<VariableJson>>,
    #[serde(default)]
    sizes: Vec<Size>,
}

#[derive(Deserialize)]
struct Size {
    kind: String,
    value: Option<Amount>,
    alignment: Option<Amount>,
}

#[derive(Clone, Copy)]
pub(super) struct ByteSize {
    /// `None` without an end.
    pub(super) size: Option<u32>,
    pub(super) alignment: u32,
}

/// The name of the block of loose global parameters.
pub(super) const GLOBALS: &str = "$Globals";

/// The prefix for the names of blocks of an entry point's uniform parameters.
pub(super) const ENTRY: &str = "$Entry.";

/// The base of a struct, as Slang names it.
pub(super) const BASE: &str = "$base";

/// The numbers in the JSON for the block with this name: `S`, `N::S`, `p.inner` for a nested
/// parameter block, `$Globals`, `$Entry.main`. Empty if there is no such block, or several: Slang
/// leaves namespaces out.
pub fn layout_numbers(json: &str, block: &str) -> Result<Numbers, serde_json::Error> {
    let program: LayoutsJson = serde_json::from_str(json)?;
    let mut read = LayoutsReader { numbers: Numbers::default() };

    if block == GLOBALS {
        read.fields(&program.parameters, block, 0);
        return Ok(read.numbers);
    }

    if block.starts_with(ENTRY) {
        // The compiled entry point is the probe, which has the parameters of the entry point in the
        // block's name.
        if let [entry] = &program.entry_points[..] {
            read.fields(&entry.parameters, block, 0);
        }
        return Ok(read.numbers);
    }

    let unqualified = block.rsplit_once("::").map_or(block, |(_, name)| name);
    let mut names = unqualified.split('.');
    let first = names.next().unwrap_or(unqualified);
    // If parameters share a name, it belongs to the global one.
    let is_first = |parameter: &&VariableJson| parameter.name == first;
    let mut found: Vec<&VariableJson> = program.parameters.iter().filter(is_first).collect();
    if found.is_empty() {
        found = program.entry_points.iter().flat_map(|entry| &entry.parameters).filter(is_first).collect();
    }
    for name in names {
        let inside = found.into_iter().filter_map(|outer| outer.ty.element_var_layout.as_ref());
        found = inside.flat_map(|element| &element.ty.fields).filter(|field| field.name == name).collect();
    }

    if let [parameter] = found[..] {
        read.block(&parameter.ty, block);
    }
    Ok(read.numbers)
}

struct LayoutsReader {
    numbers: Numbers,
}

impl LayoutsReader {
    /// A container, a structured buffer, or an array of them.
    fn block(&mut self, ty: &TypeJson, block: &str) {
        if let Some(element) = &ty.element_var_layout {
            let size = element.bytes().and_then(|place| finite(place.size.as_ref()));
            self.numbers.add(Quantity::Size, block, size);
            self.element(&element.ty, block);
        } else if let Some(element) = ty.result_type.as_ref().filter(|_| ty.is_structured_buffer()) {
            let bytes = element.bytes();
            self.numbers.add(Quantity::Size, block, bytes.and_then(|bytes| bytes.size));
            self.numbers.add(Quantity::ArrayStride, block, bytes.and_then(ByteSize::stride));
            self.element(element, block);
        } else if let Some(element) = &ty.element_type {
            self.block(element, block);
        }
    }

    /// The element of a block. An element that is not a struct is a member without a name.
    fn element(&mut self, ty: &TypeJson, block: &str) {
        if ty.kind != "struct" {
            self.numbers.add(Quantity::Offset, block, Some(0));
        }
        self.parts(ty, block, 0);
    }

    fn parts(&mut self, ty: &TypeJson, path: &str, start: u32) {
        self.fields(&ty.fields, path, start);
        if let Some(element) = ty.element_type.as_ref().filter(|_| ty.kind == "array") {
            self.numbers.add(Quantity::ArrayStride, path, finite(ty.uniform_stride.as_ref()));
            self.parts(element, &format!("{path}[]"), start);
        }
    }

    fn fields(&mut self, fields: &[VariableJson], path: &str, start: u32) {
        for (index, field) in fields.iter().enumerate() {
            // Only resources have no bytes.
            let Some(place) = field.bytes() else { continue };
            let Some(offset) = finite(place.offset.as_ref()) else { continue };
            let Some(offset) = start.checked_add(offset) else { continue };
            if field.name == BASE {
                self.parts(&field.ty, path, offset);
                continue;
            }
            let inner = join(path, &field.name_at(index));
            self.numbers.add(Quantity::Offset, &inner, Some(offset));
            self.numbers.add(Quantity::Size, &inner, finite(place.size.as_ref()));
            self.parts(&field.ty, &inner, offset);
        }
    }
}

/// The unit of bytes.
const UNIFORM: &str = "uniform";

impl VariableJson {
    /// Its name as the field with this index: those of a tuple have none in the JSON.
    pub(super) fn name_at(&self, index: usize) -> Cow<'_, str> {
        if self.name.is_empty() { Cow::Owned(format!("_{index}")) } else { Cow::Borrowed(&self.name) }
    }

    /// Its place in bytes, if it has any.
    pub(super) fn bytes(&self) -> Option<&VariablePlaceJson> {
        self.place(UNIFORM)
    }

    /// Its place in this unit, if it takes some of it.
    pub(super) fn place(&self, unit: &str) -> Option<&VariablePlaceJson> {
        self.places().find(|place| place.kind == unit)
    }

    /// Its place in each unit that it takes.
    pub(super) fn places(&self) -> impl Iterator<Item = &VariablePlaceJson> {
        self.binding.iter().chain(&self.bindings)
    }
}

impl ByteSize {
    /// Slang's stride of any type is its size, rounded up to its alignment; the JSON does not contain it.
    pub(super) fn stride(self) -> Option<u32> {
        self.size?.checked_next_multiple_of(self.alignment)
    }
}

impl TypeJson {
    /// Its size and alignment; `None` for a type without bytes, and for components.
    pub(super) fn bytes(&self) -> Option<ByteSize> {
        let bytes = self.sizes.iter().find(|size| size.kind == UNIFORM)?;
        let alignment = finite(bytes.alignment.as_ref()).filter(|alignment| *alignment > 0)?;
        Some(ByteSize { size: finite(bytes.value.as_ref()), alignment })
    }

    /// True for a resource, which has bytes as a handle in an argument buffer of Metal alone.
    pub(super) fn is_resource(&self) -> bool {
        let kinds = ["resource", "samplerState", "constantBuffer", "parameterBlock", "textureBuffer"];
        kinds.contains(&self.kind.as_str())
    }

    pub(super) fn is_structured_buffer(&self) -> bool {
        self.base_shape.as_deref() == Some("structuredBuffer")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shortened from slangc 2026.14.1, `-target spirv`, of:
    /// `struct B { float2 v; }; struct T : B { float a[3]; }; ConstantBuffer<T> cb[2]; StructuredBuffer<float3> sb;
    /// uniform float g1; uniform float3 g2;`
    const JSON: &str = r#"{"parameters": [
        {"name": "cb", "binding": {"kind": "descriptorTableSlot", "index": 1}, "type": {"kind": "array",
         "elementCount": 2, "elementType": {"kind": "constantBuffer", "elementVarLayout": {"type": {"kind": "struct",
          "name": "T", "fields": [
           {"name": "$base", "type": {"kind": "struct", "name": "B", "fields": [
             {"name": "v", "type": {"kind": "vector"}, "binding": {"kind": "uniform", "offset": 0, "size": 8}}]},
            "binding": {"kind": "uniform", "offset": 0, "size": 16}},
           {"name": "a", "type": {"kind": "array", "elementType": {"kind": "scalar"}, "uniformStride": 16},
            "binding": {"kind": "uniform", "offset": 16, "size": 48}}]},
          "binding": {"kind": "uniform", "offset": 0, "size": 64}}}}},
        {"name": "sb", "binding": {"kind": "descriptorTableSlot", "index": 2}, "type": {"kind": "resource",
         "baseShape": "structuredBuffer", "resultType": {"kind": "vector", "elementCount": 3,
          "elementType": {"kind": "scalar"}, "sizes": [{"kind": "uniform", "value": 12, "alignment": 16}]}}},
        {"name": "g1", "type": {"kind": "scalar"}, "binding": {"kind": "uniform", "offset": 0, "size": 4}},
        {"name": "g2", "type": {"kind": "vector"}, "binding": {"kind": "uniform", "offset": 16, "size": 12}}]}"#;

    /// Shortened from slangc 2026.14.1, `-target spirv -fvk-use-dx-layout`, of:
    /// `struct T { float a; }; void main(uniform float x, uniform float3 y, uniform float z[3], ConstantBuffer<T> cb)`
    const ENTRY_JSON: &str = r#"{"parameters": [], "entryPoints": [{"name": "main", "parameters": [
        {"name": "x", "binding": {"kind": "uniform", "offset": 0, "size": 4}, "type": {"kind": "scalar"}},
        {"name": "y", "binding": {"kind": "uniform", "offset": 4, "size": 12}, "type": {"kind": "vector"}},
        {"name": "z", "binding": {"kind": "uniform", "offset": 16, "size": 12}, "type": {"kind": "array",
         "elementCount": 3, "elementType": {"kind": "scalar"}, "uniformStride": 4}},
        {"name": "cb", "binding": {"kind": "descriptorTableSlot", "index": 0}, "type": {"kind": "constantBuffer",
         "elementVarLayout": {"type": {"kind": "struct", "name": "T", "fields": [
           {"name": "a", "type": {"kind": "scalar"}, "binding": {"kind": "uniform", "offset": 0, "size": 4}}]},
          "binding": {"kind": "uniform", "offset": 0, "size": 4}}}}]}]}"#;

    fn check(block: &str, expected: &[(Quantity, &str, u32)]) {
        check_in(JSON, block, expected);
    }

    fn check_in(json: &str, block: &str, expected: &[(Quantity, &str, u32)]) {
        let numbers = layout_numbers(json, block).unwrap();
        assert_eq!(numbers.iter().collect::<Vec<_>>(), expected, "{block}");
    }

    #[test]
    fn members_sizes_and_strides_are_read() {
        use Quantity::{ArrayStride, Offset, Size};
        let members = [(Offset, "cb.a", 16), (Offset, "cb.v", 0), (ArrayStride, "cb.a", 16)];
        let sizes = [(Size, "cb", 64), (Size, "cb.a", 48), (Size, "cb.v", 8)];
        check("cb", &members.into_iter().chain(sizes).collect::<Vec<_>>());
        check("N::sb", &[(Offset, "N::sb", 0), (ArrayStride, "N::sb", 16), (Size, "N::sb", 12)]);
        let globals = [(Offset, "$Globals.g1", 0), (Offset, "$Globals.g2", 16)];
        check(
            GLOBALS,
            &globals.into_iter().chain([(Size, "$Globals.g1", 4), (Size, "$Globals.g2", 12)]).collect::<Vec<_>>(),
        );
        check("absent", &[]);
    }

    #[test]
    fn parameters_of_the_entry_point_are_read() {
        use Quantity::{ArrayStride, Offset, Size};
        let offsets = [(Offset, "$Entry.main.x", 0), (Offset, "$Entry.main.y", 4), (Offset, "$Entry.main.z", 16)];
        let sizes = [(Size, "$Entry.main.x", 4), (Size, "$Entry.main.y", 12), (Size, "$Entry.main.z", 12)];
        let stride = [(ArrayStride, "$Entry.main.z", 4)];
        check_in(ENTRY_JSON, "$Entry.main", &offsets.into_iter().chain(stride).chain(sizes).collect::<Vec<_>>());
        check_in(ENTRY_JSON, "cb", &[(Offset, "cb.a", 0), (Size, "cb", 4), (Size, "cb.a", 4)]);
    }

    /// Shortened from slangc 2026.14.1, `-target hlsl`, of `extern static const int N = 4; struct T { Optional<float3> n; };
    /// cbuffer C { float a[N]; float b; } StructuredBuffer<T> sb;`. The offset of `z` and the size of `w` are made up.
    const WORDS_JSON: &str = r#"{"parameters": [
        {"name": "C", "binding": {"kind": "constantBuffer", "index": 0}, "type": {"kind": "constantBuffer",
         "elementVarLayout": {"type": {"kind": "struct", "fields": [
           {"name": "a", "type": {"kind": "array", "elementCount": "unknown", "elementType": {"kind": "scalar"},
            "uniformStride": 16}, "binding": {"kind": "uniform", "offset": 0, "size": 52}},
           {"name": "b", "type": {"kind": "scalar"}, "binding": {"kind": "uniform", "offset": 52, "size": 4}},
           {"name": "z", "type": {"kind": "scalar"}, "binding": {"kind": "uniform", "offset": "unknown", "size": 4}},
           {"name": "w", "type": {"kind": "scalar"}, "binding": {"kind": "uniform", "offset": 60, "size": null}}]},
          "binding": {"kind": "uniform", "offset": 0, "size": "unknown", "space": null}}}},
        {"name": "sb", "type": {"kind": "resource", "baseShape": "structuredBuffer", "resultType": {"kind": "struct",
         "name": "T", "fields": [{"name": "n", "type": {"kind": "struct", "name": "Tuple", "fields": [
           {"type": {"kind": "vector"}, "binding": {"kind": "uniform", "offset": 0, "size": 12}},
           {"type": {"kind": "scalar"}, "binding": {"kind": "uniform", "offset": 12, "size": 4}}]},
          "binding": {"kind": "uniform", "offset": 0, "size": 16}}],
         "sizes": [{"kind": "uniform", "value": "unknown", "alignment": -1}]}}}]}"#;

    /// slangc writes words where another module decides a number. Only those numbers are lost.
    #[test]
    fn a_word_loses_only_its_own_number() {
        use Quantity::{ArrayStride, Offset, Size};
        let offsets = [(Offset, "C.a", 0), (Offset, "C.b", 52), (Offset, "C.w", 60), (ArrayStride, "C.a", 16)];
        let sizes = [(Size, "C.a", 52), (Size, "C.b", 4)];
        check_in(WORDS_JSON, "C", &offsets.into_iter().chain(sizes).collect::<Vec<_>>());
        let members = [(Offset, "sb.n", 0), (Offset, "sb.n._0", 0), (Offset, "sb.n._1", 12)];
        let sizes = [(Size, "sb.n", 16), (Size, "sb.n._0", 12), (Size, "sb.n._1", 4)];
        check_in(WORDS_JSON, "sb", &members.into_iter().chain(sizes).collect::<Vec<_>>());
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(layout_numbers("no JSON", "cb").is_err());
    }
}
