//! The error type of the crate and the wording of its messages.

use spanrs_base::{Coded, ErrorClass, TooManyTags};

use crate::reading::Reading;
use crate::scheme::Scheme;
use crate::violation::Violation;

/// Errors in tags, spans and options.
///
/// Messages are complete sentences or clauses, with a remedy where there is one. Variants contain
/// the parts of the message, so that callers can add a position.
///
/// # Examples
///
/// ```
/// use spanrs_base::Coded;
/// use spanrs_tags::{Error, Scheme};
/// let error = Scheme::from_name("BIOX").unwrap_err();
/// assert_eq!(error.code(), "unknown_scheme");
/// assert!(matches!(&error, Error::UnknownScheme { name, .. } if name == "BIOX"));
/// assert!(error.to_string().starts_with("unknown scheme `BIOX`; expected one of BIO, IOB, "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No scheme has this name.
    #[error("unknown scheme `{name}`; expected one of {known}")]
    UnknownScheme {
        /// The name as the user wrote it.
        name: String,
        /// The names of all schemes, separated by commas.
        known: String,
    },
    /// No reading has this name.
    #[error("unknown reading `{name}`; expected one of {known}")]
    UnknownReading {
        /// The name as the user wrote it.
        name: String,
        /// The names of all readings, separated by commas.
        known: String,
    },
    /// The reading is not defined for the scheme.
    #[error("the reading {reading} is not defined for the scheme {}; use conlleval, strict or discard", scheme.name())]
    ReadingNotForScheme {
        /// The reading.
        reading: Reading,
        /// The scheme.
        scheme: Scheme,
    },
    /// The separator is empty or contains a prefix, so that tags could not be split.
    #[error("{separator:?} cannot separate prefix and type: it is empty or contains a prefix")]
    BadSeparator {
        /// The separator as the user wrote it.
        separator: String,
    },
    /// A size exceeds a limit.
    #[error("{asked} {what} were requested; at most {most} are supported")]
    TooMany {
        /// Plural noun for the counted items: "tokens in a sentence".
        what: &'static str,
        /// The size.
        asked: usize,
        /// The largest size that is accepted.
        most: usize,
    },
    /// The tags do not conform to the scheme, and malformed tags are refused.
    #[error("{}", malformed(scheme, violations))]
    Malformed {
        /// The scheme in which the tags were read.
        scheme: Scheme,
        /// All violations of the sentence, by index and then by kind.
        violations: Vec<Violation>,
    },
    /// Two spans share a token.
    #[error("spans overlap: {first} and {second}; tags cannot represent overlapping spans")]
    Overlap {
        /// The span that starts first, as `PER [0, 2)`.
        first: String,
        /// The span that starts before the first one ends.
        second: String,
    },
    /// A span is empty or does not lie within the sentence.
    #[error(
        "span {span} does not fit a sentence of {length} tokens; starts count from 0, ends are exclusive and greater than starts"
    )]
    OutOfRange {
        /// The span, as `PER [0, 2)`.
        span: String,
        /// Number of tokens of the sentence.
        length: usize,
    },
    /// A type that would not be read back from a tag.
    #[error("type {ty:?} cannot be written in a tag: {reason}")]
    BadType {
        /// The type.
        ty: String,
        /// The reason, as a clause after a colon.
        reason: &'static str,
    },
    /// The scheme cannot express the span.
    #[error("{} cannot express {span}: {reason}", scheme.name())]
    NotExpressible {
        /// The scheme.
        scheme: Scheme,
        /// The span, as `PER [0, 2)`.
        span: String,
        /// The reason, as a clause after a colon.
        reason: &'static str,
    },
    /// A tag has a prefix that the scheme does not have, where only tags of the scheme are allowed.
    #[error("`{tag}` is not a tag of the scheme {}", scheme.name())]
    UnknownTag {
        /// The tag.
        tag: String,
        /// The scheme.
        scheme: Scheme,
    },
    /// Most tags fit no scheme other than TOKEN, which is never assumed.
    #[error("{}", no_scheme(*strange, *labelled, examples))]
    NoScheme {
        /// Number of tokens whose tag has a prefix that no scheme has.
        strange: u64,
        /// Number of tokens whose tag is not `O`.
        labelled: u64,
        /// The most frequent of the tags with unknown prefixes, at most three.
        examples: Vec<String>,
    },
    /// More distinct tags than the vocabulary accepts.
    #[error("more than {} different tags; is the right column read?", .0.max_tags)]
    TooManyTags(TooManyTags),
}

impl Coded for Error {
    fn kind(&self) -> (ErrorClass, &'static str) {
        use ErrorClass::{Limit, Scheme};
        match self {
            Self::UnknownScheme { .. } => (Scheme, "unknown_scheme"),
            Self::UnknownReading { .. } => (Scheme, "unknown_reading"),
            Self::ReadingNotForScheme { .. } => (Scheme, "reading_not_for_scheme"),
            Self::BadSeparator { .. } => (Scheme, "bad_separator"),
            Self::TooMany { .. } => (Limit, "too_many"),
            Self::Malformed { .. } => (Scheme, "malformed"),
            Self::Overlap { .. } => (Scheme, "overlap"),
            Self::OutOfRange { .. } => (Scheme, "out_of_range"),
            Self::BadType { .. } => (Scheme, "bad_type"),
            Self::NotExpressible { .. } => (Scheme, "not_expressible"),
            Self::UnknownTag { .. } => (Scheme, "unknown_tag"),
            Self::NoScheme { .. } => (Scheme, "no_scheme"),
            Self::TooManyTags(_) => (Limit, "too_many_tags"),
        }
    }
}

/// The result of this crate's fallible functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl From<TooManyTags> for Error {
    fn from(error: TooManyTags) -> Self {
        Self::TooManyTags(error)
    }
}

/// Suggests a remedy for a tag whose prefix is spelt in another way: another separator (`B_PER`,
/// `B:PER`), a suffix (`PER-B`) or lower case (`b-PER`). None if no spelling fits, or the tag has
/// fewer than three characters.
fn other_spelling(tag: &str) -> Option<&'static str> {
    let is_prefix = |c: Option<char>| c.is_some_and(|c| "BIOESLUMW".contains(c));
    let is_lower_prefix = |c: Option<char>| c.is_some_and(|c| "biesl".contains(c));
    let mut characters = tag.chars();
    let (first, second) = (characters.next(), characters.next());
    let mut backwards = tag.chars().rev();
    let (last, before_last) = (backwards.next(), backwards.next());
    characters.next()?;
    if is_prefix(first) && second == Some('_') {
        return Some("the prefixes are followed by `_`; set the separator (--tag-separator _)");
    }
    if is_prefix(first) && second == Some(':') {
        return Some("the prefixes are followed by `:`; set the separator (--tag-separator :)");
    }
    if is_prefix(last) && before_last == Some('-') {
        return Some("the prefixes are written after the types; specify this (--suffix)");
    }
    if is_lower_prefix(first) && second == Some('-') {
        return Some("the prefixes are in lower case; write them in upper case");
    }
    None
}

/// Formats [`Error::NoScheme`]; the hint depends on whether the examples are numbers (label ids of
/// a model), known misspellings or neither.
fn no_scheme(strange: u64, labelled: u64, examples: &[String]) -> String {
    let shown = examples.iter().map(|tag| match tag.as_str() {
        "" => "an empty tag".to_owned(),
        tag => format!("`{tag}`"),
    });
    let shown: Vec<String> = shown.collect();
    let numbered = examples.iter().all(|tag| {
        let number = tag.strip_prefix("LABEL_").unwrap_or(tag);
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    let hint = if numbered {
        "these look like label ids; map them to tags with id2label of the model"
    } else {
        let hint = examples.iter().find_map(|tag| other_spelling(tag));
        hint.unwrap_or(
            "are the column and the separator right? Use the scheme TOKEN if the tags have no prefixes",
        )
    };
    format!(
        "{strange} of {labelled} tags other than O have a prefix that no scheme has ({}): {hint}",
        shown.join(", ")
    )
}

/// Formats [`Error::Malformed`] with at most three violations.
fn malformed(scheme: &Scheme, violations: &[Violation]) -> String {
    const SHOWN: usize = 3;
    let mut text = format!(
        "{} violation{} of the scheme {}: ",
        violations.len(),
        if violations.len() == 1 { "" } else { "s" },
        scheme.name()
    );
    let shown: Vec<_> = violations
        .iter()
        .take(SHOWN)
        .map(ToString::to_string)
        .collect();
    text += &shown.join("; ");
    if violations.len() > SHOWN {
        text += "; ...";
    }
    text + ". Fix the tags or choose another reading."
}
