//! `netfed-papers` from the outside: the cheap experiments, with ranges for what they must find.

// Helpers of tests are tests, too.
#![allow(clippy::unwrap_used)]

use std::ffi::OsString;

use assert_cmd::Command;

fn papers(args: &[&str]) -> std::process::Output {
    Command::cargo_bin("netfed-papers").unwrap().args(args).output().unwrap()
}

/// Rows of a CSV file as cells; the tables here have no quoted commas in the columns that are read.
fn rows(path: &std::path::Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut rows = Vec::new();
    for line in text.lines().skip(1) {
        let (first, rest) = match line.strip_prefix('"') {
            Some(quoted) => quoted.split_once("\",").unwrap(),
            None => line.split_once(',').unwrap(),
        };
        rows.push(std::iter::once(first).chain(rest.split(',')).map(str::to_owned).collect());
    }
    rows
}

#[test]
fn names_are_listed_and_checked() {
    let list = papers(&[]);
    assert!(list.status.success());
    let names = String::from_utf8_lossy(&list.stdout).into_owned();
    for name in
        ["nfl-fig8", "nfl-table3", "hfl-fig1", "hfl-fig2", "hfl-s1", "hfl-table1", "ppgl-table1"]
    {
        assert!(names.contains(name), "{names}");
    }
    let wrong = papers(&["nfl-tabel3"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("Did you mean \"nfl-table3\"?"));
}

#[test]
fn the_star_is_a_star() {
    let output = papers(&["nfl-fig6", "--quiet"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && output.stderr.is_empty());
    assert!(text.contains("49") && text.contains("nfl-fig7"), "{text}");
}

#[test]
fn star_models_merge_with_norms_only() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("star");
    let output = papers(&["nfl-fig7", "--quiet", "--out", out.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let sweep = rows(&out.join("sweep.csv"));
    let clusters = |penalty: &str, weight: &str| -> usize {
        let row = sweep.iter().find(|r| r[0] == penalty && r[1] == weight).unwrap();
        assert!(row[4].parse::<f64>().unwrap() <= 1e-9, "{row:?}");
        row[3].parse().unwrap()
    };
    for penalty in ["l1", "l2"] {
        assert_eq!(clusters(penalty, "0.01"), 50);
        assert_eq!(clusters(penalty, "20"), 1);
    }
    assert!(clusters("squared", "20") > 40);
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("<svg") && !page.contains("NaN"));
    let again = papers(&["nfl-fig7", "--quiet", "--out", out.to_str().unwrap()]);
    assert_eq!(again.status.code(), Some(2), "a folder is not overwritten");
}

#[test]
fn coupling_helps_the_weather_stations() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("weather");
    let output = papers(&["nfl-table3", "--quiet", "--out", out.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("Coupling helps"));
    // Columns: model, paper, paper sd, re-run, re-run sd, netfed, netfed sd, gap, iterations.
    let table = rows(&out.join("results.csv"));
    let error = |start: &str| -> f64 {
        let row = table.iter().find(|r| r[0].starts_with(start)).unwrap();
        row[5].parse().unwrap()
    };
    let (alone, pooled) = (error("every station alone"), error("one model for all"));
    let coupled = error("coupled, λ = 1");
    assert!((6.2..7.0).contains(&alone), "{alone}");
    assert!((5.2..5.8).contains(&pooled), "{pooled}");
    assert!((5.1..5.6).contains(&coupled), "{coupled}");
    assert!(coupled < pooled && pooled < alone);
    assert!(table[2..].iter().all(|r| r[7].parse::<f64>().unwrap() <= 1e-6));
    // A user can go on with the prepared files.
    let run = dir.path().join("run");
    let (points, edges) = (out.join("points.csv"), out.join("edges.csv"));
    let words = "netfed fit --intercept --penalty l1 --lambda 0.5 --quiet --data";
    let words = words.split_whitespace().map(OsString::from);
    let files = [points.into(), "--graph".into(), edges.into(), "--out".into(), run.clone().into()];
    assert_eq!(netfed_cli::run(words.chain(files)), 0);
    for file in ["parameters.csv", "clusters.csv"] {
        let read = |folder: &std::path::Path| std::fs::read_to_string(folder.join(file)).unwrap();
        assert_eq!(read(&run), read(&out.join("model")), "{file}");
    }
}

#[test]
fn coupling_helps_networks_that_read_digits() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("digits");
    let output = papers(&["nfl-table2", "--quiet", "--out", out.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("Coupling helps"));
    // Columns: model, paper's training and validation, netfed's training and validation, accurate
    // steps.
    let table = rows(&out.join("results.csv"));
    let accuracy = |start: &str| -> f64 {
        let row = table.iter().find(|r| r[0].starts_with(start)).unwrap();
        row[4].parse().unwrap()
    };
    let (alone, coupled) =
        (accuracy("every node alone"), accuracy("coupled by Algorithm 1, λ = 0.1"));
    assert!(coupled >= 0.97 && coupled > alone && alone > 0.94, "{coupled} {alone}");
    let all = accuracy("one network for all, four classes");
    assert!(all > 0.95, "trained properly: {all}");
    assert!(accuracy("one hidden unit, ten epochs") < 0.9, "not trained properly");
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("<svg") && !page.contains("NaN"));
}

#[test]
fn digits_in_full_need_the_images() {
    let refused = |args: &[&str], words: &str| {
        let output = papers(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    };
    refused(&["nfl-table2", "--full"], "--data FOLDER");
    refused(&["nfl-table3", "--data", "."], "--data is for nfl-table2");
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().to_str().unwrap();
    refused(&["nfl-table2", "--data", folder], "train-images-idx3-ubyte");
    std::fs::write(dir.path().join("train-images-idx3-ubyte"), "not images").unwrap();
    std::fs::write(dir.path().join("train-labels-idx1-ubyte"), "not labels").unwrap();
    refused(&["nfl-table2", "--data", folder], "expected an idx file with 3 axes");
    // One image, of a five.
    let mut image = vec![0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 28, 0, 0, 0, 28];
    image.resize(image.len() + 28 * 28, 0);
    std::fs::write(dir.path().join("train-images-idx3-ubyte"), image).unwrap();
    let label = [0, 0, 8, 1, 0, 0, 0, 1, 5];
    std::fs::write(dir.path().join("train-labels-idx1-ubyte"), label).unwrap();
    refused(&["nfl-table2", "--data", folder], "there are 0 images of 0 and 1; 3000 are needed");
}

#[test]
fn data_that_are_not_built_in_are_asked_for() {
    for (args, part) in [
        (&["ppgl-table4"][..], "ppgl-table4 needs --data, a folder with coil20-images"),
        (&["ppgl-table5", "--data", "gone"], "--data needs abide_um_aal90"),
        (&["ppgl-table1", "--data", "gone"], "the data of ppgl-table1 are built in"),
    ] {
        let output = papers(args);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(part), "{text}");
    }
}

/// Made-up time series of six people and 36 regions, the same for both groups: no difference is
/// found.
#[test]
fn brain_networks_of_made_up_people() {
    use std::io::Write;
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = vec![0u8, 0, 11, 3];
    for length in [6u32, 40, 36] {
        bytes.extend(length.to_be_bytes());
    }
    for k in 0..6 * 40 * 36 {
        let (person, volume, region) = (k / 1440, k / 36 % 40, k % 36);
        let wave = f64::sin(0.3 * f64::from(volume * (1 + region % 6)) + f64::from(person % 3));
        let value = 2000.0 * wave + f64::from((k * 7919) % 1001);
        bytes.extend((value as i16).to_be_bytes());
    }
    let file = dir.path().join("abide_um_aal90_bold_z_x2000-idx3-short.gz");
    let file = std::fs::File::create(file).unwrap();
    let mut packer = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    packer.write_all(&bytes).unwrap();
    packer.finish().unwrap();
    let subjects = dir.path().join("subjects.csv");
    let rows: String = (0..6)
        .map(|k| format!("{k},s{k},x,{}\n", if k < 3 { "autism" } else { "control" }))
        .collect();
    std::fs::write(&subjects, format!("index,subject,site,group\n{rows}")).unwrap();
    let run = || papers(&["ppgl-table5", "--quiet", "--data", dir.path().to_str().unwrap()]);
    let output = run();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("random 4") && text.contains("not confirmed"), "{text}");
    std::fs::write(&subjects, "index,subject,site,group\n0,a,b,dog\n").unwrap();
    let output = run();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("subjects.csv, line 2: expected the group autism or control"), "{text}");
}
