//! The answer of `layoutproof show`: layouts and bindings of one source, as other programs read them.
//!
//! Layouts, member rows and diagnostics in, one JSON value out; the text reporters draw the same value. Keys and their
//! order are the command-line contract's, schema 1.

use serde::{Serialize, Serializer};

use crate::diagnostics::{Diagnostic, Severity};
use crate::layout::{BlockLayout, Extent, MemberRow, Refusal};
use crate::module::BlockKind;
use crate::record::SCHEMA;
use crate::shape::Count;
use crate::sources::SourceMap;

/// The whole answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shown {
    schema: u32,
    /// Name of the file or case, as the user gave it.
    pub source: String,
    /// Target of the bindings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Convention of the bindings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub convention: Option<String>,
    /// Why the source is refused; then there are no layouts and no bindings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<Problem>>,
    /// Problems that do not change a layout.
    pub warnings: Vec<Problem>,
    /// One per rule set, in the order asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layouts: Option<Vec<ShownLayout>>,
    /// One per unit that a parameter uses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bindings: Option<Vec<ShownBinding>>,
}

/// All blocks under one rule set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShownLayout {
    /// Rule set, dialect included; `declared` for what a module's own decorations say.
    pub rules: String,
    /// Blocks in declaration order.
    pub blocks: Vec<ShownBlock>,
}

/// One block under one rule set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShownBlock {
    /// Name.
    pub name: String,
    /// Kind.
    pub kind: BlockKind,
    /// Size in bytes; `None` for an unbounded or forbidden block.
    pub size: Option<u32>,
    /// Alignment in bytes; `None` for a forbidden block.
    pub alignment: Option<u32>,
    /// Bytes from one structured-buffer element to the next.
    pub stride: Option<u32>,
    /// Elements of an array of blocks.
    #[serde(serialize_with = "count")]
    pub count: Count,
    /// Why the rule set forbids the block; then it has no members.
    pub errors: Vec<Refusal>,
    /// Members of every level, parents before children.
    pub members: Vec<MemberRow>,
}

/// A unit that a parameter uses.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShownBinding {
    /// Path of the parameter or of the resource in it.
    pub path: String,
    /// Unit: `b`, `t`, `u`, `s`, `binding`, `space`, `push-constant` ...
    pub unit: String,
    /// Register space, descriptor set or group.
    pub space: u32,
    /// Register, binding or location.
    pub index: u32,
    /// How many.
    #[serde(serialize_with = "count")]
    pub count: Count,
}

/// A diagnostic with its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Code, in kebab case.
    pub code: String,
    /// Sentence.
    pub message: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn count<S: Serializer>(count: &Count, serializer: S) -> Result<S::Ok, S::Error> {
    match count {
        Count::Finite(count) => serializer.serialize_u32(*count),
        Count::Unbounded => serializer.serialize_str("unbounded"),
    }
}

impl Problem {
    /// The problem with its place in `sources`.
    pub fn new(diagnostic: &Diagnostic, sources: &SourceMap) -> Self {
        let place = sources.position(diagnostic.span());
        Self {
            line: place.line,
            column: place.column,
            code: diagnostic.code.to_string(),
            message: diagnostic.message.clone(),
        }
    }
}

impl ShownBlock {
    /// A laid-out or forbidden block; `members` are its rows, none for a forbidden one.
    pub fn new(block: &BlockLayout, members: Vec<MemberRow>) -> Self {
        let (size, alignment, errors) = match &block.result {
            Ok(laid_out) => (laid_out.size, Some(laid_out.alignment), Vec::new()),
            Err(refusals) => (Extent::Unbounded, None, refusals.clone()),
        };
        Self {
            name: block.name.clone(),
            kind: block.kind,
            size: size.finite(),
            alignment,
            stride: block.stride,
            count: block.count,
            members: if errors.is_empty() { members } else { Vec::new() },
            errors,
        }
    }
}

impl Shown {
    /// An answer with layouts.
    pub fn layouts(source: impl Into<String>, layouts: Vec<ShownLayout>) -> Self {
        Self { layouts: Some(layouts), ..Self::empty(source.into()) }
    }

    /// An answer with bindings.
    pub fn bindings(source: impl Into<String>, target: &str, convention: &str, bindings: Vec<ShownBinding>) -> Self {
        Self {
            target: Some(target.to_owned()),
            convention: Some(convention.to_owned()),
            bindings: Some(bindings),
            ..Self::empty(source.into())
        }
    }

    /// The answer for a source that is refused: its errors and warnings, nothing else.
    pub fn refused(source: impl Into<String>, diagnostics: &[Diagnostic], sources: &SourceMap) -> Self {
        let of = |severity| {
            let chosen = diagnostics.iter().filter(move |diagnostic| diagnostic.severity == severity);
            chosen.map(|diagnostic| Problem::new(diagnostic, sources)).collect()
        };
        Self { errors: Some(of(Severity::Error)), warnings: of(Severity::Warning), ..Self::empty(source.into()) }
    }

    fn empty(source: String) -> Self {
        Self {
            schema: SCHEMA,
            source,
            target: None,
            convention: None,
            errors: None,
            warnings: Vec::new(),
            layouts: None,
            bindings: None,
        }
    }

    /// The answer as one line of JSON, with a newline behind it.
    ///
    /// # Panics
    /// Never: these types hold nothing that JSON cannot express.
    pub fn to_json(&self) -> String {
        let json = serde_json::to_string(self).expect("the keys of these types are strings and no value is a map");
        json + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Code;
    use crate::shape::MatrixOrder;
    use crate::sources::Span;

    fn row(path: &str, type_name: &str, place: [u32; 3], array_stride: Option<u32>) -> MemberRow {
        let [offset, size, alignment] = place;
        MemberRow {
            path: path.into(),
            type_name: type_name.into(),
            offset,
            size: Some(size),
            unbounded: false,
            alignment,
            array_stride,
            array_strides: Vec::new(),
            matrix_stride: None,
            matrix_order: None,
            bit_offset: None,
            bit_width: None,
        }
    }

    fn block(members: Vec<MemberRow>) -> ShownBlock {
        ShownBlock {
            name: "S".into(),
            kind: BlockKind::Cbuffer,
            size: Some(48),
            alignment: Some(16),
            stride: None,
            count: Count::Finite(1),
            errors: Vec::new(),
            members,
        }
    }

    // The example of the contract, to the letter: offsets of DXC's listing.
    #[test]
    fn the_contracts_example_of_layouts() {
        let members = vec![
            row("a", "float3", [0, 12, 4], None),
            row("b", "float[2]", [16, 20, 16], Some(16)),
            row("c", "float", [36, 4, 4], None),
            row("d", "float2", [40, 8, 4], None),
        ];
        let layout = ShownLayout { rules: "hlsl-cbuffer".into(), blocks: vec![block(members)] };
        let expected = concat!(
            r#"{"schema":1,"source":"a.hlsl","warnings":[],"layouts":[{"rules":"hlsl-cbuffer","blocks":["#,
            r#"{"name":"S","kind":"cbuffer","size":48,"alignment":16,"stride":null,"count":1,"errors":[],"members":["#,
            r#"{"path":"a","type":"float3","offset":0,"size":12,"alignment":4,"#,
            r#""array_stride":null,"matrix_stride":null,"matrix_order":null},"#,
            r#"{"path":"b","type":"float[2]","offset":16,"size":20,"alignment":16,"#,
            r#""array_stride":16,"matrix_stride":null,"matrix_order":null},"#,
            r#"{"path":"c","type":"float","offset":36,"size":4,"alignment":4,"#,
            r#""array_stride":null,"matrix_stride":null,"matrix_order":null},"#,
            r#"{"path":"d","type":"float2","offset":40,"size":8,"alignment":4,"#,
            r#""array_stride":null,"matrix_stride":null,"matrix_order":null}]}]}]}"#,
            "\n"
        );
        assert_eq!(Shown::layouts("a.hlsl", vec![layout]).to_json(), expected);
    }

    #[test]
    fn the_contracts_example_of_bindings() {
        let row = |path: &str, unit: &str, place: [u32; 2], count| ShownBinding {
            path: path.into(),
            unit: unit.into(),
            space: place[0],
            index: place[1],
            count,
        };
        let rows = vec![
            row("A", "u", [0, 1], Count::Finite(1)),
            row("B", "u", [0, 3], Count::Finite(4)),
            row("C", "t", [1, 2], Count::Unbounded),
        ];
        let expected = concat!(
            r#"{"schema":1,"source":"a.hlsl","target":"d3d12","convention":"dxc","warnings":[],"bindings":["#,
            r#"{"path":"A","unit":"u","space":0,"index":1,"count":1},"#,
            r#"{"path":"B","unit":"u","space":0,"index":3,"count":4},"#,
            r#"{"path":"C","unit":"t","space":1,"index":2,"count":"unbounded"}]}"#,
            "\n"
        );
        assert_eq!(Shown::bindings("a.hlsl", "d3d12", "dxc", rows).to_json(), expected);
    }

    #[test]
    fn a_refused_source_has_errors_with_places_and_no_layouts() {
        let mut sources = SourceMap::default();
        let text = "cbuffer S\n{\n  float2 a : packoffset(c0.w);\n};\n";
        let file = sources.add("a.hlsl", text);
        let start = u32::try_from(text.find("packoffset").unwrap()).unwrap();
        let span = Span { file, start, end: start + 10 };
        let error = Diagnostic::error(Code::PackoffsetCrossesRegister, span, "float2 at byte 12 ends at byte 20");
        let expected = concat!(
            r#"{"schema":1,"source":"a.hlsl","errors":[{"line":3,"column":14,"code":"packoffset-crosses-register","#,
            r#""message":"float2 at byte 12 ends at byte 20"}],"warnings":[]}"#,
            "\n"
        );
        assert_eq!(Shown::refused("a.hlsl", &[error], &sources).to_json(), expected);
    }

    #[test]
    fn optional_keys_stand_only_where_they_apply() {
        let bits = MemberRow { bit_offset: Some(3), bit_width: Some(7), ..row("f", "uint", [0, 4, 4], None) };
        let unsized_array = MemberRow { size: None, unbounded: true, ..row("tail", "float[]", [16, 0, 4], Some(4)) };
        let matrices = MemberRow {
            array_strides: vec![96, 48],
            matrix_stride: Some(16),
            matrix_order: Some(MatrixOrder::Row),
            ..row("m", "float3x4[2][2]", [0, 192, 16], Some(96))
        };
        let json = serde_json::to_string(&block(vec![bits, unsized_array, matrices])).unwrap();
        for part in [
            r#""matrix_order":null,"bit_offset":3,"bit_width":7}"#,
            r#""size":null,"unbounded":true,"alignment":4"#,
            r#""array_stride":96,"array_strides":[96,48],"matrix_stride":16,"matrix_order":"row"}"#,
        ] {
            assert!(json.contains(part), "{part} in {json}");
        }
    }
}
