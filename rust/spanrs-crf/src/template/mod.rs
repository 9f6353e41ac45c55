//! Feature templates: attribute strings from columns of strings.
//!
//! A template has one attribute per line. A line contains macros such as `%x[-1,0]`, which are
//! replaced by a value computed from the token at an offset (here the previous token) in a column
//! (here the first). Template files of CRF++ and of Wapiti can be read; attributes are named as in
//! CRF++.
//!
//! ```text
//! # Lines beginning with # are comments.
//! U00:%x[-1,0]
//! U01:%x[0,0]
//! U02:%x[-1,0]/%x[0,0]
//! U03:%suffix[0,0,3]
//! B
//! ```
//!
//! # Lines
//! | line begins with | meaning |
//! |---|---|
//! | `U` or `u` | an attribute of the token; without macros it is a bias |
//! | `B` or `b` | label transitions, which the model always has; no attribute; macros are rejected |
//! | `*` | both an attribute and label transitions; macros are rejected |
//! | `#` | comment |
//!
//! # Macros
//! Arguments are `[offset,column]`, with offset 0 for the current token and column 0 for the first column. `@1` instead
//! of an offset is the first token of the sequence and `@-1` the last token.
//!
//! | macro | value | for `McDonald's-10` |
//! |---|---|---|
//! | `%x[0,0]` | the token | `McDonald's-10` |
//! | `%X[0,0]`, `%lower[0,0]` | lower-cased | `mcdonald's-10` |
//! | `%t[0,0,"regex"]` | `true` if the regular expression matches, else `false` | `"\d$"`: `true` |
//! | `%m[0,0,"regex"]` | first match of the regular expression; empty if there is none | `"\d+"`: `10` |
//! | `%T[..]`, `%M[..]` | the same, lower-cased | `"^\u\l"`: `mc` |
//! | `%prefix[0,0,n]` | first `n` characters | 3: `McD` |
//! | `%suffix[0,0,n]` | last `n` characters | 3: `-10` |
//! | `%shape[0,0]` | upper-case letters as `X`, other letters as `x`, digits as `0` | `XxXxxxxx'x-00` |
//! | `%short_shape[0,0]` | shape with runs of a character reduced to one | `XxXx'x-0` |
//! | `%length[0,0]` | number of characters | `13` |
//! | `%kind[0,0]` | category of the token, see below | `has_digit` |
//!
//! A line with `%prefix` or `%suffix` of a token shorter than `n` yields no attribute. Before the
//! sequence every macro has the value `_B-1`, `_B-2`, …, after it `_B+1`, `_B+2`, … Characters are
//! Unicode scalar values.
//!
//! # Kinds
//! The first category that applies: `url` (`http://`, `https://` or `www.`), `mention` (`@name`), `hashtag` (`#name`),
//! `number` (digits, which may be mixed with `+-.,:/%$€£`), `has_digit` (letters or other characters with digits),
//! `all_caps` (two or more letters, all upper-case), `init_cap` (only the first character is upper-case), `mixed_case`
//! (other upper-case letters), `lower_case`, `other` (letters without case, or an empty token), `punctuation`, `symbol`
//! (neither letters nor digits nor only punctuation, such as emoji).
//!
//! # Differences from CRF++ and Wapiti
//! - CRF++ and Wapiti: observation-dependent label transitions (`B00:%x[0,0]`) are rejected.
//! - CRF++: offsets are limited to ±999 instead of ±8; spaces are allowed inside macros.
//! - Wapiti: values outside the sequence are `_B-1` as in CRF++, not `_x-1`, and `%t` and `%m` are not applied to them;
//!   a `#` inside a line is part of the attribute; `U` is not changed to `u`; `@0` and indirect offsets (`*`) are
//!   rejected.
//! - Wapiti: regular expressions use the syntax of the [`regex`] crate, so `+ | ( ) [ ] { }` are operators, `*` takes
//!   the longest match instead of the shortest, and characters are not single bytes. Wapiti's classes `\a` (letters),
//!   `\l` (lower case), `\u` (upper case) and `\p` (punctuation and symbols), and the complements `\A`, `\L`, `\U` and
//!   `\P`, are supported.
//!
//! Sources: CRF++ 0.58 (`feature.cpp`), Wapiti 1.5 (`pattern.c`, `reader.c`).

mod builtin;
mod error;
mod extractor;
mod fingerprint;
mod index;
mod kind;
mod parse;
mod program;
mod regex_dialect;
mod values;

use std::sync::Arc;

use program::Program;

pub use error::TemplateError;
pub use extractor::Extractor;
pub use index::AttributeIndex;

/// A parsed feature template. Immutable, and cheap to clone: the compiled form is shared.
///
/// Source: template files of CRF++ and Wapiti.
///
/// ```
/// use spanrs_crf::{Extractor, Template};
/// let template = Template::parse("U00:%x[-1,0]/%x[0,0]\nU01:%shape[0,0]\nB\n").unwrap();
/// assert_eq!((template.columns(), template.attributes()), (1, 2));
/// let mut attributes = Vec::new();
/// Extractor::new(&template)
///     .extract(&[&["in", "Paris"]], |token, name| attributes.push((token, name.to_owned())))
///     .unwrap();
/// let expected = [(0, "U00:_B-1/in"), (0, "U01:xx"), (1, "U00:in/Paris"), (1, "U01:Xxxxx")];
/// assert_eq!(attributes, expected.map(|(token, name)| (token, name.to_owned())));
/// ```
#[derive(Clone, Debug)]
pub struct Template {
    /// The text as given, for model files.
    text: String,
    /// The compiled form, shared with extractors.
    program: Arc<Program>,
}

impl Template {
    /// Names of the built-in templates.
    ///
    /// `ner` (one column: tokens) is for named entities in noisy text; `chunking` (two columns:
    /// tokens and part-of-speech tags) has the attributes of CRFsuite's chunking example; `pos`
    /// (one column: tokens) is for part-of-speech tagging.
    pub const BUILTIN: [&str; 3] = ["ner", "chunking", "pos"];

    /// Parses the text of a template. A byte order mark at the beginning is ignored.
    ///
    /// # Errors
    /// [`TemplateError`] for the first invalid line, or if all lines are comments.
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::Template;
    /// let error = Template::parse("U00:%x[0,0]\nU01:%y[0,0]").unwrap_err();
    /// assert_eq!((error.line, error.column), (2, 5));
    /// assert!(error.message.starts_with("unknown function %y"));
    /// ```
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let program = Arc::new(parse::parse(text)?);
        let text = text.to_owned();
        Ok(Self { text, program })
    }

    /// The built-in template of this name, one of [`Template::BUILTIN`]; `None` for other names.
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::Template;
    /// assert_eq!(Template::builtin("chunking").unwrap().columns(), 2);
    /// assert!(Template::builtin("parsing").is_none());
    /// ```
    pub fn builtin(name: &str) -> Option<Self> {
        Self::parse(builtin::text(name)?).ok()
    }

    /// The text of the template, as given. Stored in the metadata of models.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Number of input columns needed: one more than the largest column in a macro, at least 1.
    pub fn columns(&self) -> usize {
        self.program.columns
    }

    /// The largest number of attributes a token can have: the number of lines that yield an attribute.
    pub fn attributes(&self) -> usize {
        self.program.lines.len()
    }
}
