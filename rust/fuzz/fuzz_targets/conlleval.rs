//! The libFuzzer program of `conlleval`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::conlleval::run(data));
