//! Sentence boundaries in a flat array of ids.

use std::ops::Range;

use super::InputError;

/// The sentence boundaries in a flat array of ids.
///
/// # Examples
///
/// ```
/// use spanrs_eval::input::Sentences;
/// let by_length = Sentences::with_lengths(&[2, 0, 3], 5).unwrap();
/// assert_eq!(by_length.ranges().collect::<Vec<_>>(), [0..2, 2..2, 2..5]);
/// assert!(Sentences::with_lengths(&[2, 2], 5).is_err());
/// let rows: Sentences<'_, i64> = Sentences::Equal(3, 2);
/// assert_eq!(rows.ranges().last(), Some(4..6));
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Sentences<'a, L = usize> {
    /// Sentences of equal length, as in a matrix: (number of sentences, tokens in each).
    Equal(usize, usize),
    /// Sentences of the given lengths, one after the other.
    Lengths(&'a [L]),
}

impl<L: Copy + TryInto<usize>> Sentences<'_, L> {
    /// Iterates over the range of each sentence in the array. Negative lengths count as 0.
    pub fn ranges(self) -> impl Iterator<Item = Range<usize>> {
        self.ranges_of(0..self.len())
    }

    /// Iterates over the ranges of some sentences. Finding the first one is linear in its index.
    pub fn ranges_of(self, sentences: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let mut start = self.start(sentences.start);
        sentences.map(move |at| {
            let begin = start;
            start += self.length(at);
            begin..start
        })
    }

    /// Refuses sentences of more than `u32::MAX` tokens, whose positions could not be represented.
    ///
    /// # Errors
    /// [`InputError::Shape`] with the first such sentence.
    pub fn check(self) -> Result<(), InputError> {
        let kinds = match self {
            Self::Equal(count, _) => count.min(1),
            Self::Lengths(lengths) => lengths.len(),
        };
        let all = (0..kinds).fold(0, |all, at| all | self.length(at));
        if u32::try_from(all).is_ok() {
            return Ok(());
        }
        let long = (0..kinds).find(|&at| u32::try_from(self.length(at)).is_err());
        long.map_or(Ok(()), |at| {
            Err(InputError::Shape {
                message: format!(
                    "sentence {at} has {} tokens; the maximum is {}; split it with lengths=",
                    self.length(at),
                    u32::MAX
                ),
                sentence: Some(at),
            })
        })
    }

    /// Returns the position in the array where a sentence begins; linear in `sentence`.
    pub fn start(self, sentence: usize) -> usize {
        (0..sentence).map(|at| self.length(at)).sum()
    }

    /// Replaces `lengths` by the lengths of the first sentences of a range, until there are
    /// `most` sentences or at least `most` tokens; returns the number of tokens.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_eval::input::Sentences;
    /// let sentences = Sentences::Lengths(&[3, 3, 3, 3]);
    /// let mut lengths = Vec::new();
    /// assert_eq!(sentences.run(1..4, 5, &mut lengths), 6);
    /// assert_eq!(lengths, [3, 3]);
    /// ```
    #[inline]
    pub fn run(self, sentences: Range<usize>, most: usize, lengths: &mut Vec<u32>) -> usize {
        let (mut tokens, mut end) = (0, sentences.start);
        let last = sentences.end.min(end.saturating_add(most));
        while end < last && tokens < most {
            tokens += self.length(end);
            end += 1;
        }
        lengths.clear();
        lengths.extend((sentences.start..end).map(|at| self.length(at) as u32));
        tokens
    }

    /// Returns whether there are no sentences.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the number of sentences.
    pub fn len(self) -> usize {
        match self {
            Self::Equal(count, _) => count,
            Self::Lengths(lengths) => lengths.len(),
        }
    }

    /// Returns the number of tokens of a sentence.
    #[inline(always)]
    fn length(self, at: usize) -> usize {
        match self {
            Self::Equal(_, tokens) => tokens,
            Self::Lengths(lengths) => lengths[at].try_into().unwrap_or(0),
        }
    }

    /// Splits the sentences into at most `parts` ranges of about equal numbers of tokens, for
    /// threads. The number of parts is reduced so that parts have at least `worth` tokens on
    /// average; `worth` is greater than 0.
    ///
    /// Always returns at least one range, and the ranges cover all sentences in order. With uneven
    /// lengths, some ranges may be shorter than `worth`.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_eval::input::Sentences;
    /// let sentences = Sentences::Lengths(&[5, 5, 10]);
    /// assert_eq!(sentences.split(2, 1), [0..2, 2..3]);
    /// assert_eq!(sentences.split(2, 15), [0..3], "not worth two threads");
    /// ```
    pub fn split(self, parts: usize, worth: usize) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        if parts <= 1 {
            ranges.push(0..self.len());
            return ranges;
        }
        let tokens: usize = (0..self.len()).map(|at| self.length(at)).sum();
        let parts = parts.min(tokens / worth).max(1);
        let (mut begin, mut behind) = (0, 0);
        for at in 0..self.len() {
            if ranges.len() + 1 == parts {
                break;
            }
            behind += self.length(at);
            if behind * parts >= tokens * (ranges.len() + 1) {
                ranges.push(begin..at + 1);
                begin = at + 1;
            }
        }
        ranges.push(begin..self.len());
        ranges
    }
}

impl<'a> Sentences<'a, i64> {
    /// Creates the sentences of two arrays of ids, whose shapes are given as (sentences, tokens in
    /// each).
    ///
    /// `lengths` splits one-dimensional arrays, whose shape is (1, tokens); without `lengths`,
    /// every row is a sentence.
    ///
    /// # Errors
    /// [`InputError::Shape`] if the shapes differ, `lengths` is given for several rows or does not
    /// match the arrays ([`Sentences::with_lengths`]), or a sentence is too long
    /// ([`Sentences::check`]).
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_eval::input::Sentences;
    /// assert_eq!(Sentences::of_arrays((2, 3), (2, 3), None).unwrap().len(), 2);
    /// assert_eq!(Sentences::of_arrays((1, 6), (1, 6), Some(&[1, 2, 3])).unwrap().len(), 3);
    /// assert!(Sentences::of_arrays((2, 3), (3, 2), None).is_err());
    /// assert!(Sentences::of_arrays((2, 3), (2, 3), Some(&[6])).is_err());
    /// ```
    pub fn of_arrays(
        gold: (usize, usize),
        pred: (usize, usize),
        lengths: Option<&'a [i64]>,
    ) -> Result<Self, InputError> {
        let refuse = |message| {
            Err(InputError::Shape {
                message,
                sentence: None,
            })
        };
        let (sentences, tokens) = gold;
        if gold != pred {
            let (n, m) = pred;
            return refuse(format!(
                "gold is {sentences} by {tokens} (sentences by tokens), pred {n} by {m}"
            ));
        }
        let cut = match lengths {
            None => Self::Equal(sentences, tokens),
            Some(_) if sentences != 1 => {
                return refuse("lengths require one-dimensional arrays".to_owned());
            }
            Some(lengths) => Self::with_lengths(lengths, tokens)?,
        };
        cut.check()?;
        Ok(cut)
    }

    /// Creates sentences of the given lengths for an array of `ids` ids.
    ///
    /// # Errors
    /// [`InputError::Shape`] for a negative length (with its sentence), or if the lengths do not
    /// add up to `ids`.
    pub fn with_lengths(lengths: &'a [i64], ids: usize) -> Result<Self, InputError> {
        // The union has the high bits of all lengths, so it is negative if any length is.
        let all = lengths.iter().fold(0, |all, &length| all | length);
        if all < 0
            && let Some(at) = lengths.iter().position(|&length| length < 0)
        {
            return Err(InputError::Shape {
                message: format!(
                    "sentence {at} has length {}; lengths are 0 or more",
                    lengths[at]
                ),
                sentence: Some(at),
            });
        }
        let sum = if all <= i64::from(u32::MAX) {
            // The sum of these lengths fits i64.
            i128::from(lengths.iter().sum::<i64>())
        } else {
            lengths.iter().map(|&length| i128::from(length)).sum()
        };
        if sum != ids as i128 {
            return Err(InputError::Shape {
                message: format!("lengths add up to {sum}, but there are {ids} ids on each side"),
                sentence: None,
            });
        }
        Ok(Self::Lengths(lengths))
    }
}
