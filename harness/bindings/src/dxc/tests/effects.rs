//! Syntax of effects and old HLSL that DXC ignores, and names and constants in all their forms.
//! Every row is from the listing of DXC 1.7.2308 (`-T ps_6_6 -E main`).

use super::d3d12;

/// Returns the rows of a pixel shader that returns `value`, after `declarations`.
fn pixel(declarations: &str, value: &str) -> Vec<String> {
    d3d12(&format!("{declarations} float4 main(float2 uv : UV) : SV_Target {{ return {value}; }}"))
}

#[test]
fn objects_of_effects_are_no_parameters() {
    let texture = |declarations: &str| pixel(&format!("{declarations} Texture2D t;"), "t.Load(0)");
    assert_eq!(texture("texture diffuse;"), ["t t0"]);
    assert_eq!(texture("texture a, b < string x = \"y\"; >;"), ["t t0"]);
    assert_eq!(texture("Texture a : register(t3);"), ["t t0"]);
    assert_eq!(texture("BlendState a; RasterizerState b { CullMode = NONE; };"), ["t t0"]);
    assert_eq!(texture("DepthStencilState c { A = 1; B[0] = 2; };"), ["t t0"]);
    assert_eq!(
        texture("RenderTargetView a; DepthStencilView b; VertexShader v = CompileShader(vs_4_0, main());"),
        ["t t0"]
    );
    assert_eq!(texture("PixelShader p = compile ps_2_0 main(); pixelfragment f; vertexfragment g;"), ["t t0"]);
}

#[test]
fn states_of_samplers_say_nothing_of_their_place() {
    let sampled = |sampler: &str| pixel(&format!("{sampler} Texture2D t;"), "t.Sample(s, uv)");
    assert_eq!(sampled("sampler s = sampler_state { Texture = <d>; MinFilter = LINEAR; };"), ["s s0", "t t0"]);
    assert_eq!(sampled("SamplerState s : register(s2) { Filter = LINEAR; };"), ["s s2", "t t0"]);
    assert_eq!(sampled("SamplerState s < int a = 1; > { Filter = LINEAR; };"), ["s s0", "t t0"]);
}

#[test]
fn annotations_say_nothing() {
    let tint = "float4 tint < string UIName = \"Tint\"; float b = 1.5; > = float4(1, 1, 1, 1);";
    assert_eq!(pixel(tint, "tint"), ["$Globals b0"]);
    assert_eq!(pixel(&format!("{tint} float x < int a = 1; >, y < int b; >;"), "tint + x + y"), ["$Globals b0"]);
    let buffer = "cbuffer C : register(b2) { float4x4 wvp : WVP < string UIWidget = \"None\"; >; float4 c < >; };";
    assert_eq!(pixel(buffer, "mul(uv.xyxy, wvp) + c"), ["C b2"]);
    assert_eq!(pixel("Texture2D<float4> t : register(t4) < string File = \"a.dds\"; >;", "t.Load(0)"), ["t t4"]);
    assert_eq!(pixel("struct S { float4 a < int b = 1; >; }; ConstantBuffer<S> s;", "s.a"), ["s b0"]);
    assert_eq!(
        pixel("float x[2] : S < int a = 1; > = { 1, 2 }; float y : register(c5) < int a; >;", "x[1] + y"),
        ["$Globals b0"]
    );
    let function = "float4 f(float4 v) : SEMANTIC < int a = 1; > { return v; } cbuffer C { float4 c; };";
    assert_eq!(pixel(function, "f(c)"), ["C b0"]);
}

#[test]
fn techniques_say_nothing() {
    let buffer = |technique: &str| pixel(&format!("{technique} cbuffer C {{ float4 c; }};"), "c");
    let annotated = "technique11 T < string a = \"x\"; > { pass P < int b = 1; > {
        SetVertexShader(CompileShader(vs_4_0, main())); } }";
    assert_eq!(buffer(annotated), ["C b0"]);
    assert_eq!(buffer("technique { pass { VertexShader = compile vs_2_0 main(); } }"), ["C b0"]);
    assert_eq!(buffer("technique10 T { pass P { }; };"), ["C b0"]);
    // FXC accepts these words in any case; DXC does not accept them at all.
    assert_eq!(buffer("Technique11 T { Pass P { } } fxgroup G { technique11 T { pass P { } } }"), ["C b0"]);
}

#[test]
fn names_and_literals() {
    assert_eq!(
        pixel("cbuffer $Globals : register(b3) { float4 tint; float2 $size; };", "tint * $size.x"),
        ["$Globals b3"]
    );
    assert_eq!(pixel("cbuffer C { float4 c; };", "min(c, 1.#INF) + max(c, -1.#INF) + 1.0#INFf"), ["C b0"]);
}

#[test]
fn modifiers_may_stand_behind_a_type() {
    let c = "cbuffer C { float4 c; };";
    assert_eq!(pixel(&format!("{c} float4 inline twice(float4 v) {{ return v * 2; }}"), "twice(c)"), ["C b0"]);
    assert_eq!(
        pixel(&format!("{c} struct S {{ uint a; uint inline get() {{ return a; }} }};"), "c * ((S)2).get()"),
        ["C b0"]
    );
    assert_eq!(pixel("float4 const a; float4 extern b; float4 static s = 1;", "a + b + s"), ["$Globals b0"]);
    assert_eq!(pixel("float4 static s = 1; cbuffer C { float4 c; };", "s + c"), ["C b0"]);
    assert_eq!(
        pixel(&format!("{c} float4 f(center float4 a, sample float4 b) {{ return a + b; }}"), "f(c, c)"),
        ["C b0"]
    );
}

#[test]
fn queries_of_rays_are_local() {
    let declarations = "RaytracingAccelerationStructure tlas : register(t2);
        typedef RayQuery<RAY_FLAG_CULL_BACK_FACING_TRIANGLES> Query;
        float4 trace(Query q) { RayDesc r = (RayDesc)0; q.TraceRayInline(tlas, 0, 0xff, r); q.Proceed();
        return q.CommittedRayT(); }
        float4 traced() { Query q; return trace(q); }";
    assert_eq!(pixel(declarations, "traced()"), ["tlas t2"]);
}

#[test]
fn attributes_are_found_in_any_case() {
    for attributes in ["[NumThreads(8, 8, 1)]", "[NUMTHREADS(8, 8, 1)]", "[Shader(\"compute\")] [numthreads(8, 8, 1)]"]
    {
        let source = format!(
            "Texture2D<float4> t : register(t3); RWTexture2D<float4> o : register(u2); Texture2D<float4> unused;
            {attributes} void cs(uint3 i : SV_DispatchThreadID) {{ o[i.xy] = t[i.xy]; }}"
        );
        assert_eq!(d3d12(&source), ["t t3", "o u2"], "{attributes}");
        let mut library = crate::BindingRequest::new(crate::Target::D3d12, crate::Convention::Dxc);
        library.profile = Some("lib_6_6".to_owned());
        assert_eq!(super::placed(&source, &library), ["t t3", "o u2"], "{attributes}");
    }
}
