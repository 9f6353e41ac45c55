//! Spans as NCRF++'s `utils/metric.py` finds them, its losses included.
//!
//! The reading [`crate::Reading::Ncrfpp`] mends what is lost here: a span that the end of the sentence
//! closes has no end, and so equals a single token.

/// What a tag does, by the two letters found anywhere in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NcrfTag {
    /// Begins a span of the type with this number.
    Begin(u32),
    /// Is a span of its own.
    Single(u32),
    /// Goes on with a span of this type, and ends any other.
    Inside(u32),
    /// Ends a span of any type, and is its last token.
    End,
    /// Ends a span before itself.
    Outside,
    /// Changes nothing.
    Nothing,
}

/// A span: type, start, and last token where that was not lost.
pub type NcrfSpan = (u32, u32, Option<u32>);

/// The type without a name, which closes no span; its number in every numbering handed in here.
pub const NAMELESS: u32 = 0;

/// Makes of the number of a type what a tag of it does.
pub type Made = fn(u32) -> NcrfTag;

/// The parts of a tag in upper case: what it does, made of the number of its type.
///
/// ```
/// use spanrs_tags::ncrfpp::{NcrfTag, classify};
/// let (made, name) = classify("I-PER", true);
/// assert_eq!((made(7), &*name), (NcrfTag::Inside(7), "PER"));
/// // Letters are looked for anywhere.
/// assert_eq!(classify("WEB-SITE", false).1, "WESITE");
/// ```
pub fn classify(tag: &str, bio: bool) -> (Made, String) {
    let rules: &[(&str, Made)] = if bio {
        &[("B-", NcrfTag::Begin), ("I-", NcrfTag::Inside)]
    } else {
        &[
            ("B-", NcrfTag::Begin),
            ("S-", NcrfTag::Single),
            ("E-", |_| NcrfTag::End),
        ]
    };
    for (letters, made) in rules {
        if tag.contains(letters) {
            return (*made, tag.replacen(letters, "", 1));
        }
    }
    let made: Made = if bio {
        |_| NcrfTag::Outside
    } else {
        |_| NcrfTag::Nothing
    };
    (made, String::new())
}

/// The spans of a sentence, in the order of their starts.
pub fn spans(tags: impl Iterator<Item = NcrfTag>, found: &mut Vec<NcrfSpan>) {
    found.clear();
    let mut open: Option<(u32, u32)> = None;
    for (at, tag) in tags.enumerate() {
        let at = at as u32;
        // A span whose type has no name is never closed, and so never found.
        let close = |open: &mut Option<(u32, u32)>, found: &mut Vec<NcrfSpan>, last: u32| {
            if let Some((ty, start)) = open.take()
                && ty != NAMELESS
            {
                found.push((ty, start, Some(last)));
            }
        };
        match tag {
            NcrfTag::Begin(ty) => {
                close(&mut open, found, at.wrapping_sub(1));
                open = Some((ty, at));
            }
            NcrfTag::Single(ty) => {
                close(&mut open, found, at.wrapping_sub(1));
                found.push((ty, at, None));
            }
            // Without a name it goes on with anything that has none, an open span or none at all.
            NcrfTag::Inside(ty) if open.map_or(NAMELESS, |(known, _)| known) == ty => {}
            NcrfTag::Inside(_) | NcrfTag::Outside => close(&mut open, found, at.wrapping_sub(1)),
            NcrfTag::End => close(&mut open, found, at),
            NcrfTag::Nothing => {}
        }
    }
    if let Some((ty, start)) = open
        && ty != NAMELESS
    {
        found.push((ty, start, None));
    }
}

/// How many spans two sorted lists have in common.
pub fn common(one: &[NcrfSpan], other: &[NcrfSpan]) -> usize {
    let mut others = other.iter().peekable();
    one.iter()
        .filter(|span| {
            while others.next_if(|other| other.1 < span.1).is_some() {}
            others.peek() == Some(span)
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_at_the_end_of_the_sentence_loses_its_end() {
        let mut found = Vec::new();
        let tags = [NcrfTag::Begin(1), NcrfTag::Inside(1), NcrfTag::Begin(2)];
        spans(tags.into_iter(), &mut found);
        assert_eq!(found, [(1, 0, Some(1)), (2, 2, None)]);
        spans([NcrfTag::Single(2)].into_iter(), &mut found);
        assert_eq!(found, [(2, 0, None)]);
    }
}
