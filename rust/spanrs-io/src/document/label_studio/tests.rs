use super::super::testing::{Row, links, rows, spans};
use super::super::{Answer, Document, Format, LayerChoice, Reader};
use crate::error::Result;
use crate::source::Source;
use serde_json::json;

mod rows;
mod written;

fn read(name: &str, text: &str, annotator: Option<&str>) -> Result<Vec<Document>> {
    let mut reader = Reader::new(Format::LabelStudio);
    if let Some(name) = annotator {
        reader.layers = LayerChoice::Named(name.to_owned());
    }
    reader.read(name, text.as_bytes())
}

fn documents(text: &str) -> Vec<Document> {
    read("d.json", text, None).unwrap()
}

fn region(start: &str, end: &str, labels: &str) -> String {
    format!(
        r#"{{"type": "labels", "value": {{"start": {start}, "end": {end}, "labels": {labels}}}}}"#
    )
}

fn task(text: &str, results: &str) -> String {
    format!(
        r#"[{{"id": 3, "data": {{"text": "{text}"}}, "annotations": [{{"result": [{results}]}}]}}]"#
    )
}

#[test]
fn offsets_in_code_units_become_characters() {
    // Code units: `a` 0, smiley 1 and 2, `b` 3, `é` 4, two surrogate pairs 5 to 8, end 9.
    let text = "a\u{1F600}b\u{e9}\u{1F600}\u{1F601}";
    let regions: Vec<String> = [
        ("1", "3"),
        ("3", "5"),
        ("5", "7"),
        ("7", "9"),
        ("0", "9"),
        ("9", "9"),
    ]
    .iter()
    .map(|(start, end)| region(start, end, r#"["A"]"#))
    .collect();
    let found = documents(&task(text, &regions.join(",")));
    assert_eq!(
        spans(&found[0]),
        rows(&[
            ("A", 1, 2),
            ("A", 2, 4),
            ("A", 4, 5),
            ("A", 5, 6),
            ("A", 0, 6),
            ("A", 6, 6)
        ])
    );
    assert_eq!(found[0].id.as_deref(), Some("3"));
    assert_eq!(found[0].left_out_count, 0);
}

#[test]
fn what_cuts_a_character_or_lies_outside_is_left_out() {
    let regions = [
        region("1", "3", r#"["WHOLE"]"#),
        region("0", "2", r#"["CUT", "TWO"]"#),
        region("0", "5", r#"["FAR"]"#),
        region("18446744073709551615", "18446744073709551615", r#"["FAR"]"#),
        region("3", "1", r#"["BACK"]"#),
        region("1", "4", "[]"),
    ];
    let found = documents(&task("a\u{1F600}b", &regions.join(",")));
    assert_eq!(spans(&found[0]), rows(&[("WHOLE", 1, 2)]));
    assert_eq!(found[0].left_out_count, 5);
    assert_eq!(
        found[0].left_out,
        [
            "CUT 0-2, in UTF-16 code units, begins or ends within a character",
            "TWO 0-2, in UTF-16 code units, begins or ends within a character",
            "FAR 0-5 reaches beyond the text of 4 UTF-16 code units",
            "FAR 18446744073709551615-18446744073709551615 reaches beyond the text of 4 UTF-16 code units",
            "BACK 2-1 ends before it begins",
        ]
    );
}

#[test]
fn a_region_with_several_labels_is_several_annotations() {
    let others = r#"{"type": "choices", "value": {"choices": ["x"]}}, {"type": "relation", "from_id": "a"},
        {"value": {"start": "/div[1]"}, "type": "hypertextlabels"},"#;
    let results = others.to_owned() + &region("0", "1", r#"["A", "B"]"#);
    let found = documents(&task("ab", &results));
    assert_eq!(spans(&found[0]), rows(&[("A", 0, 1), ("B", 0, 1)]));
}

#[test]
fn one_annotation_of_a_task_counts() {
    let of = |annotations: &str| {
        let text = format!(r#"{{"data": {{"title": "ab"}}, {annotations}}}"#);
        documents(&text).iter().map(spans).collect::<Vec<_>>()
    };
    let annotation = |more: &str, label: &str| {
        let region = region("0", "1", &format!("[\"{label}\"]"));
        format!(r#"{{{more} "result": [{region}]}}"#)
    };
    let cancelled = annotation(r#""was_cancelled": true,"#, "C");
    let first = annotation(r#""was_cancelled": false, "ground_truth": false,"#, "F");
    let (second, truth) = (
        annotation("", "S"),
        annotation(r#""ground_truth": true,"#, "T"),
    );
    let all = |list: &[&String]| {
        let list: Vec<&str> = list.iter().map(|text| text.as_str()).collect();
        format!(r#""annotations": [{}]"#, list.join(","))
    };
    assert_eq!(
        of(&all(&[&cancelled, &first, &second])),
        [rows(&[("F", 0, 1)])]
    );
    assert_eq!(
        of(&all(&[&cancelled, &first, &truth, &second])),
        [rows(&[("T", 0, 1)])]
    );
    // A cancelled annotation does not mean that the text has no spans.
    assert_eq!(of(&all(&[&cancelled])), Vec::<Vec<Row>>::new());
    assert_eq!(of(&all(&[])), Vec::<Vec<Row>>::new());
    assert_eq!(of(r#""annotations": [{"result": []}]"#), [rows(&[])]);
    let old = format!(r#""completions": [{{"skipped": true, "result": []}}, {second}]"#);
    assert_eq!(of(&old), [rows(&[("S", 0, 1)])]);
}

#[test]
fn regions_of_json_min_stand_under_any_name() {
    let text = r#"[
        {"id": 1, "text": "\ud83d\ude00 Bob", "label": [{"start": 3, "end": 6, "labels": ["PER"], "text": "Bob"}],
         "choice": "good", "annotator": 1, "updated_at": "2024"},
        {"id": "b", "body": "ab", "created_at": "2024", "annotator": "x@y.z", "numbers": [1, {"choices": []}],
         "ner": [{"start": 0, "end": 1, "labels": ["A", "B"]}], "more": [{"start": 1, "end": 2, "labels": ["C"]}]},
        {"id": 3, "text": "nothing"}]"#;
    let found = documents(text);
    let ids: Vec<_> = found.iter().map(|d| d.id.as_deref()).collect();
    assert_eq!(ids, [Some("1"), Some("b"), Some("3")]);
    assert_eq!(spans(&found[0]), rows(&[("PER", 2, 5)]));
    assert_eq!(
        spans(&found[1]),
        rows(&[("A", 0, 1), ("B", 0, 1), ("C", 1, 2)])
    );
    assert_eq!((&*found[1].text, spans(&found[2])), ("ab", rows(&[])));
}

#[test]
fn what_is_wrong_is_said_with_its_task() {
    let refused = |text: &str| read("d.json", text, None).unwrap_err().to_string();
    let what = "this is not an export of Label Studio";
    let wrong = |results: &str| {
        let told = refused(&task("ab", results));
        told.split_once(": task 0 (id 3): ")
            .map(|(_, told)| told.to_owned())
            .unwrap_or(told)
    };
    assert_eq!(
        refused("[\n{\"id\": 3, \"data\": {\"text\": \"a\"},\n\"annotations\": 5}, 1]"),
        format!("d.json:3:17: {what}: task 0 (id 3): annotations: expected a list, found 5")
    );
    let value = "annotations[0].result[0].value";
    assert_eq!(
        wrong(&region("\"/p[1]\"", "1", "[]")),
        format!("{value}: \"start\" is \"/p[1]\", not a whole number from 0")
    );
    assert_eq!(
        wrong(&region("0", "-1", "[]")),
        format!("{value}: \"end\" is -1, not a whole number from 0")
    );
    assert_eq!(
        wrong(&region("0.5", "null", "[]")),
        format!("{value}: \"start\" is 0.5, not a whole number from 0")
    );
    assert_eq!(
        wrong(&region("0", "1", "null")),
        format!("{value}.labels: expected a list, found nothing")
    );
    assert_eq!(
        wrong(&region("0", "1", "[[]]")),
        format!("{value}: a list is not a label")
    );
    assert_eq!(
        wrong("7"),
        "annotations[0].result[0]: expected an object, found 7"
    );
    assert_eq!(
        wrong(r#"{"type": "labels"}"#),
        format!("{value}: expected an object, found nothing")
    );
}

#[test]
fn what_is_no_export_is_refused() {
    let refused = |text: &str| read("d.json", text, None).unwrap_err().to_string();
    let what = "this is not an export of Label Studio";
    let text_of = |data: &str| refused(&format!(r#"[{{"data": {data}, "annotations": []}}]"#));
    assert!(text_of("{}").ends_with("task 0: there is no \"text\""));
    assert!(text_of(r#"{"a": "1", "b": "2"}"#).ends_with(
        "task 0: the text may be \"a\" or \"b\"; rename the key of the text to \"text\""
    ));
    assert!(
        refused(r#"[{"data": {"text": ""}, "predictions": []}]"#)
            .ends_with("there are no \"annotations\"; export the project as JSON")
    );
    assert!(
        refused("[1]")
            .ends_with("integer `1`, expected a task: an object with \"data\" and \"annotations\"")
    );
    assert!(refused("3").ends_with(
        "invalid type: integer `3`, expected a task: an object with \"data\" and \"annotations\""
    ));
    assert_eq!(
        refused("[]\n x"),
        format!("d.json:2:2: {what}: trailing characters")
    );
}

#[test]
fn hostile_files_are_refused() {
    let refused = |text: &str| read("d.json", text, None).unwrap_err().to_string();
    let what = "this is not an export of Label Studio";
    assert_eq!(
        refused(&format!("[{{\"data\": {}", "[".repeat(100_000))),
        format!("d.json:1:137: {what}: recursion limit exceeded")
    );
    assert_eq!(
        refused(r#"[{"text": "\udc00"}]"#),
        format!("d.json:1:17: {what}: lone leading surrogate in hex escape")
    );
    assert_eq!(
        refused("[{"),
        format!("d.json:1:2: {what}: EOF while parsing an object")
    );
}

#[test]
fn layers_relations_and_attributes_are_kept() {
    let region = |id: &str, start: u32| {
        format!(
            r#"{{"id": "{id}", "type": "labels", "value": {{"start": {start}, "end": 3, "labels": ["X", "Y"]}}}}"#
        )
    };
    let text = format!(
        r#"[{{"id": 1, "data": {{"text": "abc"}}, "annotations": [
            {{"completed_by": {{"id": 7}}, "result": [{}, {}, {{"type": "relation", "from_id": "b", "to_id": "a",
              "direction": "bi", "labels": ["of"]}}, {{"type": "relation", "from_id": "b", "to_id": "z"}},
              {{"id": "b", "from_name": "sure", "type": "choices", "value": {{"choices": ["yes"]}}}},
              {{"id": "b", "from_name": "stars", "type": "rating", "value": {{"rating": 4}}}}]}},
            {{"completed_by": 8, "result": []}},
            {{"completed_by": 9, "was_cancelled": true, "result": [{}]}}]}}]"#,
        region("a", 0),
        region("b", 1),
        region("c", 2)
    );
    let mut reader = Reader::new(Format::LabelStudio);
    reader.layers = LayerChoice::All;
    let document = &reader.read("d", text.as_bytes()).unwrap()[0];
    let layers: Vec<_> = document
        .layers
        .iter()
        .map(|layer| (layer.name.as_deref(), layer.answer))
        .collect();
    assert_eq!(
        layers,
        [
            (Some("7"), Answer::Given),
            (Some("8"), Answer::Empty),
            (Some("9"), Answer::Skipped)
        ]
    );
    assert_eq!(document.annotations.len(), 4);
    assert!(document.annotations.iter().all(|a| a.layer == 0));
    let links = links(document);
    assert_eq!(links, [("of", 2, 0), ("of", 0, 2)]);
    let values: Vec<_> = document.attributes(&document.annotations[3]).collect();
    assert_eq!(values, [("sure", "yes"), ("stars", "4")]);
    assert_eq!(
        document.relations_left_out,
        ["a relation from \"b\" to \"z\", at least one of which is not a text region"]
    );
}

/// Reads documents and what users are told.
fn told(format: Format, text: &str, layers: LayerChoice) -> (Vec<Document>, Vec<String>) {
    let source = Source::stream("d", Box::new(std::io::Cursor::new(text.to_owned())));
    let reader = Reader {
        layers,
        ..Reader::new(format)
    };
    let mut documents = reader.open(&source).unwrap();
    let found: Result<Vec<_>> = documents.by_ref().collect();
    (found.unwrap(), documents.notices())
}

fn layers(document: &Document) -> Vec<(Option<&str>, Answer)> {
    let layers = document.layers.iter();
    layers
        .map(|layer| (layer.name.as_deref(), layer.answer))
        .collect()
}

#[test]
fn names_and_metadata_of_tasks_are_read() {
    let task = |more: &str| {
        let text = format!(r#"[{{{more}, "annotations": [{{"result": []}}]}}]"#);
        let document = documents(&text).remove(0);
        (
            document.text.clone(),
            json!([document.name, document.metadata]),
        )
    };
    assert_eq!(
        task(
            r#""data": {"text": "a", "source": "web", "year": 1, "meta": {"lang": "de"}}, "meta": {"x": null},
               "file_upload": "1a2b3c4d-doc-1.txt", "inner_id": 5, "created_at": "2024""#
        ),
        (
            "a".to_owned(),
            json!([
                "doc-1.txt",
                [["source", "web"], ["year", 1], ["lang", "de"], ["x", null]]
            ])
        )
    );
    assert_eq!(
        task(
            r#""data": {"body": "a", "title": "T", "document": 3}, "file_upload": "1a2b3c4d-a.txt""#
        ),
        (
            "a".to_owned(),
            json!(["T", [["document", 3], ["file_upload", "1a2b3c4d-a.txt"]]])
        )
    );
    // A file of tasks is not the name of a document.
    assert_eq!(
        task(r#""data": {"Text": "a"}, "file_upload": "1a2b3c4d-tasks.JSON""#),
        (
            "a".to_owned(),
            json!([null, [["file_upload", "1a2b3c4d-tasks.JSON"]]])
        )
    );
}

#[test]
fn tasks_that_are_not_read_are_counted() {
    let text = r#"[
        {"id": 5, "data": {"text": "a"}, "annotations": [{"completed_by": 1, "was_cancelled": true, "result": []}]},
        {"data": {"text": "b"}, "annotations": [], "predictions": [{"result": []}]},
        {"id": 7, "data": {"text": "c"}, "annotations": [{"completed_by": 1, "result": [
           {"id": "x", "from_name": "quality", "type": "choices", "value": {"choices": ["good"]}}]}]},
        {"id": 8, "data": {"text": "d"}, "annotations": [{"completed_by": 2, "skipped": true, "result": []}]}]"#;
    let (found, notices) = told(Format::LabelStudio, text, LayerChoice::Sole);
    assert_eq!(found.len(), 1);
    let unannotated = "1 task is not read because it has no annotations (task number 1 from 0)";
    let without = "1 result that belongs to no region is not read (task 7)";
    assert_eq!(
        notices,
        [
            "2 tasks are not read because all their annotations are cancelled or skipped (first: task 5)",
            unannotated,
            without
        ]
    );
    let (found, notices) = told(Format::LabelStudio, text, LayerChoice::All);
    assert_eq!(layers(&found[0]), [(Some("1"), Answer::Skipped)]);
    assert_eq!(
        (found.len(), notices),
        (3, vec![unannotated.to_owned(), without.to_owned()])
    );
}

#[test]
fn the_latest_annotation_of_a_user_is_read() {
    let annotation = |user: &str, more: &str, label: &str| {
        let region = region("0", "1", &format!("[\"{label}\"]"));
        format!(r#"{{"completed_by": {user}, {more} "result": [{region}]}}"#)
    };
    let ann = r#"{"id": 3, "email": "ann@x.org"}"#;
    let all = [
        annotation(
            ann,
            r#""updated_at": "2024-05-02T10:00:00Z", "created_at": "2024-05-01","#,
            "LATE",
        ),
        annotation(ann, r#""created_at": "2024-05-01T10:00:00Z","#, "EARLY"),
        annotation("4", "", "BOB"),
        annotation(
            ann,
            r#""was_cancelled": true, "updated_at": "2025","#,
            "CANCELLED",
        ),
    ];
    let text = format!(
        r#"{{"id": 9, "data": {{"text": "ab"}}, "annotations": [{}]}}"#,
        all.join(",")
    );
    for name in ["ann@x.org", "3"] {
        let choice = LayerChoice::Named(name.to_owned());
        let (found, notices) = told(Format::LabelStudio, &text, choice);
        assert_eq!(spans(&found[0]), rows(&[("LATE", 0, 1)]));
        assert_eq!(
            notices,
            [
                "1 annotation is not read because the annotator annotated the same task again (task 9, annotator \
                 ann@x.org)"
            ]
        );
    }
    let (found, notices) = told(Format::LabelStudio, &text, LayerChoice::All);
    assert_eq!(
        layers(&found[0]),
        [
            (Some("ann@x.org"), Answer::Given),
            (Some("4"), Answer::Given)
        ]
    );
    assert!(
        notices[0].starts_with("2 annotations are not read"),
        "{notices:?}"
    );
}

#[test]
fn users_are_named_by_address_name_or_id() {
    let users = [
        (
            r#"{"id": 3, "email": "a@x.org", "username": "a"}"#,
            "a@x.org",
        ),
        (r#"{"id": 3, "email": "", "username": "a"}"#, "a"),
        (
            r#"{"id": 3, "first_name": "Ann", "last_name": "Lee"}"#,
            "Ann Lee",
        ),
        (r#"{"id": 3, "first_name": "", "last_name": ""}"#, "3"),
        ("3", "3"),
        (r#""a""#, "a"),
    ];
    for (user, name) in users {
        let text = format!(
            r#"{{"data": {{"text": "a"}}, "annotations": [{{"completed_by": {user}, "result": []}}]}}"#
        );
        let found = read("d", &text, Some(name)).unwrap();
        assert_eq!(layers(&found[0]), [(Some(name), Answer::Empty)]);
        if user.starts_with('{') {
            assert_eq!(read("d", &text, Some("3")).unwrap().len(), 1);
        }
    }
    let missing = format!(
        r#"{{"data": {{"text": "a"}}, "annotations": [{{"completed_by": {}, "result": []}}]}}"#,
        users[0].0
    );
    assert_eq!(
        read("d", &missing, Some("0")).unwrap_err().to_string(),
        "d: no annotator \"0\"; the file has a@x.org (3)"
    );
}

#[test]
fn offsets_in_code_points_are_recognised_by_the_texts_of_the_regions() {
    let region = |start: u32, end: u32, text: &str| {
        format!(
            r#"{{"type": "labels", "value": {{"start": {start}, "end": {end}, "text": "{text}", "labels": ["A"]}}}}"#
        )
    };
    let tasks = |all: &[String]| {
        let tasks = (1..).zip(all).map(|(id, results)| {
            format!(
                r#"{{"id": {id}, "data": {{"text": "\u00e9\ud83d\ude00bbc"}}, "annotations": [{{"result": [{results}]}}]}}"#
            )
        });
        format!("[{}]", tasks.collect::<Vec<_>>().join(","))
    };
    // Characters: é 0, smiley 1, b 2 and 3, c 4; `b` from 3 to 4 fits both units.
    let (found, notices) = told(
        Format::LabelStudio,
        &tasks(&[
            region(5, 6, "c") + "," + &region(3, 4, "b"),
            region(4, 5, "c") + "," + &region(3, 4, "b") + "," + &region(0, 1, "\u{e9}"),
        ]),
        LayerChoice::Sole,
    );
    assert_eq!(spans(&found[0]), rows(&[("A", 4, 5), ("A", 2, 3)]));
    assert_eq!(
        spans(&found[1]),
        rows(&[("A", 4, 5), ("A", 3, 4), ("A", 0, 1)])
    );
    assert_eq!(
        notices,
        [
            "offsets of 2 regions in 1 task count UTF-16 code units, as the texts of the regions show (first: task 1)"
        ]
    );
    // Without a decision in the task, the tasks before decide.
    let (found, _) = told(
        Format::LabelStudio,
        &tasks(&[region(4, 5, "c"), region(3, 4, "b")]),
        LayerChoice::Sole,
    );
    assert_eq!(spans(&found[1]), rows(&[("A", 3, 4)]));
    // Line ends may be escaped in the text of a region.
    let found = documents(&task(r"a\nb", &region(0, 3, r"a\\nb")));
    assert_eq!(spans(&found[0]), rows(&[("A", 0, 3)]));
    let found = documents(&task("ab", &region(0, 1, "x")));
    assert_eq!(
        found[0].left_out,
        [
            "A 0-1: the text there is not that of the region, \"x\", whether offsets count UTF-16 code units or code points"
        ]
    );
}
