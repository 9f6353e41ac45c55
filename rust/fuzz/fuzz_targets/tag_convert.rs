//! The libFuzzer program of `tag_convert`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::tag_convert::run(data));
