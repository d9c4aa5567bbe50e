//! `.pgpass`: passwords by host, port, database and user, one a line.

use std::path::{Path, PathBuf};

use bowshot_core::Secret;

/// A password file's lines, and whether there is something that the user should know of the file.
#[derive(Default)]
pub(super) struct Passfile {
    lines: Vec<String>,
    path: PathBuf,
    /// Why the file was not read, as a sentence for the hint of a failed login.
    pub(super) ignored: Option<String>,
}

impl Passfile {
    /// Reads the file; a missing one is empty. One that others may read is ignored, as in libpq.
    pub(super) fn read(path: &Path) -> Self {
        let mut passfile = Passfile { path: path.to_owned(), ..Passfile::default() };
        let Ok(metadata) = path.metadata() else { return passfile };
        let path = path.display();
        if !metadata.is_file() {
            passfile.ignored = Some(format!("the password file {path} was ignored since it is not a plain file"));
            return passfile;
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            if metadata.permissions().mode() & 0o077 != 0 {
                passfile.ignored = Some(format!(
                    "the password file {path} was ignored since others than its owner may open it: chmod 0600 {path}"
                ));
                return passfile;
            }
        }
        match std::fs::read_to_string(&passfile.path) {
            Ok(text) => passfile.lines = text.lines().map(str::to_owned).collect(),
            Err(error) => passfile.ignored = Some(format!("the password file {path} was ignored: {error}")),
        }
        passfile
    }

    /// The password of the first line that fits.
    pub(super) fn find(&self, host: &str, port: u16, database: &str, user: &str) -> Option<Secret> {
        let port = port.to_string();
        let wanted = [host, port.as_str(), database, user];
        self.lines.iter().filter(|line| !line.starts_with('#')).find_map(|line| {
            let mut rest = line.as_str();
            for wanted in wanted {
                let (field, behind) = field_of(rest);
                if rest.get(..rest.len() - behind.map_or(0, |behind| behind.len() + 1)) != Some("*") && field != wanted
                {
                    return None;
                }
                rest = behind?;
            }
            let (password, _) = field_of(rest);
            Some(Secret::new(password)).filter(|password| !password.expose().is_empty())
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// A field up to a colon that has no backslash before it, its backslashes resolved, and what stands behind the colon.
fn field_of(text: &str) -> (String, Option<&str>) {
    let mut field = String::new();
    let mut characters = text.char_indices();
    while let Some((index, character)) = characters.next() {
        match character {
            '\\' => field.extend(characters.next().map(|(_, escaped)| escaped)),
            ':' => return (field, text.get(index + 1..)),
            _ => field.push(character),
        }
    }
    (field, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passfile(text: &str) -> Passfile {
        Passfile { lines: text.lines().map(str::to_owned).collect(), ..Passfile::default() }
    }

    #[test]
    fn the_first_line_that_fits_wins() {
        let file =
            passfile("# db:5432:tpch:ada:comment\ndb:5432:tpch:ada:first\ndb:*:*:ada:second\n*:*:*:*:any\nno:colons\n");
        let find = |host, port, database, user| file.find(host, port, database, user).unwrap().expose().to_owned();
        assert_eq!(find("db", 5432, "tpch", "ada"), "first");
        assert_eq!(find("db", 5433, "tpch", "ada"), "second");
        assert_eq!(find("db", 5433, "tpch", "bob"), "any");
        assert!(passfile("db:5432:tpch:ada:x").find("db", 5432, "tpch", "bob").is_none());
    }

    #[test]
    fn colons_backslashes_and_stars_can_be_escaped() {
        let file = passfile(r"/run/a\:b:5432:t\\c:\*:it\:s\\so");
        assert_eq!(file.find("/run/a:b", 5432, r"t\c", "*").unwrap().expose().to_owned(), r"it:s\so");
        assert!(file.find("/run/a:b", 5432, r"t\c", "ada").is_none(), "an escaped star is a star");
    }

    #[test]
    fn a_file_that_others_may_read_is_ignored_and_said() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pgpass");
        std::fs::write(&path, "*:*:*:*:any").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        let file = Passfile::read(&path);
        assert!(file.find("h", 1, "d", "u").is_none());
        assert!(file.ignored.unwrap().contains("chmod 0600"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(Passfile::read(&path).find("h", 1, "d", "u").unwrap().expose().to_owned(), "any");
    }
}
