//! The counties of section 6: who won the presidential election of 2020, and 51 facts about the
//! county. A node is a state with more than 50 counties.

use std::collections::BTreeMap;
use std::io::Read;

use flate2::read::GzDecoder;
use netfed::generate::random;
use netfed::{Dataset, Graph};
use netfed_cli::Failure;
use rand::RngExt;

const PACKED: &[u8] = include_bytes!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/data/election2020/county_2020_joined.csv.gz"
));

/// States with more counties take part.
const FEW_COUNTIES: usize = 50;
/// Columns before the predictors.
const OTHER_COLUMNS: usize = 16;

/// States that one party won in all presidential elections from 2000 to 2012; the others are swing
/// states. Public record.
const BLUE: [&str; 7] = ["CA", "IL", "MI", "MN", "NY", "PA", "WI"];
const RED: [&str; 16] = [
    "AL", "AR", "GA", "KS", "KY", "LA", "MO", "MS", "MT", "ND", "NE", "OK", "SD", "TN", "TX", "WV",
];

/// One state.
pub(crate) struct State {
    pub(crate) name: String,
    /// The 51 facts of each county.
    facts: Vec<Vec<f64>>,
    /// 1 where the Democrats won, else −1.
    labels: Vec<f64>,
}

/// The states that take part.
pub(crate) struct Election {
    pub(crate) states: Vec<State>,
}

/// Training and test counties of every state, with standardized facts and the constant 1.
pub(crate) struct Split {
    pub(crate) training: Vec<Dataset>,
    pub(crate) test: Vec<Dataset>,
}

impl Election {
    /// Reads the built-in file.
    pub(crate) fn load() -> Result<Election, Failure> {
        let mut text = String::new();
        GzDecoder::new(PACKED)
            .read_to_string(&mut text)
            .map_err(|e| Failure::other(format!("cannot unpack the election data: {e}.")))?;
        let mut states: BTreeMap<String, State> = BTreeMap::new();
        for (line, row) in text.lines().enumerate().skip(1) {
            let bad = || Failure::other(format!("cannot read the election data, line {line}."));
            let cells: Vec<&str> = row.split(',').collect();
            let [_, name, _, won, ..] = cells[..] else { return Err(bad()) };
            let facts = cells[OTHER_COLUMNS..].iter().map(|c| c.parse::<f64>());
            let state = states.entry(name.to_owned()).or_insert_with(|| State {
                name: name.to_owned(),
                facts: Vec::new(),
                labels: Vec::new(),
            });
            state.facts.push(facts.collect::<Result<_, _>>().map_err(|_| bad())?);
            state.labels.push(if won == "1" { 1.0 } else { -1.0 });
        }
        let states = states.into_values().filter(|s| s.labels.len() > FEW_COUNTIES).collect();
        Ok(Election { states })
    }

    pub(crate) fn counties(&self) -> usize {
        self.states.iter().map(|s| s.labels.len()).sum()
    }

    /// Blue, red, swing.
    pub(crate) fn groups(&self) -> Vec<usize> {
        let group = |s: &State| match s.name.as_str() {
            name if BLUE.contains(&name) => 0,
            name if RED.contains(&name) => 1,
            _ => 2,
        };
        self.states.iter().map(group).collect()
    }

    /// D_his: all pairs of states of one group are joined.
    pub(crate) fn historical(&self) -> Result<Graph, Failure> {
        let group = self.groups();
        let n = group.len();
        let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j, 1.0)));
        let edges: Vec<_> = pairs.filter(|&(i, j, _)| group[i] == group[j]).collect();
        Ok(Graph::new(n, &edges)?)
    }

    /// Two thirds of each state's counties at random for training. Facts are standardized with the
    /// mean and deviation of the training counties of all states.
    pub(crate) fn split(&self, seed: u64) -> Result<Split, Failure> {
        let mut random = random(seed);
        let mut orders = Vec::new();
        for state in &self.states {
            let count = state.labels.len();
            let mut order: Vec<usize> = (0..count).collect();
            (0..count).for_each(|k| order.swap(k, random.random_range(k..count)));
            let test = order.split_off((2 * count).div_ceil(3));
            orders.push((order, test));
        }
        let chosen = || {
            let rows = self.states.iter().zip(&orders);
            rows.flat_map(|(s, (order, _))| order.iter().map(|&r| s.facts[r].as_slice()))
        };
        let scale: Vec<(f64, f64)> = (0..self.states[0].facts[0].len())
            .map(|j| {
                let count = chosen().count() as f64;
                let mean = chosen().map(|x| x[j]).sum::<f64>() / count;
                let square = chosen().map(|x| (x[j] - mean).powi(2)).sum::<f64>() / count;
                (mean, square.sqrt().max(f64::MIN_POSITIVE))
            })
            .collect();
        let dataset = |state: &State, rows: &[usize]| {
            let standard = |r: &usize| {
                let facts = state.facts[*r].iter().zip(&scale);
                facts.map(|(x, (mean, deviation))| (x - mean) / deviation).chain([1.0])
            };
            let features = rows.iter().flat_map(standard).collect();
            Dataset::new(scale.len() + 1, features, rows.iter().map(|&r| state.labels[r]).collect())
        };
        let both = || self.states.iter().zip(&orders);
        Ok(Split {
            training: both().map(|(s, o)| dataset(s, &o.0)).collect::<Result<_, _>>()?,
            test: both().map(|(s, o)| dataset(s, &o.1)).collect::<Result<_, _>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_and_counties_are_as_described() {
        let election = Election::load().unwrap();
        assert_eq!((election.states.len(), election.counties()), (30, 2709));
        let group = election.groups();
        let size = |g: usize| group.iter().filter(|k| **k == g).count();
        assert_eq!([size(0), size(1), size(2)], [7, 16, 7]);
        assert_eq!(election.historical().unwrap().edges().len(), 21 + 120 + 21);
        let won = |s: &State| s.labels.iter().filter(|y| **y > 0.0).count();
        let without: Vec<&str> =
            election.states.iter().filter(|s| won(s) == 0).map(|s| s.name.as_str()).collect();
        assert_eq!(without, ["OK", "WV"]);
        let split = election.split(1).unwrap();
        let count = |data: &[Dataset]| data.iter().map(Dataset::points).sum::<usize>();
        assert_eq!(count(&split.training) + count(&split.test), 2709);
        assert!((1806..1826).contains(&count(&split.training)));
        let first = &split.training[0];
        assert_eq!((first.dim(), first.point(0)[51]), (52, 1.0));
        let mean: f64 = split.training.iter().flat_map(|d| d.rows()).map(|x| x[7]).sum();
        assert!(mean.abs() < 1e-8, "{mean}");
        assert_ne!(election.split(2).unwrap().training[0], *first);
    }
}
