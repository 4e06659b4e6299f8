//! Calls code that may panic where a panic is an answer: naga's writers assert what its validator does not check.

use std::cell::Cell;
use std::panic::{UnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// True while a panic of this thread is an answer.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Calls `ask`. Returns `None` if it panics, without the panic's message and backtrace on standard error.
pub fn caught<T>(ask: impl FnOnce() -> T + UnwindSafe) -> Option<T> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_CAUGHT.get() {
                usual(panic);
            }
        }));
    });

    let was_caught = IS_CAUGHT.replace(true);
    let answer = catch_unwind(ask);
    IS_CAUGHT.set(was_caught);
    answer.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_no_answer() {
        assert_eq!(caught(|| 1), Some(1));
        assert_eq!(caught(|| caught(|| -> u32 { panic!("inner") })), Some(None));
        assert_eq!(caught(|| -> u32 { panic!("outer") }), None);
        assert!(!IS_CAUGHT.get());
    }
}
