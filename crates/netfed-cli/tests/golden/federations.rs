//! Federations on this machine, one of each method: described, started, and read by the commands
//! that come after.

use crate::commands::Case;

/// All of them; they wait more than they compute.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = coupled();
    cases.extend(served());
    cases.push(members());
    cases
}

/// A federation that is described and started, and commands that come after.
fn up(name: &'static str, flags: &str, data: &str, after: &[&str]) -> Case {
    let flags = format!("federation init {flags} --local {{port}} --out fed");
    let start = format!("federation up --local --federation fed --data {data} --out run");
    let mut steps = vec![flags, start];
    steps.extend(after.iter().map(|line| (*line).to_owned()));
    Case { name, steps }
}

/// Methods between neighbors.
fn coupled() -> Vec<Case> {
    let coupled = "--graph four-edges.csv --features a,b --lambda 0.2";
    vec![
        up(
            "federation-primal-dual",
            &format!("{coupled} --tol 1e-4"),
            "four.csv",
            &[
                "federation check --federation fed",
                "federation check --federation fed/invitations/north2 --data one.csv",
                "federation check --federation fed/invitations/north2 --data word.csv",
                "predict --run run --data four.csv --out predictions.csv",
            ],
        ),
        up(
            "federation-admm",
            &format!("{coupled} --solver admm --rho 0.7 --loss huber --penalty l1 --max-iter 20"),
            "four.csv",
            &[],
        ),
        up(
            "federation-fed-admm",
            &format!(
                "{coupled} --solver fed-admm --rho 0.5 --kappa 1 --batch-size 2 --availability 0.7 --seed 5 --max-iter 20"
            ),
            "four.csv",
            &["federation check --federation fed"],
        ),
        up(
            "federation-fed-relax",
            &format!(
                "{coupled} --solver fed-relax --public public.csv --model linear --max-iter 2"
            ),
            "four.csv --models four-models.csv",
            &[
                "federation check --federation fed/invitations/south1",
                "predict --run run --data four.csv --out predictions.csv",
            ],
        ),
    ]
}

/// Methods with a server.
fn served() -> Vec<Case> {
    let served = "--server hub --graph four-edges.csv --features a,b --rate 0.1 --steps 2 --seed 3";
    vec![
        up(
            "federation-fedavg",
            &format!("{served} --solver fedavg --fraction 0.5 --max-iter 10"),
            "four.csv",
            &["federation check --federation fed/invitations/hub"],
        ),
        up(
            "federation-ifca",
            &format!("{served} --solver ifca --models 2 --max-iter 10"),
            "four.csv",
            &[],
        ),
        up(
            "federation-ppgl",
            "--solver ppgl --server hub --graph silo-edges.csv --features v1,v2,v3,v4,v5,v6 --node-column silo --lambda 0.1 --beta 0.1 --nu 4 --max-iter 10",
            "silo-signals.csv",
            &["federation check --federation fed/invitations/a --data silo1.csv"],
        ),
    ]
}

/// Members that come and go, without starting any.
fn members() -> Case {
    let steps = [
        "federation init --name clinics --graph four-edges.csv --features a,b --lambda 0.2 --members members.csv --router hub=quic/hub.example.org:7447 --out fed",
        "federation check --federation fed",
        "federation invite --all --federation fed",
        "federation check --federation fed/invitations/north1",
        "federation check --federation fed/invitations/hub",
        "federation add west --endpoint quic/west.example.org:7447 --edge north1=1 --federation fed",
        "federation remove south2 --federation fed",
        "federation revoke north1 --federation fed",
        "federation check --federation fed",
        "federation check --federation fed/invitations/south1",
    ];
    Case { name: "federation-members", steps: steps.map(str::to_owned).to_vec() }
}
