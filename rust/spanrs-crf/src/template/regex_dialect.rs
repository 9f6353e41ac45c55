//! Regular expressions with Wapiti's character classes.
//!
//! | Wapiti | here | matches |
//! |---|---|---|
//! | `\a`, `\A` | `\p{Alphabetic}`, `\P{Alphabetic}` | letters; all others |
//! | `\l`, `\L` | `\p{Lowercase}`, `\P{Lowercase}` | lower case; all others |
//! | `\u`, `\U` | `\p{Uppercase}`, `\P{Uppercase}` | upper case; all others |
//! | `\p`, `\P` | `[\p{P}\p{S}]`, `[^\p{P}\p{S}]` | punctuation and symbols; all others |
//!
//! Everything else is the syntax of the [`regex`] crate, which guarantees linear time, so an
//! untrusted template cannot make tagging hang.

use regex::Regex;

/// Compiles a regular expression.
///
/// # Errors
/// The reason, without the pattern: the last line of the message of the [`regex`] crate.
pub(super) fn compile(pattern: &str) -> Result<Regex, String> {
    Regex::new(&translate(pattern)).map_err(|error| {
        let message = error.to_string();
        let reason = message.lines().last().unwrap_or_default().trim();
        reason.strip_prefix("error: ").unwrap_or(reason).to_owned()
    })
}

/// Replaces Wapiti's character classes with character classes of the `regex` crate.
///
/// `\u{..}`, `\U{..}`, `\p{..}` and `\P{..}` keep the meaning they have in the `regex` crate, as do
/// all other escapes.
fn translate(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let Some(class) = chars.next() else {
            out.push(c);
            break;
        };
        let braces = chars.peek() == Some(&'{');
        match class {
            'a' => out.push_str(r"\p{Alphabetic}"),
            'A' => out.push_str(r"\P{Alphabetic}"),
            'l' => out.push_str(r"\p{Lowercase}"),
            'L' => out.push_str(r"\P{Lowercase}"),
            'u' if !braces => out.push_str(r"\p{Uppercase}"),
            'U' if !braces => out.push_str(r"\P{Uppercase}"),
            'p' if !braces => out.push_str(r"[\p{P}\p{S}]"),
            'P' if !braces => out.push_str(r"[^\p{P}\p{S}]"),
            _ => out.extend([c, class]),
        }
    }
    out
}
