//! Claims about a case, judged; and what is told about many cases.

use crate::attack::{Claim, claims, solution};
use crate::case::{Case, normal};
use crate::number::{Real, Upper, exact, nearest, real, upper};
use crate::settings::number;
use crate::terms::{Term, objective, terms};
use crate::witness::{Witness, witness};
use netfed::{Bound, Matrix};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::time::Instant;

/// A bound is loose that is farther below the optimum than this part of it.
const LOOSE: f64 = 1e-5;

#[derive(Default)]
pub(crate) struct Verdict {
    /// Families: cases, those without a bound at the solution, those where no bound is near the
    /// optimum, those with a bound above it, the largest relative error of those.
    families: BTreeMap<String, [f64; 5]>,
    /// Bounds above the optimum, and gaps that are too small for their point.
    failures: [Vec<String>; 2],
    claims: usize,
    /// (P(w) − D)/P(w) of the best bound of every case that has one.
    tightness: Vec<f64>,
    unfinished: usize,
    seconds: [f64; 3],
}

/// Judges every claim about a case.
pub(crate) fn check(case: &Case, seed: u64, verdict: &mut Verdict) {
    let problem = case.problem();
    let terms = terms(case);
    let clock = Instant::now();
    let most = if case.family.starts_with("offset") { 100_000 } else { 300 };
    let solved = solution(&problem, most);
    verdict.seconds[0] += clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let Witness { point: best, finished, .. } = witness(&terms, solved.params.as_slice());
    verdict.seconds[1] += clock.elapsed().as_secs_f64();
    verdict.unfinished += usize::from(!finished);
    let clock = Instant::now();
    let claims = claims(case, &problem, &solved, &best, seed);
    verdict.seconds[2] += clock.elapsed().as_secs_f64();
    let unbounded = solved.certificate.bound == Bound::None;
    judge(case, seed, &terms, &best, &claims, unbounded, verdict);
}

/// What is false of some claims, bounds and gaps apart, each with how much it is off.
struct Judged {
    /// The largest bound.
    tightest: f64,
    false_claims: [Vec<(f64, String)>; 2],
}

/// Holds claims, whose points have these values, against the least value that is known.
fn against(claims: &[Claim], values: &[Option<Upper>], least: &Upper, scale: f64) -> Judged {
    let mut tightest = f64::NEG_INFINITY;
    let mut false_claims: [Vec<(f64, String)>; 2] = Default::default();
    for (claim, value) in claims.iter().zip(values) {
        let Claim { how, bound, gap, .. } = claim;
        if bound.is_nan() || gap.is_nan() {
            false_claims[0]
                .push((f64::INFINITY, format!("{how}: the bound is {bound}, the gap {gap}")));
            continue;
        }
        tightest = tightest.max(*bound);
        if number("EXACT_SEED").is_some() {
            println!(
                "{how}: P(w) − D = {:.3e}, D = {bound:e}, gap {gap:.3e}",
                as_f64(least) - bound
            );
        }
        if bound.is_finite() && upper(&exact(*bound)) > *least {
            let above = as_f64(&(upper(&exact(*bound)) - least));
            let text =
                format!("{how}: {bound:e} is above P(w) = {:e} by {above:.2e}", as_f64(least));
            false_claims[0].push((above / scale, text));
        }
        // What a root or a logarithm may be wrong by does not count.
        let Some(value) = value.as_ref().filter(|_| gap.is_finite()) else { continue };
        let beyond = value - least - upper(&exact(*gap)) - value * upper(&exact(1e-60));
        if beyond > upper(&exact(0.0)) {
            let beyond = as_f64(&beyond);
            let text =
                format!("{how}: P(w) − min P is more than the gap of {gap:e} by {beyond:.2e}");
            false_claims[1].push((beyond / gap, text));
        }
    }
    Judged { tightest, false_claims }
}

/// Judges claims about a case by the best of some points.
pub(crate) fn judge(
    case: &Case,
    seed: u64,
    terms: &[Term],
    best: &[Real],
    claims: &[Claim],
    unbounded: bool,
    verdict: &mut Verdict,
) {
    let value_of = |claim: &Claim| {
        let values = claim.params.as_slice();
        let finite = values.iter().all(|v| v.is_finite());
        finite.then(|| objective(terms, &values.iter().map(|v| real(*v)).collect::<Vec<_>>()))
    };
    let values: Vec<Option<Upper>> = claims.iter().map(value_of).collect();
    let least =
        values.iter().flatten().fold(objective(terms, best), |least, v| Ord::min(least, v.clone()));
    let zero = vec![real(0.0); best.len()];
    let scale = as_f64(&least).max(1e-20 * as_f64(&objective(terms, &zero))).max(1e-200);
    let family = verdict.families.entry(case.family.clone()).or_default();
    family[0] += 1.0;
    family[1] += f64::from(u8::from(unbounded));
    let Judged { tightest, false_claims } = against(claims, &values, &least, scale);
    verdict.claims += claims.len();
    for (kind, false_claims) in false_claims.iter().enumerate() {
        let worst = false_claims.iter().max_by(|a, b| a.0.total_cmp(&b.0));
        let Some((relative, text)) = worst else { continue };
        let (named, all, count) = (&case.family, claims.len(), false_claims.len());
        verdict.failures[kind].push(format!(
            "seed {seed}: {named}: {count} of {all} claims, {text}, relative {relative:.1e}"
        ));
        if kind == 0 {
            family[3] += 1.0;
            family[4] = f64::max(family[4], *relative);
        }
    }
    family[2] += f64::from(u8::from(as_f64(&least) - tightest > LOOSE * scale));
    if tightest.is_finite() {
        verdict.tightness.push((as_f64(&least) - tightest) / scale);
    }
}

/// Judges a bound that is false by little, after a look whether both objectives are the same.
pub(crate) fn check_the_judge(case: &Case, seed: u64, verdict: &mut Verdict) {
    let (problem, terms) = (case.problem(), terms(case));
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let values: Vec<f64> = (0..problem.nodes() * case.dim).map(|_| normal(&mut rng)).collect();
    let value = as_f64(&objective(&terms, &values.iter().map(|v| real(*v)).collect::<Vec<_>>()));
    let params = Matrix::from_rows(case.dim, values.clone()).unwrap();
    let theirs = problem.objective(&params);
    // A random point is far from optimal: nothing cancels.
    assert!((theirs - value).abs() <= 1e-9 * value, "{}: {theirs:e} {value:e}", case.family);
    let best = witness(&terms, &values).point;
    let least = objective(&terms, &best);
    let bound = as_f64(&least).next_up().next_up();
    let claim = Claim { how: "false".into(), params, bound, gap: f64::INFINITY };
    judge(case, seed, &terms, &best, &[claim], false, verdict);
}

fn as_f64(x: &Upper) -> f64 {
    nearest(&x.clone().with_rounding())
}

impl Verdict {
    /// Cases with a bound that was refuted.
    pub(crate) fn refuted(&self) -> usize {
        self.failures[0].len()
    }

    /// Prints the table if asked for, and fails if a claim was false.
    pub(crate) fn finish(mut self) {
        self.tightness.sort_by(f64::total_cmp);
        let part = |q: f64| self.tightness.get((q * (self.tightness.len() as f64 - 1.0)) as usize);
        println!(
            "{} claims; (P(w) − D)/P(w) at best, per case: median {:?}, nine tenths {:?}; {} witnesses unfinished; seconds {:.1?}",
            self.claims,
            part(0.5),
            part(0.9),
            self.unfinished,
            self.seconds
        );
        if number("EXACT_TABLE").is_some() {
            println!("{:48} cases  no bound  loose  false  worst", "family");
            for (name, [cases, unbounded, loose, wrong, worst]) in &self.families {
                println!("{name:48} {cases:5} {unbounded:9} {loose:6} {wrong:6}  {worst:.1e}");
            }
        }
        let cases: f64 = self.families.values().map(|f| f[0]).sum();
        let [bounds, gaps] = &self.failures;
        let shown = bounds.iter().take(60).chain(gaps.iter().take(20)).cloned();
        assert!(
            bounds.is_empty() && gaps.is_empty(),
            "of {cases} cases {} have bounds above the optimum, {} have gaps that are too small:\n{}",
            bounds.len(),
            gaps.len(),
            shown.collect::<Vec<_>>().join("\n")
        );
    }
}
