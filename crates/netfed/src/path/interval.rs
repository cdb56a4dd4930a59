//! An interval of the path: the solutions at its ends, and what can be told from them about those
//! in between.

use crate::numeric::linalg::axpy;
use crate::penalty::Kinks;
use crate::solve::contraction::Level;
use crate::solve::fusion::Fusion;
use crate::solve::sweep::step_ratio_between;
use crate::{Matrix, Options, Problem, Start};
use std::sync::Arc;

/// The most solutions that a start is interpolated from.
const SUPPORT: usize = 4;

/// What a path is for.
#[derive(Clone, Copy)]
pub(super) struct Course<'a> {
    pub(super) problem: &'a Problem,
    pub(super) lambdas: &'a [f64],
    pub(super) options: &'a Options,
}

impl Course<'_> {
    /// Whether no models become equal, so that solutions are smooth in λ everywhere.
    fn is_smooth(&self) -> bool {
        self.problem.penalty().kinks() == Kinks::None
    }
}

/// A solution that others are interpolated from.
#[derive(Clone)]
pub(super) struct Known {
    index: usize,
    fusion: Arc<Fusion>,
    /// Of the problem, then of the smaller and smaller problems of the interval of the path.
    points: Vec<Arc<Start>>,
}

/// What is known at both ends of an interval of the path and some beyond, by increasing λ, with the
/// smaller problems of the interval.
#[derive(Clone)]
pub(super) struct Interval {
    known: Vec<Known>,
    levels: Vec<Arc<Level>>,
}

impl Known {
    /// From the points of the problem and of the smaller ones.
    pub(super) fn new(index: usize, fusion: Fusion, points: impl Iterator<Item = Start>) -> Known {
        Known { index, fusion: Arc::new(fusion), points: points.map(Arc::new).collect() }
    }
}

impl Interval {
    /// Between two solutions.
    pub(super) fn new(known: Vec<Known>) -> Interval {
        Interval { known, levels: Vec::new() }
    }

    /// The smaller problems.
    pub(super) fn levels(&self) -> &[Arc<Level>] {
        &self.levels
    }

    /// Takes in another solution.
    pub(super) fn add(&mut self, solved: Option<Known>) {
        let Some(solved) = solved else { return };
        let place = self.known.partition_point(|k| k.index < solved.index);
        self.known.insert(place, solved);
    }

    /// Goes on to the next smaller problem, if many models are equal on both sides of a λ.
    pub(super) fn descend(&mut self, course: &Course<'_>, index: usize) {
        let high = self.known.partition_point(|k| k.index < index);
        let Some((below, above)) = self.known[..high].last().zip(self.known.get(high)) else {
            return;
        };
        // A solution that had to be corrected has no points of smaller problems.
        let depth = below.points.len().min(above.points.len());
        self.levels.truncate(depth - 1);
        let problem = self.levels.last().map_or(course.problem, |level| level.problem());
        let end = |k: &'_ Known| (course.lambdas[k.index], Arc::clone(&k.points[depth - 1]));
        let [below, above] = [end(below), end(above)];
        let level = Level::new(problem, [(below.0, &below.1), (above.0, &above.1)]);
        let fusion = Arc::clone(&self.known[high].fusion);
        for (k, one) in self.known.iter_mut().enumerate() {
            one.points.truncate(depth);
            let near = k + 1 == high || k == high || one.fusion == fusion;
            if let Some(level) = &level
                && near
                && one.points.len() == depth
            {
                one.points.push(Arc::new(level.restrict(&one.points[depth - 1])));
            }
        }
        self.levels.extend(level.map(Arc::new));
    }

    /// How to interpolate between the solutions on both sides of a λ and, if the same models are
    /// equal there, next to them.
    pub(super) fn mix(&self, course: &Course<'_>, index: usize) -> Option<Mix<'_>> {
        let known = &self.known;
        let high = known.partition_point(|k| k.index < index);
        let (below, above) = (high.checked_sub(1)?, known.get(high)?);
        let (mut from, mut to) = (below, high + 1);
        let deepest = self.levels.len();
        let same = |k: &&Known| k.points.len() > deepest && k.fusion == above.fusion;
        let away = |k: &Known| k.index.abs_diff(index);
        while to - from < SUPPORT && same(&&known[below]) {
            let left = known[..from].last().filter(same).map(away);
            let right = known.get(to).filter(same).map(away);
            match (left, right) {
                (Some(left), right) if right.is_none_or(|right| left <= right) => from -= 1,
                (_, Some(_)) => to += 1,
                _ => break,
            }
        }
        let x = |index: usize| {
            let lambda = course.lambdas[index];
            if course.is_smooth() { lambda.ln() } else { lambda }
        };
        let problem = self.levels.last().map_or(course.problem, |level| level.problem());
        let ends = (&*known[below].points[deepest], &*above.points[deepest]);
        let step_ratio = step_ratio_between(problem, ends).unwrap_or(course.options.step_ratio);
        let known = &known[from..to];
        let weight = |k: &Known| {
            let others = known.iter().map(|j| j.index).filter(|&j| j != k.index);
            others.map(|j| (x(index) - x(j)) / (x(k.index) - x(j))).product::<f64>()
        };
        let weights: Vec<f64> = known.iter().map(weight).collect();
        // Values of λ that are the same to the last bit.
        if !weights.iter().all(|w| w.is_finite()) {
            let known = std::slice::from_ref(above);
            return Some(Mix { known, weights: vec![1.0], step_ratio: course.options.step_ratio });
        }
        Some(Mix { known, weights, step_ratio })
    }
}

/// A start that is interpolated: solutions and their weights, and γ of the first sweeps.
pub(super) struct Mix<'k> {
    known: &'k [Known],
    weights: Vec<f64>,
    pub(super) step_ratio: f64,
}

impl Mix<'_> {
    /// The start for the problem itself (0) or one of the smaller ones.
    pub(super) fn at(&self, level: usize) -> Start {
        let mix = |of: fn(&Start) -> &Matrix| {
            let mut sum = of(&self.known[0].points[level]).clone();
            sum.as_mut_slice().iter_mut().for_each(|s| *s *= self.weights[0]);
            for (k, weight) in self.known.iter().zip(&self.weights).skip(1) {
                axpy(*weight, of(&k.points[level]).as_slice(), sum.as_mut_slice());
            }
            sum
        };
        Start { params: mix(|p| &p.params), duals: mix(|p| &p.duals) }
    }
}
