//! Which method suits these data? All on the same splits, each with the setting that
//! cross-validation chooses for it.
//!
//!     cargo run --release -p netfed --example compare
//!
//! Twenty nodes of two groups with few points each. Printed: the error on points held out of every
//! method, the mean over the splits and its standard error, and how much worse it is than the best,
//! by the differences split by split.

#![allow(clippy::print_stdout, reason = "an example shows what it finds")]

use netfed::evaluate::{CompareMethod, CompareOptions, Estimate, Known, compare, mean};
use netfed::generate::{Noise, linear_data, normal_centers, stochastic_block_model};
use netfed::{Edges, Error, Matrix, Spec, Table};

const SIZES: [usize; 2] = [10, 10];

fn main() -> Result<(), Error> {
    let graph = stochastic_block_model(&SIZES, 0.5, 0.03, 1)?;
    let centers = normal_centers(SIZES.len(), 3, 1.0, 2)?;
    let group = |(c, size): (usize, &usize)| centers.row(c).repeat(*size);
    let truth = Matrix::from_rows(3, SIZES.iter().enumerate().flat_map(group).collect())?;
    let data = linear_data(&truth, 6, Noise::PerPoint(0.7), 3)?;
    let names: Vec<String> = (1..=graph.nodes()).map(|i| i.to_string()).collect();
    let features = (1..=3).map(|j| format!("x{j}")).collect();
    let table = Table::from_datasets(names.clone(), features, &data)?;
    let edges = Edges::of_graph(names, &graph)?;

    let spec: Spec = "penalty=l2".parse()?;
    let groups = SIZES.iter().enumerate().flat_map(|(c, size)| vec![c; *size]).collect();
    let known = Known { clusters: Some(groups), truth: Some(truth) };
    use CompareMethod::{FedAvg, Global, Gtv, Local, MrMtl, Oracle};
    let methods = vec![Local, Global, Oracle, Gtv, FedAvg, MrMtl];
    let options = CompareOptions::new(&spec, &known)
        .with_methods(methods.clone())
        .with_splits(5, 0.3)
        .with_folds(3)
        .with_rounds(300);
    let found = compare(&table, &edges, &spec, &known, &options)?;

    let errors: Vec<Vec<f64>> =
        found.runs.iter().map(|runs| runs.iter().map(|run| run.error).collect()).collect();
    let mut order: Vec<usize> = (0..methods.len()).collect();
    order.sort_by(|&a, &b| mean(&errors[a]).total_cmp(&mean(&errors[b])));
    let best = order[0];
    println!("{} on points held out, the smallest first:", options.measure.name);
    for k in order {
        let own = Estimate::of(&errors[k]);
        let above = Estimate::of_difference(&errors[k], &errors[best], errors[k].len());
        println!(
            "  {:8} {:.3} ± {:.3}, above the best {:.3} ± {:.3}",
            methods[k].name(),
            own.mean,
            own.se,
            above.mean,
            above.se
        );
    }
    Ok(())
}
