//! Globals that only methods of local variables name. Every number is from the listing of DXC
//! 1.7.2308 (`-T cs_6_6`).

use super::shader;

const STRUCTS: &str = "RWBuffer<float> C; RWBuffer<float> D; RWBuffer<float> A; RWBuffer<float> B;
    struct P { int p; float base() { return C[0]; } };
    struct R : P { float get() { return D[0]; } float own() { return get() + B[0]; } };
    struct Q { R r; float get() { return A[1]; } float two() { R x; return x.get(); } };
    namespace N { struct R { int a; float get() { return C[0]; } }; }";

fn bound(statements: &str) -> String {
    let mut rows = shader(STRUCTS, statements);
    rows.sort_by_key(|row| row.rsplit_once(' ').map(|(_, register)| register.to_owned()));
    rows.join(", ")
}

#[test]
fn a_method_of_a_local_variable_uses_what_it_names() {
    assert_eq!(bound("R r; A[0] = r.get();"), "D u0, A u1");
    assert_eq!(bound("R r; A[0] = r.base();"), "C u0, A u1");
    assert_eq!(bound("R r; A[0] = r.own();"), "D u0, A u1, B u2");
    assert_eq!(bound("N::R r; A[0] = r.get();"), "C u0, A u1");
    assert_eq!(bound("R r; A[0] = 1;"), "A u0");
}

#[test]
fn a_method_of_the_same_name_around_it_is_another_one() {
    assert_eq!(bound("Q q; A[0] = q.two();"), "D u0, A u1");
}
