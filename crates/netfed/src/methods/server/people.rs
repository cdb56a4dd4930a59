//! Vertical learning from tables: people are matched by their ids, those whom not all know are left
//! out.

use super::vertical::{VerticalModel, vertical_with};
use super::{Rounds, align};
use crate::outcome::{Observer, Unobserved};
use crate::{Dataset, Error, LossKind, Table};

/// The people whom all parties and the label holder know. In these tables every node is a person,
/// with one row.
#[derive(Debug, Clone, PartialEq)]
pub struct People {
    ids: Vec<String>,
    labels: Vec<f64>,
    parties: Vec<Table>,
    left_out: usize,
}

impl People {
    /// Matches the rows of the parties' tables and of the labels by the names of their nodes.
    pub fn new(parties: Vec<Table>, labels: &Table) -> Result<People, Error> {
        let Some(y) = labels.y() else {
            return Err(Error::BadTable { reason: "the label holder has no labels".into() });
        };
        for table in parties.iter().chain([labels]) {
            if table.points_per_node().iter().any(|rows| *rows != 1) {
                let reason = "a person needs one row in every table".into();
                return Err(Error::BadTable { reason });
            }
        }
        // Where every node has one row, nodes are known by their rows.
        let ids = |table: &Table| -> Vec<String> {
            let row = |node: &u32| table.nodes()[*node as usize].clone();
            table.node_of_row().iter().map(row).collect()
        };
        let known: Vec<Vec<String>> = [labels].into_iter().chain(&parties).map(ids).collect();
        let known: Vec<&[String]> = known.iter().map(Vec::as_slice).collect();
        let rows = align(&known)?;
        let common = &rows[0];
        if common.is_empty() {
            return Err(Error::BadTable { reason: "no person is in all tables".into() });
        }
        let people: Vec<String> = common.iter().map(|&r| known[0][r].clone()).collect();
        let of = |(table, rows): (Table, &Vec<usize>)| {
            let x = rows.iter().flat_map(|&r| table.row(r)).copied().collect();
            let nodes = (0..people.len() as u32).collect();
            Table::new(people.clone(), nodes, table.features().to_vec(), x, None)
        };
        Ok(People {
            labels: common.iter().map(|&r| y[r]).collect(),
            left_out: labels.rows() - common.len(),
            parties: parties.into_iter().zip(&rows[1..]).map(of).collect::<Result<_, _>>()?,
            ids: people,
        })
    }

    /// Their ids, in order.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// Their labels.
    pub fn labels(&self) -> &[f64] {
        &self.labels
    }

    /// What every party knows about them, row by row in this order.
    pub fn parties(&self) -> &[Table] {
        &self.parties
    }

    /// Labels of people whom some party does not know.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// With other labels, for example classes as −1 and 1.
    pub fn with_labels(self, labels: Vec<f64>) -> Result<People, Error> {
        crate::error::same_size("labels of the people", self.ids.len(), labels.len())?;
        Ok(People { labels, ..self })
    }
}

/// How a model of people is trained.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct VerticalOptions {
    /// The loss; labels of classes are −1 and 1.
    pub loss: LossKind,
    /// This times ‖w‖² is added to the loss.
    pub ridge: f64,
    /// Whether the label holder adds a constant.
    pub intercept: bool,
    /// Rounds and tolerance.
    pub rounds: Rounds,
}

/// Least squares.
impl Default for VerticalOptions {
    fn default() -> VerticalOptions {
        VerticalOptions::new(LossKind::Squared)
    }
}

impl VerticalOptions {
    /// A loss without ridge and constant.
    pub fn new(loss: LossKind) -> VerticalOptions {
        VerticalOptions { loss, ridge: 0.0, intercept: false, rounds: Rounds::default() }
    }

    /// With ridge.
    pub fn with_ridge(self, ridge: f64) -> VerticalOptions {
        VerticalOptions { ridge, ..self }
    }

    /// With a constant, or without.
    pub fn with_intercept(self, intercept: bool) -> VerticalOptions {
        VerticalOptions { intercept, ..self }
    }

    /// With these rounds.
    pub fn with_rounds(self, rounds: Rounds) -> VerticalOptions {
        VerticalOptions { rounds, ..self }
    }
}

/// One model of features that several parties hold about the same people.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct VerticalFit {
    /// The parameters of every party, and how the run went. With an intercept there is one more
    /// model, of the label holder.
    pub model: VerticalModel,
    /// Σ_k w_kᵀx_k of every person, with the intercept.
    pub scores: Vec<f64>,
}

/// Trains one linear model on features that several parties hold about the same people. One number
/// per person travels in every round.
///
/// ```
/// use netfed::Table;
/// use netfed::baselines::{People, VerticalOptions, fit_vertical};
///
/// // y = 2a − b; the bank knows a, the shop b, in another order.
/// let (a, b) = (vec![1.0, 2.0, 4.0], vec![1.0, 3.0, 0.5]);
/// let bank = Table::from_rows(["ann", "bob", "eve"], vec!["a".into()], a, None)?;
/// let shop = Table::from_rows(["eve", "ann", "bob"], vec!["b".into()], b, None)?;
/// let y = Some(vec![-1.0, 3.5, 7.0]);
/// let labels = Table::from_rows(["ann", "bob", "eve"], vec![], vec![], y)?;
/// let people = People::new(vec![bank, shop], &labels)?;
/// let fit = fit_vertical(&people, &VerticalOptions::default())?;
/// assert!((fit.model.params[0][0] - 2.0).abs() < 1e-4);
/// assert!((fit.model.params[1][0] + 1.0).abs() < 1e-4);
/// # Ok::<(), netfed::Error>(())
/// ```
pub fn fit_vertical(people: &People, options: &VerticalOptions) -> Result<VerticalFit, Error> {
    fit_vertical_with(people, options, &mut Unobserved)
}

/// [`fit_vertical()`] with an observer, who is told of every round and may end the run.
pub fn fit_vertical_with(
    people: &People,
    options: &VerticalOptions,
    observer: &mut dyn Observer,
) -> Result<VerticalFit, Error> {
    let of = |table: &Table| Dataset::new(table.features().len(), table.x().to_vec(), Vec::new());
    let mut parties = people.parties.iter().map(of).collect::<Result<Vec<_>, _>>()?;
    if options.intercept {
        parties.push(Dataset::new(1, vec![1.0; people.ids.len()], Vec::new())?);
    }
    let VerticalOptions { loss, ridge, rounds, .. } = options;
    let model = vertical_with(*loss, parties, &people.labels, *ridge, rounds, observer)?;
    let one = [1.0];
    let score = |row: usize| {
        let features: Vec<&[f64]> = people.parties.iter().map(|p| p.row(row)).collect();
        model.predict(&[features, vec![&one[..]]].concat())
    };
    let scores = (0..people.ids.len()).map(score).collect();
    Ok(VerticalFit { model, scores })
}
