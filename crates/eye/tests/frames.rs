//! Frames of other origins in a real Chromium that the hub drives, in the page's own process (another port) and in
//! others (another site): each is a page of its own inside its tab, can be read and acted on with trusted events, and
//! obeys the rules for its origin.

use crate::stage::browser::{hub, hub_with, ok, pid, renderers};
use crate::stage::site::{Page, Site};
use eye_testkit::{Home, Ran, Running};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::time::Instant;

/// A page with two frames, one of them scaled; the query names their port.
const SHOP: &str = r#"<!doctype html><title>Shop</title><link rel="icon" href="data:,"><h1>Shop</h1><p style="height:300px">tall</p>
<script>
  const port = new URLSearchParams(location.search).get("port");
  const frame = (host, name, style) => document.write(
    `<iframe id="${name}" src="http://${host}:${port}/pay?${name}&port=${location.port}" width="300" height="200" style="${style}"></iframe>`);
  frame("127.0.0.1", "near", "border:7px solid;padding:11px;margin-left:31px");
  frame("localhost", "far", "border:3px solid;margin-left:17px;transform:scale(0.8)");
</script><div style="height:2000px"></div>"#;

/// Records the events in it, and whether they were trusted. Contains another frame, unless it is one itself.
const PAY: &str = r#"<!doctype html><title>Pay</title><link rel="icon" href="data:,">
<div style="height:60px">Pay here</div><button id="go">Pay</button><input id="card" autocomplete="cc-number" style="background:#ff0;border:0">
<script>
  done = [];
  for (const kind of ["click", "keydown", "input"])
    addEventListener(kind, (event) => done.push(`${kind}:${event.isTrusted}:${event.target.id}`), true);
  const query = new URLSearchParams(location.search);
  if (query.has("far"))
    document.write(`<iframe src="http://127.0.0.1:${query.get("port")}/pay?deep" width="200" height="120"></iframe>`);
</script>"#;

fn answer(path: &str, _: &str) -> Page {
    match path.split('?').next().unwrap_or_default() {
        "/pay" => Page::html(&[], PAY),
        "/secret" => Page::html(&[], "balance 4711"),
        "/next" => Page::html(&[], "<!doctype html><title>Paid</title><button id=\"go\">Thanks</button>"),
        _ => Page::html(&[], SHOP),
    }
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

/// Opens the shop, and returns the port of its frames.
fn open(home: &Home) -> (String, u16) {
    let (shop, pay) = (Site::open(answer), Site::open(answer).port);
    let url = format!("{}/?port={pay}", shop.url());
    ok(home.eye(["browse", &url, "--headless", "--private"]));
    for frame in ["near", "far", "deep"] {
        until(home, &["--frame", frame, "typeof done"], |ran| ran.stdout == "object\n");
    }
    (url, pay)
}

#[test]
fn frames_of_other_origins_are_looked_at_and_acted_on_with_trusted_events() {
    let Some((home, _hub)) = hub() else { return };
    open(&home);
    let pages = ok(home.eye(["pages"]));
    assert_eq!(pages.matches("frame of").count(), 3, "{pages}");
    for frame in ["near", "far", "deep"] {
        let look = ok(home.eye(["--frame", frame, "look"]));
        assert!(look.contains("Pay here"), "{look}");
        // Its refs show in which frame they are.
        let of_button = |line: &str| line.split(" [Pay]").next().map(str::to_owned);
        let target = look.lines().find(|line| line.contains(" [Pay]")).and_then(of_button).unwrap();
        assert!(target.starts_with('f') && target.contains('e'), "{look}");
        let clicked = ok(home.eye(["click", &target]));
        assert!(clicked.starts_with(&target), "{clicked}");
        ok(home.eye(["--frame", frame, "fill", "#card", "41"]));
        ok(home.eye(["--frame", frame, "press", "9", "#card"]));
        let done = ok(home.eye(["--frame", frame, "done.join(' ') + ' ' + card.value"]));
        assert!(done.starts_with("click:true:go") && done.ends_with(" 419\n") && !done.contains("false"), "{done}");
        assert!(done.contains("keydown:true:card"), "{done}");
    }
    // The surrounding page shows the number of each frame, once it has learned it.
    let look = until(&home, &["look"], |ran| ran.stdout.matches(": --frame f").count() == 3).stdout;
    let number = look.split("frame near (of another origin: --frame ").nth(1).and_then(|rest| rest.split(')').next());
    assert_eq!(ok(home.eye(["--frame", number.unwrap(), "location.search.slice(1, 5)"])), "near\n");
    // The frames of a document disappear with it, including nested ones.
    ok(home.eye(["reload"]));
    for frame in ["near", "far", "deep"] {
        until(&home, &["--frame", frame, "typeof done"], |ran| ran.stdout == "object\n");
    }
    // None of it happened in the page itself.
    assert_eq!(ok(home.eye(["typeof done"])), "undefined\n");
    let shot = home.eye(["--frame", "far", "shot"]);
    assert!(shot.code != 0 && shot.stderr.contains("this is a frame of one"), "{shot:?}");
}

#[test]
fn a_frame_that_goes_elsewhere_is_the_same_page_and_one_that_is_removed_is_none() {
    let Some((home, _hub)) = hub() else { return };
    open(&home);
    for frame in ["near", "far"] {
        let pages = ok(home.eye(["pages", "--json"]));
        ok(home.eye(["--frame", frame, "location.href = '/next?' + location.search.slice(1); 0"]));
        until(&home, &["--frame", frame, "document.title"], |ran| ran.stdout == "Paid\n");
        let clicked = ok(home.eye(["--frame", frame, "click", "#go"]));
        assert!(clicked.contains("Thanks"), "{clicked} {pages}");
    }
    ok(home.eye(["eval", "for (const one of [...document.querySelectorAll('iframe')]) one.remove()"]));
    for frame in ["near", "far", "deep"] {
        until(&home, &["--frame", frame, "document.title"], |ran| {
            ran.code != 0 && ran.stderr.contains("no frame matches")
        });
    }
    // They are not listed as pages that may come back.
    let pages = ok(home.eye(["pages", "--json"]));
    assert!(!pages.contains(r#""frame":true"#), "{pages}");
}

#[test]
fn a_frame_of_a_denied_site_is_no_page() {
    let Some((home, _hub)) = hub() else { return };
    let (_, pay) = open(&home);
    let denied = format!("http://localhost:{pay}");
    ok(home.eye(["deny", &denied]));
    until(&home, &["--frame", "far", "1"], |ran| ran.code != 0);
    assert_eq!(ok(home.eye(["--frame", "near", "typeof done"])), "object\n");
    ok(home.eye(["reload"]));
    for frame in ["near", "deep"] {
        until(&home, &["--frame", frame, "typeof done"], |ran| ran.stdout == "object\n");
    }
    let far = home.eye(["--frame", "far", "look"]);
    assert!(far.code != 0 && !far.stdout.contains("Pay here"), "{far:?}");
    // A picture hides it wholly, even with --unmask; a PDF would not.
    assert!(yellow(&home).iter().all(|x| *x < BETWEEN));
    let pdf = home.eye(["pdf", "-o", &home.path("page.pdf").display().to_string()]);
    assert!(pdf.code != 0 && pdf.stderr.contains("is of a site that is denied to agents"), "{pdf:?}");
}

/// The number of a frame, from its line in an outline.
fn number(look: &str, name: &str) -> String {
    let rest = look.split(&format!("{name} (of another origin: --frame ")).nth(1).unwrap_or_default();
    rest.split(')').next().unwrap_or_default().to_owned()
}

/// The outline of the shop once it has the lines of all its frames.
fn full_outline(home: &Home) -> String {
    until(home, &["look", "--all"], |ran| ran.stdout.matches(" [Pay]").count() == 3).stdout
}

#[test]
fn an_outline_has_the_lines_of_frames_below_theirs_and_their_refs_are_asked_at_the_tab() {
    let Some((home, _hub)) = hub() else { return };
    let (_, pay) = open(&home);
    let look = full_outline(&home);
    let lines: Vec<&str> = look.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    for name in ["near", "far"] {
        let frame = number(&look, name);
        let at = lines.iter().position(|line| line.contains(&format!("frame {name} "))).unwrap();
        assert_eq!(indent(lines[at]), 0, "{look}");
        assert!(lines[at + 1].ends_with("Pay here") && indent(lines[at + 1]) == 1, "{look}");
        assert!(lines[at + 2].trim_start().starts_with(&format!("{frame}e")), "{look}");
    }
    // The nested frame is below its parent.
    let deep = lines.iter().position(|line| line.contains("/pay?deep (of another origin: --frame f")).unwrap();
    assert!(indent(lines[deep]) == 1 && indent(lines[deep + 1]) == 2, "{look}");
    // Refs in the outline work on the tab.
    for line in lines.iter().filter(|line| line.contains(" [Pay]")) {
        let target = line.trim_start().split(' ').next().unwrap();
        assert!(ok(home.eye(["click", target])).starts_with(target), "{look}");
    }
    for frame in ["near", "far", "deep"] {
        assert_eq!(ok(home.eye(["--frame", frame, "done.join(' ')"])), "click:true:go\n");
    }
    // In view are the frames that the page shows; of a denied one only its existence.
    ok(home.eye(["deny", &format!("http://localhost:{pay}")]));
    let denied = |ran: &Ran| ran.stdout.contains("frame far (of another origin, denied to agents)");
    let look = until(&home, &["look"], denied).stdout;
    assert_eq!(look.matches(" [Pay]").count(), 1, "{look}");
}

/// Kills the process of the frame `far`: the one that is not the tab's, because the tab still answers while it is
/// stopped.
fn crash_frame(home: &Home) {
    let browser = pid(home);
    until(home, &["--frame", "far", "--timeout", "5", "1"], |ran| {
        for process in renderers(browser) {
            signal(process, Signal::STOP);
            let apart = home.eye(["1", "--timeout", "5"]).code == 0;
            signal(process, if apart { Signal::KILL } else { Signal::CONT });
        }
        ran.code != 0 && ran.code != 124
    });
}

fn signal(process: u32, signal: Signal) {
    let _ = kill_process(Pid::from_raw(i32::try_from(process).unwrap()).unwrap(), signal);
}

#[test]
fn a_frame_that_hangs_or_crashes_is_named_and_holds_up_neither_its_tab_nor_other_frames() {
    let Some((home, _hub)) = hub() else { return };
    open(&home);
    let far = number(&full_outline(&home), "far");
    // During a verb.
    let hangs = home.eye(["--frame", "far", "--timeout", "1", "for (;;);"]);
    assert_eq!(hangs.code, 124, "{hangs:?}");
    let look = ok(home.eye(["look", "--all"]));
    assert!(look.contains(&format!("\n … does not answer (eye --frame {far} look)\n")), "{look}");
    assert_eq!(look.matches(" [Pay]").count(), 1, "{look}");
    assert_eq!(ok(home.eye(["--frame", "near", "typeof done"])), "object\n");
    assert_eq!(ok(home.eye(["document.title"])), "Shop\n");
    ok(home.eye(["--frame", "far", "stop-script"]));
    full_outline(&home);
    let waiting = home.start(["--frame", "far", "--timeout", "50", "new Promise(() => {})"]);
    crash_frame(&home);
    let ended = waiting.wait();
    assert!(ended.code != 0 && ended.code != 124, "{ended:?}");
    assert_eq!(ok(home.eye(["document.title"])), "Shop\n");
    let look = ok(home.eye(["look", "--all"]));
    assert_eq!(look.matches(" [Pay]").count(), 1, "{look}");
    ok(home.eye(["reload"]));
    full_outline(&home);
}

#[test]
fn a_token_for_a_page_neither_sees_nor_acts_in_frames_of_origins_that_it_does_not_cover() {
    let Some((home, _hub)) = hub() else { return };
    let (url, pay) = open(&home);
    let look = full_outline(&home);
    let origin = url.split("/?").next().unwrap();
    let near = format!("http://127.0.0.1:{pay}");
    for (pages, seen) in [(vec![origin], 0), (vec![origin, &near], 1)] {
        let name = format!("t{seen}");
        let mut words = vec!["token", "new", &name, "--may", "eval"];
        for page in &pages {
            words.extend(["--pages", page]);
        }
        let secret = ok(home.eye(words)).trim().to_owned();
        let with = |words: &[&str]| Running::of(home.command().args(words).env("EYE_TOKEN", &secret)).wait();
        let limited = with(&["look", "--all"]);
        assert_eq!((limited.code, limited.stdout.matches(" [Pay]").count()), (0, seen), "{limited:?}");
        assert!(limited.stdout.contains("… not for this token"), "{limited:?}");
        let target = format!("{}e1", number(&look, "far"));
        for words in [&["click", &target][..], &["--frame", "far", "1"], &["--frame", "far", "look"]] {
            let refused = with(words);
            assert!(refused.code != 0 && refused.stdout.is_empty(), "{words:?}: {refused:?}");
        }
        let file = home.path("limited.png");
        let shot = with(&["shot", "--format", "png", "-o", &file.display().to_string()]);
        assert_eq!(shot.code, 0, "{shot:?}");
        let (left, right): (Vec<_>, Vec<_>) = yellow_in(&file).into_iter().partition(|x| *x < BETWEEN);
        assert_eq!((usize::from(!left.is_empty()), right.len()), (seen, 0));
        let pdf = with(&["pdf", "-o", &home.path("limited.pdf").display().to_string()]);
        assert!(pdf.code != 0 && pdf.stderr.contains("denied to this agent"), "{pdf:?}");
    }
    for frame in ["near", "far", "deep"] {
        assert_eq!(ok(home.eye(["--frame", frame, "done.length"])), "0\n");
    }
}

#[test]
fn requests_of_a_frame_of_another_origin_are_shown_to_no_token_that_does_not_cover_it() {
    let Some((home, _hub)) = hub() else { return };
    let (url, pay) = open(&home);
    let (origin, near) = (url.split("/?").next().unwrap(), format!("http://127.0.0.1:{pay}"));
    let secret = ok(home.eye(["token", "new", "shop", "--may", "eval", "--pages", origin])).trim().to_owned();
    let with = |words: &[&str]| Running::of(home.command().args(words).env("EYE_TOKEN", &secret)).wait();
    assert_eq!(with(&["net"]).code, 0);
    // The frame shares the page's process and session; so does a document in it without an address of its own.
    ok(home.eye(["--frame", "near", "await (await fetch('/secret?direct')).text()"]));
    let srcdoc = format!("fetch('{near}/secret?nested')");
    let nested = format!(
        "const it = document.createElement('iframe'); it.srcdoc = `<script>{srcdoc}</script>`; document.body.append(it); 0"
    );
    ok(home.eye(["--frame", "near", &nested]));
    // The page's own requests to another origin are listed, but it may not read the responses either.
    let opaque = format!("void await fetch('{near}/secret?opaque', {{ mode: 'no-cors', credentials: 'include' }})");
    assert_eq!(with(&[&opaque]).code, 0);
    ok(home.eye(["void await fetch('/secret?own')"]));
    let all = |rows: &str| ["direct", "nested", "opaque", "own"].iter().all(|name| rows.contains(name));
    let rows = until(&home, &["net", "--all"], |ran| all(&ran.stdout) && !ran.stdout.contains("running")).stdout;
    let number =
        |name: &str| rows.lines().find(|row| row.ends_with(name)).and_then(|row| row.split(' ').next()).unwrap();
    let seen = with(&["net", "--all"]);
    let names: Vec<&str> = seen.stdout.lines().filter_map(|row| row.split("/secret?").nth(1)).collect();
    assert_eq!(names, ["opaque", "own"], "{seen:?}");
    for name in ["direct", "nested"] {
        let one = with(&["net", number(name)]);
        assert!(one.code != 0 && one.stderr.contains("there is no request"), "{one:?}");
    }
    let one = with(&["net", number("opaque")]);
    assert!(one.stdout.contains("denied to this agent") && !one.stdout.contains("4711"), "{one:?}");
    assert!(!one.stdout.contains("\n<") && !one.stdout.contains("\n>"), "{one:?}");
    let one = with(&["net", number("own")]);
    assert!(one.stdout.contains("balance 4711") && one.stdout.contains("< content-type"), "{one:?}");
    assert!(ok(home.eye(["net", number("direct")])).contains("balance 4711"));
    // The tab goes to the other origin and comes back: the requests made there are not shown here.
    ok(home.eye(["goto", &format!("{near}/pay")]));
    ok(home.eye(["void await fetch('/secret?there')"]));
    until(&home, &["net", "--all"], |ran| ran.stdout.contains("?there"));
    ok(home.eye(["goto", &url]));
    let seen = with(&["net", "--all"]);
    assert!(seen.code == 0 && !seen.stdout.contains("?there") && !seen.stdout.contains("/pay"), "{seen:?}");
    // A denied site is denied here, too.
    assert!(ok(home.eye(["net", "--all"])).contains("?direct"));
    ok(home.eye(["deny", &near]));
    let seen = ok(home.eye(["net", "--all"]));
    assert!(!seen.contains("?direct") && !seen.contains("?nested") && seen.contains("?own"), "{seen}");
    let one = ok(home.eye(["net", number("opaque")]));
    assert!(one.contains("denied to this agent") && !one.contains("4711"), "{one}");
}

#[test]
fn requests_of_a_document_without_an_origin_are_those_of_the_document_around_it() {
    // Browsers with little memory give sandboxes no process of their own; the tab's session then reports their
    // requests.
    let Some((home, _hub)) = hub_with("--disable-features=IsolateSandboxedIframes") else { return };
    let (url, pay) = open(&home);
    let (origin, near) = (url.split("/?").next().unwrap(), format!("http://127.0.0.1:{pay}"));
    let secret = ok(home.eye(["token", "new", "shop", "--may", "eval", "--pages", origin])).trim().to_owned();
    let with = |words: &[&str]| Running::of(home.command().args(words).env("EYE_TOKEN", &secret)).wait();
    // A frame that existed before the recording began.
    let fetch = |name: &str| format!("fetch('{near}/secret?{name}', {{ mode: 'no-cors' }})");
    let append = |kind: &str, content: &str| {
        format!(
            "(() => {{ const it = document.createElement('iframe'); {kind}; it.srcdoc = `{content}`; \
             document.body.append(it) }})()"
        )
    };
    let sandbox = "it.sandbox = 'allow-scripts'";
    let early = format!("<script>addEventListener('message', () => {})</script>", fetch("early"));
    ok(home.eye(["--frame", "near", &append(&format!("{sandbox}; it.id = 'early'"), &early)]));
    ok(home.eye(["net"]));
    ok(home.eye(["--frame", "near", "document.getElementById('early').contentWindow.postMessage(0, '*'), 0"]));
    let deep = format!("<iframe srcdoc=\"<script>{}</script>\"></iframe>", fetch("deep"));
    let boxed = format!("<script>{}</script>{deep}", fetch("boxed"));
    ok(home.eye(["--frame", "near", &append(sandbox, &boxed)]));
    ok(home.eye(["eval", &append(sandbox, &format!("<script>{}</script>", fetch("mine")))]));
    let names = ["early", "boxed", "deep", "mine"];
    let all = |rows: &str| names.iter().all(|name| rows.contains(&format!("?{name}")));
    until(&home, &["net", "--all"], |ran| all(&ran.stdout));
    let message =
        |rows: &str| -> Vec<&str> { names.into_iter().filter(|name| rows.contains(&format!("?{name}"))).collect() };
    assert_eq!(message(&with(&["net", "--all"]).stdout), ["mine"]);
    ok(home.eye(["deny", &near]));
    assert_eq!(message(&ok(home.eye(["net", "--all"]))), ["mine"]);
}

/// The x coordinate between the two frames of the shop.
const BETWEEN: usize = 400;

/// The x coordinates at which a picture shows the colour of card fields.
fn yellow(home: &Home) -> Vec<usize> {
    let file = home.path("shot.png");
    ok(home.eye(["shot", "--format", "png", "-o", &file.display().to_string()]));
    yellow_in(&file)
}

fn yellow_in(file: &Path) -> Vec<usize> {
    let mut decoder = png::Decoder::new(BufReader::new(File::open(file).unwrap()));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    let step = if info.color_type == png::ColorType::Rgba { 4 } else { 3 };
    let pixels = bytes.chunks_exact(step).enumerate().filter(|(_, pixel)| pixel[..3] == [255, 255, 0]);
    pixels.map(|(at, _)| at % info.width as usize).collect()
}

#[test]
fn what_is_typed_into_a_frame_of_another_origin_is_painted_over() {
    let Some((home, _hub)) = hub() else { return };
    open(&home);
    let empty = yellow(&home);
    assert!(empty.iter().any(|x| *x < BETWEEN) && empty.iter().any(|x| *x > BETWEEN));
    for frame in ["near", "far", "deep"] {
        ok(home.eye(["--frame", frame, "card.value = '4111'; 0"]));
    }
    assert_eq!(yellow(&home), [0_usize; 0]);
    let pdf = home.eye(["pdf", "-o", &home.path("page.pdf").display().to_string()]);
    assert!(pdf.code != 0 && pdf.stderr.contains("a PDF would show it"), "{pdf:?}");
    // The browser's advice is rephrased in eye's terms.
    assert!(pdf.stderr.contains("hint: empty the field, or take a picture"), "{pdf:?}");
    for (frame, side) in [("near", 0), ("far", 1)] {
        ok(home.eye(["--frame", frame, "card.value = ''; 0"]));
        assert!(yellow(&home).iter().any(|x| usize::from(*x > BETWEEN) == side));
    }
}

/// Frames without an origin: of another port, of another site, and with text from the page itself.
const BOXES: &str = r#"<!doctype html><title>Boxes</title><link rel="icon" href="data:,">
<iframe sandbox="allow-scripts" srcdoc="<button onclick='this.textContent=event.isTrusted'>Go</button>"></iframe>
<script>
  const port = new URLSearchParams(location.search).get("port");
  for (const host of ["127.0.0.1", "localhost"])
    document.write(`<iframe sandbox="allow-scripts" src="http://${host}:${port}/boxed?${host}"></iframe>`);
</script>"#;
const BOXED: &str = "<!doctype html><title>Boxed</title><button onclick='this.textContent=event.isTrusted'>Go</button>";

#[test]
fn frames_without_an_origin_are_acted_on_unless_their_site_is_denied() {
    let Some((home, _hub)) = hub() else { return };
    let answer = |path: &str, _: &str| Page::html(&[], if path.starts_with("/boxed") { BOXED } else { BOXES });
    let (around, port) = (Site::open(answer), Site::open(answer).port);
    ok(home.eye(["browse", &format!("{}/?port={port}", around.url()), "--headless", "--private"]));
    for frame in ["srcdoc", "?127.0.0.1", "?localhost"] {
        until(&home, &["--frame", frame, "origin"], |ran| ran.stdout == "null\n");
        let clicked = ok(home.eye(["--frame", frame, "click", "text=Go"]));
        assert!(clicked.contains("[true]"), "{clicked}");
    }
    ok(home.eye(["deny", &format!("http://127.0.0.1:{port}")]));
    ok(home.eye(["reload"]));
    for frame in ["srcdoc", "?localhost"] {
        until(&home, &["--frame", frame, "document.body.innerText"], |ran| ran.stdout == "Go\n");
    }
    let denied = home.eye(["--frame", "?127.0.0.1", "look"]);
    assert!(denied.code != 0 && !denied.stdout.contains("Go"), "{denied:?}");
}
