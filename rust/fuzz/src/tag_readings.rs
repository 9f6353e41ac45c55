//! Fuzz target for reading tags as spans.

use crate::input::Input;
use crate::tag_input::{dialect, reading, scheme, tag};
use crate::tag_laws::check_reading;

/// Asserts the properties checked by [`check_reading`]. The first bytes choose scheme, reading and dialect; each other
/// byte is a tag.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let scheme = scheme(&mut input);
    let reading = reading(&mut input, scheme);
    let dialect = dialect(&mut input);
    let tags = input.rest().iter().take(200);
    let tags: Vec<String> = tags.map(|&byte| tag(byte, scheme)).collect();
    check_reading(scheme, reading, &dialect, &tags);
}
