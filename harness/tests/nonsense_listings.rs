//! Untrusted DXIL listings: refused with a reason, without panics or memory exhaustion.

use layoutproof_device::{Batch, BufferKind, Job, JobBuffer, Runner, RunnerError, Shader};
use layoutproof_readers::dxil::buffer_definitions;
use layoutproof_readers::evaluator::Evaluator;

/// Evaluates a function `f` with these lines over one `RWByteAddressBuffer`.
fn refusal(lines: &str) -> String {
    // Only labels start at the beginning of a line.
    let body = lines.replace('\n', "\n  ");
    let listing = format!("target datalayout = \"e-p:32:32-i32:32\"\ndefine void @f() {{\n  {body}\n}}\n");
    let (kind, bytes) = (BufferKind::Storage, vec![0; 64]);
    let buffer = JobBuffer { set: 0, binding: 1, element: 0, kind, bytes, after: Vec::new(), before_word: 0 };
    let job = Job::compute(Shader::DxilListing(listing), "f", vec![buffer]);
    match Evaluator::new().run(&Batch { jobs: vec![job] }).remove(0) {
        Err(RunnerError::ShaderRefused(reason)) => reason,
        other => panic!("not refused: {other:?}"),
    }
}

/// Once, a sign extension from more than 64 bits shifted by a negative number of bits, and one from
/// 0 bits by 64.
#[test]
fn integers_of_no_width_and_of_too_many_bits_are_no_types() {
    for width in ["0", "65", "4294967295"] {
        assert!(refusal(&format!("%1 = sext i{width} 1 to i64")).starts_with(&format!("`i{width}` is no type")));
        assert!(refusal(&format!("%1 = ashr i{width} 1, 0")).starts_with(&format!("`i{width}` is no type")));
        assert!(refusal(&format!("%1 = icmp slt i{width} 1, 0")).starts_with(&format!("`i{width}` is no type")));
    }
}

/// Types and operands are parsed and dropped by recursion.
#[test]
fn deep_nesting_is_refused() {
    let deep = |count: usize| {
        [format!("%1 = alloca {}", "[1 x ".repeat(count)), format!("%1 = select i1 {}", "{ i32 ".repeat(count))]
    };
    for line in deep(1 << 17) {
        assert!(refusal(&line).starts_with("types and constants nested deeper than 32"));
    }
    for line in deep(20) {
        assert!(!refusal(&line).starts_with("types and constants nested deeper than 32"));
    }
    // Pointers to pointers are read without recursion.
    assert_eq!(refusal(&format!("%1 = load i32, i32{} %0", "*".repeat(1 << 17))), "%0 is used before it is made");
}

#[test]
fn private_memory_is_limited() {
    assert!(refusal("%1 = alloca [4294967295 x i32]").starts_with("a type of more than 2147483648 bytes"));
    let twice = "%1 = alloca [4194304 x i32]\n%2 = alloca i32";
    assert_eq!(refusal(twice), "more than 16777216 bytes of private memory");
}

/// Each line would double the size of the aggregate.
#[test]
fn aggregate_of_results_is_refused() {
    let lines: Vec<String> =
        (1..40).map(|n| format!("%{n} = select i1 true, %T {{ i32 %{0}, i32 %{0} }}, %T undef", n - 1)).collect();
    assert!(refusal(&lines.join("\n")).starts_with("a constant that is made of %0"));
}

/// The evaluator once shifted a store's mask by each value's number, which could exceed 64.
#[test]
fn store_of_more_than_four_components_is_refused() {
    let line = |count: usize| {
        let values = "i32 0, ".repeat(count);
        format!("call void @dx.op.rawBufferStore.i32(i32 140, %T %1, i32 0, i32 0, {values} i8 1, i32 4)")
    };
    let handle = "%1 = call %T @dx.op.createHandleFromBinding(i32 217, %T { i32 1, i32 1, i32 0, i8 1 }, i32 1, i1 0)";
    assert_eq!(refusal(&format!("{handle}\n{}", line(5))), "the operation `rawBufferStore.i32`");
    assert!(refusal(&format!("{handle}\n{}", line(70))).starts_with("a call of more arguments than any has"));
}

/// Each `}` would prepend its name to all paths in its struct: 2048 levels around 2048 members with
/// names of 100 bytes.
#[test]
fn paths_that_fill_the_memory_are_refused() {
    let member = |name: &str| format!(";  float {name}; ; Offset: 0\n");
    let levels = 2048;
    let name = "n".repeat(100);
    let open = ";{\n".repeat(levels);
    let close = format!(";}} {name}; ; Offset: 0\n").repeat(levels);
    let listing = format!("; Buffer Definitions:\n; cbuffer S\n{open}{}{close}", member(&name).repeat(levels));
    assert!(buffer_definitions(&listing).unwrap_err().to_string().starts_with("no member"));
}
