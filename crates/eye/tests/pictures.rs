//! Pictures of driven pages: what they hide, refs drawn on them, and the differences between two. A real Chromium.

use crate::stage::browser::{hub, ok};
use crate::stage::site::{Page, Site};
use eye_testkit::Home;
use std::fs::File;
use std::io::BufReader;

/// Form fields; typed text has a colour that nothing else has.
const FORM: &str = r#"<!doctype html><title>Form</title>
<style>body{margin:0;background:#fff}*{font:20px monospace}input{position:absolute;left:20px;width:300px;height:30px;
color:#f0f;background:#ff0;border:0;padding:0}#frame{position:absolute;left:400px;top:40px;width:360px;height:120px;border:5px solid}
#far{top:1500px}button{position:absolute;left:20px;top:300px;width:100px;height:40px}#out{position:absolute;left:300px;top:300px}</style>
<input id="name" style="top:20px"><input id="pin" autocomplete="one-time-code" style="top:60px">
<input id="card" autocomplete="billing cc-number" style="top:100px"><input id="shown-password" style="top:140px">
<input id="empty" type="password" style="top:180px"><input id="far" autocomplete="cc-csc">
<iframe id="frame" srcdoc="<style>body{margin:0}input{width:200px;height:30px;border:0;padding:0;background:#ff0}</style>
<input id=inner type=password value=secret>"></iframe><button id="go">Go</button><p id="out">ready</p>
<div style="height:3000px"></div>
<script>
  go.onclick = () => { out.textContent = "done"; console.log("typed " + card.value + " and " + name.value); };
</script>"#;

fn site() -> String {
    Site::open(|_, _| Page::html(&[], FORM)).url()
}

/// The colour at a place of a picture.
struct Pixels {
    width: u32,
    rgba: Vec<u8>,
    bytes: usize,
}

impl Pixels {
    fn of(path: &std::path::Path) -> Self {
        let mut decoder = png::Decoder::new(BufReader::new(File::open(path).unwrap()));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut rgba = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut rgba).unwrap();
        let bytes = if info.color_type == png::ColorType::Rgba { 4 } else { 3 };
        Self { width: info.width, rgba, bytes }
    }

    fn at(&self, x: u32, y: u32) -> [u8; 3] {
        let start = (y * self.width + x) as usize * self.bytes;
        self.rgba[start..start + 3].try_into().unwrap()
    }
}

const YELLOW: [u8; 3] = [255, 255, 0];
const MASK: [u8; 3] = [90, 90, 90];

fn shot(home: &Home, words: &[&str]) -> Pixels {
    let file = home.path("shot.png");
    ok(home.eye(["shot", "-o", &file.display().to_string()].iter().chain(words)));
    Pixels::of(&file)
}

#[test]
fn secrets_are_painted_over_wherever_the_page_shows_them() {
    let Some((home, _hub)) = hub() else { return };
    ok(home.eye(["browse", &site(), "--headless", "--private"]));
    let empty = shot(&home, &[]);
    assert_eq!([empty.at(30, 25), empty.at(30, 75), empty.at(30, 195)], [YELLOW; 3], "nothing is hidden that is empty");
    ok(home.eye([
        "fill",
        "#name=Ada",
        "#pin=123456",
        "#card=4111111111111111",
        "#shown-password=hunter22",
        "#far=123",
    ]));
    ok(home.eye(["eval", "scrollTo(0, 0); 0"]));
    let filled = shot(&home, &[]);
    assert_eq!(filled.at(300, 25), YELLOW, "a name is no secret");
    for (x, y) in [(30, 75), (310, 75), (30, 115), (310, 115), (30, 155), (310, 155), (415, 60), (590, 60)] {
        assert_eq!(filled.at(x, y), MASK, "{x},{y}");
    }
    assert_eq!(filled.at(310, 195), YELLOW, "an empty field is no secret");
    // Only a part, scaled, in another format, and out of view.
    let part = shot(&home, &["#card"]);
    assert_eq!((part.width, part.at(5, 5)), (300, MASK));
    let small = shot(&home, &["--max", "640", "--format", "png"]);
    assert_eq!(small.at(16, 38), MASK);
    for format in ["jpeg", "webp"] {
        let refused = home.eye(["shot", "--format", format]);
        assert!(refused.code != 0 && refused.stderr.contains(&format!("is a PNG, not {format}")), "{refused:?}");
    }
    let full = shot(&home, &["--full", "--max", "9000"]);
    assert_eq!(full.at(30, 1515), MASK);
    ok(home.eye(["eval", "scrollTo(0, 60); 0"]));
    assert_eq!(shot(&home, &[]).at(30, 15), MASK, "where the page is scrolled");
    // Only a person at a terminal sees them, and a PDF cannot hide them.
    let unmask = home.eye(["shot", "--unmask"]);
    assert!(unmask.code == 2 && unmask.stderr.contains("a person at a terminal"), "{unmask:?}");
    let pdf = home.eye(["pdf", "-o", &home.path("page.pdf").display().to_string()]);
    assert!(pdf.code != 0 && pdf.stderr.contains("a PDF would show it"), "{pdf:?}");
    let rpc = r#"{"jsonrpc":"2.0","id":1,"method":"page/shot","params":{"unmask":true}}"#;
    let reader = home.eye(["token", "new", "reader", "--may", "read"]).stdout;
    let lowered = eye_testkit::Running::of(home.command().args(["rpc", rpc]).env("EYE_TOKEN", reader.trim())).wait();
    assert!(
        lowered.stdout.contains("lacks the scope `admin`") || lowered.stderr.contains("lacks the scope"),
        "{lowered:?}"
    );
    // The page's logs do not contain them either while they are in their fields.
    ok(home.eye(["click", "#go"]));
    let logs = ok(home.eye(["logs", "--all"]));
    assert!(logs.contains("typed •••") && !logs.contains("4111"), "{logs}");
    let look = ok(home.eye(["look"]));
    assert!(!look.contains("4111") && !look.contains("hunter22") && !look.contains("123456"), "{look}");
}

/// Fields of many kinds: the start of the tag, and whether the field is secret.
const FIELDS: [(&str, bool); 16] = [
    ("<input type=password", true),
    ("<input type=PASSWORD", true),
    ("<input autocomplete=one-time-code", true),
    ("<input autocomplete='section-a billing cc-number'", true),
    ("<input autocomplete=cc-csc", true),
    ("<input autocomplete=NEW-PASSWORD", true),
    ("<input autocomplete=current-password", true),
    ("<input name=user_password", true),
    ("<input id=passwd", true),
    ("<textarea name=password", true),
    ("<input", false),
    ("<input name=compass", false),
    ("<input autocomplete=cc-name", false),
    ("<input autocomplete='one-time-code off'", false),
    ("<textarea", false),
    ("<input type=search name=pwd", false),
];

/// Each is filled with `value` and its number.
fn fields(_: &str, _: &str) -> Page {
    let style = "position:absolute;left:20px;width:200px;height:20px;padding:0;border:0;background:#ff0;color:#ff0";
    let field = |(at, (begins, _)): (usize, &(&str, bool))| {
        let tag = format!("{begins} aria-label=field{at:02} style='{style};top:{}px'", 5 + 30 * at);
        if begins.starts_with("<textarea") {
            format!("{tag}>value{at:02}</textarea>")
        } else {
            format!("{tag} value=value{at:02}>")
        }
    };
    let body: String = FIELDS.iter().enumerate().map(field).collect();
    Page::html(&[], &format!("<!doctype html><title>Fields</title><body style='margin:0;background:#fff'>{body}"))
}

/// The rule exists twice: in the page client (`core/element.ts`) and in the driver (`drive/secrets.rs`).
#[test]
fn what_an_outline_hides_a_picture_hides_and_nothing_else() {
    let Some((home, _hub)) = hub() else { return };
    ok(home.eye(["browse", &Site::open(fields).url(), "--headless", "--private"]));
    let (look, picture) = (ok(home.eye(["look", "--all"])), shot(&home, &[]));
    for (at, (begins, secret)) in FIELDS.iter().enumerate() {
        let line =
            look.lines().find(|line| line.contains(&format!("field{at:02}"))).unwrap_or_else(|| panic!("{look}"));
        assert_eq!(!line.contains(&format!("value{at:02}")), *secret, "{begins}: {line}");
        let colour = picture.at(210, u32::try_from(15 + 30 * at).unwrap());
        assert_eq!(colour, if *secret { MASK } else { YELLOW }, "{begins}");
    }
}

#[test]
fn refs_are_drawn_on_a_picture_and_the_page_stays_as_it_is() {
    let Some((home, _hub)) = hub() else { return };
    ok(home.eye(["browse", &site(), "--headless", "--private"]));
    let plain = shot(&home, &[]);
    ok(home.eye(["eval", "changes = 0; new MutationObserver((all) => (changes += all.length)).observe(document, { subtree: true, childList: true, attributes: true }); 0"]));
    let marked = shot(&home, &["--annotate"]);
    assert_eq!(ok(home.eye(["changes"])), "0\n");
    let edge = marked.at(119, 320);
    assert!(edge != plain.at(119, 320) && edge[1] < 130, "the button has a frame: {edge:?}");
    assert_eq!(marked.at(70, 335), plain.at(70, 335), "and is not covered");
    // Its ref is above it, and is the same as in look.
    assert_eq!(marked.at(21, 285), edge);
    let look = ok(home.eye(["look"]));
    assert!(look.contains("[Go]"), "{look}");
    assert_eq!(shot(&home, &[]).rgba, plain.rgba, "nothing is left on the page");
    // A field in a frame is drawn at the frame's position.
    assert_ne!(marked.at(604, 60), plain.at(604, 60));
}

/// A page that itself answers the driver's request for marks, with `lie`.
const LIAR: &str = r#"<!doctype html><title>Liar</title><button id="go">Go</button>
<script>
  const write = JSON.stringify;
  let lie;
  JSON.stringify = (value, ...more) => write(lie && value?.marks ? { marks: lie } : value, ...more);
</script>"#;

#[test]
fn a_page_cannot_say_which_marks_are_drawn() {
    let Some((home, _hub)) = hub() else { return };
    let site = Site::open(|_, _| Page::html(&[], LIAR));
    ok(home.eye(["browse", &site.url(), "--headless", "--private"]));
    let honest = shot(&home, &["--annotate"]);
    for lie in ["[['e7', 0, 0, 900, 900]]", "[['e'.repeat(100000), 0, 0, 9, 9]]"] {
        ok(home.eye(["eval", &format!("lie = {lie}; 0")]));
        assert!(shot(&home, &["--annotate"]).rgba == honest.rgba, "{lie}");
    }
    // Of an honest page with more, the first are drawn.
    ok(home.eye([
        "eval",
        "lie = undefined; document.body.append(...Array.from({ length: 1200 }, () => go.cloneNode(true))); 0",
    ]));
    shot(&home, &["--annotate", "--full"]);
}

#[test]
fn what_differs_between_two_pictures_is_reported_with_its_place() {
    let Some((home, _hub)) = hub() else { return };
    ok(home.eye(["browse", &site(), "--headless", "--private"]));
    let before = home.path("before.png").display().to_string();
    ok(home.eye(["shot", "-o", &before]));
    assert_eq!(ok(home.eye(["shot", "--diff", &before])), "nothing differs\n");
    ok(home.eye(["eval", "out.textContent = 'other'; 0"]));
    let output = ok(home.eye(["shot", "--diff", &before]));
    let mut lines = output.lines();
    assert!(lines.next().unwrap().starts_with("1 region differs of 1265x"), "{output}");
    let line = lines.next().unwrap();
    assert!(line.starts_with("296,3") && line.contains("<p#out \"other\">"), "{output}");
    ok(home.eye(["eval", "go.style.background = 'red'; 0"]));
    let output = ok(home.eye(["shot", "--diff", &before]));
    let button = output.lines().find(|line| line.contains("[Go]")).unwrap_or_else(|| panic!("{output}"));
    let id = button.split('e').nth(1).map(|rest| format!("e{}", rest.split(' ').next().unwrap())).unwrap();
    ok(home.eye(["click", &id]));
    assert_eq!(ok(home.eye(["out.textContent"])), "done\n", "the ref that is told is the button's");
    ok(home.eye(["emulate", "--viewport", "390x844"]));
    let output = ok(home.eye(["shot", "--diff", &before]));
    assert!(
        output.starts_with("another size: 1265x") && output.trim_end().ends_with(" before, 375x829 now"),
        "{output}"
    );
    std::fs::write(home.path("note.txt"), "no picture").unwrap();
    let wrong = home.eye(["shot", "--diff", &home.path("note.txt").display().to_string()]);
    assert!(wrong.code != 0 && wrong.stderr.contains("not a PNG"), "{wrong:?}");
}
