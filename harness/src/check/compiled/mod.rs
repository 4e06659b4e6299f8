//! The shaders that compilers make of the user's own declarations.
//!
//! `produce_compiled` goes through the blocks of a subject, `block_access` is what a shader does with one, `compile_probe`
//! has the probe of one block compiled, and `compiled_code` finds the buffers in what came out. `authority` knows which
//! compilers a case has its numbers from, and which must refuse it. Frozen sets compile and read their probes by the same
//! functions.

mod authority;
mod block_access;
pub(crate) mod compile_probe;
mod compiled_code;
pub(crate) mod produce_compiled;
mod watched_compilers;
