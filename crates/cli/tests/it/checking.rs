//! What `--check` says, and what the gateway refuses to begin with.

use crate::server::{bowshot, database};

/// The exit code, standard output and standard error.
fn run(arguments: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let output = bowshot(arguments).envs(variables.iter().copied()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn it_prints_what_is_in_effect_and_where_it_comes_from() {
    let (folder, path) = database();
    let file = folder.path().join("bowshot.toml");
    let secret = folder.path().join("secret");
    std::fs::write(&secret, "s3cret\n").unwrap();
    let text = format!(
        "listen = \"127.0.0.1:1\"\n[limits]\nendpoints = 2\nmessage_bytes = \"1 MiB\"\n[[source]]\nname = \"shop\"\n\
         uri = \"postgresql://ann:${{file:{}}}@127.0.0.1:1/shop\"\n",
        secret.display()
    );
    std::fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let arguments = ["serve", "--config", file, "--check", "--listen", "127.0.0.1:3"];
    let variables = [("BOWSHOT_LISTEN", "127.0.0.1:2"), ("BOWSHOT_LIMITS_ENDPOINTS", "3")];
    let (code, out, told) = run(&arguments, &variables);
    assert_eq!((code, told.trim()), (Some(0), "the configuration is right"));
    for (start, origin) in [
        ("listen = \"127.0.0.1:3\"", "# --listen".to_owned()),
        ("limits.endpoints = 3", "# BOWSHOT_LIMITS_ENDPOINTS".to_owned()),
        ("limits.message_bytes = \"1 MiB\"", format!("# {file}, line 4")),
        ("limits.drain_seconds = 30", "# default".to_owned()),
        ("[[source]]", format!("# {file}, line 5")),
        ("uri = \"postgresql://ann@127.0.0.1:1/shop\"", String::new()),
    ] {
        let line = out.lines().find(|line| line.starts_with(start));
        assert!(line.is_some_and(|line| line.ends_with(&origin)), "{start}: {out}");
    }
    assert!(!out.contains("s3cret"));

    let here = format!("here=sqlite:///{}", path.display());
    let (code, _, told) = run(&["serve", &here, "--check", "--probe"], &[]);
    assert!(code == Some(0) && told.contains("source here: answers after"), "{told}");
    let (code, _, told) = run(&["serve", "--config", file, "--check", "--probe"], &[]);
    assert!(
        code == Some(2) && told.contains("source shop: ") && told.contains("1 of 1 sources did not answer"),
        "{told}"
    );
    assert!(!told.contains("s3cret"), "{told}");
}

#[test]
fn a_source_is_writable_only_where_bowshot_writes_to_its_kind() {
    let (folder, path) = database();
    let here = format!("here=sqlite:///{}", path.display());
    let (code, out, told) = run(&["serve", &here, "--writable", "here", "--check"], &[]);
    assert!(code == Some(0) && out.contains("writable = true"), "{out}{told}");
    let (_, out, _) = run(&["serve", &here, "--check"], &[]);
    assert!(!out.contains("writable"), "off by default: {out}");
    let (code, _, told) = run(&["serve", &here, "--check"], &[("BOWSHOT_WRITABLE", "there")]);
    assert!(code == Some(2) && told.contains("no source is named \"there\""), "{told}");
    let file = folder.path().join("bowshot.toml");
    std::fs::write(&file, "[[source]]\nuri = \"trino://ann@h/hive\"\n[[source]]\nuri = \"./lake/\"\nwritable = true\n")
        .unwrap();
    let (code, _, told) = run(&["serve", "--config", file.to_str().unwrap(), "--check"], &[]);
    assert!(code == Some(2) && told.contains("line 3: Bowshot does not write"), "{told}");
}

#[test]
fn beyond_this_machine_it_listens_only_encrypted_and_to_users() {
    let (folder, path) = database();
    let shop = path.to_str().unwrap();
    let certificates = bowshot_testkit::Certificates::make(folder.path(), "ann").unwrap();
    let (certificate, key) = (certificates.server(), certificates.server_key());
    let tls = ["--tls-certificate", certificate.to_str().unwrap(), "--tls-key", key.to_str().unwrap()];
    // Not a password of anybody.
    let hash = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$r4n7qxvYcZdW4cQkPZpEoQm5hCqkU6xq0j1h0G0Yb0k";
    let users = format!("ann:{hash}");
    let check = |arguments: &[&str], users: &str| {
        let mut all = vec!["serve", shop, "--check", "--listen", "0.0.0.0:31337"];
        all.extend_from_slice(arguments);
        let (code, _, told) = run(&all, &[("BOWSHOT_USERS", users)]);
        (code == Some(0), told)
    };
    let (right, told) = check(&[], "");
    assert!(!right && told.contains("nothing is encrypted, and nobody has to log in"), "{told}");
    let (right, told) = check(&tls, "");
    assert!(!right && told.contains("other machines: nobody has to log in; name a [[user]]"), "{told}");
    let (right, told) = check(&[], &users);
    assert!(!right && told.contains("other machines: nothing is encrypted; set tls.certificate"), "{told}");
    let (right, told) = check(&tls, &users);
    assert!(right, "{told}");
    let (right, told) = check(&["--insecure"], "");
    assert!(right, "{told}");
}

#[test]
fn mistakes_end_with_2_and_the_way_out() {
    let (_folder, path) = database();
    let shop = path.to_str().unwrap();
    for (arguments, words) in [
        (
            vec![shop, "--set", "limits.endpoint=1"],
            "there is no setting \"limits.endpoint\"; did you mean \"limits.endpoint",
        ),
        (vec![shop, "--set", "limits"], "--set limits has no value"),
        (vec![shop, "--listen", "everywhere"], "--listen: listen is \"everywhere\"; write an IP address and a port"),
        (vec!["mongodb://localhost/shop"], "no source for mongodb://"),
        (vec![shop, shop], "two sources are named \"shop\""),
        (vec![shop, "--config", "/nowhere.toml"], "cannot read /nowhere.toml"),
        (vec![shop, "--set", "tickets.secret_file=/dev/null"], "the key of tickets has 0 bytes and not 32"),
        (vec![shop, "--set", "jwt.issuer=https://login.example"], "jwt.audience"),
    ] {
        let mut all = vec!["serve", "--check"];
        all.extend_from_slice(&arguments);
        let (code, _, told) = run(&all, &[]);
        assert!(code == Some(2) && told.starts_with("error: ") && told.contains(words), "{arguments:?}: {told}");
    }
}

#[test]
fn the_help_teaches() {
    let (code, out, _) = run(&["serve", "--help"], &[]);
    assert_eq!(code, Some(0));
    for words in
        ["Examples:", "--config", "[[source]]", "BOWSHOT_LIMITS_ENDPOINTS", "hash-password", "useEncryption=false"]
    {
        assert!(out.contains(words), "{words}: {out}");
    }
    let (_, out, _) = run(&["settings"], &[]);
    assert!(out.contains("| `limits.endpoints` | `BOWSHOT_LIMITS_ENDPOINTS` | `64` |"), "{out}");
}
