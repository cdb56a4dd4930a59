//! What is done with any bytes. Whatever they are, no entry panics; what is accepted is checked.
//! Each says whether it was accepted.
//!
//! The fuzz targets call these functions, and so does `crates/netfed-cli/tests/fuzz.rs`.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use netfed::Edges;
use netfed_io::{
    PointColumns, graph_text, read_edges, read_models, read_nodes, read_points, read_signals,
};
use netfed_net::description::Federation;
use netfed_net::state::Store;
use netfed_net::wire::{HEAD, Message};

/// An entry by its name.
pub type Entry = (&'static str, fn(&[u8]) -> bool);

/// All entries.
pub const ENTRIES: [Entry; 5] = [
    ("delimited", delimited),
    ("graphml", graphml),
    ("wire", wire),
    ("state", state),
    ("description", description),
];

thread_local! {
    /// A folder for what is read, one for each thread.
    static FOLDER: RefCell<Option<tempfile::TempDir>> = const { RefCell::new(None) };
}

/// A file of this name with these bytes.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    FOLDER.with_borrow_mut(|folder| {
        let folder = folder.get_or_insert_with(|| tempfile::tempdir().expect("a folder"));
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("a file can be written");
        path
    })
}

/// A refusal is one sentence that names the file.
fn check_refusal(path: &Path, error: &netfed_io::Error) {
    let sentence = error.to_string();
    let name = path.file_name().expect("a name").to_string_lossy();
    assert!(sentence.contains(name.as_ref()) && sentence.ends_with(['.', '?']), "{sentence}");
    assert!(!sentence.contains('\n'), "{sentence}");
}

/// Names and weights of the edges of a graph.
fn by_name(list: &Edges) -> Vec<(&str, &str, f64)> {
    let name = |node: u32| list.nodes()[node as usize].as_str();
    list.pairs().iter().map(|&(a, b, weight)| (name(a), name(b), weight)).collect()
}

/// A graph that was read is written and read back the same, in every format that can hold its
/// names.
fn check_graph(list: &Edges) {
    let edges: Vec<_> = list.pairs().iter().map(|&(a, b, w)| (a as usize, b as usize, w)).collect();
    for name in ["again.csv", "again.graphml", "again.gexf"] {
        // XML has no place for some characters, and no large weights.
        let xml = name != "again.csv";
        if xml && list.pairs().iter().any(|(_, _, weight)| *weight > 1e100) {
            continue;
        }
        let Ok(text) = graph_text(Path::new(name), list.nodes(), &edges) else { continue };
        let again = read_edges(&file(name, text.as_bytes())).expect("what is written is read");
        assert_eq!(by_name(&again), by_name(list), "{name}");
    }
}

/// A table of points, edges, signals, models or nodes.
pub fn delimited(bytes: &[u8]) -> bool {
    let path = file("table.csv", bytes);
    let points = read_points(&path, &PointColumns::default());
    if let Ok(points) = &points {
        let rows = points.rows();
        assert_eq!(points.x().len(), rows * points.features().len());
        assert!(points.x().iter().all(|value| value.is_finite()));
        assert_eq!(points.points_per_node().iter().sum::<usize>(), rows);
    }
    let edges = read_edges(&path);
    if let Ok(list) = &edges {
        check_graph(list);
    }
    let refused = [
        points.err(),
        edges.err(),
        read_signals(&path).err(),
        read_models(&path).err(),
        read_nodes(&path, "node").err(),
    ];
    refused.iter().flatten().for_each(|error| check_refusal(&path, error));
    refused.iter().any(Option::is_none)
}

/// A graph in GraphML or GEXF.
pub fn graphml(bytes: &[u8]) -> bool {
    let mut accepted = false;
    for name in ["graph.graphml", "graph.gexf"] {
        let path = file(name, bytes);
        match read_edges(&path) {
            Ok(list) => {
                accepted = true;
                check_graph(&list);
            }
            Err(error) => check_refusal(&path, &error),
        }
    }
    accepted
}

/// A message of a peer, where sixteen numbers at most are agreed on.
pub fn wire(bytes: &[u8]) -> bool {
    let Ok(message) = Message::decode(bytes, 16) else { return false };
    assert_eq!(message.encode(), bytes, "what is accepted is understood whole");
    assert!(message.numbers.len() <= 16 && message.numbers.iter().all(|v| v.is_finite()));
    assert_eq!(bytes.len(), HEAD + 8 * message.numbers.len());
    true
}

/// The state of a member: as it stands, and with the head and the hash of a whole file around it.
pub fn state(bytes: &[u8]) -> bool {
    const FEDERATION: [u8; 16] = [7; 16];
    let folder = file("state", bytes).parent().expect("a folder").to_path_buf();
    let store = Store::open(&folder, FEDERATION).expect("nobody else uses the folder");
    if let Err(error) = store.load() {
        assert!(error.to_string().contains("state"), "{error}");
    }
    let mut whole = b"netfed 4".to_vec();
    whole.extend(FEDERATION);
    whole.extend(bytes);
    let end = ring::digest::digest(&ring::digest::SHA256, &whole);
    whole.extend(end.as_ref());
    file("state", &whole);
    let Ok(Some(found)) = store.load() else { return false };
    let written = || {
        store.commit(&store.load().expect("it is read").expect("a state")).expect("it is written");
        std::fs::read(folder.join("state")).expect("it is there")
    };
    store.commit(&found).expect("a state can be written");
    assert_eq!(written(), written());
    true
}

/// The description of a federation.
pub fn description(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let Ok(federation) = Federation::parse(text) else { return false };
    let nodes: usize = federation.description.members.iter().map(|m| m.nodes.len()).sum();
    assert_eq!(nodes, federation.graph.nodes());
    let again = toml::to_string(&federation.description).expect("a description is TOML");
    let again = Federation::parse(&again).expect("what is written is read");
    assert_eq!(again.description, federation.description);
    true
}
