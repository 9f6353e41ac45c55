//! A temporary file of records, for corpora that are larger than memory.
//!
//! Records are appended, and then read in any order, by several threads. The file has no name where the
//! system allows it, and otherwise is deleted when it is closed, so that nothing remains after an error,
//! an interruption or a crash, and two programs never share a file.
//!
//! The file is not trusted: each record has a keyed hash, which stays in memory, and a record that has
//! changed is an error.

use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};

/// Number of bytes that are collected before they are written.
const BUFFER: usize = 1 << 20;

/// Records in a temporary file. Memory: 16 bytes for each record, and a buffer of 1 MiB while records
/// are appended.
#[derive(Debug)]
pub(crate) struct SpillFile {
    file: Mutex<File>,
    /// Where the file is, for messages.
    directory: PathBuf,
    /// Records that are not written yet.
    buffer: Vec<u8>,
    /// End of each record in the file, exclusive.
    ends: Vec<u64>,
    /// Keyed hash of each record.
    hashes: Vec<u64>,
    /// The key; no two files have the same.
    key: RandomState,
}

impl SpillFile {
    /// Creates an empty file in a directory.
    ///
    /// # Errors
    /// [`Error::Spill`] if the file cannot be created.
    pub(crate) fn new(directory: &Path) -> Result<Self> {
        let file = tempfile::tempfile_in(directory);
        let file = file.map_err(|error| failed(directory, "create", &error))?;
        Ok(Self {
            file: Mutex::new(file),
            directory: directory.to_owned(),
            buffer: Vec::new(),
            ends: Vec::new(),
            hashes: Vec::new(),
            key: RandomState::new(),
        })
    }

    /// The directory of the file.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Appends a record.
    ///
    /// # Errors
    /// [`Error::Spill`] if it cannot be written, usually because the disk is full.
    pub(crate) fn append(&mut self, record: &[u8]) -> Result<()> {
        let end = self.ends.last().copied().unwrap_or_default() + record.len() as u64;
        self.ends.push(end);
        self.hashes.push(self.hash(record));
        self.buffer.extend_from_slice(record);
        match self.buffer.len() >= BUFFER {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Writes all records that were appended, and frees the buffer; call it before records are read.
    ///
    /// # Errors
    /// Same as [`SpillFile::append`].
    pub(crate) fn flush(&mut self) -> Result<()> {
        let buffer = std::mem::take(&mut self.buffer);
        let file = self.file.get_mut().unwrap_or_else(PoisonError::into_inner);
        // Records may have been read since the last ones were written.
        let written = file
            .seek(SeekFrom::End(0))
            .and_then(|_| file.write_all(&buffer));
        written.map_err(|error| failed(&self.directory, "write", &error))
    }

    /// Replaces `bytes` with a range of records.
    ///
    /// # Errors
    /// [`Error::Spill`] if they cannot be read, or have changed since they were written.
    pub(crate) fn read(&self, records: Range<usize>, bytes: &mut Vec<u8>) -> Result<()> {
        let start = |record: usize| match record {
            0 => 0,
            _ => self.ends[record - 1],
        };
        let (first, end) = (start(records.start), start(records.end));
        bytes.resize((end - first) as usize, 0);
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let read = file
            .seek(SeekFrom::Start(first))
            .and_then(|_| file.read_exact(bytes));
        drop(file);
        read.map_err(|error| failed(&self.directory, "read", &error))?;
        for record in records {
            let range = (start(record) - first) as usize..(start(record + 1) - first) as usize;
            if self.hash(&bytes[range]) != self.hashes[record] {
                return Err(self.changed());
            }
        }
        Ok(())
    }

    /// The error for a file that another program has changed, or that was read incorrectly.
    pub(crate) fn changed(&self) -> Error {
        Error::Spill(format!(
            "a temporary file of the corpus, in {}, has changed; train again, with the file on another disk",
            self.directory.display()
        ))
    }

    fn hash(&self, record: &[u8]) -> u64 {
        let mut hasher = self.key.build_hasher();
        hasher.write(record);
        hasher.finish()
    }
}

/// The error for an operation that failed.
fn failed(directory: &Path, verb: &str, error: &io::Error) -> Error {
    let advice = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "free some space, or choose another directory"
        }
        ErrorKind::NotFound | ErrorKind::NotADirectory | ErrorKind::PermissionDenied => {
            "choose a directory that exists and can be written"
        }
        _ => "choose another directory",
    };
    Error::Spill(format!(
        "cannot {verb} a temporary file of the corpus in {}: {error}; {advice}",
        directory.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spilled(records: &[Vec<u8>]) -> SpillFile {
        let mut file = SpillFile::new(&std::env::temp_dir()).unwrap();
        for record in records {
            file.append(record).unwrap();
        }
        file.flush().unwrap();
        file
    }

    #[test]
    fn records_are_read_in_any_order() {
        let records: Vec<Vec<u8>> = (0..2000).map(|at| vec![at as u8; at % 1700]).collect();
        let file = spilled(&records);
        let mut bytes = Vec::new();
        for range in [1999..2000, 0..1, 3..3, 5..900, 0..2000] {
            file.read(range.clone(), &mut bytes).unwrap();
            assert_eq!(bytes, records[range].concat());
        }
    }

    #[test]
    fn a_file_that_has_changed_is_refused() {
        let file = spilled(&[vec![1; 10], vec![2; 10]]);
        let mut handle = file.file.lock().unwrap();
        handle.seek(SeekFrom::Start(13)).unwrap();
        handle.write_all(&[3]).unwrap();
        drop(handle);
        let mut bytes = Vec::new();
        assert!(file.read(0..1, &mut bytes).is_ok());
        let error = file.read(0..2, &mut bytes).unwrap_err();
        assert!(error.to_string().contains("has changed"), "{error}");
        file.file.lock().unwrap().set_len(15).unwrap();
        assert!(matches!(file.read(1..2, &mut bytes), Err(Error::Spill(_))));
    }

    #[test]
    fn a_directory_that_does_not_exist_is_refused() {
        let error = SpillFile::new(Path::new("no/such/directory")).unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("choose a directory that exists and can be written")
        );
    }
}
