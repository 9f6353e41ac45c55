//! Scoring of files of spans: span files, and column files with stacked tags.
//!
//! Neither needs a scheme. A span file ([`spanrs_io::SpanFileReader`]) lists the spans of a
//! sentence, which may overlap and be discontinuous. Stacked tags nest spans in one column, the
//! outermost first:
//!
//! ```text
//! the     B-NP                  NP 0-4
//! man     I-NP
//! with    I-NP|B-PP             PP 2-4
//! hats    I-NP|I-PP|B-NP        NP 3-4
//! ```
//!
//! A sentence is read on both sides, the tokens are compared if both files have tokens, and the
//! spans are given to the scorer. Types are numbered once for both sides, and spans whose types do
//! not count are dropped when they are read. Memory is proportional to the length of a sentence.
//!
//! With `ignore_punct`, tokens whose part of speech is punctuation are excluded from the spans of
//! both sides, according to the parts of speech of gold, or of pred if gold has none: a span that
//! begins or ends with punctuation shrinks, a span with punctuation inside becomes discontinuous,
//! and a span of only punctuation is dropped.
//!
//! Both formats are from FairEval (Ortmann 2022).

mod sentence;
mod sentences;
mod spans;
mod stacked;

use serde::Deserialize;
use spanrs_base::{Named, Position, Vocabulary};
use spanrs_eval::{Pair, Scorer, Side as ScoredSide, Unmatched};
use spanrs_io::{ColumnReader, Columns, Source as FileSource, SpanFileReader};

use crate::error::{Error, Result};
use crate::error_list::StoredSpan;
use crate::errors::{ErrorFinder, SentenceContext};
use crate::file_warnings::column_warnings;
use crate::sentence::Tokens;
use crate::{Progress, Reporter};

use sentence::{Sentence, TYPES, Types};
pub use sentences::{LocatedSpan, SpanSentence, SpanSentences};

/// The source of the spans of one side.
pub enum SpanSource {
    /// A span file.
    Spans(Box<SpanFileReader>),
    /// A column file whose tags may be stacked, `I-S|B-NP`.
    Stacked {
        /// The rows of the file; the second tag is the part of speech.
        rows: Box<ColumnReader>,
        /// Whether tokens whose part of speech is punctuation are excluded.
        ignore_punct: bool,
    },
}

/// Options for reading a file of spans.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpanFileOptions {
    /// The format; None to detect it from the first line.
    pub format: Option<SpanFormat>,
    /// The columns, for stacked tags. The second column of tags contains the parts of speech.
    pub columns: Columns,
    /// Whether tokens whose part of speech is punctuation are excluded, for stacked tags.
    pub ignore_punct: bool,
}

/// A format of files of spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanFormat {
    /// A span file.
    Spans,
    /// A span file that all readers of the format interpret in the same way
    /// ([`SpanFileReader::strict`]).
    Strict,
    /// A column file with stacked tags.
    Stacked,
}

impl Named for SpanFormat {
    const WHAT: &'static str = "format of spans";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("spans", Self::Spans),
        ("strict", Self::Strict),
        ("stacked", Self::Stacked),
    ];
}

spanrs_base::serde_by_name!(SpanFormat);

impl SpanSource {
    /// Opens a file.
    ///
    /// # Errors
    /// Same as [`FileSource::lines`] and [`ColumnReader::new`].
    pub fn open(source: &FileSource, options: &SpanFileOptions) -> Result<Self> {
        let mut lines = source.lines(options.columns.limits())?;
        let format = match options.format {
            Some(format) => format,
            None if SpanFileReader::fits(&mut lines)? => SpanFormat::Spans,
            None => SpanFormat::Stacked,
        };
        if format == SpanFormat::Stacked {
            // Parts of speech are in the second column by default, if the file has that many
            // columns.
            let columns = Columns {
                second_may_lack: true,
                ..options.columns.clone()
            };
            return Ok(Self::Stacked {
                rows: Box::new(ColumnReader::new(lines, columns)?),
                ignore_punct: options.ignore_punct,
            });
        }
        let reader = SpanFileReader::new(lines);
        let is_strict = format == SpanFormat::Strict;
        Ok(Self::Spans(Box::new(if is_strict {
            reader.strict()
        } else {
            reader
        })))
    }

    /// Returns the name of the format, `spans` or `stacked`.
    pub fn format(&self) -> &'static str {
        match self {
            Self::Spans(_) => "spans",
            Self::Stacked { .. } => "stacked",
        }
    }
}

/// Information about the files in addition to counts.
pub struct SpanFiles {
    /// Types of both files in the order in which they first occur, including types that do not
    /// count.
    pub types: Vec<String>,
    /// Types of gold that count, in the order of their first spans.
    pub gold_types: Vec<String>,
    /// Number of sentences.
    pub sentences: u64,
    /// Warnings about the columns of gold.
    pub warnings: Vec<String>,
}

/// The state of one side during reading.
struct Side {
    /// The reader of the file of this side.
    source: Source,
    /// The spans of the current sentence.
    sentence: Sentence,
    /// The tokens of the current sentence; empty if the file has none.
    words: Tokens,
    /// Line of the sentence's first span or token, from 1.
    first: u64,
}

/// Reader of the sentences of a file.
enum Source {
    Spans(Box<spans::Reader>),
    Stacked(Box<stacked::Reader>),
}

impl Side {
    /// Creates a side before its first sentence.
    fn new(source: SpanSource) -> Self {
        let source = match source {
            SpanSource::Spans(reader) => Source::Spans(Box::new(spans::Reader::new(*reader))),
            SpanSource::Stacked { rows, ignore_punct } => {
                Source::Stacked(Box::new(stacked::Reader::new(*rows, ignore_punct)))
            }
        };
        Self {
            source,
            sentence: Sentence::default(),
            words: Tokens::default(),
            first: 0,
        }
    }

    /// Reads the next sentence; false at the end of the file. With stacked tags, the spans are
    /// available only after [`Side::find`].
    fn next(&mut self, types: &mut Types<'_>, reporter: &mut Reporter<'_, '_>) -> Result<bool> {
        self.sentence.clear();
        self.words.clear();
        match &mut self.source {
            Source::Spans(reader) => {
                reader.next(&mut self.sentence, &mut self.first, types, reporter)
            }
            Source::Stacked(reader) => reader.next(&mut self.words, &mut self.first, reporter),
        }
    }

    /// Returns which tokens of the sentence are excluded according to this file; None if the file
    /// does not specify this.
    fn punctuation(&self) -> Option<Vec<bool>> {
        match &self.source {
            Source::Spans(_) => None,
            Source::Stacked(reader) => reader.punctuation().map(<[bool]>::to_vec),
        }
    }

    /// Returns the number of tokens of the sentence; None for span files, which contain no tokens.
    fn tokens(&self) -> Option<usize> {
        match &self.source {
            Source::Spans(_) => None,
            Source::Stacked(reader) => Some(reader.tokens()),
        }
    }

    /// Finds the spans of the sentence, without the tokens `ignored`, unless they were already
    /// found during reading.
    ///
    /// Spans of stacked tags are found only here, because the excluded tokens depend on both sides,
    /// and the other side must have been read.
    ///
    /// # Errors
    /// [`Error::Tags`] for too many types.
    fn find(&mut self, ignored: Option<&[bool]>, types: &mut Types<'_>) -> Result<()> {
        match &mut self.source {
            Source::Spans(_) => Ok(()),
            Source::Stacked(reader) => reader.spans(ignored, &mut self.sentence, types, self.first),
        }
    }

    /// Returns the position of the sentence.
    fn position(&self) -> Position {
        match &self.source {
            Source::Spans(reader) => Position::line(reader.path(), self.first),
            Source::Stacked(reader) => Position::line(reader.path(), self.first),
        }
    }

    /// Returns the position of the end of the file, after the last sentence was read.
    fn end(&self) -> Position {
        match &self.source {
            Source::Spans(reader) => Position::line(reader.path(), reader.line()),
            Source::Stacked(reader) => Position::line(reader.path(), reader.line()),
        }
    }
}

/// Scores the spans of two files, sentence by sentence, and finds their errors if requested. The
/// type filter of the scorer determines which types count.
///
/// # Errors
/// Errors from reading the files; [`Error::Misaligned`] if one file has more sentences than the
/// other, or if both have tokens and the tokens differ; [`Error::Stacked`] for stacked tags that
/// contradict each other; [`Error::Tags`] for too many types; [`Error::Unmatched`] with the
/// position of the sentence in gold; [`Error::Stopped`].
///
/// # Examples
/// ```
/// use spanrs::eval::{Exact, Scorer};
/// use spanrs::io::{LineReader, SpanFileReader};
/// use spanrs::span_files::{SpanSource, score_spans};
/// let side = |text: &'static str| {
///     let source = Box::new(text.as_bytes());
///     let lines = LineReader::new("example", source, Default::default()).unwrap();
///     SpanSource::Spans(Box::new(SpanFileReader::new(lines)))
/// };
/// let (gold, pred) = (side("PER\t6\t7\t6,7\nLOC\t9\t9\t9\n"), side("PER\t6\t7\t6,7\n"));
/// let mut scorer = Scorer::new(Box::new(Exact::default()), 0);
/// let files = score_spans(gold, pred, &mut scorer, None, &mut |_| true)?;
/// assert_eq!((files.sentences, files.gold_types), (1, vec!["PER".to_owned(), "LOC".to_owned()]));
/// # Ok::<(), spanrs::Error>(())
/// ```
pub fn score_spans(
    gold: SpanSource,
    pred: SpanSource,
    scorer: &mut Scorer,
    mut finder: Option<&mut ErrorFinder>,
    progress: &mut Progress<'_>,
) -> Result<SpanFiles> {
    let mut names = Vocabulary::new(TYPES);
    let filter = scorer.filter().clone();
    let mut types = Types {
        names: &mut names,
        filter: &filter,
        counts: Vec::new(),
    };
    let warnings = match &gold {
        SpanSource::Spans(_) => Vec::new(),
        SpanSource::Stacked { rows, .. } => column_warnings(rows, None),
    };
    let (mut gold, mut pred) = (Side::new(gold), Side::new(pred));
    let mut reporter = Reporter::new(progress);
    let mut gold_types = FirstTypes::default();
    let mut cells = scorer.type_cells();
    let mut sentences = 0;
    while read_both(&mut gold, &mut pred, &mut types, &mut reporter, sentences)? {
        gold_types.add(&gold.sentence, types.names);
        let sides = [gold.sentence.spans(), pred.sentence.spans()];
        let name = |ty| types.names.name(ty).to_owned();
        let pair = Pair::new(sides[0], sides[1]);
        let counted = scorer.add_spans(&pair, &mut cells, &name);
        let listed = counted.and_then(|()| match &mut finder {
            Some(finder) if !pair.is_same_and_flat() => {
                let context = SpanContext {
                    sides: [&gold, &pred],
                    names: types.names,
                };
                finder.add(sides, &context)
            }
            _ => Ok(()),
        });
        listed.map_err(|error| match error {
            Unmatched::Stopped => Error::Stopped,
            error => Error::Unmatched {
                position: gold.position(),
                error,
            },
        })?;
        if let Some(finder) = &mut finder {
            finder.end_sentence();
        }
        sentences += 1;
    }
    scorer.flush_spans(&mut cells, &|ty| types.names.name(ty).to_owned());
    Ok(SpanFiles {
        types: names.names().map(str::to_owned).collect(),
        gold_types: gold_types.names,
        sentences,
        warnings,
    })
}

/// Reads the next sentence of both sides and finds the spans of the sentence; returns false at the
/// end of both files. `sentences` is the number of sentences read before.
///
/// # Errors
/// Same as [`score_spans`].
fn read_both(
    gold: &mut Side,
    pred: &mut Side,
    types: &mut Types<'_>,
    reporter: &mut Reporter<'_, '_>,
    sentences: u64,
) -> Result<bool> {
    let has_gold = gold.next(types, reporter)?;
    let has_pred = pred.next(types, reporter)?;
    if has_gold != has_pred {
        return Err(too_many(gold, pred, has_gold, sentences));
    }
    if has_gold {
        same_words(gold, pred)?;
        // Both sides have the same tokens, so one side determines which tokens are punctuation.
        let ignored = gold.punctuation().or_else(|| pred.punctuation());
        gold.find(ignored.as_deref(), types)?;
        pred.find(ignored.as_deref(), types)?;
    }
    Ok(has_gold)
}

/// Names of types in the order of their first spans.
#[derive(Default)]
struct FirstTypes {
    names: Vec<String>,
    /// True for types that are in `names`, by number.
    seen: Vec<bool>,
}

impl FirstTypes {
    /// Adds the types of a sentence.
    fn add(&mut self, sentence: &Sentence, names: &Vocabulary) {
        for span in &sentence.spans {
            let ty = span.ty as usize;
            if ty >= self.seen.len() {
                self.seen.resize(ty + 1, false);
            }
            if !std::mem::replace(&mut self.seen[ty], true) {
                self.names.push(names.name(span.ty).to_owned());
            }
        }
    }
}

/// The current sentence of both sides, as the context of error records.
struct SpanContext<'a> {
    /// Gold and pred.
    sides: [&'a Side; 2],
    /// Names of the types.
    names: &'a Vocabulary,
}

impl SpanContext<'_> {
    /// Returns the tokens of the first side that has tokens.
    fn words(&self) -> Option<&Tokens> {
        let mut words = self.sides.iter().map(|side| &side.words);
        words.find(|words| words.len() > 0)
    }
}

impl SentenceContext for SpanContext<'_> {
    fn type_name(&self, ty: u32) -> &str {
        self.names.name(ty)
    }

    fn line(&self, side: ScoredSide, span: &StoredSpan) -> u64 {
        let side = match side {
            ScoredSide::Gold => self.sides[0],
            ScoredSide::Pred => self.sides[1],
        };
        let line = side.sentence.lines.get(span.index as usize);
        line.copied().unwrap_or_default()
    }

    fn length(&self) -> Option<usize> {
        self.words().map(Tokens::len)
    }

    fn tokens(&self) -> Option<&Tokens> {
        self.words()
    }
}

/// Checks that the tokens of both sides are the same, if both have tokens. If one file contains
/// only tags, only the numbers of tokens are compared.
///
/// # Errors
/// [`Error::Misaligned`] at the sentence, with the first token that differs.
fn same_words(gold: &Side, pred: &Side) -> Result<()> {
    let (g, p) = (&gold.words, &pred.words);
    let (Some(golds), Some(preds)) = (gold.tokens(), pred.tokens()) else {
        return Ok(());
    };
    // A file with one column has tokens, but their text is unknown.
    if golds == preds && (g.len() == 0 || p.len() == 0 || g == p) {
        return Ok(());
    }
    let (place, same) = (pred.position(), "the files must have the same tokens");
    let message = match (0..g.len().min(p.len())).find(|&at| g.get(at) != p.get(at)) {
        Some(at) => format!(
            "token {} of the sentence is `{}`, but the sentence at {place} (pred) has `{}`; {same}",
            at + 1,
            g.get(at),
            p.get(at)
        ),
        None => format!(
            "the sentence has {golds} tokens, but the sentence at {place} (pred) has {preds}; {same}"
        ),
    };
    Err(Error::Misaligned {
        gold: gold.position(),
        pred: place,
        message,
    })
}

/// Returns the error for a file that has more sentences than the other file, which ends after
/// `sentences` sentences.
fn too_many(gold: &Side, pred: &Side, gold_goes_on: bool, sentences: u64) -> Error {
    let advice = "the files must have the same sentences: give a sentence without spans a line such as EMPTY 999 999 999";
    let (gold, pred, message) = if gold_goes_on {
        let end = pred.end();
        let message = format!("gold has more sentences: {end} (pred) ends after {sentences}");
        (gold.position(), end, message)
    } else {
        let place = pred.position();
        let message = format!("gold ends after {sentences} sentences, but {place} (pred) has more");
        (gold.end(), place, message)
    };
    Error::Misaligned {
        gold,
        pred,
        message: format!("{message}; {advice}"),
    }
}
