//! Storing counts as bytes.
//!
//! ```text
//! "spanrs counts", version
//! name of the schema
//! types:  number, then each name, ascending
//! cells:  number, then criterion, outcome, gold type + 1 or 0, pred type + 1 or 0, ascending
//! 0, total of each cell; or
//! 1, number of documents, then key, number of cells, then cell and count,
//!    ascending by key and content
//! ```
//! Version, criterion and outcome are one byte each. Numbers are LEB128 in as few bytes as
//! possible; strings are UTF-8, preceded by their length in bytes. A key is 0 and a number, or 1
//! and a string. Types and cells are referred to by their index in the lists above.
//!
//! The form is canonical. Types and cells that were never counted are omitted, and everything is
//! sorted, so that equal counts give equal bytes, regardless of the order in which they were
//! merged; reading accepts only bytes that would be written. One match of type `PER` under the
//! exact matcher, without documents, ends with these bytes:
//!
//! ```text
//! 05 "exact"   01 03 "PER"   01 00 00 01 01   00 01
//! schema       types         cells            totals
//! ```
//!
//! Reading is safe for untrusted bytes: every length is compared with the number of remaining bytes
//! before memory is allocated.

use super::counts::{Counts, sum};
use super::error::CountsError;
use super::rows::Key;
use super::schema::{Cell, CellId, Schema};

/// First bytes of stored counts, with the version of the format as the last one.
const MAGIC: &[u8] = b"spanrs counts\x01";

/// Result of reading or writing counts.
type Result<T> = std::result::Result<T, CountsError>;

impl Counts {
    /// Returns the counts as bytes, in the canonical form described above: equal counts give equal
    /// bytes.
    ///
    /// The order of documents is not stored; they are sorted by key, then content
    /// ([`Counts::stored_order`]). Takes O(n log n) time for n cells of all documents.
    ///
    /// # Errors
    /// [`CountsError::OpenDocument`] if the last document has not ended.
    ///
    /// # Examples
    /// ```
    /// use spanrs_eval::EXACT;
    /// use spanrs_eval::outcomes::{Cell, Counts};
    /// let mut counts = Counts::new(&EXACT);
    /// let person = Some(counts.intern("PER"));
    /// let cell = counts.cell(Cell::new(0, 0, person, person));
    /// counts.add(cell, 1);
    /// let bytes = counts.to_bytes().unwrap();
    /// assert_eq!(bytes, b"spanrs counts\x01\x05exact\x01\x03PER\x01\x00\x00\x01\x01\x00\x01");
    /// assert_eq!(Counts::from_bytes(&bytes, &EXACT).unwrap().to_bytes().unwrap(), bytes);
    /// ```
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        if self.has_open_document() {
            return Err(CountsError::OpenDocument);
        }
        let types = self.canonical_types();
        let ranks = ranks(&types);
        let order = self.canonical_cells(&ranks);
        let mut out = MAGIC.to_vec();
        put_text(&mut out, self.schema().name);
        put(&mut out, types.len() as u64);
        for &ty in &types {
            put_text(&mut out, self.type_name(ty));
        }
        put(&mut out, order.len() as u64);
        for id in &order {
            let cell = self.cells()[*id as usize].renumbered(&ranks);
            out.extend([cell.criterion, cell.outcome]);
            put(&mut out, number_of(cell.gold));
            put(&mut out, number_of(cell.pred));
        }
        out.push(u8::from(self.has_documents()));
        if !self.has_documents() {
            for id in order {
                put(&mut out, self.total(id));
            }
            return Ok(out);
        }
        let contents = self.canonical_contents();
        let numbers = self.row_numbers().unwrap_or_default();
        let documents = self.canonical_order();
        put(&mut out, documents.len() as u64);
        for at in documents {
            let entries = &contents[numbers[at] as usize];
            put_key(
                &mut out,
                self.row(at).map_or(&Key::Number(0), |row| row.key),
            );
            put(&mut out, entries.len() as u64);
            for &(cell, n) in entries {
                put(&mut out, u64::from(cell));
                put(&mut out, n);
            }
        }
        Ok(out)
    }

    /// Returns the permutation that restores the order of documents after storing; None if the
    /// stored order is the same.
    ///
    /// Pass the result to [`Counts::reordered`] on the counts that [`Counts::from_bytes`] returns.
    ///
    /// ```
    /// use spanrs_eval::EXACT;
    /// use spanrs_eval::outcomes::{Counts, Key};
    /// let mut counts = Counts::by_document(&EXACT);
    /// counts.end_document(Key::Number(2));
    /// counts.end_document(Key::Number(1));
    /// let loaded = Counts::from_bytes(&counts.to_bytes().unwrap(), &EXACT).unwrap();
    /// let restored = loaded.reordered(&counts.stored_order().unwrap()).unwrap();
    /// assert_eq!(restored.row(0).unwrap().key, &Key::Number(2));
    /// ```
    pub fn stored_order(&self) -> Option<Vec<usize>> {
        let documents = self.canonical_order();
        if documents
            .iter()
            .enumerate()
            .all(|(stored, at)| *at == stored)
        {
            return None;
        }
        let mut order = vec![0; documents.len()];
        for (stored, at) in documents.into_iter().enumerate() {
            order[at] = stored;
        }
        Some(order)
    }

    /// Returns the numbers of the types that occur, sorted by name.
    fn canonical_types(&self) -> Vec<u32> {
        let ids = (0..)
            .zip(self.cells())
            .filter(|(id, _)| self.total(*id) > 0);
        let mut types: Vec<u32> = ids
            .flat_map(|(_, cell)| [cell.gold, cell.pred])
            .flatten()
            .collect();
        types.sort_unstable_by_key(|&ty| self.type_name(ty));
        types.dedup();
        types
    }

    /// Returns the cells that occur, sorted. For sorting, types are numbered by `ranks`, the
    /// indices of the types in [`Counts::canonical_types`].
    fn canonical_cells(&self, ranks: &[u32]) -> Vec<CellId> {
        let mut order: Vec<CellId> = (0..self.cells().len() as CellId)
            .filter(|id| self.total(*id) > 0)
            .collect();
        order.sort_unstable_by_key(|&id| self.cells()[id as usize].renumbered(ranks));
        order
    }

    /// Returns the documents in an order that does not depend on the order of merging: sorted by
    /// key, then content.
    pub(super) fn canonical_order(&self) -> Vec<usize> {
        let contents = self.canonical_contents();
        let numbers = self.row_numbers().unwrap_or_default();
        let keys: Vec<&Key> = self.rows().map(|row| row.key).collect();
        let content = |at: usize| &contents[numbers[at] as usize];
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_unstable_by(|&a, &b| {
            let by_content = || content(a).cmp(content(b)).then(a.cmp(&b));
            keys[a].cmp(keys[b]).then_with(by_content)
        });
        order
    }

    /// Returns the cells and counts of [`Counts::distinct_rows`], with cells numbered and sorted as
    /// stored.
    fn canonical_contents(&self) -> Vec<Vec<(u32, u64)>> {
        let ranks = ranks(&self.canonical_cells(&ranks(&self.canonical_types())));
        let rows = self.distinct_rows().map(|(cells, n)| {
            let cells = cells.iter().map(|&cell| ranks[cell as usize]);
            let mut entries: Vec<_> = cells.zip(n.iter().copied()).collect();
            entries.sort_unstable();
            entries
        });
        rows.collect()
    }

    /// Reads the bytes that [`Counts::to_bytes`] returned for counts of `schema`.
    ///
    /// Untrusted bytes can be read: memory and time are proportional to their length, and only
    /// bytes that `to_bytes` could have written are accepted. Documents are sorted by key.
    ///
    /// # Errors
    /// [`CountsError::Version`] if the bytes are not counts or have another version;
    /// [`CountsError::Schema`] for counts of another matcher; [`CountsError::Damaged`] with the
    /// offset of anything that `to_bytes` would not write; [`CountsError::Overflow`] for totals
    /// above 2^62.
    pub fn from_bytes(bytes: &[u8], schema: &'static Schema) -> Result<Self> {
        if !bytes.starts_with(MAGIC) {
            return Err(CountsError::Version);
        }
        let mut input = Input {
            bytes,
            at: MAGIC.len(),
        };
        let name = input.text()?;
        if name != schema.name {
            return Err(CountsError::Schema {
                expected: schema.name.to_owned(),
                found: name.to_owned(),
            });
        }
        let names = input.types()?;
        let cells = input.cells(schema, names.len())?;
        let mut used = vec![false; names.len()];
        for ty in cells
            .iter()
            .flat_map(|cell| [cell.gold, cell.pred])
            .flatten()
        {
            used[ty as usize] = true;
        }
        input.check(used.iter().all(|used| *used), "a type without a cell")?;
        let by_document = match input.byte()? {
            0 => false,
            1 => true,
            _ => return input.damaged("neither totals nor documents"),
        };
        let mut counts = match by_document {
            false => Self::new(schema),
            true => Self::by_document(schema),
        };
        for name in names {
            counts.intern(name);
        }
        for cell in &cells {
            counts.cell(*cell);
        }
        let mut totals = vec![0_u64; cells.len()];
        if !by_document {
            for (id, total) in totals.iter_mut().enumerate() {
                *total = sum(0, input.positive()?).ok_or(CountsError::Overflow)?;
                counts.add(id as CellId, *total);
            }
        } else {
            input.rows(&mut counts, &mut totals)?;
        }
        input.check(input.at == bytes.len(), "bytes after the end of the counts")?;
        input.check(totals.iter().all(|n| *n > 0), "a cell without a document")?;
        Ok(counts)
    }
}

/// Returns the inverse of a list of distinct numbers: the index of each number. Numbers that are
/// not in the list get 0 and must not be looked up.
fn ranks(numbers: &[u32]) -> Vec<u32> {
    let length = numbers.iter().max().map_or(0, |most| *most as usize + 1);
    let mut ranks = vec![0; length];
    for (rank, number) in (0..).zip(numbers) {
        ranks[*number as usize] = rank;
    }
    ranks
}

/// Returns a type as it is stored: its index plus 1, or 0 for None.
fn number_of(ty: Option<u32>) -> u64 {
    ty.map_or(0, |ty| u64::from(ty) + 1)
}

/// Appends a number as LEB128: 7 bits a byte, lowest first, with the high bit set in all but the
/// last byte.
fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a string, preceded by its length in bytes.
fn put_text(out: &mut Vec<u8>, text: &str) {
    put(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Appends a key, preceded by its kind.
fn put_key(out: &mut Vec<u8>, key: &Key) {
    match key {
        Key::Number(number) => {
            out.push(0);
            put(out, *number);
        }
        Key::Name(name) => {
            out.push(1);
            put_text(out, name);
        }
    }
}

/// Reads stored counts from the front.
struct Input<'a> {
    /// All stored bytes.
    bytes: &'a [u8],
    /// Offset of the next byte.
    at: usize,
}

impl<'a> Input<'a> {
    /// Returns an error at the current offset.
    fn damaged<T>(&self, reason: &'static str) -> Result<T> {
        Err(CountsError::Damaged {
            at: self.at,
            reason,
        })
    }

    /// Returns an error at the current offset unless `holds` is true.
    fn check(&self, holds: bool, reason: &'static str) -> Result<()> {
        if holds { Ok(()) } else { self.damaged(reason) }
    }

    /// Reads one byte.
    fn byte(&mut self) -> Result<u8> {
        let Some(byte) = self.bytes.get(self.at) else {
            return self.damaged("the bytes end here");
        };
        self.at += 1;
        Ok(*byte)
    }

    /// Reads a LEB128 number. Refuses more than 64 bits, and more bytes than needed.
    fn number(&mut self) -> Result<u64> {
        let mut number = 0_u64;
        for shift in (0..).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            let fits = shift < 64 && bits << shift >> shift == bits;
            self.check(fits, "a number of more than 64 bits")?;
            number |= bits << shift;
            if byte < 0x80 {
                self.check(byte > 0 || shift == 0, "a number in more bytes than needed")?;
                break;
            }
        }
        Ok(number)
    }

    /// Reads a count, which is never 0.
    fn positive(&mut self) -> Result<u64> {
        let number = self.number()?;
        self.check(number > 0, "a count of 0")?;
        Ok(number)
    }

    /// Reads the number of items that follow. Each item has at least one byte, so numbers larger
    /// than the number of remaining bytes are refused.
    fn length(&mut self) -> Result<usize> {
        let number = self.number()?;
        let rest = self.bytes.len() - self.at;
        self.check(number <= rest as u64, "more items than bytes")?;
        Ok(number as usize)
    }

    /// Reads the types, which are ascending.
    fn types(&mut self) -> Result<Vec<&'a str>> {
        let mut names: Vec<&str> = Vec::new();
        for _ in 0..self.length()? {
            let name = self.text()?;
            self.check(
                names.last().is_none_or(|last| *last < name),
                "types are not ascending",
            )?;
            names.push(name);
        }
        Ok(names)
    }

    /// Reads a string.
    fn text(&mut self) -> Result<&'a str> {
        let length = self.length()?;
        let text = &self.bytes[self.at..self.at + length];
        let Ok(text) = std::str::from_utf8(text) else {
            return self.damaged("a name that is not UTF-8");
        };
        self.at += length;
        Ok(text)
    }

    /// Reads the cells; `types` is the number of types. Checks that cells are ascending and in the
    /// schema.
    fn cells(&mut self, schema: &Schema, types: usize) -> Result<Vec<Cell>> {
        let mut cells: Vec<Cell> = Vec::new();
        for _ in 0..self.length()? {
            let (criterion, outcome) = (self.byte()?, self.byte()?);
            let mut ty = || -> Result<Option<u32>> {
                let number = self.number()?;
                self.check(number <= types as u64, "a type that is not listed")?;
                Ok((number as u32).checked_sub(1))
            };
            let cell = Cell {
                criterion,
                outcome,
                gold: ty()?,
                pred: ty()?,
            };
            self.check(schema.contains(&cell), "an unknown outcome")?;
            self.check(
                cells.last().is_none_or(|last| *last < cell),
                "cells are not ascending",
            )?;
            cells.push(cell);
        }
        Ok(cells)
    }

    /// Reads the key of a document.
    fn key(&mut self) -> Result<Key> {
        match self.byte()? {
            0 => Ok(Key::Number(self.number()?)),
            1 => Ok(Key::Name(self.text()?.into())),
            _ => self.damaged("a key that is neither a number nor a name"),
        }
    }

    /// Reads the documents into `counts`, and adds their cells to `totals`.
    ///
    /// Checks that documents, and the cells in each document, are ascending, and that totals do not
    /// exceed 2^62.
    fn rows(&mut self, counts: &mut Counts, totals: &mut [u64]) -> Result<()> {
        let mut last: Option<(Key, Vec<(u32, u64)>)> = None;
        for _ in 0..self.length()? {
            let key = self.key()?;
            let mut entries: Vec<(u32, u64)> = Vec::new();
            for _ in 0..self.length()? {
                let cell = self.number()?;
                self.check(cell < totals.len() as u64, "a cell that is not listed")?;
                let cell = cell as u32;
                let ascends = entries.last().is_none_or(|(last, _)| *last < cell);
                self.check(ascends, "cells of a document are not ascending")?;
                let n = self.positive()?;
                let total = &mut totals[cell as usize];
                *total = sum(*total, n).ok_or(CountsError::Overflow)?;
                counts.add(cell, n);
                entries.push((cell, n));
            }
            let row = (key, entries);
            self.check(
                last.as_ref().is_none_or(|last| *last <= row),
                "documents are not ascending",
            )?;
            counts.end_document(row.0.clone());
            last = Some(row);
        }
        Ok(())
    }
}
