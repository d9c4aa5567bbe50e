//! `bowshot spark-jar`: where the jar for Apache Spark is.

use std::io::Write;
use std::path::{Path, PathBuf};

use bowshot_core::{Error, ErrorKind, Result};
use clap::Args;

/// The jar's name, wherever it lies.
const NAME: &str = "bowshot-spark.jar";

/// Print the path of the jar for Apache Spark.
///
/// spark-submit --jars "$(bowshot spark-jar)" …
///
/// It is what BOWSHOT_SPARK_JAR names, else the one that was installed with this command.
#[derive(Args)]
pub(crate) struct SparkJar {}

impl SparkJar {
    pub(crate) fn run(&self) -> Result<()> {
        let named = std::env::var_os("BOWSHOT_SPARK_JAR").map(PathBuf::from);
        let program = std::env::current_exe().ok().and_then(|path| path.canonicalize().ok());
        let path = found(named, program.as_deref())?;
        writeln!(std::io::stdout(), "{}", path.display())
            .map_err(|error| Error::new(ErrorKind::Io, format!("cannot write the path: {error}")))
    }
}

/// The jar that the user names, else the one beside the program: `lib/bowshot/` next to its `bin/`.
fn found(named: Option<PathBuf>, program: Option<&Path>) -> Result<PathBuf> {
    if let Some(path) = named {
        let missing = format!("BOWSHOT_SPARK_JAR names {}, which is no file", path.display());
        return if path.is_file() { Ok(path) } else { Err(Error::new(ErrorKind::Config, missing)) };
    }
    let installed =
        program.and_then(Path::parent).and_then(Path::parent).map(|root| root.join("lib/bowshot").join(NAME));
    installed.filter(|path| path.is_file()).ok_or_else(|| {
        Error::new(ErrorKind::Config, format!("there is no {NAME} with this command"))
            .with_hint("build it with dev/spark_build.sh, or name one with BOWSHOT_SPARK_JAR")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_jar_is_the_named_one_or_lies_beside_the_program() {
        let root = tempfile::tempdir().unwrap();
        let (program, library) = (root.path().join("bin/bowshot"), root.path().join("lib/bowshot"));
        std::fs::create_dir_all(&library).unwrap();
        assert!(found(None, Some(&program)).unwrap_err().to_string().contains("dev/spark_build.sh"));
        let jar = library.join(NAME);
        std::fs::write(&jar, "").unwrap();
        assert_eq!(found(None, Some(&program)).unwrap(), jar);
        assert_eq!(found(Some(jar.clone()), None).unwrap(), jar);
        assert!(
            found(Some(root.path().join("other.jar")), Some(&program)).unwrap_err().to_string().contains("other.jar")
        );
    }
}
