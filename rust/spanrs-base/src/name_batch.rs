//! Names that are looked up together.

use crate::interner::hash;
use crate::jagged::Ends;

/// Names in one buffer, with their hashes: the argument of [`Interner::get_all`] and
/// [`Interner::intern_all`].
///
/// A name is written piece by piece to the end of the text, so no string is allocated for it. A
/// cleared batch keeps its memory.
///
/// [`Interner::get_all`]: crate::Interner::get_all
/// [`Interner::intern_all`]: crate::Interner::intern_all
///
/// # Examples
///
/// ```
/// let mut names = spanrs_base::NameBatch::default();
/// for word in ["Ada", "wrote"] {
///     names.text_mut().push_str("word:");
///     names.text_mut().push_str(word);
///     names.end();
/// }
/// assert_eq!(names.names().collect::<Vec<_>>(), ["word:Ada", "word:wrote"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct NameBatch {
    /// The names, concatenated without separators, followed by the open name.
    text: String,
    /// Ends of the names in `text`.
    ends: Ends,
    /// Hash of each name.
    hashes: Vec<u64>,
}

impl NameBatch {
    /// Reserves capacity for at least `names` more names of 16 bytes each.
    pub fn reserve(&mut self, names: usize) {
        self.text.reserve(16 * names);
        self.ends.reserve(names);
        self.hashes.reserve(names);
    }

    /// Returns the text, so that pieces can be appended to the open name. The text of ended names
    /// must not be changed.
    #[inline]
    pub fn text_mut(&mut self) -> &mut String {
        &mut self.text
    }

    /// Returns the open name: the text after the last ended name.
    #[inline]
    pub fn open(&self) -> &str {
        &self.text[self.ends.total()..]
    }

    /// Removes the open name and returns it.
    pub fn take_open(&mut self) -> String {
        self.text.split_off(self.ends.total())
    }

    /// Ends the open name, which may be empty.
    #[inline]
    pub fn end(&mut self) {
        self.hashes.push(hash(self.open().as_bytes()));
        self.ends.push(self.text.len());
    }

    /// Returns the number of ended names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether no name has ended.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns a name.
    ///
    /// # Panics
    /// If `at` is not less than [`NameBatch::len`].
    #[inline]
    pub fn name(&self, at: usize) -> &str {
        &self.text[self.ends.range(at)]
    }

    /// Returns the first ended name that contains a character.
    pub fn find_containing(&self, character: char) -> Option<&str> {
        // One search of the whole text, because hardly any batch has such a name.
        let at = self.text.find(character)?;
        let row = self.ends.row_of(at);
        (row < self.len()).then(|| self.name(row))
    }

    /// Iterates over the ended names.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.ends.ranges().map(|range| &self.text[range])
    }

    /// Returns the hashes of the ended names.
    pub(crate) fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Removes all names, including the open name, but keeps the allocated memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.hashes.clear();
    }
}
