//! The libFuzzer program of `convert_job`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::convert_job::run(data));
