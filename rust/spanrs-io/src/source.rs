//! Sources of bytes: paths, and streams that may have to be read twice.
//!
//! A job that detects a scheme reads the beginning of a file before it reads the whole file. A path
//! is opened again for this purpose; a stream cannot be rewound, so its bytes are kept while they
//! are read, first in memory and beyond [`IN_MEMORY`] in an unnamed temporary file. Only jobs that
//! may need a second pass request this ([`Source::keep`]); other jobs never copy their input.

use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use spanrs_base::{Limits, Position};

use crate::compression::{Input, decompress, decompress_within};
use crate::error::{Code, Error, Result};
use crate::lines::LineReader;
use crate::spool::{Spool, spool};

/// A file, a pipe or another stream that is opened at its beginning.
///
/// ```
/// use spanrs_io::{Code, Source};
/// let read = |source: &Source| {
///     let mut text = String::new();
///     source.open().map(|mut input| input.read_to_string(&mut text).unwrap()).map(|_| text)
/// };
/// let kept = Source::stream("example", Box::new(&b"a O\n"[..])).keep();
/// assert_eq!((read(&kept).unwrap(), read(&kept).unwrap()), ("a O\n".into(), "a O\n".into()));
/// let once = Source::stream("example", Box::new(&b"a O\n"[..]));
/// assert_eq!(read(&once).unwrap(), "a O\n");
/// assert_eq!(read(&once).unwrap_err().code, Code::Io);
/// ```
pub struct Source {
    /// Name in messages.
    name: String,
    /// Path of a file, a named pipe or a device.
    path: Option<PathBuf>,
    /// Whether a stream is kept while it is read, so that it can be opened again.
    keep: AtomicBool,
    /// The stream, unless the source is a regular file.
    stream: Mutex<Stream>,
}

/// State of a source that cannot be rewound.
enum Stream {
    /// A path that has not been opened, or a path of a regular file.
    Path,
    /// Not read yet.
    Unread(Input),
    /// Opened, and kept while being read.
    Kept(Arc<Mutex<Kept>>),
    /// Opened without being kept.
    Gone,
}

impl Source {
    /// Creates a source from a stream; `name` is the name in messages.
    pub fn stream(name: &str, input: Input) -> Self {
        Self {
            name: name.to_owned(),
            path: None,
            keep: AtomicBool::new(false),
            stream: Mutex::new(Stream::Unread(input)),
        }
    }

    /// Allows several calls of [`Source::open`]. Has no effect on regular files, which can always
    /// be opened again; a stream of up to 16 MiB is stored in memory, a longer one in a temporary
    /// file.
    #[must_use]
    pub fn keep(self) -> Self {
        self.keep.store(true, Ordering::Relaxed);
        self
    }

    /// Reverts [`Source::keep`] for a stream that will be opened only once more, so that the stream
    /// is not copied. Has no effect if the stream has already been opened.
    ///
    /// ```
    /// let source = spanrs_io::Source::stream("example", Box::new(&b"a O\n"[..])).keep();
    /// source.read_once();
    /// assert!(source.open().is_ok() && source.open().is_err());
    /// ```
    pub fn read_once(&self) {
        self.keep.store(false, Ordering::Relaxed);
    }

    /// Same as [`Source::keep`], for a reader that finds out only later that it needs two passes. Has
    /// no effect if the stream has already been opened.
    ///
    /// ```
    /// let source = spanrs_io::Source::stream("example", Box::new(&b"a O\n"[..]));
    /// source.read_twice();
    /// assert!(source.open().is_ok() && source.open().is_ok());
    /// ```
    pub fn read_twice(&self) {
        self.keep.store(true, Ordering::Relaxed);
    }

    /// Returns the name of the source in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the path, if the source was created from a path.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns the path of a regular file, which several threads can read in parts; None for
    /// streams, pipes and devices.
    pub fn regular_file(&self) -> Option<&Path> {
        let path = self.path.as_deref()?;
        path.metadata().ok()?.is_file().then_some(path)
    }

    /// Opens the source at its beginning. Compressed bytes are returned unchanged.
    ///
    /// # Errors
    /// [`Code::Io`] for an error of the operating system, if the path is a directory, or for a
    /// stream that has already been opened and is not kept.
    pub fn open(&self) -> Result<Input> {
        let mut stream = lock(&self.stream);
        if let (Some(path), Stream::Path) = (&self.path, &*stream) {
            let file = open_file(path)?;
            if file.metadata().is_ok_and(|metadata| metadata.is_file()) {
                return Ok(Box::new(file));
            }
            *stream = Stream::Unread(Box::new(file));
        }
        match std::mem::replace(&mut *stream, Stream::Gone) {
            Stream::Unread(input) if !self.keep.load(Ordering::Relaxed) => Ok(input),
            Stream::Unread(input) => {
                let kept = Arc::new(Mutex::new(Kept::new(input)));
                *stream = Stream::Kept(Arc::clone(&kept));
                Ok(Box::new(KeptReader { kept, at: 0 }))
            }
            Stream::Kept(kept) => {
                *stream = Stream::Kept(Arc::clone(&kept));
                Ok(Box::new(KeptReader { kept, at: 0 }))
            }
            Stream::Gone | Stream::Path => Err(self.opened_before()),
        }
    }

    /// Returns the first `bytes` bytes, decompressed if compressed with gzip or zstd, and whether
    /// this is the whole source. For truncated or damaged compressed data, returns the bytes before
    /// the damage, and false.
    ///
    /// This does not count as opening: bytes read from a stream are prepended again, so that the
    /// next call of [`Source::open`] starts at the beginning. At most `bytes` plus 64 KiB of a
    /// stream are read and kept in memory.
    ///
    /// # Errors
    /// [`Code::Io`] for an error of the operating system, if the path is a directory, or for a
    /// stream that has already been opened and is not kept.
    ///
    /// # Examples
    /// ```
    /// let source = spanrs_io::Source::stream("example", Box::new(&b"Bob ate"[..]));
    /// assert_eq!(source.beginning(3)?, (b"Bob".to_vec(), false));
    /// assert_eq!(source.beginning(9)?, (b"Bob ate".to_vec(), true));
    /// assert_eq!(source.contents(Default::default())?, b"Bob ate");
    /// # Ok::<(), spanrs_io::Error>(())
    /// ```
    pub fn beginning(&self, bytes: usize) -> Result<(Vec<u8>, bool)> {
        let mut stream = lock(&self.stream);
        if let (Some(path), Stream::Path) = (&self.path, &*stream) {
            let file = open_file(path)?;
            if file.metadata().is_ok_and(|metadata| metadata.is_file()) {
                let (beginning, _) = read_beginning(Box::new(file), bytes);
                return beginning.map_err(|error| Error::open(Position::file(&self.name), error));
            }
            *stream = Stream::Unread(Box::new(file));
        }
        let beginning = match std::mem::replace(&mut *stream, Stream::Gone) {
            Stream::Unread(input) => {
                let (beginning, input) = read_beginning(input, bytes);
                *stream = Stream::Unread(input);
                beginning
            }
            Stream::Kept(kept) => {
                *stream = Stream::Kept(Arc::clone(&kept));
                read_beginning(Box::new(KeptReader { kept, at: 0 }), bytes).0
            }
            Stream::Gone | Stream::Path => return Err(self.opened_before()),
        };
        beginning.map_err(|error| Error::open(Position::file(&self.name), error))
    }

    /// Returns the error for the second opening of a stream that is not kept.
    fn opened_before(&self) -> Error {
        let place = Position::file(&self.name);
        Error::new(Code::Io, place, "a stream can be read only once")
    }

    /// Opens the source for reading lines, decompressing gzip and zstd.
    ///
    /// # Errors
    /// Same as [`Source::open`] and [`LineReader::new`].
    ///
    /// # Examples
    /// ```
    /// use spanrs_io::Source;
    /// let missing = Source::from(std::path::PathBuf::from("/no/such/file"));
    /// let error = missing.lines(Default::default()).err().unwrap();
    /// assert_eq!(error.code, spanrs_io::Code::Io);
    /// assert_eq!(error.to_string(), "/no/such/file: no such file");
    /// ```
    pub fn lines(&self, limits: Limits) -> Result<LineReader> {
        LineReader::new(&self.name, self.open()?, limits)
    }

    /// Reads all bytes, decompressing gzip and zstd. At most one byte beyond a limit is read.
    ///
    /// # Errors
    /// Errors of [`Source::open`]; [`Code::Io`], [`Code::Compression`]; [`Code::DocumentTooLong`]
    /// for more than `limits.document_bytes` bytes, and [`Code::Expansion`] for compressed data
    /// that expands to more than `limits.expansion` times its size and to more than 16 MiB.
    ///
    /// # Examples
    /// ```
    /// let source = spanrs_io::Source::stream("example", Box::new(&b"Bob ate"[..]));
    /// assert_eq!(source.contents(Default::default()).unwrap(), b"Bob ate");
    /// ```
    pub fn contents(&self, limits: Limits) -> Result<Vec<u8>> {
        let most = limits.document_bytes as u64;
        let size = self.size().unwrap_or_default().min(most);
        let mut bytes = Vec::with_capacity(size as usize + 1);
        self.decompressed(limits)?
            .take(most + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| Error::read(Position::file(&self.name), error))?;
        if bytes.len() as u64 > most {
            let message = format!("the file has more than {most} bytes, the limit for a document");
            let position = Position::file(&self.name);
            return Err(Error::new(Code::DocumentTooLong, position, message));
        }
        Ok(bytes)
    }

    /// Opens the source for reading bytes, decompressing gzip and zstd.
    ///
    /// # Errors
    /// Errors of [`Source::open`]; [`Code::Compression`]. Reading fails for compressed data that
    /// expands to more than `limits.expansion` times its size and to more than 16 MiB;
    /// [`Error::read`] converts this error to [`Code::Expansion`].
    pub(crate) fn decompressed(&self, limits: Limits) -> Result<Input> {
        let input = self.open()?;
        decompress_within(input, self.size(), limits.expansion)
            .map_err(|error| Error::read(Position::file(&self.name), error))
    }

    /// Returns the size of a regular file in bytes.
    fn size(&self) -> Option<u64> {
        let metadata = self.path()?.metadata().ok()?;
        metadata.is_file().then_some(metadata.len())
    }
}

impl From<PathBuf> for Source {
    /// Creates a source from a path, without opening the file.
    fn from(path: PathBuf) -> Self {
        Self {
            name: path.display().to_string(),
            path: Some(path),
            keep: AtomicBool::new(false),
            stream: Mutex::new(Stream::Path),
        }
    }
}

/// Opens a file that is not a directory. On Unix, opening a directory succeeds, and only reading
/// would fail.
///
/// # Errors
/// [`Code::Io`] with the path as position.
pub(crate) fn open_file(path: &Path) -> Result<File> {
    let failed = |error| Error::open(Position::file(&path.display().to_string()), error);
    let file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(failed(std::io::ErrorKind::IsADirectory.into()));
    }
    Ok(file)
}

/// A stream and the bytes read so far.
struct Kept {
    /// The bytes read so far.
    bytes: Spool,
    /// Number of bytes read so far.
    len: u64,
    /// The rest of the stream.
    rest: Input,
}

impl Kept {
    /// Creates an empty buffer for the bytes that will be read from a stream.
    fn new(rest: Input) -> Self {
        Self {
            bytes: spool(),
            len: 0,
            rest,
        }
    }
}

/// Reads a kept stream from its beginning: first the kept bytes, then the rest of the stream.
struct KeptReader {
    /// The stream, shared by all its readers.
    kept: Arc<Mutex<Kept>>,
    /// Offset of the next byte.
    at: u64,
}

impl Read for KeptReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let Kept { bytes, len, rest } = &mut *lock(&self.kept);
        let read = if self.at < *len {
            bytes.seek(SeekFrom::Start(self.at))?;
            bytes.read(buffer)?
        } else {
            let read = rest.read(buffer)?;
            bytes.seek(SeekFrom::Start(*len))?;
            bytes.write_all(&buffer[..read])?;
            *len += read as u64;
            read
        };
        self.at += read as u64;
        Ok(read)
    }
}

/// Number of additional bytes that [`read_beginning`] may read, for the headers of compressed data
/// and the buffers of decompressors.
const READ_AHEAD: usize = 1 << 16;

/// Reads the first bytes of an input, decompressed. Returns the bytes and whether they are the
/// whole input, together with the input, positioned at its beginning.
///
/// # Errors
/// Errors of reading the input itself. Damaged compressed data is not an error.
fn read_beginning(input: Input, bytes: usize) -> (std::io::Result<(Vec<u8>, bool)>, Input) {
    let recorded = Arc::new(Mutex::new(Recorded {
        input,
        bytes: Vec::new(),
        most: bytes.saturating_add(READ_AHEAD),
        failed: None,
    }));
    let mut beginning = Vec::new();
    let read = decompress(Box::new(Recorder(Arc::clone(&recorded)))).and_then(|input| {
        let most = (bytes as u64).saturating_add(1);
        input.take(most).read_to_end(&mut beginning)
    });
    let whole = read.is_ok() && beginning.len() <= bytes;
    beginning.truncate(bytes);
    let mut recorded = lock(&recorded);
    let rest = std::mem::replace(&mut recorded.input, Box::new(std::io::empty()));
    let read = std::mem::take(&mut recorded.bytes);
    let result = recorded.failed.take().map_or(Ok((beginning, whole)), Err);
    (result, Box::new(Cursor::new(read).chain(rest)))
}

/// An input and the bytes read so far.
struct Recorded {
    /// The rest of the input.
    input: Input,
    /// The bytes read so far.
    bytes: Vec<u8>,
    /// Maximum number of bytes to read.
    most: usize,
    /// The error of the input, as opposed to an error of a decompressor.
    failed: Option<std::io::Error>,
}

/// Reads an input and records the bytes.
struct Recorder(Arc<Mutex<Recorded>>);

impl Read for Recorder {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let recorded = &mut *lock(&self.0);
        let length = buffer.len().min(recorded.most - recorded.bytes.len());
        if length == 0 && !buffer.is_empty() {
            return Err(std::io::Error::other("the beginning has been read"));
        }
        match recorded.input.read(&mut buffer[..length]) {
            Ok(read) => {
                recorded.bytes.extend_from_slice(&buffer[..read]);
                Ok(read)
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                let kind = error.kind();
                recorded.failed = Some(error);
                Err(kind.into())
            }
        }
    }
}

/// Locks a mutex, even after a panic of another thread: the state only changes by complete reads.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_stream_is_read_again_and_further() {
        let text: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        let source = Source::stream("example", Box::new(std::io::Cursor::new(text.clone()))).keep();
        let mut first = source.open().unwrap();
        let mut head = vec![0; 1000];
        first.read_exact(&mut head).unwrap();
        let (mut second, mut whole) = (source.open().unwrap(), Vec::new());
        second.read_to_end(&mut whole).unwrap();
        assert_eq!(whole, text);
        first.read_to_end(&mut head).unwrap();
        assert_eq!(head, text);
    }

    #[test]
    fn regular_files_are_opened_again_without_being_kept() {
        let path = std::env::temp_dir().join(format!("spanrs-source-{}", std::process::id()));
        std::fs::write(&path, "a O\n").unwrap();
        let source = Source::from(path.clone());
        for _ in 0..2 {
            let mut text = String::new();
            source.open().unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "a O\n");
        }
        assert_eq!(source.regular_file(), Some(&*path));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(source.regular_file(), None);
        let folder = Source::from(std::env::temp_dir());
        assert_eq!(folder.open().err().unwrap().code, Code::Io);
        assert_eq!(folder.regular_file(), None);
    }

    /// Reads a source from its beginning without decompression.
    fn whole(source: &Source) -> Vec<u8> {
        let mut bytes = Vec::new();
        source.open().unwrap().read_to_end(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn the_beginning_of_a_stream_does_not_count_as_opening() {
        let text = b"-DOCSTART- O\n\nEU B-ORG\n";
        let once = Source::stream("example", Box::new(&text[..]));
        assert_eq!(once.beginning(4).unwrap(), (b"-DOC".to_vec(), false));
        assert_eq!(once.beginning(0).unwrap(), (Vec::new(), false));
        assert_eq!(once.beginning(text.len()).unwrap(), (text.to_vec(), true));
        assert_eq!(whole(&once), text);
        assert_eq!(once.beginning(4).unwrap_err().code, Code::Io);

        let kept = Source::stream("example", Box::new(&text[..])).keep();
        for _ in 0..2 {
            assert_eq!(kept.beginning(4).unwrap(), (b"-DOC".to_vec(), false));
            assert_eq!(whole(&kept), text);
        }
        let empty = Source::stream("example", Box::new(std::io::empty()));
        assert_eq!(empty.beginning(4).unwrap(), (Vec::new(), true));
    }

    #[test]
    fn the_beginning_of_a_file_is_read() {
        let path = std::env::temp_dir().join(format!("spanrs-beginning-{}", std::process::id()));
        std::fs::write(&path, "a O\n").unwrap();
        let source = Source::from(path.clone());
        assert_eq!(source.beginning(1).unwrap(), (b"a".to_vec(), false));
        assert_eq!(source.beginning(4).unwrap(), (b"a O\n".to_vec(), true));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(source.beginning(1).unwrap_err().code, Code::Io);
    }

    #[cfg(unix)]
    #[test]
    fn a_named_pipe_is_read_from_its_beginning() {
        let path = std::env::temp_dir().join(format!("spanrs-pipe-{}", std::process::id()));
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let to = path.clone();
        let writer = std::thread::spawn(move || std::fs::write(to, "a O\n"));
        let source = Source::from(path.clone());
        assert_eq!(source.beginning(2).unwrap(), (b"a ".to_vec(), false));
        assert_eq!(whole(&source), b"a O\n");
        writer.join().unwrap().unwrap();
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn the_beginning_of_compressed_data_is_decompressed_as_far_as_it_goes() {
        // Random bytes, which cannot be compressed.
        let mut rng = 7_u64;
        let text = std::iter::repeat_with(|| {
            rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (rng >> 56) as u8
        });
        let text: Vec<u8> = text.take(400_000).collect();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&text).unwrap();
        let zstd = zstd::encode_all(&text[..], 1).unwrap();
        for compressed in [gzip.finish().unwrap(), zstd] {
            for cut in [compressed.len(), compressed.len() / 2] {
                let bytes = compressed[..cut].to_vec();
                let source = Source::stream("example", Box::new(Cursor::new(bytes.clone())));
                assert_eq!(source.beginning(9).unwrap(), (text[..9].to_vec(), false));
                let (beginning, all) = source.beginning(usize::MAX).unwrap();
                assert!(text.starts_with(&beginning) && beginning.len() > 60_000);
                assert_eq!((all, beginning == text), (cut == compressed.len(), all));
                assert_eq!(whole(&source), bytes);
            }
        }
    }

    #[test]
    fn an_error_of_the_stream_is_passed_on() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                Err(std::io::ErrorKind::PermissionDenied.into())
            }
        }
        let source = Source::stream("example", Box::new((&b"a O\nb O"[..]).chain(Broken)));
        assert_eq!(source.beginning(2).unwrap(), (b"a ".to_vec(), false));
        let error = source.beginning(90).unwrap_err();
        assert_eq!(error.to_string(), "example: permission denied");
    }
}
