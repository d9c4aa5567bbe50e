use bowshot_core::Error;

use super::*;

fn loaded(text: &str, environment: &[(&str, &str)], flags: &[(&str, &str)]) -> Result<Config> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bowshot.toml");
    std::fs::write(&path, text).unwrap();
    let environment = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let flag =
        |(key, value): &(&str, &str)| ((*key).to_owned(), vec![(*value).to_owned()], Origin::Flag(format!("--{key}")));
    let flags = Given { settings: flags.iter().map(flag).collect(), ..Given::default() };
    Config::load(Some(&path), &environment, flags)
}

fn refusal(text: &str, environment: &[(&str, &str)]) -> Error {
    loaded(text, environment, &[]).map(|_| ()).unwrap_err()
}

#[test]
fn everything_has_its_place() {
    let config = loaded(
        "listen = \"127.0.0.1:31337\"\n[[source]]\nname = \"shop\"\nuri = \"postgresql://ann:${PASSWORD}@db/shop\"\n\
         [[user]]\nname = \"ann\"\npassword_hash = \"$argon2id$x\"\nrules = [\"allow shop\"]\n[limits]\nendpoints = 8\n\
         endpoint_bytes = \"1 MiB\"\n[jwt]\nalgorithms = [\"ES256\", \"ES384\"]\n",
        &[("PASSWORD", "s3cret")],
        &[],
    )
    .unwrap();
    assert_eq!(config.sources[0].uri.expose(), "postgresql://ann:s3cret@db/shop");
    assert_eq!((config.users[0].rules.len(), config.settings.count("limits.endpoints").unwrap()), (1, 8));
    assert_eq!(config.settings.bytes("limits.endpoint_bytes").unwrap(), 1 << 20);
    assert_eq!(config.settings.list("jwt.algorithms").unwrap(), ["ES256", "ES384"]);
    let shown = format!("{:?}{:?}", config.sources, config.users);
    assert!(!shown.contains("s3cret") && !shown.contains("argon2id"), "{shown}");
}

#[test]
fn a_flag_stands_before_the_environment_that_before_the_file_and_that_before_the_default() {
    let file = "[limits]\nendpoints = 2\n";
    let variable = ("BOWSHOT_LIMITS_ENDPOINTS", "3");
    let endpoints = |file: &str, variables: &[(&str, &str)], flags: &[(&str, &str)]| {
        let config = loaded(file, variables, flags).unwrap();
        (config.settings.count("limits.endpoints").unwrap(), config.settings.origin("limits.endpoints").to_string())
    };
    assert_eq!(endpoints("", &[], &[]), (64, "default".to_owned()));
    let (count, origin) = endpoints(file, &[], &[]);
    assert!(count == 2 && origin.ends_with("bowshot.toml, line 2"), "{origin}");
    assert_eq!(endpoints(file, &[variable], &[]), (3, "BOWSHOT_LIMITS_ENDPOINTS".to_owned()));
    assert_eq!(endpoints(file, &[variable], &[("limits.endpoints", "4")]), (4, "--limits.endpoints".to_owned()));
}

#[test]
fn a_list_is_taken_whole_from_the_first_that_has_one() {
    let file = "[[source]]\nuri = \"a.db\"\n[[source]]\nuri = \"b.db\"\n[[user]]\nname = \"ann\"\n";
    let config =
        loaded(file, &[("BOWSHOT_SOURCES", "c=./c.db\n ./d/"), ("BOWSHOT_USERS", "bob:$argon2id$v=19$x")], &[]);
    let config = config.unwrap();
    let sources: Vec<_> = config.sources.iter().map(|source| (source.name.as_deref(), source.uri.expose())).collect();
    assert_eq!(sources, [(Some("c"), "./c.db"), (None, "./d/")]);
    assert_eq!(config.users.len(), 1);
    assert_eq!(config.users[0].password_hash.as_deref(), Some("$argon2id$v=19$x"));
}

#[test]
fn mistakes_are_told_with_their_line() {
    for (text, words) in [
        (
            "listen = \"127.0.0.1:31337\"\n\nlisen = 3",
            "line 3: there is no setting \"lisen\"; did you mean \"listen\"?",
        ),
        ("[limits]\nendpoints = \"many\"", "line 2: limits.endpoints is \"many\"; write a whole number above 0"),
        ("[limits]\n\nendpoint = 1", "line 3: there is no setting \"limits.endpoint\""),
        ("[limit]\nendpoints = 1", "line 1: there is no table [limit]"),
        ("[[source]]\nname = \"shop\"", "line 1: a source has no uri"),
        ("[[source]]\nuri = \"a\"\nurl = \"b\"", "line 3: a source has no \"url\"; it has name, uri and writable"),
        ("[source]\nuri = \"a\"", "a list of tables was expected"),
        ("\n[[source]]\nuri = \"postgresql://${NOBODY}@db\"", "line 2: the environment has no variable NOBODY"),
        ("[[user]]\nname = \"a\"\n[[user]]\nname = \"a\"", "line 3: two users are named \"a\""),
        (
            "[[source]]\nname = \"a\"\nuri = \"b\"\n[[source]]\nname = \"a\"\nuri = \"c\"",
            "line 4: two sources are named \"a\"",
        ),
        ("[log]\nlevel = \"loud\"", "write error or warn or info or debug or trace"),
        ("listen = ", "line 1"),
        ("[limits]\nendpoints = 1.5", "line 2"),
    ] {
        let error = refusal(text, &[]).to_string();
        assert!(error.contains("bowshot.toml, line") && error.contains(words), "{text}: {error}");
    }
}

#[test]
fn a_mistyped_variable_is_told_and_that_of_a_cluster_is_not() {
    let error = refusal("", &[("BOWSHOT_LIMITS_ENDPOINT", "1")]).to_string();
    assert!(error.contains("BOWSHOT_LIMITS_ENDPOINT is no setting; did you mean \"limits.endpoint"), "{error}");
    loaded("", &[("BOWSHOT_PORT", "tcp://10.0.0.1:31337"), ("BOWSHOT_SERVICE_HOST", "10.0.0.1")], &[]).unwrap();
}

#[test]
fn sources_are_writable_where_the_file_or_the_environment_says_so() {
    let file = "[[source]]\nname = \"shop\"\nuri = \"a.db\"\nwritable = true\n[[source]]\nuri = \"b.db\"\n";
    let writable = |variables: &[(&str, &str)]| -> Vec<bool> {
        loaded(file, variables, &[]).unwrap().sources.iter().map(|source| source.writable).collect()
    };
    assert_eq!(writable(&[]), [true, false]);
    assert_eq!(writable(&[("BOWSHOT_WRITABLE", " b\n")]), [true, true], "by the name that its address gives it");
    let error = refusal(file, &[("BOWSHOT_WRITABLE", "c")]).to_string();
    assert!(error.contains("BOWSHOT_WRITABLE: no source is named \"c\"") && error.contains("shop, b"), "{error}");
    let error = refusal("[[source]]\nuri = \"a.db\"\nwritable = \"yes\"\n", &[]).to_string();
    assert!(error.contains("line 3: writable is neither true nor false"), "{error}");
}

#[test]
fn errors_hold_no_secret() {
    for text in
        ["[[source]]\nuri = \"postgresql://ann:s3cret@db\" x", "[[user]]\nname = \"a\"\npassword_hash = 's3cret\n"]
    {
        let error = refusal(text, &[]);
        assert!(!format!("{error}{error:?}").contains("s3cret"), "{error:?}");
    }
}

#[test]
fn every_default_is_a_value_of_its_kind() {
    for setting in SETTINGS.iter().filter(|setting| !setting.default.is_empty()) {
        assert!(setting.kind.allows(setting.default), "{}", setting.key);
    }
}
