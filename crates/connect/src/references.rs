//! Values that stand elsewhere: `${NAME}` in the environment, `${file:/path}` in a file.

use bowshot_core::{Error, ErrorKind, Result};

/// Puts what they stand for in the place of all `${…}`: `variable` knows the environment's values.
///
/// A value is taken as it stands: in a URI, what is special there has to be percent-encoded in it. A file's last line break is left out,
/// which editors and `echo` add.
///
/// ```
/// let variable = |name: &str| (name == "PASSWORD").then(|| "s3cret".to_owned());
/// let address = bowshot_connect::resolve("postgresql://ann:${PASSWORD}@db/shop", variable)?;
/// assert_eq!(address, "postgresql://ann:s3cret@db/shop");
/// # Ok::<(), bowshot_core::Error>(())
/// ```
///
/// # Errors
/// Of kind [`Config`](ErrorKind::Config) for a name that nobody knows and for a file that cannot be read.
pub fn resolve(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<String> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, next) = after.split_once('}').ok_or_else(|| {
            Error::new(ErrorKind::Config, "a ${ without its }").with_hint("write ${NAME} or ${file:/path}")
        })?;
        expanded.push_str(before);
        match name.strip_prefix("file:") {
            Some(path) => expanded.push_str(content(path)?.trim_end_matches(['\r', '\n'])),
            None => expanded.push_str(&variable(name).ok_or_else(|| unset(name))?),
        }
        rest = next;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

fn content(path: &str) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| {
        Error::new(ErrorKind::Config, format!("cannot read {path}: {error}"))
            .with_hint("the file must be there, and readable by the user that this program runs as")
    })
}

fn unset(name: &str) -> Error {
    Error::new(ErrorKind::Config, format!("the environment has no variable {name}"))
        .with_hint(format!("set it, or write the value in the place of ${{{name}}}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_from_the_environment_and_from_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("password");
        std::fs::write(&path, "s3cret\n").unwrap();
        let variable = |name: &str| (name == "HOST").then(|| "db".to_owned());
        let text = format!("postgresql://ann:${{file:{}}}@${{HOST}}/shop", path.display());
        assert_eq!(resolve(&text, variable).unwrap(), "postgresql://ann:s3cret@db/shop");
        assert_eq!(resolve("a $HOST {b}", variable).unwrap(), "a $HOST {b}");
        for (text, words) in [
            ("${NOBODY}", "no variable NOBODY"),
            ("${file:/nowhere/at/all}", "cannot read /nowhere/at/all"),
            ("a${HOST", "a ${ without its }"),
        ] {
            let error = resolve(text, variable).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}
