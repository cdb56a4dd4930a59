//! Which λ, and how sure that is: cross-validation inside the nodes' data. The graph stays, or is
//! built from the training points.

mod choice;
mod criteria;
mod cross_validation;
mod ends;
mod extend;
mod tuned;
mod variant;

pub use choice::{Choice, Place, Rule};
pub use criteria::{Complexity, OnAllData};
pub use cross_validation::Curve;
pub use ends::Ends;
pub use tuned::Tuned;
pub use variant::{GraphOf, Variant};

use super::Measure;
use super::parts;
use crate::fit::prepare;
use crate::numeric::threads::join;
use crate::outcome::{Shared, Unobserved};
use crate::path::usual_lambdas_with;
use crate::{Edges, Error, Event, Observer, Options, Table};
use cross_validation::Task;

/// The λ to try.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Lambdas {
    /// So many, over a range that the data suggest; it grows while the best one is at an end.
    Count(usize),
    /// These, ascending and above 0.
    Given(Vec<f64>),
}

/// How settings are tried and judged.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TuneOptions {
    /// The λ to try; 0 is always tried, too.
    pub lambdas: Lambdas,
    /// Folds of the cross-validation, at least 2.
    pub folds: usize,
    /// How often the points are dealt to the folds.
    pub repeats: usize,
    /// The error that settings are compared by.
    pub measure: Measure,
    /// How one setting is chosen.
    pub rule: Rule,
    /// Relative gap at which the runs on parts of the data stop.
    pub tolerance: f64,
}

impl TuneOptions {
    /// 17 values of λ, 5 folds, 1 repeat, the one-standard-error rule.
    pub fn new(measure: Measure) -> TuneOptions {
        TuneOptions {
            lambdas: Lambdas::Count(17),
            folds: 5,
            repeats: 1,
            measure,
            rule: Rule::default(),
            tolerance: parts::TOLERANCE,
        }
    }
}

/// Finds the variant and the λ that predict best.
///
/// ```
/// use netfed::evaluate::{GraphOf, Measure, TuneOptions, Variant, tune};
/// use netfed::{Edges, LossKind, Table};
///
/// // Eight points of each of two nodes with y ≈ 2x, and of a third with y ≈ −x.
/// let nodes = (0..24).map(|k| ["a", "b", "c"][k % 3]);
/// let x: Vec<f64> = (0..24).map(|k| 1.0 + (k / 3) as f64).collect();
/// let noise = |k: usize| (k * 7919 % 101) as f64 / 101.0 - 0.5;
/// let y = x.iter().enumerate().map(|(k, x)| if k % 3 == 2 { -x } else { 2.0 * x } + noise(k));
/// let table = Table::from_rows(nodes, vec!["x".into()], x.clone(), Some(y.collect()))?;
/// let edges = Edges::from_names([("a", "b", 1.0), ("b", "c", 1.0)])?;
///
/// let variant = Variant::new(&"penalty=l1".parse()?, GraphOf::Edges(&edges));
/// let options = TuneOptions::new(Measure::usual(LossKind::Squared));
/// let tuned = tune(&table, &[variant], &options)?;
/// let (best, alone) = (tuned.error(tuned.choice.best), tuned.baseline(tuned.alone()));
/// assert!(best.mean <= alone.mean && tuned.lambda(tuned.choice.chosen) >= 0.0);
/// # Ok::<(), netfed::Error>(())
/// ```
pub fn tune(
    table: &Table,
    variants: &[Variant<'_>],
    options: &TuneOptions,
) -> Result<Tuned, Error> {
    tune_with(table, variants, options, &mut Unobserved)
}

/// [`tune()`] with an observer: [`Event::Begin`] where the λ of a variant are looked for,
/// [`Event::Planned`] before runs, [`Event::Solved`] after each, whose run is its variant. Where it
/// breaks the answer is [`Error::Stopped`].
pub fn tune_with(
    table: &Table,
    variants: &[Variant<'_>],
    options: &TuneOptions,
    observer: &mut dyn Observer,
) -> Result<Tuned, Error> {
    check(table, variants, options)?;
    let (mut lambdas, mut parts, mut edges) = (Vec::new(), Vec::new(), Vec::new());
    let (mut warnings, mut small) = (Vec::new(), true);
    for (place, variant) in variants.iter().enumerate() {
        let own = variant.edges(table, observer)?;
        if own.is_empty() && matches!(variant.graph, GraphOf::Recipe(_)) {
            return Err(Error::NoEdges { variant: place });
        }
        let given =
            if let GraphOf::Edges(given) = variant.graph { given } else { &Edges::default() };
        small &= parts::are_small(table, given);
        let prepared = prepare(table, Some(&own), &variant.spec)?;
        let mut path = vec![0.0];
        match &options.lambdas {
            Lambdas::Given(given) => path.extend(given),
            Lambdas::Count(count) => {
                if observer.observe(Event::Begin { run: place }).is_break() {
                    return Err(Error::Stopped);
                }
                let options = Options { tolerance: options.tolerance, ..variant.spec.options() };
                path.extend(usual_lambdas_with(&prepared.problem, *count, &options, observer)?);
            }
        }
        lambdas.push(path);
        parts.push(prepared.graph.components(|_| true).iter().max().map_or(1, |c| c + 1));
        edges.push(prepared.graph.edges().len());
        warnings.push(prepared.warnings);
    }
    let (curves, all_data) = run(table, variants, options, &lambdas, small, observer)?;
    let choice = Choice::new((variants, options), &curves, &all_data);
    let TuneOptions { folds, repeats, .. } = *options;
    Ok(Tuned { curves, all_data, choice, parts, edges, warnings, folds, repeats })
}

/// All runs.
fn run(
    table: &Table,
    variants: &[Variant<'_>],
    options: &TuneOptions,
    lambdas: &[Vec<f64>],
    small: bool,
    observer: &mut dyn Observer,
) -> Result<(Vec<Curve>, Vec<Option<OnAllData>>), Error> {
    let paths = |v: &Variant<'_>| options.repeats * options.folds + usize::from(v.fuses());
    let runs = variants.iter().zip(lambdas).map(|(v, l)| paths(v) * l.len()).sum();
    let shared = Shared::new(observer);
    let task = Task { table, variants, options, small, observer: &shared };
    if shared.tell(Event::Planned { runs }).is_break() {
        return Err(Error::Stopped);
    }
    let folds = || task.cross_validate(lambdas);
    let whole = || parts::all(small, lambdas.len(), |v| task.on_all_data(v, &lambdas[v]));
    let (curves, all_data) = if small { join(folds, whole) } else { (folds(), whole()) };
    let (mut curves, mut all_data) = (curves?, all_data?);
    if matches!(options.lambdas, Lambdas::Count(_)) {
        task.extend(&mut curves, &mut all_data)?;
    }
    shared.finish();
    Ok((curves, all_data))
}

fn check(table: &Table, variants: &[Variant<'_>], options: &TuneOptions) -> Result<(), Error> {
    let wrong = |problem: String| Err(Error::Setting { problem });
    let rows = table.rows();
    if variants.is_empty() {
        return wrong("there is no variant to try".into());
    }
    if options.folds < 2 || options.folds > rows {
        let folds = options.folds;
        return wrong(format!(
            "`folds` is {folds}; it must be at least 2 and at most {rows}, the number of data points"
        ));
    }
    if options.repeats == 0 {
        return wrong("`repeats` is 0; it must be at least 1".into());
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;
    use crate::graph::{DiscrepancyKind, GraphRecipe};
    use crate::similarity_graph::Rule as EdgeRule;
    use crate::{LossKind, Spec};

    fn options(lambdas: &[f64]) -> TuneOptions {
        TuneOptions {
            lambdas: Lambdas::Given(lambdas.to_vec()),
            folds: 2,
            ..TuneOptions::new(Measure::usual(LossKind::Mean))
        }
    }

    fn table(nodes: &[&str], x: &[f64], y: Option<&[f64]>) -> Table {
        Table::from_rows(nodes, vec!["x".into()], x.to_vec(), y.map(<[f64]>::to_vec)).unwrap()
    }

    #[test]
    fn errors_are_those_of_models_that_have_not_seen_the_points() {
        // Two nodes with two points each: every fold holds one point of each.
        let table = table(&["a", "b", "a", "b"], &[0.0, 10.0, 2.0, 13.0], None);
        let edges = Edges::from_names([("a", "b", 1.0)]).unwrap();
        let variant = Variant::new(&"loss=mean".parse().unwrap(), GraphOf::Edges(&edges));
        let options = TuneOptions { repeats: 3, ..options(&[1e-3, 1e3]) };
        let curve = &tune(&table, &[variant], &options).unwrap().curves[0];
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
        let names: Vec<String> = (0..48).map(|r| format!("n{}", r / 4)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let x: Vec<f64> = (0..48).map(|r: usize| ((r * r * 7 + 3 * r) % 23) as f64).collect();
        let table = table(&names, &x, None);
        let recipe = GraphRecipe::new(DiscrepancyKind::Wasserstein).with_rule(EdgeRule::Nearest(2));
        let spec: Spec = "loss=mean".parse().unwrap();
        let built = Variant::new(&spec, GraphOf::Recipe(&recipe));
        let options = options(&[0.3, 2.0]);
        let curve = &tune(&table, std::slice::from_ref(&built), &options).unwrap().curves[0];
        let of_all = built.edges(&table, &mut Unobserved).unwrap();
        let fold = crate::table::folds(&table, 2, 0);
        for split in 0..2 {
            let training = table.select(|r| fold[r] != split);
            let edges = built.edges(&training, &mut Unobserved).unwrap();
            assert_ne!(edges, of_all);
            let fixed = Variant::new(&spec, GraphOf::Edges(&edges));
            let expected = &tune(&table, &[fixed], &options).unwrap().curves[0];
            for at in 0..3 {
                assert_eq!(curve.errors[at][split], expected.errors[at][split], "{at} {split}");
            }
        }
    }

    #[test]
    fn a_feature_that_training_never_sees_is_no_obstacle() {
        let y = [1.0, 2.0, 3.0, 4.0];
        let table = table(&["a", "b", "a", "b"], &[0.0, 0.0, 0.0, 1.0], Some(&y));
        let edges = Edges::from_names([("a", "b", 1.0)]).unwrap();
        let spec: Spec = "standardize=true intercept=true".parse().unwrap();
        let variant = Variant::new(&spec, GraphOf::Edges(&edges));
        let mut options = options(&[0.1]);
        options.measure = Measure::usual(LossKind::Squared);
        let tuned = tune(&table, &[variant], &options).unwrap();
        assert!(tuned.curves[0].errors.iter().flatten().all(|e| e.is_finite()));
    }

    #[test]
    fn a_break_stops_it() {
        let table = table(&["a", "b", "a", "b"], &[0.0, 10.0, 2.0, 13.0], None);
        let edges = Edges::from_names([("a", "b", 1.0)]).unwrap();
        let variant = Variant::new(&"loss=mean".parse().unwrap(), GraphOf::Edges(&edges));
        let mut stop = |_: Event<'_>| std::ops::ControlFlow::Break(());
        let found = tune_with(&table, std::slice::from_ref(&variant), &options(&[1.0]), &mut stop);
        assert_eq!(found.unwrap_err(), Error::Stopped);
        let few = TuneOptions { folds: 9, ..options(&[1.0]) };
        assert!(tune(&table, &[variant], &few).unwrap_err().to_string().contains("`folds` is 9"));
    }
}
