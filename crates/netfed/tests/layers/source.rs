//! What a source file uses: its code without words and tests, and the paths in it.

/// A path in the code, with the name that it has there.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    pub(crate) path: Vec<String>,
    pub(crate) name: String,
    pub(crate) line: usize,
    /// Whether it stands in a `use`.
    pub(crate) is_use: bool,
}

/// The code with comments, strings and characters blanked out; lines stay where they are.
pub(crate) fn code(text: &str) -> String {
    let all: Vec<char> = text.chars().collect();
    let (mut out, mut i) = (String::with_capacity(text.len()), 0);
    while i < all.len() {
        let end = end_of_words(&all, i);
        if end == i {
            out.push(all[i]);
            i += 1;
        } else {
            out.extend(all[i..end].iter().map(|c| if *c == '\n' { '\n' } else { ' ' }));
            i = end;
        }
    }
    out
}

/// Where the comment, string or character that begins at i ends; i if none does.
fn end_of_words(all: &[char], i: usize) -> usize {
    let rest = &all[i..];
    let until = |end: &str, from: usize| {
        let end: Vec<char> = end.chars().collect();
        let found = (from..rest.len()).find(|&k| rest[k..].starts_with(&end));
        i + found.map_or(rest.len(), |k| k + end.len())
    };
    match rest {
        ['/', '/', ..] => until("\n", 2) - 1,
        ['/', '*', ..] => until("*/", 2),
        ['r', '#' | '"', ..] if i == 0 || !is_word(all[i - 1]) => {
            let hashes = rest[1..].iter().take_while(|c| **c == '#').count();
            if rest.get(1 + hashes) != Some(&'"') {
                return i;
            }
            until(&format!("\"{}", "#".repeat(hashes)), 2 + hashes)
        }
        ['"', ..] => {
            let mut k = 1;
            while k < rest.len() && rest[k] != '"' {
                k += if rest[k] == '\\' { 2 } else { 1 };
            }
            (i + k + 1).min(all.len())
        }
        ['\'', '\\', ..] => until("'", 3),
        ['\'', _, '\'', ..] => i + 3,
        _ => i,
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Blanks out what is there for tests alone; gives the names of modules of their own among it.
pub(crate) fn without_tests(code: &str) -> (String, Vec<String>) {
    const MARK: &str = "#[cfg(test)]";
    let (mut out, mut modules) = (code.to_owned(), Vec::new());
    while let Some(begin) = out.find(MARK) {
        let after = begin + MARK.len();
        let item = &out[after..];
        let end = after + item.find([';', '{']).map_or(item.len(), |k| end_of_item(item, k));
        let words: Vec<&str> = out[after..end].split([' ', '\n', ';']).collect();
        if let Some(k) =
            words.iter().position(|w| *w == "mod").filter(|_| out[..end].ends_with(';'))
        {
            modules.extend(words.get(k + 1).map(|name| (*name).to_owned()));
        }
        let blank: String =
            out[begin..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        out.replace_range(begin..end, &blank);
    }
    (out, modules)
}

/// The end of an item whose first semicolon or brace is at k.
fn end_of_item(item: &str, k: usize) -> usize {
    if item[k..].starts_with(';') {
        return k + 1;
    }
    let mut depth = 0;
    for (at, c) in item[k..].char_indices() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if depth == 0 {
            return k + at + 1;
        }
    }
    item.len()
}

/// All paths of `use` declarations, and all others that begin with `crate` or `super`.
pub(crate) fn paths(code: &str) -> Vec<Named> {
    let (mut found, mut rest) = (Vec::new(), code.to_owned());
    let mut from = 0;
    while let Some(begin) = next_use(&rest, from) {
        let end = rest[begin..].find(';').map_or(rest.len(), |k| begin + k);
        let line = 1 + rest[..begin].matches('\n').count();
        expand(&rest[begin + 3..end], &[], line, &mut found);
        let blank: String =
            rest[begin..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        rest.replace_range(begin..end, &blank);
        from = end;
    }
    for (k, text) in rest.lines().enumerate() {
        for word in text.split(|c: char| !is_word(c) && c != ':') {
            let path: Vec<String> = word.split("::").map(str::to_owned).collect();
            if path.len() > 1 && matches!(path[0].as_str(), "crate" | "super") {
                let name = path[path.len() - 1].clone();
                found.push(Named { path, name, line: k + 1, is_use: false });
            }
        }
    }
    found
}

/// Where the next `use` begins.
fn next_use(code: &str, from: usize) -> Option<usize> {
    let starts = code[from..].match_indices("use ").map(|(k, _)| from + k);
    starts.into_iter().find(|&k| {
        let before = code[..k].chars().next_back();
        before.is_none_or(|c| !is_word(c))
    })
}

/// The paths of a tree such as `a::{b, c::{self, d as e}}`.
fn expand(tree: &str, prefix: &[String], line: usize, found: &mut Vec<Named>) {
    let tree = tree.trim();
    if let Some((head, list)) = tree.split_once('{') {
        let segments = head.split("::").map(|s| s.trim().to_owned()).filter(|s| !s.is_empty());
        let prefix: Vec<String> = prefix.iter().cloned().chain(segments).collect();
        let list = list.trim_end().strip_suffix('}').unwrap_or(list);
        let (mut depth, mut begin) = (0, 0);
        for (k, c) in list.char_indices().chain([(list.len(), ',')]) {
            depth += i32::from(c == '{') - i32::from(c == '}');
            if c == ',' && depth == 0 {
                if !list[begin..k].trim().is_empty() {
                    expand(&list[begin..k], &prefix, line, found);
                }
                begin = (k + 1).min(list.len());
            }
        }
        return;
    }
    let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(p, a)| (p, Some(a)));
    let mut all: Vec<String> = prefix.to_vec();
    all.extend(path.split("::").map(|s| s.trim().to_owned()).filter(|s| !s.is_empty()));
    if all.len() > 1 && all[all.len() - 1] == "self" {
        all.pop();
    }
    let last = all.last().cloned().unwrap_or_default();
    let name = alias.map_or(last, |alias| alias.trim().to_owned());
    found.push(Named { path: all, name, line, is_use: true });
}
