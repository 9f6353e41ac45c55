//! Columns of token numbers, which are easily taken for tokens.

use crate::layout::{Layout, split, trimmed};

/// Number of token lines from which running numbers are no accident.
const MIN_TOKENS: usize = 5;

/// True where the column that is read as tokens holds the numbers of the tokens in their sentences, in all lines of
/// `ahead`, and another column may hold the tokens.
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
