//! CQDB, the string database of CRFsuite: names by id, and 256 hash tables for finding the id of a name.
//!
//! ```text
//! header     "CQDB" size flags byte-order-mark, number of names, offset of the array of records
//! tables     256 times (offset, slots)
//! records    (id, length of the name with its NUL, name, NUL)
//! slots      of each table: (hash, offset of the record), twice as many as names; offset 0 in empty slots
//! array      offset of the record of each id
//! ```
//!
//! All integers are little-endian `u32`; offsets count from the start of the database. A name is in
//! table `hash % 256`; probing is linear from slot `hash / 256 % slots`. The hash is [`hashlittle`]
//! of the name with its NUL byte.
//!
//! The reader checks that the array and the tables contain the same names, that CRFsuite's search
//! finds each of them, and that a search for any other name ends at an empty slot.

use super::cursor::{Bytes, put_u32, to_u32};
use super::error::CrfsuiteError;
use super::hash::hashlittle;

/// Identifier at the start of a database.
const CHUNK: &str = "CQDB";
/// Name of the database in messages about truncated files.
const DATABASE: &str = "string database";
/// Value of the field that gives the byte order of the writer.
const BYTE_ORDER_MARK: u32 = 0x6244_5371;
/// Number of hash tables.
const TABLES: usize = 256;
/// Size of the header in bytes.
const HEADER_SIZE: usize = 24;
/// Offset of the first record.
const RECORDS: usize = HEADER_SIZE + TABLES * SLOT_SIZE;
/// Size in bytes of a slot, and of the reference to a table.
const SLOT_SIZE: usize = 8;

/// A database whose header has been checked.
pub(super) struct Reader<'a> {
    /// The bytes of the database.
    database: Bytes<'a>,
    /// Number of names.
    count: u32,
    /// `"label"` or `"attribute"`, for messages.
    what: &'static str,
}

/// A name with its hash and the offset of its record.
struct Record<'a> {
    /// The name, without its NUL byte.
    name: &'a [u8],
    /// Hash of the name with its NUL byte.
    hash: u32,
    /// Offset of the record in the database.
    offset: u32,
}

impl<'a> Reader<'a> {
    /// Checks the header of a database at an offset of the file; it must have `count` names.
    ///
    /// # Errors
    /// - [`CrfsuiteError::Chunk`], [`CrfsuiteError::BigEndian`] and [`CrfsuiteError::Database`] for
    ///   a wrong identifier or byte-order mark.
    /// - [`CrfsuiteError::Count`] for a different number of names.
    /// - [`CrfsuiteError::Truncated`] if the database is longer than the file.
    pub(super) fn open(
        file: &Bytes<'a>,
        offset: u64,
        count: u32,
        what: &'static str,
    ) -> Result<Self, CrfsuiteError> {
        file.expect_chunk(offset, CHUNK)?;
        let header = file.slice(offset, RECORDS as u64, DATABASE)?;
        let mark = header.u32(12, DATABASE)?;
        let offset_of_mark = header.in_file(12);
        if mark == BYTE_ORDER_MARK.swap_bytes() {
            let offset = offset_of_mark;
            return Err(CrfsuiteError::BigEndian { offset });
        }
        if mark != BYTE_ORDER_MARK {
            return Err(CrfsuiteError::Database {
                what,
                offset: offset_of_mark,
                reason: "wrong byte-order mark",
            });
        }
        let found = header.u32(16, DATABASE)?;
        if found != count {
            return Err(CrfsuiteError::Count {
                what: "number of names",
                offset: header.in_file(16),
                expected: count.into(),
                found: found.into(),
            });
        }
        let size = u64::from(header.u32(4, DATABASE)?);
        Ok(Self {
            database: file.slice(offset, size, DATABASE)?,
            count,
            what,
        })
    }

    /// Checks that the two databases do not overlap.
    ///
    /// # Errors
    /// [`CrfsuiteError::Database`] at the first byte that belongs to both.
    pub(super) fn check_disjoint(&self, other: &Self) -> Result<(), CrfsuiteError> {
        let start = self.database.in_file(0).max(other.database.in_file(0));
        let end = |reader: &Self| reader.database.in_file(reader.database.len());
        if start < end(self).min(end(other)) {
            return Err(CrfsuiteError::Database {
                what: self.what,
                offset: start,
                reason: "the databases of the names overlap",
            });
        }
        Ok(())
    }

    /// Builds the error for an offset in the database.
    fn error(&self, offset: u64, reason: &'static str) -> CrfsuiteError {
        CrfsuiteError::Database {
            what: self.what,
            offset: self.database.in_file(offset),
            reason,
        }
    }

    /// Reads the names in the order of their ids, after checking the hash tables.
    ///
    /// # Errors
    /// - [`CrfsuiteError::Database`] for records, tables or an array that are inconsistent, overlap, or do not fit into
    ///   the database.
    /// - [`CrfsuiteError::Unterminated`] for a name without a NUL byte at its end, or with another NUL byte.
    /// - [`CrfsuiteError::DuplicateName`] for two ids with the same name.
    /// - [`CrfsuiteError::Truncated`] for offsets after the end of the database.
    pub(super) fn names(&self) -> Result<Vec<Vec<u8>>, CrfsuiteError> {
        let records = self.records()?;
        let mut seen = vec![false; records.len()];
        for table in 0..TABLES {
            self.check_table(table, &records, &mut seen)?;
        }
        if let Some(id) = seen.iter().position(|&seen| !seen) {
            let reason = "a name is missing from the hash tables";
            return Err(self.error(records[id].offset.into(), reason));
        }
        check_distinct(self.what, records.len(), |id| {
            (records[id].hash, records[id].name)
        })?;
        Ok(records.iter().map(|record| record.name.to_vec()).collect())
    }

    /// Reads the records of all ids.
    ///
    /// The sizes of the tables, the array and the records are added up during reading, and may not exceed the size of
    /// the database: memory stays linear in the size of the file even if records overlap.
    fn records(&self) -> Result<Vec<Record<'a>>, CrfsuiteError> {
        let count = u64::from(self.count);
        if count == 0 {
            return Ok(Vec::new());
        }
        let array = u64::from(self.database.u32(20, DATABASE)?);
        if array == 0 {
            return Err(self.error(20, "the database has no array of names"));
        }
        let array = self.database.slice(array, 4 * count, DATABASE)?;
        // Bytes that the tables, the array and the records need if they do not overlap. Checking this first limits the
        // memory that a file can cause to be allocated.
        let mut needed = RECORDS as u64 + (2 * SLOT_SIZE as u64 + 4) * count;
        if needed > self.database.len() {
            return Err(self.error(16, "the database is too small for its number of names"));
        }
        let mut records = Vec::with_capacity(self.count as usize);
        for id in 0..self.count {
            let offset = array.u32(4 * u64::from(id), DATABASE)?;
            let start = u64::from(offset);
            if start < RECORDS as u64 || self.database.u32(start, DATABASE)? != id {
                return Err(self.error(start, "an entry of the array of names is wrong"));
            }
            let length = u64::from(self.database.u32(start + 4, DATABASE)?);
            let name = self.database.slice(start + 8, length, DATABASE)?;
            needed += 8 + length;
            if needed > self.database.len() {
                return Err(self.error(start, "the names overlap"));
            }
            let key = name.data();
            let [name @ .., 0] = key else {
                return Err(self.unterminated(id, name));
            };
            if name.contains(&0) {
                return Err(self.unterminated(id, self.database.slice(start + 8, 0, DATABASE)?));
            }
            let hash = hashlittle(key);
            records.push(Record { name, hash, offset });
        }
        Ok(records)
    }

    /// Builds the error for a name that is not terminated by its first NUL byte.
    fn unterminated(&self, id: u32, name: Bytes<'_>) -> CrfsuiteError {
        CrfsuiteError::Unterminated {
            what: self.what,
            id,
            offset: name.in_file(0),
        }
    }

    /// Checks that every name in a table is found by probing and that a search for any other name ends.
    ///
    /// A name is found if all slots from its first slot to its own slot are used. The slots are therefore visited
    /// cyclically from the last empty slot on, and the length of the current run of used slots is compared with the
    /// distance of each name from its first slot.
    fn check_table(
        &self,
        table: usize,
        records: &[Record<'_>],
        seen: &mut [bool],
    ) -> Result<(), CrfsuiteError> {
        let reference = (HEADER_SIZE + SLOT_SIZE * table) as u64;
        let offset = u64::from(self.database.u32(reference, DATABASE)?);
        let len = u64::from(self.database.u32(reference + 4, DATABASE)?);
        if len == 0 {
            return Ok(());
        }
        if offset < RECORDS as u64 {
            return Err(self.error(reference, "wrong offset of a hash table"));
        }
        let slots = self
            .database
            .slice(offset, SLOT_SIZE as u64 * len, DATABASE)?;
        let record_of = |slot: u64| slots.u32(SLOT_SIZE as u64 * slot + 4, DATABASE);
        let mut used = 0;
        let mut last_empty = None;
        for slot in 0..len {
            match record_of(slot)? {
                0 => last_empty = Some(slot),
                _ => used += 1,
            }
        }
        let Some(last_empty) = last_empty.filter(|_| used * 2 == len) else {
            let reason = "a hash table must have twice as many slots as names";
            return Err(self.error(reference, reason));
        };
        // Length of the run of used slots before the current one: a name is found if its first slot is in that run.
        let mut run = 0;
        for slot in (last_empty + 1..len).chain(0..last_empty) {
            let offset = record_of(slot)?;
            if offset == 0 {
                run = 0;
                continue;
            }
            let at = SLOT_SIZE as u64 * slot;
            let hash = slots.u32(at, DATABASE)?;
            let id = self.database.u32(offset.into(), DATABASE)? as usize;
            let valid = records.get(id).is_some_and(|record| {
                record.offset == offset && record.hash == hash && hash as usize % TABLES == table
            });
            let distance = (slot + len - u64::from(hash >> 8) % len) % len;
            if !valid || distance > run || std::mem::replace(&mut seen[id], true) {
                let at = slots.in_file(at) - self.database.in_file(0);
                return Err(self.error(at, "an entry of a hash table is wrong"));
            }
            run += 1;
        }
        Ok(())
    }
}

/// Checks that no name occurs twice; `entry` returns the hash and the name of an id. Sorts ids by
/// hash first, as numbers, so names are compared only if their hashes are equal.
fn check_distinct<'a>(
    what: &'static str,
    count: usize,
    entry: impl Fn(usize) -> (u32, &'a [u8]),
) -> Result<(), CrfsuiteError> {
    let mut order: Vec<u64> = (0..count)
        .map(|id| u64::from(entry(id).0) << 32 | id as u64)
        .collect();
    order.sort_unstable();
    let name = |hash_and_id: u64| entry(hash_and_id as u32 as usize).1;
    for same_hash in order.chunk_by_mut(|a, b| a >> 32 == b >> 32) {
        same_hash.sort_unstable_by_key(|&at| (name(at), at));
        for pair in same_hash.windows(2) {
            if name(pair[0]) == name(pair[1]) {
                return Err(CrfsuiteError::DuplicateName {
                    what,
                    id: pair[1] as u32 as usize,
                    name: name(pair[1]).to_vec(),
                });
            }
        }
    }
    Ok(())
}

/// Appends a database of `names`; `what` is `"label"` or `"attribute"`, for messages.
///
/// # Errors
/// [`CrfsuiteError::NulInName`], [`CrfsuiteError::DuplicateName`] and [`CrfsuiteError::TooLarge`].
pub(super) fn write(
    out: &mut Vec<u8>,
    names: &[Vec<u8>],
    what: &'static str,
) -> Result<(), CrfsuiteError> {
    let start = out.len();
    out.resize(start + RECORDS, 0);
    let mut hashes = Vec::with_capacity(names.len());
    let mut array = Vec::with_capacity(names.len());
    // Hash and record offset of the names of each table.
    let mut tables: Vec<Vec<(u32, u32)>> = vec![Vec::new(); TABLES];
    for (id, name) in names.iter().enumerate() {
        if name.contains(&0) {
            let name = name.clone();
            return Err(CrfsuiteError::NulInName { what, id, name });
        }
        let offset = to_u32(out.len() - start)?;
        put_u32(out, to_u32(id)?);
        put_u32(out, to_u32(name.len() + 1)?);
        let key = out.len();
        out.extend_from_slice(name);
        out.push(0);
        let hash = hashlittle(&out[key..]);
        hashes.push(hash);
        array.push(offset);
        tables[hash as usize % TABLES].push((hash, offset));
    }
    check_distinct(what, names.len(), |id| (hashes[id], &names[id]))?;
    write_tables(out, start, &tables)?;
    let array_offset = if array.is_empty() {
        0
    } else {
        to_u32(out.len() - start)?
    };
    for offset in array {
        put_u32(out, offset);
    }
    let mut header = Vec::with_capacity(HEADER_SIZE);
    header.extend_from_slice(CHUNK.as_bytes());
    for field in [
        to_u32(out.len() - start)?,
        0,
        BYTE_ORDER_MARK,
        to_u32(names.len())?,
        array_offset,
    ] {
        put_u32(&mut header, field);
    }
    out[start..start + HEADER_SIZE].copy_from_slice(&header);
    Ok(())
}

/// Appends the hash tables that have entries, and writes their offsets to the header at `start`.
///
/// # Errors
/// [`CrfsuiteError::TooLarge`].
fn write_tables(
    out: &mut Vec<u8>,
    start: usize,
    tables: &[Vec<(u32, u32)>],
) -> Result<(), CrfsuiteError> {
    for (table, entries) in tables.iter().enumerate() {
        if entries.is_empty() {
            continue;
        }
        let slots = 2 * entries.len();
        let reference = start + HEADER_SIZE + SLOT_SIZE * table;
        let offset = to_u32(out.len() - start)?;
        out[reference..reference + 4].copy_from_slice(&offset.to_le_bytes());
        out[reference + 4..reference + 8].copy_from_slice(&to_u32(slots)?.to_le_bytes());
        for (hash, offset) in place(entries, slots) {
            put_u32(out, hash);
            put_u32(out, offset);
        }
    }
    Ok(())
}

/// Places the entries of a hash table in its slots by linear probing, in the order of their ids; an
/// empty slot is `(0, 0)`.
fn place(entries: &[(u32, u32)], slots: usize) -> Vec<(u32, u32)> {
    let mut table = vec![(0, 0); slots];
    for &(hash, offset) in entries {
        let mut slot = (hash >> 8) as usize % slots;
        while table[slot].1 != 0 {
            slot = (slot + 1) % slots;
        }
        table[slot] = (hash, offset);
    }
    table
}
