//! Words and numbers as the report shows them: four significant digits,
//! grouped counts, shortened names, escaped markup.

/// A number with four significant digits, in scientific notation only when
/// the plain form would be long.
pub fn number(value: f64) -> String {
    if value.is_nan() {
        return "n/a".to_string();
    }
    if value.is_infinite() {
        return if value > 0.0 { "∞" } else { "-∞" }.to_string();
    }
    if value == 0.0 {
        return "0".to_string();
    }
    let scientific = format!("{value:.3e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    match exponent {
        3..=6 => {
            let sign = if value < 0.0 { "-" } else { "" };
            format!("{sign}{}", count(value.abs().round() as usize))
        }
        -4..=2 => {
            let decimals = usize::try_from(3 - exponent).unwrap_or(0);
            trim_zeros(&format!("{value:.decimals$}")).to_string()
        }
        _ => format!("{}e{exponent}", trim_zeros(mantissa)),
    }
}

/// A value with the digits it takes to see a difference of `step`.
pub fn precise(value: f64, step: f64) -> String {
    let visible = step.abs() > 0.0 && step.abs() < 0.1;
    if !visible || !value.is_finite() || value.abs() > 1e7 {
        return number(value);
    }
    let decimals = (1.0 - step.abs().log10().floor()).min(12.0) as usize;
    let digits = format!("{value:.decimals$}");
    if digits.trim_matches(['-', '0', '.']).is_empty() {
        return "0".to_string();
    }
    trim_zeros(&digits).to_string()
}

/// A number in words that stand for no larger one: bounds from below are rounded down.
pub fn not_above(value: f64, text: impl Fn(f64) -> String) -> String {
    let (mut lower, mut words) = (value, text(value));
    for _ in 0..60 {
        match words.parse::<f64>() {
            Ok(shown) if shown > value => lower -= 2.0 * (shown - lower).max(value.abs() * 1e-16),
            _ => break,
        }
        words = text(lower);
    }
    words
}

/// Seven significant digits.
pub fn digits(v: f64) -> String {
    rounded(v, 6)
}

/// A number with `decimals` + 1 significant digits that can be typed in again.
pub fn rounded(v: f64, decimals: usize) -> String {
    let short: f64 = format!("{v:.decimals$e}").parse().unwrap_or(v);
    if short != 0.0 && !(1e-4..1e7).contains(&short.abs()) {
        format!("{short:e}")
    } else {
        short.to_string()
    }
}

/// Drops the zeros that end a decimal fraction, and the point when nothing
/// follows it.
fn trim_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// A number with two decimals, or in scientific notation.
pub fn scientific(v: f64) -> String {
    if (0.01..10_000.0).contains(&v) { format!("{v:.2}") } else { format!("{v:.2e}") }
}

/// A small ratio as a percentage, or in scientific notation.
pub fn percent(v: f64) -> String {
    if v > 1e-4 { format!("{:.3}%", 100.0 * v) } else { format!("{v:.1e}") }
}

/// A count with its thousands grouped: 12,345.
pub fn count(value: usize) -> String {
    let digits = value.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count and its noun: "1 node", "2,000 nodes".
pub fn plural(value: usize, noun: &str) -> String {
    let ending = if value == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", count(value))
}

/// The same for a noun with a plural of its own: "1 vertex", "2 vertices".
pub fn plurals(value: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(value), if value == 1 { one } else { many })
}

/// A ratio as a percentage with two significant digits. It is rounded up, so
/// that "within x%" never claims more than was shown.
pub fn percent_up(ratio: f64) -> String {
    let percent = ratio * 100.0;
    if !percent.is_finite() || percent <= 0.0 {
        return format!("{}%", number(percent.max(0.0)));
    }
    let unit = 10f64.powi(percent.log10().floor() as i32 - 1);
    let digits = (percent / unit - 1e-6).ceil();
    let bound = digits * unit;
    if (1e-6..1e-3).contains(&bound) {
        return format!("{}%", trim_zeros(&format!("{bound:.8}")));
    }
    format!("{}%", number(bound))
}

/// A duration in the unit that suits it.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "n/a".to_string();
    }
    if seconds < 0.001 {
        return "< 1 ms".to_string();
    }
    if seconds < 1.0 {
        return format!("{:.0} ms", seconds * 1e3);
    }
    if seconds < 60.0 {
        return format!("{} s", trim_zeros(&format!("{seconds:.1}")));
    }
    let whole = seconds.round() as u64;
    if whole < 3600 {
        format!("{} min {} s", whole / 60, whole % 60)
    } else {
        format!("{} h {} min", whole / 3600, whole % 3600 / 60)
    }
}

/// A duration with at most one decimal, in one unit.
pub fn rough_duration(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 100.0 => format!("{s:.1} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// A name cut to at most `limit` characters, without control characters.
pub fn short(name: &str, limit: usize) -> String {
    let plain = name.chars().map(|c| if c.is_control() { ' ' } else { c });
    if name.chars().count() <= limit {
        return plain.collect();
    }
    let mut cut: String = plain.take(limit.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// Text made safe inside markup and inside quoted attributes.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' => safe.push('\n'),
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_four_significant_digits() {
        assert_eq!(number(-0.0), "0");
        assert_eq!(number(2.0), "2");
        assert_eq!(number(-0.156_137), "-0.1561");
        assert_eq!(number(999.96), "1,000");
        assert_eq!(number(-12_345.6), "-12,346");
        assert_eq!(number(1.234_56e-7), "1.235e-7");
        assert_eq!(number(2e9), "2e9");
        assert_eq!(number(f64::NAN), "n/a");
        assert_eq!(number(f64::NEG_INFINITY), "-∞");
    }

    #[test]
    fn numbers_can_be_typed_in_again() {
        assert_eq!((digits(12.345678912), rounded(12.345, 3)), ("12.34568".into(), "12.35".into()));
        assert_eq!((rounded(1.23456e-7, 3), digits(0.0)), ("1.235e-7".into(), "0".into()));
        assert_eq!(rounded(123_456_789.0, 3), "1.235e8");
    }

    #[test]
    fn precise_values_show_the_difference() {
        assert_eq!(precise(42.000_123, 3.2e-5), "42.000123");
        assert_eq!(precise(42.0, 3.2e-5), "42");
        assert_eq!(precise(-1e-9, 1e-3), "0");
        assert_eq!(precise(42.000_123, 0.0), "42");
        assert_eq!(precise(1e9, 1e-3), "1e9");
    }

    #[test]
    fn bounds_are_rounded_down() {
        for (value, expected) in
            [(0.123_456_789_6, "0.123456789"), (42.0, "42.000000000"), (0.1, "0.100000000")]
        {
            assert_eq!(not_above(value, |v| format!("{v:.9}")), expected);
        }
        let shown = not_above(1.999_96, |v| precise(v, 1e-3));
        assert!(shown.parse::<f64>().unwrap() <= 1.999_96 && shown.starts_with("1.999"), "{shown}");
        assert_eq!(not_above(f64::NEG_INFINITY, number), number(f64::NEG_INFINITY));
    }

    #[test]
    fn percentages_are_rounded_up() {
        assert_eq!(percent_up(1e-6), "0.0001%");
        assert_eq!(percent_up(1.01e-4), "0.011%");
        assert_eq!(percent_up(0.0), "0%");
        assert_eq!(percent_up(3.21e-11), "3.3e-9%");
        assert_eq!(percent_up(0.5), "50%");
    }

    #[test]
    fn counts_and_nouns_agree() {
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(plural(1, "node"), "1 node");
        assert_eq!(plural(0, "edge"), "0 edges");
    }

    #[test]
    fn durations_use_the_unit_that_suits() {
        assert_eq!(duration(0.0123), "12 ms");
        assert_eq!(duration(2.0), "2 s");
        assert_eq!(duration(125.0), "2 min 5 s");
        assert_eq!(duration(7_260.0), "2 h 1 min");
        assert_eq!(duration(f64::NAN), "n/a");
    }

    #[test]
    fn names_are_shortened_and_escaped() {
        assert_eq!(short("abcdef", 4), "abc…");
        assert_eq!(short("äöü", 3), "äöü");
        assert_eq!(short("a\nb", 9), "a b");
        assert_eq!(escape("<a href='x\">&"), "&lt;a href=&#39;x&quot;&gt;&amp;");
    }
}
