//! The report in a real browser, where one is installed: it renders, runs nothing and asks for
//! nothing.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failed test may panic"
)]

mod common;

use common::{Place, SMALL};
use std::process::Command;

fn browser() -> Option<&'static str> {
    ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success()))
}

#[test]
fn the_report_renders() {
    let Some(browser) = browser() else {
        eprintln!("skipped: no chromium here");
        return;
    };
    let place = Place::with_small_data();
    place.write("edges.csv", "source,target\na,b\nb,<script>alert(1)</script>\n");
    assert_eq!(place.run(SMALL).status.code(), Some(0));
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"])
        .args(["--disable-background-networking", "--disable-component-update", "--dump-dom"])
        .arg(format!("--user-data-dir={}", place.path("profile").display()))
        .arg(format!("file://{}", place.path("run/report.html").display()))
        .output()
        .unwrap();
    let page = String::from_utf8_lossy(&output.stdout);
    assert!(page.contains("4 local models"), "the headline is there: {page:.2000}");
    assert!(page.matches("<svg").count() >= 5, "the pictures are there");
    assert!(page.matches("<circle").count() >= 4, "every node is drawn");
    assert!(!page.contains("<script"), "names are escaped and there are no scripts");
    assert!(!page.contains("src=\"http") && !page.contains("href=\"http"), "nothing is loaded");
}
