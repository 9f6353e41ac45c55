//! The columns of a table of spans.

/// Names of columns, in order of preference.
const DOCUMENT: &[&str] = &[
    "document",
    "doc_id",
    "doc",
    "document_id",
    "id",
    "file",
    "filename",
    "pmid",
];
const START: &[&str] = &["start", "begin", "start_offset", "start_char"];
const END: &[&str] = &["end", "stop", "end_offset", "end_char"];
const TYPE: &[&str] = &["type", "label", "entity", "entity_type", "tag", "class"];
const MENTION: &[&str] = &["span", "covered", "surface", "mention", "entity_text"];
const WHOLE_TEXT: &[&str] = &["document_text", "content", "sentence"];
const TEXT: &[&str] = &["text"];

/// Positions of the columns of a table, from 0.
#[derive(Debug, Default)]
pub(super) struct Columns {
    pub(super) document: Option<usize>,
    pub(super) name: Option<usize>,
    pub(super) annotator: Option<usize>,
    pub(super) ty: Option<usize>,
    pub(super) start: Option<usize>,
    pub(super) end: Option<usize>,
    pub(super) pieces: Option<usize>,
    pub(super) attributes: Option<usize>,
    pub(super) mention: Option<usize>,
    pub(super) text: Option<usize>,
    pub(super) metadata: Option<usize>,
    /// All other columns, with their names.
    pub(super) others: Vec<(usize, String)>,
    /// Number of columns.
    pub(super) number: usize,
}

impl Columns {
    /// Finds the columns in a header.
    ///
    /// # Errors
    /// A message if the table has no column of starts, ends, types or texts.
    pub(super) fn of<'a>(header: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        let header: Vec<&str> = header.map(str::trim).collect();
        let plain = header.iter().map(|name| {
            let name = name.to_lowercase();
            name.replace([' ', '-'], "_")
        });
        let plain: Vec<String> = plain.collect();
        let mut used = vec![false; header.len()];
        let mut take = |names: &[&str]| {
            let mut places = names.iter().filter_map(|name| {
                let mut all = plain.iter().zip(&used);
                all.position(|(column, used)| column == name && !used)
            });
            let place = places.next()?;
            used[place] = true;
            Some(place)
        };
        let mut columns = Self {
            document: take(DOCUMENT),
            name: take(&["document_name"]),
            annotator: take(&["annotator", "user"]),
            ty: take(TYPE),
            start: take(START),
            end: take(END),
            pieces: take(&["pieces", "fragments"]),
            attributes: take(&["attributes"]),
            mention: take(MENTION),
            text: take(WHOLE_TEXT),
            metadata: take(&["metadata"]),
            others: Vec::new(),
            number: header.len(),
        };
        // Beside the text of the document, `text` is the text of the span.
        match (columns.text, columns.mention) {
            (None, _) => columns.text = take(TEXT),
            (Some(_), None) => columns.mention = take(TEXT),
            _ => {}
        }
        let others = header.iter().zip(&used).enumerate();
        let others = others.filter(|(_, (name, used))| !**used && !name.is_empty());
        columns.others = others
            .map(|(place, (name, _))| (place, (*name).to_owned()))
            .collect();
        let needed = [
            (columns.start, "for the start of the spans", START),
            (columns.end, "for the end of the spans", END),
            (columns.ty, "for the type of the spans", TYPE),
            (
                columns.text,
                "for the text of the documents, in the first row of each document",
                TEXT,
            ),
        ];
        for (column, what, names) in needed {
            if column.is_none() {
                return Err(format!(
                    "there is no column {what}; name it {}",
                    names.join(", ")
                ));
            }
        }
        Ok(columns)
    }
}

/// Returns the separator of a header: the most frequent of comma, tab and semicolon outside of
/// quotes.
pub(in crate::document) fn separator(header: &[u8]) -> u8 {
    let mut numbers = [(b',', 0), (b';', 0), (b'\t', 0)];
    let mut quoted = false;
    for &byte in header {
        quoted ^= byte == b'"';
        for (separator, number) in &mut numbers {
            *number += usize::from(byte == *separator && !quoted);
        }
    }
    // Of equal numbers the first.
    let most = numbers.iter().rev().max_by_key(|(_, number)| *number);
    most.map_or(b',', |(separator, _)| *separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_many_names() {
        let columns = |header: &str| Columns::of(header.split(',')).unwrap();
        let found = columns("PMID, Start Offset ,end-offset,Class,sentence,text,score");
        assert_eq!(
            (found.document, found.start, found.end, found.ty),
            (Some(0), Some(1), Some(2), Some(3))
        );
        assert_eq!((found.text, found.mention), (Some(4), Some(5)));
        assert_eq!(found.others, [(6, "score".to_owned())]);
        let found = columns("id,doc,begin,stop,tag,label,span,text,,mention");
        assert_eq!((found.document, found.ty), (Some(1), Some(5)));
        assert_eq!((found.text, found.mention), (Some(7), Some(6)));
        let others: Vec<&str> = found.others.iter().map(|(_, name)| &**name).collect();
        assert_eq!(others, ["id", "tag", "mention"]);
    }

    #[test]
    fn missing_columns_are_named() {
        let missing = |header: &str| Columns::of(header.split(',')).unwrap_err();
        assert_eq!(
            missing("id,end,type,text"),
            "there is no column for the start of the spans; name it start, begin, start_offset, start_char"
        );
        assert_eq!(
            missing("id,start,end,type,mention"),
            "there is no column for the text of the documents, in the first row of each document; name it text"
        );
    }

    #[test]
    fn the_separator_is_the_most_frequent() {
        assert_eq!(separator(b"a,b;c"), b',');
        assert_eq!(separator(b"a;b;c,d"), b';');
        assert_eq!(separator(b"a\tb\t\"c,d,e,f\""), b'\t');
        assert_eq!(separator(b""), b',');
    }
}
