//! Label Studio regions: labelled segments whose offsets count UTF-16 code units.
//!
//! A character beyond U+FFFF has two code units. In `a😀b` the characters are at the code units 0, 1
//! and 3; the offset 2 is within a character, and a region with this offset is left out. The code
//! units at which such characters begin are stored in ascending order, so that an offset is
//! converted by binary search: the character offset is the code unit offset minus the number of
//! preceding characters with two code units.
//!
//! | region of `a😀b`, without text | annotation |
//! |---|---|
//! | 0-1 | `a`, characters 0-1 |
//! | 1-3 | `😀`, characters 1-2 |
//! | 0-2 | none: ends within a character |
//! | 0-5 | none: extends beyond the text of 4 code units |
//! | 3-4, with the text `x` | none: the text there is `b` |
//!
//! Label Studio 1.4 and later counts code points, like Python; earlier versions and scripts count
//! code units. A region has both its offsets and its text, which shows the unit. In `a😀bb`, a region
//! with the text `b` and the offsets 2-3 counts code points. If both units fit, as with the offsets
//! 3-4 and the text `b`, the other regions of the task decide: it counts code points if at least one
//! region fits code points only, and none fits code units only. If no region decides, the tasks
//! before decide in the same way. Otherwise regions with a text, which all versions write, count code
//! points, and regions without a text are assumed to count code units. Regions whose offsets count
//! code units are reported in a notice.
//!
//! Regions that are left out are reported, once for each label. If the text of a region is not found
//! at its offsets in either unit, the export uses other offsets, for example of another version of
//! the text.
//!
//! Location of texts and regions in the two exports, which `label_studio` reads:
//!
//! | | JSON | JSON_MIN |
//! |---|---|---|
//! | regions | `value` of the items of `result` whose `type` is `labels` | items of all lists that have `labels` |
//! | annotations | `annotations`, before version 1.0 `completions` | each task is one annotation |
//! | user | `completed_by` of the annotation | `annotator` |
//! | relations | items of `result` whose `type` is `relation`, between regions by id | none |
//! | attributes | other items of `result` with the id of a region, named after their control; `note`: `meta.text` of the region | none |
//! | left out with a report | `hypertextlabels`, `paragraphlabels` | the same |
//! | counted | items that belong to no region | none |
//! | ignored | `predictions` | none |
//!
//! Spans in HTML and in dialogues are left out with a report, because their text is not plain text.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::annotated_text::{Answer, Document, Layer};
use super::annotators::user_name;
use super::counted::Counted;
use super::json::{excerpt, list, object, short};

/// A document with an index of its code units.
pub(super) struct Regions {
    /// The document; regions are added to it.
    pub(super) document: Document,
    /// Ascending offsets of the characters with two code units, in code units; empty for ASCII.
    pairs: Vec<u32>,
    /// Length of the text in code units.
    units: u64,
    /// Byte offset of every [`STEP`]th character.
    offsets: Vec<usize>,
    /// Whether offsets count code points if the regions of the document do not decide; None if the
    /// documents before do not decide either.
    pub(super) before: Option<bool>,
    /// Number of regions that fit code points only, and code units only.
    evidence: (u64, u64),
    /// Number of regions read with offsets in code units that differ from those in code points:
    /// with and without a text.
    code_units: [u64; 2],
    /// Number of results that belong to no region.
    pub(super) without_region: u64,
}

/// Regions whose offsets count code units, over all tasks of a file: with and without a text.
#[derive(Default)]
pub(super) struct CodeUnits {
    regions: [u64; 2],
    tasks: [Counted; 2],
    /// Number of regions that fit code points only, and code units only.
    evidence: (u64, u64),
}

impl CodeUnits {
    /// Returns whether the tasks so far count code points; None if they do not decide.
    pub(super) fn code_points(&self) -> Option<bool> {
        (self.evidence != (0, 0)).then(|| prevail(self.evidence))
    }

    /// Adds the regions of a task.
    pub(super) fn add(&mut self, regions: &Regions, place: impl Fn() -> String) {
        self.evidence.0 += regions.evidence.0;
        self.evidence.1 += regions.evidence.1;
        for (at, &number) in regions.code_units.iter().enumerate() {
            if number > 0 {
                self.regions[at] += number;
                self.tasks[at].add(&place);
            }
        }
    }

    /// Returns the sentences about these regions.
    pub(super) fn notices(&self) -> impl Iterator<Item = String> {
        let ends = [
            (
                "count UTF-16 code units, as the texts of the regions show",
                "",
            ),
            ("are assumed to count UTF-16 code units", " without text"),
        ];
        let number = |number: u64, what: &str| match number {
            1 => format!("1 {what}"),
            _ => format!("{number} {what}s"),
        };
        let all = self.regions.iter().zip(&self.tasks).zip(ends);
        all.filter(|((regions, _), _)| **regions > 0).map(
            move |((&regions, tasks), (count, without))| {
                format!(
                    "offsets of {}{without} in {} {count} (first: {})",
                    number(regions, "region"),
                    number(tasks.number(), "task"),
                    tasks.first()
                )
            },
        )
    }
}

/// Returns true if there is evidence for code points, and none for code units.
fn prevail((code_points, code_units): (u64, u64)) -> bool {
    code_points > 0 && code_units == 0
}

/// Number of characters between two entries of `offsets`.
const STEP: usize = 256;

/// Number of additional characters of the document, beyond the length of a region's text, that are
/// searched for the region's text.
const LONGEST_REST: usize = 200;
/// Number of additional characters that are searched including white space.
const LONGEST_BLANK: usize = 1000;

/// Classification of an offset in code units.
enum Place {
    /// The beginning of a character (with its index), or the end of the text.
    Character(u32),
    /// Between the two code units of a character.
    WithinCharacter,
    /// Beyond the end of the text.
    Beyond,
}

impl Regions {
    /// Creates a document without annotations and indexes its text.
    pub(super) fn new(text: String) -> Self {
        let (mut pairs, mut units) = (Vec::new(), 0_u64);
        if text.is_ascii() {
            units = text.len() as u64;
        } else {
            for character in text.chars() {
                if character.len_utf16() == 2 {
                    pairs.push(units as u32);
                }
                units += character.len_utf16() as u64;
            }
        }
        let offsets = text.char_indices().step_by(STEP).map(|(at, _)| at);
        Self {
            offsets: offsets.collect(),
            document: Document::new(text),
            pairs,
            units,
            before: None,
            evidence: (0, 0),
            code_units: [0; 2],
            without_region: 0,
        }
    }

    /// Converts an offset to characters; `code_points` is its unit.
    fn place(&self, unit: u64, code_points: bool) -> Place {
        if code_points {
            return match u32::try_from(unit) {
                Ok(at) if unit <= self.units - self.pairs.len() as u64 => Place::Character(at),
                _ => Place::Beyond,
            };
        }
        if unit > self.units {
            return Place::Beyond;
        }
        let unit = unit as u32;
        let before = self.pairs.partition_point(|&pair| pair < unit);
        match before.checked_sub(1).map(|last| self.pairs[last]) {
            Some(pair) if pair + 1 == unit => Place::WithinCharacter,
            _ => Place::Character(unit - before as u32),
        }
    }

    /// Returns true if the text from `start` to `end` (in characters) contains the text stored in
    /// the region, or if the region does not store a text.
    ///
    /// White space is ignored, and the region's text may be truncated; both differences occur in
    /// exports with correct offsets. A mismatch means that the offsets count another unit, such as
    /// code points.
    ///
    /// | text in the document | text of the region | result |
    /// |---|---|---|
    /// | `New York` | `NewYork` | true |
    /// | `New York` | `New` | true |
    /// | `New York` | `Bonn` | false |
    /// | any | not given, or the region is empty | true |
    ///
    /// A long region with a short text is compared only at its beginning, so that time is linear in
    /// the size of the file.
    fn holds(&self, start: u32, end: u32, value: &Map<String, Value>) -> bool {
        let Some(Value::String(said)) = value.get("text") else {
            return true;
        };
        if start >= end {
            return true;
        }
        let (said, found) = self.compared(start, end, said);
        // Some versions write line ends as `\n`.
        found.contains(&said) || found.contains(&said.replace("\\n", ""))
    }

    /// Returns the text of a region and the text between two offsets, without white space.
    fn compared(&self, start: u32, end: u32, said: &str) -> (String, String) {
        // A long region with a short text is compared only at its beginning, so that time is
        // linear.
        let length = (end - start) as usize;
        let stretch = self
            .from(start)
            .take(length.min(said.len() + LONGEST_BLANK));
        let said: String = said.chars().filter(|c| !c.is_whitespace()).collect();
        let stretch = stretch
            .filter(|c| !c.is_whitespace())
            .take(said.len() + LONGEST_REST);
        let found = stretch.collect();
        (said, found)
    }

    /// Returns true if offsets in this unit give exactly the text of the region, apart from white
    /// space.
    fn fits(&self, value: &Map<String, Value>, code_points: bool) -> bool {
        let offset = |key: &str| Some(self.place(value.get(key)?.as_u64()?, code_points));
        let (Some(Place::Character(start)), Some(Place::Character(end)), Some(said)) = (
            offset("start"),
            offset("end"),
            value.get("text").and_then(Value::as_str),
        ) else {
            return false;
        };
        if start >= end || said.trim().is_empty() {
            return false;
        }
        let (said, found) = self.compared(start, end, said);
        found == said || found == said.replace("\\n", "")
    }

    /// Adds the evidence of regions for the unit of their offsets.
    pub(super) fn weigh<'a>(&mut self, values: impl Iterator<Item = &'a Map<String, Value>>) {
        if self.pairs.is_empty() {
            return;
        }
        for value in values {
            match (self.fits(value, true), self.fits(value, false)) {
                (true, false) => self.evidence.0 += 1,
                (false, true) => self.evidence.1 += 1,
                _ => {}
            }
        }
    }

    /// Returns whether the offsets of a region count code points.
    fn counts_code_points(&self, value: &Map<String, Value>) -> bool {
        if self.pairs.is_empty() {
            return false;
        }
        let first = match self.evidence {
            (0, 0) => self.before.unwrap_or_else(|| value.contains_key("text")),
            evidence => prevail(evidence),
        };
        if !self.fits(value, first) && self.fits(value, !first) {
            return !first;
        }
        first
    }

    /// Returns the text starting at a character, after scanning fewer than [`STEP`] preceding
    /// characters.
    fn from(&self, start: u32) -> impl Iterator<Item = char> {
        let offset = self.offsets.get(start as usize / STEP).copied();
        let text = &self.document.text[offset.unwrap_or(self.document.text.len())..];
        text.chars().skip(start as usize % STEP)
    }

    /// Adds the annotations of one user: a layer with its regions, their attributes and relations.
    /// An annotation that was cancelled or skipped becomes a layer without regions. `at` returns
    /// the location of the annotation in the file, for messages.
    ///
    /// # Errors
    /// A message if the results do not have the expected structure.
    pub(super) fn add_layer(
        &mut self,
        annotation: &Value,
        at: impl Fn() -> String,
    ) -> Result<(), String> {
        self.document.layers.push(Layer {
            name: annotation.get("completed_by").and_then(user_name),
            answer: Answer::Empty,
        });
        if !counts(annotation) {
            self.answer(Answer::Skipped);
            return Ok(());
        }
        let place = || format!("{}.result", at());
        let results = list(annotation.get("result").unwrap_or(&Value::Null), place)?;
        self.weigh(results.iter().filter_map(|result| {
            let is_region = result.get("type").and_then(Value::as_str) == Some("labels");
            result.get("value")?.as_object().filter(|_| is_region)
        }));
        let attributes = attributes(results);
        let mut regions = HashMap::new();
        for (at, result) in results.iter().enumerate() {
            let place = || format!("{}[{at}]", place());
            let result = object(result, place)?;
            let kind = result.get("type").and_then(Value::as_str);
            if let Some(other @ ("hypertextlabels" | "paragraphlabels")) = kind {
                // These are spans, but not in plain text.
                self.document
                    .leave_out(|| format!("{}: regions of type {other} are not read", place()));
            }
            if kind == Some("labels") {
                let place = || format!("{}.value", place());
                let value = object(result.get("value").unwrap_or(&Value::Null), place)?;
                let id = result.get("id").and_then(Value::as_str).unwrap_or_default();
                let first = self.document.annotations.len();
                self.add(value, place)?;
                // Attributes are added once for each id; all annotations with that id share them.
                let added = first..self.document.annotations.len();
                match (regions.get(id), attributes.get(id)) {
                    (Some(&first), _) => self.document.share_attributes(first, added),
                    (None, Some(attributes)) => self.document.set_attributes(added, attributes),
                    (None, None) => {}
                }
                if first < self.document.annotations.len() && !id.is_empty() {
                    regions.entry(id).or_insert(first as u32);
                }
            }
        }
        let ids = attributes
            .iter()
            .filter(|(id, _)| !regions.contains_key(*id));
        self.without_region += ids.map(|(_, all)| all.len() as u64).sum::<u64>();
        self.relate(results, &regions);
        Ok(())
    }

    /// Sets the answer of the last layer.
    fn answer(&mut self, answer: Answer) {
        if let Some(layer) = self.document.layers.last_mut() {
            layer.answer = answer;
        }
    }

    /// Adds the relations in a list of results. `regions` maps the id of each region to its first
    /// annotation; a relation without both regions is left out with a report.
    fn relate(&mut self, results: &[Value], regions: &HashMap<&str, u32>) {
        for result in results {
            let key = |key: &str| result.get(key).and_then(Value::as_str).unwrap_or_default();
            if key("type") != "relation" {
                continue;
            }
            let labels = result.get("labels").and_then(Value::as_array);
            let labels = labels.map(Vec::as_slice).unwrap_or_default();
            let labels: Vec<&str> = labels.iter().filter_map(Value::as_str).collect();
            // A relation need not have a label.
            let labels = if labels.is_empty() {
                vec!["relation"]
            } else {
                labels
            };
            let [from, to] = ["from_id", "to_id"].map(key);
            let (Some(&source), Some(&target)) = (regions.get(from), regions.get(to)) else {
                self.document.leave_out_relation(|| {
                    let [from, to] = [from, to].map(|id| excerpt(id, 40));
                    format!(
                        "a relation from {from:?} to {to:?}, at least one of which is not a text \
                         region"
                    )
                });
                continue;
            };
            for label in labels {
                let direction = key("direction");
                if direction != "left" {
                    self.document.relate(label, source, target);
                }
                if matches!(direction, "left" | "bi") {
                    self.document.relate(label, target, source);
                }
            }
        }
    }

    /// Adds a region: an annotation for each of its labels. `at` returns its location in the file,
    /// for messages.
    ///
    /// ```json
    /// {"start": 0, "end": 3, "labels": ["PER", "SINGER"], "text": "Bob"}
    /// ```
    ///
    /// A region that does not match the text is left out with a report: its offsets are beyond the
    /// text or within a character, or the text at its offsets is not the text of the region. A
    /// region that ends before it begins is added, and removed when the document is closed.
    ///
    /// # Errors
    /// A message if the offsets or the labels do not have the expected type.
    pub(super) fn add(
        &mut self,
        value: &Map<String, Value>,
        at: impl Fn() -> String,
    ) -> Result<(), String> {
        let offset = |key: &str| {
            let found = value.get(key).unwrap_or(&Value::Null);
            found.as_u64().ok_or_else(|| {
                let found = short(found);
                format!("{}: \"{key}\" is {found}, not a whole number from 0", at())
            })
        };
        let (start, end) = (offset("start")?, offset("end")?);
        let labels = value.get("labels").unwrap_or(&Value::Null);
        let code_points = self.counts_code_points(value);
        let places = (self.place(start, code_points), self.place(end, code_points));
        let mut read_as_code_units = false;
        for label in list(labels, || format!("{}.labels", at()))? {
            let Value::String(label) = label else {
                return Err(format!("{}: {} is not a label", at(), short(label)));
            };
            self.answer(Answer::Given);
            let (units, unit) = match code_points {
                true => (self.units - self.pairs.len() as u64, "code points"),
                false => (self.units, "UTF-16 code units"),
            };
            match places {
                (Place::Character(start), Place::Character(end)) if self.holds(start, end, value) => {
                    let ty = self.document.intern(label);
                    self.document.push(ty, start, end);
                    read_as_code_units = !code_points;
                }
                (Place::Character(_), Place::Character(_)) => self.document.leave_out(|| {
                    format!(
                        "{label} {start}-{end}: the text there is not that of the region, {}, whether \
                         offsets count UTF-16 code units or code points",
                        short(value.get("text").unwrap_or(&Value::Null))
                    )
                }),
                (Place::Beyond, _) | (_, Place::Beyond) => self.document.leave_out(|| {
                    format!(
                        "{label} {start}-{end} reaches beyond the text of {units} {unit}"
                    )
                }),
                _ => self.document.leave_out(|| {
                    format!(
                        "{label} {start}-{end}, in UTF-16 code units, begins or ends within a \
                         character"
                    )
                }),
            }
        }
        // Behind the first character with two code units, the two units differ.
        let differs = self
            .pairs
            .first()
            .is_some_and(|&first| end > u64::from(first));
        let kind = usize::from(!value.contains_key("text"));
        self.code_units[kind] += u64::from(read_as_code_units && differs);
        Ok(())
    }
}

/// The attribute for the notes of a region.
pub(super) const NOTE: &str = "note";
/// Key of the value of an attribute that Label Studio has no control for, as written by spanrs.
pub(super) const JSON: &str = "json";

/// Returns the attributes of each region by region id: results of other controls for the same
/// region, such as choices, ratings and text areas, and the notes of the region. An attribute is
/// named after its control (`from_name`); a list of one item is replaced by the item.
fn attributes(results: &[Value]) -> HashMap<&str, Vec<(&str, &Value)>> {
    let mut found: HashMap<&str, Vec<_>> = HashMap::new();
    for result in results {
        let key = |key: &str| result.get(key).and_then(Value::as_str);
        let Some(id) = key("id").filter(|id| !id.is_empty()) else {
            continue;
        };
        let notes = result.get("meta").and_then(|meta| meta.get("text"));
        let notes = match notes {
            Some(Value::Array(notes)) => notes.as_slice(),
            Some(note) => std::slice::from_ref(note),
            None => &[],
        };
        let notes = notes.iter().filter(|note| note.is_string());
        for note in notes {
            found.entry(id).or_default().push((NOTE, note));
        }
        let kind = key("type").filter(|kind| !kind.ends_with("labels") && *kind != "relation");
        let (Some(kind), Some(value)) = (kind, result.get("value")) else {
            continue;
        };
        let name = key("from_name").unwrap_or(kind);
        if let Some(value) = value.get(JSON) {
            found.entry(id).or_default().push((name, value));
            continue;
        }
        // The key of the value of a text area is `text`.
        let Some(value) = value.get(if kind == "textarea" { "text" } else { kind }) else {
            continue;
        };
        let value = match value.as_array().map(Vec::as_slice) {
            Some([only]) => only,
            _ => value,
        };
        found.entry(id).or_default().push((name, value));
    }
    found
}

/// Returns true for annotations that were neither cancelled nor skipped.
pub(super) fn counts(annotation: &Value) -> bool {
    !says(annotation, "was_cancelled") && !says(annotation, "skipped")
}

/// Returns true if the value of `key` in an annotation is true.
pub(super) fn says(annotation: &Value, key: &str) -> bool {
    annotation.get(key) == Some(&Value::Bool(true))
}
