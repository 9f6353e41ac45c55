//! The libFuzzer program of `conllu`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::conllu::run(data));
