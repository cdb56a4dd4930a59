//! The data points of all nodes.

use super::dataset::Dataset;
use super::names::{Places, distinct, in_order, places};
use crate::Error;
use crate::error::same_size;

/// The data points of many nodes as one table: for every row a node, its features and its label.
///
/// ```
/// use netfed::Table;
///
/// let table = Table::from_rows(
///     ["b", "a", "b"],
///     vec!["x1".into(), "x2".into()],
///     vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
///     Some(vec![0.5, 1.5, -2.0]),
/// )?;
/// assert_eq!(table.nodes(), ["b", "a"]);
/// assert_eq!(table.node_of_row(), [0, 1, 0]);
/// assert_eq!(table.row(1), [3.0, 4.0]);
/// # Ok::<(), netfed::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    nodes: Vec<String>,
    node_of_row: Vec<u32>,
    features: Vec<String>,
    x: Vec<f64>,
    y: Option<Vec<f64>>,
    low_label: f64,
}

impl Table {
    /// A table from the distinct names of its nodes, the place of every row's node among them, the
    /// distinct names of the features, the feature values, row by row, and the labels, if there are
    /// some. A node may have no row.
    pub fn new(
        nodes: Vec<String>,
        node_of_row: Vec<u32>,
        features: Vec<String>,
        x: Vec<f64>,
        y: Option<Vec<f64>>,
    ) -> Result<Table, Error> {
        distinct("node", &nodes)?;
        distinct("feature", &features)?;
        let rows = node_of_row.len();
        if let Some(row) = node_of_row.iter().position(|&node| node as usize >= nodes.len()) {
            let (node, count) = (node_of_row[row], nodes.len());
            return refuse(format!("row {row} is of node {node}, but there are {count} nodes"));
        }
        if x.len() != rows * features.len() {
            return refuse(format!(
                "expected {} values for {rows} rows of {} features, found {}",
                rows * features.len(),
                features.len(),
                x.len()
            ));
        }
        if let Some(at) = x.iter().position(|v| !v.is_finite()) {
            let (row, name) = (at / features.len(), &features[at % features.len()]);
            return refuse(format!(
                "row {row}, feature \"{name}\": expected a finite number, found {}",
                x[at]
            ));
        }
        if let Some(y) = &y {
            if y.len() != rows {
                return refuse(format!(
                    "expected a label for each of {rows} rows, found {}",
                    y.len()
                ));
            }
            if let Some(row) = y.iter().position(|v| !v.is_finite()) {
                let found = y[row];
                return refuse(format!("row {row}: expected a finite label, found {found}"));
            }
        }
        Ok(Table { nodes, node_of_row, features, x, y, low_label: -1.0 })
    }

    /// The same from the name of every row's node; the nodes come in the order of their first rows.
    pub fn from_rows(
        node_of_row: impl IntoIterator<Item = impl AsRef<str>>,
        features: Vec<String>,
        x: Vec<f64>,
        y: Option<Vec<f64>>,
    ) -> Result<Table, Error> {
        let mut places = Places::default();
        let numbers = node_of_row.into_iter().map(|name| places.of(name.as_ref())).collect();
        Table::new(places.names, numbers, features, x, y)
    }

    /// The rows of the datasets of all nodes, node by node.
    pub fn from_datasets(
        nodes: Vec<String>,
        features: Vec<String>,
        data: &[Dataset],
    ) -> Result<Table, Error> {
        same_size("datasets of the nodes", nodes.len(), data.len())?;
        let of = |(i, own): (usize, &Dataset)| std::iter::repeat_n(i as u32, own.points());
        let node_of_row = data.iter().enumerate().flat_map(of).collect();
        let x = data.iter().flat_map(Dataset::features).copied().collect();
        let y: Vec<f64> = data.iter().flat_map(Dataset::labels).copied().collect();
        let labeled = data.iter().any(|own| !own.labels().is_empty());
        Table::new(nodes, node_of_row, features, x, labeled.then_some(y))
    }

    /// Says how the class −1 of binary labels is written where the table comes from: as −1 or as 0.
    pub fn with_low_label(self, low_label: f64) -> Table {
        Table { low_label, ..self }
    }

    /// The distinct names of the nodes.
    pub fn nodes(&self) -> &[String] {
        &self.nodes
    }

    /// For every row a place in [`Table::nodes`].
    pub fn node_of_row(&self) -> &[u32] {
        &self.node_of_row
    }

    /// The names of the features.
    pub fn features(&self) -> &[String] {
        &self.features
    }

    /// The feature values, row by row.
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// The labels, if the table has some.
    pub fn y(&self) -> Option<&[f64]> {
        self.y.as_deref()
    }

    /// How the class −1 of binary labels is written where the table comes from: as −1 or as 0.
    pub fn low_label(&self) -> f64 {
        self.low_label
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.node_of_row.len()
    }

    /// The features of one row.
    pub fn row(&self, row: usize) -> &[f64] {
        let d = self.features.len();
        &self.x[row * d..(row + 1) * d]
    }

    /// How many rows every node has.
    pub fn points_per_node(&self) -> Vec<usize> {
        let mut count = vec![0; self.nodes.len()];
        self.node_of_row.iter().for_each(|&node| count[node as usize] += 1);
        count
    }

    /// The rows of every node, in order.
    pub fn rows_of_nodes(&self) -> Vec<Vec<usize>> {
        let mut rows = vec![Vec::new(); self.nodes.len()];
        for (row, &node) in self.node_of_row.iter().enumerate() {
            rows[node as usize].push(row);
        }
        rows
    }

    /// The rows for which `keep` says so; the nodes keep their places, also those left without a
    /// row.
    pub fn select(&self, keep: impl Fn(usize) -> bool) -> Table {
        let rows: Vec<usize> = (0..self.rows()).filter(|&r| keep(r)).collect();
        Table {
            nodes: self.nodes.clone(),
            node_of_row: rows.iter().map(|&r| self.node_of_row[r]).collect(),
            features: self.features.clone(),
            x: rows.iter().flat_map(|&r| self.row(r)).copied().collect(),
            y: self.y.as_ref().map(|y| rows.iter().map(|&r| y[r]).collect()),
            low_label: self.low_label,
        }
    }

    /// The distinct labels, in increasing order.
    pub fn classes(&self) -> Vec<f64> {
        let mut classes = self.y.clone().unwrap_or_default();
        classes.sort_by(f64::total_cmp);
        classes.dedup();
        classes
    }

    /// The features that are zero in every row.
    pub fn zero_features(&self) -> Vec<&str> {
        let mut zero = vec![true; self.features.len()];
        for row in self.x.chunks_exact(self.features.len().max(1)) {
            for (zero, &value) in zero.iter_mut().zip(row) {
                *zero &= value == 0.0;
            }
        }
        let named = self.features.iter().zip(zero);
        named.filter_map(|(name, zero)| zero.then_some(name.as_str())).collect()
    }

    /// The same with other values of the features, row by row.
    pub fn with_x(self, x: Vec<f64>) -> Result<Table, Error> {
        let low_label = self.low_label;
        let table = Table::new(self.nodes, self.node_of_row, self.features, x, self.y)?;
        Ok(table.with_low_label(low_label))
    }

    /// The same with the nodes in their natural order.
    pub fn in_natural_order(self) -> Table {
        let (nodes, places) = in_order(self.nodes);
        let node_of_row = self.node_of_row.iter().map(|&i| places[i as usize]).collect();
        Table { nodes, node_of_row, ..self }
    }

    /// All rows as those of one node.
    pub fn pooled(&self, name: &str) -> Table {
        let (nodes, node_of_row) = (vec![name.to_owned()], vec![0; self.rows()]);
        Table { nodes, node_of_row, ..self.clone() }
    }

    /// The same rows where the nodes are `nodes`, among them all of the table.
    pub fn with_nodes(self, nodes: Vec<String>) -> Result<Table, Error> {
        distinct("node", &nodes)?;
        let places = places(&self.nodes, &nodes);
        if let Some(at) = places.iter().position(Option::is_none) {
            let (name, count) = (&self.nodes[at], nodes.len());
            return refuse(format!("the node \"{name}\" is none of the {count} nodes"));
        }
        let places: Vec<u32> = places.into_iter().flatten().collect();
        let node_of_row = self.node_of_row.iter().map(|&i| places[i as usize]).collect();
        Ok(Table { nodes, node_of_row, ..self })
    }
}

fn refuse<T>(reason: String) -> Result<T, Error> {
    Err(Error::BadTable { reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let y = Some(vec![0.5, 1.5, -2.0]);
        let features = vec!["x".into(), "zero".into()];
        Table::from_rows(["b", "a", "b"], features, vec![1.0, 0.0, 2.0, 0.0, 3.0, 0.0], y).unwrap()
    }

    #[test]
    fn rows_are_those_of_nodes() {
        let table = table();
        assert_eq!((table.rows(), table.points_per_node()), (3, vec![2, 1]));
        assert_eq!(table.rows_of_nodes(), [vec![0, 2], vec![1]]);
        assert_eq!(table.zero_features(), ["zero"]);
    }

    #[test]
    fn datasets_and_tables_are_the_same_data() {
        let table = table();
        let data = table.datasets(false, None).unwrap();
        let (nodes, features) = (table.nodes().to_vec(), table.features().to_vec());
        let again = Table::from_datasets(nodes, features, &data).unwrap();
        assert_eq!(
            (again.node_of_row(), again.x()),
            (&[0, 0, 1][..], &[1.0, 0.0, 3.0, 0.0, 2.0, 0.0][..])
        );
        assert_eq!(again.y(), Some(&[0.5, -2.0, 1.5][..]));
        assert_eq!(again.datasets(false, None).unwrap(), data);
    }

    #[test]
    fn a_part_keeps_its_nodes() {
        let part = table().select(|row| row == 1);
        assert_eq!((part.nodes(), part.node_of_row()), (table().nodes(), &[1][..]));
        assert_eq!((part.x(), part.y()), (&[2.0, 0.0][..], Some(&[1.5][..])));
    }

    #[test]
    fn nodes_can_be_others() {
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        assert_eq!(table().with_nodes(names).unwrap().node_of_row(), [1, 0, 1]);
        let message = table().with_nodes(vec!["a".into()]).unwrap_err().to_string();
        assert!(message.contains("the node \"b\" is none"), "{message}");
        let one = table().pooled("all");
        assert_eq!((one.nodes(), one.node_of_row()), (&["all".to_owned()][..], &[0, 0, 0][..]));
    }

    #[test]
    fn what_is_wrong_is_a_sentence() {
        let nodes = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let x = || nodes(&["x"]);
        for (found, part) in [
            (Table::new(nodes(&["a", "a"]), vec![], x(), vec![], None), "two nodes"),
            (Table::new(nodes(&["a"]), vec![], nodes(&["x", "x"]), vec![], None), "two features"),
            (Table::new(nodes(&["a"]), vec![1], x(), vec![1.0], None), "row 0 is of node 1"),
            (Table::new(nodes(&["a"]), vec![0], x(), vec![], None), "expected 1 values"),
            (Table::new(nodes(&["a"]), vec![0], x(), vec![f64::NAN], None), "feature \"x\""),
            (Table::new(nodes(&["a"]), vec![0], x(), vec![1.0], Some(vec![])), "a label for each"),
            (
                Table::new(nodes(&["a"]), vec![0], x(), vec![1.0], Some(vec![f64::INFINITY])),
                "a finite label",
            ),
        ] {
            let message = found.unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
