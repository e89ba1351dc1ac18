//! User actions besides clicking and typing, in a real Chromium that the hub drives: permissions, clipboard, lists,
//! popups with a login, several pages at once; and pages and browsers that end. Every event is checked to be trusted.

use crate::stage::browser::{hub, ok, pid, renderers};
use crate::stage::site::{Page, Site};
use eye_testkit::{Home, Ran};
use rustix::process::{Pid, Signal, kill_process};
use std::time::Instant;

/// Records every event that is not trusted.
const FAKE: &str = r#"<script>
  fake = []; done = [];
  for (const kind of ["pointerdown", "click", "keydown", "input", "copy", "paste", "dragstart", "drop", "submit"])
    addEventListener(kind, (event) => { done.push(kind); if (!event.isTrusted) fake.push(kind); }, true);
</script>"#;

const DESK: &str = r#"<!doctype html><title>Desk</title><link rel="icon" href="data:,">
<style>ul{width:200px;min-height:60px;float:left;border:1px solid;margin:20px}</style>
<input id="from"><input id="to"><button id="where">Where</button><button id="copy">Copy</button><p id="out">nothing</p>
<ul id="left"><li id="one" draggable="true">One<li id="two" draggable="true">Two</ul><ul id="right"></ul>
<button id="login">Log in</button>
<script>
  const say = (text) => (out.textContent = text);
  where.onclick = () => {
    say("asking");
    navigator.geolocation.getCurrentPosition(({ coords }) => say(`at ${coords.latitude}`), ({ code }) => say(`refused ${code}`));
  };
  copy.onclick = () => navigator.clipboard.writeText("from the page").then(() => say("copied"), (error) => say(error.name));
  for (const item of document.querySelectorAll("li"))
    item.ondragstart = (event) => event.dataTransfer.setData("text/plain", item.id);
  for (const list of document.querySelectorAll("ul")) {
    list.ondragover = (event) => event.preventDefault();
    list.ondrop = (event) => {
      event.preventDefault();
      list.append(document.getElementById(event.dataTransfer.getData("text/plain")));
    };
  }
  login.onclick = () => open("/login", "login", "width=400,height=400");
  addEventListener("message", ({ data }) => say(`hello ${data}`));
</script>"#;

const LOGIN: &str = r#"<!doctype html><title>Login</title><link rel="icon" href="data:,">
<form id="form"><input id="who"><input id="secret" type="password"><button>Enter</button></form>
<script>
  form.onsubmit = (event) => {
    event.preventDefault();
    if (secret.value !== "s3cret" || fake.length > 0) return;
    opener.postMessage(who.value, "*");
    close();
  };
</script>"#;

/// Scripts run, but it has no origin.
const SANDBOX: &str = "content-security-policy: sandbox allow-scripts allow-forms";
const WORKED: &str = r#"<!doctype html><title>Worked</title><button id="go">Go</button><p id="out"></p>
<script>
  navigator.serviceWorker?.register("/worker.js").then(() => navigator.serviceWorker.ready).then(() => (ready = true));
  go.onclick = async () => (out.textContent = await (await fetch("/from-the-worker")).text());
</script>"#;
const WORKER: &str = r#"addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (event.request.url.endsWith("/from-the-worker")) event.respondWith(new Response("by the worker"));
});"#;

/// Shows the method of its request. A form posts to its own address.
fn posted(head: &str) -> String {
    let method = head.split(' ').next().unwrap_or_default();
    format!("<!doctype html><title>{method}</title><h1>{method}</h1><form method=post><button>Send</button></form>")
}

fn answer(path: &str, head: &str) -> Page {
    let headed =
        |headers: &[&str], body: &str| Page::html(headers, &body.replace("<script>", &format!("{FAKE}<script>")));
    match path.split('?').next().unwrap_or_default() {
        "/login" => headed(&[], LOGIN),
        "/sandboxed" => headed(&[SANDBOX], DESK),
        "/posted" => Page::html(&[SANDBOX], &posted(head)),
        "/worked" => headed(&[], WORKED),
        "/worker.js" => {
            Page { status: "200 OK", headers: vec!["content-type: text/javascript".into()], body: WORKER.into() }
        }
        _ => headed(&[], DESK),
    }
}

fn site() -> String {
    Site::open(answer).url()
}

/// Repeats a command until its result is as wanted.
fn until(home: &Home, words: &[&str], wanted: impl Fn(&Ran) -> bool) -> Ran {
    let ends = Instant::now() + eye_testkit::DEADLINE;
    loop {
        let ran = home.eye(words.iter().copied());
        if wanted(&ran) {
            return ran;
        }
        assert!(Instant::now() < ends, "{words:?}: {ran:?}");
    }
}

fn expect_text(home: &Home, text: &str) {
    ok(home.eye(["wait", &format!("out.textContent === {text:?}"), "--timeout", "50"]));
}

#[test]
fn what_a_page_would_ask_a_person_for_is_denied_at_once_until_it_is_granted() {
    let Some((home, _hub)) = hub() else { return };
    ok(home.eye(["browse", &site(), "--headless", "--private"]));
    ok(home.eye(["click", "#where"]));
    expect_text(&home, "refused 1");
    let call =
        "(await navigator.permissions.query({ name: 'notifications' })).state + await Notification.requestPermission()";
    assert_eq!(ok(home.eye([call])), "denieddenied\n");
    let unknown = home.eye(["emulate", "--grant", "flying"]);
    assert!(unknown.code != 0 && unknown.stderr.contains("geolocation, notifications"), "{unknown:?}");
    let output = ok(home.eye(["emulate", "--grant", "geolocation", "--geolocation", "52.5,13.4"]));
    assert!(
        output.starts_with("at 52.5,13.4, http://127.0.0.1:") && output.contains("may use geolocation"),
        "{output}"
    );
    ok(home.eye(["click", "#where"]));
    expect_text(&home, "at 52.5");
    ok(home.eye(["emulate", "--reset"]));
    ok(home.eye(["click", "#where"]));
    expect_text(&home, "refused 1");
    assert_eq!(ok(home.eye(["fake.join()"])), "\n");
}

#[test]
fn what_is_copied_is_pasted_and_what_is_dragged_lies_in_another_list() {
    let Some((home, _hub)) = hub() else { return };
    ok(home.eye(["browse", &site(), "--headless", "--private"]));
    ok(home.eye(["fill", "#from", "cargo"]));
    ok(home.eye(["press", "Control+a", "#from"]));
    ok(home.eye(["press", "Control+c", "#from"]));
    ok(home.eye(["press", "Control+v", "#to"]));
    assert_eq!(ok(home.eye(["document.getElementById('to').value"])), "cargo\n");
    // A page may write to the clipboard because a user has pressed its button.
    ok(home.eye(["click", "#copy"]));
    expect_text(&home, "copied");
    ok(home.eye(["fill", "#to", ""]));
    ok(home.eye(["press", "Control+v", "#to"]));
    assert_eq!(ok(home.eye(["document.getElementById('to').value"])), "from the page\n");
    ok(home.eye(["drag", "#two", "#right"]));
    ok(home.eye(["drag", "#one", "#right"]));
    assert_eq!(ok(home.eye(["[...right.children].map(({ id }) => id).join()"])), "two,one\n");
    ok(home.eye(["drag", "#two", "#left"]));
    assert_eq!(ok(home.eye(["left.textContent.trim() + right.textContent.trim()"])), "TwoOne\n");
    assert_eq!(ok(home.eye(["fake.join()"])), "\n");
    let done = ok(home.eye(["['copy', 'paste', 'dragstart', 'drop'].filter((kind) => !done.includes(kind)).join()"]));
    assert_eq!(done, "\n");
}

#[test]
fn a_login_in_a_popup_comes_back_to_the_page_that_opened_it() {
    let Some((home, _hub)) = hub() else { return };
    ok(home.eye(["browse", &site(), "--headless", "--private"]));
    let clicked = ok(home.eye(["click", "#login"]));
    assert!(clicked.contains("/login in a new tab"), "{clicked}");
    until(&home, &["-p", "Login", "typeof form"], |ran| ran.stdout == "object\n");
    ok(home.eye(["-p", "Login", "fill", "#who=Ada", "#secret=s3cret"]));
    // The popup closes itself after the click.
    home.eye(["-p", "Login", "click", "text=Enter"]);
    until(&home, &["-p", "Desk", "out.textContent"], |ran| ran.stdout == "hello Ada\n");
    until(&home, &["browse", "--list"], |ran| ran.stdout.contains(" 1 pages"));
    assert_eq!(ok(home.eye(["-p", "Desk", "fake.join()"])), "\n");
}

#[test]
fn four_pages_are_used_at_once_though_only_one_can_be_in_front() {
    let Some((home, _hub)) = hub() else { return };
    let sites: Vec<String> = (0..4).map(|_| site()).collect();
    for url in &sites {
        ok(home.eye(["browse", url, "--headless", "--profile", "four"]));
    }
    std::thread::scope(|scope| {
        let used = |url: &str, at: usize| {
            let text = format!("page {at}");
            ok(home.eye(["-p", url, "fill", "#from", &text]));
            ok(home.eye(["-p", url, "drag", "#one", "#right"]));
            let file = home.path(format!("shot-{at}.png")).display().to_string();
            ok(home.eye(["-p", url, "shot", "-o", &file]));
            let look = ok(home.eye(["-p", url, "look"]));
            assert!(look.contains(&text), "{look}");
            let held = "from.value + right.textContent.trim() + fake.length + document.hidden";
            assert_eq!(ok(home.eye(["-p", url, held])), format!("{text}One0false\n"));
        };
        let all: Vec<_> = sites.iter().enumerate().map(|(at, url)| scope.spawn(move || used(url, at))).collect();
        for one in all {
            one.join().unwrap();
        }
    });
}

#[test]
fn pages_in_a_sandbox_and_behind_a_service_worker_are_acted_on() {
    let Some((home, _hub)) = hub() else { return };
    let url = site();
    ok(home.eye(["browse", &format!("{url}/sandboxed"), "--headless", "--private"]));
    assert_eq!(ok(home.eye(["origin"])), "null\n");
    ok(home.eye(["fill", "#from", "Ada"]));
    ok(home.eye(["drag", "#one", "#right"]));
    assert_eq!(ok(home.eye(["from.value + right.textContent.trim() + fake.length"])), "AdaOne0\n");
    ok(home.eye(["browse", &format!("{url}/worked"), "--headless", "--private"]));
    ok(home.eye(["wait", "globalThis.ready && navigator.serviceWorker.controller !== null", "--timeout", "50"]));
    ok(home.eye(["click", "#go"]));
    expect_text(&home, "by the worker");
    assert_eq!(ok(home.eye(["fake.join()"])), "\n");
}

#[test]
fn a_page_without_an_origin_is_led_elsewhere_and_back() {
    let Some((home, _hub)) = hub() else { return };
    let url = site();
    let file = home.path("page.html");
    std::fs::write(&file, "<!doctype html><title>File</title>").unwrap();
    let file = format!("file://{}", file.display());
    let sandboxed = format!("{url}/sandboxed");
    ok(home.eye(["browse", "about:blank", "--headless", "--private"]));
    assert_eq!(ok(home.eye(["origin + location.href"])), "nullabout:blank\n");
    let arrives = |words: &[&str], at: &str| {
        ok(home.eye(words.iter().copied()));
        assert_eq!(ok(home.eye(["location.href"])), format!("{at}\n"));
    };
    arrives(&["goto", &sandboxed], &sandboxed);
    assert_eq!(ok(home.eye(["origin"])), "null\n");
    arrives(&["goto", "/worked"], &format!("{url}/worked"));
    arrives(&["back"], &sandboxed);
    arrives(&["forward"], &format!("{url}/worked"));
    arrives(&["back"], &sandboxed);
    ok(home.eye(["kept = 1"]));
    arrives(&["reload"], &sandboxed);
    assert_eq!(ok(home.eye(["typeof kept"])), "undefined\n");
    ok(home.eye(["goto", "#place"]));
    assert_eq!(ok(home.eye(["location.hash"])), "#place\n");
    ok(home.eye(["browse", "data:text/html,<title>Data</title>", "--headless", "--private"]));
    assert_eq!(ok(home.eye(["document.title + origin"])), "Datanull\n");
    arrives(&["goto", &url], &format!("{url}/"));
    ok(home.eye(["browse", &file, "--headless", "--private"]));
    assert_eq!(ok(home.eye(["document.title"])), "File\n");
    arrives(&["goto", &sandboxed], &sandboxed);
    let refused = home.eye(["goto", &file]);
    assert!(refused.code != 0 && refused.stderr.contains("eye browse opens one"), "{refused:?}");
    assert_eq!(ok(home.eye(["location.href"])), format!("{sandboxed}\n"));
}

#[test]
fn a_way_back_without_an_origin_ends_where_it_leads_at_the_same_address_too() {
    let Some((home, _hub)) = hub() else { return };
    let url = format!("{}/posted", site());
    ok(home.eye(["browse", &url, "--headless", "--private"]));
    ok(home.eye(["click", "text=Send"]));
    assert_eq!(ok(home.eye(["document.title + location.href"])), format!("POST{url}\n"));
    ok(home.eye(["history.pushState(1, '', '#place')"]));
    let within = ok(home.eye(["back"]));
    assert!(within.starts_with("# POST"), "{within}");
    assert_eq!(ok(home.eye(["location.href"])), format!("{url}\n"));
    let before = ok(home.eye(["back"]));
    assert!(before.starts_with("# GET"), "{before}");
    assert_eq!(ok(home.eye(["document.title"])), "GET\n");
}

fn kill(pid: u32) {
    let _ = kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), Signal::KILL);
}

#[test]
fn a_crashed_page_is_revived_by_reload_and_a_killed_browser_by_browse() {
    let Some((home, _hub)) = hub() else { return };
    let url = site();
    ok(home.eye(["browse", &url, "--headless", "--profile", "end"]));
    let pid = pid(&home);
    for renderer in renderers(pid) {
        kill(renderer);
    }
    let crashed = until(&home, &["document.title"], |ran| ran.code != 0);
    assert!(crashed.stderr.contains("the page crashed; `eye reload` revives it"), "{crashed:?}");
    ok(home.eye(["reload"]));
    until(&home, &["document.title"], |ran| ran.stdout == "Desk\n");
    ok(home.eye(["click", "#copy"]));
    kill(pid);
    until(&home, &["browse", "--list"], |ran| ran.stdout.is_empty());
    let gone = home.eye(["document.title", "--timeout", "0.5"]);
    assert_ne!(gone.code, 0, "{gone:?}");
    ok(home.eye(["browse", &url, "--headless", "--profile", "end"]));
    until(&home, &["document.title"], |ran| ran.stdout == "Desk\n");
}
