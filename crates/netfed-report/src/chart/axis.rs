//! Axes: from values to places in a picture, and round numbers to mark.

use crate::text::number;

/// How an axis spaces its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps for equal differences.
    Linear,
    /// Equal steps for equal ratios; shows positive values only.
    Log10,
}

impl Scale {
    /// The value in axis units, or nothing where the axis cannot show it.
    fn units(self, value: f64) -> Option<f64> {
        match self {
            Scale::Linear => Some(value),
            Scale::Log10 if value > 0.0 => Some(value.log10()),
            Scale::Log10 => None,
        }
        .filter(|units| units.is_finite() && units.abs() < 1e300)
    }
}

/// A marked place on an axis.
pub struct Tick {
    /// Where it is in the picture.
    pub at: f64,
    /// What is written there.
    pub label: String,
}

/// Maps values on one axis to places between two ends of a picture.
pub struct Ruler {
    scale: Scale,
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

impl Ruler {
    /// An axis that shows all usable values, with the share `pad` of the span
    /// left free at both ends; nothing when no value can be shown.
    pub fn covering(
        scale: Scale,
        values: impl Iterator<Item = f64>,
        pad: f64,
        (start, end): (f64, f64),
    ) -> Option<Ruler> {
        let (low, high) = values
            .filter_map(|value| scale.units(value))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), units| {
                (low.min(units), high.max(units))
            });
        if low > high {
            return None;
        }
        let smallest = match scale {
            Scale::Linear => (low.abs().max(high.abs()) * 4e-3).max(1e-9),
            Scale::Log10 => 0.2,
        };
        let middle = low / 2.0 + high / 2.0;
        let half = (high / 2.0 - low / 2.0) * (1.0 + 2.0 * pad);
        let half = half.max(smallest / 2.0);
        Some(Ruler { scale, low: middle - half, high: middle + half, start, end })
    }

    /// Where a value lies; nothing when the axis cannot show it. Values
    /// outside the covered range land outside the two ends.
    pub fn place(&self, value: f64) -> Option<f64> {
        let units = self.scale.units(value)?;
        let share = (units - self.low) / (self.high - self.low);
        // Far outside is far enough: keeps the numbers in the file short.
        Some(self.start + share.clamp(-20.0, 20.0) * (self.end - self.start))
    }

    /// About `wanted` round values to mark.
    pub fn ticks(&self, wanted: usize) -> Vec<Tick> {
        let wanted = wanted.max(2) as f64;
        match self.scale {
            Scale::Linear => self.linear_ticks(wanted),
            Scale::Log10 if self.high - self.low < 2.0 => self.close_log_ticks(wanted),
            Scale::Log10 => self.decade_ticks(wanted),
        }
    }

    fn linear_ticks(&self, wanted: f64) -> Vec<Tick> {
        let step = round_step((self.high - self.low) / wanted);
        let decimals = (-step.log10().floor()).max(0.0);
        let plain = decimals <= 6.0 && self.high.abs().max(self.low.abs()) < 1e6;
        let first = (self.low / step).ceil();
        (0..64)
            .map(|index| (first + f64::from(index)) * step)
            .take_while(|value| *value <= self.high + step * 1e-9)
            .filter_map(|value| {
                let value = if value.abs() < step * 1e-6 { 0.0 } else { value };
                let label =
                    if plain { format!("{value:.*}", decimals as usize) } else { number(value) };
                self.tick(value, label)
            })
            .collect()
    }

    /// Powers of ten, every one or every few.
    fn decade_ticks(&self, wanted: f64) -> Vec<Tick> {
        let step = ((self.high - self.low) / wanted).ceil().max(1.0) as i32;
        let first = (self.low.ceil() as i32).div_euclid(step) * step;
        (0..64)
            .map(|index| first + index * step)
            .filter(|power| (self.low..=self.high).contains(&f64::from(*power)))
            .filter_map(|power| self.tick(10f64.powi(power), power_label(power)))
            .collect()
    }

    /// Round values within less than two decades.
    fn close_log_ticks(&self, wanted: f64) -> Vec<Tick> {
        let first = self.low.floor() as i32;
        let candidates: &[f64] = if self.high - self.low > 1.0 {
            &[1.0, 2.0, 5.0]
        } else {
            &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0]
        };
        let found: Vec<Tick> = (first..=first + 3)
            .flat_map(|power| candidates.iter().map(move |c| c * 10f64.powi(power)))
            .filter(|value| (self.low..=self.high).contains(&value.log10()))
            .filter_map(|value| self.tick(value, number(value)))
            .collect();
        if found.len() >= 2 {
            return found;
        }
        let (low, high) = (10f64.powf(self.low), 10f64.powf(self.high));
        let step = round_step((high - low) / wanted);
        let first = (low / step).ceil();
        (0..64)
            .map(|index| (first + f64::from(index)) * step)
            .take_while(|value| *value <= high)
            .filter_map(|value| self.tick(value, number(value)))
            .collect()
    }

    fn tick(&self, value: f64, label: String) -> Option<Tick> {
        self.place(value).map(|at| Tick { at, label })
    }
}

/// The next of 1, 2, 5, 10, ... times a power of ten.
fn round_step(raw: f64) -> f64 {
    let power = 10f64.powf(raw.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= raw * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

/// A power of ten with a raised exponent.
fn power_label(power: i32) -> String {
    match power {
        0 => return "1".to_string(),
        1 => return "10".to_string(),
        _ => {}
    }
    let raised = power.to_string();
    let raised = raised.chars().map(|c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    });
    format!("10{}", raised.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, values: &[f64]) -> Vec<String> {
        let ruler = Ruler::covering(scale, values.iter().copied(), 0.0, (0.0, 100.0));
        let ticks = ruler.map_or_else(Vec::new, |ruler| ruler.ticks(5));
        ticks.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(labels(Scale::Linear, &[0.0, 1.0]), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(Scale::Linear, &[-10.0, 10.0])[2], "0");
    }

    #[test]
    fn log_ticks_are_powers_of_ten() {
        assert_eq!(labels(Scale::Log10, &[1e-6, 1e2]), ["10⁻⁶", "10⁻⁴", "10⁻²", "1", "10²"]);
        assert!(labels(Scale::Log10, &[4.0, 6.0]).len() >= 2);
    }

    #[test]
    fn values_an_axis_cannot_show_are_left_out() {
        let values = [f64::NAN, 0.0, -3.0, f64::INFINITY];
        assert!(Ruler::covering(Scale::Log10, values.into_iter(), 0.1, (0.0, 1.0)).is_none());
        let ruler = Ruler::covering(Scale::Linear, values.into_iter(), 0.0, (0.0, 1.0));
        let place = |value| ruler.as_ref().and_then(|ruler| ruler.place(value));
        assert_eq!(place(f64::NAN), None);
        assert_eq!(place(0.0), Some(1.0));
    }

    #[test]
    fn equal_and_extreme_values_still_give_an_axis() {
        for values in [vec![5.0], vec![0.0], vec![1e250, -1e250], vec![1e-250]] {
            for scale in [Scale::Linear, Scale::Log10] {
                if let Some(ruler) =
                    Ruler::covering(scale, values.iter().copied(), 0.1, (0.0, 50.0))
                {
                    assert!(ruler.ticks(4).len() < 65);
                    assert!(ruler.ticks(4).iter().all(|tick| tick.at.is_finite()));
                }
            }
        }
    }
}
