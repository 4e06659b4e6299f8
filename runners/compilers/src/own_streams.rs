//! What this process can write to: whether it began without a standard output, and what happens at
//! the limit on the size of files.

#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicBool, Ordering};

/// True if the standard output was closed when this process began (`layoutproof ... >&-`). What it
/// prints goes nowhere then: Rust's start-up code opens `/dev/null` in its place.
pub fn began_without_output() -> bool {
    #[cfg(target_os = "linux")]
    return CLOSED.load(Ordering::Relaxed);
    #[cfg(not(target_os = "linux"))]
    return false;
}

#[cfg(target_os = "linux")]
static CLOSED: AtomicBool = AtomicBool::new(false);

/// The loader calls it before Rust's start-up code, which hides the closed stream.
///
/// Source: System V ABI, "Initialization and Termination Functions"; `std::sys::pal::unix::init`.
#[cfg(target_os = "linux")]
#[used]
// SAFETY: the section holds pointers to functions, and the function needs nothing of Rust's runtime.
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

#[cfg(target_os = "linux")]
extern "C" fn look() {
    let output = rustix::stdio::stdout();
    CLOSED.store(rustix::io::fcntl_getfd(output).is_err(), Ordering::Relaxed);
}

/// Makes a write past the limit on the size of files (`ulimit -f`) an error. Otherwise SIGXFSZ ends
/// this process without a message. Processes that this one starts die of the signal as usual.
#[cfg(unix)]
pub fn report_full_files() {
    let seen = std::sync::Arc::default();
    // If it cannot be installed, the signal ends the process, as before.
    let _ = signal_hook::flag::register(rustix::process::Signal::XFSZ.as_raw(), seen);
}

/// Does nothing: this system has no such limit.
#[cfg(not(unix))]
pub fn report_full_files() {}
