use layoutproof_layout::shape::MatrixOrder;
use layoutproof_layout::{Span, ViewId};

use super::*;
use layoutproof_source::diagnostics::Code;

fn row(path: &str, type_name: &str, place: [u32; 3], array_stride: Option<u32>) -> MemberRow {
    let [offset, size, alignment] = place;
    MemberRow {
        path: path.into(),
        type_name: type_name.into(),
        offset,
        size: Some(size),
        alignment,
        array_stride,
        ..MemberRow::default()
    }
}

fn block(members: Vec<MemberRow>) -> ShownBlock {
    ShownBlock {
        view: ViewId::default(),
        name: "S".into(),
        kind: BlockKind::Cbuffer,
        reach: Reach::Parameter,
        size: Some(48),
        alignment: Some(16),
        stride: None,
        count: Count::Finite(1),
        errors: Vec::new(),
        forbidden: Vec::new(),
        members,
    }
}

// The example of the contract, byte for byte: offsets of DXC's listing.
#[test]
fn the_contracts_example_of_layouts() {
    let members = vec![
        row("a", "float3", [0, 12, 4], None),
        row("b", "float[2]", [16, 20, 16], Some(16)),
        row("c", "float", [36, 4, 4], None),
        row("d", "float2", [40, 8, 4], None),
    ];
    let layout = ShownLayout::of_rules("hlsl-cbuffer", vec![block(members)]);
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
        uncertain: None,
        computed: None,
        overlaps: Vec::new(),
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
    let placement = ShownPlacement {
        read_by: None,
        target: "d3d12".into(),
        compiler: "dxc".into(),
        convention: "dxc".into(),
        bindings: rows,
        entry: None,
        unused: Vec::new(),
    };
    assert_eq!(Shown::bindings("a.hlsl", &placement).to_json(), expected);
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
