use spanrs_base::Position;
use spanrs_dep::Roots;
use spanrs_eval::dep::{self, Node, Options};
use spanrs_eval::outcomes::{Counts, Key};
use spanrs_io::{
    Code, Error as IoError, SyntaxChunk, SyntaxChunks, SyntaxFormat, SyntaxReader, SyntaxSentence,
};

use super::treebank::heads_of;
use crate::error::{Error, Result};

/// A word with its strings.
#[derive(Clone, Debug)]
struct OwnedWord {
    fields: [String; 6],
    head: Option<usize>,
    span: (usize, usize),
    in_multiword: bool,
    starts_sentence: bool,
}

/// Sentences of a side that were read and not compared.
struct Side {
    chunks: SyntaxChunks,
    chunk: Option<SyntaxChunk>,
    /// Sentences of the chunk, and which is next.
    sentences: std::vec::IntoIter<OwnedSentence>,
    roots: Roots,
}

/// A sentence with the text of its tokens.
#[derive(Debug)]
struct OwnedSentence {
    words: Vec<OwnedWord>,
    /// The forms of its tokens without spaces.
    text: String,
    line: u64,
}

impl Side {
    fn new(chunks: SyntaxChunks, roots: Roots) -> Result<Self> {
        let format = chunks.format();
        if !matches!(format, SyntaxFormat::Conllu | SyntaxFormat::FourColumns) {
            let position = Position::file(chunks.path());
            let message = "the file has no heads; trees are compared in CoNLL-U";
            return Err(IoError::new(Code::WrongFormat, position, message).into());
        }
        Ok(Self {
            chunks,
            chunk: None,
            sentences: Vec::new().into_iter(),
            roots,
        })
    }

    fn next(&mut self) -> Result<Option<OwnedSentence>> {
        loop {
            if let Some(sentence) = self.sentences.next() {
                return Ok(Some(sentence));
            }
            self.chunk = self.chunks.read()?;
            let Some(chunk) = &self.chunk else {
                return Ok(None);
            };
            let (path, format) = (self.chunks.path(), self.chunks.format());
            let mut reader = SyntaxReader::new(&chunk.text, format, path, chunk.lines_before)?;
            let mut sentence = SyntaxSentence::default();
            let mut all = Vec::new();
            while reader.read(&mut sentence)? {
                if !sentence.words.is_empty() {
                    all.push(owned(path, format, &sentence, self.roots)?);
                }
            }
            self.sentences = all.into_iter();
        }
    }
}

fn owned(
    path: &str,
    format: SyntaxFormat,
    sentence: &SyntaxSentence<'_>,
    roots: Roots,
) -> Result<OwnedSentence> {
    let heads = heads_of(path, format, sentence, roots)?;
    let mut text = String::new();
    let mut length = 0;
    let mut words = Vec::with_capacity(sentence.words.len());
    let mut multiwords = sentence.multiwords.iter().peekable();
    let mut inside: Option<((usize, usize), usize)> = None;
    let mut token = |form: &str| {
        let characters = form.chars().filter(|c| !c.is_whitespace());
        let start = length;
        text.extend(characters.inspect(|_| length += 1));
        (start, length)
    };
    for (at, (word, head)) in sentence.words.iter().zip(&heads).enumerate() {
        if multiwords
            .peek()
            .is_some_and(|multiword| multiword.start == at)
            && let Some(multiword) = multiwords.next()
        {
            inside = Some((token(multiword.form), multiword.end));
        }
        let span = match inside {
            Some((span, end)) if at < end => Some(span),
            _ => None,
        };
        words.push(OwnedWord {
            fields: [
                word.form(),
                word.lemma(),
                word.upos(),
                word.xpos(),
                word.feats(),
                word.deprel(),
            ]
            .map(str::to_owned),
            head: (*head as usize).checked_sub(1),
            span: span.unwrap_or_else(|| token(word.form())),
            in_multiword: span.is_some(),
            starts_sentence: at == 0,
        });
    }
    Ok(OwnedSentence {
        words,
        text,
        line: sentence.line,
    })
}

/// Words of sentences that are compared together.
#[derive(Default)]
struct Stretch {
    words: Vec<OwnedWord>,
    text: String,
    /// Characters of the text.
    length: usize,
    line: u64,
    /// Bytes of the text that are known to be those of the other side.
    checked: usize,
}

impl Stretch {
    fn add(&mut self, sentence: OwnedSentence) {
        if self.words.is_empty() {
            self.line = sentence.line;
        }
        let (words, characters) = (self.words.len(), self.length);
        self.length += sentence.text.chars().count();
        self.text.push_str(&sentence.text);
        self.words
            .extend(sentence.words.into_iter().map(|mut word| {
                word.head = word.head.map(|head| head + words);
                word.span = (word.span.0 + characters, word.span.1 + characters);
                word
            }));
    }

    fn nodes(&self) -> Vec<Node<'_>> {
        let nodes = self.words.iter().map(|word| {
            let [form, lemma, upos, xpos, features, label] = &word.fields;
            Node {
                form,
                lemma,
                upos,
                xpos,
                features,
                label,
                head: word.head,
                span: word.span,
                in_multiword: word.in_multiword,
                starts_sentence: word.starts_sentence,
            }
        });
        nodes.collect()
    }
}

/// Compares the trees of two files sentence by sentence; a row of counts for each stretch of text in which both sides begin
/// and end a sentence, which is a sentence where they have the same. `documents` keeps the rows; `roots` says how many roots
/// trees may have.
///
/// # Errors
/// Those of the reader, [`Error::Misaligned`] where the texts differ, and [`Error::Stopped`].
pub fn evaluate(
    gold: SyntaxChunks,
    pred: SyntaxChunks,
    options: Options,
    roots: Roots,
    documents: bool,
    mut stops: impl FnMut() -> bool,
) -> Result<Counts> {
    let mut counts = match documents {
        true => Counts::by_document(&dep::SCHEMA),
        false => Counts::new(&dep::SCHEMA),
    };
    let (mut gold, mut pred) = (Side::new(gold, roots)?, Side::new(pred, roots)?);
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
                    return match pred.next()? {
                        None => Ok(counts),
                        Some(rest) => Err(ends(&gold, 0, &pred, rest.line, &rest.text)),
                    };
                }
                None if of_gold => {
                    return Err(ends(&gold, own.line, &pred, other.line, &other.text));
                }
                None => return Err(ends(&pred, other.line, &gold, own.line, &own.text)),
            }
            check_same(&gold, &mut own, &pred, &other)?;
            if stops() {
                return Err(Error::Stopped);
            }
        }
        dep::compare(&own.nodes(), &other.nodes(), options, &mut counts).map_err(|error| {
            let position = Position::line(gold.chunks.path(), own.line);
            IoError::new(Code::SentenceTooLong, position, error.to_string())
        })?;
        if documents {
            counts.end_document(Key::Number(row));
        }
        row += 1;
    }
}

fn empty(path: &str) -> Error {
    IoError::new(
        Code::Empty,
        Position::file(path),
        "there is no word in the file",
    )
    .into()
}

fn ends(short: &Side, line: u64, long: &Side, long_line: u64, text: &str) -> Error {
    let beginning: String = text.chars().take(30).collect();
    Error::Misaligned {
        gold: Position::line(short.chunks.path(), line),
        pred: Position::line(long.chunks.path(), long_line),
        message: format!(
            "the text ends before that of {}:{long_line}, where {beginning:?} follows",
            long.chunks.path()
        ),
    }
}

/// Compares the texts from where they were compared last, as far as both are known.
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
