//! The libFuzzer program of `mat`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::mat::run(data));
