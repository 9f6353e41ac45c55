//! The libFuzzer program of `mat_json`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::mat_json::run(data));
