//! The libFuzzer program for all targets.
#![no_main]

use std::sync::LazyLock;

static TARGET: LazyLock<spanrs_fuzz::Target> = LazyLock::new(spanrs_fuzz::chosen_target);

libfuzzer_sys::fuzz_target!(|data: &[u8]| TARGET(data));
