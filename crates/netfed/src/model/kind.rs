//! The kinds of local models, from words: a name and options, for instance
//! `forest trees=100 depth=8`.

use std::fmt::{self, Display};
use std::str::FromStr;

use super::words::Words;
use super::{
    Boosting, BoostingOptions, Forest, ForestOptions, Kernel, KernelOptions, Linear, LinearOptions,
    LocalModel, Nearest, NearestOptions, Optimizer, Perceptron, PerceptronOptions, Task, Training,
    Tree, TreeOptions,
};
use crate::Error;

/// A kind of local model with its options.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ModelKind {
    /// A decision tree.
    Tree(TreeOptions),
    /// A random forest.
    Forest(ForestOptions),
    /// Gradient-boosted trees.
    Boosting(BoostingOptions),
    /// The k nearest neighbors.
    Nearest(NearestOptions),
    /// Ridge regression with the Gaussian kernel.
    Kernel(KernelOptions),
    /// A multi-layer perceptron.
    Perceptron(PerceptronOptions),
    /// Least squares.
    Linear(LinearOptions),
    /// Least squares with ridge.
    Ridge(LinearOptions),
    /// Least squares with lasso.
    Lasso(LinearOptions),
    /// Logistic regression, with ridge.
    Logistic(LinearOptions),
}

impl ModelKind {
    /// The names of all kinds.
    pub const NAMES: [&str; 10] = [
        "tree",
        "forest",
        "boosting",
        "nearest",
        "kernel",
        "perceptron",
        "linear",
        "ridge",
        "lasso",
        "logistic",
    ];

    /// The name of the kind.
    pub fn name(&self) -> &'static str {
        match self {
            ModelKind::Tree(_) => "tree",
            ModelKind::Forest(_) => "forest",
            ModelKind::Boosting(_) => "boosting",
            ModelKind::Nearest(_) => "nearest",
            ModelKind::Kernel(_) => "kernel",
            ModelKind::Perceptron(_) => "perceptron",
            ModelKind::Linear(_) => "linear",
            ModelKind::Ridge(_) => "ridge",
            ModelKind::Lasso(_) => "lasso",
            ModelKind::Logistic(_) => "logistic",
        }
    }

    /// Refuses a kind that is for another task, or for points with more features than these.
    pub fn suits(&self, task: Task, dim: usize) -> Result<(), Error> {
        let reason = match (self, task) {
            (
                ModelKind::Linear(_) | ModelKind::Ridge(_) | ModelKind::Lasso(_),
                Task::Classification(_),
            ) => "it predicts numbers; for classes take logistic".into(),
            (ModelKind::Logistic(_), Task::Regression) => {
                "it predicts classes; for numbers take linear, ridge or lasso".into()
            }
            (ModelKind::Forest(ForestOptions { features: Some(count), .. }), _) if *count > dim => {
                format!("features={count}; expected at most {dim}, as the points have")
            }
            _ => return Ok(()),
        };
        Err(Error::ModelText { text: self.to_string(), reason })
    }

    /// A model of this kind for points with so many features that has seen nothing. `seed` decides
    /// everything random.
    pub fn build(&self, task: Task, dim: usize, seed: u64) -> Box<dyn LocalModel> {
        match self {
            ModelKind::Tree(options) => Box::new(Tree::new(*options, task, dim)),
            ModelKind::Forest(options) => Box::new(Forest::new(*options, task, dim, seed)),
            ModelKind::Boosting(options) => Box::new(Boosting::new(*options, task, dim)),
            ModelKind::Nearest(options) => Box::new(Nearest::new(*options, task, dim)),
            ModelKind::Kernel(options) => Box::new(Kernel::new(*options, task, dim, seed)),
            ModelKind::Perceptron(options) => {
                Box::new(Perceptron::new(options.clone(), task, dim, seed))
            }
            ModelKind::Linear(options)
            | ModelKind::Ridge(options)
            | ModelKind::Lasso(options)
            | ModelKind::Logistic(options) => Box::new(Linear::new(*options, task, dim)),
        }
    }
}

impl FromStr for ModelKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<ModelKind, Error> {
        let mut words = Words::new(text)?;
        let kind = match words.name(&ModelKind::NAMES)? {
            "tree" => {
                let usual = TreeOptions::default();
                ModelKind::Tree(TreeOptions {
                    depth: words.count("depth", usual.depth, 1)?,
                    leaf: words.share("leaf", usual.leaf)?,
                })
            }
            "forest" => {
                let usual = ForestOptions::default();
                ModelKind::Forest(ForestOptions {
                    trees: words.count("trees", usual.trees, 1)?,
                    depth: words.count("depth", usual.depth, 1)?,
                    leaf: words.share("leaf", usual.leaf)?,
                    features: words.maybe_count("features")?,
                })
            }
            "boosting" => {
                let usual = BoostingOptions::default();
                ModelKind::Boosting(BoostingOptions {
                    trees: words.count("trees", usual.trees, 1)?,
                    depth: words.count("depth", usual.depth, 1)?,
                    rate: words.part("rate", usual.rate)?,
                    leaf: words.share("leaf", usual.leaf)?,
                })
            }
            "nearest" => ModelKind::Nearest(NearestOptions {
                k: words.count("k", NearestOptions::default().k, 1)?,
            }),
            "kernel" => {
                let usual = KernelOptions::default();
                ModelKind::Kernel(KernelOptions {
                    ridge: words.positive("ridge", usual.ridge)?,
                    bandwidth: words.maybe_positive("bandwidth")?,
                    centers: words.count("centers", usual.centers, 1)?,
                })
            }
            "linear" => ModelKind::Linear(linear(&mut words, None, None)?),
            "ridge" => ModelKind::Ridge(linear(&mut words, Some(0.1), None)?),
            "lasso" => ModelKind::Lasso(linear(&mut words, None, Some(0.1))?),
            "logistic" => ModelKind::Logistic(linear(&mut words, Some(0.001), None)?),
            _ => ModelKind::Perceptron(perceptron(&mut words)?),
        };
        words.finish()?;
        Ok(kind)
    }
}

/// Options of a perceptron.
fn perceptron(words: &mut Words<'_>) -> Result<PerceptronOptions, Error> {
    let PerceptronOptions { hidden, training: usual } = PerceptronOptions::default();
    let hidden = words.counts("hidden", hidden)?;
    let training = Training {
        epochs: words.count("epochs", usual.epochs, 1)?,
        batch: words.count("batch", usual.batch, 1)?,
        rate: words.positive("rate", usual.rate)?,
        optimizer: match words.one_of("optimizer", &["adam", "rmsprop"])? {
            "rmsprop" => Optimizer::RmsProp,
            _ => Optimizer::Adam,
        },
    };
    Ok(PerceptronOptions { hidden, training })
}

/// Options of a linear model, with the usual ridge and lasso where it has them.
fn linear(
    words: &mut Words<'_>,
    ridge: Option<f64>,
    lasso: Option<f64>,
) -> Result<LinearOptions, Error> {
    Ok(LinearOptions {
        ridge: ridge.map_or(Ok(0.0), |usual| words.positive("ridge", usual))?,
        lasso: lasso.map_or(Ok(0.0), |usual| words.positive("lasso", usual))?,
        intercept: words.one_of("intercept", &["yes", "no"])? == "yes",
    })
}

/// The words from which the same kind is read again.
impl Display for ModelKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name())?;
        match self {
            ModelKind::Tree(o) => write!(f, " depth={} leaf={}", o.depth, o.leaf),
            ModelKind::Forest(o) => {
                write!(f, " trees={} depth={} leaf={}", o.trees, o.depth, o.leaf)?;
                o.features.map_or(Ok(()), |count| write!(f, " features={count}"))
            }
            ModelKind::Boosting(o) => {
                write!(f, " trees={} depth={} rate={} leaf={}", o.trees, o.depth, o.rate, o.leaf)
            }
            ModelKind::Nearest(o) => write!(f, " k={}", o.k),
            ModelKind::Kernel(o) => {
                write!(f, " ridge={} centers={}", o.ridge, o.centers)?;
                o.bandwidth.map_or(Ok(()), |bandwidth| write!(f, " bandwidth={bandwidth}"))
            }
            ModelKind::Linear(o)
            | ModelKind::Ridge(o)
            | ModelKind::Lasso(o)
            | ModelKind::Logistic(o) => {
                for (option, value) in [("ridge", o.ridge), ("lasso", o.lasso)] {
                    if value > 0.0 {
                        write!(f, " {option}={value}")?;
                    }
                }
                if o.intercept { Ok(()) } else { write!(f, " intercept=no") }
            }
            ModelKind::Perceptron(o) => {
                let hidden: Vec<String> = o.hidden.iter().map(usize::to_string).collect();
                let Training { epochs, batch, rate, optimizer } = o.training;
                let optimizer = match optimizer {
                    Optimizer::Adam => "adam",
                    Optimizer::RmsProp => "rmsprop",
                };
                write!(
                    f,
                    " hidden={} epochs={epochs} batch={batch} rate={rate} optimizer={optimizer}",
                    hidden.join(",")
                )
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed test may panic")]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_and_written() {
        for text in [
            "tree",
            "tree depth=3",
            "forest trees=7 features=2 leaf=0.01",
            "boosting rate=0.5",
            "nearest k=3",
            "kernel ridge=0.1 bandwidth=1",
            "linear intercept=no",
            "ridge ridge=3",
            "lasso",
            "logistic ridge=0.5",
            "perceptron hidden=32,16 epochs=2 rate=1e-3 optimizer=rmsprop",
        ] {
            let kind: ModelKind = text.parse().unwrap();
            assert_eq!(kind.to_string().parse(), Ok(kind), "{text}");
        }
        assert_eq!(
            "  tree  depth=9 ".parse(),
            Ok(ModelKind::Tree(TreeOptions { depth: 9, leaf: 0.0 }))
        );
        let shortest = |name: &&str| name.parse::<ModelKind>().is_ok_and(|k| k.name() == *name);
        assert!(ModelKind::NAMES.iter().all(shortest));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let said = |text: &str| text.parse::<ModelKind>().unwrap_err().to_string();
        for (text, words) in [
            ("", "no name"),
            ("tre", "Did you mean \"tree\"?"),
            ("Forest", "Did you mean \"forest\"?"),
            ("xyz", "known are tree, forest"),
            ("tree dept=3", "Did you mean \"depth\"?"),
            ("tree depth", "\"depth\" is not of the form option=value"),
            ("tree depth=3 depth=4", "\"depth\" is given twice"),
            ("tree depth=0", "depth=0; expected a whole number from 1"),
            ("tree depth=2.5", "depth=2.5; expected a whole number"),
            ("tree leaf=0.5", "leaf=0.5; expected a number from 0 to less than 0.5"),
            ("forest trees=1e9", "trees=1e9; expected a whole number"),
            ("boosting rate=-1", "rate=-1; expected a number above 0"),
            ("kernel bandwidth=nan", "bandwidth=nan; expected a number from 1e-100"),
            ("perceptron hidden=3,x", "hidden=3,x; expected whole numbers"),
            ("perceptron optimizer=adma", "Did you mean \"adam\"?"),
            ("nearest k", "\"k\" is not of the form option=value"),
            (
                "tree depth = 3",
                "\"depth\" is not of the form option=value; there is no space around =",
            ),
            ("tree depth=3;leaf=0.1", "spaces separate options, as in depth=3 leaf=0.1"),
            ("tree depth=3,leaf=0.1", "spaces separate options, as in depth=3 leaf=0.1"),
            (
                "tree, depth=3",
                "a space separates the name from its options, as in tree option=value",
            ),
            (
                "tree;depth=3",
                "a space separates the name from its options, as in tree option=value",
            ),
            (
                "perceptron hidden=32 16",
                "commas separate several numbers of an option, as in hidden=32,16",
            ),
            (
                "perceptron hidden=32, 16",
                "commas separate several numbers of an option, as in hidden=32,16",
            ),
            ("perceptron hidden=32;16", "separated by commas"),
        ] {
            assert!(said(text).contains(words), "{text}: {}", said(text));
        }
    }
}
