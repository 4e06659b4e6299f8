//! Sources whose placement would fill the memory or never end. layoutproof refuses them quickly.

use super::placed;
use crate::{BindingRequest, Convention, Target};

/// Returns the first errors of DXC's and Clang's conventions.
fn refused(source: &str) -> [Vec<String>; 2] {
    [Convention::Dxc, Convention::Clang]
        .map(|convention| placed(source, &BindingRequest::new(Target::D3d12, convention)))
}

fn many(count: usize, unit: &dyn Fn(usize) -> String) -> String {
    (0..count).map(unit).collect()
}

const TOO_LARGE: &str = "error: the entry point reaches more than 65536 uses and calls, or calls nested too deep";

/// Each overload calls all others. The walk was once as deep as the number of functions, with a
/// list of all calls at each level.
#[test]
fn overloads_that_call_each_other() {
    let functions = many(1000, &|_| "void f(int a) { f(a); t.Load(0); }".to_owned());
    let source = format!("Buffer<float> t; {functions} [numthreads(1, 1, 1)] void main() {{ f(1); }}");
    assert_eq!(refused(&source), [[TOO_LARGE], [TOO_LARGE]]);
}

/// Each function calls the next twice: 2^40 calls, of which 41 are walked.
#[test]
fn calls_that_double() {
    let functions = many(40, &|n| format!("void f{n}() {{ f{0}(); f{0}(); }}", n + 1));
    let source = format!(
        "Buffer<float> t; void f40() {{ t.Load(0); }} {functions} [numthreads(1, 1, 1)] void main() {{ f0(); }}"
    );
    assert_eq!(refused(&source), [["t t0"], ["t t0"]]);
}

#[test]
fn calls_nested_deep() {
    let functions = many(5000, &|n| format!("void f{n}() {{ f{}(); }}", n + 1));
    let source = format!(
        "Buffer<float> t; void f5000() {{ t.Load(0); }} {functions} [numthreads(1, 1, 1)] void main() {{ f0(); }}"
    );
    assert_eq!(refused(&source), [[TOO_LARGE], [TOO_LARGE]]);
}

/// Each of 2000 ranges overlaps all others, and Clang's convention reports the overlaps one by one.
#[test]
fn overlaps_of_all_with_all() {
    let buffers = many(2000, &|n| format!("Buffer<float> t{n} : register(t0);"));
    let uses = many(2000, &|n| format!("t{n}.Load(0);"));
    let [_, clang] = refused(&format!("{buffers} [numthreads(1, 1, 1)] void main() {{ {uses} }}"));
    assert_eq!(clang.len(), 100);
    assert!(
        clang[0].starts_with("error: resource t0 at register 0 overlaps with resource t1 at register 0"),
        "{clang:?}"
    );
}
