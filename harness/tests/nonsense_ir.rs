//! Untrusted IR: refused with a reason, without panics, memory exhaustion or endless loops.

use layoutproof_device::{Batch, BufferKind, Job, JobBuffer, Runner, RunnerError, Shader};
use layoutproof_readers::clang_ir::{constant_buffers, resources};
use layoutproof_readers::evaluator::Evaluator;

const HEAD: &str = "target datalayout = \"e-p:32:32-i32:32\"\n";

/// Runs the evaluator on a module: the lines of `module`, then a function `f` with `lines`.
fn answer(module: &str, lines: &str) -> Result<(), String> {
    // Only labels start at the beginning of a line.
    let line = |line: &str| if line.ends_with(':') { format!("{line}\n") } else { format!("  {line}\n") };
    let body: String = lines.lines().map(line).collect();
    let text = format!("{HEAD}{module}\ndefine void @f() {{\n{body}}}\n");
    let (kind, bytes) = (BufferKind::Storage, vec![0; 64]);
    let buffer = JobBuffer { set: 0, binding: 1, element: 0, kind, bytes, after: Vec::new(), before_word: 0 };
    let job = Job::compute(Shader::ClangIr(text), "f", vec![buffer]);
    match Evaluator::new().run(&Batch { jobs: vec![job] }).remove(0) {
        Ok(_) => Ok(()),
        Err(RunnerError::ShaderRefused(reason)) => Err(reason),
        Err(other) => panic!("neither executed nor refused: {other:?}"),
    }
}

fn refusal(lines: &str) -> String {
    answer("", lines).expect_err("the lines are nonsense")
}

#[test]
fn types_that_contain_themselves_are_refused() {
    for module in ["%A = type { %A }", "%A = type { i32, %B }\n%B = type { [2 x %A] }"] {
        assert_eq!(answer(module, "ret void"), Err("%A is too deep, or contains itself".to_owned()));
    }
    // Each type contains the previous one twice: the last has 2^63 numbers.
    let doubled: Vec<String> = (1..64).map(|n| format!("%T{n} = type {{ %T{0}, %T{0} }}", n - 1)).collect();
    let module = format!("%T0 = type {{ i32 }}\n{}", doubled.join("\n"));
    assert_eq!(answer(&module, "ret void"), Err("a type of more than 2147483648 bytes".to_owned()));
    let chained: Vec<String> = (1..5000).map(|n| format!("%T{n} = type {{ %T{} }}", n - 1)).collect();
    let module = format!("%T0 = type {{ i32 }}\n{}", chained.join("\n"));
    assert!(answer(&module, "ret void").unwrap_err().contains("too deep"));
}

/// Types and constants are parsed and dropped by recursion.
#[test]
fn deep_nesting_is_refused() {
    for line in [
        format!("%1 = alloca {}", "[1 x ".repeat(1 << 17)),
        format!("%1 = alloca {}", "{ ".repeat(1 << 17)),
        format!("%1 = load i32, ptr {}", "getelementptr (i8, ptr ".repeat(1 << 17)),
        format!("%1 = load i32, ptr {}", "addrspacecast (ptr ".repeat(1 << 17)),
        format!("%1 = freeze <2 x i32> {}", "<<2 x i32> ".repeat(1 << 17)),
    ] {
        assert!(refusal(&line).starts_with("types and constants nested deeper than 32"), "{}", &line[..40]);
    }
}

#[test]
fn memory_and_time_are_limited() {
    assert_eq!(refusal("%1 = alloca [2147483648 x i8]"), "more than 16777216 bytes of private memory");
    assert!(refusal("%1 = alloca [4294967295 x i64]").starts_with("a type of more than 2147483648 bytes"));
    let again = "%1 = alloca [16777216 x i8]\n%2 = alloca i32\nret void";
    assert_eq!(refusal(again), "more than 16777216 bytes of private memory");
    assert_eq!(refusal("br label %1\n1:\nbr label %1"), "more than 1048576 instructions");
    assert_eq!(refusal("call void @f()\nret void"), "more than 32 calls within each other");
    assert!(
        refusal("%1 = freeze <4294967295 x i32> zeroinitializer").starts_with("a vector of none or more than 1024")
    );
    let many = "%1 = alloca [1000 x i32]\n%2 = load [1000 x i32], ptr %1\nret void";
    assert_eq!(refusal(many), "an aggregate of more than 512 bytes at once");
    let empty = "%1 = alloca [1000 x {}]\n%2 = load [1000 x {}], ptr %1\nret void";
    assert_eq!(refusal(empty), "an array of more than 64 elements at once");
    let copies = "%1 = alloca [65536 x i8]\nbr label %2\n2:\n\
        call void @llvm.memcpy.p0.p0.i32(ptr %1, ptr %1, i32 65536, i1 false)\nbr label %2";
    assert_eq!(refusal(copies), "more than 1048576 instructions");
    let copy = "%1 = alloca i32\ncall void @llvm.memcpy.p0.p0.i32(ptr %1, ptr %1, i32 -1, i1 false)\nret void";
    assert_eq!(refusal(copy), "a copy of more than 65536 bytes");
}

#[test]
fn what_leads_nowhere_is_refused() {
    assert_eq!(refusal("%1 = add i32 1, 2"), "a block without an end");
    assert_eq!(refusal("br label %9"), "no block is called %9");
    assert_eq!(refusal("%1 = load i32, ptr %1\nret void"), "%1 is used before it is made");
    assert_eq!(refusal("%1 = load i32, ptr @x\nret void"), "@x is not defined");
    assert_eq!(refusal("br label %1\n1:\n%2 = phi i32 [ 1, %7 ]\nret void"), "%2 has no value from %0");
    assert!(refusal("%1 = alloca %T\nret void").starts_with("%T is not defined"));
    assert_eq!(
        answer("", "%1 = alloca i32\n%2 = getelementptr i8, ptr %1, i32 -5\nstore i32 1, ptr %2\nret void"),
        Ok(())
    );
}

#[test]
fn nonsense_has_no_tables() {
    for text in ["", "define", HEAD, "target datalayout = \"e-p:32:32\"\n!hlsl.cbs = !{!0}\n!0 = !{ptr @B}"] {
        assert!(resources(text).is_err());
    }
    assert!(constant_buffers(&format!("{HEAD}!hlsl.cbs = !{{!0}}\n!0 = !{{!0}}")).is_err());
    let unknown = constant_buffers(&format!("{HEAD}!hlsl.cbs = !{{!7}}"));
    assert!(unknown.unwrap_err().to_string().contains("!7 is not defined"));
    assert_eq!(constant_buffers(HEAD).map(|buffers| buffers.len()), Ok(0));
}
