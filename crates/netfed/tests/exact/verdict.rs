//! Claims about a case, judged; and what is told about many cases.

use crate::attack::{claims, solution};
use crate::case::Case;
use crate::number::{Upper, exact, nearest, real, upper};
use crate::terms::{objective, terms};
use crate::witness::witness;
use netfed::Bound;
use std::collections::BTreeMap;
use std::time::Instant;

#[derive(Default)]
pub(crate) struct Verdict {
    /// Families: cases, cases without a bound, cases with a false claim, the largest relative error of those.
    families: BTreeMap<String, [f64; 4]>,
    failures: Vec<String>,
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
    let most = if case.family.starts_with("offset") { 100_000 } else { 1000 };
    let solved = solution(&problem, most);
    verdict.seconds[0] += clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let (best, finished) = witness(&terms, solved.params.as_slice());
    verdict.seconds[1] += clock.elapsed().as_secs_f64();
    verdict.unfinished += usize::from(!finished);
    let clock = Instant::now();
    let claims = claims(case, &problem, &solved, &best, seed);
    verdict.seconds[2] += clock.elapsed().as_secs_f64();
    let mut least: Upper = objective(&terms, &best);
    for claim in &claims {
        if claim.params.as_slice().iter().all(|v| v.is_finite()) {
            let point: Vec<_> = claim.params.as_slice().iter().map(|v| real(*v)).collect();
            least = least.min(objective(&terms, &point));
        }
    }
    let family = verdict.families.entry(case.family.clone()).or_default();
    family[0] += 1.0;
    family[1] += f64::from(u8::from(solved.certificate.bound == Bound::None));
    let (mut worst, mut worst_claim, mut wrong) = (0.0, String::new(), 0);
    let mut best_bound = f64::NEG_INFINITY;
    for claim in &claims {
        let bound = claim.certificate.dual_bound();
        verdict.claims += 1;
        if !claim.is_bounded() {
            continue;
        }
        if bound.is_nan() {
            verdict
                .failures
                .push(format!("seed {seed}: {}: {}: the bound is NaN", case.family, claim.how));
            continue;
        }
        best_bound = best_bound.max(bound);
        if std::env::var("EXACT_SEED").is_ok() {
            let [least] = [nearest(&least.clone().with_rounding())];
            println!(
                "{}: {:?}, P(w) − D = {:e}, bound {bound:e}",
                claim.how,
                claim.certificate.bound,
                least - bound
            );
        }
        if bound.is_finite() && upper(&exact(bound)) > least {
            let above = nearest(&(upper(&exact(bound)) - &least).with_rounding());
            let value = nearest(&least.clone().with_rounding());
            let relative = above / value.max(f64::MIN_POSITIVE);
            wrong += 1;
            if relative > worst {
                worst = relative;
                worst_claim = format!(
                    "{}: {bound:e} is above P(w) = {value:e} by {above:.2e}, relative {relative:.1e} ({:?})",
                    claim.how, claim.certificate.bound
                );
            }
        }
    }
    if wrong > 0 {
        let (named, all) = (&case.family, claims.len());
        verdict
            .failures
            .push(format!("seed {seed}: {named}: {wrong} of {all} bounds, {worst_claim}"));
        family[2] += 1.0;
        family[3] = f64::max(family[3], worst);
    }
    if best_bound.is_finite() {
        let value = nearest(&least.with_rounding());
        verdict.tightness.push((value - best_bound) / value.max(f64::MIN_POSITIVE));
    }
}

impl Verdict {
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
        if std::env::var("EXACT_TABLE").is_ok() {
            println!("{:48} cases  no bound  false  worst", "family");
            for (name, [cases, unbounded, wrong, worst]) in &self.families {
                println!("{name:48} {cases:5} {unbounded:9} {wrong:6}  {worst:.1e}");
            }
        }
        let cases: f64 = self.families.values().map(|f| f[0]).sum();
        let wrong: f64 = self.families.values().map(|f| f[2]).sum();
        let shown = self.failures.iter().take(60).cloned().collect::<Vec<_>>().join("\n");
        assert!(self.failures.is_empty(), "{wrong} of {cases} cases have false bounds:\n{shown}");
    }
}
