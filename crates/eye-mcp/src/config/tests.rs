//! Behaviours of config files.

use super::*;
use crate::context::Project;
use crate::limits::{CONFIG_BYTES_MAX, SERVERS_MAX};
use std::collections::BTreeMap;
use std::path::Path;

const SEED: &str = r#"
servers:
  my_server:
    command: ["python", "-m", "my_mcp_server"]
    args: ["--port", "8080"]
    env:
      API_KEY: "${API_KEY}"
      PORT: 8080
    description: "My custom MCP server"
  remote:
    url: https://example.com/mcp
    headers: { Authorization: "Bearer ${TOKEN:-none}" }
    timeout: 2.5
    startup: with_hub
    allow: ["get_*"]
    deny: ["*_secret"]
    cache: { ttl: 60 }
"#;

fn read(text: &str) -> Result<Config, ConfigError> {
    parse(text, Path::new("c.yaml"))
}

fn project() -> Project {
    Project { cwd: "/work/app".into(), env: BTreeMap::from([("API_KEY".to_owned(), "k".to_owned())]) }
}

fn spec(config: &Config, name: &str) -> Result<Spec, SpecError> {
    Spec::new(name, &config.servers[name], &project(), Path::new("/work"))
}

#[test]
fn the_seeds_file_is_read() {
    let config = read(SEED).unwrap();
    let mine = spec(&config, "my_server").unwrap();
    let Transport::Child { program, args, env, cwd } = &mine.transport else { panic!("{mine:?}") };
    assert_eq!((program.as_str(), args.join(" ").as_str()), ("python", "-m my_mcp_server --port 8080"));
    assert_eq!((env["API_KEY"].as_str(), env["PORT"].as_str(), cwd.as_path()), ("k", "8080", Path::new("/work/app")));
    let remote = spec(&config, "remote").unwrap();
    let Transport::Http { headers, .. } = &remote.transport else { panic!("{remote:?}") };
    assert_eq!(headers["Authorization"], "Bearer none");
    assert_eq!((remote.timeout.as_millis(), remote.cache_ttl.as_secs()), (2500, 60));
    assert_eq!(remote.startup, Startup::WithHub);
    assert!(remote.offers("get_x") && !remote.offers("get_secret") && !remote.offers("put_x"));
}

#[test]
fn errors_are_reported_with_their_place_and_a_suggestion() {
    for (text, want) in [
        ("servers:\n  a:\n    comand: x\n", "c.yaml:3:5: unknown key `comand`|did you mean `command`?"),
        ("server:\n  a:\n    command: x\n", "c.yaml:1:1: unknown key `server`|did you mean `servers`?"),
        (
            "servers:\n  a: { zzzzzzzzzz: 1 }\n",
            "c.yaml:2:8: unknown key `zzzzzzzzzz`|the keys are command, args, env, url, headers, name, description, enabled, cwd, timeout, startup, allow, deny, cache, era, approve, inherit_env",
        ),
        ("servers:\n  eye: { command: x }\n", "c.yaml: the server name `eye` is eye's own; take another|"),
    ] {
        let error = read(text).unwrap_err();
        assert_eq!(format!("{error}|{}", error.hint.clone().unwrap_or_default()), want, "{text}");
    }
    let error = read("servers:\n  a:\n    timeout: soon\n").unwrap_err();
    assert_eq!(error.place.map(|(line, _)| line), Some(3), "{error}");
    let error = read("servers: [\n").unwrap_err();
    assert!(error.place.is_some(), "{error}");
}

#[test]
fn an_empty_file_is_an_empty_layer() {
    for text in ["", "# nothing\n", "servers: {}\n"] {
        assert_eq!(read(text).unwrap(), Config::default(), "{text:?}");
    }
}

#[test]
fn a_server_that_cannot_start_says_why() {
    let config = read(
        "servers:\n  none: {}\n  both: { command: a, url: 'http://b' }\n  unset: { command: '${NOPE}' }\n  ftp: { url: 'ftp://b' }\n  long: { command: a, timeout: 1e9 }\n",
    )
    .unwrap();
    for (name, want) in [
        ("none", "neither a command nor a url"),
        ("both", "both a command and a url"),
        ("unset", "the variable NOPE is not set"),
        ("ftp", "must begin with http"),
        ("long", "its timeout must lie between"),
    ] {
        let why = spec(&config, name).unwrap_err().to_string();
        assert!(why.contains(want), "{name}: {why}");
    }
}

#[test]
fn a_layer_above_changes_only_what_it_says() {
    let under = read(SEED).unwrap();
    let over =
        read("servers:\n  my_server: { enabled: false, env: { MORE: 'x' } }\n  remote: { command: local }\n").unwrap();
    let merged = under.under(over);
    let mine = &merged.servers["my_server"];
    assert_eq!((mine.enabled, mine.env.as_ref().map(indexmap::IndexMap::len)), (Some(false), Some(3)));
    let remote = &merged.servers["remote"];
    assert!(remote.url.is_none() && remote.headers.is_none() && remote.command.is_some());
}

#[test]
fn the_projects_file_stands_above_the_users_and_the_command_line_above_both() {
    let home = tempfile::tempdir().unwrap();
    let user = home.path().join("config.yaml");
    let deep = home.path().join("app/src/deep");
    std::fs::create_dir_all(home.path().join("app/.eye")).unwrap();
    std::fs::create_dir_all(&deep).unwrap();
    std::fs::write(&user, "servers:\n  a: { command: user }\n  b: { command: user }\n  c: { command: user }\n")
        .unwrap();
    let file = home.path().join("app/.eye/config.yaml");
    std::fs::write(&file, "servers:\n  b: { command: project }\n  c: { command: project }\n").unwrap();
    let overrides = read("servers:\n  c: { command: line }\n").unwrap();
    trust(&user, &deep);
    let layers = Layers::read(Some(&user), &deep, &overrides);
    let shown: Vec<String> = ["a", "b", "c"].map(|name| layers.config.servers[name].shown().join(" ")).to_vec();
    assert_eq!(shown, ["user", "project", "line"]);
    assert_eq!(layers.base, home.path().join("app"));
    assert!(!layers.changed());
    std::fs::write(&file, "servers: {}\n").unwrap();
    assert!(layers.changed());
    std::fs::write(&file, "nonsense: 1\n").unwrap();
    let layers = Layers::read(Some(&user), &deep, &overrides);
    assert_eq!((layers.errors.len(), layers.config.servers.len()), (1, 3));
}

#[test]
fn a_file_of_another_user_starts_nothing() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join(".eye")).unwrap();
    let file = home.path().join(".eye/config.yaml");
    std::fs::write(&file, "servers:\n  a: { command: x }\n").unwrap();
    // Files of root are accepted as the system's, so tests that run as root change the owner; other users cannot, and
    // keep it.
    let owner = if rustix::process::getuid().is_root() { 12345 } else { rustix::process::getuid().as_raw() };
    std::os::unix::fs::chown(&file, Some(owner), None).unwrap();
    let found = |uid| {
        let layers = Layers::read_as(Some(uid), None, home.path(), &Config::default());
        (layers.project.len(), layers.errors.len())
    };
    assert_eq!(found(owner), (1, 0));
    assert_eq!(found(owner + 1), (0, 1));
}

/// Gives consent to everything in the project's config.
fn trust(user: &Path, cwd: &Path) {
    let layers = Layers::read(Some(user), cwd, &Config::default());
    let mut consents = Consents::default();
    for entry in &layers.project {
        consents.give(&layers.project_folder(), &entry.name, &entry.hash);
    }
    consents.write(&consent_file(user)).unwrap();
}

/// A user's config and a project's. The project is a folder of its own, since the consent file lies beside the user's
/// config.
fn user_and_project(user: &str, project: &str) -> (tempfile::TempDir, std::path::PathBuf, std::path::PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let (file, app) = (home.path().join("config.yaml"), home.path().join("app"));
    std::fs::create_dir_all(app.join(".eye")).unwrap();
    std::fs::write(&file, user).unwrap();
    std::fs::write(app.join(".eye/config.yaml"), project).unwrap();
    (home, file, app)
}

#[test]
fn a_projects_file_of_mcp_browser_is_read_and_waits_for_consent_too() {
    let (_home, file, app) = user_and_project("", "");
    std::fs::remove_file(app.join(".eye/config.yaml")).unwrap();
    std::fs::create_dir(app.join(".mcp-browser")).unwrap();
    let text = "servers:\n  my_server:\n    command: [python, -m, my_mcp_server]\n    args: [--port, '8080']\n    env:\n      \
                API_KEY: '${API_KEY}'\n    description: My custom MCP server\ndefault_server: my_server\nsparse_mode: true\n";
    std::fs::write(app.join(".mcp-browser/config.yaml"), text).unwrap();
    let deep = app.join("src");
    std::fs::create_dir(&deep).unwrap();
    let layers = Layers::read(Some(&file), &deep, &Config::default());
    assert_eq!(layers.errors, vec![]);
    assert!(layers.config.servers.is_empty() && !layers.project[0].trusted, "{layers:?}");
    trust(&file, &deep);
    let layers = Layers::read(Some(&file), &deep, &Config::default());
    assert_eq!(layers.config.servers["my_server"].shown(), ["python", "-m", "my_mcp_server", "--port", "8080"]);
    // In a folder that has both, eye's own file wins.
    std::fs::write(app.join(".eye/config.yaml"), "servers:\n  other: { command: x }\n").unwrap();
    assert_eq!(Layers::read(Some(&file), &deep, &Config::default()).project[0].name, "other");
}

#[test]
fn a_project_changes_nothing_before_consent_and_only_what_was_seen_after_it() {
    let user = "servers:\n  a: { command: mine, env: { K: v }, deny: [x] }\n";
    let (_home, file, app) = user_and_project(user, "");
    let own = Layers::read(Some(&file), &app, &Config::default()).config;
    let project = |text: &str| std::fs::write(app.join(".eye/config.yaml"), format!("servers:\n  {text}\n")).unwrap();
    let read = || Layers::read(Some(&file), &app, &Config::default());
    for key in [
        "command: evil",
        "args: [evil]",
        "env: { K: evil }",
        "url: 'http://evil'",
        "headers: { K: evil }",
        "cwd: evil",
        "allow: ['*']",
        "deny: []",
        "enabled: false",
        "startup: with_hub",
        "timeout: 1",
        "name: evil",
        "description: evil",
        "cache: { ttl: 9 }",
        "era: modern",
    ] {
        project(&format!("a: {{ {key} }}"));
        let layers = read();
        assert_eq!(layers.config, own, "{key}");
        assert_eq!((layers.project[0].trusted, layers.project[0].over_own, layers.errors.len()), (false, true, 0));
        trust(&file, &app);
        let layers = read();
        assert!(layers.project[0].trusted && layers.config != own, "{key}");
    }
    project("a: { command: evil, args: [more] }");
    assert_eq!(read().config, own, "a changed entry asks again");
    project("new: { command: x }");
    assert_eq!((read().config, read().project[0].over_own), (own, false));
}

#[test]
fn consent_that_a_repository_brings_along_counts_for_nothing() {
    let (home, file, app) = user_and_project("", "servers:\n  a: { command: evil }\n");
    trust(&file, &app);
    assert!(Layers::read(Some(&file), &app, &Config::default()).project[0].trusted);
    for folder in ["app", "app/.eye"] {
        std::fs::copy(consent_file(&file), home.path().join(folder).join("trusted.json")).unwrap();
    }
    std::fs::remove_file(consent_file(&file)).unwrap();
    let layers = Layers::read(Some(&file), &app, &Config::default());
    assert!(!layers.project[0].trusted && layers.config.servers.is_empty());
    // The same entry in another folder may start another program.
    trust(&file, &app);
    let copy = home.path().join("copy");
    std::fs::create_dir_all(copy.join(".eye")).unwrap();
    std::fs::copy(app.join(".eye/config.yaml"), copy.join(".eye/config.yaml")).unwrap();
    assert!(!Layers::read(Some(&file), &copy, &Config::default()).project[0].trusted);
    std::fs::write(consent_file(&file), "nonsense").unwrap();
    let layers = Layers::read(Some(&file), &app, &Config::default());
    assert_eq!((layers.project[0].trusted, layers.errors.len()), (false, 1), "a broken file is no consent");
}

#[test]
fn a_server_that_moves_takes_nothing_of_its_old_place_along() {
    let user = "servers:\n  a: { url: 'https://mine', headers: { Authorization: s }, inherit_env: true, deny: [x] }\n";
    let (_home, file, app) = user_and_project(user, "servers:\n  a: { url: 'https://evil' }\n");
    trust(&file, &app);
    let moved = &Layers::read(Some(&file), &app, &Config::default()).config.servers["a"];
    assert_eq!((moved.url.as_deref(), &moved.headers, &moved.inherit_env), (Some("https://evil"), &None, &None));
    assert_eq!(moved.deny.as_deref(), Some(&["x".to_owned()][..]));
}

#[test]
fn a_project_does_not_choose_what_is_inherited() {
    let (_home, file, app) = user_and_project("", "servers:\n  a: { command: x, inherit_env: true }\n");
    let layers = Layers::read(Some(&file), &app, &Config::default());
    assert_eq!((layers.project.len(), layers.config.servers.len(), layers.errors.len()), (0, 0, 1));
    assert!(layers.errors[0].message.contains("`inherit_env` of the server `a`"), "{}", layers.errors[0]);
}

#[test]
fn a_server_gets_the_usual_variables_and_those_that_its_entry_names() {
    let names = ["PATH", "AWS_SECRET", "GITHUB_TOKEN", "LC_ALL"];
    let env: BTreeMap<String, String> = names.map(|name| (name.to_owned(), format!("value_of_{name}"))).into();
    let project = Project { cwd: "/".into(), env: env.clone() };
    for (more, want) in [
        ("", "LC_ALL PATH"),
        (", inherit_env: false", "LC_ALL PATH"),
        (", inherit_env: [GITHUB_TOKEN, NOT_SET]", "GITHUB_TOKEN LC_ALL PATH"),
        (", inherit_env: true", "AWS_SECRET GITHUB_TOKEN LC_ALL PATH"),
        (", env: { MINE: '${AWS_SECRET}' }", "LC_ALL MINE PATH"),
    ] {
        let config = read(&format!("servers:\n  a: {{ command: x{more} }}\n")).unwrap();
        let spec = Spec::new("a", &config.servers["a"], &project, Path::new("/")).unwrap();
        let got = spec.environment(&env).into_keys().collect::<Vec<_>>().join(" ");
        assert_eq!(got, want, "{more}");
        assert_eq!(spec.withheld(&env, "").is_none(), more.ends_with("true"), "{more}");
    }
    let config = read("servers:\n  a: { url: 'https://x/${AWS_SECRET}?k=${GITHUB_TOKEN}' }\n").unwrap();
    let spec = Spec::new("a", &config.servers["a"], &project, Path::new("/")).unwrap();
    assert_eq!(spec.redact("no value_of_AWS_SECRET here"), "no ${AWS_SECRET} here");
}

#[test]
fn a_file_has_an_end() {
    let many = |count: usize| -> String {
        let servers = (0..count).map(|n| format!("  s{n}: {{ command: x }}\n"));
        format!("servers:\n{}", servers.collect::<String>())
    };
    assert!(read(&many(SERVERS_MAX)).is_ok());
    assert!(read(&many(SERVERS_MAX + 1)).unwrap_err().message.contains("more than 256 servers"));
    let text = format!("# {}", "x".repeat(CONFIG_BYTES_MAX));
    assert!(read(&text[..CONFIG_BYTES_MAX]).is_ok());
    assert!(read(&text[..=CONFIG_BYTES_MAX]).is_err());
}

#[test]
fn adding_a_server_leaves_the_rest_to_the_letter() {
    let file = Path::new("c.yaml");
    let server = ServerConfig {
        command: Some(Command::Words(vec!["npx".into(), "-y".into(), "x".into()])),
        ..ServerConfig::default()
    };
    let text = "# mine\nservers:\n    a: { command: x } # why\n\n# below\nonboarding: true\n";
    insta::assert_snapshot!(add_server(text, "b", &server, file).unwrap(), @r#"
    # mine
    servers:
        a: { command: x } # why
        b:
            command: ["npx", "-y", "x"]

    # below
    onboarding: true
    "#);
    insta::assert_snapshot!(add_server("", "my server", &server, file).unwrap(), @r#"
    servers:
      "my server":
        command: ["npx", "-y", "x"]
    "#);
    let error = add_server(text, "a", &server, file).unwrap_err();
    assert!(error.message.contains("already"), "{error}");
    let error = add_server("servers: { a: { command: x } }\n", "b", &server, file).unwrap_err();
    assert!(error.hint.unwrap_or_default().contains("command: [\"npx\""), "tells what to add");
}

#[test]
fn the_usual_files_are_imported() {
    let claude = r#"{
        // my servers
        "mcpServers": {
            "files": { "command": "npx", "args": ["-y", "server", "${env:HOME}"], "env": { "A": 1 }, "disabled": true },
            "remote": { "type": "http", "url": "https://x/mcp", "headers": { "K": "${KEY}" }, "autoApprove": ["*"] },
            "odd": 7,
        },
        "projects": { "/work/app": { "mcpServers": { "own": { "command": "own" } } }, "/other": { "mcpServers": { "no": { "command": "x" } } } }
    }"#;
    let imported = import(claude, Path::new("a.json"), Path::new("/work/app")).unwrap();
    assert_eq!(imported.servers.keys().collect::<Vec<_>>(), ["files", "remote", "own"]);
    assert_eq!(imported.servers["files"].shown().join(" "), "npx -y server ${HOME}");
    assert_eq!((imported.servers["files"].enabled, imported.servers["remote"].enabled), (Some(false), None));
    assert_eq!(imported.left_out, ["remote: `autoApprove`", "odd: not an object"]);
    let browser =
        "servers:\n  builtin: { command: null }\n  x: { command: [python, -m, x], enabled: true }\ndefault_server: x\n";
    let imported = import(browser, Path::new("config.yaml"), Path::new("/")).unwrap();
    assert_eq!(imported.servers.keys().collect::<Vec<_>>(), ["x"]);
    assert!(import("{}", Path::new("a.json"), Path::new("/")).is_err());
    assert!(import("{", Path::new("a.json"), Path::new("/")).is_err());
}

#[test]
fn the_schema_for_editors_is_the_one_in_the_repository() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/config.schema.json");
    let want = format!("{:#}\n", schema());
    let is = std::fs::read_to_string(file).unwrap_or_default();
    assert!(
        is == want,
        "write it anew with `cargo run -p eye-mcp --example schema > crates/eye-mcp/config.schema.json`"
    );
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let seed: serde_json::Value = serde_saphyr::from_str(&SEED.replace("PORT: 8080", "PORT: '8080'")).unwrap();
    assert!(validator.is_valid(&seed));
    assert!(!validator.is_valid(&serde_json::json!({ "servers": { "a": { "comand": "x" } } })));
}

#[test]
fn servers_of_codex_and_opencode_are_taken() {
    let codex = "model = \"x\"\n[mcp_servers.files]\ncommand = \"npx\"\nargs = [\"-y\", \"files\"]\nstartup_timeout_sec = 20\n\
        [mcp_servers.files.env]\nA = \"1\"\n[mcp_servers.wiki]\nurl = \"https://w/mcp\"\nbearer_token_env_var = \"TOKEN\"\n";
    let found = import(codex, Path::new("config.toml"), Path::new("/")).unwrap();
    assert_eq!(found.servers["files"].command, Some(Command::Program("npx".into())));
    assert_eq!(found.servers["files"].args, Some(vec!["-y".into(), "files".into()]));
    assert_eq!(found.servers["files"].env.as_ref().unwrap()["A"], "1");
    assert_eq!(found.servers["wiki"].headers.as_ref().unwrap()["Authorization"], "Bearer ${TOKEN}");
    for text in [
        r#"{"mcp":{"a":{"type":"local","command":["x","y"],"environment":{"K":"v"},"enabled":true},"b":{"type":"remote","url":"http://b"}}}"#,
        r#"{"mcp":{"servers":{"a":{"type":"local","command":["x","y"],"environment":{"K":"v"}},"b":{"type":"remote","url":"http://b"}}}}"#,
    ] {
        let found = import(text, Path::new("opencode.json"), Path::new("/")).unwrap();
        assert_eq!(found.servers.keys().collect::<Vec<_>>(), ["a", "b"], "{text}");
        assert_eq!(found.servers["a"].command, Some(Command::Words(vec!["x".into(), "y".into()])));
        assert_eq!(found.servers["a"].env.as_ref().unwrap()["K"], "v");
        assert_eq!(found.servers["b"].url.as_deref(), Some("http://b"));
    }
}

#[test]
fn a_server_is_removed_and_switched_and_the_rest_stays_to_the_letter() {
    let text = "# mine\nservers:\n  # first\n  a: { command: x }\n  b: # second\n    command: why\n    args: [z]\n\nonboarding: true\n";
    let file = Path::new("f.yaml");
    let off = switch_server(text, "a", false, file).unwrap();
    assert_eq!(off, text.replace("{ command: x }", "{ enabled: false, command: x }"));
    assert_eq!(switch_server(&off, "a", true, file).unwrap(), text.replace("{ command", "{ enabled: true, command"));
    let off = switch_server(text, "b", false, file).unwrap();
    assert_eq!(off, text.replace("    command: why", "    enabled: false\n    command: why"));
    assert_eq!(switch_server(text, "b", true, file).unwrap(), text);
    let without = remove_server(text, "b", file).unwrap();
    assert_eq!(without, "# mine\nservers:\n  # first\n  a: { command: x }\n\nonboarding: true\n");
    assert!(remove_server(&without, "a", file).unwrap().contains("servers: {}\n"));
    assert!(remove_server(text, "c", file).is_err() && switch_server(text, "c", true, file).is_err());
}
