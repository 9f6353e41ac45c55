//! Values of functions of a token, appended to a buffer instead of returned, so that no string is
//! allocated per value. Characters are Unicode scalar values; ASCII words have a faster path.

/// Appends a lower-cased word, with the same result as `str::to_lowercase`.
pub(crate) fn push_lower(out: &mut String, word: &str) {
    let start = out.len();
    if word.is_ascii() {
        out.push_str(word);
        out[start..].make_ascii_lowercase();
    } else if word.contains('Σ') {
        // The only letter whose lower case depends on its position in the word.
        out.push_str(&word.to_lowercase());
    } else {
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
}

/// Appends the shape of a word, character by character: `McDonald's-10` has `XxXxxxxx'x-00`.
pub(super) fn push_shape(out: &mut String, word: &str) {
    out.extend(word.chars().map(shape));
}

/// Appends the shape of a word with runs of the same character reduced to one: `McDonald's-10` has
/// `XxXx'x-0`.
pub(super) fn push_short_shape(out: &mut String, word: &str) {
    let mut last = None;
    for c in word.chars().map(shape) {
        if last != Some(c) {
            out.push(c);
            last = Some(c);
        }
    }
}

/// The shape of a character: upper case `X`, other letters `x` (including letters without case),
/// digits and numeric characters that are not letters `0`; all other characters are kept.
fn shape(c: char) -> char {
    match c {
        'a'..='z' => 'x',
        'A'..='Z' => 'X',
        '0'..='9' => '0',
        _ if c.is_ascii() => c,
        _ if c.is_uppercase() => 'X',
        _ if c.is_alphabetic() => 'x',
        _ if c.is_numeric() => '0',
        _ => c,
    }
}

/// Appends a number in decimal.
pub(super) fn push_number(out: &mut String, number: usize) {
    if number >= 10 {
        push_number(out, number / 10);
    }
    out.push(char::from(b'0' + (number % 10) as u8));
}

/// The number of bytes in the first `n` characters, or `None` if there are fewer characters; `n` is
/// at least 1.
pub(super) fn prefix_len(word: &str, n: usize) -> Option<usize> {
    let head = word.as_bytes().get(..n)?;
    if head.is_ascii() {
        return Some(n);
    }
    let (start, last) = word.char_indices().nth(n - 1)?;
    Some(start + last.len_utf8())
}

/// The number of bytes before the last `n` characters, or `None` if there are fewer characters; `n`
/// is at least 1.
pub(super) fn suffix_start(word: &str, n: usize) -> Option<usize> {
    let start = word.len().checked_sub(n)?;
    if word.as_bytes()[start..].is_ascii() {
        return Some(start);
    }
    let (start, _) = word.char_indices().rev().nth(n - 1)?;
    Some(start)
}
