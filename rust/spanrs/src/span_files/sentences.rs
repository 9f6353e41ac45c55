//! Reading the sentences of files of spans in chunks.

use spanrs_base::Vocabulary;
use spanrs_eval::TypeFilter;

use super::sentence::{TYPES, Types};
use super::{Side, SpanSource};
use crate::error::{Error, Result};
use crate::{Progress, Reporter};

/// Number of spans or sentences after which a chunk ends at the next sentence border.
const SPANS: usize = 1 << 13;

/// Reader of the sentences of a file of spans, in chunks of about 8,192 spans.
///
/// A span file cannot contain a sentence without spans; a file with stacked tags also contains the
/// tokens of its sentences.
///
/// # Examples
/// ```
/// use spanrs::io::{LineReader, SpanFileReader};
/// use spanrs::span_files::{SpanSentences, SpanSource};
/// let text = "PER\t6\t7\t6, 7\nORG\t2\t4\t2, 4\n\nPER\t1\t1\t1\n";
/// let lines = LineReader::new("example", Box::new(text.as_bytes()), Default::default())?;
/// let source = SpanSource::Spans(Box::new(SpanFileReader::new(lines)));
/// let mut reader = SpanSentences::new(source);
/// let sentences = reader.next(&mut |_| true)?.unwrap();
/// let span = &sentences[0].spans[1];
/// assert_eq!((reader.type_name(span.ty), span.start, span.end), ("ORG", 1, 4));
/// assert_eq!(span.tokens.as_deref(), Some(&[1, 3][..]));
/// assert_eq!((sentences.len(), sentences[1].line), (2, 4));
/// assert!(reader.next(&mut |_| true)?.is_none());
/// # Ok::<(), spanrs::Error>(())
/// ```
pub struct SpanSentences {
    side: Side,
    types: Vocabulary,
    /// The error after the sentences of the last chunk.
    failure: Option<Error>,
}

/// A sentence of a file of spans.
#[derive(Debug)]
pub struct SpanSentence {
    /// The tokens; None for span files, which contain no tokens.
    pub tokens: Option<Vec<String>>,
    /// The spans, in the order of the file.
    pub spans: Vec<LocatedSpan>,
    /// Line of the first span or token, from 1.
    pub line: u64,
}

/// A span of a [`SpanSentence`], in tokens from 0.
#[derive(Debug)]
pub struct LocatedSpan {
    /// The type, for [`SpanSentences::type_name`].
    pub ty: u32,
    /// First token.
    pub start: i64,
    /// One past the last token.
    pub end: i64,
    /// The tokens, ascending; None if the span has all tokens between its bounds.
    pub tokens: Option<Vec<i64>>,
}

impl SpanSentences {
    /// Creates a reader of the sentences of a file.
    pub fn new(source: SpanSource) -> Self {
        Self {
            side: Side::new(source),
            types: Vocabulary::new(TYPES),
            failure: None,
        }
    }

    /// Returns the name of a type.
    pub fn type_name(&self, ty: u32) -> &str {
        self.types.name(ty)
    }

    /// Returns the number of different types so far.
    pub fn type_count(&self) -> usize {
        self.types.len()
    }

    /// Reads the next sentences; None at the end of the file.
    ///
    /// # Errors
    /// Same as [`score_spans`](super::score_spans) for one file. The sentences before an error are
    /// returned first.
    pub fn next(&mut self, progress: &mut Progress<'_>) -> Result<Option<Vec<SpanSentence>>> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let mut sentences = Vec::new();
        if let Err(error) = self.fill(&mut sentences, progress) {
            if sentences.is_empty() {
                return Err(error);
            }
            self.failure = Some(error);
        }
        Ok((!sentences.is_empty()).then_some(sentences))
    }

    /// Reads sentences until the chunk is full.
    fn fill(
        &mut self,
        sentences: &mut Vec<SpanSentence>,
        progress: &mut Progress<'_>,
    ) -> Result<()> {
        let filter = TypeFilter::default();
        let mut types = Types {
            names: &mut self.types,
            filter: &filter,
            counts: Vec::new(),
        };
        let mut reporter = Reporter::new(progress);
        let mut spans = 0;
        while spans < SPANS
            && sentences.len() < SPANS
            && self.side.next(&mut types, &mut reporter)?
        {
            let ignored = self.side.punctuation();
            self.side.find(ignored.as_deref(), &mut types)?;
            let sentence = self.side.current();
            spans += sentence.spans.len();
            sentences.push(sentence);
        }
        Ok(())
    }
}

impl Side {
    /// Returns the current sentence.
    fn current(&self) -> SpanSentence {
        let spans = self.sentence.spans();
        let located = (0..self.sentence.spans.len()).map(|at| {
            let (span, runs) = spans.get(at);
            LocatedSpan {
                ty: span.ty,
                start: span.start,
                end: span.end,
                tokens: runs.map(|runs| runs.iter().flat_map(|&(start, end)| start..end).collect()),
            }
        });
        let words = (0..self.words.len()).map(|at| self.words.get(at).into_owned());
        SpanSentence {
            tokens: self.tokens().map(|_| words.collect()),
            spans: located.collect(),
            line: self.first,
        }
    }
}

#[cfg(test)]
mod tests {
    use spanrs_io::{ColumnReader, Columns, LineReader, SpanFileReader};

    use super::*;

    fn lines(text: String) -> LineReader {
        let source = Box::new(std::io::Cursor::new(text));
        LineReader::new("t", source, Default::default()).unwrap()
    }

    #[test]
    fn chunks_end_with_sentences_and_errors_come_last() {
        let text = "PER\t1\t1\t1\nLOC\t2\t2\t\n\n\n".repeat(SPANS) + "PER\t2\t1\t1\n";
        let source = SpanSource::Spans(Box::new(SpanFileReader::new(lines(text))));
        let mut reader = SpanSentences::new(source);
        for _ in 0..2 {
            let sentences = reader.next(&mut |_| true).unwrap().unwrap();
            assert_eq!((sentences.len(), reader.type_count()), (SPANS / 2, 2));
        }
        let error = reader.next(&mut |_| true).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("t:{}: the span ends", 4 * SPANS + 1)),
            "{error}"
        );
    }

    #[test]
    fn stacked_tags_have_tokens_and_spans_without_punctuation() {
        let text = "the D B-NP\nman N I-NP|B-X\n. $. I-NP\n\nnow A O\n".to_owned();
        let columns = Columns {
            second: Some(spanrs_io::Column::Index(1)),
            ..Columns::default()
        };
        let rows = Box::new(ColumnReader::new(lines(text), columns).unwrap());
        let source = SpanSource::Stacked {
            rows,
            ignore_punct: true,
        };
        let mut reader = SpanSentences::new(source);
        let sentences = reader.next(&mut |_| true).unwrap().unwrap();
        assert_eq!(
            sentences[0].tokens.as_deref(),
            Some(&["the".into(), "man".into(), ".".into()][..])
        );
        let spans = sentences[0].spans.iter();
        let mut found: Vec<_> = spans
            .map(|span| (reader.type_name(span.ty), span.start, span.end))
            .collect();
        found.sort_unstable();
        assert_eq!(found, [("NP", 0, 2), ("X", 1, 2)]);
        assert!(sentences[1].spans.is_empty());
    }
}
