//! Behaviours of the catalogue as a whole.

use super::*;
use eye_protocol::Code;
use proptest::prelude::*;
use serde_json::json;
use serde_json::value::RawValue;

fn entry(server: &str, tool: &Value) -> Arc<Entry> {
    let raw = RawValue::from_string(tool.to_string()).unwrap();
    Arc::new(Entry::new(server, tool["name"].as_str().unwrap_or_default(), raw, Standing::Ready))
}

fn tool(server: &str, name: &str, description: &str, parameters: &[&str]) -> Arc<Entry> {
    let properties: serde_json::Map<String, Value> =
        parameters.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
    let schema = json!({ "type": "object", "properties": properties, "required": parameters });
    entry(server, &json!({ "name": name, "description": description, "inputSchema": schema }))
}

fn provider(name: &str) -> Provider {
    Provider { name: name.into(), description: None, instructions: None, command: vec![], available: true }
}

fn office() -> Catalogue {
    let entries = vec![
        tool("files", "read_file", "Reads a file from disk. Fails when it is absent.", &["path"]),
        tool("files", "write_file", "Writes a file to disk.", &["path", "content"]),
        tool("files", "search_files", "Finds files whose name fits a pattern.", &["pattern"]),
        tool("git", "git_log", "Shows the commits of a repository.", &["repo"]),
        tool("git", "search", "Searches the history of a repository.", &["query"]),
        tool("page:shop", "addToCart", "Puts an item into the cart.", &["item"]),
        tool("wiki", "search", "Searches all articles.", &["query"]),
    ];
    let providers = ["files", "git", "page:shop", "wiki"].map(provider).to_vec();
    Catalogue::new(entries, providers, vec![json!({ "alias": "shop", "title": "Shop" })])
}

fn first(query: &str) -> String {
    let Found::Tools { lines, near: false, .. } = office().discover(query).unwrap().found else { panic!("{query}") };
    lines[0].clone()
}

#[test]
fn words_find_tools_ready_to_call_and_say_how_many_are_hidden() {
    insta::assert_snapshot!(office().discover("cart").unwrap().text(), @r"
    addToCart(item: string)  Puts an item into the cart.
    (7 hidden tools from 4 servers)
    ");
    // Weaker matches come later, but are not left out.
    let text = office().discover("read a file").unwrap().text();
    assert!(text.starts_with("files::read_file(path: string)  Reads a file from disk.\n"), "{text}");
    assert!(text.contains("files::write_file(") && text.contains("search_files("), "{text}");
}

#[test]
fn forms_synonyms_and_words_written_apart_find_the_tool() {
    for (query, name) in [
        ("searching the histories of repositories", "git::search("),
        ("which articles", "wiki::search("),
        ("look up commits", "git_log("),
        ("add to shopping cart", "page:shop::addToCart("),
        ("putting items", "page:shop::addToCart("),
    ] {
        let line = first(query);
        assert!(line.starts_with(name) || line.starts_with(name.rsplit("::").next().unwrap()), "{query}: {line}");
    }
}

#[test]
fn parameters_values_and_servers_are_searched_too() {
    let schema = json!({ "type": "object", "properties": { "unit": { "type": "string", "enum": ["celsius", "kelvin"],
        "description": "Which scale of temperature" } } });
    let weather = entry("sky", &json!({ "name": "now", "inputSchema": schema }));
    let other = tool("files", "write", "Writes.", &["path"]);
    let mut providers = vec![provider("sky"), provider("files")];
    providers[0].description = Some("Forecasts of the weather bureau".into());
    let catalogue = Catalogue::new(vec![other, weather], providers, vec![]);
    for query in ["kelvin", "temperature scales", "weather forecast", "sky", "units"] {
        let text = catalogue.discover(query).unwrap().text();
        assert!(text.starts_with("now(unit?"), "{query}: {text}");
    }
}

#[test]
fn scripts_without_gaps_are_found_by_parts_of_what_is_written() {
    let entries = vec![tool("a", "read", "读取文件的内容", &[]), tool("a", "send", "メールを送信する", &[])];
    let catalogue = Catalogue::new(entries, vec![provider("a")], vec![]);
    assert!(catalogue.discover("文件").unwrap().text().starts_with("read("));
    assert!(catalogue.discover("メール").unwrap().text().starts_with("send("));
}

#[test]
fn a_name_written_as_others_do_suggests_ours() {
    for name in ["files:read_file", "files.read_file", "files/read_file"] {
        let Err(Unresolved::Unknown { near, .. }) = office().resolve(name) else { panic!("{name}") };
        assert_eq!(near, ["files::read_file"], "{name}");
    }
}

#[test]
fn what_is_cut_says_how_to_get_it_whole() {
    let many: Vec<String> = (0..9).map(|n| format!("p{n}")).collect();
    let names: Vec<&str> = many.iter().map(String::as_str).collect();
    let mut large = (*tool("a", "large", "Many.", &names)).definition().clone();
    large["inputSchema"]["required"] = json!([]);
    let catalogue = Catalogue::new(vec![entry("a", &large)], vec![provider("a")], vec![]);
    let text = catalogue.discover("large").unwrap().text();
    assert_eq!(
        text,
        "large(p0?: string, …+8)  Many.\n(1 hidden tools from 1 servers; … is cut, whole: $.tools[?@.name=='large'])"
    );
    let definition = catalogue.discover("$.tools[?@.name=='large']").unwrap().text();
    assert!(definition.contains("\"p8\""), "{definition}");
}

#[test]
fn an_exact_name_comes_first_in_every_form() {
    for query in ["search_files", "files::search_files", "files__search_files", "searchFiles", "search files"] {
        let Found::Tools { lines, near, .. } = office().discover(query).unwrap().found else { panic!("{query}") };
        assert!(lines[0].contains("search_files(") && !near, "{query}: {lines:?}");
    }
}

#[test]
fn a_name_that_two_have_is_written_with_its_server() {
    let text = office().discover("search").unwrap().text();
    let mut lines: Vec<&str> = text.lines().take(2).collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "git::search(query: string)  Searches the history of a repository.",
            "wiki::search(query: string)  Searches all articles."
        ]
    );
}

#[test]
fn nothing_found_says_so_and_names_the_nearest() {
    insta::assert_snapshot!(office().discover("comits").unwrap().text(), @r"
    No match; nearest:
    git_log(repo: string)  Shows the commits of a repository.
    (7 hidden tools from 4 servers)
    ");
    assert_eq!(office().discover("xylophone").unwrap().text(), "No matches found (7 hidden tools from 4 servers)");
}

#[test]
fn a_tool_whose_server_is_down_is_found_and_marked() {
    let mut down = (*tool("db", "query", "Asks.", &["sql"])).clone();
    down.standing = Standing::Down("exited with 1".into());
    let catalogue = Catalogue::new(vec![Arc::new(down)], vec![provider("db")], vec![]);
    let text = catalogue.discover("query").unwrap().text();
    assert!(text.starts_with("query(sql: string)  Asks.  [down: exited with 1]\n"), "{text}");
}

#[test]
fn paths_select_exactly() {
    for (query, want) in [
        ("$.tools[0].name", json!("read_file").to_string()),
        ("$.tool_names[-2:]", json!(["addToCart", "wiki::search"]).to_string()),
        ("$.tools[?@.server == 'git'].name", json!(["git_log", "search"]).to_string()),
        ("$.tools[?(@.name contains 'file')].name", json!(["read_file", "write_file", "search_files"]).to_string()),
        ("$.servers[*].name", json!(["files", "git", "page:shop", "wiki"]).to_string()),
        ("$.servers.git.available", "true".into()),
        ("$.pages[*].title", json!("Shop").to_string()),
        ("$.metadata.tools", "7".into()),
        ("$.nothing", "No matches found (7 hidden tools from 4 servers)".into()),
    ] {
        assert_eq!(office().discover(query).unwrap().text(), want, "{query}");
    }
}

#[test]
fn names_resolve_in_every_form_and_an_ambiguous_one_lists_all() {
    let office = office();
    for name in ["read_file", "files::read_file", "files__read_file"] {
        assert_eq!(&*office.resolve(name).unwrap().name, "read_file", "{name}");
    }
    assert_eq!(&*office.resolve("page:shop::addToCart").unwrap().name, "addToCart");
    assert_eq!(&*office.resolve("page_shop__addToCart").unwrap().name, "addToCart");
    let error = office.resolve("search").unwrap_err().to_error();
    assert_eq!((error.code, error.hint.as_deref()), (Code::TOOL, Some("call one of git::search, wiki::search")));
    let error = office.resolve("raed_file").unwrap_err().to_error();
    assert_eq!(error.hint.as_deref(), Some("did you mean read_file?"));
    assert!(matches!(office.resolve("git::read_file"), Err(Unresolved::Unknown { .. })));
}

#[test]
fn queries_have_an_end() {
    let office = office();
    assert_eq!(office.discover("  "), Err(DiscoverError::Empty));
    assert!(office.discover(&"a".repeat(QUERY_BYTES_MAX)).is_ok());
    assert_eq!(office.discover(&"a".repeat(QUERY_BYTES_MAX + 1)), Err(DiscoverError::TooLong));
    let many: Vec<Arc<Entry>> = (0..30).map(|n| tool("s", &format!("same_{n}"), "", &[])).collect();
    let Found::Tools { lines, more, .. } = Catalogue::new(many, vec![], vec![]).discover("same").unwrap().found else {
        panic!("words")
    };
    assert_eq!((lines.len(), more), (ANSWERS_MAX, 30 - ANSWERS_MAX));
}

proptest! {
    #[test]
    fn every_tool_is_found_by_its_name_and_called_by_the_name_it_is_shown_with(
        tools in prop::collection::vec(("[a-c]{1,2}", "[a-zA-Z_:.]{1,8}|\\PC{1,8}"), 1..20),
        query in "\\PC{0,20}",
    ) {
        let mut tools = tools;
        tools.sort();
        tools.dedup();
        let entries: Vec<Arc<Entry>> = tools.iter().map(|(server, name)| tool(server, name, "", &[])).collect();
        let catalogue = Catalogue::new(entries.clone(), vec![], vec![]);
        let _ = catalogue.discover(&query);
        for entry in &entries {
            let short = catalogue.short_name(entry);
            let bare_qualified = entries.iter().any(|other| *other.name == short && !Arc::ptr_eq(other, entry));
            if !bare_qualified {
                prop_assert!(Arc::ptr_eq(catalogue.resolve(&short).unwrap(), entry), "{short}");
            }
            let trimmed = entry.name.trim();
            if trimmed == &*entry.name && !path::is_path(trimmed) {
                let Found::Tools { lines, near, .. } = catalogue.discover(trimmed).unwrap().found else { panic!("words") };
                prop_assert!(!near && !lines.is_empty(), "{trimmed:?}");
            }
        }
    }
}
