//! Files that are written.

use proptest::prelude::*;

use super::*;
use crate::document::Layer;
use crate::document::random_documents::{NAMES, TEXT, as_records, distinct_documents, with_ids};
use crate::document::round_trip::{Equality, check, write};

/// Label Studio has no rejected annotations.
fn without_rejection(document: &mut Document) {
    for layer in &mut document.layers {
        if layer.answer == Answer::Rejected {
            layer.answer = Answer::Skipped;
        }
    }
}

proptest! {
    #[test]
    fn documents_are_read_as_they_were_written(
        document in distinct_documents(TEXT, NAMES).prop_map(as_records),
        more in prop::collection::vec(distinct_documents(TEXT, NAMES).prop_map(as_records), 0..3),
    ) {
        for format in [Format::LabelStudio, Format::LabelStudioMin, Format::LabelStudioCsv] {
            let documents = std::slice::from_ref(&document);
            check(format, documents, Equality::Records, without_rejection);
            let more = with_ids(more.clone());
            check(format, &more, Equality::Records, without_rejection);
        }
    }
}

fn example() -> Document {
    let mut document = Document::new("\u{1F600} Bob ate".to_owned());
    (document.id, document.name) = (Some("7".to_owned()), Some("b.txt".to_owned()));
    document.metadata = vec![
        ("year".to_owned(), 2020.into()),
        ("lang".to_owned(), "en".into()),
    ];
    for (name, answer) in [("ann@x.org", Answer::Given), ("5", Answer::Empty)] {
        document.layers.push(Layer {
            name: Some(name.to_owned()),
            answer,
        });
    }
    let person = document.intern("PER");
    document.push(person, 2, 5);
    document.add_attribute("note", "?");
    document.add_attribute("sure", true);
    document.annotations[0].layer = 0;
    document
}

fn written(format: Format) -> String {
    String::from_utf8(write(format, &[example()]).file).unwrap()
}

#[test]
fn tasks_are_written_like_those_of_label_studio() {
    assert_eq!(
        written(Format::LabelStudio),
        concat!(
            "[\n{\"id\":7,\"data\":{\"text\":\"\u{1F600} Bob ate\",\"name\":\"b.txt\",\"year\":2020,\"lang\":\"en\"},",
            "\"annotations\":[{\"id\":1,\"completed_by\":{\"email\":\"ann@x.org\"},\"result\":[{\"id\":\"a0\",",
            "\"from_name\":\"label\",\"to_name\":\"text\",\"type\":\"labels\",\"value\":{\"start\":2,\"end\":5,",
            "\"text\":\"Bob\",\"labels\":[\"PER\"]},\"meta\":{\"text\":[\"?\"]}},{\"id\":\"a0\",\"from_name\":\"sure\",",
            "\"to_name\":\"text\",\"type\":\"textarea\",\"value\":{\"start\":2,\"end\":5,\"text\":[\"true\"],\"json\":true}}],",
            "\"was_cancelled\":false,\"ground_truth\":false},{\"id\":2,\"completed_by\":5,\"result\":[],",
            "\"was_cancelled\":false,\"ground_truth\":false}],\"predictions\":[]}\n]\n"
        )
    );
    assert_eq!(
        String::from_utf8(write(Format::LabelStudio, &[]).file).unwrap(),
        "[]\n"
    );
}

#[test]
fn records_are_written_like_those_of_label_studio() {
    let region = "{\"start\":2,\"end\":5,\"text\":\"Bob\",\"labels\":[\"PER\"]}";
    let facts =
        "\"id\":7,\"text\":\"\u{1F600} Bob ate\",\"name\":\"b.txt\",\"year\":2020,\"lang\":\"en\"";
    assert_eq!(
        written(Format::LabelStudioMin),
        format!(
            "[\n{{{facts},\"label\":[{region}],\"annotator\":\"ann@x.org\",\"annotation_id\":1}},\n\
             {{{facts},\"label\":[],\"annotator\":5,\"annotation_id\":2}}\n]\n"
        )
    );
    let quoted = region.replace('"', "\"\"");
    assert_eq!(
        written(Format::LabelStudioCsv),
        format!(
            "\"annotation_id\",\"annotator\",\"created_at\",\"id\",\"label\",\"lead_time\",\"text\",\"updated_at\",\
             \"name\",\"lang\",\"metadata\"\n\
             1,\"ann@x.org\",\"\",7,\"[{quoted}]\",\"\",\"\u{1F600} Bob ate\",\"\",\"b.txt\",\"en\",\"{{\"\"year\"\":2020}}\"\n\
             2,5,\"\",7,\"[]\",\"\",\"\u{1F600} Bob ate\",\"\",\"b.txt\",\"en\",\"{{\"\"year\"\":2020}}\"\n"
        )
    );
}
