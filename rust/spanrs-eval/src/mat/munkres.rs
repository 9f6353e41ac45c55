//! One-to-one assignments by stars and primes (Munkres 1957, "Algorithms for the assignment and
//! transportation problems").
//!
//! Of several assignments with the same sum this takes the one MATScore takes: rows and columns are gone
//! through in order, and numbers are rounded where MATScore's are.

/// A square matrix of costs, with marks.
#[derive(Clone, Debug, Default)]
pub(super) struct Munkres {
    n: usize,
    costs: Vec<f64>,
    /// The column of each row's star, and the row of each column's.
    of_row: Vec<Option<usize>>,
    of_column: Vec<Option<usize>>,
    /// The column of each row's prime.
    prime: Vec<Option<usize>>,
    row_covered: Vec<bool>,
    column_covered: Vec<bool>,
}

impl Munkres {
    /// Gives the pairs of rows and columns whose costs have the least sum, by row. The smaller side is filled
    /// up at no cost; what is paired with that has no partner.
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
        self.begin();
        while self.of_row.contains(&None) {
            self.add_star();
        }
        let starred = self.of_row.iter().take(rows).enumerate();
        starred
            .filter_map(|(row, star)| Some((row, star.filter(|&column| column < columns)?)))
            .collect()
    }

    /// The least cost of each row becomes 0, and zeros get a star where no other stands in their row and
    /// column.
    fn begin(&mut self) {
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

    /// Primes zeros until one can get a star, or start a chain of stars that move.
    fn add_star(&mut self) {
        self.prime.fill(None);
        self.row_covered.clear();
        self.row_covered.resize(self.n, false);
        self.column_covered.clear();
        let starred = self.of_column.iter().map(Option::is_some);
        self.column_covered.extend(starred);
        loop {
            let Some((row, column)) = self.open_zero() else {
                self.make_zeros();
                continue;
            };
            self.prime[row] = Some(column);
            let Some(star) = self.of_row[row] else {
                self.turn(row, column);
                return;
            };
            self.row_covered[row] = true;
            self.column_covered[star] = false;
        }
    }

    /// A zero that is not covered: of the first row that has one, the last.
    fn open_zero(&self) -> Option<(usize, usize)> {
        let rows = self.costs.chunks_exact(self.n).enumerate();
        let mut open = rows.filter(|&(row, _)| !self.row_covered[row]);
        open.find_map(|(row, costs)| {
            let mut columns = (0..self.n).rev();
            let column =
                columns.find(|&column| costs[column] == 0.0 && !self.column_covered[column])?;
            Some((row, column))
        })
    }

    /// The prime gets a star; the star of its column goes to the prime of its row, and so on.
    fn turn(&mut self, mut row: usize, mut column: usize) {
        loop {
            let before = self.of_column[column].replace(row);
            self.of_row[row] = Some(column);
            match before.and_then(|row| Some((row, self.prime[row]?))) {
                Some(next) => (row, column) = next,
                None => return,
            }
        }
    }

    /// Takes the least open cost off the open columns, and adds it to the covered rows.
    fn make_zeros(&mut self) {
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

    /// The least sum over all assignments of the rows from `row` on.
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
