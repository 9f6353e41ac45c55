use spanrs_tags::{Reader, SideReader, Violation};

/// A violation and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Sentence, from 0.
    pub sentence: u64,
    /// Line of the file, from 1; 0 where there is no file.
    pub line: u64,
    /// The violation.
    pub violation: Violation,
}

/// The violations of one side: all counted, the first ones kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violations {
    /// How many there are.
    pub count: u64,
    /// The first ones, in order.
    pub first: Vec<Located>,
}

impl Violations {
    /// Adds those of sentences that come behind `sentences` others.
    pub(crate) fn append(&mut self, other: Self, sentences: u64, keep: usize) {
        self.count += other.count;
        let room = keep.saturating_sub(self.first.len());
        self.first
            .extend(other.first.into_iter().take(room).map(|mut located| {
                located.sentence += sentences;
                located
            }));
    }

    /// Keeps the first ones of some sentences, the first of which is number `sentence`, without counting.
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

    /// Adds those of a sentence.
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
