//! Gold and pred sentences of tags chosen by the fuzzer's bytes.

use spanrs_tags::Scheme;

use crate::input::Input;
use crate::tag_input::tag;

/// The gold and pred tags; both sides have the same number.
pub type Pair = (Vec<String>, Vec<String>);

/// Sentences from all remaining bytes, at most 400 tokens. 0 ends a sentence, 1 ends a document. A byte below 128 is a
/// tag of both gold and pred; a byte of at least 128 is followed by the pred tag.
pub fn documents(input: &mut Input<'_>, scheme: Scheme) -> Vec<Vec<Pair>> {
    let (mut documents, mut document, mut pair) = (Vec::new(), Vec::new(), Pair::default());
    for _ in 0..400 {
        if input.is_empty() {
            break;
        }
        match input.byte() {
            0 => document.push(std::mem::take(&mut pair)),
            1 => {
                document.push(std::mem::take(&mut pair));
                documents.push(std::mem::take(&mut document));
            }
            byte => {
                // The number is doubled, so that equal tags are mostly tags of the scheme.
                let gold = tag(byte.wrapping_mul(2) | byte >> 7, scheme);
                let pred = match byte < 128 {
                    true => gold.clone(),
                    false => tag(input.byte(), scheme),
                };
                pair.0.push(gold);
                pair.1.push(pred);
            }
        }
    }
    document.push(pair);
    documents.push(document);
    documents
}
