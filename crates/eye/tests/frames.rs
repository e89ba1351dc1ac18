//! Frames of other origins in a real Chromium that the hub drives, in the page's own process (another port) and in others (another
//! site): each is a page of its own inside of its tab, is looked at and acted on with trusted events, and obeys what is said of its origin.
#![allow(clippy::unwrap_used, reason = "this is test code, also outside of its tests")]

#[allow(dead_code, reason = "the tests of the doctor use more of it")]
#[path = "stage/site.rs"]
mod site;
mod stage;

use eye_testkit::{Home, Ran};
use site::{Page, Site};
use stage::browser::{hub, ok};
use std::fs::File;
use std::io::BufReader;
use std::time::Instant;

/// A page with two frames, of which one is scaled; the query says from which port.
const SHOP: &str = r#"<!doctype html><title>Shop</title><link rel="icon" href="data:,"><h1>Shop</h1><p style="height:300px">tall</p>
<script>
  const port = new URLSearchParams(location.search).get("port");
  const frame = (host, name, style) => document.write(
    `<iframe id="${name}" src="http://${host}:${port}/pay?${name}&port=${location.port}" width="300" height="200" style="${style}"></iframe>`);
  frame("127.0.0.1", "near", "border:7px solid;padding:11px;margin-left:31px");
  frame("localhost", "far", "border:3px solid;margin-left:17px;transform:scale(0.8)");
</script><div style="height:2000px"></div>"#;

/// Notes what is done in it, and whether that was the browser's own doing. Holds another, unless it is one itself.
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
        "/next" => Page::html(&[], "<!doctype html><title>Paid</title><button id=\"go\">Thanks</button>"),
        _ => Page::html(&[], SHOP),
    }
}

/// Asks until it is answered so.
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

/// Opens the shop, and gives the port of what it frames.
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
        // Its refs tell in which frame they are.
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
    // The page around it says which number each has, once that has been told to it.
    let look = until(&home, &["look"], |ran| ran.stdout.matches(": --frame f").count() == 2).stdout;
    let number = look.split("frame near (of another origin: --frame ").nth(1).and_then(|rest| rest.split(')').next());
    assert_eq!(ok(home.eye(["--frame", number.unwrap(), "location.search.slice(1, 5)"])), "near\n");
    // The frames of a document are gone with it, those in frames too.
    ok(home.eye(["reload"]));
    for frame in ["near", "far", "deep"] {
        until(&home, &["--frame", frame, "typeof done"], |ran| ran.stdout == "object\n");
    }
    // None of it was the page's own.
    assert_eq!(ok(home.eye(["typeof done"])), "undefined\n");
    let whole = home.eye(["--frame", "far", "shot"]);
    assert!(whole.code != 0 && whole.stderr.contains("this is a frame of one"), "{whole:?}");
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
    // A picture hides it whole, to a person who shows what is masked, too; a PDF would not.
    assert!(yellow(&home).iter().all(|x| *x < BETWEEN));
    let pdf = home.eye(["pdf", "-o", &home.path("page.pdf").display().to_string()]);
    assert!(pdf.code != 0 && pdf.stderr.contains("is of a site that is denied to agents"), "{pdf:?}");
}

/// Between the two frames of the shop.
const BETWEEN: usize = 400;

/// Where a picture shows the colour of fields for cards, from the left.
fn yellow(home: &Home) -> Vec<usize> {
    let file = home.path("shot.png");
    ok(home.eye(["shot", "--format", "png", "-o", &file.display().to_string()]));
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
    // The browser's advice is in eye's own words.
    assert!(pdf.stderr.contains("hint: empty the field, or take a picture"), "{pdf:?}");
    for (frame, side) in [("near", 0), ("far", 1)] {
        ok(home.eye(["--frame", frame, "card.value = ''; 0"]));
        assert!(yellow(&home).iter().any(|x| usize::from(*x > BETWEEN) == side));
    }
}

/// Frames without an origin: of another port, of another site, and of the page's own text.
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
