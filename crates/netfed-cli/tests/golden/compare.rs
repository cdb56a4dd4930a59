//! Whether two texts say the same.

/// What the last bits of numbers depend on: the system's math library, and the instructions that
/// the linear algebra finds.
pub(crate) fn machine() -> String {
    let (os, kind) = (std::env::consts::OS, std::env::consts::ARCH);
    #[cfg(target_arch = "x86_64")]
    let vectors = match () {
        () if std::arch::is_x86_feature_detected!("avx512f") => "avx512f",
        () if std::arch::is_x86_feature_detected!("avx2") => "avx2",
        () => "sse2",
    };
    #[cfg(not(target_arch = "x86_64"))]
    let vectors = "";
    format!("{os} {kind} {vectors}\n")
}

/// Whether the bytes must be the same as those that were written on this machine.
pub(crate) fn exact(written_on: &[u8]) -> bool {
    written_on == machine().as_bytes()
}

/// How far numbers may be apart elsewhere: relative, and absolute where they are small.
const NEAR: f64 = 1e-6;

/// Whether lines are the same or, where they need not be `exact`, near.
pub(crate) fn alike(kept: &str, found: &str, exact: bool) -> bool {
    kept == found || (!exact && near(kept, found))
}

/// Numbers that may differ a little, and the text around them, which must not.
fn near(kept: &str, found: &str) -> bool {
    let (kept, found) = (pieces(kept), pieces(found));
    let same = |(a, b): (&&str, &&str)| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= NEAR * a.abs().max(b.abs()).max(1.0),
        _ => a == b,
    };
    kept.len() == found.len() && kept.iter().zip(&found).all(same)
}

/// A line in pieces: what looks like a number, and what is between.
fn pieces(line: &str) -> Vec<&str> {
    let (mut pieces, mut rest) = (Vec::new(), line);
    while !rest.is_empty() {
        let start = rest.find(|c: char| c.is_ascii_digit() || c == '-').unwrap_or(rest.len());
        let tail = &rest[start..];
        let end = number(tail).max(tail.chars().next().map_or(0, char::len_utf8));
        pieces.extend([&rest[..start], &tail[..end]].into_iter().filter(|piece| !piece.is_empty()));
        rest = &tail[end..];
    }
    pieces
}

/// The length of the number at the beginning of a text: `-1.5e-7`.
fn number(text: &str) -> usize {
    let digits = |from: usize| text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let sign = usize::from(text.starts_with('-'));
    let mut end = sign + digits(sign);
    if end == sign {
        return 0;
    }
    if text[end..].starts_with('.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    let exponent = ["e-", "e"].iter().find(|e| text[end..].starts_with(**e));
    if let Some(e) = exponent.filter(|e| digits(end + e.len()) > 0) {
        end += e.len() + digits(end + e.len());
    }
    end
}

/// The first line (counted from 0) that differs, as kept and as found; none where a text has ended.
pub(crate) fn first_difference<'t>(
    kept: &'t str,
    found: &'t str,
    exact: bool,
) -> Option<(usize, Option<&'t str>, Option<&'t str>)> {
    let (mut a, mut b) = (kept.split('\n'), found.split('\n'));
    for line in 0.. {
        match (a.next(), b.next()) {
            (None, None) => return None,
            (Some(kept), Some(found)) if alike(kept, found, exact) => {}
            (kept, found) => return Some((line, kept, found)),
        }
    }
    None
}

#[test]
fn a_line_falls_into_numbers_and_words() {
    assert_eq!(pieces("a,-1.5e-7,b2"), ["a,", "-1.5e-7", ",b", "2"]);
    assert_eq!(pieces("λ = 3. x-y 1e"), ["λ = ", "3", ". x", "-", "y ", "1", "e"]);
}

#[test]
fn numbers_may_differ_by_a_millionth_where_bytes_need_not_be_the_same() {
    assert!(!alike("a,1.0", "a,1.0000001", true));
    assert!(alike("a,1.0", "a,1.0000001", false));
    assert!(!alike("a,1.0", "a,1.00001", false));
    assert!(!alike("a,1.0", "b,1.0", false));
    assert!(!alike("a,1.0", "a,1.0,2", false));
    assert!(alike("gap 1e-17", "gap -3.2e-16", false));
}

#[test]
fn the_first_line_that_differs_is_found() {
    assert_eq!(first_difference("a\nb\n", "a\nb\n", true), None);
    assert_eq!(first_difference("a\nb\n", "a\nc\n", true), Some((1, Some("b"), Some("c"))));
    assert_eq!(first_difference("a\n", "a\nb\n", true), Some((1, Some(""), Some("b"))));
    assert_eq!(first_difference("a", "a\nb", true), Some((1, None, Some("b"))));
}
