//! Patterns of paths: `*` and `?` within a name, `**` across folders.

/// Whether a path holds a pattern.
pub(crate) fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?'])
}

/// The folder in front of the first pattern, with its slash.
pub(crate) fn folder(pattern: &str) -> &str {
    let end = pattern.find(['*', '?']).unwrap_or(pattern.len());
    let head = pattern.get(..end).unwrap_or(pattern);
    head.rfind('/').and_then(|slash| head.get(..=slash)).unwrap_or("")
}

/// Whether `path` follows `pattern`.
pub(crate) fn matches(pattern: &str, path: &str) -> bool {
    let pattern: Vec<&str> = pattern.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let path: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    parts(&pattern, &path)
}

fn parts(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern, path) {
        ([], []) => true,
        (["**", rest @ ..], _) => parts(rest, path) || matches!(path, [_, tail @ ..] if parts(pattern, tail)),
        ([first, rest @ ..], [name, tail @ ..]) => part(first.as_bytes(), name.as_bytes()) && parts(rest, tail),
        _ => false,
    }
}

/// One name. Two places are remembered instead of all: linear for one star, and never exponential.
fn part(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut here, mut star) = (0, 0, None);
    while here < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, here));
                at += 1;
            }
            Some(byte) if *byte == b'?' || name.get(here) == Some(byte) => {
                at += 1;
                here += 1;
            }
            _ => match &mut star {
                Some((back, taken)) => {
                    *taken += 1;
                    (at, here) = (*back + 1, *taken);
                }
                None => return false,
            },
        }
    }
    pattern.get(at..).is_some_and(|rest| rest.iter().all(|byte| *byte == b'*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_name_files() {
        for (pattern, path, yes) in [
            ("data/*.parquet", "data/a.parquet", true),
            ("data/*.parquet", "data/x/a.parquet", false),
            ("data/**/*.parquet", "data/x/y/a.parquet", true),
            ("data/**/*.parquet", "data/a.parquet", true),
            ("./data/p?rt-*-*.csv", "data/part-0-1.csv", true),
            ("data/p?rt-*-*.csv", "data/part-0.csv", false),
            ("/a/*=1/*", "/a/x=1/f", true),
        ] {
            assert_eq!(matches(pattern, path), yes, "{pattern} {path}");
        }
        assert_eq!(folder("/a/b*/c"), "/a/");
        assert_eq!(folder("*.csv"), "");
    }
}
