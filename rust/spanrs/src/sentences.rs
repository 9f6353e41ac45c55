//! Reading the sentences of a column file with several columns of tags in one pass.
//!
//! ```text
//! Deutsche B-ORG O         tokens  Deutsche Bank Frankfurt
//! Bank I-ORG O             layer 0 B-ORG I-ORG I-ORG
//! Frankfurt I-ORG B-LOC    layer 1 O O B-LOC
//! ```

use spanrs_base::{Interner, Position};
use spanrs_io::{ChunkSentence, Code, Column, ColumnChunks, ColumnReader, Select};

use crate::column_files::ColumnFile;
use crate::document_name::document_name;
use crate::error::{Error, Result};
use crate::file_warnings::warnings_besides;
use crate::{Progress, report};

/// Reader of the sentences of a column file, in chunks of about 16,384 tokens.
///
/// In CoNLL-U, a word without a value in MISC, or without the key, has the tag `O` in a layer that is MISC or a key of
/// MISC.
///
/// # Examples
/// ```
/// use spanrs::io::{Column, Source};
/// use spanrs::{ColumnFile, SentenceReader};
/// let text = "-DOCSTART- (news)\n\nBank I-ORG O\nBonn I-ORG B-LOC\n";
/// let source = Source::stream("example", Box::new(text.as_bytes())).into();
/// let file = ColumnFile { source, columns: Default::default() };
/// let layers = [Column::Index(1), Column::Index(2)];
/// let mut reader = SentenceReader::open(&file, Some(&layers))?;
/// let chunk = reader.next(&mut |_| true)?.unwrap();
/// let sentence = &chunk.sentences[0];
/// let tags: Vec<_> = sentence.layers[1].iter().map(|&tag| chunk.tags.name(tag).unwrap()).collect();
/// assert_eq!((tags, sentence.line), (vec!["O", "B-LOC"], 3));
/// assert_eq!(sentence.document.as_deref(), Some("news"));
/// assert!(reader.next(&mut |_| true)?.is_none());
/// # Ok::<(), spanrs::Error>(())
/// ```
pub struct SentenceReader {
    chunks: ColumnChunks,
    layers: Vec<Layer>,
    warnings: Vec<String>,
    /// The error after the sentences of the last chunk.
    failure: Option<Error>,
}

/// A column of tags.
struct Layer {
    /// Index among the extra columns; None for the column of tags.
    extra: Option<usize>,
    /// Name of the column of CoNLL-U; None for a key of MISC, and for other files.
    column: Option<&'static str>,
    /// Name of the column or key, or position of the column.
    name: String,
    /// Whether the layer is an extra column that reads a key of MISC, and no word has had the key so far. For the
    /// column of tags, the reader of the rows checks this.
    missing_key: bool,
}

/// Consecutive sentences of a column file.
#[derive(Debug, Default)]
pub struct SentenceChunk {
    /// The distinct tokens, in the order in which they first occur in the chunk.
    pub tokens: Interner<str>,
    /// The distinct tags, in the order in which they first occur in the chunk.
    pub tags: Interner<str>,
    /// The sentences.
    pub sentences: Vec<TaggedSentence>,
}

/// A sentence of a [`SentenceChunk`].
#[derive(Debug)]
pub struct TaggedSentence {
    /// The tokens, as indices into [`SentenceChunk::tokens`]; None in a file that contains only tags.
    pub tokens: Option<Vec<u32>>,
    /// The tags of each layer, as indices into [`SentenceChunk::tags`].
    pub layers: Vec<Vec<u32>>,
    /// Line of the first token, from 1.
    pub line: u64,
    /// Name of the document that begins with the sentence, empty if the document has no name; None if no document
    /// begins here.
    pub document: Option<String>,
}

impl SentenceReader {
    /// Opens a file. `tags` lists the columns of the layers and may be empty. If `tags` is None, the only layer is the
    /// column of tags in the options of the file.
    ///
    /// # Errors
    /// Same as [`ColumnFile::open`]; [`Code::NoColumn`] for a column that does not exist, or that contains
    /// the tokens.
    pub fn open(file: &ColumnFile, tags: Option<&[Column]>) -> Result<Self> {
        let mut columns = file.columns.clone();
        columns.second = None;
        let others = match tags {
            None => &[][..],
            Some([]) => {
                columns.untagged = true;
                &[]
            }
            Some([first, others @ ..]) => {
                columns.tag = first.clone();
                columns.untagged = false;
                others
            }
        };
        let untagged = columns.untagged;
        let mut rows = file.open_as(columns)?;
        let mut layers = Vec::new();
        if !untagged {
            let column = rows.tag_column_name();
            let key = rows.tag_key().or(column).map(str::to_owned);
            layers.push(Layer {
                extra: None,
                column,
                name: key.unwrap_or_else(|| rows.tag_column().to_string()),
                missing_key: false,
            });
        }
        for column in others {
            layers.push(Layer::extra(&mut rows, column)?);
        }
        let read = layers.iter().filter_map(|layer| layer.extra);
        let read: Vec<usize> = read.map(|extra| rows.extra_column(extra)).collect();
        Ok(Self {
            warnings: warnings_besides(&rows, &read),
            chunks: rows.chunks(Select::TOKEN),
            layers,
            failure: None,
        })
    }

    /// Returns true for CoNLL-U.
    pub fn is_conllu(&self) -> bool {
        self.chunks.rows().is_conllu()
    }

    /// Returns the number of columns of the file.
    pub fn columns(&self) -> usize {
        self.chunks.rows().columns()
    }

    /// Iterates over the names of the layers: the column or key of CoNLL-U, or the position of the
    /// column.
    pub fn layers(&self) -> impl ExactSizeIterator<Item = &str> {
        self.layers.iter().map(|layer| &*layer.name)
    }

    /// Returns warnings about the columns of the file ([`crate::column_warnings`]).
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Reads the next sentences; None at the end of the file.
    ///
    /// # Errors
    /// Errors from reading the file; [`Code::NoColumn`] for an empty tag, for `_` in a column of
    /// CoNLL-U other than MISC, and at the end for a key of MISC that no word has;
    /// [`Error::Stopped`]. The sentences before an error are returned first.
    pub fn next(&mut self, progress: &mut Progress<'_>) -> Result<Option<SentenceChunk>> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let (is_conllu, has_tokens) = (self.is_conllu(), self.chunks.rows().has_tokens());
        let mut read = SentenceChunk::default();
        while read.sentences.is_empty() {
            let Some(chunk) = self.chunks.next()? else {
                return self.end();
            };
            let layers = &mut self.layers;
            let pushed = chunk
                .sentences()
                .try_for_each(|sentence| read.push(&sentence, layers, is_conllu, has_tokens));
            let rows = self.chunks.rows();
            if let Err((line, message)) = pushed {
                let place = Position::line(rows.path(), line);
                let error = spanrs_io::Error::new(Code::NoColumn, place, message).into();
                if read.sentences.is_empty() {
                    return Err(error);
                }
                self.failure = Some(error);
            }
            report(progress, rows)?;
        }
        Ok(Some(read))
    }

    /// Checks at the end of the file that the keys of all layers occurred.
    fn end(&self) -> Result<Option<SentenceChunk>> {
        let rows = self.chunks.rows();
        match self.layers.iter().find(|layer| layer.missing_key) {
            Some(layer) => Err(rows.no_such_key(&layer.name).into()),
            None => Ok(None),
        }
    }
}

impl Layer {
    /// Reads an extra column as tags.
    ///
    /// # Errors
    /// [`Code::NoColumn`] for a column that does not exist, or that contains the tokens.
    fn extra(rows: &mut ColumnReader, column: &Column) -> Result<Self> {
        let extra = rows.add_column(column)?;
        if rows.has_tokens() && rows.extra_is_token(extra) {
            let message = format!(
                "column {} would contain both tokens and tags; specify the columns of tokens and tags (--token-column, \
                 --column)",
                rows.extra_column(extra),
            );
            let place = Position::file(rows.path());
            return Err(spanrs_io::Error::new(Code::NoColumn, place, message).into());
        }
        let column = rows.extra_column_name(extra);
        let key = rows.extra_key(extra).map(str::to_owned);
        Ok(Self {
            extra: Some(extra),
            column,
            missing_key: key.is_some(),
            name: key
                .or(column.map(str::to_owned))
                .unwrap_or_else(|| rows.extra_column(extra).to_string()),
        })
    }

    /// Returns the tag of a token; None if the token has no tag.
    fn tag<'a>(&mut self, sentence: &ChunkSentence<'a>, token: usize) -> Option<&'a str> {
        let tag = match self.extra {
            None => sentence.tag_range(token).map(|_| sentence.tag_text(token)),
            Some(extra) => sentence.extra_tag(token, extra),
        };
        self.missing_key &= tag.is_none();
        tag.filter(|tag| !tag.is_empty())
    }
}

impl SentenceChunk {
    /// Adds a sentence.
    ///
    /// # Errors
    /// The line of a token without a tag, and a message.
    fn push(
        &mut self,
        sentence: &ChunkSentence<'_>,
        layers: &mut [Layer],
        is_conllu: bool,
        has_tokens: bool,
    ) -> std::result::Result<(), (u64, String)> {
        let tokens = 0..sentence.len();
        let mut tags = Vec::with_capacity(layers.len());
        for layer in layers {
            let mut ids = Vec::with_capacity(tokens.len());
            for token in tokens.clone() {
                let tag = match layer.tag(sentence, token) {
                    Some(tag) => tag,
                    None => match missing_tag(is_conllu, layer.column) {
                        Some(message) => return Err((sentence.line(token), message)),
                        None => "O",
                    },
                };
                ids.push(self.tags.intern(tag));
            }
            tags.push(ids);
        }
        let ids = |token| self.tokens.intern(sentence.token_text(token));
        self.sentences.push(TaggedSentence {
            tokens: has_tokens.then(|| tokens.map(ids).collect()),
            layers: tags,
            line: sentence.line(0),
            document: sentence
                .document()
                .map(|line| document_name(line).unwrap_or_default()),
        });
        Ok(())
    }
}

/// Returns the error message for a token that has no tag; None if the token is read as `O`, because tags in MISC or
/// under a key of MISC are optional. `column` is the name of the column of CoNLL-U with the tags; None for a key.
pub(crate) fn missing_tag(is_conllu: bool, column: Option<&str>) -> Option<String> {
    match column {
        Some("MISC") => None,
        Some(name) => Some(format!(
            "the word has no {name} (_); specify another column with --column, or omit this one"
        )),
        None => (!is_conllu).then(|| "the tag is empty".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use spanrs_io::{Columns, Source};

    use super::*;

    fn open(text: &'static str, tags: Option<&[Column]>) -> Result<SentenceReader> {
        let source = Source::stream("t", Box::new(text.as_bytes())).into();
        let columns = Columns::default();
        SentenceReader::open(&ColumnFile { source, columns }, tags)
    }

    /// Returns the tokens and layers of all sentences as text, with lines and documents.
    fn read(text: &'static str, tags: Option<&[Column]>) -> Result<Vec<String>> {
        let mut reader = open(text, tags)?;
        let mut all = Vec::new();
        while let Some(chunk) = reader.next(&mut |_| true)? {
            for sentence in &chunk.sentences {
                let join = |names: &Interner<str>, ids: &[u32]| {
                    let names: Vec<_> = ids.iter().map(|&id| names.name(id).unwrap()).collect();
                    names.join(" ")
                };
                let tokens = sentence.tokens.as_ref();
                let mut parts = vec![tokens.map_or("-".into(), |ids| join(&chunk.tokens, ids))];
                parts.extend(sentence.layers.iter().map(|ids| join(&chunk.tags, ids)));
                all.push(format!(
                    "{}: {} {:?}",
                    sentence.line,
                    parts.join("; "),
                    sentence.document
                ));
            }
        }
        Ok(all)
    }

    const WORDS: &str = "# newdoc id = news\n1\tEU\t_\tPROPN\t_\t_\t0\t_\t_\tNER=B-ORG|Role=S\n\
                         2\tacts\t_\tVERB\t_\t_\t1\t_\t_\t_\n";

    fn name(name: &str) -> Column {
        Column::Name(name.to_owned())
    }

    #[test]
    fn several_columns_are_read_in_one_pass() {
        let text = "-DOCSTART- O O\n\nEU B-ORG O\nit O B-X\n\n-DOCSTART- (b c)\n\nx O O\n";
        let layers = [Column::Index(-1), Column::Index(1)];
        assert_eq!(
            read(text, Some(&layers)).unwrap(),
            [
                "3: EU it; O B-X; B-ORG O Some(\"\")",
                "8: x; O; O Some(\"b c\")"
            ]
        );
        assert_eq!(read(text, None).unwrap()[0], "3: EU it; O B-X Some(\"\")");
        assert_eq!(read(text, Some(&[])).unwrap()[1], "8: x Some(\"b c\")");
        assert_eq!(read("B-X\nO\n\nO\n", None).unwrap()[1], "4: -; O None");
        let reader = open(text, Some(&layers)).unwrap();
        let names: Vec<_> = reader.layers().collect();
        assert_eq!((reader.columns(), names), (3, vec!["2", "1"]));
    }

    #[test]
    fn layers_of_conllu_are_columns_and_keys() {
        let layers = [name("NER"), name("upos"), name("Role")];
        assert_eq!(
            read(WORDS, Some(&layers)).unwrap(),
            ["2: EU acts; B-ORG O; PROPN VERB; S O Some(\"news\")"]
        );
        let reader = open(WORDS, Some(&layers)).unwrap();
        assert!(reader.is_conllu() && reader.layers().eq(["NER", "UPOS", "Role"]));
        for (layers, message) in [
            (vec![name("xpos")], "t:2: the word has no XPOS (_)"),
            (
                vec![name("NER"), name("LEMMA")],
                "t:2: the word has no LEMMA (_)",
            ),
            (
                vec![name("NER"), name("ner")],
                "t: no word has the key ner in MISC",
            ),
            (
                vec![name("NER"), name("FORM")],
                "t: column 1 would contain both tokens",
            ),
        ] {
            let error = read(WORDS, Some(&layers)).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }

    #[test]
    fn sentences_before_an_error_are_read() {
        let mut reader = open("a\tO\n\nb\t\n", None).unwrap();
        let chunk = reader.next(&mut |_| true).unwrap().unwrap();
        assert_eq!(chunk.sentences.len(), 1);
        let error = reader.next(&mut |_| true).unwrap_err();
        assert_eq!(error.to_string(), "t:3: the tag is empty");
    }

    #[test]
    fn columns_that_are_read_bring_no_warning() {
        let text = "Bank B-ORG O\nBonn I-ORG B-ORG\n";
        assert_eq!(open(text, None).unwrap().warnings().len(), 1);
        let layers = [Column::Index(2), Column::Index(1)];
        assert!(open(text, Some(&layers)).unwrap().warnings().is_empty());
    }
}
