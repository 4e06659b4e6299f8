//! Has compilers make shaders from the user's own declarations.
//!
//! `produce_compiled` goes through the blocks of a subject, `block_access` describes the accesses
//! to one block, `compile_probe` compiles a probe, and `compiled_code` finds the buffers in the
//! output. `authority` knows which compilers gave a case its numbers, and which ones must refuse
//! the case.
//!
//! Frozen sets compile and read their probes through the same functions.

mod authority;
mod block_access;
pub(crate) mod compile_probe;
mod compiled_code;
mod own_file;
pub(crate) mod produce_compiled;
mod translated;
mod watched_compilers;
