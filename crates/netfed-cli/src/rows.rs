//! A table of words and numbers with a chosen row, for a terminal and for a page.

use comfy_table::{CellAlignment, LineStyle, Table, presets};
use maud::{Markup, html};

/// A table in words.
pub(crate) struct Rows {
    pub(crate) header: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<String>>,
    /// The row of the chosen setting.
    pub(crate) chosen: Option<usize>,
}

impl Rows {
    /// Whether a column has numbers.
    pub(crate) fn numeric(&self, column: usize) -> bool {
        column > 0 && !self.header[column].is_empty()
    }

    /// For a terminal.
    pub(crate) fn text(&self) -> String {
        let mut table = Table::new();
        table.load_style(presets::UTF8_HORIZONTAL_ONLY.row_separator(LineStyle::none()));
        table.set_header(self.header.iter().copied());
        self.rows.iter().for_each(|row| {
            table.add_row(row);
        });
        for (k, column) in table.column_iter_mut().enumerate() {
            if self.numeric(k) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        format!("{table}\n")
    }

    /// For a page.
    pub(crate) fn markup(&self) -> Markup {
        let class = |k: usize| if self.numeric(k) { "num" } else { "" };
        html! {
            div.scroll tabindex="0" { table {
                thead { tr { @for (k, name) in self.header.iter().enumerate() { th scope="col" class=(class(k)) { (name) } } } }
                tbody {
                    @for (r, row) in self.rows.iter().enumerate() { tr {
                        @for (k, cell) in row.iter().enumerate() {
                            td class=(class(k)) { @if self.chosen == Some(r) { strong { (cell) } } @else { (cell) } }
                        }
                    } }
                }
            } }
        }
    }
}
