//! The libFuzzer program of `task_xml`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::task_xml::run(data));
