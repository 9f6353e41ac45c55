//! Documents: every file is either read or rejected, and all annotations that are kept are within
//! the text.

use proptest::prelude::*;
use proptest::sample::Index;
use spanrs_io::document::{Format, Reader};

const SAMPLES: [(Format, &str); 10] = [
    (
        Format::MatJson,
        r#"{"signal": "\u00e9b", "asets": [{"type": "T", "attrs": ["a"], "annots": [[0, 1, "v"], [1, 2]]}]}"#,
    ),
    (
        Format::XmlInline,
        "<d>\u{1F600} <A k='v'>b</A>&amp;<B/></d>",
    ),
    (Format::FakeXmlInline, "\u{1F600} <A k='v'>b</A> < c <B/>"),
    (
        Format::Doccano,
        "{\"id\": 1, \"text\": \"\u{1F600}b\", \"label\": [[0, 1, \"A\"]]}\n{\"data\": \"c\", \"labels\": []}\n",
    ),
    (
        Format::Doccano,
        r#"{"text": "ab", "entities": [{"id": 1, "label": "A", "start_offset": 0, "end_offset": 2}]}"#,
    ),
    (
        Format::Prodigy,
        r#"{"text": "\ud83d\ude00 b", "tokens": [{"start": 0, "end": 1}], "spans": [{"start": 2, "end": 3, "label": "A"}], "answer": "accept"}"#,
    ),
    (
        Format::LabelStudio,
        r#"[{"id": 1, "data": {"text": "\ud83d\ude00 b"}, "annotations": [{"ground_truth": true, "result": [{"type": "labels", "value": {"start": 0, "end": 2, "labels": ["A"]}}]}]}]"#,
    ),
    (
        Format::LabelStudio,
        r#"[{"text": "\ud83d\ude00 b", "label": [{"start": 3, "end": 4, "labels": ["A", "B"]}]}]"#,
    ),
    (
        Format::Prodigy,
        "{\"text\": \"b\", \"_input_hash\": 1, \"_annotator_id\": \"x\", \"meta\": {\"name\": \"n\"}}\n{\"text\": \"b\", \"_input_hash\": 1, \"_annotator_id\": \"x\"}\n",
    ),
    (
        Format::LabelStudioCsv,
        "id,text,annotator,label\n1,\"\u{1F600} b\",x,\"[{\"\"start\"\": 3, \"\"end\"\": 4, \"\"labels\"\": [\"\"A\"\"]}]\"\n",
    ),
];
const PARTS: [&str; 14] = [
    "",
    "\"",
    "[",
    "]",
    "{",
    "}",
    ",",
    "1",
    "-1",
    "0.5",
    "99999999999",
    "null",
    "<",
    "\u{1F600}",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn damaged_files_are_read_or_refused(
        sample in 0..SAMPLES.len(),
        changes in prop::collection::vec((any::<Index>(), 0..4_usize, 0..PARTS.len()), 0..4),
    ) {
        let (format, text) = SAMPLES[sample];
        let mut bytes = text.as_bytes().to_vec();
        for (at, length, part) in changes {
            let at = at.index(bytes.len() + 1);
            let end = (at + length).min(bytes.len());
            bytes.splice(at..end, PARTS[part].bytes());
        }
        match Reader::new(format).read("name", &bytes) {
            Err(error) => prop_assert!(error.to_string().starts_with("name:") && !error.message.contains('\n')),
            Ok(documents) => {
                for document in documents {
                    let characters = document.text.chars().count();
                    for annotation in &document.annotations {
                        prop_assert!(annotation.start <= annotation.end && annotation.end as usize <= characters);
                    }
                }
            }
        }
    }
}

#[test]
fn samples_are_in_order() {
    for (format, text) in SAMPLES {
        for document in Reader::new(format).read("name", text.as_bytes()).unwrap() {
            assert_eq!(document.left_out_count, 0, "{text}");
        }
    }
}
