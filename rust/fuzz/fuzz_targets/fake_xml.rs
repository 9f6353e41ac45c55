//! The libFuzzer program of `fake_xml`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::fake_xml::run(data));
