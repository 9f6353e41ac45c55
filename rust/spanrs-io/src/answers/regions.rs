//! The parts of an answer in which mentions are looked for.

use memchr::memmem;

use super::draft::Draft;

/// Names of elements in which models think aloud.
const THOUGHTS: [&str; 4] = ["think", "thinking", "reasoning", "thought"];
/// Control tokens that remain at the end of an answer.
const END_TOKENS: [&str; 6] = [
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<end_of_turn>",
    "<|end|>",
    "</s>",
];
/// Fenced blocks that are tried, from the last.
const MAX_FENCES: usize = 64;

/// A part of the answer.
pub(super) struct Region<'a> {
    pub(super) text: &'a str,
    /// Byte offset in the answer.
    pub(super) start: usize,
    pub(super) is_fenced: bool,
    /// False for a fenced block without its end.
    pub(super) is_closed: bool,
}

/// The parts of an answer, in the order in which they are tried.
pub(super) struct Regions<'a> {
    pub(super) candidates: Vec<Region<'a>>,
    pub(super) repairs: Vec<&'static str>,
}

/// Splits an answer: without thoughts and control tokens, fenced blocks from the last to the first,
/// then the text after the last and before the first of them.
///
/// # Errors
/// A draft with the reason if the answer consists of an unfinished thought.
pub(super) fn regions(answer: &str) -> Result<Regions<'_>, Box<Draft>> {
    let mut repairs = Vec::new();
    let mut start = 0;
    let mut text = answer;
    if let Some(thought) = end_of_thought(text)? {
        repairs.push("thought");
        if !without_end_tokens(&text[thought.end..]).trim().is_empty() {
            start = thought.end;
            text = &text[start..];
        } else if thought.is_opened {
            let message = "nothing follows the thought; allow the model more tokens";
            let at = answer.trim_end().len();
            return Err(Box::new(Draft::unreadable("empty", message.to_owned(), at)));
        } else {
            // The answer is before the end tag.
            text = &text[..thought.close];
        }
    }
    text = without_end_tokens(text);
    if let Some((from, to)) = answer_element(text) {
        start += from;
        text = &text[from..to];
        repairs.push("prose");
    }
    let mut candidates = fences(text, start);
    let whole = [(0, text.len())];
    let outside = match (candidates.last(), candidates.first()) {
        (Some(first), Some(last)) => {
            let end = last.start - start + last.text.len();
            let after = text[end..]
                .find(|c| c != '`')
                .map_or(text.len(), |at| end + at);
            let before = text[..first.start - start].rfind("```").unwrap_or(0);
            vec![(after, text.len()), (0, before)]
        }
        _ => whole.to_vec(),
    };
    for (from, to) in outside {
        if !text[from..to].trim().is_empty() {
            candidates.push(Region {
                text: &text[from..to],
                start: start + from,
                is_fenced: false,
                is_closed: true,
            });
        }
    }
    Ok(Regions {
        candidates,
        repairs,
    })
}

/// A text without control tokens at its end.
fn without_end_tokens(text: &str) -> &str {
    let mut text = text;
    for token in END_TOKENS {
        text = text.trim_end().strip_suffix(token).unwrap_or(text);
    }
    text
}

/// The end of the last thought.
struct Thought {
    /// Byte offsets of the end tag and of the text after it.
    close: usize,
    end: usize,
    /// False if the thought may have begun in the prompt.
    is_opened: bool,
}

/// The last thought, which may have begun in the prompt.
fn end_of_thought(text: &str) -> Result<Option<Thought>, Box<Draft>> {
    let leading = text.trim_start();
    for name in THOUGHTS {
        let tag = format!("</{name}>");
        let is_opened = leading.starts_with(&format!("<{name}>"));
        match memmem::rfind(text.as_bytes(), tag.as_bytes()) {
            Some(close) => {
                let end = close + tag.len();
                return Ok(Some(Thought {
                    close,
                    end,
                    is_opened,
                }));
            }
            None if is_opened => {
                let at = text.len() - leading.len();
                let message =
                    format!("the answer ends before </{name}>; allow the model more tokens");
                return Err(Box::new(Draft::unreadable(
                    "unfinished_thought",
                    message,
                    at,
                )));
            }
            None => {}
        }
    }
    Ok(None)
}

/// The content of the last `<answer>` element.
fn answer_element(text: &str) -> Option<(usize, usize)> {
    let open = "<answer>";
    let from = memmem::rfind(text.as_bytes(), open.as_bytes())? + open.len();
    let to = text[from..]
        .find("</answer>")
        .map_or(text.len(), |at| from + at);
    Some((from, to))
}

/// Blocks between lines of three backquotes, the last first.
fn fences(text: &str, start: usize) -> Vec<Region<'_>> {
    let mut blocks = Vec::new();
    let mut marks = memmem::find_iter(text.as_bytes(), "```");
    while let Some(open) = marks.next() {
        let info = open + 3;
        // The name of the language follows directly.
        let name = text[info..]
            .find(|c: char| !c.is_ascii_alphanumeric() && !"+-_.".contains(c))
            .map_or(text.len(), |at| info + at);
        let is_name = matches!(
            text.as_bytes().get(name),
            None | Some(b'\n' | b'\r' | b' ' | b'[' | b'{')
        );
        let from = if is_name { name } else { info };
        let close = marks.next();
        let to = close.unwrap_or(text.len()).max(from);
        blocks.push(Region {
            text: &text[from..to],
            start: start + from,
            is_fenced: true,
            is_closed: close.is_some(),
        });
        if blocks.len() > 2 * MAX_FENCES {
            blocks.drain(..MAX_FENCES);
        }
    }
    blocks.retain(|region| !region.text.trim().is_empty());
    blocks.reverse();
    blocks.truncate(MAX_FENCES);
    blocks
}
