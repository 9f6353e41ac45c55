//! The libFuzzer program of `arrow`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::arrow::run(data));
