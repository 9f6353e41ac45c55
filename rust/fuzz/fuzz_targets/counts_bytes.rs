//! The libFuzzer program of `counts_bytes`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::counts_bytes::run(data));
