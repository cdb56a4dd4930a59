//! `netfed federation status`: what all members are doing, as a live table.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

use netfed_net::engine::Observer;
use netfed_net::names::OBSERVER;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::member::{self, identity};
use crate::progress::{catch_interrupts, interrupted};
use crate::terminal::print;

/// Asks every member what it is doing. On a terminal the table is shown again every second, until
/// all have finished or Ctrl-C.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  netfed federation status --federation federation/")]
pub(crate) struct Status {
    /// The organizer's folder
    #[arg(long, value_name = "FOLDER")]
    federation: PathBuf,
    /// Show the table once
    #[arg(long)]
    once: bool,
    /// Print the answers as JSON, once
    #[arg(long)]
    json: bool,
}

/// Runs the command; gives the exit status.
pub(crate) fn run(args: &Status) -> Result<u8, Failure> {
    let federation = member::read(&args.federation)?;
    let folder = args.federation.join(OBSERVER);
    if !folder.is_dir() {
        return Err(Failure::input(format!(
            "{} is not the organizer's folder: it has no certificate of the observer.",
            args.federation.display()
        )));
    }
    identity(&folder)?;
    let observer = Observer::open(&federation, &folder)?;
    catch_interrupts();
    let names: Vec<&str> = federation.description.members.iter().map(|m| m.name.as_str()).collect();
    let live = std::io::stdout().is_terminal() && !args.once && !args.json;
    // The first connections take a moment.
    std::thread::sleep(Duration::from_millis(300));
    loop {
        let answers = observer.ask(Duration::from_secs(2));
        if args.json {
            let all: serde_json::Map<String, Value> = names
                .iter()
                .zip(&answers)
                .map(|(n, a)| ((*n).to_owned(), a.clone().unwrap_or(Value::Null)))
                .collect();
            print(&format!("{:#}\n", json!(all)));
            return Ok(0);
        }
        if live {
            print("\x1b[2J\x1b[H");
        }
        print(&table(&names, &answers));
        let finished = answers.iter().all(|a| a.as_ref().is_some_and(|a| a["finished"] == true));
        if !live || finished || interrupted() {
            return Ok(0);
        }
        std::thread::sleep(Duration::from_secs(1));
    }
}

fn table(names: &[&str], answers: &[Option<Value>]) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(
        comfy_table::presets::UTF8_HORIZONTAL_ONLY.row_separator(comfy_table::LineStyle::none()),
    );
    table.set_header([
        "member",
        "round",
        "relative gap",
        "sent",
        "received",
        "waits most for",
        "refused",
        "restarts",
    ]);
    for (name, answer) in names.iter().zip(answers) {
        let Some(a) = answer else {
            table.add_row([*name, "no answer"]);
            continue;
        };
        let round = if a["finished"] == true {
            format!("{} (finished)", a["round"])
        } else {
            a["round"].to_string()
        };
        let gap = a["relative_gap"].as_f64().map_or("–".into(), |g| format!("{g:.1e}"));
        let bytes = |key: &str| size(a[key].as_u64().unwrap_or(0));
        let waits = a["waited_seconds"].as_object().and_then(|w| {
            w.iter()
                .filter_map(|(n, s)| s.as_f64().map(|s| (n, s)))
                .max_by(|x, y| x.1.total_cmp(&y.1))
                .map(|(n, s)| format!("{n} ({s:.1} s)"))
        });
        table.add_row([
            (*name).to_owned(),
            round,
            gap,
            bytes("bytes_out"),
            bytes("bytes_in"),
            waits.unwrap_or_else(|| "–".into()),
            a["refused"].to_string(),
            a["restarts"].to_string(),
        ]);
    }
    format!("{table}\n")
}

fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} B"),
        10_000..10_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
