//! Schemes, readings, dialects and tags chosen by the fuzzer's bytes.

use spanrs_tags::{Dialect, Reader, Reading, Scheme};

use crate::input::Input;

/// Types used in tags.
pub const TYPES: [&str; 4] = ["A", "B-b", "O", "_"];
/// Prefixes of all schemes, and one unknown prefix.
const PREFIXES: [&str; 10] = ["B", "I", "E", "S", "L", "U", "M", "W", "O", "X"];
/// Tags that do not have the form `prefix-type`.
const ODD: [&str; 9] = ["O", "", "-", "A", "B", "I", "B-", "-A", "."];

/// A scheme.
pub fn scheme(input: &mut Input<'_>) -> Scheme {
    let all: Vec<Scheme> = Scheme::all().collect();
    input.pick(&all)
}

/// A reading that is defined for the scheme.
pub fn reading(input: &mut Input<'_>, scheme: Scheme) -> Reading {
    let all: Vec<Reading> = Reading::all()
        .filter(|&reading| Reader::new(scheme, reading, Dialect::default()).is_ok())
        .collect();
    input.pick(&all)
}

/// A dialect.
pub fn dialect(input: &mut Input<'_>) -> Dialect {
    let byte = input.byte();
    Dialect {
        separator: ["-", "_", "::"][usize::from(byte >> 4) % 3].to_owned(),
        suffix: byte & 1 != 0,
        bare_is_type: byte & 2 != 0,
        unknown_is_outside: byte & 4 != 0,
    }
}

/// A tag of the default dialect; half of them are tags of the scheme.
pub fn tag(byte: u8, scheme: Scheme) -> String {
    let number = usize::from(byte);
    let ty = TYPES[number % TYPES.len()];
    if byte >= 128 {
        let prefixes = scheme.prefixes();
        return match (scheme, number / TYPES.len() % (prefixes.len() + 1)) {
            (_, 0) => "O".to_owned(),
            (Scheme::Token, _) => ty.to_owned(),
            (_, at) => format!("{}-{ty}", prefixes[at - 1].letter),
        };
    }
    match ODD.get(number) {
        Some(odd) => (*odd).to_owned(),
        None => format!("{}-{ty}", PREFIXES[number / TYPES.len() % PREFIXES.len()]),
    }
}
