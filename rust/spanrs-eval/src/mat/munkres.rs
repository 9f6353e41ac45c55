//! Minimum-cost one-to-one assignment (Munkres 1957, "Algorithms for the assignment and
//! transportation problems").
//!
//! If several assignments have the same sum, MATScore's assignment is chosen. The code therefore
//! follows the steps of the Python package munkres, which MATScore uses: rows and columns are
//! visited in the same order, and costs are rounded at the same steps.
//!
//! The method keeps a matrix of reduced costs: an assignment with the least reduced cost also has
//! the least original cost, and all its cells are finally 0. Starred zeros are the current
//! assignment, at most one in each row and column. Each round adds one star:
//!
//! 1. All columns with a star are covered.
//! 2. An uncovered zero is primed. If its row has a star, the row is covered, the column of that
//!    star is uncovered, and the search continues. If there is no uncovered zero, costs are
//!    adjusted so that there is one.
//! 3. If the row of the new prime has no star, primes and stars alternate on a path from this prime
//!    to a column without a star. Exchanging them along the path adds one star.
//!
//! A round takes O(n³) time, because the search for zeros restarts after each prime; all rounds
//! take O(n⁴) time at worst and O(n²) memory. Groups with more than 64 annotations on a side use
//! another solver.
//!
//! ```text
//! costs    row minima subtracted   stars        assignment
//! 4 1  ->  3 0                     . *      ->  (0, 1), (1, 0)
//! 2 3      0 1                     * .
//! ```

/// A solver with its buffers. All fields are overwritten by each call of [`Munkres::assign`].
#[derive(Clone, Debug, Default)]
pub(super) struct Munkres {
    /// Number of rows and columns of the padded matrix.
    n: usize,
    /// Reduced costs, row by row.
    costs: Vec<f64>,
    /// The column of the star in each row.
    of_row: Vec<Option<usize>>,
    /// The row of the star in each column. The inverse of `of_row`.
    of_column: Vec<Option<usize>>,
    /// The column of the prime in each row in the current round.
    prime: Vec<Option<usize>>,
    /// Whether each row is covered.
    row_covered: Vec<bool>,
    /// Whether each column is covered.
    column_covered: Vec<bool>,
}

impl Munkres {
    /// Returns the pairs (row, column) of an assignment with the smallest sum of costs, ascending
    /// by row.
    ///
    /// The smaller side is padded with cost 0; rows and columns paired with padding are not
    /// returned. `cost` must be finite; it is called once for each cell.
    pub(super) fn assign(
        &mut self,
        rows: usize,
        columns: usize,
        cost: impl Fn(usize, usize) -> f64,
    ) -> Vec<(usize, usize)> {
        let n = rows.max(columns);
        self.n = n;
        self.costs.clear();
        self.costs.resize(n * n, 0.0);
        for row in 0..rows {
            for column in 0..columns {
                self.costs[row * n + column] = cost(row, column);
            }
        }
        for marks in [&mut self.of_row, &mut self.of_column, &mut self.prime] {
            marks.clear();
            marks.resize(n, None);
        }
        self.star_independent_zeros();
        while self.of_row.contains(&None) {
            self.augment();
        }
        let starred = self.of_row.iter().take(rows).enumerate();
        starred
            .filter_map(|(row, star)| Some((row, star.filter(|&column| column < columns)?)))
            .collect()
    }

    /// Subtracts its minimum from each row, and stars each zero without another star in its row and
    /// column.
    ///
    /// Rows are visited top to bottom and columns left to right, so ties go to the leftmost column.
    fn star_independent_zeros(&mut self) {
        for (row, costs) in self.costs.chunks_exact_mut(self.n).enumerate() {
            let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
            for (column, cost) in costs.iter_mut().enumerate() {
                *cost -= least;
                if *cost == 0.0 && self.of_row[row].is_none() && self.of_column[column].is_none() {
                    self.of_row[row] = Some(column);
                    self.of_column[column] = Some(row);
                }
            }
        }
    }

    /// Runs one round: primes uncovered zeros until one is in a row without a star, then adds a
    /// star along the alternating path from this zero.
    fn augment(&mut self) {
        self.prime.fill(None);
        self.row_covered.clear();
        self.row_covered.resize(self.n, false);
        self.column_covered.clear();
        let starred = self.of_column.iter().map(Option::is_some);
        self.column_covered.extend(starred);
        loop {
            let Some((row, column)) = self.find_uncovered_zero() else {
                self.adjust_costs();
                continue;
            };
            self.prime[row] = Some(column);
            let Some(star) = self.of_row[row] else {
                self.flip_path(row, column);
                return;
            };
            self.row_covered[row] = true;
            self.column_covered[star] = false;
        }
    }

    /// Returns the rightmost uncovered zero in the first row that has one.
    ///
    /// Taking the rightmost zero is a property of the loop in the Python package; ties depend on
    /// it.
    fn find_uncovered_zero(&self) -> Option<(usize, usize)> {
        let rows = self.costs.chunks_exact(self.n).enumerate();
        let mut open = rows.filter(|&(row, _)| !self.row_covered[row]);
        open.find_map(|(row, costs)| {
            let mut columns = (0..self.n).rev();
            let column =
                columns.find(|&column| costs[column] == 0.0 && !self.column_covered[column])?;
            Some((row, column))
        })
    }

    /// Adds a star along the path from a prime in a row without a star: the prime becomes a star,
    /// the old star of its column is replaced by the prime of its own row, and so on until a column
    /// had no star.
    fn flip_path(&mut self, mut row: usize, mut column: usize) {
        loop {
            let before = self.of_column[column].replace(row);
            self.of_row[row] = Some(column);
            match before.and_then(|row| Some((row, self.prime[row]?))) {
                Some(next) => (row, column) = next,
                None => return,
            }
        }
    }

    /// Creates an uncovered zero: subtracts the smallest uncovered cost from uncovered columns and
    /// adds it to covered rows.
    ///
    /// Cells that are covered twice increase, cells that are covered once do not change, and no
    /// cost becomes negative. Costs are added and subtracted in separate steps, as in the Python
    /// package, so that rounding is the same. Takes O(n²) time.
    fn adjust_costs(&mut self) {
        let mut least = f64::INFINITY;
        for (row, costs) in self.costs.chunks_exact(self.n).enumerate() {
            if !self.row_covered[row] {
                let open = costs
                    .iter()
                    .zip(&self.column_covered)
                    .filter(|(_, covered)| !**covered);
                least = open.fold(least, |least, (cost, _)| least.min(*cost));
            }
        }
        for (row, costs) in self.costs.chunks_exact_mut(self.n).enumerate() {
            for (cost, &covered) in costs.iter_mut().zip(&self.column_covered) {
                if self.row_covered[row] {
                    *cost += least;
                }
                if !covered {
                    *cost -= least;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spanrs_base::Rng;

    /// Returns the smallest sum over all assignments of the rows from `row` on; bit `c` of `taken`
    /// excludes column `c`.
    fn least(costs: &[Vec<f64>], row: usize, taken: u32) -> f64 {
        let Some(line) = costs.get(row) else {
            return 0.0;
        };
        let free = line.iter().enumerate().filter(|(c, _)| taken & 1 << c == 0);
        let sums = free.map(|(c, cost)| cost + least(costs, row + 1, taken | 1 << c));
        sums.fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn the_sum_is_the_least() {
        let mut rng = Rng::new(3);
        let mut munkres = Munkres::default();
        for _ in 0..2000 {
            let (rows, columns) = (1 + rng.below(5) as usize, 1 + rng.below(5) as usize);
            let costs: Vec<Vec<f64>> = (0..rows)
                .map(|_| (0..columns).map(|_| rng.below(6) as f64 / 4.0).collect())
                .collect();
            let pairs = munkres.assign(rows, columns, |r, c| costs[r][c]);
            assert_eq!(pairs.len(), rows.min(columns));
            let sum: f64 = pairs.iter().map(|&(r, c)| costs[r][c]).sum();
            let turned: Vec<Vec<f64>> = (0..columns)
                .map(|c| (0..rows).map(|r| costs[r][c]).collect())
                .collect();
            let best = match rows <= columns {
                true => least(&costs, 0, 0),
                false => least(&turned, 0, 0),
            };
            assert!((sum - best).abs() < 1e-12, "{costs:?}");
        }
    }
}
