//! Comparison of the trees in two files, which may be split into sentences and words differently
//! but must have the same characters.
//!
//! As in the CoNLL 2018 shared task (conll18_ud_eval.py), words are aligned by their characters,
//! without white space. The script aligns whole files; here the files are read in parallel and cut
//! into segments (type `Stretch`) at whose ends a sentence ends on both sides. No word crosses such
//! a cut, so the counts are the same, and memory is proportional to the length of a segment.
//!
//! ```text
//! gold   [They ate.]   [He slept.]
//! pred   [They ate. He slept.]             one segment: ends with gold's second sentence
//! ```
//!
//! The side with fewer characters gets the next sentence (gold if both are empty) until both sides
//! have the same length. Characters are compared as they are read, so a difference is reported at
//! its position.

use spanrs_base::Position;
use spanrs_dep::{Roots, is_white};
use spanrs_eval::outcomes::{Counts, Key};
use spanrs_io::{Code, Error as IoError, SyntaxChunks, SyntaxFormat, SyntaxReader, SyntaxSentence};

use super::compare::compare;
use super::schema::SCHEMA;
use super::treebank::FileHeads;
use super::words::{COLUMNS, TreeWord};
use crate::error::{Error, Result};

/// Options for comparing trees.
#[derive(Clone, Copy, Debug, Default)]
pub struct EvaluateOptions {
    /// True to compare whole labels (`nmod:poss`). False, the default, to compare the part before
    /// the first colon, as in the shared task. Whether a relation is content, function or
    /// punctuation always depends only on that part.
    pub subtypes: bool,
    /// Number of roots that trees may have, on both sides.
    pub roots: Roots,
    /// Whether to keep a row of counts for each segment of text in which both sides begin and end a
    /// sentence, numbered from 0. If both sides have the same sentences, each segment is a
    /// sentence.
    pub documents: bool,
}

/// Sentences of one side, read in order.
struct Side {
    /// The remaining blocks of the file.
    chunks: SyntaxChunks,
    /// The sentences of the last block read that were not returned yet.
    sentences: std::vec::IntoIter<Stretch>,
    /// Reads the heads.
    heads: FileHeads,
}

impl Side {
    /// Creates a side before its first sentence.
    ///
    /// # Errors
    /// [`Code::WrongFormat`] for formats without heads.
    fn new(chunks: SyntaxChunks, roots: Roots) -> Result<Self> {
        let format = chunks.format();
        if !matches!(format, SyntaxFormat::Conllu | SyntaxFormat::FourColumns) {
            let position = Position::file(chunks.path());
            let message = "the file has no heads; trees are compared in CoNLL-U";
            return Err(IoError::new(Code::WrongFormat, position, message).into());
        }
        Ok(Self {
            chunks,
            sentences: Vec::new().into_iter(),
            heads: FileHeads::new(roots),
        })
    }

    /// Returns the next sentence that has words; None at the end of the file.
    ///
    /// # Errors
    /// Errors from the reader, and [`Code::BadDocument`] for heads that do not form a tree, and for a sentence with
    /// heads after sentences without heads.
    fn next(&mut self) -> Result<Option<Stretch>> {
        loop {
            if let Some(sentence) = self.sentences.next() {
                return Ok(Some(sentence));
            }
            let Some(chunk) = self.chunks.read()? else {
                return Ok(None);
            };
            let (path, format) = (self.chunks.path(), self.chunks.format());
            let mut reader = SyntaxReader::new(&chunk.text, format, path, chunk.lines_before)?;
            let mut sentence = SyntaxSentence::default();
            let mut all = Vec::new();
            while reader.read(&mut sentence)? {
                if sentence.words.is_empty() {
                    continue;
                }
                let heads = self.heads.of(path, format, &sentence)?;
                all.push(Stretch::of(&sentence, heads.as_deref()));
            }
            self.sentences = all.into_iter();
        }
    }
}

/// One or several sentences of one side, compared together.
#[derive(Debug, Default)]
struct Stretch {
    /// The words; heads and spans count from the beginning of the segment.
    words: Vec<TreeWord>,
    /// The text without white space.
    text: String,
    /// Length of the text in characters.
    length: usize,
    /// First line of the first sentence, from 1.
    line: u64,
    /// Number of bytes of the text that are known to equal the text of the other side.
    checked: usize,
}

impl Stretch {
    /// Copies a sentence out of its block. A multiword token occurs once in the text, and all its
    /// words have the span of the token.
    ///
    /// For the token `don't` with the words `do` and `n't`, followed by the word `go`, the text is
    /// `don'tgo`; the spans are 0-5, 0-5 and 5-7. White space within forms is removed. `heads` is None if the sentence
    /// has no tree.
    fn of(sentence: &SyntaxSentence<'_>, heads: Option<&[u32]>) -> Self {
        let mut text = String::new();
        let mut length = 0;
        let mut words = Vec::with_capacity(sentence.words.len());
        let mut multiwords = sentence.multiwords.iter().peekable();
        let mut inside: Option<((usize, usize), usize)> = None;
        let copied = copied_columns(sentence);
        let mut token = |form: &str| {
            let characters = form.chars().filter(|c| !is_white(*c));
            let start = length;
            text.extend(characters.inspect(|_| length += 1));
            (start, length)
        };
        for (at, word) in sentence.words.iter().enumerate() {
            let first = multiwords.next_if(|multiword| multiword.start == at);
            if let Some(multiword) = first {
                inside = Some((token(multiword.form), multiword.end));
            }
            let span = match inside {
                Some((span, end)) if at < end => Some(span),
                _ => None,
            };
            words.push(TreeWord {
                form: word.form().to_owned(),
                lemma: word.lemma().to_owned(),
                upos: word.upos().to_owned(),
                xpos: word.xpos().to_owned(),
                features: word.feats().to_owned(),
                label: word.deprel().to_owned(),
                head: heads.and_then(|heads| (heads[at] as usize).checked_sub(1)),
                without_head: heads.is_none(),
                span: span.unwrap_or_else(|| token(word.form())),
                in_multiword: span.is_some(),
                starts_token: span.is_none() || first.is_some(),
                starts_sentence: at == 0,
                copied,
            });
        }
        Self {
            words,
            text,
            length,
            line: sentence.line,
            checked: 0,
        }
    }

    /// Appends a sentence.
    fn add(&mut self, sentence: Self) {
        if self.words.is_empty() {
            self.line = sentence.line;
        }
        let (words, characters) = (self.words.len(), self.length);
        self.length += sentence.length;
        self.text.push_str(&sentence.text);
        self.words
            .extend(sentence.words.into_iter().map(|mut word| {
                word.head = word.head.map(|head| head + words);
                word.span = (word.span.0 + characters, word.span.1 + characters);
                word
            }));
    }
}

/// Returns, for each of [`COLUMNS`], whether the column was copied: the sentence lists its
/// predicted columns, and this column is not in the list.
fn copied_columns(sentence: &SyntaxSentence<'_>) -> [bool; COLUMNS.len()] {
    let predicted = sentence.predicted();
    let is_predicted = |name| predicted.is_none_or(|set| set.names().any(|known| known == name));
    COLUMNS.map(|name| !is_predicted(name))
}

/// Compares the trees in two files; returns counts for the criteria of [`SCHEMA`].
///
/// A file without heads (`_` in all words) is compared in the other columns; its words are counted as words without
/// heads.
///
/// If a comment of a pred sentence lists the predicted columns ([`SyntaxSentence::predicted`]), the
/// other columns are counted as copied.
///
/// - `stops`: called for every sentence; returns true to stop.
///
/// # Errors
/// Errors from the reader; [`Code::WrongFormat`] for formats without heads; [`Code::BadDocument`]
/// for heads that do not form a tree; [`Code::Empty`] for gold without words;
/// [`Code::SentenceTooLong`] for a segment that is too long to be aligned; [`Error::Misaligned`] if
/// the texts differ; [`Error::Stopped`].
///
/// # Examples
/// ```
/// use spanrs::dep_files::{EvaluateOptions, SCHEMA, evaluate};
/// use spanrs::eval::outcomes::{Measure, Prf};
/// use spanrs::io::{Source, SyntaxChunks};
/// let chunks = |text: &'static str| {
///     let source = Source::stream("example", Box::new(text.as_bytes()));
///     SyntaxChunks::open(&source, None).unwrap()
/// };
/// let gold = "They PRP 2 nsubj\nate VBD 0 root\n\nHe PRP 2 nsubj\nslept VBD 0 root\n\n";
/// let pred = "They PRP 0 root\nate VBD 1 obj\n\nHe PRP 2 nsubj\nslept VBD 0 root\n\n";
/// let options = EvaluateOptions { documents: true, ..EvaluateOptions::default() };
/// let counts = evaluate(chunks(gold), chunks(pred), options, || false)?;
/// assert_eq!(counts.rows().len(), 2);
/// let las = Prf::f1(SCHEMA.criterion("las").unwrap());
/// assert_eq!(counts.measure(&Measure::Micro(las)), 0.5);
/// # Ok::<(), spanrs::Error>(())
/// ```
pub fn evaluate(
    gold: SyntaxChunks,
    pred: SyntaxChunks,
    options: EvaluateOptions,
    mut stops: impl FnMut() -> bool,
) -> Result<Counts> {
    let mut counts = match options.documents {
        true => Counts::by_document(&SCHEMA),
        false => Counts::new(&SCHEMA),
    };
    let mut gold = Side::new(gold, options.roots)?;
    let mut pred = Side::new(pred, options.roots)?;
    let mut row = 0;
    loop {
        if stops() {
            return Err(Error::Stopped);
        }
        let (mut own, mut other) = (Stretch::default(), Stretch::default());
        // The shorter side gets the next sentence until both end at the same character.
        while own.words.is_empty() || other.words.is_empty() || own.length != other.length {
            let of_gold =
                own.words.is_empty() || !other.words.is_empty() && own.length < other.length;
            let next = if of_gold { gold.next()? } else { pred.next()? };
            let stretch = if of_gold { &mut own } else { &mut other };
            match next {
                Some(sentence) => stretch.add(sentence),
                None if of_gold && own.words.is_empty() => {
                    if row == 0 {
                        return Err(empty(gold.chunks.path()));
                    }
                    let Some(rest) = pred.next()? else {
                        return Ok(counts);
                    };
                    other.add(rest);
                    return Err(ends((&gold, &own), (&pred, &other), true));
                }
                None => return Err(ends((&gold, &own), (&pred, &other), of_gold)),
            }
            check_same(&gold, &mut own, &pred, &other)?;
            if stops() {
                return Err(Error::Stopped);
            }
        }
        compare(&own.words, &other.words, options.subtypes, &mut counts).map_err(|error| {
            let position = Position::line(gold.chunks.path(), own.line);
            IoError::new(Code::SentenceTooLong, position, error.to_string())
        })?;
        if options.documents {
            counts.end_document(Key::Number(row));
        }
        row += 1;
    }
}

/// Returns the error for gold without words.
fn empty(path: &str) -> Error {
    IoError::new(
        Code::Empty,
        Position::file(path),
        "the file contains no words",
    )
    .into()
}

/// Returns the error for a text that ends before the text of the other side: gold's text if
/// `gold_ends`, otherwise pred's. The shorter segment is a prefix of the longer one.
fn ends(gold: (&Side, &Stretch), pred: (&Side, &Stretch), gold_ends: bool) -> Error {
    let place = |side: &Side, open: &Stretch| Position::line(side.chunks.path(), open.line);
    let (short, long) = if gold_ends {
        (gold.1, pred.1)
    } else {
        (pred.1, gold.1)
    };
    let rest = long.text.get(short.text.len()..).unwrap_or_default();
    let rest: String = rest.chars().take(30).collect();
    let (gold, pred) = (place(gold.0, gold.1), place(pred.0, pred.1));
    // The message is printed after the position in gold.
    let message = match gold_ends {
        true => format!("the text of gold ends, but {pred} continues with {rest:?}"),
        false => format!(
            "the text of {} ends, but gold continues with {rest:?}",
            pred.path
        ),
    };
    Error::Misaligned {
        gold,
        pred,
        message,
    }
}

/// Compares the texts of both sides, starting from the end of the last comparison, as far as both
/// have been read. Each character is compared once, so time is linear regardless of sentence
/// lengths.
///
/// # Errors
/// [`Error::Misaligned`] with the characters around the first difference.
fn check_same(gold: &Side, own: &mut Stretch, pred: &Side, other: &Stretch) -> Result<()> {
    let from = own.checked;
    let (Some(rest), Some(other_rest)) = (own.text.get(from..), other.text.get(from..)) else {
        return Ok(());
    };
    let same = rest
        .chars()
        .zip(other_rest.chars())
        .take_while(|(a, b)| a == b);
    let same: usize = same.map(|(c, _)| c.len_utf8()).sum();
    own.checked = from + same;
    if same >= rest.len().min(other_rest.len()) {
        return Ok(());
    }
    let part = |text: &str| {
        let before = text[..from + same].chars().count();
        text.chars()
            .skip(before.saturating_sub(10))
            .take(20)
            .collect::<String>()
    };
    Err(Error::Misaligned {
        gold: Position::line(gold.chunks.path(), own.line),
        pred: Position::line(pred.chunks.path(), other.line),
        message: format!(
            "the text is {:?} here, but {:?} in {}:{}; both sides must have the same characters",
            part(&own.text),
            part(&other.text),
            pred.chunks.path(),
            other.line
        ),
    })
}

#[cfg(test)]
mod tests {
    use spanrs_io::Source;

    use super::*;

    /// Returns the positions and the message of the error for two files with the given texts.
    fn refused(texts: [&'static str; 2]) -> [String; 3] {
        let [gold, pred] = texts.map(str::as_bytes);
        let chunks =
            |name, text| SyntaxChunks::open(&Source::stream(name, Box::new(text)), None).unwrap();
        let (gold, pred) = (chunks("gold", gold), chunks("pred", pred));
        match evaluate(gold, pred, EvaluateOptions::default(), || false) {
            Err(Error::Misaligned {
                gold,
                pred,
                message,
            }) => [gold.to_string(), pred.to_string(), message],
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_side_that_ends_first_keeps_its_place() {
        const ONE: &str = "They PRP 2 nsubj\nate VBD 0 root\n\n";
        const TWO: &str = "They PRP 2 nsubj\nate VBD 0 root\n\nYes UH 0 root\n\n";
        const LONG: &str = "They PRP 2 nsubj\nate VBD 0 root\npizza NN 2 obj\n\n";
        let expected = [
            (
                [ONE, TWO],
                [
                    "gold",
                    "pred:4",
                    "the text of gold ends, but pred:4 continues with \"Yes\"",
                ],
            ),
            (
                [TWO, ONE],
                [
                    "gold:4",
                    "pred",
                    "the text of pred ends, but gold continues with \"Yes\"",
                ],
            ),
            (
                [ONE, LONG],
                [
                    "gold:1",
                    "pred:1",
                    "the text of gold ends, but pred:1 continues with \"pizza\"",
                ],
            ),
            (
                [LONG, ONE],
                [
                    "gold:1",
                    "pred:1",
                    "the text of pred ends, but gold continues with \"pizza\"",
                ],
            ),
        ];
        for (texts, error) in expected {
            assert_eq!(refused(texts), error);
        }
    }
}
