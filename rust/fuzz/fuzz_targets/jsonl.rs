//! The libFuzzer program of `jsonl`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::jsonl::run(data));
