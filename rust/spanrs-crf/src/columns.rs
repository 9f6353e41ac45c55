//! Column-oriented input: the strings of tokens, from which a template computes attributes.
//!
//! All strings are concatenated in one buffer, so a corpus takes the bytes of its strings plus 8
//! bytes per value, in three allocations. Values are appended token by token (`value`, `value`, …,
//! `end_token`, …, `end`), in the order of a file of tab-separated columns, and read back column by
//! column, as [`crate::Extractor`] expects.

use spanrs_base::Ends;

use crate::error::{Error, Result};

/// Sequences of tokens that have a string for each column.
///
/// All tokens of a sequence have the same number of columns, at least 1; different sequences may
/// have different numbers.
///
/// ```
/// let mut columns = spanrs_crf::Columns::default();
/// for token in [["Ada", "NNP"], ["wrote", "VBD"]] {
///     token.iter().for_each(|value| columns.value(value));
///     columns.end_token().unwrap();
/// }
/// columns.end();
/// assert_eq!(columns.columns(0), [["Ada", "wrote"], ["NNP", "VBD"]]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// All values, one after the other without separators.
    text: String,
    /// Byte range of each value in `text`, by sequence, token and column.
    values: Ends,
    /// Range of the values of each ended sequence.
    sequences: Ends,
    /// Number of columns of each ended sequence; 0 if it has no tokens.
    widths: Vec<usize>,
    /// Number of ended tokens of the current sequence, and number of columns of the last ended
    /// token.
    open: (usize, usize),
    /// Number of values up to the end of the last token; later values belong to the current token.
    ended: usize,
}

impl Columns {
    /// Sentences of tokens, the only column.
    ///
    /// ```
    /// let columns = spanrs_crf::Columns::of_tokens([vec!["Ada", "wrote"], vec!["Hi"]]);
    /// assert_eq!(columns.columns(0), [["Ada", "wrote"]]);
    /// ```
    pub fn of_tokens<T: AsRef<[S]>, S: AsRef<str>>(sentences: impl IntoIterator<Item = T>) -> Self {
        let mut columns = Self::default();
        for tokens in sentences {
            for token in tokens.as_ref() {
                columns.value(token.as_ref());
                // Every token has one value.
                let ended = columns.end_token();
                debug_assert!(ended.is_ok());
            }
            columns.end();
        }
        columns
    }

    /// Appends the string of the next column of the current token. The string may be empty.
    pub fn value(&mut self, value: &str) {
        self.text.push_str(value);
        self.values.push(self.text.len());
    }

    /// Ends the current token. Call it after the values of a token, and before [`Columns::end`].
    ///
    /// # Errors
    /// [`Error::NoColumns`] if no value was added since the last token, [`Error::Width`] if the
    /// previous token has a different number of columns. The values of the rejected token remain,
    /// so the object should be discarded.
    pub fn end_token(&mut self) -> Result<()> {
        let (token, before) = self.open;
        let columns = self.values.len() - self.ended;
        if columns == 0 {
            return Err(Error::NoColumns { token });
        }
        if token > 0 && columns != before {
            return Err(Error::Width {
                token,
                columns,
                before,
            });
        }
        self.open = (token + 1, columns);
        self.ended = self.values.len();
        Ok(())
    }

    /// Ends the current sequence, which may have no tokens. The last token must have been ended.
    pub fn end(&mut self) {
        let (_, width) = std::mem::take(&mut self.open);
        self.sequences.push(self.values.len());
        self.widths.push(width);
    }

    /// Appends a sequence of tokens, each with the strings of its columns.
    ///
    /// # Errors
    /// Same as [`Columns::end_token`].
    ///
    /// # Examples
    /// ```
    /// let mut columns = spanrs_crf::Columns::default();
    /// columns.push([["Ada", "NNP"], ["wrote", "VBD"]]).unwrap();
    /// assert_eq!(columns.columns(0), [["Ada", "wrote"], ["NNP", "VBD"]]);
    /// ```
    pub fn push<T: AsRef<[S]>, S: AsRef<str>>(
        &mut self,
        tokens: impl IntoIterator<Item = T>,
    ) -> Result<()> {
        for token in tokens {
            token
                .as_ref()
                .iter()
                .for_each(|value| self.value(value.as_ref()));
            self.end_token()?;
        }
        self.end();
        Ok(())
    }

    /// Number of ended sequences.
    pub fn len(&self) -> usize {
        self.sequences.len()
    }

    /// True if no sequence has been ended.
    pub fn is_empty(&self) -> bool {
        self.sequences.is_empty()
    }

    /// Number of tokens of a sequence.
    ///
    /// # Panics
    /// If `at` is not below [`Columns::len`].
    pub fn tokens(&self, at: usize) -> usize {
        let values = self.sequences.range(at).len();
        values.checked_div(self.widths[at]).unwrap_or_default()
    }

    /// The values of a sequence as `columns[column][token]`; no columns if the sequence has no
    /// tokens.
    ///
    /// Takes time and memory proportional to the number of values; strings are not copied.
    ///
    /// # Panics
    /// If `at` is not below [`Columns::len`].
    pub fn columns(&self, at: usize) -> Vec<Vec<&str>> {
        let (values, width) = (self.sequences.range(at), self.widths[at]);
        let value = |value| &self.text[self.values.range(value)];
        let column = |column| {
            let values = (values.start + column..values.end).step_by(width.max(1));
            values.map(value).collect()
        };
        (0..width).map(column).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_may_have_another_number_of_columns_than_the_one_before() {
        let mut columns = Columns::default();
        columns.value("a");
        columns.end_token().unwrap();
        columns.end();
        columns.end();
        for token in [["b", "c"], ["d", "e"]] {
            token.iter().for_each(|value| columns.value(value));
            columns.end_token().unwrap();
        }
        columns.end();
        assert_eq!(columns.len(), 3);
        assert_eq!(columns.columns(0), [["a"]]);
        assert!(columns.columns(1).is_empty());
        assert_eq!(columns.columns(2), [["b", "d"], ["c", "e"]]);
    }

    #[test]
    fn tokens_need_as_many_columns_as_the_one_before() {
        let mut columns = Columns::default();
        assert_eq!(columns.end_token(), Err(Error::NoColumns { token: 0 }));
        columns.value("a");
        columns.end_token().unwrap();
        columns.value("b");
        columns.value("c");
        let error = columns.end_token().unwrap_err();
        assert_eq!(
            error.to_string(),
            "token 1 has 2 columns, the previous token has 1"
        );
    }
}
