//! Fuzz target for tagging column files with a model.

use spanrs::ColumnFile;
use spanrs::crf::{AttributeIndex, Extractor, Features, Model, Template};
use spanrs::crf_files::{TagOptions, read_tagged, tag};
use spanrs_base::Interner;
use spanrs_io::{Column, ColumnReader, Columns, LineKind, Source};

use crate::columns::options;
use crate::input::{CHUNK, Input, lines};

/// Asserts that tagging keeps the number of lines and their kinds, that tagging the result again into the same column
/// does not change it, and that reading the result for training does not panic. The first bytes choose the options and
/// the output column.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let columns = Columns {
        second: None,
        ..options(&mut input)
    };
    let target = match input.byte() % 3 {
        0 => None,
        1 => Some(columns.tag.clone()),
        _ => Some(Column::Name("NER".to_owned())),
    };
    let probabilities = input.byte() % 2 == 1;
    let bytes = input.rest();
    let Some(tagged) = tagged(bytes, &columns, target.clone(), probabilities) else {
        return;
    };
    let untagged = Columns {
        untagged: true,
        ..columns.clone()
    };
    let before = kinds(bytes, &untagged);
    // With an additional column, a comment may have as many columns as the tokens, and is then read as a token.
    let comments = [LineKind::Comment, LineKind::Document];
    let has_comments = before.iter().flatten().any(|kind| comments.contains(kind));
    if target.is_some() || !has_comments {
        assert_eq!(kinds(&tagged, &untagged), before);
    }
    if target.is_some() && !probabilities {
        let again = self::tagged(&tagged, &columns, target, false);
        assert_eq!(again.as_deref(), Some(tagged.as_slice()));
    }
    // A file whose tags equal its tokens is rejected, and so is a file in which no word has the key.
    let _ = read_tagged(&file(&tagged, &columns), None, &mut |_| true);
}

fn file(bytes: &[u8], columns: &Columns) -> ColumnFile {
    let reader = Box::new(std::io::Cursor::new(bytes.to_vec()));
    ColumnFile {
        source: Source::stream("file", reader).into(),
        columns: columns.clone(),
    }
}

/// The output; None for a file that is rejected.
fn tagged(
    bytes: &[u8],
    columns: &Columns,
    target: Option<Column>,
    probabilities: bool,
) -> Option<Vec<u8>> {
    let (features, _) = Features::listed(2, 1, &[(0, 1)], &[]).expect("the features are valid");
    let (mut labels, mut attributes) = (Interner::default(), Interner::default());
    for name in ["O", "B-PER"] {
        labels.intern(name);
    }
    attributes.intern("U:a");
    let model = Model::new(labels, attributes, features, vec![1.0], "{}".into());
    let model = model.expect("the model is valid");
    let template = Template::parse("U:%x[0,0]").expect("the template is valid");
    let template = Extractor::new(&template);
    let index = AttributeIndex::new(model.attributes());
    let options = TagOptions {
        extra: Vec::new(),
        target,
        conllu_target: Some(Column::Name("NER".to_owned())),
        posterior: false,
        probabilities,
        threads: 1,
        watch: || false,
    };
    let (files, mut out) = ([file(bytes, columns)], Vec::new());
    match tag(
        &files,
        &model,
        (&template, &index),
        &options,
        &mut out,
        &mut |_| true,
    ) {
        Ok(_) => Some(out),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}

/// The kinds of the lines; None for a file that is rejected.
fn kinds(bytes: &[u8], columns: &Columns) -> Option<Vec<LineKind>> {
    let mut rows = ColumnReader::new(lines(bytes, CHUNK).ok()?, columns.clone()).ok()?;
    let mut kinds = Vec::new();
    while let Some(kind) = rows.next_line().ok()? {
        kinds.push(kind);
    }
    Some(kinds)
}
