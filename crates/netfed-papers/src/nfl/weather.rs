//! The weather data of the paper and the empirical graph (42)-(43) on them.
//!
//! Daily minimum and maximum temperatures of Finnish stations, April 3 to 30, 2021. Rows without
//! temperatures are dropped. A data point belongs to two consecutive listed days of a station: the
//! features are the maximum of the day before, the minimum of the day and the constant 1; the label
//! is the maximum of the day. Edge: A = 1/W if W ≤ η, with W the squared 2-Wasserstein distance
//! (42) of the normal distributions fitted to the stations' samples of (previous maximum, minimum,
//! maximum).

use std::io::Read;

use flate2::read::GzDecoder;
use netfed::discrepancy::Wasserstein;
use netfed::generate::random;
use netfed::similarity_graph::{Rule, Weights, similarity_graph};
use netfed::{Dataset, Graph, Matrix};
use netfed_cli::Failure;
use rand::RngExt;

use crate::runs::seed;

const PACKED: &[u8] =
    include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/weather/fmi_daily_2021_04.csv.gz"));

/// One data point: previous maximum, minimum, maximum.
pub(crate) type Day = [f64; 3];

/// The data points of each station.
pub(crate) struct Weather {
    pub(crate) stations: Vec<String>,
    pub(crate) days: Vec<Vec<Day>>,
}

impl Weather {
    /// Reads the built-in file.
    pub(crate) fn load() -> Result<Weather, Failure> {
        let mut text = String::new();
        GzDecoder::new(PACKED)
            .read_to_string(&mut text)
            .map_err(|e| Failure::other(format!("cannot unpack the weather data: {e}.")))?;
        let mut stations: Vec<String> = Vec::new();
        let mut temperatures: Vec<Vec<(f64, f64)>> = Vec::new();
        for line in text.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let [_, low, high, _, _, station] = cells[..] else { continue };
            // A row without temperatures has empty cells here.
            let (Ok(low), Ok(high)) = (low.parse(), high.parse()) else { continue };
            if stations.last().is_none_or(|s| s != station) {
                stations.push(station.to_owned());
                temperatures.push(Vec::new());
            }
            if let Some(own) = temperatures.last_mut() {
                own.push((low, high));
            }
        }
        let day = |w: &[(f64, f64)]| [w[0].1, w[1].0, w[1].1];
        let days = temperatures.iter().map(|t| t.windows(2).map(day).collect()).collect();
        Ok(Weather { stations, days })
    }

    /// Each station's days in random order, cut into training and validation days with about .3
    /// validation days for each training day.
    pub(crate) fn split(&self, base: u64, number: u64) -> (Vec<Vec<Day>>, Vec<Vec<Day>>) {
        let mut random = random(seed(base, 14, number));
        let cut = |days: &Vec<Day>| {
            let mut order = days.clone();
            for k in 0..order.len() {
                order.swap(k, random.random_range(k..days.len()));
            }
            let held_out = (days.len() as f64 * 0.3 / 1.3).round() as usize;
            let validation = order.split_off(order.len() - held_out);
            (order, validation)
        };
        self.days.iter().map(cut).unzip()
    }
}

/// The empirical graph (43) from these days of each station.
pub(crate) fn graph_of(days: &[Vec<Day>], threshold: f64) -> Result<Graph, Failure> {
    let samples = days
        .iter()
        .map(|days| Matrix::from_rows(3, days.iter().flatten().copied().collect()))
        .collect::<Result<Vec<_>, _>>()?;
    let rule = Rule::Threshold(threshold);
    Ok(similarity_graph(&Wasserstein::new(&samples)?, rule, Weights::Inverse)?.graph)
}

/// Local datasets with the three features.
pub(crate) fn datasets(days: &[Vec<Day>]) -> Result<Vec<Dataset>, Failure> {
    let local = |days: &Vec<Day>| {
        let features = days.iter().flat_map(|d| [d[0], d[1], 1.0]).collect();
        Dataset::new(3, features, days.iter().map(|d| d[2]).collect())
    };
    Ok(days.iter().map(local).collect::<Result<Vec<_>, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stations_and_days_are_as_described() {
        let weather = Weather::load().unwrap();
        assert_eq!(weather.stations.len(), 203);
        assert_eq!(weather.days.iter().filter(|d| d.len() == 27).count(), 201);
        assert_eq!(weather.stations[0], "Porvoo Kilpilahti satama");
        assert_eq!(weather.days[0][0], [6.5, -0.2, 6.7]);
        let mut names = weather.stations.clone();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 203);
        let (train, validation) = weather.split(0, 0);
        assert_eq!((train[0].len(), validation[0].len()), (21, 6));
        let mut together = [train[0].clone(), validation[0].clone()].concat();
        let mut all = weather.days[0].clone();
        together.sort_by(|a, b| a.partial_cmp(b).unwrap());
        all.sort_by(|a, b| a.partial_cmp(b).unwrap());
        assert_eq!(together, all);
        assert_ne!(weather.split(0, 1).0[0], train[0]);
    }

    #[test]
    fn the_graph_of_all_days_is_that_of_table_3() {
        let graph = graph_of(&Weather::load().unwrap().days, 5.0).unwrap();
        assert_eq!((graph.nodes(), graph.edges().len()), (203, 3287));
    }

    #[test]
    fn edges_join_stations_with_similar_weather() {
        let days = |shift: f64| vec![[1.0 + shift, 0.0, 2.0], [3.0 + shift, 1.0, 2.0]];
        let graph = graph_of(&[days(0.0), days(2.0), days(9.0)], 5.0).unwrap();
        assert_eq!(graph.edges().len(), 1);
        let edge = graph.edges()[0];
        assert_eq!((edge.tail, edge.head), (0, 1));
        assert!((edge.weight - 0.25).abs() < 1e-9, "{}", edge.weight);
    }
}
