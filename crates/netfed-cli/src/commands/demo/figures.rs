//! What the demo shows, read from the files that its commands have written.

use std::path::Path;

use netfed_report::text::{percent_up, plural, rounded};
use serde_json::Value;

use crate::failure::Failure;
use crate::rows::Rows;

/// Names of the models, their method in `netfed compare`, and their folder.
const MODELS: [(&str, &str, &str); 3] = [
    ("every station alone", "local", "alone"),
    ("one model for all", "global", "pooled"),
    ("coupled over the graph", "gtv", "coupled"),
];

/// What the data are.
pub(super) fn task(out: &Path) -> String {
    format!(
        "203 weather stations of Finland forecast the highest temperature of a day from the day before.\n\
         They learn from April 4 to 17, 2021, and are judged on April 18 to 30; the data are in {}.\n\
         Data: Finnish Meteorological Institute, CC BY 4.0.\n",
        out.display()
    )
}

/// The result in words.
pub(super) fn words(out: &Path) -> Result<String, Failure> {
    let compared = json(&out.join("compared/summary.json"))?;
    let fit = json(&out.join("coupled/summary.json"))?;
    let mut rows = Vec::new();
    let mut degrees = Vec::new();
    for (name, method, run) in MODELS {
        let held_out = held_out(&compared, method).ok_or_else(|| unlike("compared"))?;
        let [squared, absolute] = later(&out.join(run).with_extension("csv"))?;
        rows.push(vec![name.to_owned(), format!("{held_out:.2}"), format!("{squared:.2}")]);
        degrees.push(rounded(absolute, 2));
    }
    let table = Rows {
        header: vec!["mean squared error", "held-out days", "April 18 to 30"],
        rows,
        chosen: None,
    };
    let coupled = coupled(&fit).ok_or_else(|| unlike("coupled"))?;
    let [alone, pooled, own] = [&degrees[0], &degrees[1], &degrees[2]];
    let place = out.display().to_string();
    let place = place.trim_end_matches('/');
    Ok(format!(
        "\n{}Held-out days are drawn at random from April 4 to 17, where neighbors may know the same day.\n\
         On April 18 to 30 forecasts are off by {own} °C on average; by {alone} °C where every station learns alone, by {pooled} °C with one model for all.\n\
         {coupled}\n\
         Look at {place}/coupled/report.html, {place}/tuned/report.html and {place}/compared/report.html.\n",
        table.text()
    ))
}

/// The coupled models in a sentence.
fn coupled(fit: &Value) -> Option<String> {
    let count = |name: &str| usize::try_from(fit[name].as_u64()?).ok();
    let stations = plural(count("nodes")?, "station");
    let clusters = plural(count("clusters")?, "cluster");
    let gap = percent_up(fit["relative_gap"].as_f64()?);
    let lambda = rounded(fit["lambda"].as_f64()?, 3);
    Some(format!(
        "At λ = {lambda} the {stations} form {clusters} that share a model; the objective is proven to be within {gap} of the optimum."
    ))
}

/// The error of a method on the points that were held out.
fn held_out(compared: &Value, method: &str) -> Option<f64> {
    let methods = compared["methods"].as_array()?;
    methods.iter().find(|m| m["method"] == method)?["error"]["mean"].as_f64()
}

/// The mean squared and the mean absolute error over all points, from those of every node.
fn later(path: &Path) -> Result<[f64; 2], Failure> {
    let text = read(path)?;
    let mut sums = [0.0; 3];
    for line in text.lines().skip(1) {
        // Names come first, and may contain commas.
        let mut cells = line.rsplitn(4, ',').map(str::parse::<f64>);
        let (Some(Ok(absolute)), Some(Ok(squared)), Some(Ok(points))) =
            (cells.next(), cells.next(), cells.next())
        else {
            return Err(unlike(&path.display().to_string()));
        };
        let found = [points, points * squared, points * absolute];
        sums.iter_mut().zip(found).for_each(|(sum, value)| *sum += value);
    }
    Ok([sums[1] / sums[0], sums[2] / sums[0]])
}

fn json(path: &Path) -> Result<Value, Failure> {
    serde_json::from_str(&read(path)?).map_err(|_| unlike(&path.display().to_string()))
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|e| Failure::other(format!("cannot read {}: {}.", path.display(), e.kind())))
}

/// Somebody else has written what the demo looks for.
fn unlike(place: &str) -> Failure {
    Failure::other(format!("{place} is not what the demo has written."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_means_over_points() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("errors.csv");
        let header = "node,points,mean squared error,mean absolute error\n";
        std::fs::write(&path, format!("{header}\"a,b\",1,4,2\nc,3,8,1\n")).unwrap();
        assert_eq!(later(&path).unwrap(), [7.0, 1.25]);
        std::fs::write(&path, format!("{header}a,1,x,2\n")).unwrap();
        assert!(
            later(&path)
                .unwrap_err()
                .to_string()
                .ends_with("errors.csv is not what the demo has written.")
        );
    }
}
