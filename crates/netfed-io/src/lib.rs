//! What netfed reads and writes: tables of data points, graphs, signals, folders of runs and of
//! models.
//!
//! Tables come as CSV or TSV, plain or gzipped, or as Parquet; graphs also as GraphML or GEXF. The
//! format follows from the name of the file. Whatever is wrong with a file is said in one sentence
//! that names the file, the line and the column, and what was expected ([`Error`]). What is written
//! appears whole or not at all.
//!
//! - `rows/`: one view of rows for all formats;
//! - `read/`: what the rows mean: points, signals, nodes, clusters, models;
//! - `graph/`: edges, read and written;
//! - `write/`: folders, files and CSV;
//! - [`RunFolder`], [`model_folder`] and the file of a run's edges: what training leaves behind.
//!
//! What holds for all files of a process is set by [`Options::apply`].

mod error;
mod graph;
pub mod model_folder;
mod options;
mod read;
mod rows;
mod run_edges;
mod run_folder;
mod text;
mod unpack;
mod write;

pub use error::{Error, ErrorKind};
pub use graph::edges::read_edges;
pub use graph::file::{GraphFormat, check_graph_file, graph_text};
pub use model_folder::ModelFolder;
pub use options::Options;
pub use read::availability::read_availability;
pub use read::columns::{PointColumns, Target, column_names, has_column};
pub use read::coordinates::{Coordinates, read_coordinates};
pub use read::known::{check_classes, check_nodes, check_vertices};
pub use read::matrix::read_matrix;
pub use read::members::{MemberRow, read_members};
pub use read::models::{ModelRow, read_models};
pub use read::nodes::read_nodes;
pub use read::partition::read_partition;
pub use read::points::read_points;
pub use read::signals::{Signals, read_signals};
pub use rows::header::is_near;
pub use run_edges::{read_edge_loads, run_edges_csv};
pub use run_folder::RunFolder;
pub use unpack::{TooMuch, Unpacked, too_much};
pub use write::csv::{Cell, Csv};
pub use write::csv_file::CsvFile;
pub use write::file::{check_file, check_place, write_file};
pub use write::folder::Folder;
