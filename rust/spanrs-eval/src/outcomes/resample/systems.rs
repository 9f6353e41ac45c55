//! Systems whose documents are aligned, and documents grouped by their counts.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::counts::Counts;
use super::super::error::CountsError;
use super::super::measure::{Evaluator, Measure};
use super::super::rows::Key;
use super::super::schema::{CORPUS, CellId, SENTENCES};

/// Counts of one or several systems on the same documents, aligned by key.
///
/// ```
/// use spanrs_eval::outcomes::{Cell, Counts, Criterion, Key, Measure, Outcome, Prf};
/// use spanrs_eval::outcomes::{Schema, Systems};
/// static SCHEMA: Schema = Schema {
///     name: "example",
///     criteria: &[Criterion::new(
///         "span",
///         &[Outcome::new("match", [1.0, 0.0, 0.0]), Outcome::new("missed", [0.0, 0.0, 1.0])],
///     )],
/// };
/// let system = |found: [u8; 3]| {
///     let mut counts = Counts::by_document(&SCHEMA);
///     let person = Some(counts.intern("PER"));
///     for (document, outcome) in (0..).zip(found) {
///         let cell = counts.cell(Cell::new(0, outcome, person, None));
///         counts.add(cell, 1);
///         counts.end_document(Key::Number(document));
///     }
///     counts
/// };
/// let (a, b) = (system([0, 0, 0]), system([0, 1, 1]));
/// let systems = Systems::new(vec![a.into(), b.into()]).unwrap();
/// let f1 = [Measure::Micro(Prf::f1(0))];
/// // Two of the four ways to exchange the two differing documents give a difference this large.
/// let as_large = systems.randomise([0, 1], &f1, 1_000, 0, 1, |_| false).unwrap();
/// assert!((400..600).contains(&as_large[0]));
/// ```
pub struct Systems {
    /// The counts of each system.
    counts: Vec<Arc<Counts>>,
    /// Types and cells of all systems, with totals of 0.
    union: Counts,
    /// For each system and cell of the system, the number of the cell in `union`.
    cells: Vec<Vec<CellId>>,
    /// For each system and document, sorted by key, the index of the row.
    rows: Vec<Vec<usize>>,
}

/// Documents grouped by their counts: documents with equal rows under every system are one group.
pub(super) struct Groups {
    /// The group of each document, sorted by key. Groups are numbered in the order of their first
    /// documents.
    pub of_documents: Vec<u32>,
    /// For each group, the nonzero counts as (cell, count), sorted by cell. A cell of the s-th
    /// system has the number `s * width + cell`.
    pub rows: Vec<Vec<(u32, f64)>>,
}

impl Systems {
    /// Aligns the documents of systems.
    ///
    /// A single system may have several documents with the same key; they stay separate, sorted by
    /// content. Takes O(n log n) time for n cells of all documents.
    ///
    /// # Errors
    /// [`CountsError::Schema`] for counts of different matchers; [`CountsError::Documents`] if
    /// there are no systems, or for counts without documents; [`CountsError::OpenDocument`]. For
    /// several systems also [`CountsError::Repeated`] if two documents have the same key,
    /// [`CountsError::Unpaired`] for a document that one system does not have, and
    /// [`CountsError::Gold`] for a document whose gold spans, sentences or tokens differ in number.
    pub fn new(counts: Vec<Arc<Counts>>) -> Result<Self, CountsError> {
        let names: Vec<_> = (0..counts.len()).map(|at| format!("system {at}")).collect();
        Self::named(counts, &names)
    }

    /// Aligns the documents of systems with names, which are used in errors. Otherwise the same as
    /// [`Systems::new`], which uses the names `system 0` and so on.
    ///
    /// # Errors
    /// The errors of [`Systems::new`]; [`CountsError::Argument`] if the numbers of names and counts
    /// differ.
    pub fn named(counts: Vec<Arc<Counts>>, names: &[String]) -> Result<Self, CountsError> {
        if counts.len() != names.len() {
            let message = "each system must have a name and counts";
            return Err(CountsError::Argument(message.to_owned()));
        }
        let Some(first) = counts.first() else {
            return Err(CountsError::Documents("there is no system to resample"));
        };
        let mut union = Counts::new(first.schema());
        let mut cells = Vec::new();
        let mut rows = Vec::new();
        let mut keys: Option<Vec<&Key>> = None;
        for (number, system) in counts.iter().enumerate() {
            union.check_schema(system)?;
            if !system.has_documents() {
                let message = "resampling needs counts by document";
                return Err(CountsError::Documents(message));
            }
            system.check_closed(system)?;
            cells.push(union.numbers_of(system));
            let order = system.canonical_order();
            if counts.len() > 1 {
                let keys_of = |&at: &usize| system.row(at).map(|row| row.key);
                let own: Vec<&Key> = order.iter().filter_map(keys_of).collect();
                check_keys(keys.as_deref().unwrap_or(&own), &own, names, number)?;
                keys.get_or_insert(own);
            }
            rows.push(order);
        }
        drop(keys);
        let systems = Self {
            counts,
            union,
            cells,
            rows,
        };
        systems.check_gold(names)?;
        Ok(systems)
    }

    /// Refuses samples whose measure values would take more than 1 GiB (2^27 values). `measures` is
    /// the number of measures of each system.
    ///
    /// # Errors
    /// [`CountsError::TooManyValues`].
    pub fn check_size(&self, samples: u64, measures: usize) -> Result<(), CountsError> {
        const MOST: u64 = 1 << 27;
        let measures = self.len().saturating_mul(measures) as u64;
        match samples.saturating_mul(measures) <= MOST {
            true => Ok(()),
            false => Err(CountsError::TooManyValues {
                samples,
                measures,
                most: MOST,
            }),
        }
    }

    /// Checks that all systems have the same numbers of gold spans by type, of sentences and of
    /// tokens in every document.
    ///
    /// # Errors
    /// [`CountsError::Gold`].
    fn check_gold(&self, names: &[String]) -> Result<(), CountsError> {
        if self.counts.len() < 2 {
            return Ok(());
        }
        let sizes = self.gold_sizes();
        // For each system and distinct row, a number that identifies its gold sizes.
        let mut numbers = HashMap::new();
        let all = 0..self.counts.len();
        let gold: Vec<Vec<u32>> = all
            .map(|system| self.number_gold(system, &sizes, &mut numbers))
            .collect();
        for document in 0..self.documents() {
            let number = |system: usize| {
                let row = self.rows[system][document];
                let rows = self.counts[system].row_numbers().unwrap_or_default();
                gold[system][rows[row] as usize]
            };
            if let Some(system) = (1..gold.len()).find(|&system| number(system) != number(0)) {
                let row = self.counts[system].row(self.rows[system][document]);
                return Err(CountsError::Gold {
                    first: names[0].clone(),
                    document: row.map_or_else(String::new, |row| row.key.to_string()),
                    system: names[system].clone(),
                });
            }
        }
        Ok(())
    }

    /// Returns, for each cell of the union, the gold size to which the cell contributes, and the
    /// weight of the cell; None if the cell contributes to no gold size.
    ///
    /// Gold sizes are numbered: gold spans of each type, then sentences, then tokens. Gold spans
    /// are the true positives and false negatives of the criterion that defines support.
    fn gold_sizes(&self) -> Vec<Option<(usize, f64)>> {
        let criteria = self.union.schema().criteria;
        let support = usize::from(criteria[0].support.unwrap_or(0));
        let with_cells = |at: usize| criteria[at].cells_of.map_or(at, usize::from);
        let spans = with_cells(support);
        let corpus = criteria.iter().position(|criterion| *criterion == CORPUS);
        let cells = self.union.cells().iter().map(|cell| {
            let (criterion, outcome) = (usize::from(cell.criterion), usize::from(cell.outcome));
            if Some(criterion) == corpus && outcome < 2 {
                return Some((self.union.types() + outcome, 1.0));
            }
            let [tp, _, fn_] = criteria[support].outcomes.get(outcome)?.weights;
            let gold = cell
                .gold
                .filter(|_| criterion == spans && tp + fn_ != 0.0)?;
            Some((gold as usize, tp + fn_))
        });
        cells.collect()
    }

    /// Returns, for each distinct row of a system, a number that identifies the sums of its gold
    /// sizes; equal sums have equal numbers in all systems.
    fn number_gold(
        &self,
        system: usize,
        sizes: &[Option<(usize, f64)>],
        numbers: &mut HashMap<Vec<u64>, u32>,
    ) -> Vec<u32> {
        let mut sums = vec![0.0; self.union.types() + 2];
        let rows = self.counts[system].distinct_rows().map(|(cells, n)| {
            sums.fill(0.0);
            for (&cell, &n) in cells.iter().zip(n) {
                let cell = self.cells[system][cell as usize] as usize;
                if let Some((size, weight)) = sizes[cell] {
                    sums[size] += weight * n as f64;
                }
            }
            let next = numbers.len() as u32;
            let bits = sums.iter().map(|sum: &f64| sum.to_bits()).collect();
            *numbers.entry(bits).or_insert(next)
        });
        rows.collect()
    }

    /// Returns for each sentence of a system, by number, the number of the same sentence of the
    /// first system; None if both have their documents in the same order.
    ///
    /// Sentences are numbered in the order of their documents, so their numbers differ between
    /// systems whose documents are in different orders. Errors in the same sentence are compared
    /// with the help of these numbers.
    pub fn sentence_numbers(&self, system: usize) -> Option<Vec<u64>> {
        if self.rows[system] == self.rows[0] {
            return None;
        }
        let firsts = self.first_sentences(0);
        let own = self.first_sentences(system);
        let mut numbers = vec![0; own.last().copied().unwrap_or_default() as usize];
        for (&row, &first_row) in self.rows[system].iter().zip(&self.rows[0]) {
            let sentences = own[row] as usize..own[row + 1] as usize;
            for (number, sentence) in (firsts[first_row]..).zip(sentences) {
                numbers[sentence] = number;
            }
        }
        Some(numbers)
    }

    /// Returns the number of the first sentence of each document of a system, in the order of the
    /// system, and the total number of sentences.
    fn first_sentences(&self, system: usize) -> Vec<u64> {
        let counts = &self.counts[system];
        let of_sentences = |id: &CellId| {
            let cell = counts.cells()[*id as usize];
            let criterion = &counts.schema().criteria[usize::from(cell.criterion)];
            *criterion == CORPUS && cell.outcome == SENTENCES
        };
        let id = (0..counts.cells().len() as CellId).find(of_sentences);
        let mut sum = 0;
        let mut firsts = vec![0];
        firsts.extend(counts.rows().map(|row| {
            let cells = row.cells.iter().zip(row.n);
            let sentences = cells.filter(|(cell, _)| Some(**cell) == id);
            sum += sentences.map(|(_, n)| n).sum::<u64>();
            sum
        }));
        firsts
    }

    /// Returns counts with the types and cells of all systems and totals of 0. Measures of single
    /// types use the type numbers of these counts.
    pub fn union(&self) -> &Counts {
        &self.union
    }

    /// Returns the number of documents.
    pub fn documents(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }

    /// Returns the number of systems.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Always returns false, because there is at least one system.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Returns the number of cells of one system.
    pub(super) fn width(&self) -> usize {
        self.union.cells().len()
    }

    /// Returns an evaluator for the measures, and the documents grouped by the counts that these
    /// measures read in the given systems.
    ///
    /// Hashes every distinct row once, and the row numbers of every document.
    pub(super) fn groups(&self, systems: &[usize], measures: &[Measure]) -> (Evaluator, Groups) {
        let evaluator = Evaluator::new(&self.union, measures);
        let read = evaluator.read_cells();
        // The counts that are read in a row, by index of the system and number of the distinct row.
        let mut numbers: HashMap<Vec<(u32, u64)>, u32> = HashMap::new();
        let mut parts: Vec<Vec<(u32, u64)>> = Vec::new();
        let of_rows: Vec<Vec<u32>> = (0..)
            .zip(systems)
            .map(|(place, &system)| {
                let rows = self.counts[system].distinct_rows();
                let entries = rows.map(|row| self.entries(system, place, row, &read));
                let numbered = entries.map(|part| {
                    *numbers.entry(part).or_insert_with_key(|part| {
                        parts.push(part.clone());
                        parts.len() as u32 - 1
                    })
                });
                numbered.collect()
            })
            .collect();
        let mut combinations: HashMap<Box<[u32]>, u32> = HashMap::new();
        let mut combination = vec![0; systems.len()];
        let mut rows = Vec::new();
        let of_documents = (0..self.documents()).map(|document| {
            for ((part, of_rows), &system) in combination.iter_mut().zip(&of_rows).zip(systems) {
                let numbers = self.counts[system].row_numbers().unwrap_or_default();
                *part = of_rows[numbers[self.rows[system][document]] as usize];
            }
            if let Some(&group) = combinations.get(combination.as_slice()) {
                return group;
            }
            let entries = combination.iter().flat_map(|&part| &parts[part as usize]);
            rows.push(entries.map(|&(cell, n)| (cell, n as f64)).collect());
            let group = rows.len() as u32 - 1;
            combinations.insert(combination.as_slice().into(), group);
            group
        });
        let of_documents = of_documents.collect();
        (evaluator, Groups { of_documents, rows })
    }

    /// Returns the cells of a distinct row that are `read`, with their counts, sorted; cells are
    /// numbered as in [`Groups::rows`].
    fn entries(
        &self,
        system: usize,
        place: usize,
        (cells, n): (&[CellId], &[u64]),
        read: &[bool],
    ) -> Vec<(u32, u64)> {
        let cells = cells
            .iter()
            .map(|&cell| self.cells[system][cell as usize] as usize);
        let offset = place * self.width();
        let mut entries: Vec<_> = cells
            .zip(n)
            .filter(|(cell, _)| read[*cell])
            .map(|(cell, &n)| ((offset + cell) as u32, n))
            .collect();
        entries.sort_unstable();
        entries
    }
}

impl Groups {
    /// Returns the number of documents in each group.
    pub(super) fn sizes(&self) -> Vec<u64> {
        let mut sizes = vec![0; self.rows.len()];
        for &group in &self.of_documents {
            sizes[group as usize] += 1;
        }
        sizes
    }

    /// Returns the sums over all documents; `len` is the number of cells of all systems together.
    pub(super) fn totals(&self, len: usize) -> Vec<f64> {
        let mut totals = vec![0.0; len];
        for (row, size) in self.rows.iter().zip(self.sizes()) {
            for &(cell, n) in row {
                totals[cell as usize] += size as f64 * n;
            }
        }
        totals
    }
}

/// Checks that a system has each document once, and the same documents as the first system. Both
/// lists of keys are sorted; `names` are the names of all systems.
///
/// # Errors
/// [`CountsError::Repeated`], [`CountsError::Unpaired`].
fn check_keys(
    first: &[&Key],
    own: &[&Key],
    names: &[String],
    system: usize,
) -> Result<(), CountsError> {
    if let Some(pair) = own.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(CountsError::Repeated {
            document: pair[0].to_string(),
            system: names[system].clone(),
        });
    }
    let differs = first.iter().zip(own).find(|(a, b)| a != b);
    // Both lists are sorted, so the smaller key is missing in the other system.
    let (document, lacking) = match differs {
        Some((a, b)) if a < b => (*a, system),
        Some((_, b)) => (*b, 0),
        None if first.len() > own.len() => (first[own.len()], system),
        None if own.len() > first.len() => (own[first.len()], 0),
        None => return Ok(()),
    };
    Err(CountsError::Unpaired {
        document: document.to_string(),
        system: names[lacking].clone(),
    })
}
