//! Distance on the earth, in kilometers, from latitude φ and longitude λ (haversine formula):
//!
//!   2R arcsin √(sin²(Δφ/2) + cos φ cos φ′ sin²(Δλ/2)),   R = 6371.0088
//!
//! The straight way through the earth is shorter, and quickly computed.
//!
//! A node gives away its place.

use super::Discrepancy;
use crate::Error;
use crate::numeric::linalg::distance;

/// Mean radius of the earth in kilometers.
const RADIUS: f64 = 6371.0088;

/// Distances of places on the earth.
#[derive(Debug, Clone)]
pub struct GreatCircle {
    /// Latitude and longitude in radians.
    places: Vec<(f64, f64)>,
    /// The same on the unit sphere.
    directions: Vec<[f64; 3]>,
}

impl GreatCircle {
    /// From latitude and longitude of every node, in degrees.
    pub fn new(places: &[(f64, f64)]) -> Result<GreatCircle, Error> {
        for &(latitude, longitude) in places {
            if !(-90.0..=90.0).contains(&latitude) {
                let (name, expected) = ("a latitude", "between -90 and 90 degrees");
                return Err(Error::BadNumber { name, value: latitude, expected });
            }
            if !(-360.0..=360.0).contains(&longitude) {
                let (name, expected) = ("a longitude", "between -360 and 360 degrees");
                return Err(Error::BadNumber { name, value: longitude, expected });
            }
        }
        let radians = |&(a, b): &(f64, f64)| (a.to_radians(), b.to_radians());
        let places: Vec<(f64, f64)> = places.iter().map(radians).collect();
        let direction = |&(latitude, longitude): &(f64, f64)| {
            let across = latitude.cos();
            [across * longitude.cos(), across * longitude.sin(), latitude.sin()]
        };
        let directions = places.iter().map(direction).collect();
        Ok(GreatCircle { places, directions })
    }
}

impl Discrepancy for GreatCircle {
    fn nodes(&self) -> usize {
        self.places.len()
    }

    fn between(&self, i: usize, j: usize) -> Result<f64, Error> {
        let (a, b) = (self.places[i], self.places[j]);
        let half = |angle: f64| (0.5 * angle).sin().powi(2);
        let square = half(a.0 - b.0) + a.0.cos() * b.0.cos() * half(a.1 - b.1);
        Ok(2.0 * RADIUS * square.sqrt().min(1.0).asin())
    }

    fn at_least(&self, i: usize, j: usize) -> f64 {
        // A little less, for rounding.
        RADIUS * (distance(&self.directions[i], &self.directions[j]) * (1.0 - 1e-9) - 1e-12)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn known_distances() {
        let places = [
            (0.0, 0.0),
            (0.0, 180.0),
            (90.0, 45.0),
            (0.0, -179.0),
            (60.1699, 24.9384),
            (61.4978, 23.7610),
        ];
        let all = GreatCircle::new(&places).unwrap();
        let found = |i, j| all.between(i, j).unwrap();
        assert!((found(0, 1) - PI * RADIUS).abs() < 1e-6, "half way around");
        assert!((found(0, 2) - PI * RADIUS / 2.0).abs() < 1e-6, "to the pole");
        assert!((found(1, 3) - PI * RADIUS / 180.0).abs() < 1e-6, "over the date line");
        // Helsinki to Tampere.
        assert!((found(4, 5) - 161.0).abs() < 1.0, "{}", found(4, 5));
        assert!(
            GreatCircle::new(&[(91.0, 0.0)]).is_err()
                && GreatCircle::new(&[(0.0, f64::NAN)]).is_err()
        );
    }
}
