#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| layoutproof_fuzz::modules(input));
