//! Strings of JSON and Python, with unescaped quotes and control characters.

use std::borrow::Cow;

/// The content of a string in the answer, not decoded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text {
    pub(super) start: usize,
    pub(super) end: usize,
    is_escaped: bool,
}

/// A scanned string.
pub(super) struct Scanned {
    pub(super) text: Text,
    /// Byte offset after the closing quote.
    pub(super) after: usize,
    /// True if the string contains unescaped quotes.
    pub(super) has_quotes: bool,
    /// True if the string contains control characters.
    pub(super) has_controls: bool,
}

/// Quotes that open a string, with those that close it.
const QUOTES: [(&str, &[&str]); 7] = [
    ("\"", &["\""]),
    ("'", &["'"]),
    ("“", &["”", "“", "\""]),
    ("”", &["”", "“", "\""]),
    ("„", &["“", "”", "\""]),
    ("‘", &["’", "‘"]),
    ("«", &["»"]),
];

/// Bytes and unescaped quotes between the first unescaped quote of a string and its end.
const MAX_INNER: usize = 2000;
const MAX_INNER_QUOTES: usize = 16;

/// The opening quote at the start of a text and its closing quotes.
pub(super) fn opening_quote(rest: &str) -> Option<(&'static str, &'static [&'static str])> {
    QUOTES.into_iter().find(|(open, _)| rest.starts_with(open))
}

impl Text {
    /// A text without escapes.
    pub(super) fn plain(start: usize, end: usize) -> Self {
        Self {
            start,
            end,
            is_escaped: false,
        }
    }

    /// The decoded text.
    pub(super) fn decode<'a>(&self, source: &'a str) -> Cow<'a, str> {
        let raw = &source[self.start..self.end];
        match self.is_escaped {
            true => Cow::Owned(unescape(raw, |_, _| ())),
            false => Cow::Borrowed(raw),
        }
    }

    /// The byte offset after each escape, in the decoded text and in the source.
    pub(super) fn escapes(&self, source: &str) -> Vec<(usize, usize)> {
        let mut escapes = Vec::new();
        if self.is_escaped {
            unescape(&source[self.start..self.end], |decoded, raw| {
                escapes.push((decoded, self.start + raw));
            });
        }
        escapes
    }
}

/// Scans the string whose opening quote is at a byte offset; None if it has no end.
///
/// A quote ends the string if the next characters can follow a string: a colon after a key, or a
/// comma, a closing bracket or another string after a value. Other quotes belong to the string if
/// they open and close in turn, as in `"the "big" apple"`; otherwise the first of them ends it. The
/// look-ahead is limited, so that reading again after the first of them takes linear time.
pub(super) fn scan(source: &str, at: usize, is_key: bool) -> Option<Scanned> {
    let (open, closers) = opening_quote(&source[at..])?;
    let start = at + open.len();
    let bytes = source.as_bytes();
    let mut string = Scanned {
        text: Text::plain(start, start),
        after: start,
        has_quotes: false,
        has_controls: false,
    };
    let mut inner = InnerQuotes::default();
    let mut here = start;
    while let Some(&byte) = bytes.get(here) {
        if inner.exceeds(here) {
            return inner.end(string, None);
        }
        if byte == b'\\' {
            string.text.is_escaped = true;
            here += 1;
            here += source[here..].chars().next()?.len_utf8();
            continue;
        }
        string.has_controls |= byte < b' ';
        let closer = match byte {
            b'"' | b'\'' | 0xC2 | 0xE2 => closers
                .iter()
                .find(|closer| source[here..].starts_with(**closer)),
            _ => None,
        };
        let Some(closer) = closer else {
            here += source[here..].chars().next()?.len_utf8();
            continue;
        };
        let after = here + closer.len();
        if ends_string(&source[after..], is_key) && !inner.is_open {
            string.has_quotes = inner.first.is_some();
            (string.text.end, string.after) = (here, after);
            return Some(string);
        }
        if !is_apostrophe(source, here, after) {
            let opens = !ends_with_word(&source[start..here]);
            if opens == inner.is_open {
                return inner.end(string, Some((here, after)));
            }
            inner.is_open = opens;
            inner.count += 1;
            inner.first.get_or_insert((here, after));
        }
        here = after;
    }
    None
}

/// The unescaped quotes in a string.
#[derive(Default)]
struct InnerQuotes {
    /// Byte offsets of the first of them and of the text after it.
    first: Option<(usize, usize)>,
    count: usize,
    /// True after a quote that opens.
    is_open: bool,
}

impl InnerQuotes {
    /// True if the look-ahead at an offset is beyond its limits.
    fn exceeds(&self, here: usize) -> bool {
        self.first
            .is_some_and(|(first, _)| self.count > MAX_INNER_QUOTES || here - first > MAX_INNER)
    }

    /// The string that ends at the first quote, or at the given one.
    fn end(&self, mut string: Scanned, quote: Option<(usize, usize)>) -> Option<Scanned> {
        (string.text.end, string.after) = self.first.or(quote)?;
        Some(string)
    }
}

/// True if a quote is between two letters.
fn is_apostrophe(source: &str, here: usize, after: usize) -> bool {
    !source[here..].starts_with('"')
        && ends_with_word(&source[..here])
        && source[after..].starts_with(char::is_alphanumeric)
}

/// True if the last character is not white space or an opening bracket.
fn ends_with_word(text: &str) -> bool {
    let last = text.chars().next_back();
    last.is_some_and(|c| !c.is_whitespace() && !"([{-–—/".contains(c))
}

/// True if a string can end before this text.
fn ends_string(rest: &str, is_key: bool) -> bool {
    let next = rest.trim_start();
    let Some(first) = next.chars().next() else {
        return true;
    };
    if is_key {
        return ":=,})]".contains(first);
    }
    let blanks = &rest[..rest.len() - next.len()];
    match first {
        ']' | '}' | ')' => true,
        ',' => starts_item(next[1..].trim_start()),
        _ if blanks.contains('\n') => true,
        '/' => next.starts_with("//") || next.starts_with("/*"),
        '#' => !blanks.is_empty(),
        _ => !blanks.is_empty() && opening_quote(next).is_some(),
    }
}

/// True if the text after a comma can be the next value or key.
fn starts_item(rest: &str) -> bool {
    let Some(first) = rest.chars().next() else {
        return true;
    };
    if "[{()]},-/#.".contains(first) || first.is_ascii_digit() || opening_quote(rest).is_some() {
        return true;
    }
    let len = rest
        .bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        .count();
    let (word, rest) = rest.split_at(len);
    let is_literal = [
        "null", "true", "false", "None", "True", "False", "NaN", "Infinity",
    ]
    .iter()
    .any(|literal| *literal == word || rest.is_empty() && literal.starts_with(word));
    len > 0 && (is_literal || rest.starts_with([':', '=', '(']))
}

/// Decodes escapes. A lone surrogate becomes U+FFFD, an unknown escape is kept.
///
/// `mark` is called after each escape with the lengths of the decoded and of the raw text up to it.
fn unescape(raw: &str, mut mark: impl FnMut(usize, usize)) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(escape) = rest.chars().next() else {
            text.push('\\');
            break;
        };
        rest = &rest[escape.len_utf8()..];
        match escape {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            '"' | '\'' | '\\' | '/' | '`' => text.push(escape),
            '\n' => {}
            'u' => rest = unicode_escape(rest, 4, &mut text),
            'x' => rest = unicode_escape(rest, 2, &mut text),
            'U' => rest = unicode_escape(rest, 8, &mut text),
            _ if opening_quote(&format!("{escape}")).is_some() => text.push(escape),
            _ => text.extend(['\\', escape]),
        }
        mark(text.len(), raw.len() - rest.len());
    }
    text.push_str(rest);
    text
}

/// Decodes the digits of an escape, and a second escape of a surrogate pair; returns the rest.
fn unicode_escape<'a>(rest: &'a str, digits: usize, text: &mut String) -> &'a str {
    let Some(high) = hexadecimal(rest, digits) else {
        text.push_str(match digits {
            4 => "\\u",
            2 => "\\x",
            _ => "\\U",
        });
        return rest;
    };
    let rest = &rest[digits..];
    if (0xD800..0xDC00).contains(&high)
        && let Some(second) = rest.strip_prefix("\\u")
        && let Some(low) = hexadecimal(second, 4)
        && (0xDC00..0xE000).contains(&low)
    {
        let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
        text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        return &second[4..];
    }
    text.push(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
    rest
}

fn hexadecimal(text: &str, digits: usize) -> Option<u32> {
    let digits = text.get(..digits)?;
    let is_hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hexadecimal.then(|| u32::from_str_radix(digits, 16).ok())?
}
