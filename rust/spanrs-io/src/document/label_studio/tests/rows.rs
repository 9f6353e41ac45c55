//! JSON_MIN and CSV.

use super::*;

/// Records of three tasks, the first of which has two annotators.
fn records() -> [String; 6] {
    let record = |id: u32, by: &str, more: &str| {
        format!(
            r#"{{"id": {id}, "text": "ab", "source": "web", "annotator": {by}, "annotation_id": 1{more}}}"#
        )
    };
    let label = |label: &str| {
        format!(r#", "label": [{{"start": 0, "end": 1, "text": "a", "labels": ["{label}"]}}]"#)
    };
    // Label Studio exports the latest annotation first.
    [
        record(
            1,
            "\"ann@x.org\"",
            &(label("LATE") + r#", "updated_at": "2024-05-02T10:00:00Z""#),
        ),
        record(
            1,
            "\"ann@x.org\"",
            &(label("EARLY") + r#", "updated_at": "2024-05-01T10:00:00Z""#),
        ),
        record(2, "\"ann@x.org\"", &label("X")),
        record(1, "\"bob\"", ""),
        record(3, "null", ""),
        record(3, "null", ""),
    ]
}

#[test]
fn records_of_several_annotators_are_one_document() {
    let text = format!("[{}]", records().join(","));
    for format in [Format::LabelStudio, Format::LabelStudioMin] {
        let (found, notices) = told(format, &text, LayerChoice::All);
        assert_eq!(found.len(), 3);
        assert_eq!(
            layers(&found[0]),
            [
                (Some("ann@x.org"), Answer::Given),
                (Some("bob"), Answer::Empty)
            ]
        );
        assert_eq!(spans(&found[0]), rows(&[("LATE", 0, 1)]));
        assert_eq!(found[0].metadata, [("source".to_owned(), "web".into())]);
        assert_eq!(
            layers(&found[2]),
            [(None, Answer::Empty), (None, Answer::Empty)]
        );
        assert_eq!(
            notices,
            [
                "1 record is not read because the annotator annotated the same document again (task 1, annotator \
                 ann@x.org)"
            ]
        );
    }
}

#[test]
fn one_annotator_is_selected() {
    let records = records();
    let text = format!("[{}]", records.join(","));
    let refused = |text: &str| read("d", text, None).unwrap_err().to_string();
    assert_eq!(
        refused(&text),
        "d: annotators ann@x.org and bob both annotated task 1; choose one (--annotator)"
    );
    assert_eq!(
        refused(&format!("[{}]", records[4..].join(","))),
        "d: task 3 has two annotations, at least one of them without an annotator; keep only one of them"
    );
    assert_eq!(read("d", &text, Some("1")).unwrap().len(), 1);
    assert_eq!(
        read("d", &text, Some("eve")).unwrap_err().to_string(),
        "d: no annotator \"eve\"; the file has ann@x.org, bob"
    );
    let other_text = text.replacen("\"ab\"", "\"abc\"", 1);
    let (found, notices) = told(Format::LabelStudio, &other_text, LayerChoice::All);
    assert_eq!(found.len(), 4);
    assert_eq!(
        notices,
        [
            "2 records have the id of another record, but another text, and are separate documents (first: task 1)"
        ]
    );
}

#[test]
fn csv_has_the_records_of_json_min() {
    let comma = concat!(
        "\u{FEFF}\"_data_label\",\"annotation_id\",\"annotator\",\"created_at\",\"id\",\"label\",\"lead_time\",",
        "\"text\",\"title\",\"updated_at\"\r\n",
        "\"L\",7,\"ann@x.org\",\"2024-05-17T09:30:12Z\",1,\"[{\"\"start\"\": 0, \"\"end\"\": 3, \"\"text\"\": ",
        "\"\"Bob\"\", \"\"labels\"\": [\"\"PER\"\"]}]\",3.2,\"Bob\nate\",\"T\",\"\"\r\n",
        "\"\",8,\"4\",\"\",1,\"\",3.2,\"Bob\nate\",\"T\",\"\"\r\n",
    );
    // Exported by a version whose other columns were in upper case.
    let tabs = "ID\tTEXT\tid\tlabel\tannotator\n5\tab\t1\t\"[{\"\"start\"\": 0, \"\"end\"\": 1, \"\"labels\"\": \
                [\"\"A\"\"]}]\"\ta@x.org\n";
    let (found, notices) = told(Format::LabelStudioCsv, comma, LayerChoice::All);
    assert_eq!(found.len(), 1);
    assert_eq!(
        (&*found[0].text, found[0].name.as_deref()),
        ("Bob\nate", Some("T"))
    );
    assert_eq!(
        layers(&found[0]),
        [
            (Some("ann@x.org"), Answer::Given),
            (Some("4"), Answer::Empty)
        ]
    );
    assert_eq!(spans(&found[0]), rows(&[("PER", 0, 3)]));
    assert_eq!(found[0].metadata, [("_data_label".to_owned(), "L".into())]);
    // The second record has no cell in this column.
    assert_eq!(notices.len(), 1);
    let (found, _) = told(Format::LabelStudioCsv, tabs, LayerChoice::All);
    assert_eq!(
        (&*found[0].text, spans(&found[0]), json!(found[0].metadata)),
        ("ab", rows(&[("A", 0, 1)]), json!([["ID", "5"]]))
    );
}

#[test]
fn a_row_is_not_longer_than_the_limit() {
    let mut reader = Reader::new(Format::LabelStudioCsv);
    reader.limits.document_bytes = 1000;
    let row = "1,ab,[]\n";
    let many = format!("id,text,label\n{}", row.repeat(10_000));
    assert!(reader.read("d", many.replace("1,", ",").as_bytes()).is_ok());
    let quoted = format!("id,text,label\n1,\"{}", row.repeat(100_000));
    assert_eq!(
        reader.read("d", quoted.as_bytes()).unwrap_err().to_string(),
        "d:2: the record has more than 1000 bytes, the limit for a document"
    );
}
