//! Files and Python file objects: sources of rows, targets of text.

use std::io::{ErrorKind, Read, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use spanrs::PartedFile;
use spanrs::span_files::SpanSource;
use spanrs_base::Limits;
use spanrs_eval::Side;
use spanrs_io::{
    Column, ColumnReader, Columns, Comments, Format, LineReader, Separator, SpanFileReader,
};
use spanrs_tags::Converter;

use crate::error::{Error, Result};
use crate::evidence::located;
use crate::options::{PyDialect, ViolationTuple, reader, reading, scheme};

/// (format, separator, comments, token column, tag column, second column, line limit in bytes)
#[derive(FromPyObject)]
pub(crate) struct ColumnOptions(
    String,
    String,
    Option<String>,
    PyColumn,
    PyColumn,
    Option<PyColumn>,
    pub(crate) Option<usize>,
);

/// A column by its place or by its name.
#[derive(FromPyObject)]
enum PyColumn {
    Index(i64),
    Name(String),
}

impl PyColumn {
    fn column(&self) -> Column {
        match self {
            Self::Index(place) => Column::Index(*place),
            Self::Name(name) => Column::Name(name.clone()),
        }
    }
}

impl ColumnOptions {
    pub(crate) fn columns(&self) -> Result<Columns> {
        let Self(format, separator, comments, token, tag, second, _) = self;
        Ok(Columns {
            format: match format.as_str() {
                "auto" => Format::Auto,
                "columns" => Format::Columns,
                "conllu" => Format::Conllu,
                _ => {
                    let message =
                        format!("unknown format {format:?}; one of auto, columns, conllu");
                    return Err(pyo3::exceptions::PyValueError::new_err(message).into());
                }
            },
            separator: match (separator.as_str(), separator.as_bytes()) {
                ("auto", _) => Separator::Auto,
                ("whitespace", _) => Separator::Whitespace,
                ("tab", _) => Separator::Byte(b'\t'),
                ("space", _) => Separator::Byte(b' '),
                (_, &[byte]) if byte.is_ascii() && !matches!(byte, b'\n' | b'\r' | 0) => {
                    Separator::Byte(byte)
                }
                _ => {
                    let message = format!(
                        "separator must be auto, whitespace, tab, space or one ASCII character, not {separator:?}"
                    );
                    return Err(pyo3::exceptions::PyValueError::new_err(message).into());
                }
            },
            comments: match comments.as_deref() {
                None | Some("") => Comments::None,
                Some("auto") => Comments::Auto,
                Some(prefix) => Comments::Prefix(prefix.to_owned()),
            },
            token: token.column(),
            tag: tag.column(),
            second: second.as_ref().map(PyColumn::column),
            second_may_lack: false,
        })
    }
}

/// Name and bytes of a binary file object; None for a path.
pub(crate) fn stream(source: &Bound<'_, PyAny>) -> Result<Option<(String, spanrs_io::Source)>> {
    if !source.hasattr("read")? {
        return Ok(None);
    }
    let name = match source.getattr("name") {
        Ok(name) if name.is_instance_of::<PyString>() => name.to_string(),
        _ => "<stream>".to_owned(),
    };
    Ok(Some((name, Box::new(Stream(source.clone().unbind())))))
}

/// The lines of a path or of a binary file object.
pub(crate) fn lines(source: &Bound<'_, PyAny>, line_bytes: Option<usize>) -> Result<LineReader> {
    let mut limits = Limits::default();
    if let Some(line_bytes) = line_bytes {
        limits.line_bytes = line_bytes;
    }
    if let Some((name, stream)) = stream(source)? {
        return Ok(LineReader::new(&name, stream, limits)?);
    }
    let path: PathBuf = source.extract()?;
    Ok(source.py().detach(|| spanrs_io::open(&path, limits))?)
}

/// The rows of a path or of a binary file object. `only` picks one of two columns of tags.
pub(crate) fn columns(
    source: &Bound<'_, PyAny>,
    options: &ColumnOptions,
    only: Option<Side>,
) -> Result<ColumnReader> {
    let lines = lines(source, options.6)?;
    let mut columns = options.columns()?;
    if only == Some(Side::Pred) {
        columns.tag = columns.second.take().unwrap_or(columns.tag);
    }
    if only.is_some() {
        columns.second = None;
    }
    Ok(ColumnReader::new(lines, columns)?)
}

/// A Python object with `read(n) -> bytes`.
struct Stream(Py<PyAny>);

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        Python::attach(|py| {
            let bytes = self.0.call_method1(py, "read", (buffer.len(),))?;
            let bytes = bytes.cast_bound::<PyBytes>(py).map_err(|_| {
                pyo3::exceptions::PyTypeError::new_err("open the file in binary mode ('rb')")
            })?;
            let bytes = bytes.as_bytes();
            let Some(into) = buffer.get_mut(..bytes.len()) else {
                let message = "read(n) of the file object gave more than n bytes";
                return Err(pyo3::exceptions::PyOSError::new_err(message));
            };
            into.copy_from_slice(bytes);
            Ok(bytes.len())
        })
        // A kind that no decompressor uses; the exception itself travels inside.
        .map_err(|error: PyErr| std::io::Error::new(ErrorKind::Unsupported, error))
    }
}

/// A Python object with `write(bytes)`.
struct Sink<'a>(&'a Py<PyAny>);

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        Python::attach(|py| self.0.call_method1(py, "write", (PyBytes::new(py, bytes),)))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Tells Python how far a job is, and hears from it whether to stop.
pub(crate) struct Progress {
    callback: Option<Py<PyAny>>,
    told: Instant,
    failed: Option<PyErr>,
}

impl Progress {
    pub(crate) fn new(callback: Option<Py<PyAny>>) -> Self {
        Self {
            callback,
            told: Instant::now(),
            failed: None,
        }
    }

    /// Answers false where the job should stop: Ctrl-C, or the callback raised.
    pub(crate) fn tell(&mut self, bytes: u64) -> bool {
        if self.told.elapsed() < Duration::from_millis(50) {
            return true;
        }
        self.told = Instant::now();
        let told = Python::attach(|py| {
            py.check_signals()?;
            if let Some(callback) = &self.callback {
                callback.call1(py, (bytes,))?;
            }
            Ok(())
        });
        self.failed = told.err();
        self.failed.is_none()
    }

    /// The result of the job, or why it was stopped.
    pub(crate) fn check<T>(&mut self, result: Result<T>) -> Result<T> {
        match self.failed.take() {
            Some(error) => Err(Error::Python(error)),
            None => result,
        }
    }
}

/// Runs a job without the GIL; it tells how far it is and hears whether to stop.
pub(crate) fn run_job<T: Send>(
    py: Python<'_>,
    callback: Option<Py<PyAny>>,
    job: impl FnOnce(&mut spanrs::Progress<'_>) -> spanrs::Result<T> + Send,
) -> Result<T> {
    let mut progress = Progress::new(callback);
    let result = py.detach(|| job(&mut |n| progress.tell(n)));
    progress.check(result.map_err(Error::from))
}

/// (scheme, statement, [(scheme, violations)])
pub(crate) type DetectionTuple = (&'static str, String, Vec<(&'static str, u64)>);

/// The scheme of a file, and what speaks for it. A scheme that is `expected` is given where the tags are not
/// clearly in another one.
#[pyfunction]
#[pyo3(signature = (source, options, dialect, progress, expected=None, /))]
pub(crate) fn detect_file(
    source: &Bound<'_, PyAny>,
    options: ColumnOptions,
    dialect: PyDialect,
    progress: Option<Py<PyAny>>,
    expected: Option<&str>,
) -> Result<DetectionTuple> {
    let rows = columns(source, &options, None)?;
    let dialect = dialect.checked()?;
    let detection = run_job(source.py(), progress, |tell| {
        spanrs::detect(rows, &dialect, tell)
    })?;
    let violations = detection
        .violations
        .iter()
        .map(|(s, n)| (s.name(), *n))
        .collect();
    let found = match expected.map(scheme).transpose()? {
        Some(expected) if !detection.contradicts(expected) => expected,
        _ => detection.scheme,
    };
    Ok((found.name(), detection.statement, violations))
}

/// (sentences, tokens, (violations, the first ones located), [(kind, number)], warnings)
pub(crate) type ReportTuple = (
    u64,
    u64,
    (u64, Vec<(u64, u64, ViolationTuple)>),
    Vec<(&'static str, u64)>,
    Vec<String>,
);

/// Everything that is wrong with the tags of a file.
#[pyfunction]
#[pyo3(signature = (source, options, scheme_name, dialect, keep, progress, /))]
pub(crate) fn validate_file(
    source: &Bound<'_, PyAny>,
    options: ColumnOptions,
    scheme_name: &str,
    dialect: PyDialect,
    keep: usize,
    progress: Option<Py<PyAny>>,
) -> Result<ReportTuple> {
    let mut reader = reader(scheme_name, "conlleval", dialect)?;
    let rows = columns(source, &options, None)?;
    let warnings = spanrs::column_warnings(&rows, None);
    let report = run_job(source.py(), progress, |tell| {
        spanrs::validate(rows, &mut reader, keep, tell)
    })?;
    let kinds = report
        .kinds
        .iter()
        .map(|(kind, n)| (kind.name(), *n))
        .collect();
    Ok((
        report.sentences,
        report.tokens,
        located(&report.violations),
        kinds,
        warnings,
    ))
}

/// Copies a file to `out` with its tags converted. Returns warnings.
#[pyfunction]
#[pyo3(signature = (source, out, options, source_scheme, target_scheme, reading_name, dialect, progress, /))]
#[allow(clippy::too_many_arguments)] // One call, made from one place in Python.
pub(crate) fn convert_file(
    source: &Bound<'_, PyAny>,
    out: Py<PyAny>,
    options: ColumnOptions,
    source_scheme: &str,
    target_scheme: &str,
    reading_name: Option<&str>,
    dialect: PyDialect,
    progress: Option<Py<PyAny>>,
) -> Result<Vec<String>> {
    let (from, to) = (scheme(source_scheme)?, scheme(target_scheme)?);
    let read_as = reading_name.map(reading).transpose()?;
    let mut converter = Converter::new(from, to, read_as, dialect.checked()?)?;
    let rows = columns(source, &options, None)?;
    run_job(source.py(), progress, |tell| {
        let mut out = std::io::BufWriter::with_capacity(1 << 20, Sink(&out));
        let warnings = spanrs::convert(rows, &mut converter, &mut out, tell)?;
        out.flush()?;
        Ok(warnings)
    })
}

/// Writes the spans of a file to `out` as JSON Lines. Returns warnings.
#[pyfunction]
#[pyo3(signature = (source, out, options, scheme_name, reading_name, dialect, progress, /))]
pub(crate) fn spans_file(
    source: &Bound<'_, PyAny>,
    out: Py<PyAny>,
    options: ColumnOptions,
    scheme_name: &str,
    reading_name: &str,
    dialect: PyDialect,
    progress: Option<Py<PyAny>>,
) -> Result<Vec<String>> {
    let mut reader = reader(scheme_name, reading_name, dialect)?;
    let rows = columns(source, &options, None)?;
    run_job(source.py(), progress, |tell| {
        let mut out = std::io::BufWriter::with_capacity(1 << 20, Sink(&out));
        let warnings = spanrs::spans(rows, &mut reader, &mut out, tell)?;
        out.flush()?;
        Ok(warnings)
    })
}

/// Where the spans of a file are: a source, its format (`spans`, `strict` for span files that read the same
/// everywhere, `stacked`, or None for what its first line looks like), how its columns lie if it has stacked tags,
/// and whether punctuation is left out there.
#[derive(FromPyObject)]
pub(crate) struct SpanFileOptions<'py>(Bound<'py, PyAny>, Option<String>, ColumnOptions, bool);

impl SpanFileOptions<'_> {
    /// The source, and its format.
    pub(crate) fn open(&self) -> Result<(SpanSource, &'static str)> {
        let Self(source, format, options, ignore_punct) = self;
        let mut lines = lines(source, options.6)?;
        let spans = match format.as_deref() {
            Some(format) => format != "stacked",
            None => SpanFileReader::fits(&mut lines)?,
        };
        if spans {
            let reader = SpanFileReader::new(lines);
            let strict = format.as_deref() == Some("strict");
            let reader = if strict { reader.strict() } else { reader };
            return Ok((SpanSource::Spans(Box::new(reader)), "spans"));
        }
        // Parts of speech are in the second column by default, and in none of the files that have fewer.
        let columns = Columns {
            second_may_lack: true,
            ..options.columns()?
        };
        let source = SpanSource::Stacked {
            rows: Box::new(ColumnReader::new(lines, columns)?),
            ignore_punct: *ignore_punct,
        };
        Ok((source, "stacked"))
    }
}

/// Column files that are scored: functions that give the sources from their beginning. Without pred the one file has
/// two columns of tags.
pub(crate) struct ColumnFiles<'a, 'py> {
    pub(crate) gold: &'a Bound<'py, PyAny>,
    pub(crate) pred: Option<&'a Bound<'py, PyAny>>,
    /// Of gold and of pred.
    pub(crate) options: (ColumnOptions, ColumnOptions),
}

/// Gold, and pred if it is another file.
type PartedFiles = (PartedFile, Option<PartedFile>);

impl ColumnFiles<'_, '_> {
    /// One side by itself.
    pub(crate) fn side(&self, side: Side) -> Result<ColumnReader> {
        let Some(pred) = self.pred.filter(|_| side == Side::Pred) else {
            return columns(&self.gold.call0()?, &self.options.0, Some(side));
        };
        let mut rows = columns(&pred.call0()?, &self.options.1, Some(Side::Gold))?;
        // Scoring decides whether that is an error.
        rows.allow_missing_key();
        Ok(rows)
    }

    /// The files for several threads; None where they are not paths.
    pub(crate) fn parted(&self, sides: &spanrs::Sides) -> Result<Option<PartedFiles>> {
        let part = |source: &Bound<'_, PyAny>, rows: &ColumnReader| {
            let source = source.call0()?;
            if source.hasattr("read")? {
                return Ok(None);
            }
            let (path, layout): (PathBuf, _) = (source.extract()?, rows.layout());
            // What a pipe has given is gone.
            Ok::<_, Error>(path.is_file().then_some(PartedFile { path, layout }))
        };
        let (gold, pred) = match (sides, self.pred) {
            (spanrs::Sides::Two { gold, pred }, Some(source)) => {
                (part(self.gold, gold)?, Some(part(source, pred)?))
            }
            (spanrs::Sides::One(rows), _) => (part(self.gold, rows)?, None),
            _ => return Ok(None),
        };
        Ok(match (gold, pred) {
            (Some(gold), None) => Some((gold, None)),
            (Some(gold), Some(Some(pred))) => Some((gold, Some(pred))),
            _ => None,
        })
    }

    /// Both sides, and warnings of their columns.
    pub(crate) fn both(&self) -> Result<(spanrs::Sides, Vec<String>)> {
        let first = columns(&self.gold.call0()?, &self.options.0, None)?;
        let Some(pred) = self.pred else {
            let warnings = spanrs::column_warnings(&first, None);
            return Ok((spanrs::Sides::One(Box::new(first)), warnings));
        };
        let second = columns(&pred.call0()?, &self.options.1, None)?;
        let same_file = (second.path() == first.path()).then_some(&second);
        let warnings = spanrs::column_warnings(&first, same_file.map(ColumnReader::tag_column));
        let sides = spanrs::Sides::Two {
            gold: Box::new(first),
            pred: Box::new(second),
        };
        Ok((sides, warnings))
    }
}
