//! Documents from column files, for scoring tags with MATScore's rules.
//!
//! Column files have no text. The text is rebuilt with a space between tokens and a line feed
//! between sentences, and tokens and spans become annotations with offsets in characters:
//!
//! ```text
//! New B-LOC
//! York I-LOC          text        "New York\nété"
//!                     lex         0-3, 4-8, 9-12
//! été O               LOC         0-8
//! ```
//!
//! Offsets count code points, as in all documents.

use std::collections::VecDeque;

use spanrs_base::{Limits, Position, Span};
use spanrs_eval::Violations;
use spanrs_io::document::{Document, TOKEN};
use spanrs_io::{Code, ColumnChunks, ColumnReader, Select};
use spanrs_tags::{Reader, Reading};

use crate::document_name::document_name;
use crate::error::{Error, Result};
use crate::file_warnings::{column_warnings, violation_warning};
use crate::tag_ids::read_tag_ids;
use crate::{Progress, report};

/// Reads the documents of a column file one by one. Tokens are annotations of type [`TOKEN`]; the
/// spans of the tags follow all tokens of the document.
///
/// The name of a document is in its first line: `# newdoc id = NAME`, or `-DOCSTART- (NAME)`.
/// Documents without sentences are skipped. One document is in memory, or several if they are
/// short.
///
/// # Examples
/// ```
/// use spanrs::io::{ColumnReader, Columns, LineReader};
/// use spanrs::tags::{Reader, Scheme};
/// let source = Box::new(&b"-DOCSTART- (news)\n\nNew B-LOC\nYork I-LOC\n"[..]);
/// let lines = LineReader::new("example", source, Default::default())?;
/// let rows = ColumnReader::new(lines, Columns::default())?;
/// let reader = Reader::new(Scheme::Bio, Default::default(), Default::default()).unwrap();
/// let mut documents = spanrs::ConllDocuments::new(rows, reader)?;
/// let news = documents.next(&mut |_| true)?.unwrap();
/// assert_eq!((news.id.as_deref(), &*news.text), (Some("news"), "New York"));
/// assert_eq!((news.annotations[2].start, news.annotations[2].end), (0, 8));
/// assert!(documents.next(&mut |_| true)?.is_none());
/// assert!(documents.finish()?.is_empty());
/// # Ok::<(), spanrs::Error>(())
/// ```
pub struct ConllDocuments {
    /// Name of the file.
    path: String,
    /// Whole sentences of the file.
    chunks: ColumnChunks,
    /// Reads spans from tags.
    reader: Reader,
    /// Documents that were read but not returned yet.
    ready: VecDeque<Document>,
    /// The document being read; None after the end of the file.
    draft: Option<Draft>,
    /// The error that ended the reading of the file.
    failure: Option<Error>,
    /// Maximum number of bytes of the text of a document.
    most: usize,
    /// Warnings about the columns.
    warnings: Vec<String>,
    /// Tags that violate the scheme.
    malformed: Violations,
    /// Number of tokens whose tag is not `O`.
    labelled: u64,
    /// Number of sentences read.
    sentences: u64,
    /// Buffers.
    ids: Vec<u32>,
    spans: Vec<Span>,
}

impl ConllDocuments {
    /// Creates a reader of the documents in `rows`.
    ///
    /// # Errors
    /// [`Code::NoColumn`] for a file that contains only tags.
    pub fn new(rows: ColumnReader, reader: Reader) -> Result<Self> {
        if !rows.has_tokens() {
            let message = "the file has tags and no tokens, so there is no text; choose a file with a column of \
                           tokens";
            let place = Position::file(rows.path());
            return Err(spanrs_io::Error::new(Code::NoColumn, place, message).into());
        }
        Ok(Self {
            warnings: column_warnings(&rows, None),
            path: rows.path().to_owned(),
            chunks: rows.chunks(Select::TOKEN),
            reader,
            ready: VecDeque::new(),
            draft: Some(Draft::default()),
            failure: None,
            most: Limits::default().document_bytes,
            malformed: Violations::default(),
            labelled: 0,
            sentences: 0,
            ids: Vec::new(),
            spans: Vec::new(),
        })
    }

    /// Returns the next document; None at the end.
    ///
    /// # Errors
    /// Errors from reading the file; [`Code::DocumentTooLong`] if the text of a document exceeds
    /// the default of `Limits::document_bytes`; [`Error::Tags`]; [`Error::Stopped`].
    pub fn next(&mut self, progress: &mut Progress<'_>) -> Result<Option<Document>> {
        while self.ready.is_empty() && self.draft.is_some() {
            match self.read_chunk() {
                Ok(true) => {}
                Ok(false) => {
                    let last = self.draft.take().and_then(Draft::finish);
                    self.ready.extend(last);
                }
                // Documents before the error are returned first.
                Err(error) => {
                    self.draft = None;
                    self.failure = Some(error);
                }
            }
            report(progress, self.chunks.rows())?;
        }
        match self.ready.pop_front() {
            None => self.failure.take().map_or(Ok(None), Err),
            document => Ok(document),
        }
    }

    /// Reads the documents of the next chunk; false at the end.
    fn read_chunk(&mut self) -> Result<bool> {
        let (Some(draft), Some(chunk)) = (&mut self.draft, self.chunks.next()?) else {
            return Ok(false);
        };
        for sentence in chunk.sentences() {
            if let Some(line) = sentence.document() {
                self.ready.extend(std::mem::take(draft).finish());
                draft.document.id = document_name(line);
            }
            for token in 0..sentence.len() {
                draft.token(sentence.token_text(token));
                if draft.document.text.len() > self.most {
                    return Err(too_long(&self.path, sentence.line(token), self.most));
                }
            }
            read_tag_ids(&mut self.reader, &sentence, &self.path, &mut self.ids)?;
            let line = |token: u32| sentence.line(token as usize);
            let gold = self.reader.gold();
            self.malformed.add(gold, &self.ids, self.sentences, 1, line);
            self.labelled += self.reader.count_labelled(&self.ids);
            self.spans.clear();
            self.reader.spans_into(&self.ids, &mut self.spans);
            for span in &self.spans {
                draft.span(self.reader.type_name(span.ty), span.start, span.end);
            }
            draft.end_sentence();
            self.sentences += 1;
        }
        Ok(true)
    }

    /// Returns warnings about the documents that were returned.
    ///
    /// # Errors
    /// [`Error::Malformed`] under [`Reading::Refuse`].
    pub fn finish(&mut self) -> Result<Vec<String>> {
        let malformed = std::mem::take(&mut self.malformed);
        if malformed.count > 0 && self.reader.reading() == Reading::Refuse {
            return Err(Error::Malformed {
                path: self.path.clone(),
                scheme: self.reader.scheme(),
                violations: malformed,
            });
        }
        let mut warnings = std::mem::take(&mut self.warnings);
        warnings.extend(violation_warning(
            &self.path,
            self.reader.scheme(),
            &malformed,
            self.labelled,
            "is it the right column, or is it in another scheme (--scheme)?",
        ));
        Ok(warnings)
    }
}

/// Returns the error for a document whose text exceeds the limit.
#[cold]
fn too_long(path: &str, line: u64, most: usize) -> Error {
    let message = format!(
        "the text of the document exceeds the limit of {most} bytes; mark where documents begin"
    );
    let place = Position::line(path, line);
    spanrs_io::Error::new(Code::DocumentTooLong, place, message).into()
}

/// The document being read.
#[derive(Default)]
struct Draft {
    /// The text so far, with the tokens as annotations.
    document: Document,
    /// Length of the text in characters.
    characters: u32,
    /// Index of the first token of the current sentence among the annotations.
    begun: usize,
    /// Type, start and end, in characters, of the spans of the tags.
    spans: Vec<(u32, u32, u32)>,
}

impl Draft {
    /// Appends a token to the text, after a separator, and adds the annotation of the token.
    fn token(&mut self, token: &str) {
        let tokens = self.document.annotations.len();
        if tokens > 0 {
            self.document
                .text
                .push(if tokens == self.begun { '\n' } else { ' ' });
            self.characters += 1;
        }
        let start = self.characters;
        self.characters += token.chars().count() as u32;
        self.document.text.push_str(token);
        let ty = self.document.intern(TOKEN);
        self.document.push(ty, start, self.characters);
    }

    /// Stores a span of tokens of the current sentence, from `start` (inclusive) to `end`
    /// (exclusive). These tokens have been added before.
    fn span(&mut self, ty: &str, start: u32, end: u32) {
        let tokens = &self.document.annotations[self.begun..];
        let (first, last) = (tokens[start as usize].start, tokens[end as usize - 1].end);
        self.spans.push((self.document.intern(ty), first, last));
    }

    /// Ends the sentence: the next token begins another sentence.
    fn end_sentence(&mut self) {
        self.begun = self.document.annotations.len();
    }

    /// Returns the document, with the spans after the tokens; None if the document has no sentence.
    fn finish(mut self) -> Option<Document> {
        for (ty, start, end) in self.spans {
            self.document.push(ty, start, end);
        }
        (self.begun > 0).then_some(self.document)
    }
}

#[cfg(test)]
mod tests {
    use spanrs_io::{Columns, LineReader};
    use spanrs_tags::{Dialect, Scheme};

    use super::*;

    fn rows(text: &'static str) -> ColumnReader {
        let source = Box::new(text.as_bytes());
        let lines = LineReader::new("t.conll", source, Limits::default()).unwrap();
        ColumnReader::new(lines, Columns::default()).unwrap()
    }

    fn reader(reading: Reading) -> Reader {
        Reader::new(Scheme::Bio, reading, Dialect::default()).unwrap()
    }

    fn all(documents: &mut ConllDocuments) -> Result<Vec<Document>> {
        let mut next = || documents.next(&mut |_| true).transpose();
        let found: Result<Vec<_>> = std::iter::from_fn(&mut next).collect();
        documents.finish()?;
        found
    }

    fn documents(text: &'static str) -> Vec<Document> {
        let mut documents = ConllDocuments::new(rows(text), reader(Reading::Conlleval)).unwrap();
        // Closing drops annotations that are not within the text.
        let found = all(&mut documents).unwrap();
        found.into_iter().map(Document::close).collect()
    }

    fn found(document: &Document) -> Vec<(&str, String)> {
        let all = document.annotations.iter();
        all.map(|a| {
            let text = document.text.chars().skip(a.start as usize);
            let text = text.take((a.end - a.start) as usize).collect();
            (document.type_of(a), text)
        })
        .collect()
    }

    fn refused(text: &'static str, reading: Reading, most: usize) -> String {
        let refused = ConllDocuments::new(rows(text), reader(reading)).and_then(|mut documents| {
            documents.most = most;
            all(&mut documents)
        });
        refused.unwrap_err().to_string()
    }

    #[test]
    fn text_is_rebuilt_and_spans_point_into_it() {
        let text = "\u{1F600} O\nNew B-LOC\nYork I-LOC\n\n\n\u{e9}t\u{e9} I-PER\n";
        let found_here = documents(text);
        assert_eq!(found_here.len(), 1);
        assert_eq!(found_here[0].text, "\u{1F600} New York\n\u{e9}t\u{e9}");
        let lex = |token: &str| (TOKEN, token.to_owned());
        assert_eq!(
            found(&found_here[0]),
            [
                lex("\u{1F600}"),
                lex("New"),
                lex("York"),
                lex("\u{e9}t\u{e9}"),
                ("LOC", "New York".to_owned()),
                ("PER", "\u{e9}t\u{e9}".to_owned()),
            ]
        );
        let york = &found_here[0].annotations[4];
        assert_eq!(
            (york.start, york.end, found_here[0].left_out_count),
            (2, 10, 0)
        );
    }

    #[test]
    fn documents_begin_where_lines_say_so() {
        let text = "-DOCSTART- -X- O\n\n-DOCSTART- (1 EU)\n\na B-X\nb O\n-DOCSTART-\n\nc O\n\n# newdoc id = d 3 \n\
                    d I-X\n\n# newdoc\n\n-DOCSTART- ( )\n\n";
        let found_here = documents(text);
        let names: Vec<_> = found_here
            .iter()
            .map(|d| (d.id.as_deref(), &*d.text))
            .collect();
        assert_eq!(
            names,
            [(Some("1 EU"), "a b"), (None, "c"), (Some("d 3"), "d")]
        );
        assert_eq!(found(&found_here[0])[2], ("X", "a".to_owned()));
    }

    #[test]
    fn empty_tokens_are_tokens() {
        let found_here = documents("a\tO\n\tB-X\n\n\tO\nb\tO\n");
        assert_eq!(found_here[0].text, "a \n b");
        assert_eq!(found(&found_here[0])[1], (TOKEN, String::new()));
        let spans: Vec<_> = found_here[0]
            .annotations
            .iter()
            .map(|a| (a.start, a.end))
            .collect();
        assert_eq!(spans, [(0, 1), (2, 2), (3, 3), (4, 5), (2, 2)]);
    }

    #[test]
    fn documents_before_an_error_come_first() {
        let text = "# newdoc id = a\nx O\n\n# newdoc id = b\ny O\n\n# newdoc id = c\nz\n";
        let mut documents = ConllDocuments::new(rows(text), reader(Reading::Conlleval)).unwrap();
        let mut next = || documents.next(&mut |_| true);
        assert_eq!(next().unwrap().unwrap().id.as_deref(), Some("a"));
        assert!(next().unwrap_err().to_string().starts_with("t.conll:8"));
        assert!(next().unwrap().is_none());
    }

    #[test]
    fn reading_stops_when_asked() {
        let rows = rows("a O\n".repeat(40_000).leak());
        let mut documents = ConllDocuments::new(rows, reader(Reading::Conlleval)).unwrap();
        assert!(matches!(
            documents.next(&mut |_| false),
            Err(Error::Stopped)
        ));
    }

    #[test]
    fn what_gives_no_documents_is_refused() {
        assert_eq!(
            refused("O\nB-X\n", Reading::Conlleval, 9),
            "t.conll: the file has tags and no tokens, so there is no text; choose a file with a column of tokens"
        );
        assert_eq!(
            refused("a O\nbc O\n", Reading::Conlleval, 3),
            "t.conll:2: the text of the document exceeds the limit of 3 bytes; mark where documents begin"
        );
        assert!(refused("a O\n\nb I-X\n", Reading::Refuse, 9).starts_with("t.conll:3: "));
    }
}
