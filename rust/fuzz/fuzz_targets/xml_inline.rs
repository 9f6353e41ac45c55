//! The libFuzzer program of `xml_inline`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::xml_inline::run(data));
