//! The check of all settings: ranges, and what does not go together.

use super::Spec;
use crate::{Error, LossKind, Solver};

impl Spec {
    /// Refuses values out of their range, and settings that do not go together.
    pub fn check(&self) -> Result<(), Error> {
        self.check_rounds()?;
        self.check_loss()?;
        if self.intercept && self.loss == LossKind::Mean {
            return wrong("the loss mean has no intercept; leave `intercept` out".into());
        }
        let lambda = self.lambda.unwrap_or(0.0);
        for (key, value) in
            [("lambda", lambda), ("ridge", self.ridge), ("lasso", self.lasso), ("tol", self.tol)]
        {
            in_range(key, value, value >= 0.0, "at least 0")?;
        }
        for (key, value) in [("rho", self.rho), ("kappa", self.kappa)] {
            value.map_or(Ok(()), |value| positive(key, value))?;
        }
        match self.availability {
            Some(value) if !(value > 0.0 && value <= 1.0) => {
                wrong(format!("`availability` is {value}; it must be more than 0 and at most 1"))
            }
            _ => Ok(()),
        }
    }

    /// A threshold goes with one loss only.
    fn check_loss(&self) -> Result<(), Error> {
        match self.loss_kind() {
            LossKind::Huber { delta } => positive("huber-delta", delta),
            loss if self.huber_delta.is_some() => wrong(format!(
                "`huber-delta` has an effect with `loss` huber only; the loss is {loss}"
            )),
            _ => Ok(()),
        }
    }

    /// Settings of rounds go with some solvers only.
    fn check_rounds(&self) -> Result<(), Error> {
        let misplaced = |key: &str, solvers: &str| {
            wrong(format!("`{key}` goes with `solver` {solvers} only; say so, or leave it out"))
        };
        if self.availability.is_some() && self.solver == Solver::Auto {
            return misplaced("availability", "primal-dual, admm or fed-admm");
        }
        if self.batch_size == Some(0) {
            return wrong("`batch-size` is 0; it must be at least 1".into());
        }
        let fed_admm = self.solver == Solver::FedAdmm;
        if self.batch_size.is_some() && !fed_admm {
            return misplaced("batch-size", "fed-admm");
        }
        if self.kappa.is_some() && !fed_admm {
            return misplaced("kappa", "fed-admm");
        }
        if self.rho.is_some() && !fed_admm && self.solver != Solver::Admm {
            return misplaced("rho", "admm or fed-admm");
        }
        Ok(())
    }
}

fn wrong(problem: String) -> Result<(), Error> {
    Err(Error::Setting { problem })
}

fn positive(key: &str, value: f64) -> Result<(), Error> {
    in_range(key, value, value > 0.0, "more than 0")
}

fn in_range(key: &str, value: f64, good: bool, expected: &str) -> Result<(), Error> {
    if good && value.is_finite() {
        return Ok(());
    }
    wrong(format!("`{key}` is {value}; it must be {expected} and finite"))
}

#[cfg(test)]
mod tests {
    use crate::Error;
    use crate::spec::{FIELDS, Given, Kind, Spec};

    fn message(line: &str) -> String {
        line.parse::<Spec>().unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_is_a_sentence() {
        for (line, part) in [
            ("lambda=-1", "`lambda` is -1; it must be at least 0 and finite"),
            ("tol=inf", "`tol` is inf"),
            ("loss=huber huber-delta=0", "`huber-delta` is 0; it must be more than 0"),
            ("huber-delta=2", "with `loss` huber only; the loss is squared"),
            ("loss=mean intercept=true", "the loss mean has no intercept"),
            ("rho=1", "`rho` goes with `solver` admm or fed-admm only"),
            ("kappa=1 solver=admm", "`kappa` goes with `solver` fed-admm only"),
            ("batch-size=0", "`batch-size` is 0"),
            ("availability=0.5", "primal-dual, admm or fed-admm only"),
            ("availability=2 solver=admm", "at most 1"),
            ("loss=sqared", "Did you mean \"squared\"?"),
            ("penalti=l2", "Did you mean \"penalty\"?"),
            ("ridge=a", "`ridge` is \"a\"; expected a number"),
            ("seed=-1", "expected a whole number"),
            ("seed=1 seed=2", "`seed` is given twice"),
            ("seed", "not of the form setting=value"),
            ("penalty-matrix=1,0;1", "one row for each feature"),
        ] {
            assert!(message(line).contains(part), "{line}: {}", message(line));
        }
    }

    #[test]
    fn settings_survive_the_way_through_text_and_json() -> Result<(), Error> {
        let line = "intercept=true flavor=clustered loss=huber penalty=quadratic lambda=0.1 ridge=0.01 huber-delta=0.5 penalty-matrix=1,0.5;0.5,2 solver=fed-admm tol=0.001 batch-size=3 rho=2 availability=0.5 seed=7";
        let given: Given = line.parse()?;
        assert_eq!(given.to_string(), line);
        let spec = given.clone().complete()?;
        assert_eq!(spec.to_string().parse::<Spec>()?, spec);
        let json = serde_json::to_string(&given).unwrap();
        assert_eq!(serde_json::from_str::<Given>(&json).unwrap(), given);
        let json = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<Spec>(&json).unwrap(), spec);
        let unknown = serde_json::from_str::<Given>("{\"lamda\": 1}").unwrap_err().to_string();
        assert!(unknown.contains("unknown field `lamda`"), "{unknown}");
        Ok(())
    }

    #[test]
    fn what_is_given_wins_over_others() -> Result<(), Error> {
        let file: Given = "loss=huber huber-delta=2 lambda=0.1".parse()?;
        let merged = "lambda=3".parse::<Given>()?.or(file.clone());
        assert_eq!(merged.to_string(), "loss=huber lambda=3 huber-delta=2");
        let other = "loss=squared".parse::<Given>()?.or(file);
        assert_eq!(other.huber_delta, None, "the threshold of another loss");
        Ok(())
    }

    #[test]
    fn every_field_can_be_set_and_has_words() {
        for field in FIELDS {
            let text = match field.kind {
                Kind::Switch => "true",
                Kind::Number => "0.5",
                Kind::Count => "3",
                Kind::Data => "1",
                Kind::Name => match field.key {
                    "flavor" => "clustered",
                    "loss" => "hinge",
                    "penalty" => "l1",
                    _ => "admm",
                },
            };
            let mut given = Given::default();
            given.set(field.key, text).unwrap();
            assert_eq!(given.to_string(), format!("{}={text}", field.key));
            assert!(!field.help().starts_with(' ') && field.help().len() > 10, "{}", field.key);
        }
    }
}
