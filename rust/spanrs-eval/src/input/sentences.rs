use std::ops::Range;

use super::InputError;

/// Where sentences begin and end in a flat run of ids.
#[derive(Clone, Copy, Debug)]
pub enum Sentences<'a, L = usize> {
    /// All of this many tokens.
    Equal(usize, usize),
    /// Each of its own length.
    Lengths(&'a [L]),
}

impl<L: Copy + TryInto<usize>> Sentences<'_, L> {
    /// The places of each sentence. Lengths are known to be no less than 0.
    pub fn ranges(self) -> impl Iterator<Item = Range<usize>> {
        self.ranges_of(0..self.len())
    }

    /// The places of some sentences.
    pub fn ranges_of(self, sentences: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let mut start = self.start(sentences.start);
        sentences.map(move |at| {
            let begin = start;
            start += self.length(at);
            begin..start
        })
    }

    /// Refuses sentences whose tokens could not be numbered.
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
                    "sentence {at} has {} tokens, and one may have {}; cut it with lengths=",
                    self.length(at),
                    u32::MAX
                ),
                sentence: Some(at),
            })
        })
    }

    /// Where a sentence begins.
    pub fn start(self, sentence: usize) -> usize {
        (0..sentence).map(|at| self.length(at)).sum()
    }

    /// The lengths of the first ones of some sentences, up to `most` tokens and sentences or so; gives
    /// how many tokens they have.
    #[inline]
    pub fn run(self, sentences: Range<usize>, most: usize, lengths: &mut Vec<u32>) -> usize {
        lengths.clear();
        let mut tokens = 0;
        for at in sentences.take(most) {
            if tokens >= most {
                break;
            }
            let length = self.length(at);
            tokens += length;
            lengths.push(length as u32);
        }
        tokens
    }

    /// True where there is no sentence.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Number of sentences.
    pub fn len(self) -> usize {
        match self {
            Self::Equal(count, _) => count,
            Self::Lengths(lengths) => lengths.len(),
        }
    }

    #[inline(always)]
    fn length(self, at: usize) -> usize {
        match self {
            Self::Equal(_, tokens) => tokens,
            Self::Lengths(lengths) => lengths[at].try_into().unwrap_or(0),
        }
    }

    /// At most so many ranges of sentences, of nearly equal numbers of tokens, none of less than `worth`
    /// unless it is the only one.
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
    /// The sentences of two arrays of ids, each of some (sentences, tokens). `lengths` cuts arrays of one dimension.
    ///
    /// # Errors
    /// [`InputError::Shape`] where the arrays or the lengths do not fit, or a sentence is too long.
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
                return refuse("lengths are for arrays of one dimension".to_owned());
            }
            Some(lengths) => Self::with_lengths(lengths, tokens)?,
        };
        cut.check()?;
        Ok(cut)
    }

    /// Sentences of these lengths.
    ///
    /// # Errors
    /// [`InputError::Shape`] for a negative length, and where the lengths do not add up to the number of ids.
    pub fn with_lengths(lengths: &'a [i64], ids: usize) -> Result<Self, InputError> {
        // Together they have the high bits that any of them has.
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
            // Too few to be too many for i64.
            i128::from(lengths.iter().sum::<i64>())
        } else {
            lengths.iter().map(|&length| i128::from(length)).sum()
        };
        if sum != ids as i128 {
            return Err(InputError::Shape {
                message: format!("lengths add up to {sum}, but there are {ids} ids a side"),
                sentence: None,
            });
        }
        Ok(Self::Lengths(lengths))
    }
}
