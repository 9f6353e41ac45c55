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
//! | `%in[0,0,name]` | position in a phrase of the gazetteer `name`, with its type: `B-LOC`; `O` outside | |
//! | `%cluster[0,0,name]` | cluster of the token in the clusters `name` | |
//! | `%cluster[0,0,name,n]` | first `n` characters of the cluster, or all if there are fewer | |
//!
//! A line with `%prefix` or `%suffix` of a token shorter than `n` yields no attribute, and neither
//! does a line with `%cluster` of a token without a cluster. Before the
//! sequence every macro has the value `_B-1`, `_B-2`, …, after it `_B+1`, `_B+2`, … Characters are
//! Unicode scalar values.
//!
//! # Lexicons
//! `%in` and `%cluster` read a [`crate::Lexicon`], which [`Template::with_lexicons`] binds to its name: a
//! letter or `_`, then letters, digits, `_` or `-`, all ASCII. [`crate::Gazetteer`] describes how phrases are
//! matched.
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

use crate::lexicon::{Lexicon, LexiconKind, Lexicons};

pub use error::TemplateError;
pub use extractor::Extractor;
pub(crate) use fingerprint::{Fingerprint, Key};
pub use index::AttributeIndex;
pub(crate) use values::push_lower;

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
    /// The lexicons that the template uses; none if they have not been bound.
    lexicons: Lexicons,
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
        Ok(Self {
            text,
            program,
            lexicons: Lexicons::default(),
        })
    }

    /// The same template with the lexicons that its macros `%in` and `%cluster` name. Lexicons that
    /// it does not name are dropped.
    ///
    /// # Errors
    /// [`TemplateError`] at the first macro whose lexicon is missing or of the other kind.
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::{Lexicons, Template};
    /// let template = Template::parse("U:%in[0,0,cities]").unwrap();
    /// let error = template.with_lexicons(&Lexicons::default()).unwrap_err();
    /// assert_eq!((error.line, error.column), (1, 11));
    /// assert_eq!(error.message, "there is no lexicon cities; there are no lexicons");
    /// ```
    pub fn with_lexicons(mut self, lexicons: &Lexicons) -> Result<Self, TemplateError> {
        let used = self.program.lexicons.iter().map(|used| {
            let found = lexicons.get(&used.name);
            let message = match found.map(Lexicon::kind) {
                Some(kind) if kind == used.kind => return Ok((used.name.to_string(), found)),
                Some(LexiconKind::Gazetteer) => {
                    format!("the lexicon {} is a gazetteer; use %in", used.name)
                }
                Some(LexiconKind::Clusters) => {
                    format!(
                        "the lexicon {} consists of clusters; use %cluster",
                        used.name
                    )
                }
                None => {
                    let known: Vec<&str> = lexicons.iter().map(|(name, _)| name).collect();
                    let known = match known.len() {
                        0 => "there are no lexicons".to_owned(),
                        _ => format!("there are {}", known.join(", ")),
                    };
                    format!("there is no lexicon {}; {known}", used.name)
                }
            };
            Err(TemplateError {
                line: used.line,
                column: used.column,
                message,
            })
        });
        let used = used.collect::<Result<Vec<_>, _>>()?.into_iter();
        let used = used.filter_map(|(name, found)| Some((name, found?.clone())));
        self.lexicons = used.collect();
        Ok(self)
    }

    /// The lexicons that [`Template::with_lexicons`] has bound.
    pub fn lexicons(&self) -> &Lexicons {
        &self.lexicons
    }

    /// Name and kind of the lexicons that the macros use, in the order of their first use.
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::{LexiconKind, Template};
    /// let template = Template::parse("U:%cluster[0,0,brown,4]\nU:%cluster[0,0,brown]").unwrap();
    /// let named: Vec<_> = template.lexicon_names().collect();
    /// assert_eq!(named, [("brown", LexiconKind::Clusters)]);
    /// ```
    pub fn lexicon_names(&self) -> impl ExactSizeIterator<Item = (&str, LexiconKind)> {
        let used = self.program.lexicons.iter();
        used.map(|used| (&*used.name, used.kind))
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
