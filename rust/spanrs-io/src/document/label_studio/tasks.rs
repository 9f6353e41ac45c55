//! Label Studio's JSON: tasks with the annotations of several users.
//!
//! Only one task at a time is in memory as a tree, plus a few bytes for each task that has been
//! read, to detect duplicates.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};
use spanrs_base::{Limits, Position};

use super::{Task, WHAT, is_full, moment, shown, take_text};
use crate::document::annotated_text::Document;
use crate::document::annotators::{Annotator, Annotators, LayerChoice, is_by, user_name};
use crate::document::counted::Counted;
use crate::document::encoding::behind;
use crate::document::json::{self, list, object};
use crate::document::metadata::{add_facts, take_name};
use crate::document::records::{Fingerprints, Items};
use crate::document::regions::{CodeUnits, Regions, counts, says};
use crate::document::stream::Records;
use crate::error::{Code, Error, Result};
use crate::source::Source;

/// Reads the annotated tasks; tasks without annotations are skipped, unless a project is read
/// ([`LayerChoice::Project`]).
///
/// If an annotator is selected (by name, e-mail address or id of a user), only the tasks annotated
/// by this user are read. If no user id is a number, a number selects a position from 0: among the
/// users in the order of their first occurrence in the file, or among the annotations of each task
/// if the file contains no users.
pub(super) struct Tasks {
    items: Items,
    wanted: Wanted,
    /// Whether tasks without annotations are read, as documents without layers.
    with_unannotated: bool,
    /// The users found so far.
    users: Annotators,
    fingerprints: Fingerprints,
    /// The tasks read so far, by id and text.
    tasks: HashSet<u128>,
    /// Index of the next task, from 0.
    at: u64,
    /// Whether a document has been returned.
    found: bool,
    /// Whether a task has predictions.
    predicted: bool,
    counts: Counts,
}

/// What is not read, or not as in the file.
#[derive(Default)]
struct Counts {
    /// Tasks whose annotations are all cancelled or skipped.
    cancelled: Counted,
    /// Tasks without annotations.
    unannotated: Counted,
    /// Annotations followed by another annotation of the same user.
    replaced: Counted,
    /// Results that belong to no region, such as choices for the whole text.
    without_region: Counted,
    code_units: CodeUnits,
}

/// The annotators whose annotations are read.
enum Wanted {
    /// For each task, the annotations of one of its users.
    Sole,
    /// The annotations of one user. The string is the name given in the options, for messages.
    One(Annotator, String),
    /// For each task, the annotations of all users.
    All,
}

impl Records for Tasks {
    fn next(&mut self) -> Result<Option<Document>> {
        self.next_document()
    }

    fn notices(&mut self) -> Vec<String> {
        const AGAIN: &str = "not read because the annotator annotated the same task again";
        let Counts {
            cancelled,
            unannotated,
            replaced,
            without_region,
            code_units,
        } = &self.counts;
        let notices = [
            cancelled.notice(
                "task is not read because all its annotations are cancelled or skipped",
                "tasks are not read because all their annotations are cancelled or skipped",
            ),
            unannotated.notice(
                "task is not read because it has no annotations",
                "tasks are not read because they have no annotations",
            ),
            replaced.notice(
                &format!("annotation is {AGAIN}"),
                &format!("annotations are {AGAIN}"),
            ),
            without_region.notice(
                "result that belongs to no region is not read",
                "results that belong to no region are not read",
            ),
        ];
        let notices = notices.into_iter().flatten();
        notices.chain(code_units.notices()).collect()
    }
}

impl Tasks {
    /// Opens a source. If `choice` is a number, the source is read twice, to find out first whether
    /// the number is a name.
    ///
    /// # Errors
    /// The errors of [`Items::open`], and for an annotator given by number the errors of
    /// [`Records::next`].
    pub(super) fn open(source: &Source, choice: &LayerChoice, limits: Limits) -> Result<Self> {
        let open = |wanted| {
            Ok(Self {
                items: Items::open(source, limits, WHAT)?,
                wanted,
                with_unannotated: *choice == LayerChoice::Project,
                users: Annotators::default(),
                fingerprints: Fingerprints::default(),
                tasks: HashSet::new(),
                at: 0,
                found: false,
                predicted: false,
                counts: Counts::default(),
            })
        };
        let wanted = match choice {
            LayerChoice::Sole => Wanted::Sole,
            LayerChoice::All | LayerChoice::Project => Wanted::All,
            LayerChoice::Named(name) if !choice.is_number() => {
                Wanted::One(Annotator::Name(name.clone()), name.clone())
            }
            LayerChoice::Named(name) => {
                let mut tasks: Self = open(Wanted::All)?;
                while tasks.task()?.is_some() {}
                let users = tasks.users;
                let chosen = match (users.numbered(name), name.parse()) {
                    (Some(place), _) => Annotator::Name(users.names()[place].clone()),
                    (None, Ok(place)) if users.names().is_empty() => Annotator::Place(place),
                    _ => Annotator::Name(name.clone()),
                };
                Wanted::One(chosen, name.clone())
            }
        };
        open(wanted)
    }

    /// Returns the next document; None at the end.
    ///
    /// # Errors
    /// [`Code::BadDocument`] for malformed files, two tasks with the same id and text, an unknown
    /// annotator, and files with only predictions; also the errors of [`Items::next`].
    fn next_document(&mut self) -> Result<Option<Document>> {
        while let Some((end, mut task)) = self.task()? {
            self.predicted |= task.contains_key("predictions");
            let id = task.get("id").and_then(json::id);
            let made = self.document(&mut task, id.as_deref()).map_err(|message| {
                let named = id
                    .as_ref()
                    .map_or(String::new(), |id| format!(" (id {id})"));
                let message = format!("{WHAT}: task {}{named}: {message}", self.at - 1);
                Error::new(Code::BadDocument, end, message)
            })?;
            let Some(mut document) = made else {
                continue;
            };
            if let Some(id) = &id {
                self.refuse_repeated(id, &document)?;
            }
            document.id = id;
            self.found = true;
            return Ok(Some(document));
        }
        match &self.wanted {
            _ if self.found => Ok(None),
            Wanted::One(_, name) => Err(self.users.missing(self.items.name(), name)),
            _ if self.predicted => {
                let message =
                    "no task has annotations that are not cancelled; predictions are not read";
                let position = Position::file(self.items.name());
                Err(Error::new(Code::BadDocument, position, message))
            }
            _ => Ok(None),
        }
    }

    /// Returns the next task and the position of its end, for messages; None at the end. Adds the
    /// users of the task.
    fn task(&mut self) -> Result<Option<(Position, Map<String, Value>)>> {
        let Some((from, item)) = self.items.next()? else {
            return Ok(None);
        };
        let Task(task) =
            serde_json::from_str(item).map_err(|error| json::error_from(&from, WHAT, &error))?;
        let end = behind(&from, &item.as_bytes()[..item.len() - 1]);
        self.at += 1;
        let all = annotations(&task).map_or(&[][..], |(_, all)| all);
        for annotation in all.iter().filter(|annotation| counts(annotation)) {
            self.users.add_user(annotation.get("completed_by"));
        }
        Ok(Some((end, task)))
    }

    /// Creates the document of a task; None if the task was not annotated, or not by the selected
    /// annotator. If all layers are wanted, each annotation becomes a layer. Otherwise one
    /// annotation that was neither cancelled nor skipped is read: the annotation of the selected
    /// annotator or, if no annotator is selected, the ground truth, otherwise the first annotation,
    /// with a report of the others.
    fn document(
        &mut self,
        task: &mut Map<String, Value>,
        id: Option<&str>,
    ) -> std::result::Result<Option<Document>, String> {
        if !is_full(task) {
            return Err("this is a record of JSON_MIN in a file of JSON".to_owned());
        }
        let mut facts = match task.get_mut("data").map(Value::take) {
            Some(Value::Object(facts)) => facts,
            _ => Map::new(),
        };
        let text = take_text(&mut facts, &[])?;
        let (key, all) = annotations(task)?;
        for (at, annotation) in all.iter().enumerate() {
            object(annotation, || format!("{key}[{at}]"))?;
        }
        let number = self.at - 1;
        let place = || shown(id, number);
        let (latest, replaced) = latest(all);
        let Some((chosen, others)) = self.choose(all, &latest) else {
            if all.is_empty() {
                self.counts.unannotated.add(place);
            } else if !all.iter().any(counts) && !matches!(self.wanted, Wanted::One(..)) {
                self.counts.cancelled.add(place);
            }
            return Ok(None);
        };
        self.count_replaced(all, &replaced, &chosen, place);
        let mut regions = Regions::new(text);
        regions.before = self.counts.code_units.code_points();
        if !others.is_empty() {
            regions.document.leave_out(|| not_read(&others));
        }
        for at in chosen {
            regions.add_layer(&all[at], || format!("{key}[{at}]"))?;
        }
        for _ in 0..regions.without_region {
            self.counts.without_region.add(place);
        }
        self.counts.code_units.add(&regions, place);
        let mut document = regions.document;
        describe(&mut document, facts, task);
        Ok(Some(document))
    }

    /// Returns the indices of the annotations to read, and the annotations that are not read and
    /// must be reported; None if the task is not read.
    fn choose<'a>(
        &self,
        all: &'a [Value],
        latest: &[usize],
    ) -> Option<(Vec<usize>, Vec<&'a Value>)> {
        if matches!(self.wanted, Wanted::All) {
            let is_read = !latest.is_empty() || self.with_unannotated;
            return is_read.then(|| (latest.to_vec(), Vec::new()));
        }
        let made: Vec<usize> = latest
            .iter()
            .copied()
            .filter(|&at| counts(&all[at]))
            .collect();
        let mut others = &made[..0];
        let chosen = match &self.wanted {
            Wanted::One(Annotator::Name(name), _) => {
                let by = |at: &&usize| {
                    all[**at]
                        .get("completed_by")
                        .is_some_and(|u| is_by(u, name))
                };
                made.iter().find(by)
            }
            Wanted::One(Annotator::Place(place), _) => made.get(*place),
            _ => {
                let truth = made.iter().find(|&&at| says(&all[at], "ground_truth"));
                if truth.is_none() {
                    others = made.get(1..).unwrap_or_default();
                }
                truth.or(made.first())
            }
        };
        let others = others.iter().map(|&at| &all[at]).collect();
        Some((vec![*chosen?], others))
    }

    /// Counts the annotations replaced by those that are read.
    fn count_replaced(
        &mut self,
        all: &[Value],
        replaced: &[usize],
        chosen: &[usize],
        place: impl Fn() -> String,
    ) {
        if replaced.is_empty() {
            return;
        }
        let user = |at: &usize| all[*at].get("completed_by").and_then(user_name);
        let users: HashSet<String> = chosen.iter().filter_map(user).collect();
        for at in replaced {
            // A cancelled annotation would not be read anyway.
            let would_count = counts(&all[*at]) || matches!(self.wanted, Wanted::All);
            if let Some(user) = user(at).filter(|user| would_count && users.contains(user)) {
                let place = || format!("{}, annotator {user}", place());
                self.counts.replaced.add(place);
            }
        }
    }

    /// Rejects two tasks with the same id and text.
    fn refuse_repeated(&mut self, id: &str, document: &Document) -> Result<()> {
        let key = self.fingerprints.of((id, &document.text));
        if self.tasks.insert(key) {
            return Ok(());
        }
        let message = format!("task {id} occurs twice with the same text; keep only one of them");
        let position = Position::file(self.items.name());
        Err(Error::new(Code::BadDocument, position, message))
    }
}

/// Returns the indices of the annotations that no other annotation of the same user replaces, and
/// of the replaced ones.
///
/// Of the annotations of one user, those that were not cancelled take precedence, then the ground
/// truth, then the latest. All annotations without a user are kept.
fn latest(all: &[Value]) -> (Vec<usize>, Vec<usize>) {
    let rank = |at: usize| {
        let annotation = &all[at];
        let time = annotation.as_object().map(moment).unwrap_or_default();
        (
            counts(annotation),
            says(annotation, "ground_truth"),
            time,
            at,
        )
    };
    let mut users: HashMap<String, usize> = HashMap::new();
    let mut keeps = vec![true; all.len()];
    for (at, annotation) in all.iter().enumerate() {
        let Some(user) = annotation.get("completed_by").and_then(user_name) else {
            continue;
        };
        let best = users.entry(user).or_insert(at);
        if *best != at {
            let replaced = if rank(at) > rank(*best) {
                std::mem::replace(best, at)
            } else {
                at
            };
            keeps[replaced] = false;
        }
    }
    (0..all.len()).partition(|&at| keeps[at])
}

/// Returns the key of the annotations of a JSON task, and the annotations.
fn annotations(task: &Map<String, Value>) -> std::result::Result<(&'static str, &[Value]), String> {
    // Before version 1.0, annotations were called completions.
    let key = match task.contains_key("annotations") {
        true => "annotations",
        false => "completions",
    };
    let Some(all) = task.get(key) else {
        return Err("there are no \"annotations\"; export the project as JSON".to_owned());
    };
    Ok((key, list(all, || key.to_owned())?))
}

/// Returns the report about annotations that are not read.
fn not_read(others: &[&Value]) -> String {
    let user = |annotation: &&Value| annotation.get("completed_by").and_then(user_name);
    let names: Vec<String> = others.iter().filter_map(user).collect();
    let names = match names.as_slice() {
        [] => String::new(),
        names => format!(" ({})", json::excerpt(&names.join(", "), 100)),
    };
    let who = match others {
        [_] => "1 other annotator is",
        _ => &format!("{} other annotators are", others.len()),
    };
    format!(
        "{who} not read{names}, and there is no ground truth; choose an annotator \
         (--annotator)"
    )
}

/// Sets name and metadata of the document of a task.
fn describe(document: &mut Document, mut facts: Map<String, Value>, task: &Map<String, Value>) {
    document.name = take_name(&mut facts);
    add_facts(document, facts);
    if let Some(Value::Object(meta)) = task.get("meta") {
        document.metadata.extend(meta.clone());
    }
    let Some(upload) = task.get("file_upload").and_then(Value::as_str) else {
        return;
    };
    let name = file_name(upload);
    if document.name.is_none() && !name.is_empty() && !holds_tasks(name) {
        document.name = Some(name.to_owned());
    } else {
        let fact = ("file_upload".to_owned(), upload.into());
        document.metadata.push(fact);
    }
}

/// Returns true for the name of a file of tasks, which is not the name of a document.
fn holds_tasks(name: &str) -> bool {
    let suffixes = [".json", ".jsonl", ".csv", ".tsv"];
    let name = name.to_ascii_lowercase();
    suffixes.iter().any(|suffix| name.ends_with(suffix))
}

/// Returns the name of an uploaded file without the prefix that Label Studio adds.
///
/// ```text
/// 1a2b3c4d-doc1.txt -> doc1.txt
/// ```
fn file_name(upload: &str) -> &str {
    const PREFIX: usize = 8;
    let upload = upload.rsplit('/').next().unwrap_or_default();
    match upload.split_once('-') {
        Some((prefix, name))
            if prefix.len() == PREFIX && prefix.bytes().all(|b| b.is_ascii_hexdigit()) =>
        {
            name
        }
        _ => upload,
    }
}
