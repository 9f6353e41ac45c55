//! The libFuzzer program of `exact`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::exact::run(data));
