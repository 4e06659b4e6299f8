//! Random programs as HLSL.

use std::fmt::Write;

use layoutproof_device::ResourceClass;
use layoutproof_layout::shape::Count;

use super::form::UseForm;
use super::program::{ParameterAnnotation, RandomParameter, RandomParameterKind, RandomProgram};

/// Declarations at the start of every program: the struct for `ConstantBuffer`, the texture for
/// samplers, and the result buffer.
const DECLARED: &str = "\
struct Data { float4 value; };
Texture2D<float4> sampled;
RWStructuredBuffer<float4> result;
";

/// Structs that a hull shader needs in addition to its functions.
const HULL: &str = "\
struct Vertex { float4 position : SV_Position; };
struct Patch { float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; };
";

/// The end of the function that computes patch constants.
const PATCH: &str = "    Patch made;
    made.edges[0] = made.edges[1] = made.edges[2] = sum.x;
    made.inside = sum.y;
    return made;
}
";

/// The start of a hull shader's entry point.
const HULL_MAIN: &str = "\
[domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(3)]
[patchconstantfunc(\"patch\")]
Vertex main(InputPatch<Vertex, 3> vertices, uint index : SV_OutputControlPointID) {
";

/// The end of a hull shader's entry point.
const HULL_END: &str = "    Vertex made = vertices[index];
    made.position += sum;
    return made;
}
";

impl RandomProgram {
    /// Writes only the declarations.
    pub fn declarations(&self) -> String {
        let mut text = DECLARED.to_owned();
        for (place, ty) in self.structs.iter().enumerate() {
            let members = ty.members.iter().enumerate();
            let members: Vec<String> = members.map(|(at, member)| declare(member, &format!("m{at}"))).collect();
            writeln!(text, "struct S{place} {{ {} }};", members.join(" ")).expect("a String takes every write");
        }
        for (place, parameter) in self.parameters.iter().enumerate() {
            text.push_str(&declare(parameter, &format!("p{place}")));
            text.push('\n');
        }
        text
    }

    /// Writes the whole program with its entry point `main`.
    pub fn text(&self) -> String {
        let mut text = self.declarations();
        let (mut first, mut second) = (String::new(), String::new());
        for (at, place) in self.uses.iter().enumerate() {
            // Only the entry point uses structs' contents, in an order that DXC's registers depend
            // on.
            let is_struct = matches!(
                self.parameters[*place].kind,
                RandomParameterKind::Struct(_) | RandomParameterKind::ParameterBlock(_)
            );
            let statements = if at % 2 == 0 || is_struct || !self.is_hull { &mut first } else { &mut second };
            let parameter = &self.parameters[*place];
            self.use_of(parameter, &format!("p{place}"), self.forms.get(*place), &mut text, statements);
        }

        if self.is_hull {
            text.push_str(HULL);
            text.push_str("Patch patch(InputPatch<Vertex, 3> vertices) {\n    float4 sum = 0;\n");
            text.extend([&second, PATCH, HULL_MAIN, "    float4 sum = 0;\n", &first, HULL_END]);
        } else {
            text.push_str("[shader(\"compute\")] [numthreads(1, 1, 1)] void main() {\n    float4 sum = 0;\n");
            text.extend([&first, "    result[0] = sum;\n}\n"]);
        }
        text
    }

    /// Adds statements that use every part of a parameter, and the declarations that they need.
    fn use_of(
        &self,
        parameter: &RandomParameter,
        path: &str,
        forms: Option<&Vec<UseForm>>,
        declared: &mut String,
        statements: &mut String,
    ) {
        let element = if parameter.array.is_some() { format!("{path}[0]") } else { path.to_owned() };
        let mut value = match parameter.kind {
            RandomParameterKind::Data => element,
            RandomParameterKind::Texture => format!("{element}.Load(int3(0, 0, 0))"),
            RandomParameterKind::Buffer | RandomParameterKind::Structured | RandomParameterKind::RwStructured => {
                format!("{element}[0]")
            }
            RandomParameterKind::Bytes => format!("asfloat({element}.Load4(0))"),
            RandomParameterKind::RwTexture => format!("{element}[uint2(0, 0)]"),
            RandomParameterKind::Sampler => format!("sampled.SampleLevel({element}, float2(0, 0), 0)"),
            RandomParameterKind::Cbuffer => format!("{path}_value"),
            RandomParameterKind::ConstantBuffer => format!("{element}.value"),
            RandomParameterKind::Struct(place) | RandomParameterKind::ParameterBlock(place) => {
                for (at, member) in self.structs[place].members.iter().enumerate() {
                    self.use_of(member, &format!("{element}.m{at}"), None, declared, statements);
                }
                return;
            }
        };

        for (at, form) in forms.into_iter().flatten().enumerate() {
            value = form.wrap(&value, &format!("_{path}_{at}"), declared);
        }

        writeln!(statements, "    sum += {value};").expect("a String takes every write");
    }
}

fn declare(parameter: &RandomParameter, name: &str) -> String {
    let place = placed(parameter);
    if parameter.kind == RandomParameterKind::Cbuffer {
        return format!("cbuffer {name}{place} {{ float4 {name}_value; }};");
    }
    let dimension = match parameter.array {
        None => String::new(),
        Some(Count::Finite(count)) => format!("[{count}]"),
        Some(Count::Unbounded) => "[]".to_owned(),
    };
    format!("{} {name}{dimension}{place};", spelling(parameter.kind))
}

fn spelling(kind: RandomParameterKind) -> String {
    match kind {
        RandomParameterKind::Data => "float4".to_owned(),
        RandomParameterKind::Texture => "Texture2D<float4>".to_owned(),
        RandomParameterKind::Buffer => "Buffer<float4>".to_owned(),
        RandomParameterKind::Structured => "StructuredBuffer<float4>".to_owned(),
        RandomParameterKind::Bytes => "ByteAddressBuffer".to_owned(),
        RandomParameterKind::RwTexture => "RWTexture2D<float4>".to_owned(),
        RandomParameterKind::RwStructured => "RWStructuredBuffer<float4>".to_owned(),
        RandomParameterKind::Sampler => "SamplerState".to_owned(),
        RandomParameterKind::Cbuffer => "cbuffer".to_owned(),
        RandomParameterKind::ConstantBuffer => "ConstantBuffer<Data>".to_owned(),
        RandomParameterKind::Struct(place) => format!("S{place}"),
        RandomParameterKind::ParameterBlock(place) => format!("ParameterBlock<S{place}>"),
    }
}

fn placed(parameter: &RandomParameter) -> String {
    match (parameter.kind.class().map(ResourceClass::letter), parameter.annotation) {
        (None, _) | (_, ParameterAnnotation::Implicit) => String::new(),
        (Some(letter), ParameterAnnotation::Register { index, space: None }) => format!(" : register({letter}{index})"),
        (Some(letter), ParameterAnnotation::Register { index, space: Some(space) }) => {
            format!(" : register({letter}{index}, space{space})")
        }
        (Some(_), ParameterAnnotation::Space(space)) => format!(" : register(space{space})"),
    }
}
