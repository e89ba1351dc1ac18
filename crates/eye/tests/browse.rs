//! `eye browse`: the real binary, the real hub and a real Chromium, against pages that forbid added scripts.

use crate::stage::browser::{hub, ok};
use crate::stage::site::{Page, Site};

/// Forbids every script, connection, style and `eval`, and text that becomes code.
const STRICT: &str = "default-src 'none'; script-src 'nonce-a'; require-trusted-types-for 'script'";

const SHOP: &str = r#"<!doctype html><title>Shop</title><h1>Shop</h1><input id="who"><button id="go">Go</button>
<a id="next" href="/next">Next</a><a id="new" target="_blank" href="/next">New tab</a><p id="out"></p>
<script nonce="a">
for (const [id, kind] of [["go", "click"], ["who", "input"], ["who", "keydown"]])
  document.getElementById(id).addEventListener(kind, (event) => {
    document.getElementById("out").textContent += ` ${kind}:${event.isTrusted}`;
  });
</script>"#;
/// Records every event that is not trusted with its kind, and what became of its result.
const HANDS: &str = r#"<!doctype html><title>Hands</title>
<style>#from,#to,#zone{width:90px;height:40px;display:inline-block;border:1px solid}#box{height:80px;overflow:auto}</style>
<button id="go">Go</button><button id="pick">Pick files</button><input id="who"><input id="n" type="number">
<input id="tick" type="checkbox"><input id="range" type="range" max="20" value="4"><textarea id="area"></textarea>
<select id="one"><option>Red<option>Green<option disabled>Grey<option>Blue</select>
<select id="many" multiple><option>S<option>M<option>L</select><input id="file" type="file" multiple>
<div><span id="from" draggable="true">From</span><span id="to">To</span><span id="zone">Drop here</span></div>
<div id="box"><p style="height:900px">tall</p></div><div style="height:2000px"></div>
<script nonce="a">
  done = {}; fake = []; asks = "";
  const kinds = ["pointerdown", "pointerup", "pointermove", "mouseover", "mousedown", "click", "dblclick", "keydown",
    "keyup", "beforeinput", "input", "change", "focusin", "wheel", "dragstart", "dragover", "drop", "dragend"];
  for (const kind of kinds) addEventListener(kind, (event) => {
    done[kind] = (done[kind] ?? 0) + 1;
    if (!event.isTrusted) fake.push(kind);
    if (asks === kind) { asks = ""; answer = confirm("Sure?"); }
  }, true);
  from.addEventListener("dragstart", (event) => event.dataTransfer.setData("text/plain", "cargo"));
  for (const id of ["to", "zone"]) {
    const place = document.getElementById(id);
    place.addEventListener("dragover", (event) => event.preventDefault());
    place.addEventListener("drop", (event) => {
      event.preventDefault();
      const { files } = event.dataTransfer;
      place.textContent = files.length > 0 ? files[0].name : event.dataTransfer.getData("text/plain");
    });
  }
  pick.addEventListener("click", () => {
    const chooser = document.createElement("input");
    chooser.type = "file";
    chooser.addEventListener("change", () => (pick.textContent = chooser.files[0].name));
    chooser.click();
  });
</script>"#;
const NEXT: &str = "<!doctype html><title>Next</title><h1>Arrived</h1>";

/// A local site with the three pages.
fn site() -> String {
    Site::open(answer).url()
}

fn answer(path: &str, _: &str) -> Page {
    let (body, policy) = match path {
        path if path.starts_with("/next") => (NEXT, STRICT.to_owned()),
        path if path.starts_with("/hands") => (HANDS, format!("{STRICT}; style-src 'unsafe-inline'")),
        _ => (SHOP, STRICT.to_owned()),
    };
    Page::html(&[&format!("content-security-policy: {policy}")], body)
}

#[test]
fn every_verb_works_on_a_page_whose_policy_forbids_everything() {
    let Some((home, _hub)) = hub() else { return };
    let url = site();
    let opened = ok(home.eye(["browse", &url, "--headless", "--private"]));
    assert_eq!(opened, format!("Shop {url}/\n"));
    assert_eq!(ok(home.eye(["document.title"])), "Shop\n");
    assert_eq!(ok(home.eye(["await new Promise(r => setTimeout(r, 5)); 6 * 7"])), "42\n");
    let look = ok(home.eye(["look"]));
    assert!(look.contains("[Go]") && look.contains("# Shop"), "{look}");
    ok(home.eye(["click", "#go"]));
    ok(home.eye(["fill", "#who", "Ada"]));
    ok(home.eye(["type", "#who", "x"]));
    assert_eq!(ok(home.eye(["who.value"])), "Adax\n");
    let trusted = ok(home.eye(["out.textContent"]));
    assert!(trusted.contains("click:true") && trusted.contains("input:true") && trusted.contains("keydown:true"));
    assert!(!trusted.contains("false"), "{trusted}");
    assert_eq!(ok(home.eye(["wait", "document.title === 'Shop'"])), "true\n");
    let arrived = ok(home.eye(["click", "#next"]));
    assert!(arrived.contains("Next"), "{arrived}");
    assert_eq!(ok(home.eye(["document.title"])), "Next\n");
    let pages = ok(home.eye(["pages"]));
    assert_eq!(pages.lines().count(), 1, "{pages}");
    let id = |pages: &str| pages.split_whitespace().nth(1).unwrap_or_default().to_owned();
    ok(home.eye(["goto", &site()]));
    let elsewhere = ok(home.eye(["pages"]));
    assert_eq!(id(&elsewhere), id(&pages), "a tab keeps its id on another origin too: {elsewhere}");
}

/// Actions: the command line, the expected state of the page, and the events that it must have received.
const ACTS: &[(&[&str], &str, &[&str])] = &[
    (&["click", "#go"], "document.activeElement.id === 'go'", &["pointerdown", "pointerup", "click"]),
    (&["dblclick", "#go"], "true", &["dblclick"]),
    (&["hover", "#to"], "document.querySelector('#to:hover') !== null", &["mouseover"]),
    (&["focus", "#who"], "document.activeElement.id === 'who'", &["focusin"]),
    (&["check", "#tick"], "tick.checked", &["click", "input", "change"]),
    (&["uncheck", "#tick"], "!tick.checked", &["click", "input", "change"]),
    (&["fill", "#who", "Ada"], "who.value === 'Ada'", &["beforeinput", "input"]),
    (&["fill", "#n", "42"], "n.value === '42'", &["input"]),
    (&["fill", "#range", "9"], "range.value === '9'", &["keydown", "input", "change"]),
    (&["type", "#area", "a\nb"], "area.value === 'a\\nb'", &["keydown", "keyup", "input"]),
    (&["press", "Control+a", "#who"], "getSelection().toString() === 'Ada' || who.selectionEnd === 3", &["keydown"]),
    (&["select", "#one", "Blue"], "one.value === 'Blue'", &["keydown", "input", "change"]),
    (&["select", "#one", "Red"], "one.value === 'Red'", &["keydown", "input", "change"]),
    (
        &["select", "#many", "S", "L"],
        "[...many.selectedOptions].map(o => o.text).join() === 'S,L'",
        &["input", "change"],
    ),
    (&["scroll", "#box", "--by", "120"], "box.scrollTop === 120", &["wheel"]),
    (
        &["drag", "#from", "#to"],
        "document.getElementById('to').textContent === 'cargo'",
        &["dragstart", "drop", "dragend"],
    ),
    (&["upload", "#file", "FILE"], "file.files[0].name === 'note.txt'", &["input", "change"]),
    (&["upload", "#pick", "FILE"], "pick.textContent === 'note.txt'", &["click"]),
    (&["upload", "#zone", "FILE"], "zone.textContent === 'note.txt'", &["dragover", "drop"]),
    (&["scroll", "down"], "scrollY > 300", &["wheel"]),
];

fn with_file(words: &[&str], file: &str) -> Vec<String> {
    words.iter().map(|word| if *word == "FILE" { file.to_owned() } else { (*word).to_owned() }).collect()
}

#[test]
fn what_every_acting_verb_dispatches_is_trusted() {
    let Some((home, _hub)) = hub() else { return };
    let acting = eye_protocol::operations::shown_by(eye_protocol::operations::Faces::PAGE)
        .filter(|operation| operation.line().iter().any(|param| param.name == "synthetic"));
    for operation in acting {
        assert!(ACTS.iter().any(|(words, ..)| words[0] == operation.name), "{} is not tried", operation.name);
    }
    let note = home.path("note.txt");
    std::fs::write(&note, "hi").unwrap();
    ok(home.eye(["browse", &format!("{}/hands", site()), "--headless", "--private"]));
    for (words, holds, kinds) in ACTS {
        ok(home.eye(["done = {}; fake = []; 0"]));
        let output = ok(home.eye(with_file(words, &note.display().to_string())));
        assert_eq!(ok(home.eye([*holds])), "true\n", "{words:?} {output}");
        assert_eq!(ok(home.eye(["fake.join()"])), "\n", "{words:?}");
        let list = kinds.iter().map(|kind| format!("{kind:?}")).collect::<Vec<_>>().join(",");
        let missing = ok(home.eye([format!("[{list}].filter(kind => !done[kind]).join()")]));
        assert_eq!(missing, "\n", "{words:?}");
    }
    ok(home.eye(["done = {}; fake = []; 0"]));
    ok(home.eye(["click", "#go", "--synthetic"]));
    assert!(ok(home.eye(["fake.join()"])).contains("click"));
}

#[test]
fn a_dialog_in_the_middle_of_a_verb_is_answered_and_reported() {
    let Some((home, _hub)) = hub() else { return };
    let note = home.path("note.txt");
    std::fs::write(&note, "hi").unwrap();
    ok(home.eye(["browse", &format!("{}/hands", site()), "--headless", "--private"]));
    for (words, _, kinds) in ACTS {
        let kind = kinds.last().expect("a kind");
        ok(home.eye([format!("document.activeElement.blur(); answer = undefined; asks = {kind:?}; 0")]));
        let mut line = with_file(words, &note.display().to_string());
        let accepts = words[0] != "scroll";
        line.extend(accepts.then(|| "--accept".to_owned()));
        let output = ok(home.eye(line));
        assert!(output.contains("confirm: Sure?"), "{words:?} {output}");
        assert_eq!(ok(home.eye(["answer"])), format!("{accepts}\n"), "{words:?}");
    }
}

#[test]
fn a_picture_is_a_file_with_its_size_and_price() {
    let Some((home, _hub)) = hub() else { return };
    ok(home.eye(["browse", &site(), "--headless", "--private"]));
    let file = home.path("shot.png");
    let output = ok(home.eye(["shot", "--max", "640", "-o", &file.display().to_string()]));
    let bytes = std::fs::read(&file).unwrap();
    assert!(bytes.starts_with(b"\x89PNG"), "{output}");
    let width = u32::from_be_bytes(bytes[16..20].try_into().unwrap());
    assert_eq!(width, 640, "{output}");
    assert!(output.contains(" 640x") && output.contains("tokens"), "{output}");
    let part = ok(home.eye(["shot", "#go", "-o", &file.display().to_string()]));
    let bytes = std::fs::read(&file).unwrap();
    assert!(u32::from_be_bytes(bytes[16..20].try_into().unwrap()) < 200, "{part}");
    let missing = home.eye(["shot", "#missing", "-o", &file.display().to_string()]);
    assert!(missing.code != 0 && missing.stderr.contains("#missing"), "{missing:?}");
}

#[test]
fn a_dialog_is_reported_to_waiting_agents_and_to_the_next_until_it_is_answered() {
    let Some((home, _hub)) = hub() else { return };
    ok(home.eye(["browse", &site(), "--headless", "--private"]));
    let call = home.eye(["confirm('Sure?')"]);
    assert!(call.code != 0 && call.stderr.contains("Sure?"), "{call:?}");
    let next = home.eye(["look"]);
    assert!(next.code != 0 && next.stderr.contains("eye dialog --accept"), "{next:?}");
    assert_eq!(ok(home.eye(["dialog"])), "confirm: Sure?\n");
    assert_eq!(ok(home.eye(["dialog", "--accept"])), "confirm: Sure? (accepted)\n");
    assert_eq!(ok(home.eye(["document.title"])), "Shop\n");
}

#[test]
fn a_tab_that_a_click_opens_joins_by_itself() {
    let Some((home, _hub)) = hub() else { return };
    let url = site();
    ok(home.eye(["browse", &url, "--headless", "--private"]));
    let clicked = ok(home.eye(["click", "#new"]));
    assert!(clicked.contains(&format!("opens {url}/next in a new tab")), "{clicked}");
    // A page is found by its title once it has loaded that; a call does not wait for either.
    let ends = std::time::Instant::now() + eye_testkit::DEADLINE;
    while home.eye(["-p", "Next", "document.title"]).stdout != "Next\n" {
        assert!(std::time::Instant::now() < ends, "{}", home.eye(["pages"]).stdout);
    }
    for (features, expected) in
        [("", "opens {url}/next?a in a new tab"), (", '', 'noopener'", "if the browser allows it")]
    {
        let open = format!("document.getElementById('go').onclick = () => open('/next?a'{features}); 0");
        ok(home.eye(["-p", "Shop", &open]));
        let clicked = ok(home.eye(["-p", "Shop", "click", "#go"]));
        assert!(clicked.contains(&expected.replace("{url}", &url)), "{clicked}");
    }
}

#[test]
fn browsers_are_listed_and_stopped_and_what_cannot_be_loaded_is_reported() {
    let Some((home, _hub)) = hub() else { return };
    ok(home.eye(["browse", &site(), "--headless", "--profile", "work"]));
    let list = ok(home.eye(["browse", "--list"]));
    assert!(list.starts_with("work ") && list.contains("1 pages"), "{list}");
    let failed = home.eye(["browse", "http://127.0.0.1:1/", "--headless", "--profile", "work"]);
    assert!(failed.code != 0 && failed.stderr.contains("ERR_"), "{failed:?}");
    assert_eq!(ok(home.eye(["browse", "--stop"])), "stopped 1\n");
    assert_eq!(ok(home.eye(["browse", "--list"])), "");
}

#[test]
fn back_and_forward_lead_to_other_sites_too() {
    let Some((home, _hub)) = hub() else { return };
    let (one, two) = (site(), site());
    ok(home.eye(["browse", &one, "--headless", "--private"]));
    // There is no page before the first one.
    assert_ne!(home.eye(["back"]).code, 0);
    ok(home.eye(["goto", &format!("{one}/next")]));
    ok(home.eye(["goto", &format!("{two}/next")]));
    let is_at = |wanted: &str| {
        ok(home.eye(["wait", &format!("location.href === {wanted:?}"), "--timeout", "50"]));
    };
    is_at(&format!("{two}/next"));
    assert_eq!(ok(home.eye(["back"])), "# Arrived\n");
    is_at(&format!("{one}/next"));
    ok(home.eye(["back"]));
    is_at(&format!("{one}/"));
    ok(home.eye(["forward"]));
    is_at(&format!("{one}/next"));
    assert_eq!(ok(home.eye(["forward"])), "# Arrived\n");
    is_at(&format!("{two}/next"));
    assert_ne!(home.eye(["forward"]).code, 0);
}

#[test]
fn pages_say_in_which_browser_they_are_where_there_are_several() {
    let Some((home, _hub)) = hub() else { return };
    let url = site();
    ok(home.eye(["browse", &url, "--headless", "--profile", "one"]));
    let pages = ok(home.eye(["pages"]));
    assert!(!pages.contains(" in one") && !ok(home.eye(["pages", "--json"])).contains("browser"), "{pages}");
    ok(home.eye(["browse", &format!("{url}/next"), "--headless", "--profile", "two"]));
    let pages = ok(home.eye(["pages"]));
    let row = |path: &str| pages.lines().find(|row| row.contains(&format!("{url}{path} "))).unwrap();
    assert!(row("/next").contains("visible, in two") && row("/").contains("visible, in one"), "{pages}");
    let rows: serde_json::Value = serde_json::from_str(&ok(home.eye(["pages", "--json"]))).unwrap();
    let all = rows.as_array().unwrap();
    assert!(all.iter().all(|row| row["browser"].is_string() && row["window"].is_null()), "{rows}");
    // The page navigates and stays in the same browser.
    ok(home.eye(["goto", &url]));
    assert_eq!(ok(home.eye(["pages"])).matches(", in two").count(), 1);
    ok(home.eye(["browse", "--stop", "--profile", "one"]));
}
