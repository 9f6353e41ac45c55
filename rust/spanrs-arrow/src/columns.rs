//! Columns split into sentences, with their tags as ids.
//!
//! A side is a list of chunks. A chunk stores the lengths of its lists and a *key* for each item of
//! the concatenated lists; a table maps keys to the reader's ids. The keys of integer and
//! dictionary columns are the values of the imported array, which are not copied unless there are
//! nulls; only strings require work per token.
//!
//! | column | keys | numbers |
//! |---|---|---|
//! | `[["B-PER", "O"], ["O"]]` | ids of the reader: 1 0 0 | 0 1 (identity) |
//! | the same, dictionary `O, B-PER` | indices: 1 0 0 | the reader's id of each value |
//! | `[[1, 0], [0]]`, vocabulary `O, B-PER` | integers: 1 0 0 | the reader's id of each name |
//!
//! Keys of any integer type are counted without conversion ([`IdSlice`]).
//!
//! The two sides may be cut into chunks differently; `Columns::each` walks both in parallel and
//! yields [`Run`]s of sentences that lie in a single chunk on each side:
//!
//! | | sentences |
//! |---|---|
//! | chunks of gold | 0 1 2, 3 4 |
//! | chunks of pred | 0 1, 2 3 4 |
//! | runs | 0 1, 2, 3 4 |

use arrow_array::array::{Array, ArrayRef};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{GenericListArray, OffsetSizeTrait, PrimitiveArray};
use arrow_schema::DataType;
use spanrs_base::Watch;
use spanrs_eval::input::{
    DocumentEnds, Id, IdBatch, IdSlice, InputError, NULL, Sentences, numbering,
};
use spanrs_eval::{Scorer, Side};
use spanrs_tags::{Evidence, Reader};

use crate::error::ColumnError;
use crate::strings::{Known, StringIds, intern_strings, strings};

/// Result type with the error of this module.
type Result<T, E = ColumnError> = std::result::Result<T, E>;

/// Keys of the tags of a chunk, in the integer type of the column.
enum Keys {
    /// Integers or dictionary indices, without nulls; likewise the next seven variants.
    I8(PrimitiveArray<Int8Type>),
    I16(PrimitiveArray<Int16Type>),
    I32(PrimitiveArray<Int32Type>),
    I64(PrimitiveArray<Int64Type>),
    U8(PrimitiveArray<UInt8Type>),
    U16(PrimitiveArray<UInt16Type>),
    U32(PrimitiveArray<UInt32Type>),
    U64(PrimitiveArray<UInt64Type>),
    /// Integers or dictionary indices of a column with nulls; nulls are replaced by
    /// [`Origin::null`].
    Copied(Vec<i64>),
    /// Ids of strings.
    Names(StringIds),
}

impl Keys {
    /// Returns the keys as a slice of ids.
    fn ids(&self) -> IdSlice<'_> {
        match self {
            Self::I8(keys) => IdSlice::I8(keys.values()),
            Self::I16(keys) => IdSlice::I16(keys.values()),
            Self::I32(keys) => IdSlice::I32(keys.values()),
            Self::I64(keys) => IdSlice::I64(keys.values()),
            Self::U8(keys) => IdSlice::U8(keys.values()),
            Self::U16(keys) => IdSlice::U16(keys.values()),
            Self::U32(keys) => IdSlice::U32(keys.values()),
            Self::U64(keys) => IdSlice::U64(keys.values()),
            Self::Copied(keys) => IdSlice::I64(keys),
            Self::Names(StringIds::Few(keys)) => IdSlice::U8(keys),
            Self::Names(StringIds::Many(keys)) => IdSlice::I32(keys),
        }
    }
}

/// The sentences of one chunk of a column.
struct Chunk {
    /// Number of tokens of each sentence.
    lengths: Vec<i64>,
    /// The items from the start of the first list to the end of the last. Kept for comparison with
    /// the strings of the other side.
    tags: ArrayRef,
    /// A key for each item.
    keys: Keys,
    /// The reader's id of each key; keys outside of this table are unknown ids.
    numbers: Vec<u32>,
}

/// The chunks of one side, in order.
struct Column(Vec<Chunk>);

/// Properties of a side that do not depend on its chunks.
struct Origin<'a> {
    /// `gold` or `pred`, for messages.
    side: &'static str,
    /// The reader's id of each integer, from the vocabulary; None without a vocabulary, in which
    /// case integer columns are rejected.
    numbers: Option<&'a [u32]>,
    /// Replacement for nulls: the ignored id in gold, [`NULL`] in pred.
    null: i64,
}

impl Column {
    /// Cuts the chunks of a side into sentences and interns their tags. `other` is the other side,
    /// if that has already been cut; most strings equal the string at the same position of `other`
    /// and need no lookup.
    ///
    /// # Errors
    /// [`ColumnError::Type`] for types that do not contain tags; [`ColumnError::Input`] for a null
    /// list, with its index in the whole column, and for too many tags.
    fn new(
        arrays: &[ArrayRef],
        other: Option<&Self>,
        origin: &Origin<'_>,
        reader: &mut Reader,
    ) -> Result<Self> {
        let mut chunks = Vec::with_capacity(arrays.len());
        let mut row = 0;
        for (number, array) in arrays.iter().enumerate() {
            let (lengths, tags) = sentences(array, origin, row)?;
            let other = other.and_then(|other| other.0.get(number));
            let known = other.and_then(|chunk| match &chunk.keys {
                Keys::Names(ids) => Some((&chunk.tags, ids)),
                _ => None,
            });
            let (keys, numbers) = keys(&tags, known, origin, reader)?;
            row += lengths.len();
            chunks.push(Chunk {
                lengths,
                tags,
                keys,
                numbers,
            });
        }
        Ok(Self(chunks))
    }

    /// Number of sentences in all chunks.
    fn rows(&self) -> usize {
        self.0.iter().map(|chunk| chunk.lengths.len()).sum()
    }

    /// Number of tokens of each sentence, over all chunks.
    fn lengths(&self) -> impl Iterator<Item = i64> {
        self.0
            .iter()
            .flat_map(|chunk| chunk.lengths.iter().copied())
    }
}

/// Returns the lengths of the lists of a chunk, and the items from the start of the first list to
/// the end of the last. `row` is the number of sentences in earlier chunks, for messages.
fn sentences(array: &ArrayRef, origin: &Origin<'_>, row: usize) -> Result<(Vec<i64>, ArrayRef)> {
    let found = match array.data_type() {
        DataType::List(_) => Ok(lists(array.as_list::<i32>())),
        DataType::LargeList(_) => Ok(lists(array.as_list::<i64>())),
        DataType::FixedSizeList(_, size) => {
            let lists = array.as_fixed_size_list();
            let begin = lists.value_offset_at(0);
            let values = lists.values().slice(begin, lists.len() * *size as usize);
            Ok((vec![i64::from(*size); lists.len()], values))
        }
        other => Err(ColumnError::Type(format!(
            "{} is an Arrow column of {other}; it must be a list column, one list of tags per sentence",
            origin.side
        ))),
    };
    if array.null_count() > 0
        && let Some(null) = (0..array.len()).find(|&at| array.is_null(at))
    {
        return Err(InputError::Shape {
            message: format!("sentence {} of {} is null", row + null, origin.side),
            sentence: Some(row + null),
        }
        .into());
    }
    found
}

/// Returns true for a column whose list items are integers (not dictionary indices).
fn holds_integers(array: &ArrayRef) -> bool {
    match array.data_type() {
        DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _) => {
            field.data_type().is_integer()
        }
        _ => false,
    }
}

/// Returns the lengths of the lists and their items. In a slice of an array, the offsets do not
/// start at 0.
fn lists<O: OffsetSizeTrait>(lists: &GenericListArray<O>) -> (Vec<i64>, ArrayRef) {
    let offsets = lists.value_offsets();
    let lengths = offsets
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).as_usize() as i64)
        .collect();
    let (first, last) = match offsets {
        [first, .., last] => (first.as_usize(), last.as_usize()),
        _ => (0, 0),
    };
    (lengths, lists.values().slice(first, last - first))
}

/// Returns the keys of tags, and the reader's id of each key. `known` contains the strings at the
/// same positions of the other side.
///
/// # Errors
/// [`ColumnError::Type`] for integers without a vocabulary and for other types;
/// [`ColumnError::Input`] for too many tags.
fn keys(
    tags: &ArrayRef,
    known: Option<Known<'_>>,
    origin: &Origin<'_>,
    reader: &mut Reader,
) -> Result<(Keys, Vec<u32>)> {
    let integers = || {
        origin.numbers.map(<[u32]>::to_vec).ok_or_else(|| {
            ColumnError::Type(format!(
                "{} is an Arrow column of integers; pass vocabulary=",
                origin.side
            ))
        })
    };
    macro_rules! primitive {
        ($variant:ident, $kind:ty) => {
            Ok((
                plain(tags.as_primitive::<$kind>(), origin, Keys::$variant),
                integers()?,
            ))
        };
    }
    macro_rules! dictionary {
        ($variant:ident, $kind:ty) => {
            dictionary_keys::<$kind>(tags, origin, reader, Keys::$variant)
        };
    }
    match tags.data_type() {
        DataType::Int8 => primitive!(I8, Int8Type),
        DataType::Int16 => primitive!(I16, Int16Type),
        DataType::Int32 => primitive!(I32, Int32Type),
        DataType::Int64 => primitive!(I64, Int64Type),
        DataType::UInt8 => primitive!(U8, UInt8Type),
        DataType::UInt16 => primitive!(U16, UInt16Type),
        DataType::UInt32 => primitive!(U32, UInt32Type),
        DataType::UInt64 => primitive!(U64, UInt64Type),
        DataType::Dictionary(key, _) => match **key {
            DataType::Int8 => dictionary!(I8, Int8Type),
            DataType::Int16 => dictionary!(I16, Int16Type),
            DataType::Int32 => dictionary!(I32, Int32Type),
            DataType::Int64 => dictionary!(I64, Int64Type),
            DataType::UInt8 => dictionary!(U8, UInt8Type),
            DataType::UInt16 => dictionary!(U16, UInt16Type),
            DataType::UInt32 => dictionary!(U32, UInt32Type),
            _ => dictionary!(U64, UInt64Type),
        },
        DataType::Null => Ok((Keys::Copied(vec![origin.null; tags.len()]), Vec::new())),
        _ => {
            let ids = intern_strings(tags, known, origin.side, reader)?;
            Ok((Keys::Names(ids), (0..reader.tags().len() as u32).collect()))
        }
    }
}

/// Returns keys that share memory with the column if there are no nulls, otherwise a copy in which
/// nulls are replaced by [`Origin::null`].
fn plain<T: ArrowPrimitiveType<Native: Id>>(
    keys: &PrimitiveArray<T>,
    origin: &Origin<'_>,
    variant: impl Fn(PrimitiveArray<T>) -> Keys,
) -> Keys {
    if keys.null_count() == 0 {
        return variant(keys.clone());
    }
    Keys::Copied(
        keys.iter()
            .map(|key| key.map_or(origin.null, Id::value))
            .collect(),
    )
}

/// Returns the keys into a dictionary of tags. If the dictionary itself contains nulls, keys that
/// refer to these are treated as nulls. All values are interned once per chunk, even unused ones.
fn dictionary_keys<T: ArrowDictionaryKeyType<Native: Id>>(
    tags: &ArrayRef,
    origin: &Origin<'_>,
    reader: &mut Reader,
    variant: impl Fn(PrimitiveArray<T>) -> Keys,
) -> Result<(Keys, Vec<u32>)> {
    let tags = tags.as_dictionary::<T>();
    let names: Vec<_> = strings(tags.values(), origin.side)?.collect();
    let mut numbers = Vec::with_capacity(names.len());
    for name in &names {
        numbers.push(name.map_or(Ok(0), |name| reader.intern(name))?);
    }
    if tags.values().null_count() == 0 {
        return Ok((plain(tags.keys(), origin, variant), numbers));
    }
    let index = |key: i64| usize::try_from(key as u64).unwrap_or(usize::MAX);
    let name = |key: i64| names.get(index(key)).copied().flatten();
    let keys = tags.keys().iter().map(|key| {
        key.map(Id::value)
            .filter(|&key| name(key).is_some())
            .unwrap_or(origin.null)
    });
    Ok((Keys::Copied(keys.collect()), numbers))
}

/// Gold and pred as columns whose sentences have been checked to have the same lengths. Immutable
/// after [`Columns::new`].
///
/// # Examples
///
/// Integers with a vocabulary; tokens with -100 in gold are skipped:
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, ListArray, types::Int64Type};
/// use spanrs_arrow::Columns;
/// use spanrs_tags::{Dialect, Reader, Reading, Scheme};
/// let column = |ids: &[i64]| -> ArrayRef {
///     let sentence = Some(ids.iter().copied().map(Some));
///     Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>([sentence]))
/// };
/// let names = ["O", "B-PER"].map(str::to_owned);
/// let mut reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
/// let (gold, pred) = ([column(&[1, 0, -100])], [column(&[1, 1, 7])]);
/// let columns = Columns::new((&gold, &pred), Some(&names), -100, &mut reader).unwrap();
/// assert_eq!(columns.rows(), 1);
/// let missing = Columns::new((&gold, &pred), None, -100, &mut reader);
/// assert!(missing.is_err(), "integers need a vocabulary");
/// ```
pub struct Columns {
    /// The gold side.
    gold: Column,
    /// The pred side, with sentences of the same lengths.
    pred: Column,
    /// Tokens with this gold key are skipped; [`NULL`] unless gold contains integers.
    ignore: i64,
}

impl Columns {
    /// Interns the tags of both sides, each given as the chunks of a column.
    ///
    /// Integers are ids of `vocabulary`. A token is skipped if gold is null or, for integer
    /// columns, equal to `ignore`; for all other tokens pred must have a tag, which
    /// [`Columns::count`] checks.
    ///
    /// # Errors
    /// [`ColumnError::Type`] if a column does not contain lists of tags, or contains integers and
    /// there is no vocabulary; [`ColumnError::Input`] if a list is null, if the sides differ in the
    /// number of sentences or in the length of a sentence (the first is reported), or if there are
    /// too many tags.
    pub fn new(
        (gold, pred): (&[ArrayRef], &[ArrayRef]),
        vocabulary: Option<&[String]>,
        ignore: i64,
        reader: &mut Reader,
    ) -> Result<Self> {
        let numbers = vocabulary
            .map(|names| numbering(names, reader))
            .transpose()?;
        // Strings have no id that could be ignored; only nulls are ignored.
        let ignore = if gold.iter().any(holds_integers) {
            ignore
        } else {
            NULL
        };
        let origin = |side, null| Origin {
            side,
            numbers: numbers.as_deref(),
            null,
        };
        let gold = Column::new(gold, None, &origin("gold", ignore), reader)?;
        let pred = Column::new(pred, Some(&gold), &origin("pred", NULL), reader)?;
        let (g, p) = (gold.rows(), pred.rows());
        if g != p {
            return Err(InputError::Shape {
                message: format!("gold has {g} sentences, pred has {p}"),
                sentence: None,
            }
            .into());
        }
        let lengths = gold.lengths().zip(pred.lengths());
        if let Some((at, (g, p))) = lengths.enumerate().find(|(_, (g, p))| g != p) {
            return Err(InputError::Shape {
                message: format!("sentence {at}: gold has {g} tags, pred has {p}"),
                sentence: Some(at),
            }
            .into());
        }
        Ok(Self { gold, pred, ignore })
    }

    /// Collects scheme evidence from about the first `most` tokens of one side, in whole sentences.
    /// Returns the evidence and whether it covers all tokens.
    ///
    /// # Errors
    /// [`InputError::UnknownId`] for a key without a tag, on either side.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Arc;
    /// use arrow_array::{ArrayRef, builder::{ListBuilder, StringBuilder}};
    /// use spanrs_eval::Side;
    /// use spanrs_tags::{Dialect, Reader, Reading, Scheme};
    /// let mut lists = ListBuilder::new(StringBuilder::new());
    /// lists.append_value(["I-PER", "O"].map(Some));
    /// let column: [ArrayRef; 1] = [Arc::new(lists.finish())];
    /// let mut reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
    /// let columns = spanrs_arrow::Columns::new((&column, &column), None, -100, &mut reader).unwrap();
    /// let (evidence, is_all) = columns.evidence(Side::Gold, 1000).unwrap();
    /// assert!(is_all);
    /// let malformed = |scheme| evidence.check(reader.tags(), scheme, &Dialect::default()).0;
    /// assert_eq!([Scheme::Bio, Scheme::Iob].map(malformed), [1, 0], "BIO has no I-PER after O");
    /// ```
    pub fn evidence(&self, side: Side, most: u64) -> Result<(Evidence, bool)> {
        let mut all = Evidence::default();
        let mut tokens = 0;
        let mut whole = true;
        self.each(|sides| {
            if tokens >= most {
                whole = false;
                return Ok(());
            }
            let batch = sides.batch(self.ignore);
            whole &= batch.evidence(side, most - tokens, &mut all)?;
            tokens += sides.tokens() as u64;
            Ok(())
        })?;
        Ok((all, whole))
    }

    /// Number of sentences, the same on both sides.
    pub fn rows(&self) -> usize {
        self.gold.rows()
    }

    /// Counts all sentences with up to `threads` threads, which share the sentences of a run;
    /// `watch` is called at intervals in the calling thread only. With `documents` (ends of the
    /// documents, counted in sentences), counts are kept per document.
    ///
    /// # Errors
    /// [`InputError::UnknownId`] for the first key without a tag, including a missing tag in pred;
    /// [`InputError::Interrupted`] if the watch requests a stop. In both cases the scorer may
    /// already have counted earlier sentences.
    pub fn count(
        &self,
        reader: &Reader,
        scorer: &mut Scorer,
        (threads, watch): (usize, Watch),
        documents: Option<&DocumentEnds>,
    ) -> Result<()> {
        self.each(|sides| {
            let batch = IdBatch {
                documents,
                watch,
                ..sides.batch(self.ignore)
            };
            Ok(batch.count(reader, scorer, threads)?)
        })
    }

    /// Calls `run` with each run of sentences that lies in a single chunk on each side, in order.
    /// Chunks without sentences are skipped.
    fn each(&self, mut run: impl FnMut(Run<'_>) -> Result<()>) -> Result<()> {
        let (mut golds, mut preds) = (self.gold.0.iter(), self.pred.0.iter());
        let (mut gold, mut pred) = (golds.next(), preds.next());
        // Numbers of sentences and tokens of the current chunk that have been processed, per side.
        let (mut g, mut p) = ((0, 0), (0, 0));
        let mut first = 0;
        while let (Some(gold_chunk), Some(pred_chunk)) = (gold, pred) {
            let rows = (gold_chunk.lengths.len() - g.0).min(pred_chunk.lengths.len() - p.0);
            let sides = Run {
                gold: gold_chunk,
                pred: pred_chunk,
                gold_token: g.1,
                pred_token: p.1,
                lengths: &gold_chunk.lengths[g.0..g.0 + rows],
                first,
            };
            let tokens = sides.tokens();
            if rows > 0 {
                run(sides)?;
            }
            first += rows;
            g = (g.0 + rows, g.1 + tokens);
            p = (p.0 + rows, p.1 + tokens);
            if g.0 == gold_chunk.lengths.len() {
                (gold, g) = (golds.next(), (0, 0));
            }
            if p.0 == pred_chunk.lengths.len() {
                (pred, p) = (preds.next(), (0, 0));
            }
        }
        Ok(())
    }
}

/// A maximal run of sentences that lies in a single chunk on each side.
struct Run<'a> {
    /// The chunk of gold.
    gold: &'a Chunk,
    /// The chunk of pred.
    pred: &'a Chunk,
    /// Index of the first token in the keys of `gold`.
    gold_token: usize,
    /// Index of the first token in the keys of `pred`.
    pred_token: usize,
    /// Lengths of the sentences, the same on both sides.
    lengths: &'a [i64],
    /// Number of sentences before this run.
    first: usize,
}

impl Run<'_> {
    /// Number of tokens in the run.
    fn tokens(&self) -> usize {
        self.lengths.iter().sum::<i64>() as usize
    }

    /// Returns the run as a batch of ids, without documents and with a watch that never stops.
    fn batch(&self, ignore: i64) -> IdBatch<'_> {
        let tokens = self.tokens();
        let [gold, pred] = [(self.gold, self.gold_token), (self.pred, self.pred_token)]
            .map(|(chunk, start)| chunk.keys.ids().range(start..start + tokens));
        IdBatch {
            gold,
            pred,
            cut: Sentences::Lengths(self.lengths),
            gold_numbers: &self.gold.numbers,
            pred_numbers: &self.pred.numbers,
            ignore,
            first: self.first,
            nulls: true,
            documents: None,
            watch: || false,
        }
    }
}
