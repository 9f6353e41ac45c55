//! The libFuzzer program of `partial`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::partial::run(data));
