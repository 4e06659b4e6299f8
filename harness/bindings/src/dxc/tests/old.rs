//! The behaviour of older releases. Every number and message is from DXC 1.7 of commit d66bdf94
//! (2022, before release 1.7.2207; `-T cs_6_6 -spirv -Vd`).

use super::placed;
use crate::{BindingRequest, Convention, Target};

fn old(target: Target, option: Option<&str>, declarations: &str, statements: &str) -> Vec<String> {
    let mut request = BindingRequest::new(target, Convention::Dxc);
    request.version = Some("1.7.2207".to_owned());
    request.options = option.into_iter().map(str::to_owned).collect();
    let rows = placed(&format!("{declarations} [numthreads(1, 1, 1)] void main() {{ {statements} }}"), &request);
    rows.into_iter().map(|row| row.replace(" binding", " ").replace("space", "set")).collect()
}

fn vulkan(declarations: &str, statements: &str) -> Vec<String> {
    old(Target::Vulkan, None, declarations, statements)
}

#[test]
fn a_counter_follows_its_buffer_whether_it_is_used_or_not() {
    let two = "RWStructuredBuffer<int> r; RWBuffer<int> A;";
    assert_eq!(vulkan(two, "A[0] = 1;"), ["A 2"]);
    assert_eq!(vulkan(two, "r[0] = 1; A[0] = 1;"), ["r 0", "A 2"]);
    assert_eq!(vulkan(two, "r.IncrementCounter(); A[0] = 1;"), ["r.$counter 1", "A 2"]);
    let kept = old(Target::Vulkan, Some("-Od"), two, "A[0] = 1;");
    assert_eq!(kept, ["r 0", "r.$counter 1", "A 2"]);
    let spaces = "RWStructuredBuffer<int> r : register(u0, space1); RWBuffer<int> A : register(space1);";
    assert_eq!(vulkan(spaces, "r[0] = 1; A[0] = 1;"), ["r 0 set1", "A 2 set1"]);
    let inner = "cbuffer C { RWStructuredBuffer<int> r; float f; }; RWBuffer<int> A;";
    assert_eq!(vulkan(inner, "r[0] = f; A[0] = 1;"), ["r 0", "C 2", "A 3"]);
    let written = "[[vk::counter_binding(7)]] RWStructuredBuffer<int> r; RWBuffer<int> A;";
    assert_eq!(vulkan(written, "r.IncrementCounter(); A[0] = 1;"), ["r.$counter 7", "A 1"]);
    let functions = "RWStructuredBuffer<int> r, q; RWBuffer<int> A; void f() { q.IncrementCounter(); }";
    let rows = vulkan(functions, "f(); r.IncrementCounter(); A[0] = 1;");
    assert_eq!(rows, ["r.$counter 1", "q.$counter 3", "A 4"]);
}

#[test]
fn what_came_later_is_refused() {
    let message = "error: definition of variable with array type needs an explicit size or an initializer";
    let arrays = "Texture2D<float> T[][3]; RWBuffer<float> A;";
    assert_eq!(old(Target::D3d12, None, arrays, "A[0] = 1;"), [message]);
    assert_eq!(old(Target::Vulkan, None, arrays, "A[0] = 1;"), [message]);
    let preserve = old(Target::Vulkan, Some("-fspv-preserve-bindings"), "RWBuffer<float> A;", "A[0] = 1;");
    assert_eq!(preserve, ["error: Unknown argument: '-fspv-preserve-bindings'"]);
    let bound = "RWStructuredBuffer<int> r : register(u0);";
    let error = "error: -fvk-bind-register for RW/Append/Consume StructuredBuffer unimplemented";
    assert_eq!(old(Target::Vulkan, Some("-fvk-bind-register u0 0 5 0"), bound, "r[0] = 1;"), [error]);
}
