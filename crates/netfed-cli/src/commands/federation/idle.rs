//! Flags of `netfed federation init` that a method does not look at: better refused than silently
//! without effect.

use netfed_net::description::Method;

use super::init::Init;
use crate::failure::Failure;
use crate::given::Given;

/// Refuses the first flag that the method has no use for.
pub(super) fn refuse(args: &Init, given: &Given, method: Method) -> Result<(), Failure> {
    let objective = [
        ("--loss", given.spec.loss.is_some()),
        ("--penalty", given.spec.penalty.is_some()),
        ("--ridge", given.spec.ridge.is_some()),
        ("--lasso", given.spec.lasso.is_some()),
        ("--huber-delta", given.spec.huber_delta.is_some()),
        ("--tol", given.spec.tol.is_some()),
        ("--tell-gap", args.tell_gap),
    ];
    let (flags, why) = match method {
        Method::FedRelax => (
            [
                ("--beta", args.beta.is_some()),
                ("--nu", args.nu.is_some()),
                ("--rate", args.rate.is_some()),
                ("--steps", args.steps.is_some()),
                ("--models", args.models.is_some()),
                ("--fraction", args.fraction.is_some()),
            ],
            "loss and regularization are those of --model, and it runs all rounds of --max-iter",
        ),
        Method::Ppgl => (
            [
                // Without --members the nodes of the graph are the members.
                ("--graph", given.files.graph.is_some() && args.members.is_some()),
                ("--models", args.models.is_some()),
                ("--public", args.public.is_some()),
                ("--model", args.model.is_some()),
                ("--classes", !args.classes.is_empty()),
                ("--intercept", given.spec.intercept == Some(true)),
            ],
            "it learns graphs from signals, everyone is joined to the server, and it runs all rounds of --max-iter",
        ),
        _ => return Ok(()),
    };
    match objective.iter().chain(&flags).find(|flag| flag.1) {
        Some((flag, _)) => Err(Failure::input(format!(
            "{flag} has no effect with --solver {method}: {why}; leave it out."
        ))),
        None => Ok(()),
    }
}
