//! The libFuzzer program of `brat`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::brat::run(data));
