//! The libFuzzer program of `columns_pair`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| spanrs_fuzz::columns_pair::run(data));
