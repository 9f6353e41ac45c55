//! Writing column files with the tags of a model.

use std::io::Write;

use serde::{Deserialize, Serialize};
use spanrs_base::{Position, Watch};
use spanrs_crf::{Columns as Values, Error as CrfError, IndexedTemplate, Inputs, Model};
use spanrs_io::{
    Chunk, ChunkSentence, Code, Column, ColumnReader, Columns, Edits, Select, Separator,
    running_text,
};

use super::{PROBABILITY_KEY, add_columns, push_sentence};
use crate::column_files::ColumnFile;
use crate::error::{Error, Result};
use crate::file_warnings::numbers_warning;
use crate::{Progress, report};

/// Number of sentences that are examined to detect running text.
const FIRST_LINES: usize = 20;
/// Number of sentences that are searched for an attribute of the model.
const FIRST_SENTENCES: usize = 100;

/// Options for tagging files.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TagOptions {
    /// Columns that the template reads in addition to the tokens.
    pub extra: Vec<Column>,
    /// The column whose values are replaced by the tags; None for a new last column.
    pub target: Option<Column>,
    /// The column for the tags in CoNLL-U if `target` is None, because CoNLL-U cannot have a new
    /// column.
    pub conllu_target: Option<Column>,
    /// Whether to predict the most probable tag of each token instead of the most probable
    /// sequence.
    pub posterior: bool,
    /// Whether to write the probability of each tag as well: in a new last column, or under
    /// [`PROBABILITY_KEY`] in CoNLL-U.
    pub probabilities: bool,
    /// Number of threads; the output does not depend on this number. 0 means 1.
    pub threads: usize,
    /// Called at intervals, in the calling thread only; returns true to stop.
    #[serde(skip, default = "never")]
    pub watch: Watch,
}

impl Default for TagOptions {
    /// A new last column, the most probable sequences, one thread, no interruption.
    fn default() -> Self {
        Self {
            extra: Vec::new(),
            target: None,
            conllu_target: None,
            posterior: false,
            probabilities: false,
            threads: 1,
            watch: never(),
        }
    }
}

fn never() -> Watch {
    || false
}

/// Warnings about a tagged file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TagReport {
    /// Possible problems in the file.
    pub warnings: Vec<String>,
    /// Whether any attribute of the first sentences is in the model. If not, the template or the
    /// columns probably do not belong to the model.
    pub has_known_attributes: bool,
}

/// Writes column files with the tags of a model, one after the other. All other bytes are copied:
/// comments, blank lines, other columns, line ends.
///
/// A blank line separates sentences of different files, and only the first file keeps its byte
/// order mark. The files are read without a column of tags ([`Columns::untagged`]). Memory is
/// proportional to the size of a chunk of sentences.
///
/// # Errors
/// Errors from reading the files; [`Code::NoColumn`] for a column that does not exist or contains
/// the tokens, for CoNLL-U without a target, and if keys of MISC would be lost; [`Code::Ragged`]
/// for running text, whose lines look like sentences of one token; [`Error::Crf`];
/// [`Error::Write`]; [`Error::Stopped`]. The output written so far is then incomplete.
///
/// # Examples
/// ```
/// use spanrs::ColumnFile;
/// use spanrs::crf::{AttributeIndex, Extractor, Features, Model, Template};
/// use spanrs::crf_files::{TagOptions, tag};
/// use spanrs::io::Source;
/// let (features, _) = Features::listed(2, 1, &[(0, 1)], &[]).unwrap();
/// let [mut labels, mut attributes] = [(); 2].map(|()| spanrs::base::Interner::default());
/// ["O", "B-PER"].map(|name| labels.intern(name));
/// attributes.intern("Uw=Ada");
/// let model = Model::new(labels, attributes, features, vec![1.0], "{}".into()).unwrap();
/// let template = Extractor::new(&Template::parse("Uw=%x[0,0]").unwrap());
/// let index = AttributeIndex::new(model.attributes());
///
/// let source = Source::stream("example", Box::new(&b"# a comment\nAda NNP\nwrote VBD\n"[..])).into();
/// let file = ColumnFile { source, columns: Default::default() };
/// let options = TagOptions::default();
/// let mut out = Vec::new();
/// tag(&[file], &model, (&template, &index), &options, &mut out, &mut |_| true)?;
/// assert_eq!(String::from_utf8(out).unwrap(), "# a comment\nAda NNP B-PER\nwrote VBD O\n");
/// # Ok::<(), spanrs::Error>(())
/// ```
pub fn tag(
    files: &[ColumnFile],
    model: &Model,
    template: IndexedTemplate<'_>,
    options: &TagOptions,
    out: &mut dyn Write,
    progress: &mut Progress<'_>,
) -> Result<Vec<TagReport>> {
    let tagger = Tagger {
        model,
        template,
        options,
        labels: model.labels().names().collect(),
    };
    let (mut reports, mut tail, mut read) = (Vec::new(), Vec::new(), 0);
    for file in files {
        out.write_all(match tail.as_slice() {
            [] => b"",
            [line @ .., b'\n'] if line.trim_ascii().is_empty() => b"",
            [.., b'\n'] => b"\n",
            line if line.trim_ascii().is_empty() => b"\n",
            _ => b"\n\n",
        })?;
        let is_first = reports.is_empty();
        let mut tell = |bytes| progress(read + bytes);
        let (report, bytes) = tagger.tag_file(file, is_first, &mut tail, out, &mut tell)?;
        reports.push(report);
        read += bytes;
    }
    Ok(reports)
}

/// A model that is applied to files.
struct Tagger<'a> {
    model: &'a Model,
    template: IndexedTemplate<'a>,
    options: &'a TagOptions,
    /// Names of the labels.
    labels: Vec<&'a str>,
}

impl Tagger<'_> {
    /// Tags a file; also returns the size of the file in bytes. `tail` is set to the last line.
    ///
    /// # Errors
    /// Same as [`tag`].
    fn tag_file(
        &self,
        file: &ColumnFile,
        is_first: bool,
        tail: &mut Vec<u8>,
        out: &mut dyn Write,
        progress: &mut Progress<'_>,
    ) -> Result<(TagReport, u64)> {
        let mut rows = file.open_as(Columns {
            untagged: true,
            ..file.columns.clone()
        })?;
        let output = OutputColumns::of(&mut rows, self.options)?;
        let mut summary = TagReport {
            warnings: numbers_warning(&rows).into_iter().collect(),
            has_known_attributes: false,
        };
        let path = rows.path().to_owned();
        // If a column is specified, the file has columns.
        let named = self.options.target.is_some() || !self.options.extra.is_empty();
        let columns = rows.columns();
        let may_be_text = rows.separator().is_none()
            && columns > 1
            && file.columns.separator == Separator::Auto
            && !named;
        let mut dropped = match is_first {
            true => 0,
            false => rows.byte_order_mark().len(),
        };
        let mut chunks = rows.chunks(Select {
            line: true,
            ..Select::TOKEN
        });
        let mut is_first_chunk = true;
        while let Some(chunk) = chunks.next()? {
            if std::mem::take(&mut is_first_chunk) {
                if may_be_text {
                    refuse_running_text(chunk, columns, &path)?;
                }
                summary.has_known_attributes = self.has_known_attributes(chunk);
            }
            let mut edits = Edits::new(chunk.bytes(), out);
            edits.replace(0..std::mem::take(&mut dropped), b"")?;
            self.tag_chunk(chunk, &output, &path, &mut edits)?;
            edits.finish()?;
            keep_last_line(chunk.bytes(), tail);
            report(progress, chunks.rows())?;
        }
        Ok((summary, chunks.rows().bytes_read()))
    }

    /// Writes the tags of a chunk.
    ///
    /// # Errors
    /// [`Error::Crf`] with the first line of the sentence, [`Error::Stopped`], [`Error::Write`].
    fn tag_chunk(
        &self,
        chunk: Chunk<'_>,
        output: &OutputColumns,
        path: &str,
        edits: &mut Edits<'_>,
    ) -> Result<()> {
        let options = self.options;
        let inputs = self.inputs(chunk, usize::MAX);
        let template = Some(self.template);
        let decoded = inputs.decode(
            self.model,
            template,
            options.threads,
            options.watch,
            |decoder, _| {
                let labels = match options.posterior {
                    true => decoder.posterior()?,
                    false => decoder.best()?,
                };
                let mut probabilities = Vec::new();
                if options.probabilities {
                    let rows = decoder.marginals()?;
                    let rows = rows.chunks_exact(self.labels.len());
                    probabilities.extend(rows.zip(&labels).map(|(row, &label)| row[label]));
                }
                Ok((labels, probabilities))
            },
        );
        let decoded = decoded.map_err(|(error, at)| match error {
            CrfError::Interrupted => Error::Stopped,
            error => {
                let line = chunk
                    .sentences()
                    .nth(at)
                    .map_or(0, |sentence| sentence.line(0));
                let position = Position::line(path, line);
                Error::Crf { position, error }
            }
        })?;
        for (sentence, (labels, probabilities)) in chunk.sentences().zip(decoded) {
            for (token, label) in labels.into_iter().enumerate() {
                output.check(&sentence, token, path)?;
                let probability = probabilities.get(token).map(|p| format!("{p:.4}"));
                let values = (self.labels[label], probability.as_deref());
                output.write(&sentence, token, values, edits)?;
            }
        }
        Ok(())
    }

    /// Returns the input of the template in the first sentences of a chunk.
    fn inputs(&self, chunk: Chunk<'_>, sentences: usize) -> Inputs {
        let mut values = Values::default();
        for sentence in chunk.sentences().take(sentences) {
            push_sentence(&mut values, &sentence, self.options.extra.len());
        }
        Inputs::Columns(values.into())
    }

    /// Returns true if any attribute of the first sentences is in the model, or if there are no
    /// sentences.
    fn has_known_attributes(&self, chunk: Chunk<'_>) -> bool {
        let inputs = self.inputs(chunk, FIRST_SENTENCES);
        // A template that reads nonexistent columns is refused when sentences are decoded.
        let Ok((found, _)) = inputs.features(0..inputs.len(), Some(self.template)) else {
            return true;
        };
        inputs.is_empty() || (0..found.tokens()).any(|token| found.items(token).next().is_some())
    }
}

/// Where tags and probabilities are written.
struct OutputColumns {
    /// Indices of the extra columns that are replaced by tags and probabilities; None for new last
    /// columns.
    columns: [Option<usize>; 2],
    /// The separator before a value in a new column.
    separator: u8,
    /// Whether a new column replaces blanks at the end of the line.
    is_trimmed: bool,
    /// Whether the tags replace the whole MISC column, which must then have no keys.
    is_misc: bool,
}

impl OutputColumns {
    /// Finds the columns.
    ///
    /// # Errors
    /// [`Code::NoColumn`].
    fn of(rows: &mut ColumnReader, options: &TagOptions) -> Result<Self> {
        add_columns(rows, &options.extra)?;
        let refused = |rows: &ColumnReader, message: &str| {
            spanrs_io::Error::new(Code::NoColumn, Position::file(rows.path()), message)
        };
        let is_conllu = rows.is_conllu();
        let column = match &options.target {
            None if is_conllu => options.conllu_target.as_ref(),
            column => column.as_ref(),
        };
        if is_conllu && column.is_none() {
            let message = "this is CoNLL-U: specify the column for the tags with --column, such as UPOS, XPOS or \
                           a key of MISC";
            return Err(refused(rows, message).into());
        }
        let target = column.map(|column| rows.add_column(column)).transpose()?;
        if target.is_some_and(|target| rows.extra_is_token(target)) {
            let message = "the column given with --column contains the tokens, which the tags would overwrite";
            return Err(refused(rows, message).into());
        }
        let key = Column::Name(PROBABILITY_KEY.to_owned());
        if is_conllu && options.probabilities && column == Some(&key) {
            let message =
                "the key given with --column is the key of the probabilities; specify another key";
            return Err(refused(rows, message).into());
        }
        let probability = is_conllu.then(|| rows.add_column(&key)).transpose()?;
        let separator = rows.separator();
        Ok(Self {
            columns: [target, probability],
            separator: separator.unwrap_or(if rows.columns() == 1 { b'\t' } else { b' ' }),
            is_trimmed: separator.is_none(),
            is_misc: target.is_some_and(|target| rows.extra_is_misc(target)),
        })
    }

    /// Refuses a token whose keys in MISC would be lost.
    ///
    /// # Errors
    /// [`Code::NoColumn`] at the line.
    fn check(&self, sentence: &ChunkSentence<'_>, token: usize, path: &str) -> Result<()> {
        let Some(target) = self.columns[0].filter(|_| self.is_misc) else {
            return Ok(());
        };
        let misc = sentence.extra_text(token, target);
        if !misc.contains('=') {
            return Ok(());
        }
        let message = format!(
            "the tag would replace `{misc}` in MISC; specify a key of MISC, such as NER, with --column"
        );
        let position = Position::line(path, sentence.line(token));
        Err(spanrs_io::Error::new(Code::NoColumn, position, message).into())
    }

    /// Writes the tag of a token, and its probability if requested.
    ///
    /// # Errors
    /// Errors from writing the output.
    fn write(
        &self,
        sentence: &ChunkSentence<'_>,
        token: usize,
        (tag, probability): (&str, Option<&str>),
        edits: &mut Edits<'_>,
    ) -> std::io::Result<()> {
        let values = [Some(tag), probability].map(|value| value.map(str::as_bytes));
        let mut replaced = [(0, &b""[..]); 2];
        let mut len = 0;
        for (column, value) in self.columns.iter().zip(values) {
            if let (Some(column), Some(value)) = (*column, value) {
                replaced[len] = (column, value);
                len += 1;
            }
        }
        sentence.set_extra(token, &replaced[..len], edits)?;
        let end = sentence.line_range(token).end;
        let mut start = match self.is_trimmed {
            true => sentence.trimmed_end(token),
            false => end,
        };
        for (column, value) in self.columns.iter().zip(values) {
            if let (None, Some(value)) = (*column, value) {
                edits.replace(start..end, &[self.separator])?;
                edits.replace(end..end, value)?;
                start = end;
            }
        }
        Ok(())
    }
}

/// Refuses running text, whose lines look like sentences of one token in many columns.
///
/// # Errors
/// [`Code::Ragged`] at the first line.
fn refuse_running_text(chunk: Chunk<'_>, columns: usize, path: &str) -> Result<()> {
    let mut sentences = chunk.sentences();
    let Some(first) = sentences.next() else {
        return Ok(());
    };
    if first.len() > 1 || sentences.any(|sentence| sentence.len() > 1) {
        return Ok(());
    }
    // The first word is skipped: it may be a token that is followed by its columns, and columns
    // have no punctuation attached.
    let lines = chunk.sentences().take(FIRST_LINES).map(|sentence| {
        let line = &chunk.bytes()[sentence.line_range(0)];
        // The lines were checked when they were read, so the default is never used.
        let line = std::str::from_utf8(line).unwrap_or_default();
        line.split_once(' ').map_or("", |(_, rest)| rest)
    });
    let is_text = running_text(lines).is_some();
    // A single sentence may be a single token.
    let most = if chunk.sentences().len() == 1 { 5 } else { 3 };
    if !is_text && columns < most {
        return Ok(());
    }
    let message = format!(
        "every sentence has a single token, but its line has {columns} columns; is this running text? Put one token \
         on each line and an empty line after each sentence, or specify the column separator with --separator"
    );
    let position = Position::line(path, first.line(0));
    Err(spanrs_io::Error::new(Code::Ragged, position, message).into())
}

/// Stores the last line of a chunk, with its line end.
fn keep_last_line(bytes: &[u8], line: &mut Vec<u8>) {
    let end = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let start = end
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    line.clear();
    line.extend_from_slice(&bytes[start..]);
}
