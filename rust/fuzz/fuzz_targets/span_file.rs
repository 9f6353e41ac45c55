//! The libFuzzer program of `span_file`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::span_file::run(data));
