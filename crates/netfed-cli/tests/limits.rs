//! Files that are made to do harm: packed ones that fill the memory, names that a spreadsheet takes
//! for formulas.
#![allow(clippy::unwrap_used, reason = "a failed test may panic")]

mod common;

use common::{Place, SMALL, stderr};
use std::io::Write;

/// Writes a gzip file with this beginning and so many MiB of one byte after it.
fn bomb(place: &Place, name: &str, beginning: &str, mib: usize) {
    let file = std::fs::File::create(place.path(name)).unwrap();
    let mut packer = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    packer.write_all(beginning.as_bytes()).unwrap();
    let piece = vec![b'1'; 1 << 20];
    (0..mib).for_each(|_| packer.write_all(&piece).unwrap());
    packer.finish().unwrap();
}

#[test]
fn packed_files_that_fill_the_memory_are_refused() {
    let place = Place::with_small_data();
    bomb(&place, "points.csv.gz", "node,x1,y\na,1,", 257);
    let bytes = std::fs::metadata(place.path("points.csv.gz")).unwrap().len();
    assert!(bytes < 4 << 20, "{bytes}");
    let line = SMALL.replace("points.csv", "points.csv.gz");
    let output = place.run(&line);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let said = stderr(&output);
    assert!(said.contains("points.csv.gz: it unpacks to more than 256 MiB"), "{said}");
    assert!(said.contains("say --max-unpacked with more"), "{said}");
    // A limit of one's own, in both directions. The long number is none that can be used.
    let output = place.run(&format!("{line} --max-unpacked 300"));
    assert!(stderr(&output).contains("expected a finite number"), "{}", stderr(&output));
    bomb(&place, "points.csv.gz", "node,x1,y\na,1,", 2);
    let output = place.run(&format!("--max-unpacked 1 {line}"));
    assert!(stderr(&output).contains("more than 1 MiB"), "{}", stderr(&output));
    assert!(!place.path("run").exists());
}

#[test]
fn names_that_are_formulas_become_harmless() {
    let place = Place::new();
    let names = ["=1+2", "+a", "-a", "@a", "plain"];
    let mut points = String::from("node,=x,y\n");
    let mut edges = String::from("source,target\n");
    for (k, name) in names.iter().enumerate() {
        points.push_str(&format!("{name},{k},1\n{name},2,{k}\n"));
        edges.push_str(&format!("{name},{}\n", names[(k + 1) % names.len()]));
    }
    place.write("points.csv", &points);
    place.write("edges.csv", &edges);
    let first = |file: &str| -> Vec<String> {
        let text = place.read(file);
        text.lines().map(|line| line.split(',').next().unwrap().to_owned()).collect()
    };
    let run = |line: &str| {
        let output = place.run(line);
        assert!(output.status.success(), "{line}: {}", stderr(&output));
    };
    let predict = "predict --run run --data points.csv --out predictions.csv --force";
    run(SMALL);
    run(predict);
    assert!(first("predictions.csv").contains(&"=1+2".to_owned()));
    let plain = place.read("predictions.csv");
    run(&format!("{SMALL} --force --spreadsheet"));
    assert!(place.read("run/parameters.csv").starts_with("node,'=x\n"));
    for file in ["parameters.csv", "clusters.csv", "edges.csv"] {
        for cell in place.read(&format!("run/{file}")).lines().flat_map(|l| l.split(',')) {
            let number = cell.parse::<f64>().is_ok();
            assert!(number || !cell.starts_with(['=', '+', '-', '@']), "{file}: {cell}");
        }
    }
    // What is written so is read so.
    run(&format!("{predict} --spreadsheet"));
    let written = first("predictions.csv");
    let harmless = ["'=1+2", "'+a", "'-a", "'@a", "plain"];
    assert!(harmless.iter().all(|n| written.contains(&(*n).to_owned())), "{written:?}");
    assert_eq!(place.read("predictions.csv").replace("\n'", "\n"), plain);
    run("graph inspect --graph run/edges.csv --out facts --spreadsheet");
}
