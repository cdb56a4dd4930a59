use std::time::Duration;

use super::*;

fn text() -> String {
    let member = |name: &str, port: u16| {
        format!(
            "[[members]]\nname = \"{name}\"\nendpoint = \"quic/127.0.0.1:{port}\"\nnodes = [\"{name}\"]\n"
        )
    };
    format!(
        "name = \"t\"\nmethod = \"primal-dual\"\nrounds = 10\ntolerance = 1e-6\ntell_gap = true\naway = \"wait\"\npatience_seconds = 5.0\n[problem]\nlambda = 0.1\n[graph]\nedges = [[\"b\", \"a\", 2.0]]\n{}{}",
        member("b", 7001),
        member("a", 7002)
    )
}

#[test]
fn nodes_are_numbered_by_name() {
    let f = Federation::parse(&text()).unwrap();
    assert_eq!(
        (f.nodes.as_slice(), f.host.as_slice()),
        (&["a".to_owned(), "b".to_owned()][..], &[1, 0][..])
    );
    assert_eq!((f.member("a"), f.member_of_node("b")), (Some(1), Some(0)));
    assert_ne!(f.id, Federation::parse(&(text() + "\n")).unwrap().id, "every byte counts");
    assert_eq!(f.rules(3).unwrap().patience, Duration::from_secs(5));
}

#[test]
fn what_is_wrong_is_named() {
    let with = |from: &str, to: &str| {
        let changed = text().replacen(from, to, 1);
        assert_ne!(changed, text());
        Federation::parse(&changed).unwrap_err().to_string()
    };
    assert!(with("primal-dual", "magic").contains("unknown method"));
    assert!(with("\"wait\"", "\"hope\"").contains("wait, without or stop"));
    assert!(with("[\"b\", \"a\"", "[\"b\", \"z\"").contains("\"z\" of an edge"));
    assert!(with("[\"b\", \"a\", 2.0]", "[\"b\", \"a\", -2.0]").contains("weight"));
    assert!(with("quic/127.0.0.1:7001", "tls/127.0.0.1:7001").contains("quic/HOST:PORT"));
    assert!(with("127.0.0.1:7001", "127.0.0.1:7002").contains("have the endpoint"));
    assert!(with("rounds = 10", "rounds = 10\nextra = 1").contains("extra"));
    assert!(with("name = \"b\"", "name = \"b b\"").contains("not allowed"));
    assert!(with("nodes = [\"b\"]", "nodes = [\"a\"]").contains("two members"));
    assert!(with("name = \"b\"", "name = \"a\"").contains("two members or routers \"a\""));
}

#[test]
fn settings_are_those_of_the_library() {
    let with = |line: &str| {
        let text = text().replacen("lambda = 0.1", line, 1);
        Federation::parse(&text).map(|f| f.description)
    };
    let good = "lambda = 0.1\nfeatures = [\"x\"]\nloss = \"huber\"";
    let d = with(good).unwrap();
    assert_eq!(d.problem.settings.to_string(), "loss=huber lambda=0.1");
    assert_eq!(d.problem.columns.features, Some(vec!["x".to_owned()]));
    let spec = d.spec().unwrap();
    assert_eq!((spec.solver, spec.tol, spec.max_iter), (netfed::Solver::PrimalDual, 1e-6, 10));
    let again = Federation::parse(&Federation::text(&d).unwrap()).unwrap();
    assert_eq!(again.description, d);
    for (line, part) in [
        ("lamda = 0.1", "unknown field `lamda`"),
        ("loss = \"hubert\"", "Did you mean \"huber\"?"),
        ("availability = \"a.csv\"", "it is one number"),
    ] {
        let message = with(line).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
    for (line, part) in [
        ("", "λ must be more than 0"),
        ("lambda = -1.0", "`lambda` is -1"),
        ("lambda = 0.1\nstandardize = true", "standardize needs the data"),
        ("lambda = 0.1\navailability = \"0.5\"", "goes with fed-admm"),
    ] {
        let d = with(&format!("{line}\nfeatures = [\"x\"]")).unwrap();
        let message = d.spec().unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
    assert!(with("lambda = 0.1").unwrap().spec().unwrap_err().to_string().contains("--features"));
}

#[test]
fn later_settings_are_refused() {
    let later = text().replacen("rounds = 10", "rounds = 10\nsettings = 99", 1);
    let message = Federation::parse(&later).unwrap_err().to_string();
    assert!(message.contains("settings are of version 99"), "{message}");
    let first = text().replacen("rounds = 10", "rounds = 10\nsettings = 1", 1);
    assert_eq!(Federation::parse(&first).unwrap().description.settings, 1);
    assert!(
        !Federation::text(&Federation::parse(&first).unwrap().description)
            .unwrap()
            .contains("settings")
    );
}

#[test]
fn versions_follow_each_other() {
    let one = Federation::parse(&text()).unwrap();
    assert_eq!((one.root, one.description.version), (one.id, 1));
    let after = |f: &Federation, round| {
        Federation::parse(&Federation::text(&f.next(round)).unwrap()).unwrap()
    };
    let two = after(&one, 40);
    let three = after(&two, 50);
    assert_eq!((two.root, three.root, three.description.version), (one.id, one.id, 3));
    assert_eq!((two.takes_over(&one), three.takes_over(&two)), (Some(40), Some(50)));
    assert_eq!(three.takes_over(&one), Some(0), "rounds of version 2 are not those of 1");
    assert_eq!((one.takes_over(&one), two.takes_over(&three)), (None, None));
    let other = Federation::parse(&(text() + "\n")).unwrap();
    assert_eq!(two.takes_over(&other), None);
    let wrong = |from: &str, to: &str| {
        let text = Federation::text(&one.next(1)).unwrap();
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        Federation::parse(&changed).unwrap_err().to_string()
    };
    assert!(wrong("version = 2", "version = 1").contains("leave [follows] out"));
    assert!(wrong("first = \"", "first = \"0").contains("is no id"));
    assert!(wrong("before = \"", "before = \"x").contains("is no id"));
    assert!(wrong("\"primal-dual", "\"fed-relax").contains("make a new federation"));
    let lonely = text().replacen("method", "version = 2\nmethod", 1);
    assert!(Federation::parse(&lonely).unwrap_err().to_string().contains("[follows]"));
}

#[test]
fn public_points_belong_to_all_nodes_or_each_to_one() {
    let with = |owners: &str| {
        let relax = format!(
            "[relax]\nmodel = \"linear\"\nclasses = []\npublic = [[1.0], [2.0], [3.0]]\n{owners}\n[problem]"
        );
        let text = text().replacen("primal-dual", "fed-relax", 1).replacen("1e-6", "0.0", 1);
        Federation::parse(&text.replacen("[problem]", &relax, 1))
    };
    for good in ["", "public_of = [\"a\", \"b\", \"a\"]"] {
        let relax = with(good).unwrap().description.relax.unwrap();
        assert_eq!(relax.public_of.is_empty(), good.is_empty());
    }
    for bad in ["[\"a\", \"b\"]", "[\"a\", \"a\", \"a\"]", "[\"a\", \"b\", \"z\"]"] {
        let error = with(&format!("public_of = {bad}")).unwrap_err().to_string();
        assert!(error.contains("each point and each node must"), "{error}");
    }
}

#[test]
fn members_without_endpoints_meet_at_routers() {
    let hidden = |name: &str, text: &str| {
        let port = if name == "b" { 7001 } else { 7002 };
        text.replace(&format!("endpoint = \"quic/127.0.0.1:{port}\"\n"), "")
    };
    let with_router =
        |text: &str| text.to_owned() + "[[routers]]\nname = \"r\"\nendpoint = \"quic/h:1\"\n";
    assert_eq!(Federation::parse(&text()).unwrap().listener(1, 0), Some(0));
    let one = Federation::parse(&hidden("b", &text())).unwrap();
    assert_eq!((one.listener(0, 1), one.listener(1, 0)), (Some(1), Some(1)));
    let none = hidden("a", &hidden("b", &text()));
    let error = Federation::parse(&none).unwrap_err().to_string();
    assert!(error.contains("neither \"a\" nor \"b\" has an endpoint"), "{error}");
    let routed = Federation::parse(&with_router(&none)).unwrap();
    assert_eq!((routed.listener(0, 1), routed.router("r")), (None, Some(0)));
    let twice = with_router(&text()).replace("\"r\"", "\"a\"");
    assert!(Federation::parse(&twice).unwrap_err().to_string().contains("two members or"));
}
