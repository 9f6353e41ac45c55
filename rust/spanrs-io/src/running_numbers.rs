//! Detection of columns of token numbers, which are easily mistaken for tokens.
//!
//! GermEval 2014 and CoNLL-X number the tokens of each sentence in the first column, which is the
//! default token column. Spans are still scored correctly, but a comparison of the tokens of two
//! files would compare numbers.

use crate::blanks::{split, trimmed};
use crate::layout::Layout;

/// Minimum number of token lines for which running numbers are not considered a coincidence.
const MIN_TOKENS: usize = 5;

/// Returns true if the token column contains running numbers on all token lines of `ahead`, and
/// another column may contain the tokens.
///
/// Numbers begin at 0 or 1 in each sentence and increase by 1. At least [`MIN_TOKENS`] token lines
/// and three columns are required. Numbering may restart after any line that is not a token line,
/// including comments. False for CoNLL-U, whose ids are never read as tokens.
pub(crate) fn tokens_are_numbers(ahead: &[u8], layout: &Layout) -> bool {
    if layout.conllu.is_some() || layout.columns < 3 || layout.token >= layout.columns {
        return false;
    }
    let (mut tokens, mut previous) = (0, None);
    for line in ahead.split(|&b| b == b'\n').map(trimmed) {
        let fields = split(line, layout.byte);
        let is_token = fields.len() == layout.columns && !line.starts_with(b"#");
        let Some(field) = fields.get(layout.token).filter(|_| is_token) else {
            previous = None;
            continue;
        };
        let number = std::str::from_utf8(field)
            .ok()
            .and_then(|text| text.parse::<u64>().ok());
        let follows = match (previous, number) {
            (None, Some(0 | 1)) => true,
            (Some(previous), Some(number)) => number == previous + 1,
            _ => false,
        };
        if !follows {
            return false;
        }
        previous = number;
        tokens += 1;
    }
    tokens >= MIN_TOKENS
}
