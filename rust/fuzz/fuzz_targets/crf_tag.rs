//! The libFuzzer program of `crf_tag`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::crf_tag::run(data));
