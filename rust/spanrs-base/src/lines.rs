//! Line numbers of tokens, for messages that name a line.
//!
//! Lines are needed for errors only, so they must cost next to nothing. Tokens are nearly always on
//! consecutive lines; only the beginnings of runs of such lines are stored, which is one pair for
//! each sentence, or fewer.
//!
//! | line | content | runs (token, line) |
//! |---|---|---|
//! | 1 | `EU B-ORG` | (0, 1) |
//! | 2 | `rejects O` | |
//! | 3 | `# a comment` | |
//! | 4 | `German B-MISC` | (2, 4) |

/// The lines of tokens, as runs of consecutive lines. Tokens are numbered from 0, lines from 1.
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
    /// First token, from 0, and its line, from 1, of each run; ascending in both.
    runs: Vec<(u32, u64)>,
    /// The line that continues the last run.
    next: u64,
}

impl Lines {
    /// Stores the line of the next token, number `token`.
    #[inline(always)]
    pub fn push(&mut self, token: usize, line: u64) {
        if line != self.next {
            self.runs.push((token as u32, line));
        }
        self.next = line + 1;
    }

    /// Stores the lines of the next `tokens` tokens, which are consecutive and begin at `line`; the
    /// first has number `token`.
    #[inline(always)]
    pub fn push_run(&mut self, token: usize, line: u64, tokens: usize) {
        self.push(token, line);
        self.next = line + tokens as u64;
    }

    /// Returns the line of a token that was stored, in time logarithmic in the number of runs.
    pub fn of(&self, token: u32) -> u64 {
        let runs = self.runs.partition_point(|(first, _)| *first <= token);
        let run = runs.checked_sub(1).and_then(|at| self.runs.get(at));
        run.map_or(0, |(first, line)| line + u64::from(token - first))
    }

    /// Forgets all lines.
    #[inline]
    pub fn clear(&mut self) {
        self.runs.clear();
        self.next = 0;
    }
}
