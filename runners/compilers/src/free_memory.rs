//! Gives memory that nothing uses back to the system.
//!
//! glibc keeps what was freed apart for each thread that had it, so that a run whose threads come and go would hold several
//! times what it needs.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
unsafe extern "C" {
    // Returns 1 if there was some; 0 is no error.
    safe fn malloc_trim(kept: usize) -> std::ffi::c_int;
}

/// Gives all free memory back, where the system's allocator has a call for it.
pub fn give_back_free_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    malloc_trim(0);
}
