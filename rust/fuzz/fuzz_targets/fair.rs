//! The libFuzzer program of `fair`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::fair::run(data));
