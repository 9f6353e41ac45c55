//! The libFuzzer program of `repeated`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::repeated::run(data));
