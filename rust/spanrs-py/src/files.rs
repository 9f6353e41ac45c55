//! Files and Python file objects as inputs and outputs.

use std::io::{ErrorKind, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pyo3::Borrowed;
use pyo3::exceptions::{PyOSError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use spanrs::base::Limits;
use spanrs::io::{ColumnReader, Columns, Recognised, Source};
use spanrs::span_files::{SpanFileOptions, SpanSource};
use spanrs::tags::{ConverterOptions, Detection, ReaderOptions, Scheme};
use spanrs::{ColumnFile, ColumnFiles, Report, Rows};

use crate::error::{Error, Result};
use crate::options::PyDialect;
use crate::plain::Plain;

/// A path or a binary file object. A path can be opened repeatedly from the beginning, and so can a stream whose bytes
/// are kept.
#[pyclass(frozen, module = "spanrs._spanrs", name = "Source")]
pub(crate) struct PySource(Arc<Source>);

#[pymethods]
impl PySource {
    /// Creates a source from a path or a binary file object. With `keep`, the bytes of a stream are kept so that it can
    /// be opened again.
    #[new]
    #[pyo3(signature = (source, keep, /))]
    fn new(source: &Bound<'_, PyAny>, keep: bool) -> Result<Self> {
        let source = source_of(source)?;
        Ok(Self(Arc::new(if keep { source.keep() } else { source })))
    }

    /// Name of the source in messages.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// Stops keeping the bytes of a stream, which can then be opened only once more.
    fn read_once(&self) {
        self.0.read_once();
    }

    /// All bytes, decompressed; `max_expansion` limits the ratio of decompression.
    #[pyo3(signature = (max_expansion=None, /))]
    fn contents<'py>(
        &self,
        py: Python<'py>,
        max_expansion: Option<usize>,
    ) -> Result<Bound<'py, PyBytes>> {
        let limits = Limits::default().with_expansion(max_expansion);
        let bytes = py.detach(|| self.0.contents(limits))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The first `n` bytes, decompressed, and whether the source has no more bytes. A stream can still be opened
    /// afterwards.
    #[pyo3(signature = (n, /))]
    fn beginning<'py>(&self, py: Python<'py>, n: usize) -> Result<(Bound<'py, PyBytes>, bool)> {
        let (bytes, whole) = py.detach(|| self.0.beginning(n))?;
        Ok((PyBytes::new(py, &bytes), whole))
    }
}

/// Creates a source from a path or a binary file object.
fn source_of(source: &Bound<'_, PyAny>) -> Result<Source> {
    if !source.hasattr("read")? {
        return Ok(Source::from(source.extract::<PathBuf>()?));
    }
    // Like `source_name` in Python: the name may be a file descriptor number or empty.
    let name = source
        .getattr("name")
        .and_then(|name| name.extract::<PathBuf>());
    let name = name.unwrap_or_default().display().to_string();
    let name = match name.is_empty() {
        true => "<stream>".to_owned(),
        false => name,
    };
    Ok(Source::stream(
        &name,
        Box::new(Stream(source.clone().unbind())),
    ))
}

/// An argument that is a [`PySource`], a path or a binary file object.
pub(crate) struct SourceArgument(Arc<Source>);

impl std::ops::Deref for SourceArgument {
    type Target = Source;

    fn deref(&self) -> &Source {
        &self.0
    }
}

impl FromPyObject<'_, '_> for SourceArgument {
    type Error = PyErr;

    fn extract(source: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(made) = source.cast::<PySource>() {
            return Ok(Self(Arc::clone(&made.get().0)));
        }
        Ok(Self(Arc::new(source_of(&source)?)))
    }
}

/// Opens a column file without the GIL, because another thread may hold the lock of the source and wait for the GIL.
pub(crate) fn columns(
    py: Python<'_>,
    source: &SourceArgument,
    Plain(columns): Plain<Columns>,
) -> Result<ColumnReader> {
    py.detach(|| Ok(column_file(source, columns).open()?))
}

/// A column file, with options for reading it.
pub(crate) fn column_file(source: &SourceArgument, columns: Columns) -> ColumnFile {
    let source = Arc::clone(&source.0);
    ColumnFile { source, columns }
}

/// A Python object with `read(n) -> bytes`.
struct Stream(Py<PyAny>);

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        Python::attach(|py| {
            let bytes = self.0.call_method1(py, "read", (buffer.len(),))?;
            let bytes = bytes
                .cast_bound::<PyBytes>(py)
                .map_err(|_| PyTypeError::new_err("open the file in binary mode ('rb')"))?;
            let bytes = bytes.as_bytes();
            let Some(into) = buffer.get_mut(..bytes.len()) else {
                let message = "read(n) of the file object returned more than n bytes";
                return Err(PyOSError::new_err(message));
            };
            into.copy_from_slice(bytes);
            Ok(bytes.len())
        })
        // An error kind that no decompressor uses; the error wraps the exception.
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

/// Reports the progress of a job to Python, and returns whether to stop.
pub(crate) struct Progress {
    callback: Option<Py<PyAny>>,
    told: Instant,
    /// The first exception of the callback or of a signal handler.
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

    /// Runs a job or a step of a job without the GIL. The job passes the number of bytes read to its argument, a
    /// function that returns whether to continue.
    pub(crate) fn run<T: Send, E: Into<Error> + Send>(
        &mut self,
        py: Python<'_>,
        job: impl FnOnce(&mut (dyn FnMut(u64) -> bool + Send)) -> std::result::Result<T, E> + Send,
    ) -> Result<T> {
        let result = py.detach(|| job(&mut |n| self.tell(n)));
        match self.failed.take() {
            Some(raised) => Err(raised.into()),
            None => result.map_err(Into::into),
        }
    }

    /// Returns false to stop the job, after Ctrl-C or an exception of the callback.
    fn tell(&mut self, bytes: u64) -> bool {
        if self.failed.is_some() {
            return false;
        }
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
        // The exception is stored rather than set, because Python code still runs at the end of the job, to write the
        // buffer.
        self.failed = told.err();
        self.failed.is_none()
    }
}

/// Runs a job without the GIL, like [`Progress::run`].
pub(crate) fn run_job<T: Send, E: Into<Error> + Send>(
    py: Python<'_>,
    callback: Option<Py<PyAny>>,
    job: impl FnOnce(&mut (dyn FnMut(u64) -> bool + Send)) -> std::result::Result<T, E> + Send,
) -> Result<T> {
    Progress::new(callback).run(py, job)
}

/// The format of a file, detected from its name and its first bytes after decompression; or the reason to reject it.
#[pyfunction]
#[pyo3(signature = (beginning, whole, name, /))]
pub(crate) fn recognise(
    py: Python<'_>,
    beginning: &[u8],
    whole: bool,
    name: &str,
) -> (Option<&'static str>, Option<String>) {
    match py.detach(|| spanrs::io::recognise(beginning, whole, name)) {
        Recognised::Format(format) => (Some(format.name()), None),
        Recognised::Refused { what, advice } => (None, Some(format!("this is {what}; {advice}"))),
    }
}

/// The index of the first line that is running text, and a word that indicates this; None if the lines may be
/// tokenised.
#[pyfunction]
#[pyo3(signature = (lines, /))]
pub(crate) fn running_text(lines: Vec<String>) -> Option<(usize, String)> {
    let word = spanrs::io::running_text(lines.iter().map(String::as_str));
    word.map(|(at, word)| (at, word.to_owned()))
}

/// Detects the scheme of a file. `expected` is returned unless the tags clearly follow another scheme.
#[pyfunction]
#[pyo3(signature = (source, options, dialect, progress, expected=None, /))]
pub(crate) fn detect_file(
    py: Python<'_>,
    source: SourceArgument,
    options: Plain<Columns>,
    dialect: PyDialect,
    progress: Option<Py<PyAny>>,
    expected: Option<Plain<Scheme>>,
) -> Result<Plain<Detection>> {
    let rows = columns(py, &source, options)?;
    let detection = run_job(py, progress, |tell| spanrs::detect(rows, &dialect.0, tell))?;
    Ok(Plain(detection.expecting(expected.map(|scheme| scheme.0))))
}

/// Validates the tags of a file. Returns a report and warnings.
#[pyfunction]
#[pyo3(signature = (source, options, reader, keep, progress, /))]
pub(crate) fn validate_file(
    py: Python<'_>,
    source: SourceArgument,
    options: Plain<Columns>,
    reader: Plain<ReaderOptions>,
    keep: usize,
    progress: Option<Py<PyAny>>,
) -> Result<(Plain<Report>, Vec<String>)> {
    let (rows, mut reader) = (columns(py, &source, options)?, reader.0.build()?);
    let warnings = spanrs::column_warnings(&rows, None);
    let report = run_job(py, progress, |tell| {
        spanrs::validate(rows, &mut reader, keep, tell)
    })?;
    Ok((Plain(report), warnings))
}

/// Runs a job that writes to `out`.
pub(crate) fn write_job<T: Send>(
    py: Python<'_>,
    out: &Py<PyAny>,
    progress: Option<Py<PyAny>>,
    job: impl FnOnce(&mut dyn Write, &mut spanrs::Progress<'_>) -> spanrs::Result<T> + Send,
) -> Result<T> {
    run_job(py, progress, |tell| {
        let mut out = std::io::BufWriter::with_capacity(1 << 20, Sink(out));
        let result = job(&mut out, tell).and_then(|result| {
            out.flush()?;
            Ok(result)
        });
        // After an error nothing more is written: Python code must not run while an exception of a signal is set.
        let (_, _) = out.into_parts();
        result
    })
}

/// Copies a file to `out` with converted tags. Returns warnings.
#[pyfunction]
#[pyo3(signature = (source, out, options, converter, progress, /))]
pub(crate) fn convert_file(
    py: Python<'_>,
    source: SourceArgument,
    out: Py<PyAny>,
    options: Plain<Columns>,
    converter: Plain<ConverterOptions>,
    progress: Option<Py<PyAny>>,
) -> Result<Vec<String>> {
    let (rows, mut converter) = (columns(py, &source, options)?, converter.0.build()?);
    write_job(py, &out, progress, |out, tell| {
        spanrs::convert(rows, &mut converter, out, tell)
    })
}

/// Writes the spans of a file to `out` as JSON Lines. Returns warnings.
#[pyfunction]
#[pyo3(signature = (source, out, options, reader, progress, /))]
pub(crate) fn spans_file(
    py: Python<'_>,
    source: SourceArgument,
    out: Py<PyAny>,
    options: Plain<Columns>,
    reader: Plain<ReaderOptions>,
    progress: Option<Py<PyAny>>,
) -> Result<Vec<String>> {
    let (rows, mut reader) = (columns(py, &source, options)?, reader.0.build()?);
    write_job(py, &out, progress, |out, tell| {
        spanrs::spans(rows, &mut reader, out, tell)
    })
}

/// Opens a file of spans.
pub(crate) fn span_source(
    py: Python<'_>,
    (source, Plain(options)): (SourceArgument, Plain<SpanFileOptions>),
) -> Result<SpanSource> {
    py.detach(|| Ok(SpanSource::open(&source, &options)?))
}

/// Unit of the rows of counts.
pub(crate) fn row_kind(by_sentence: bool) -> Rows {
    match by_sentence {
        true => Rows::Sentences,
        false => Rows::Documents,
    }
}

/// Column files to be scored; without pred the gold file has two tag columns.
pub(crate) fn column_files(
    gold: SourceArgument,
    pred: Option<SourceArgument>,
    (Plain(gold_columns), Plain(pred_columns)): (Plain<Columns>, Plain<Columns>),
) -> ColumnFiles {
    ColumnFiles {
        gold: column_file(&gold, gold_columns),
        pred: pred.map(|pred| column_file(&pred, pred_columns)),
    }
}
