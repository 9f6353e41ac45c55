//! Line numbers of tokens, for error messages that include a line number.
//!
//! Line numbers are needed only for error messages, so storing them must cost almost nothing.
//! Tokens are nearly always on consecutive lines; only the start of each run of consecutive lines
//! is stored, at most about one pair of numbers per sentence.
//!
//! | line | content | runs (token, line) |
//! |---|---|---|
//! | 1 | `EU B-ORG` | (0, 1) |
//! | 2 | `rejects O` | |
//! | 3 | `# a comment` | |
//! | 4 | `German B-MISC` | (2, 4) |

/// Line numbers of tokens, stored as runs of consecutive lines. Tokens are numbered from 0, lines
/// from 1.
///
/// # Examples
///
/// ```
/// let mut lines = spanrs_base::Lines::default();
/// lines.push_run(0, 1, 2);
/// lines.push(2, 4);
/// assert_eq!([0, 1, 2].map(|token| lines.of(token)), [1, 2, 4]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// First token (from 0) of each run and its line (from 1); both ascend.
    runs: Vec<(u32, u64)>,
    /// The line number that would continue the last run.
    next: u64,
}

impl Lines {
    /// Stores the line of the next token; `token` is its index.
    #[inline(always)]
    pub fn push(&mut self, token: usize, line: u64) {
        if line != self.next {
            self.runs.push((token as u32, line));
        }
        self.next = line + 1;
    }

    /// Stores the lines of the next `tokens` tokens, which are consecutive and begin at `line`;
    /// `token` is the index of the first one.
    #[inline(always)]
    pub fn push_run(&mut self, token: usize, line: u64, tokens: usize) {
        self.push(token, line);
        self.next = line + tokens as u64;
    }

    /// Returns the line of a stored token, in time logarithmic in the number of runs.
    pub fn of(&self, token: u32) -> u64 {
        let runs = self.runs.partition_point(|(first, _)| *first <= token);
        let run = runs.checked_sub(1).and_then(|at| self.runs.get(at));
        run.map_or(0, |(first, line)| line + u64::from(token - first))
    }

    /// Removes all lines.
    #[inline]
    pub fn clear(&mut self) {
        self.runs.clear();
        self.next = 0;
    }
}
