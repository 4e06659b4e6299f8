//! Returns unused memory to the system.
//!
//! glibc keeps freed memory in an arena for each thread that used it. A run whose threads come and
//! go would otherwise hold several times the memory it needs.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
unsafe extern "C" {
    // Returns 1 if it released memory; 0 is not an error.
    safe fn malloc_trim(kept: usize) -> std::ffi::c_int;
}

/// Releases all free memory, if the system's allocator has a call for it.
pub fn give_back_free_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    malloc_trim(0);
}
