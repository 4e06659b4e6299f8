//! Tests the explorer's answers to ordinary and to hostile input.

use std::time::{Duration, Instant};

use layoutproof_core::case::Case;
use layoutproof_layout::Column;
use layoutproof_source::sources::SourceMap;
use layoutproof_web::{
    CopiedText, ExploreAnswer, ExploreRequest, PaddingAnswer, TextEdit, choices, copied_text, copied_text_json,
    explore, explore_json, padding,
};

fn request(language: &str, text: &str) -> ExploreRequest {
    ExploreRequest { language: language.to_owned(), text: text.to_owned(), ..ExploreRequest::default() }
}

fn answer(language: &str, text: &str) -> ExploreAnswer {
    explore(&request(language, text))
}

// The numbers are those of cases/arrays/scalar_packs_behind_the_last_element.toml, from DXC 1.7.2308.
const SCENE: &str = "cbuffer S : register(b0) { float3 a; float b[2]; float c; float2 d; };";

#[test]
fn an_answer_has_maps_padding_and_bindings() {
    let asked = ExploreRequest {
        columns: ["native:dxc-dxil", "native:dxc-spirv"].map(str::to_owned).to_vec(),
        bindings: ["d3d12.dxc", "vulkan.dxc"].map(str::to_owned).to_vec(),
        ..request("hlsl", SCENE)
    };
    let ExploreAnswer { is_read, problems, blocks, differing, offsets, maps, bindings, .. } = explore(&asked);
    assert!(is_read && problems.is_empty());
    assert_eq!((blocks, differing), (1, 1));
    for words in ["D3D12 · DXC", "Vulkan · DXC", "data-m=\"c\"", "48 / 64 bytes", "+12", "c2.y"] {
        assert!(offsets.contains(words), "{words}: {offsets}");
    }
    for words in ["D3D12 · DXC · 48 bytes", "Vulkan · DXC · 64 bytes", "data-m=\"c\"", "offset 36", "offset 48"] {
        assert!(maps.contains(words), "{words}: {maps}");
    }
    assert!(bindings.contains("b0") && bindings.contains("binding 0"), "{bindings}");
    let padding = padding(&asked).padding;
    assert!(padding.contains("D3D12 · DXC") && padding.contains("Vulkan · DXC"), "{padding}");
}

/// No vector crosses a register (INF-0003, "Packing"), so two float2 share one and each float3 has one: 44 bytes, where the
/// declared order has 60.
#[test]
fn a_better_order_can_be_put_into_the_text() {
    let text = "// \u{1f642}\ncbuffer S {\n    float2 a;\n    float3 b;\n    float2 c;\n    float3 d;\n};\n";
    let asked = ExploreRequest { columns: vec!["native:dxc-dxil".to_owned()], ..request("hlsl", text) };
    assert!(explore(&asked).offsets.contains(">60 bytes"));
    let PaddingAnswer { padding: part, orders } = padding(&asked);
    assert!(part.contains("data-order=\"0\""), "{part}");
    let [TextEdit { start, end, text: order }] = orders.as_slice() else { panic!("{orders:?}") };
    let units: Vec<u16> = text.encode_utf16().collect();
    let [before, after] = [&units[..*start], &units[*end..]].map(|part| String::from_utf16(part).unwrap());
    let applied = ExploreRequest { text: format!("{before}{order}{after}"), ..asked };
    assert!(explore(&applied).offsets.contains(">44 bytes"), "{}", applied.text);
    assert_eq!(padding(&applied).orders, []);
}

#[test]
fn problems_have_their_places_in_the_units_of_javascript() {
    // The emoji has two UTF-16 units and four bytes.
    let text = "// \u{1f642}\ncbuffer S { flot a; };";
    let ExploreAnswer { is_read, problems, rendered, .. } = answer("hlsl", text);
    assert!(!is_read);
    let units: Vec<u16> = text.encode_utf16().collect();
    let problem = &problems[0];
    assert_eq!(String::from_utf16(&units[problem.start..problem.end]).unwrap(), "flot");
    assert_eq!((problem.line, problem.column), (2, 13));
    assert!(rendered.contains("cbuffer S { flot a; };"), "{rendered}");
}

#[test]
fn files_and_what_naga_does_not_know_are_refused_with_what_helps() {
    let included = answer("hlsl", "#include \"a.h\"\ncbuffer S { float a; };");
    assert!(included.rendered.contains("the explorer has no files"), "{}", included.rendered);
    assert!(included.rendered.contains("put the text of the file here"), "{}", included.rendered);

    let pointers = "#version 450\n#extension GL_EXT_buffer_reference : require\n\
                    layout(buffer_reference) buffer P { float x; };\nvoid main() {}";
    let refused = answer("glsl", pointers);
    assert!(!refused.is_read && refused.rendered.contains("glslang"), "{}", refused.rendered);
}

// std140 of OpenGL 4.6, 7.6.2.2: an array's elements and a matrix's columns begin at multiples of 16.
#[test]
fn glsl_and_wgsl_have_one_column() {
    let glsl = "#version 450\nlayout(std140, binding = 0) uniform S { vec3 a; float b[2]; mat3 m; };\nvoid main() {}";
    let answer = answer("glsl", glsl);
    assert!(answer.is_read, "{}", answer.rendered);
    for words in ["offset 0 ", "offset 16 ", "offset 48 ", "declared · "] {
        assert!(answer.maps.contains(words), "{words}: {}", answer.maps);
    }
    assert_eq!(answer.bindings, "");
}

#[test]
fn names_reach_the_page_as_text() {
    let evil = "<img src=x onerror=run()>";
    for (language, text) in [
        ("hlsl", format!("cbuffer S {{ float a[{evil}]; }};")),
        ("hlsl", format!("#error {evil}\n")),
        ("wgsl", format!("struct S {{ {evil} }}")),
        ("glsl", format!("#version 450\n{evil}")),
        ("slang", format!("// {evil}\ncbuffer S {{ float a; }};")),
    ] {
        let ExploreAnswer { offsets, maps, bindings, .. } = answer(language, &text);
        let padding = padding(&request(language, &text)).padding;
        for html in [offsets, maps, padding, bindings] {
            assert!(!html.contains("<img"), "{html}");
        }
    }
}

#[test]
fn what_a_link_names_wrongly_is_left_out() {
    let asked = ExploreRequest {
        columns: ["std140", "no such rules"].map(str::to_owned).to_vec(),
        bindings: ["d3d12.fxc", "metal.dxc", "", "vulkan.slang"].map(str::to_owned).to_vec(),
        ..request("no language", SCENE)
    };
    let answer = explore(&asked);
    assert!(answer.is_read && answer.maps.contains("std140"));
    assert!(answer.bindings.contains("Vulkan · Slang") && !answer.bindings.contains("Metal · DXC"));
    assert!(explore_json("{\"language\":\"hlsl\",\"more\":1}").is_err());
    assert!(copied_text_json("{}", "nothing").is_err());
}

#[test]
fn every_choice_can_be_asked_for() {
    let choices = choices();
    let columns: Vec<String> = choices.compilers.iter().chain(&choices.rules).map(|it| it.name.clone()).collect();
    for column in columns {
        let answer = explore(&ExploreRequest { columns: vec![column.clone()], ..request("hlsl", SCENE) });
        assert!(answer.is_read && !answer.offsets.is_empty(), "{column}");
    }
    for binding in choices.bindings {
        let name = &binding.name;
        let answer = explore(&ExploreRequest { bindings: vec![name.clone()], ..request("hlsl", SCENE) });
        assert_eq!(binding.label, Column::parse(name).unwrap().to_string());
        assert!(answer.bindings.contains(&binding.label), "{name}");
    }
    for language in choices.languages {
        assert_eq!(language.columns.is_empty(), ["glsl", "wgsl"].contains(&language.name));
    }
}

#[test]
fn texts_to_copy_are_what_they_say() {
    let asked = request("hlsl", SCENE);
    let text = |kind| copied_text(&asked, kind).unwrap();
    assert!(text(CopiedText::Svg).starts_with("<svg xmlns="));
    assert!(text(CopiedText::Cpp).contains("static_assert"));
    assert!(text(CopiedText::Rust).contains("offset_of!"));
    assert!(text(CopiedText::C).contains("_Static_assert"));
    let markdown = text(CopiedText::Markdown);
    assert!(markdown.starts_with("```hlsl\ncbuffer S") && markdown.contains("```text\n"), "{markdown}");

    let fences = copied_text(&request("hlsl", &format!("// ````\n{SCENE}")), CopiedText::Markdown).unwrap();
    assert!(fences.starts_with("`````hlsl\n"), "{fences}");
    assert!(copied_text(&request("hlsl", "flot"), CopiedText::Svg).unwrap_err().to_string().contains("errors"));
}

#[test]
fn a_case_holds_the_text_and_no_number() {
    let hostile = format!("{SCENE} // \"\"\" \\ \u{7}\t\u{1f642}\r\n");
    let text = copied_text(&request("hlsl", &hostile), CopiedText::Case).unwrap();
    // A person adds this, from an authority.
    let claim = "\n[expect.std140]\nauthority = { spec = \"x\" }\npartial = true\noffsets = { \"S.a\" = 0 }\n";
    let filled = format!("{text}{claim}");
    let mut sources = SourceMap::default();
    let file = sources.add("a.toml", filled);
    let case = Case::read("a", file, &mut sources);
    let case = case.map_err(|found| found.into_iter().map(|problem| problem.message).collect::<Vec<_>>()).unwrap();
    // The escaped text is a separate source.
    let declared = sources.text(case.declare);
    assert_eq!(declared.trim(), hostile.replace('\r', "").trim());
    assert!(text.contains("ci/transcribe.py --fill hlsl-cbuffer,relaxed140"), "{text}");
}

/// In a browser, the page ends a worker after two seconds; this test is not optimised.
#[test]
fn hostile_texts_are_answered() {
    let deep = |open: &str, close: &str| {
        format!("cbuffer S {{ float a[{}1{}]; }};", open.repeat(20_000), close.repeat(20_000))
    };
    let doubled = (1..40).map(|at| format!("#define M{at} M{} M{}\n", at - 1, at - 1));
    let bomb = doubled.collect::<Vec<_>>().concat();
    for (language, text) in [
        ("hlsl", deep("(", ")")),
        ("slang", deep("-", "")),
        ("hlsl", format!("#define M0 float x;\n{bomb}cbuffer S {{ M39 }};")),
        ("hlsl", "struct A { ".repeat(10_000)),
        ("hlsl", "cbuffer S { float a[65536][65536][65536]; };".to_owned()),
        ("wgsl", "(".repeat(100_000)),
        ("glsl", "{".repeat(100_000)),
    ] {
        let start = Instant::now();
        let answer = answer(language, &text);
        assert!(!answer.is_read && !answer.rendered.is_empty(), "{}", &text[..40]);
        assert!(start.elapsed() < Duration::from_secs(20), "{}: {:?}", &text[..40], start.elapsed());
    }
}
