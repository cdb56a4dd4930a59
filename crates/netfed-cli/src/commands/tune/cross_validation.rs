//! Cross-validation: the error of every setting on data points that its models have not seen.
//!
//! For each repeat the rows of every node are dealt to the folds anew; for each fold the models are trained on the other rows,
//! with a scaling of the features, and where it is built a graph, that know these rows only. All settings see the same splits, so that their errors can be compared in pairs.

use netfed::evaluate::folds;
use netfed::{Options, Table};
use netfed_report::text::number;

use super::ends::Ends;
use super::plan::Plan;
use super::variant::{Variant, edges_for};
use crate::evaluation::{Data, descend, pooled};
use crate::failure::Failure;
use crate::prepare::prepare_part;
use crate::progress::Steps;

/// Errors of one variant on all splits, split by split: repeat by repeat, fold by fold.
pub(crate) struct Curve {
    /// λ, ascending, the first is 0: every node alone.
    pub(crate) lambdas: Vec<f64>,
    /// For every λ its errors on the splits.
    pub(crate) errors: Vec<Vec<f64>>,
    /// Errors of one model for all.
    pub(crate) pooled: Vec<f64>,
    /// For every λ the iterations of its runs, and how these ended.
    pub(crate) iterations: Vec<u64>,
    pub(crate) ends: Vec<Ends>,
}

/// What one split says about all λ of a variant.
struct Split {
    errors: Vec<f64>,
    pooled: f64,
    iterations: Vec<u64>,
    ends: Vec<Ends>,
}

/// Runs every variant with its λ on every split.
pub(crate) fn cross_validate(
    data: &Data,
    plan: &Plan,
    lambdas: &[Vec<f64>],
    steps: &Steps,
) -> Result<Vec<Curve>, Failure> {
    let seed = plan.variants[0].settings.spec.seed.wrapping_mul(1_000_003);
    let fold_of_row: Vec<Vec<usize>> = (0..plan.repeats)
        .map(|r| folds(&data.points, plan.folds, seed.wrapping_add(r as u64)))
        .collect();
    let splits = plan.repeats * plan.folds;
    let task = |k: usize| {
        let (variant, split) = (k / splits, k % splits);
        let fold_of_row = &fold_of_row[split / plan.folds];
        let part =
            |held: bool| data.points.select(|r| (fold_of_row[r] == split % plan.folds) == held);
        one_split(
            &part(false),
            &part(true),
            data,
            plan,
            &plan.variants[variant],
            &lambdas[variant],
            steps,
        )
    };
    // A variant without λ has nothing to be run.
    let tasks: Vec<usize> =
        (0..lambdas.len() * splits).filter(|k| !lambdas[k / splits].is_empty()).collect();
    let mut results = data.all(tasks.len(), |k| task(tasks[k]))?.into_iter();
    let of_variant = |l: &Vec<f64>| {
        let count = if l.is_empty() { 0 } else { splits };
        collect(l.clone(), results.by_ref().take(count).collect())
    };
    Ok(lambdas.iter().map(of_variant).collect())
}

fn one_split(
    training: &Table,
    held_out: &Table,
    data: &Data,
    plan: &Plan,
    variant: &Variant,
    lambdas: &[f64],
    steps: &Steps,
) -> Result<Split, Failure> {
    let settings = &variant.settings;
    let prepared = prepare_part(training, &edges_for(variant, data, training)?, settings)?;
    let one = pooled(training, settings)?;
    let error = |models: &[&[f64]]| plan.measure.error(settings.spec.intercept, models, held_out);
    let nodes = held_out.nodes().len();
    let options = Options { tolerance: plan.tolerance, ..settings.options() };
    let runs = descend(&prepared, lambdas, &one, &options, |k, params, point, _| {
        // The nodes with data come first, in the order of the table.
        let models: Vec<&[f64]> = (0..nodes).map(|i| params.row(i)).collect();
        let error = error(&models);
        steps.step(&format!("{}, λ = {}", variant.label, number(lambdas[k])));
        (error, Ends::of(point.status), point.iterations)
    })?;
    Ok(Split {
        errors: runs.iter().map(|r| r.0).collect(),
        pooled: error(&vec![one.model.as_slice(); nodes]),
        ends: runs.iter().map(|r| r.1).collect(),
        iterations: runs.iter().map(|r| r.2).collect(),
    })
}

fn collect(lambdas: Vec<f64>, splits: Vec<Split>) -> Curve {
    let each = 0..lambdas.len();
    Curve {
        errors: each.clone().map(|k| splits.iter().map(|s| s.errors[k]).collect()).collect(),
        pooled: splits.iter().map(|s| s.pooled).collect(),
        iterations: each.clone().map(|k| splits.iter().map(|s| s.iterations[k]).sum()).collect(),
        ends: each.map(|k| splits.iter().map(|s| s.ends[k]).sum()).collect(),
        lambdas,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::tune::plan::tests::plan;
    use netfed::Edges;

    /// Two nodes with two points each: every fold holds one point of each.
    fn data() -> Data {
        Data {
            points: Table::from_rows(
                ["a", "b", "a", "b"],
                vec!["x".into()],
                vec![0.0, 10.0, 2.0, 13.0],
                None,
            )
            .unwrap(),
            edges: Edges::from_names([("a", "b", 1.0)]).unwrap(),
        }
    }

    #[test]
    fn errors_are_those_of_models_that_have_not_seen_the_points() {
        let plan = plan("--loss mean --folds 2 --repeats 3").unwrap();
        let steps = Steps::new(1, true);
        let lambdas = [vec![0.0, 1e-3, 1e3]];
        let curves = cross_validate(&data(), &plan, &lambdas, &steps).unwrap();
        let curve = &curves[0];
        // Alone, the model is the other point of the node: errors 2² and 3².
        assert_eq!(curve.errors[0], vec![6.5; 6]);
        assert!(curve.errors[1].iter().all(|e| (e - 6.5).abs() < 0.1), "{:?}", curve.errors[1]);
        // Merged, it is the mean of the two training points, one of each node.
        for (merged, pooled) in curve.errors[2].iter().zip(&curve.pooled) {
            assert!((merged - pooled).abs() < 1e-2 * pooled, "{merged} {pooled}");
            assert!(
                [16.25, 31.25, 36.5, 42.5].iter().any(|e| (e - pooled).abs() < 1e-9),
                "{pooled}"
            );
        }
        assert_eq!(curve.ends, [Ends::default(); 3]);
    }

    #[test]
    fn graphs_are_built_from_training_points_alone() {
        // Twelve nodes with four points each; which nodes are near depends on the points taken.
        let node = |r: usize| format!("n{}", r / 4);
        let value = |r: usize| ((r * r * 7 + 3 * r) % 23) as f64;
        let x = (0..48).map(value).collect();
        let points = Table::from_rows((0..48).map(node), vec!["x".into()], x, None).unwrap();
        let built = plan("--loss mean --graph-rule knn --graph-k 2 --folds 2 --repeats 1").unwrap();
        let given = plan("--loss mean --folds 2 --repeats 1").unwrap();
        let lambdas = [vec![0.0, 0.3, 2.0]];
        let steps = Steps::new(1, true);
        let data = Data { points, edges: Edges::default() };
        let curve = &cross_validate(&data, &built, &lambdas, &steps).unwrap()[0];
        let variant = &built.variants[0];
        let of_all = edges_for(variant, &data, &data.points).unwrap();
        let fold = folds(&data.points, 2, 0);
        for split in 0..2 {
            let training = data.points.select(|r| fold[r] != split);
            let edges = edges_for(variant, &data, &training).unwrap();
            assert_ne!(edges, of_all);
            let fixed = Data { points: data.points.clone(), edges };
            let expected = &cross_validate(&fixed, &given, &lambdas, &steps).unwrap()[0];
            for at in 0..3 {
                assert_eq!(curve.errors[at][split], expected.errors[at][split], "{at} {split}");
            }
        }
    }

    #[test]
    fn a_feature_that_training_never_sees_is_no_obstacle() {
        let plan = plan("--loss squared --standardize --intercept --folds 2 --repeats 1").unwrap();
        let (x, y) = (vec![0.0, 0.0, 0.0, 1.0], Some(vec![1.0, 2.0, 3.0, 4.0]));
        let points = Table::from_rows(["a", "b", "a", "b"], vec!["x".into()], x, y).unwrap();
        let data = Data { points, ..data() };
        let curves = cross_validate(&data, &plan, &[vec![0.0, 0.1]], &Steps::new(1, true)).unwrap();
        assert!(curves[0].errors.iter().flatten().all(|e| e.is_finite()));
    }
}
