//! Spans chosen by the fuzzer's bytes.

use spanrs_base::Span;

use crate::input::Input;

/// Possible positions of the spans of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// In text order, without overlaps.
    Flat,
    /// In any order, including nested, crossing and duplicate spans.
    Wild,
    /// Same as `Wild`, but some spans are empty or end before they begin.
    Empty,
}

/// At most `most` spans of three types; one byte chooses the number.
pub fn spans(input: &mut Input<'_>, shape: Shape, most: usize) -> Vec<Span<i64>> {
    let count = input.below(most + 1);
    let mut last = 0;
    let mut span = || {
        let (place, kind) = (i64::from(input.byte()), input.byte());
        let (ty, length) = (u32::from(kind) % 3, i64::from(kind / 3) % 8);
        let (start, length) = match shape {
            Shape::Flat => (last + place % 3, length % 3 + 1),
            Shape::Wild => (place % 14, length % 6 + 1),
            Shape::Empty => (place % 14, length - 2),
        };
        last = start + length;
        Span {
            start,
            end: last,
            ty,
        }
    };
    (0..count).map(|_| span()).collect()
}
