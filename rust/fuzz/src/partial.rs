//! Fuzz target for the partial matcher.

use crate::input::Input;
use crate::partial_rows::agree;
use crate::span_input::{Shape, spans};

/// Asserts the properties checked by [`agree`]. The first bytes choose the shape of the spans and
/// the threshold.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let shape = input.pick(&[Shape::Flat, Shape::Wild, Shape::Empty]);
    let min = input.pick(&[1.0, 33.0, 50.0, 100.0]);
    let gold = spans(&mut input, shape, 6);
    let pred = match input.below(4) {
        0 => gold.clone(),
        _ => spans(&mut input, shape, 6),
    };
    agree(&gold, &pred, min);
}
