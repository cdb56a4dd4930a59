//! Conjugate gradients for Ax = b, A symmetric and positive semidefinite, with a preconditioner
//! M⁻¹:
//!
//!   x ← x + αp,   r ← r − αAp,   z = M⁻¹r,   p ← z + βp,   α = ⟨r, z⟩/⟨p, Ap⟩,   β = ⟨r⁺, z⁺⟩/⟨r, z⟩
//!
//! Products with A and M⁻¹ come with their inner products, and who solves says when it is enough:
//!
//! ```text
//! begin;   repeat: multiply, advance; enough? precondition, turn
//! ```

use super::linalg::axpy;

/// α and β: one number, or one for every column of systems that are solved side by side.
pub(crate) trait Factor {
    /// The quotient.
    fn over(&self, other: &Self) -> Self;

    /// y ← y + αx
    fn add_times(&self, x: &[f64], y: &mut [f64]);

    /// y ← y − αx
    fn subtract_times(&self, x: &[f64], y: &mut [f64]);

    /// p ← z + βp
    fn turn(&self, z: &[f64], p: &mut [f64]);
}

/// A system under way, from x = 0.
#[derive(Default)]
pub(crate) struct ConjugateGradients<F> {
    /// x
    pub(crate) solution: Vec<f64>,
    /// r
    pub(crate) residual: Vec<f64>,
    preconditioned: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
    /// ⟨r, z⟩
    product: F,
}

impl<F: Factor + Default> ConjugateGradients<F> {
    /// A system with the right side b. The preconditioner writes z and gives ⟨r, z⟩.
    pub(crate) fn new(
        rhs: &[f64],
        precondition: impl FnOnce(&[f64], &mut [f64]) -> F,
    ) -> ConjugateGradients<F> {
        let mut system = ConjugateGradients::default();
        system.begin(rhs, precondition);
        system
    }

    /// The same in the memory of an earlier one.
    pub(crate) fn begin(
        &mut self,
        rhs: &[f64],
        precondition: impl FnOnce(&[f64], &mut [f64]) -> F,
    ) {
        for vector in [&mut self.solution, &mut self.preconditioned, &mut self.image] {
            vector.clear();
            vector.resize(rhs.len(), 0.0);
        }
        self.residual.clear();
        self.residual.extend_from_slice(rhs);
        self.product = precondition(&self.residual, &mut self.preconditioned);
        self.direction.clear();
        self.direction.extend_from_slice(&self.preconditioned);
    }

    /// ⟨r, z⟩
    pub(crate) fn product(&self) -> &F {
        &self.product
    }

    /// p
    pub(crate) fn direction(&self) -> &[f64] {
        &self.direction
    }

    /// Ap, which `times` writes; gives the curvature ⟨p, Ap⟩ as `times` does.
    pub(crate) fn multiply(&mut self, times: impl FnOnce(&[f64], &mut [f64]) -> F) -> F {
        times(&self.direction, &mut self.image)
    }

    /// x and r after the step.
    pub(crate) fn advance(&mut self, curvature: &F) {
        let length = self.product.over(curvature);
        length.add_times(&self.direction, &mut self.solution);
        length.subtract_times(&self.image, &mut self.residual);
    }

    /// z; gives ⟨r, z⟩ as the preconditioner does.
    pub(crate) fn precondition(&mut self, precondition: impl FnOnce(&[f64], &mut [f64]) -> F) -> F {
        precondition(&self.residual, &mut self.preconditioned)
    }

    /// The next direction.
    pub(crate) fn turn(&mut self, product: F) {
        product.over(&self.product).turn(&self.preconditioned, &mut self.direction);
        self.product = product;
    }
}

impl Factor for f64 {
    fn over(&self, other: &f64) -> f64 {
        self / other
    }

    fn add_times(&self, x: &[f64], y: &mut [f64]) {
        axpy(*self, x, y);
    }

    fn subtract_times(&self, x: &[f64], y: &mut [f64]) {
        axpy(-*self, x, y);
    }

    fn turn(&self, z: &[f64], p: &mut [f64]) {
        p.iter_mut().zip(z).for_each(|(p, z)| *p = z + self * *p);
    }
}

/// One factor for every column of row-major vectors; 0 where there is nothing to divide by.
#[derive(Debug, Clone, Default)]
pub(crate) struct Columns(pub(crate) Vec<f64>);

impl Columns {
    /// ⟨a, b⟩ of all columns.
    pub(crate) fn dots(a: &[f64], b: &[f64], columns: usize) -> Columns {
        let mut sums = vec![0.0; columns];
        for (a, b) in a.chunks_exact(columns).zip(b.chunks_exact(columns)) {
            (0..columns).for_each(|j| sums[j] += a[j] * b[j]);
        }
        Columns(sums)
    }

    /// Their sum.
    pub(crate) fn sum(&self) -> f64 {
        self.0.iter().sum()
    }
}

impl Factor for Columns {
    fn over(&self, other: &Columns) -> Columns {
        let quotient = |(a, b): (&f64, &f64)| if *b > 0.0 { a / b } else { 0.0 };
        Columns(self.0.iter().zip(&other.0).map(quotient).collect())
    }

    fn add_times(&self, x: &[f64], y: &mut [f64]) {
        for ((y, x), l) in y.iter_mut().zip(x).zip(self.0.iter().cycle()) {
            *y += l * x;
        }
    }

    fn subtract_times(&self, x: &[f64], y: &mut [f64]) {
        for ((y, x), l) in y.iter_mut().zip(x).zip(self.0.iter().cycle()) {
            *y -= l * x;
        }
    }

    fn turn(&self, z: &[f64], p: &mut [f64]) {
        for ((p, z), k) in p.iter_mut().zip(z).zip(self.0.iter().cycle()) {
            *p = z + k * *p;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::linalg::{distance, dot};

    /// A = diag(1, 2, 3) + 1, with the diagonal as preconditioner.
    fn times(x: &[f64], out: &mut [f64]) {
        let sum: f64 = x.iter().sum();
        (0..3).for_each(|k| out[k] = (k + 1) as f64 * x[k] + sum);
    }

    fn precondition(r: &[f64], z: &mut [f64]) {
        (0..3).for_each(|k| z[k] = r[k] / (k + 2) as f64);
    }

    #[test]
    fn three_steps_solve_three_equations() {
        let (truth, mut rhs) = ([1.0, -2.0, 0.5], [0.0; 3]);
        times(&truth, &mut rhs);
        let inverse = |r: &[f64], z: &mut [f64]| {
            precondition(r, z);
            dot(r, z)
        };
        let mut system = ConjugateGradients::new(&rhs, inverse);
        for _ in 0..3 {
            let curvature = system.multiply(|p, out| {
                times(p, out);
                dot(p, out)
            });
            system.advance(&curvature);
            let product = system.precondition(inverse);
            system.turn(product);
        }
        assert!(distance(&system.solution, &truth) < 1e-13, "{:?}", system.solution);
        assert!(dot(&system.residual, &system.residual) < 1e-25);
    }

    #[test]
    fn columns_do_not_know_each_other() {
        // Of the second column nothing is left to solve.
        let (truth, mut rhs) = ([1.0, -2.0, 0.5], [0.0; 3]);
        times(&truth, &mut rhs);
        let wide: Vec<f64> = rhs.iter().flat_map(|b| [*b, 0.0]).collect();
        let column =
            |v: &[f64], j: usize| -> Vec<f64> { v.chunks_exact(2).map(|row| row[j]).collect() };
        let by_columns = |f: fn(&[f64], &mut [f64]), v: &[f64], out: &mut [f64]| {
            for j in 0..2 {
                let mut image = [0.0; 3];
                f(&column(v, j), &mut image);
                (0..3).for_each(|k| out[2 * k + j] = image[k]);
            }
            Columns::dots(v, out, 2)
        };
        let mut system = ConjugateGradients::new(&wide, |r, z| by_columns(precondition, r, z));
        for _ in 0..3 {
            let curvature = system.multiply(|p, out| by_columns(times, p, out));
            system.advance(&curvature);
            let product = system.precondition(|r, z| by_columns(precondition, r, z));
            system.turn(product);
        }
        assert!(distance(&column(&system.solution, 0), &truth) < 1e-13);
        assert_eq!(column(&system.solution, 1), [0.0; 3]);
        assert!(system.product().sum() < 1e-25);
    }
}
