//! Counting violations and keeping the first ones with their positions.

use serde::{Serialize, Serializer};
use spanrs_tags::{Reader, SideReader, Violation};

/// A violation and its position in the corpus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename = "LocatedViolation")]
pub struct Located {
    /// Index of the sentence, 0-based.
    pub sentence: u64,
    /// Line in the file, 1-based; 0 if the tags were not read from a file.
    #[serde(serialize_with = "or_none")]
    pub line: u64,
    /// The violation; its index is the index of the token in the sentence.
    pub violation: Violation,
}

/// Serialises 0 as None.
fn or_none<S: Serializer>(line: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    (*line > 0).then_some(line).serialize(serializer)
}

/// The violations of one side: all violations are counted, and the first ones are kept.
///
/// # Examples
///
/// ```
/// use spanrs_eval::Violations;
/// use spanrs_tags::{Dialect, Reader, Reading, Scheme};
/// let mut reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
/// let ids = reader.intern_all(["I-A", "O", "I-A"]).unwrap();
/// let mut violations = Violations::default();
/// violations.add(reader.gold(), &ids, 0, 1, |token| u64::from(token) + 1);
/// assert_eq!((violations.count, violations.first.len()), (2, 1));
/// assert_eq!((violations.first[0].line, violations.first[0].violation.index), (1, 0));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Violations {
    /// Number of violations.
    pub count: u64,
    /// The first violations, by sentence and index.
    pub first: Vec<Located>,
}

impl Violations {
    /// Adds the violations of later sentences; `sentences` is the number of sentences before them.
    /// At most `keep` violations are kept in total.
    pub(crate) fn append(&mut self, other: Self, sentences: u64, keep: usize) {
        self.count += other.count;
        let room = keep.saturating_sub(self.first.len());
        self.first
            .extend(other.first.into_iter().take(room).map(|mut located| {
                located.sentence += sentences;
                located
            }));
    }

    /// Keeps the first violations of some sentences without counting them. `sentence` is the number
    /// of the first sentence. `line_of` receives the 0-based index of the sentence among these
    /// sentences and the index of the token.
    #[cold]
    pub(crate) fn locate(
        &mut self,
        reader: &Reader,
        sentences: impl Iterator<Item = Vec<u32>>,
        sentence: u64,
        keep: usize,
        line_of: impl Fn(u64, u32) -> u64,
    ) {
        for (at, ids) in (0..).zip(sentences) {
            for violation in reader.violations(&ids) {
                if self.first.len() == keep {
                    return;
                }
                self.first.push(Located {
                    sentence: sentence + at,
                    line: line_of(at, violation.index),
                    violation,
                });
            }
        }
    }

    /// Adds the violations of one sentence; their positions are kept as long as there are fewer
    /// than `keep`. `line_of` returns the line of a token.
    #[cold]
    pub fn add(
        &mut self,
        reader: SideReader<'_>,
        ids: &[u32],
        sentence: u64,
        keep: usize,
        line_of: impl Fn(u32) -> u64,
    ) {
        if self.first.len() >= keep {
            self.count += reader.count_violations(ids);
            return;
        }
        for violation in reader.violations(ids) {
            self.count += 1;
            if self.first.len() < keep {
                self.first.push(Located {
                    sentence,
                    line: line_of(violation.index),
                    violation,
                });
            }
        }
    }
}
