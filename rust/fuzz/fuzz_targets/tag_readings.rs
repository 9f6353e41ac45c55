//! The libFuzzer program of `tag_readings`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::tag_readings::run(data));
