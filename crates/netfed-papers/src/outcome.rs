//! What an experiment hands over: a table, sentences, charts. And its three forms: text for a
//! terminal, CSV, a page.

use comfy_table::{CellAlignment, LineStyle, Table, presets};
use maud::{Markup, PreEscaped, html};
use netfed_io::{Cell, Csv};
use netfed_report::chart::{Axis, LineChart, Scale, Series, line_chart};
use netfed_report::page;
use netfed_report::text::number;

/// One cell of the result table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// Words.
    Text(String),
    /// A number; with the standard deviation over several runs.
    Number(f64, Option<f64>),
    /// A mean with its standard error.
    Mean(f64, f64),
    /// Not known.
    None,
}

impl Value {
    /// Words.
    pub(crate) fn text(text: impl Into<String>) -> Value {
        Value::Text(text.into())
    }

    /// A number that may be missing.
    pub(crate) fn maybe(value: Option<f64>) -> Value {
        value.map_or(Value::None, |v| Value::Number(v, None))
    }

    /// Mean and standard deviation of some runs; of one run there is no deviation.
    pub(crate) fn of(runs: &[f64]) -> Value {
        match runs.len() {
            0 => Value::None,
            1 => Value::Number(runs[0], None),
            n => {
                let mean = runs.iter().sum::<f64>() / n as f64;
                let square = runs.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n as f64;
                Value::Number(mean, Some(square.sqrt()))
            }
        }
    }

    /// The number, if it is one.
    pub(crate) fn mean(&self) -> Option<f64> {
        match self {
            Value::Number(v, _) | Value::Mean(v, _) => Some(*v),
            _ => None,
        }
    }

    /// The standard deviation, or the standard error of a mean, if there is one.
    pub(crate) fn deviation(&self) -> Option<f64> {
        match self {
            Value::Number(_, deviation) => *deviation,
            Value::Mean(_, error) => Some(*error),
            _ => None,
        }
    }

    /// What [`Value::deviation`] is called in a file.
    fn spread(&self) -> Option<&'static str> {
        match self {
            Value::Number(_, Some(_)) => Some("sd"),
            Value::Mean(..) => Some("se"),
            _ => None,
        }
    }

    fn shown(&self) -> String {
        match self {
            Value::Text(text) => text.clone(),
            Value::Number(v, None) => number(*v),
            Value::Number(v, Some(spread)) | Value::Mean(v, spread) => {
                format!("{} ({})", number(*v), number(two_digits(*spread)))
            }
            Value::None => "-".into(),
        }
    }
}

/// A number rounded to two significant digits.
fn two_digits(v: f64) -> f64 {
    format!("{v:.1e}").parse().unwrap_or(v)
}

/// One line of a chart.
#[derive(Debug, Clone, Default)]
pub(crate) struct Line {
    pub(crate) name: String,
    /// Places (x, y) with the standard deviation of y, 0 if unknown.
    pub(crate) points: Vec<(f64, f64, f64)>,
    pub(crate) color: usize,
    /// The paper's values are dashed.
    pub(crate) dashed: bool,
    /// Only marks, no line.
    pub(crate) scatter: bool,
}

/// A chart of the page.
#[derive(Debug, Clone)]
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) x: (&'static str, Scale),
    pub(crate) y: (&'static str, Scale),
    pub(crate) lines: Vec<Line>,
}

impl Chart {
    fn draw(&self) -> String {
        let axis = |(label, scale)| Axis { label, scale, range: None };
        let spread = |line: &Line| -> Vec<(f64, f64)> {
            // On a logarithmic axis a bar that reaches zero keeps its upper half.
            let bar = |&(_, y, sd): &(f64, f64, f64)| {
                (if y - sd > 0.0 || self.y.1 == Scale::Linear { y - sd } else { y }, y + sd)
            };
            if line.points.iter().any(|p| p.2 > 0.0) {
                line.points.iter().map(bar).collect()
            } else {
                Vec::new()
            }
        };
        line_chart(&LineChart {
            title: &self.title,
            x: axis(self.x),
            y: axis(self.y),
            series: (self.lines.iter())
                .map(|line| Series {
                    name: &line.name,
                    points: line.points.iter().map(|p| (p.0, p.1)).collect(),
                    spread: spread(line),
                    color: line.color,
                    dashed: line.dashed,
                    joined: !line.scatter,
                })
                .collect(),
            x_rules: Vec::new(),
            y_rules: Vec::new(),
            width: 480.0,
            height: 330.0,
        })
    }
}

/// The result of an experiment.
pub(crate) struct Outcome {
    /// What was done, in one line.
    pub(crate) title: String,
    /// Names of the columns.
    pub(crate) columns: Vec<&'static str>,
    /// The table.
    pub(crate) rows: Vec<Vec<Value>>,
    /// What it means, sentence by sentence.
    pub(crate) notes: Vec<String>,
    /// Charts of the page.
    pub(crate) charts: Vec<Chart>,
    /// Further files for the folder: names and contents.
    pub(crate) files: Vec<(&'static str, String)>,
}

impl Outcome {
    /// The table and the sentences, for a terminal.
    pub(crate) fn words(&self) -> String {
        let mut table = Table::new();
        table.load_style(presets::UTF8_HORIZONTAL_ONLY.row_separator(LineStyle::none()));
        table.set_header(self.columns.iter().copied());
        for row in &self.rows {
            table.add_row(row.iter().map(Value::shown));
        }
        for (k, column) in table.column_iter_mut().enumerate() {
            if self.numeric(k) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let mut text = format!("{}\n{table}\n", self.title);
        self.notes.iter().for_each(|note| text.push_str(&format!("{note}\n")));
        text
    }

    fn numeric(&self, column: usize) -> bool {
        let cells = || self.rows.iter().filter_map(|r| r.get(column));
        !cells().any(|c| matches!(c, Value::Text(_)))
    }

    /// The table with all digits; standard deviations and errors have columns of their own.
    pub(crate) fn csv(&self) -> String {
        let spread: Vec<Option<&str>> = (0..self.columns.len())
            .map(|k| self.rows.iter().find_map(|r| r.get(k).and_then(Value::spread)))
            .collect();
        let mut header = Vec::new();
        for (name, spread) in self.columns.iter().zip(&spread) {
            header.push((*name).to_owned());
            if let Some(spread) = spread {
                header.push(format!("{name} {spread}"));
            }
        }
        let mut csv = Csv::new(header);
        for row in &self.rows {
            let mut cells = Vec::new();
            for (value, spread) in row.iter().zip(&spread) {
                cells.push(match value {
                    Value::Text(text) => Cell::Text(text.clone()),
                    Value::Number(v, _) | Value::Mean(v, _) => Cell::Number(*v),
                    Value::None => Cell::Empty,
                });
                if spread.is_some() {
                    cells.push(value.deviation().into());
                }
            }
            csv.row(cells);
        }
        csv.finish()
    }

    /// A page with the sentences, the charts and the table.
    pub(crate) fn page(&self, command: &str) -> String {
        let body: Markup = html! {
            header.fair {
                p.origin { (command) " · version " (env!("CARGO_PKG_VERSION")) }
                h1 { (self.title) }
            }
            section {
                h2 { "Result" }
                @for note in &self.notes { p { (note) } }
            }
            @if !self.charts.is_empty() {
                section {
                    h2 { "Charts" }
                    div.pair {
                        @for chart in &self.charts {
                            figure { (PreEscaped(chart.draw())) figcaption { (chart.title) } }
                        }
                    }
                }
            }
            section {
                h2 { "Table" }
                div.scroll tabindex="0" { table {
                    thead { tr {
                        @for (k, name) in self.columns.iter().enumerate() {
                            th scope="col" class=(if self.numeric(k) { "num" } else { "" }) { (name) }
                        }
                    } }
                    tbody {
                        @for row in &self.rows { tr {
                            @for (k, cell) in row.iter().enumerate() {
                                td class=(if self.numeric(k) { "num" } else { "" }) { (cell.shown()) }
                            }
                        } }
                    }
                } }
            }
        };
        page(command, &body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_three_forms() {
        let outcome = Outcome {
            title: "A <test>".into(),
            columns: vec!["what", "paper", "netfed", "mean"],
            rows: vec![
                vec![Value::text("a"), Value::None, Value::of(&[1.0, 3.0]), Value::Mean(4.0, 0.5)],
                vec![Value::text("b"), Value::maybe(Some(2.5)), Value::of(&[1e-7]), Value::None],
            ],
            notes: vec!["A sentence.".into()],
            charts: vec![Chart {
                title: "c".into(),
                x: ("x", Scale::Linear),
                y: ("y", Scale::Log10),
                lines: vec![Line {
                    name: "l".into(),
                    points: vec![(1.0, 1.0, 2.0), (2.0, 1.0, 0.5)],
                    ..Line::default()
                }],
            }],
            files: Vec::new(),
        };
        let words = outcome.words();
        for part in ["2 (1)", "4 (0.5)", "1e-7", "A sentence."] {
            assert!(words.contains(part), "{words}");
        }
        let table = "what,paper,netfed,netfed sd,mean,mean se\na,,2,1,4,0.5\nb,2.5,1e-7,,,\n";
        assert_eq!(outcome.csv(), table);
        let page = outcome.page("netfed-papers test");
        assert!(page.contains("A &lt;test&gt;") && page.contains("<circle"));
        assert!(!page.contains("NaN"));
    }
}
