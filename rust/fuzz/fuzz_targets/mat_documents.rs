//! The libFuzzer program of `mat_documents`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::mat_documents::run(data));
