//! The libFuzzer program of `label_studio`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::label_studio::run(data));
