//! Escapes and separators of WebAnno TSV.

use std::borrow::Cow;

/// Characters that mean themselves behind a backslash.
const LITERAL: [u8; 7] = *b"\\[]|_;*";

/// Resolves escapes in a text or a value. An escape with another meaning in `extra` is resolved by
/// it; unknown escapes are kept.
fn unescape(text: &str, extra: impl Fn(&str) -> Option<(char, usize)>) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        plain.push_str(&rest[..at]);
        let escape = &rest[at + 1..];
        let (character, bytes) = match escape.as_bytes().first() {
            Some(&byte) if LITERAL.contains(&byte) => (char::from(byte), 1),
            Some(b't') => ('\t', 1),
            Some(b'n') => ('\n', 1),
            Some(b'-') if escape.starts_with("->") => ('-', 1),
            _ => extra(escape).unwrap_or(('\\', 0)),
        };
        plain.push(character);
        rest = &escape[bytes..];
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// Resolves the escapes in the value of a feature.
pub(super) fn unescape_value(value: &str) -> Cow<'_, str> {
    unescape(value, |_| None)
}

/// Resolves the escapes in a sentence. WebAnno TSV 3.0 and 3.1 (`legacy`) use the escapes of Java.
pub(super) fn unescape_text(text: &str, legacy: bool) -> Cow<'_, str> {
    unescape(text, |escape| {
        let first = escape.chars().next()?;
        match first {
            'r' => Some(('\r', 1)),
            'f' => Some(('\u{C}', 1)),
            'b' => Some(('\u{8}', 1)),
            '"' | '\'' | '/' if legacy => Some((first, 1)),
            'u' if legacy => unit(escape),
            // Control characters are escaped by a backslash.
            _ if first < ' ' => Some((first, 1)),
            _ => None,
        }
    })
}

/// Resolves `uXXXX`, or two of these with a backslash between them for a character beyond U+FFFF:
/// returns the character and the number of bytes.
fn unit(escape: &str) -> Option<(char, usize)> {
    let digits = |text: &str| {
        let digits = text.get(1..5)?;
        let hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        hexadecimal.then(|| u16::from_str_radix(digits, 16).ok())?
    };
    let first = digits(escape)?;
    if let Some(character) = char::from_u32(first.into()) {
        return Some((character, 5));
    }
    let second = digits(
        escape
            .get(5..)?
            .strip_prefix('\\')
            .filter(|e| e.starts_with('u'))?,
    )?;
    let pair = char::decode_utf16([first, second]).next()?.ok()?;
    Some((pair, 11))
}

/// Appends the value of a feature, escaped as by WebAnno.
pub(super) fn escape_value(value: &str, out: &mut Vec<u8>) {
    for (at, byte) in value.bytes().enumerate() {
        match byte {
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'-' if value.as_bytes().get(at + 1) == Some(&b'>') => out.extend_from_slice(b"\\-"),
            _ if LITERAL.contains(&byte) => out.extend_from_slice(&[b'\\', byte]),
            _ => out.push(byte),
        }
    }
}

/// Appends a line of a sentence, escaped as by WebAnno 3.2.
pub(super) fn escape_text(text: &str, out: &mut Vec<u8>) {
    for byte in text.bytes() {
        match byte {
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            8 => out.extend_from_slice(b"\\b"),
            12 => out.extend_from_slice(b"\\f"),
            // The vertical tab is not escaped.
            0..=7 | 14..=31 => out.extend_from_slice(&[b'\\', byte]),
            _ => out.push(byte),
        }
    }
}

/// Splits a cell at a separator that is not escaped.
pub(super) fn split(cell: &str, separator: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(cell);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut escaped = false;
        let end = text.bytes().position(|byte| {
            let ends = byte == separator && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        });
        let part = match end {
            Some(end) => {
                rest = Some(&text[end + 1..]);
                &text[..end]
            }
            None => {
                rest = None;
                text
            }
        };
        Some(part)
    })
}

/// Splits `PER[1]` into the value and the text in brackets, unless the brackets are escaped.
pub(super) fn split_id(part: &str) -> (&str, Option<&str>) {
    let Some(inner) = part.strip_suffix(']') else {
        return (part, None);
    };
    let Some(open) = inner.rfind('[') else {
        return (part, None);
    };
    let id = &inner[open + 1..];
    let backslashes = inner[..open]
        .bytes()
        .rev()
        .take_while(|&byte| byte == b'\\');
    let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    match is_id && backslashes.count() % 2 == 0 {
        true => (&inner[..open], Some(id)),
        false => (part, None),
    }
}

/// Splits `coref->1-2` into the value, the number of the chain and the number of the link.
pub(super) fn split_link(part: &str) -> Option<(&str, u32, u32)> {
    let (value, numbers) = part.rsplit_once("->")?;
    let (chain, link) = numbers.split_once('-')?;
    Some((value, chain.parse().ok()?, link.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_texts_survive_escaping() {
        for value in [
            "",
            "a|b[1];*_\\",
            "a->b",
            "-->",
            "\\t\t\n",
            "x\\",
            "->-",
            "\u{1F600}",
        ] {
            let mut escaped = Vec::new();
            escape_value(value, &mut escaped);
            let escaped = String::from_utf8(escaped).unwrap();
            assert_eq!(unescape_value(&escaped), value);
            let cell = format!("{escaped}[12]|{escaped}");
            let parts: Vec<_> = split(&cell, b'|').map(split_id).collect();
            assert_eq!(parts, [(&*escaped, Some("12")), (&*escaped, None)]);
        }
        for text in ["a\tb\r\u{1}\u{B}\u{C}\\n", "a_b[1]", "\\"] {
            let mut escaped = Vec::new();
            escape_text(text, &mut escaped);
            let escaped = String::from_utf8(escaped).unwrap();
            assert_eq!(unescape_text(&escaped, false), text);
        }
    }

    #[test]
    fn old_files_have_the_escapes_of_java() {
        let text = "\\u00e9\\uD83D\\uDE00\\\"\\u12\\uD83D\\q";
        assert_eq!(
            unescape_text(text, true),
            "\u{e9}\u{1F600}\"\\u12\\uD83D\\q"
        );
        assert_eq!(unescape_text("\\u00e9", false), "\\u00e9");
        assert_eq!(split_link("a\\->b->1-2"), Some(("a\\->b", 1, 2)));
        assert_eq!(split_link("a->b"), None);
    }
}
