//! The libFuzzer program of `fair_files`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::fair_files::run(data));
