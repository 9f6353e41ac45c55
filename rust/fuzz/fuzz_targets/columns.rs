//! The libFuzzer program of `columns`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::columns::run(data));
