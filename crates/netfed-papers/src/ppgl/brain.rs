//! Table V: brain networks of people with and without autism, every person a silo. 34 of the 90
//! regions are the vertices, the first 176 volumes, standardized, the signals; (8) with all persons
//! together. The paper does not say which regions: the first 34 and four random sets. p-values by
//! permutations of the groups, which the paper does not have.

use std::path::Path;
use std::sync::Arc;

use netfed::Matrix;
use netfed::generate::random;
use netfed::learning::{Candidates, Exact, LogDegree, Model, Silos};
use netfed_cli::Failure;
use netfed_cli::progress::{Steps, until_interrupted};
use rand::RngExt;

use super::go_on;
use crate::Request;
use crate::idx::Array;
use crate::outcome::{Outcome, Value};
use crate::runs::seed;

const ORIGIN: &str = "abide_um_aal90_bold_z_x2000-idx3-short.gz and subjects.csv (columns index, subject, site, group): time series of the 90 AAL regions of the University of Michigan site of ABIDE I (http://preprocessed-connectomes-project.org/abide/), 2000 times their z-scores, subjects × volumes × regions as an idx file";
const REGIONS: usize = 34;
const VOLUMES: usize = 176;
const MODEL: Model = Model { alpha: 1.0, beta: 0.5, zeta: 0.0 };
const NU: f64 = 0.3;
const LAMBDA: f64 = 0.1;
/// An edge is a weight of at least this.
const LEAST: f64 = 0.01;
const PERMUTATIONS: u64 = 5000;
/// Edges and mean weight, autism then control, in an independent re-run: the first 34 regions.
const RERUN: [f64; 4] = [148.3, 149.0, 0.160, 0.159];
const PAPER: [f64; 4] = [114.0, 125.0, 0.091, 0.109];

/// Table V.
pub(crate) fn table5(request: &Request) -> Result<Outcome, Failure> {
    let folder = request.data.ok_or_else(|| {
        Failure::input(format!("ppgl-table5 needs --data, a folder with {ORIGIN}."))
    })?;
    let series = Array::read(&folder.join("abide_um_aal90_bold_z_x2000-idx3-short.gz"), 3, ORIGIN)?;
    let autism = groups(&folder.join("subjects.csv"))?;
    let [subjects, volumes, regions] = series.lengths[..] else {
        return Err(Failure::other("an idx file without three axes.".into()));
    };
    if autism.len() != subjects || regions < REGIONS {
        return Err(Failure::input(format!(
            "{}: expected a row of subjects.csv for each of {subjects} subjects and at least {REGIONS} regions, found {} rows and {regions} regions.",
            folder.display(),
            autism.len()
        )));
    }
    let mut outcome = Outcome {
        title: "Table V: brain networks with and without autism, by the regions taken".into(),
        columns: vec![
            "regions",
            "edges, autism",
            "edges, control",
            "p",
            "mean weight, autism",
            "mean weight, control",
            "p of weights",
        ],
        rows: Vec::new(),
        notes: Vec::new(),
        charts: Vec::new(),
        files: Vec::new(),
    };
    outcome.rows.push(known("paper (34 regions, not listed)", PAPER));
    outcome.rows.push(known("re-run, first 34", RERUN));
    let steps = Steps::named(5, "sets of regions", request.quiet);
    let mut significant = 0;
    for set in 0..5 {
        go_on()?;
        let (name, chosen) = match set {
            0 => ("first 34".to_owned(), (0..REGIONS).collect()),
            k => (format!("random {k}"), some(regions, seed(request.seed, 80, k))),
        };
        let people = learn(&series, &chosen, volumes.min(VOLUMES))?;
        steps.step(&name);
        let seeds = [90, 91].map(|part| seed(request.seed, part, set));
        let (row, found) = compare(name, &people, &autism, seeds);
        significant += found;
        outcome.rows.push(row);
    }
    steps.finish();
    outcome.notes = notes(&autism, volumes, significant);
    Ok(outcome)
}

/// Edges and mean weights of both groups, and how many of the two differences are significant.
fn compare(
    name: String,
    people: &[[f64; 2]],
    autism: &[bool],
    seeds: [u64; 2],
) -> (Vec<Value>, usize) {
    let (mut row, mut significant) = (vec![Value::text(name)], 0);
    for k in 0..2 {
        let values: Vec<f64> = people.iter().map(|p| p[k]).collect();
        let (with, without) = means(&values, autism);
        let p = p_value(&values, autism, seeds[k]);
        significant += usize::from(p < 0.05);
        let digits = if k == 0 { 10.0 } else { 1000.0 };
        row.extend([with, without].map(|v| Value::Number((v * digits).round() / digits, None)));
        row.push(Value::Number((p * 1000.0).round() / 1000.0, None));
    }
    (row, significant)
}

/// A row of the paper or of the re-run.
fn known(name: &str, v: [f64; 4]) -> Vec<Value> {
    let mut row = vec![Value::text(name)];
    row.extend([v[0], v[1]].map(|x| Value::Number(x, None)));
    row.push(Value::None);
    row.extend([v[2], v[3]].map(|x| Value::Number(x, None)));
    row.push(Value::None);
    row
}

fn notes(autism: &[bool], volumes: usize, significant: usize) -> Vec<String> {
    let people = autism.iter().filter(|a| **a).count();
    vec![
        format!("{people} people with autism, {} without, {} volumes each, standardized; α = 1, β = {}, ν = {NU}, λ = {LAMBDA}, (8) solved exactly; an edge is a weight of at least {LEAST}. p: {PERMUTATIONS} permutations of the groups, two-sided.", autism.len() - people, volumes.min(VOLUMES), MODEL.beta),
        match significant {
            0 => "No difference between the groups is significant at 5%: weaker connections in autism are not confirmed.".into(),
            n => format!("{n} of the 10 differences have p < .05, without a correction for their number; the sign changes with the regions. Weaker connections in autism are not confirmed."),
        },
        "The paper has 50 people of each group from all sites and gives no test.".into(),
    ]
}

/// Whether each subject belongs to the group autism.
fn groups(path: &Path) -> Result<Vec<bool>, Failure> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|e| {
        Failure::input(format!("cannot open {shown}: {}; --data needs {ORIGIN}.", e.kind()))
    })?;
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default();
    let at = header.split(',').position(|c| c.trim() == "group").ok_or_else(|| {
        Failure::input(format!("{shown}, line 1: no column \"group\"; found \"{header}\"."))
    })?;
    let group = |(k, line): (usize, &str)| match line.split(',').nth(at).map(str::trim) {
        Some("autism") => Ok(true),
        Some("control") => Ok(false),
        other => Err(Failure::input(format!(
            "{shown}, line {}: expected the group autism or control, found \"{}\".",
            k + 2,
            other.unwrap_or_default()
        ))),
    };
    lines.enumerate().filter(|(_, l)| !l.trim().is_empty()).map(group).collect()
}

/// Some of the regions, in order.
fn some(regions: usize, seed: u64) -> Vec<usize> {
    let mut random = random(seed);
    let mut order: Vec<usize> = (0..regions).collect();
    (0..REGIONS).for_each(|k| order.swap(k, random.random_range(k..regions)));
    order.truncate(REGIONS);
    order.sort_unstable();
    order
}

/// Edges and mean weight of every person's graph.
fn learn(series: &Array, chosen: &[usize], volumes: usize) -> Result<Vec<[f64; 2]>, Failure> {
    let (all, regions) = (series.lengths[1], series.lengths[2]);
    let candidates = Arc::new(Candidates::all(chosen.len())?);
    let person = |values: &[f64]| {
        let mut signals = Matrix::zeros(chosen.len(), volumes);
        for (v, &region) in chosen.iter().enumerate() {
            let row = signals.row_mut(v);
            (0..volumes).for_each(|t| row[t] = values[t * regions + region]);
            standardize(row);
        }
        LogDegree::new(Arc::clone(&candidates), &signals, MODEL)
    };
    let values = series.values();
    let people = values.chunks_exact(all * regions).map(person);
    let silos = Silos::new(people.collect::<Result<Vec<_>, _>>()?, NU, LAMBDA)?;
    let settings = Exact { tolerance: 1e-8, max_rounds: 2000 };
    let graphs = settings.solve_with(&silos, &mut until_interrupted);
    let facts = |weights: &[f64]| {
        let edges: Vec<f64> = weights.iter().copied().filter(|w| *w >= LEAST).collect();
        [edges.len() as f64, edges.iter().sum::<f64>() / (edges.len() as f64).max(1.0)]
    };
    go_on()?;
    if graphs.status != netfed::Status::Solved {
        return Err(Failure::other(format!("(8) was not solved: gap {}.", graphs.graphs.gap)));
    }
    let locals = &graphs.graphs.locals;
    Ok((0..locals.rows()).map(|i| facts(locals.row(i))).collect())
}

/// Gives some values mean 0 and standard deviation 1.
fn standardize(values: &mut [f64]) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    values.iter_mut().for_each(|x| *x -= mean);
    let deviation = (values.iter().map(|x| x * x).sum::<f64>() / count).sqrt();
    if deviation > 0.0 {
        values.iter_mut().for_each(|x| *x /= deviation);
    }
}

/// Means of the two groups.
fn means(values: &[f64], group: &[bool]) -> (f64, f64) {
    let of = |which: bool| {
        let some = || values.iter().zip(group).filter(|(_, g)| **g == which).map(|(v, _)| *v);
        some().sum::<f64>() / (some().count() as f64).max(1.0)
    };
    (of(true), of(false))
}

/// The part of the permutations of the groups whose means differ by at least as much.
fn p_value(values: &[f64], group: &[bool], seed: u64) -> f64 {
    let difference = |group: &[bool]| {
        let (with, without) = means(values, group);
        (with - without).abs()
    };
    let observed = difference(group);
    let mut random = random(seed);
    let mut shuffled = group.to_vec();
    let mut as_large = 1;
    for _ in 0..PERMUTATIONS {
        (0..shuffled.len()).for_each(|k| shuffled.swap(k, random.random_range(k..group.len())));
        as_large += u64::from(difference(&shuffled) >= observed * (1.0 - 1e-12));
    }
    as_large as f64 / (PERMUTATIONS + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permutation_test_tells_a_difference_from_none() {
        let group: Vec<bool> = (0..40).map(|k| k < 20).collect();
        let apart: Vec<f64> = (0..40).map(|k| f64::from(k / 20) + 0.1 * f64::from(k % 7)).collect();
        assert!(p_value(&apart, &group, 1) < 0.001);
        let alike: Vec<f64> = (0..40).map(|k| f64::from(k % 20)).collect();
        assert!(p_value(&alike, &group, 1) > 0.9);
        assert_eq!(means(&[1.0, 3.0, 5.0], &[true, false, true]), (3.0, 3.0));
    }
}
