use spanrs_base::{Coded, ErrorClass, TooManyTags};

use crate::reading::Reading;
use crate::scheme::Scheme;
use crate::violation::Violation;

/// What can go wrong with tags.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No scheme has this name.
    #[error("unknown scheme `{name}`; known are {known}")]
    UnknownScheme {
        /// As the user wrote it.
        name: String,
        /// All names.
        known: String,
    },
    /// No reading has this name.
    #[error("unknown reading `{name}`; known are {known}")]
    UnknownReading {
        /// As the user wrote it.
        name: String,
        /// All names.
        known: String,
    },
    /// The reading has no rules for the scheme.
    #[error("the reading {reading} is not defined for the scheme {}; use conlleval, strict or discard", scheme.name())]
    ReadingNotForScheme {
        /// The reading.
        reading: Reading,
        /// The scheme.
        scheme: Scheme,
    },
    /// The separator could not be told from prefixes.
    #[error(
        "{separator:?} cannot separate prefix and type: it is empty, or a prefix is spelt with it"
    )]
    BadSeparator {
        /// As the user wrote it.
        separator: String,
    },
    /// More than a limit allows.
    #[error("{what}: {asked} are asked for, at most {most} are possible")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        asked: usize,
        /// The limit.
        most: usize,
    },
    /// The tags do not conform to the scheme and no reading was asked for.
    #[error("{}", malformed(scheme, violations))]
    Malformed {
        /// The scheme the tags were read in.
        scheme: Scheme,
        /// All of them, in order.
        violations: Vec<Violation>,
    },
    /// Two spans share a token.
    #[error("spans overlap: {first} and {second}; tags can write flat spans only")]
    Overlap {
        /// The one that starts first.
        first: String,
        /// The one that starts before the first ends.
        second: String,
    },
    /// A span does not lie within the sentence, or covers nothing.
    #[error(
        "span {span} does not fit a sentence of {length} tokens; starts count from 0, ends are exclusive and greater than starts"
    )]
    OutOfRange {
        /// The span.
        span: String,
        /// Tokens of the sentence.
        length: usize,
    },
    /// A type that would not come back when the tags are read.
    #[error("type {ty:?} cannot be written in a tag: {reason}")]
    BadType {
        /// The type.
        ty: String,
        /// Why not.
        reason: &'static str,
    },
    /// The scheme cannot express the spans.
    #[error("{} cannot express {span}: {reason}", scheme.name())]
    NotExpressible {
        /// The scheme.
        scheme: Scheme,
        /// The span.
        span: String,
        /// Why not.
        reason: &'static str,
    },
    /// A tag that the scheme does not know, where every tag must be known.
    #[error("`{tag}` is no tag of the scheme {}", scheme.name())]
    UnknownTag {
        /// The tag.
        tag: String,
        /// The scheme.
        scheme: Scheme,
    },
    /// Most tags fit no scheme but TOKEN, which is never assumed.
    #[error("{}", no_scheme(*strange, *labelled, examples))]
    NoScheme {
        /// Tags, each as often as it occurs, whose prefix no scheme knows.
        strange: u64,
        /// Tags other than `O`, each as often as it occurs.
        labelled: u64,
        /// The most frequent of the strange tags.
        examples: Vec<String>,
    },
    /// Too many different tags.
    #[error("more than {} different tags; is the right column read?", .0.most)]
    TooManyTags(TooManyTags),
}

impl Coded for Error {
    fn class(&self) -> ErrorClass {
        match self {
            Self::TooMany { .. } | Self::TooManyTags(_) => ErrorClass::Limit,
            _ => ErrorClass::Scheme,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::UnknownScheme { .. } => "unknown_scheme",
            Self::UnknownReading { .. } => "unknown_reading",
            Self::ReadingNotForScheme { .. } => "reading_not_for_scheme",
            Self::BadSeparator { .. } => "bad_separator",
            Self::TooMany { .. } => "too_many",
            Self::Malformed { .. } => "malformed",
            Self::Overlap { .. } => "overlap",
            Self::OutOfRange { .. } => "out_of_range",
            Self::BadType { .. } => "bad_type",
            Self::NotExpressible { .. } => "not_expressible",
            Self::UnknownTag { .. } => "unknown_tag",
            Self::NoScheme { .. } => "no_scheme",
            Self::TooManyTags(_) => "too_many_tags",
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

/// What to do about a tag that has a prefix in another spelling.
fn other_spelling(tag: &str) -> Option<&'static str> {
    let is_prefix = |c: Option<char>| c.is_some_and(|c| "BIOESLUMW".contains(c));
    let is_lower_prefix = |c: Option<char>| c.is_some_and(|c| "biesl".contains(c));
    let mut characters = tag.chars();
    let (first, second) = (characters.next(), characters.next());
    let mut backwards = tag.chars().rev();
    let (last, before_last) = (backwards.next(), backwards.next());
    characters.next()?;
    if is_prefix(first) && second == Some('_') {
        return Some("the prefixes are followed by `_`; name the separator (--tag-separator _)");
    }
    if is_prefix(first) && second == Some(':') {
        return Some("the prefixes are followed by `:`; name the separator (--tag-separator :)");
    }
    if is_prefix(last) && before_last == Some('-') {
        return Some("the prefixes stand behind the types; say so (--suffix)");
    }
    if is_lower_prefix(first) && second == Some('-') {
        return Some("the prefixes are in lower case; write them in upper case");
    }
    None
}

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
        "these look like ids whose names were forgotten (id2label of the model); map them to tags"
    } else {
        let hint = examples.iter().find_map(|tag| other_spelling(tag));
        hint.unwrap_or(
            "is this the right column and separator? Name the scheme TOKEN if every tag is a label of its own",
        )
    };
    format!(
        "{strange} of {labelled} tags other than O have a prefix of no scheme ({}): {hint}",
        shown.join(", ")
    )
}

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
    text + ". Mend the tags or name another reading."
}
