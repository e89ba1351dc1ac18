//! The verbs that the page client handles. A new one is an entry here and a function in `web/client`
//! (docs/adding-a-verb.md).

use super::class::Class;
use super::operation::{Effect, Faces, Group, Operation, World};
use super::param::{Kind, Param};

const TARGET: Param = Param::new("target", Kind::Target, "A ref, text=…, or a CSS selector").placed().called("TARGET");
const PART: Param = TARGET.help("Only this part: a ref, text=…, or a CSS selector");
const VALUE: Param = Param::new("value", Kind::Text, "The text").placed().called("VALUE");
const ACCEPT: Param =
    Param::new("accept", Kind::Answer, "Accept what the page then asks with confirm or prompt, with this answer")
        .called("ANSWER");
const DISMISS: Param = Param::new(
    "dismiss",
    Kind::Flag,
    "Dismiss what the page then asks, as without --accept, and do not say how to accept it",
);
const SYNTHETIC: Param =
    Param::new("synthetic", Kind::Flag, "By events of the page's own, not as a person, where eye's browser has hands");
const MESSAGE: Param =
    Param::new("message", Kind::Any, "Text, or a JSON object or array; - is stdin").placed().called("MESSAGE");
const APP: Param = Param::new("app", Kind::Text, "Which app").placed().called("APP");

const CLICK: &[Param] = &[
    TARGET.unless("at"),
    Param::new("double", Kind::Flag, "Twice, as a double click"),
    Param::new("right", Kind::Flag, "With the right button"),
    Param::new("mod", Kind::Text, "While these keys are held, such as Shift or Control+Alt").called("KEYS"),
    Param::new("hold", Kind::Integer, "Keep the button down for so many ms").called("MS"),
    Param::new("at", Kind::Point, "At x,y in pixels of the target, or of the viewport without one").called("X,Y"),
    ACCEPT,
    DISMISS,
    SYNTHETIC,
];
const FULL: Param = Param::new("full", Kind::Flag, "The whole page, not just the viewport");
const MAX: Param =
    Param::new("max", Kind::Integer, "The longest side in pixels; larger is scaled down (1568)").called("PIXELS");
const FORMAT: Param =
    Param::new("format", Kind::Choice(&["png", "jpeg", "webp"]), "The format (png; jpeg where that is faster)")
        .called("FORMAT");
const ANNOTATE: Param = Param::new("annotate", Kind::Flag, "With the refs of look drawn on it");
const UNMASK: Param =
    Param::new("unmask", Kind::Flag, "With passwords, one-time codes and card numbers; for you alone, at a terminal")
        .class(Class::Admin)
        .remote();
const BEFORE: Param = Param::new("before", Kind::Text, "Say what differs from this PNG, in base64").remote();
const DIFF: Param = Param::new("diff", Kind::Text, "Say what differs from this picture, and where").called("FILE");
const OUTPUT: Param = Param::new("output", Kind::Text, "The file to write").short('o').called("FILE");

/// The help of a verb that needs an element: its example, and what a target is.
macro_rules! on_target {
    ($example:literal) => {
        concat!(
            "Example: ",
            $example,
            "\n\nA target is a ref of eye look, text=… as a person reads it, or a CSS selector. It is waited for until it is \
             visible, enabled and still. Prints what changed, with the errors and failed requests that it caused."
        )
    };
}

/// What every verb of the page takes besides its own parameters. The CLI has them as flags of all verbs.
pub const COMMON: &[Param] = &[
    Param::new("page", Kind::Text, "The page: an id, an alias, or part of a title or URL"),
    Param::new("timeout", Kind::Integer, "How long it may take, in ms"),
    Param::new("frame", Kind::Text, "The frame in the page: a selector, a name, an index, or part of a URL"),
];

pub const OPERATIONS: &[Operation] = &[
    Operation::verb("look", "page/look", "Print what a person sees and can act on, a line each, with refs")
        .reads()
        .alias(&["snapshot"])
        .params(&[
            PART,
            Param::new("all", Kind::Flag, "The whole page, not just the viewport"),
            Param::new("since", Kind::Flag, "Only what changed since the last look"),
            Param::new("loaded", Kind::Flag, "Wait until the page shows something or all of it has loaded, at most 10 s"),
        ])
        .result("the outline as text")
        .more(
            "Example: eye look
         eye look '#checkout'
         eye look --since

A line begins with the element's ref, such as e9, which click, fill and the others take. The viewport comes first; --all \
prints the whole page, --since only what changed since your last look.",
        ),
    Operation::verb("text", "page/text", "Print the readable text of the page, or of a part of it")
        .reads()
        .params(&[PART])
        .result("readable text")
        .more("Example: eye text\n         eye text main"),
    Operation::verb("query", "page/query", "Print what an element is: tag, id, class, text, HTML and place")
        .reads()
        .params(&[TARGET.required(), Param::new("all", Kind::Flag, "All that match, shortly")])
        .result("`{tag, id, className, text, html, rect}`, or a list of such")
        .gives("unknown")
        .more("Example: eye query '.desktop-icon'\n         eye query .card --all"),
    Operation::verb("requests", "page/requests", "List the requests that the page made, as far as its browser remembers them")
        .done_in(World::Page)
        .reads()
        .result("the latest 250: `[{url, by, status, at, ms, bytes}]`; `status` and `bytes` are 0 where another origin hides them")
        .gives("unknown")
        .faces(Faces::CLI.and(Faces::RPC))
        .more("Example: eye requests\n\nFailed ones are also in eye logs, with their method and why."),
    Operation::verb("highlight", "page/highlight", "Show an element to the person at the page: a frame around it, for a moment")
        .params(&[
            TARGET,
            Param::new("ms", Kind::Integer, "How long, in ms; 10,000 at most (2000)").called("MS"),
        ])
        .result("the line of the element; without a target, the frame is taken away")
        .faces(Faces::CLI.and(Faces::RPC))
        .more("Example: eye highlight e9\n\nNothing of the page changes, and the frame takes no clicks. Without a target it is taken away."),
    Operation::verb("wait", "page/wait", "Wait until a target is visible or an expression is true, and print it")
        .reads()
        .params(&[
            Param::new("what", Kind::Condition, "What to wait for: a target, or an expression").placed().class(Class::Eval),
            Param::new("target", Kind::Target, "Until this is visible: a ref, text=…, or a CSS selector"),
            Param::new("expr", Kind::Text, "Until this expression is true").class(Class::Eval),
        ])
        .words(&[Param::new("what", Kind::Text, "What to wait for").required().placed().called("TARGET|EXPR")])
        .result("the first truthy value, or the target's line; at its timeout the error -32001 with `data.value`, the last value")
        .gives("unknown")
        .more(
            "Example: eye wait 'text=Order placed'
         eye wait '#result' --timeout 60
         eye wait 'cart.items.length > 2 && cart.total'

A target is a ref (e9), text=…, css=…, or a selector that begins with # . or [; everything else is an expression, whose \
first truthy value is printed. Nothing is polled by you: the page looks again whenever it changes. After a reload the wait \
goes on. At the timeout it prints the last value and exits with 124.",
        ),
    Operation::verb("logs", "page/logs", "Print the page's console, errors and failed requests since you last asked")
        .done_in(World::Page)
        .reads()
        .params(&[
            Param::new("all", Kind::Flag, "Everything that is still known, not just what is new"),
            Param::new("level", Kind::Choice(LEVELS), "Only this level and worse").called("LEVEL"),
            Param::new("follow", Kind::Flag, "Go on with what comes").short('f').remote(),
        ])
        .words(&[
            Param::new("all", Kind::Flag, "Everything that is still known, not just what is new"),
            Param::new("level", Kind::Choice(LEVELS), "Only this level and worse").called("LEVEL"),
            Param::new("follow", Kind::Flag, "Go on with what comes").short('f'),
            Param::new("hub", Kind::Flag, "The hub's own log instead of the page's"),
            super::words::COUNT,
            super::words::FOR,
        ])
        .more(
            "Example: eye logs
         eye logs --level error --all
         eye logs -f
         eye logs --hub -f

A line is the level and the text. -f goes on with what comes. Ends after --count lines or --for seconds; without either on \
a terminal with Ctrl-C, elsewhere after 10 seconds.",
        )
        .result("entries since this agent last asked: `[{level, text, count?}]`")
        .gives("unknown"),
    Operation::verb("click", "page/click", "Click an element, or a place of it or of the page")
        .params(CLICK)
        .more(on_target!(
            "eye click e9\n         eye click 'text=Sign in'\n         eye click e4 --right\n         eye click --at 300,200"
        )),
    Operation::verb("dblclick", "page/dblclick", "Double-click an element, as click --double does")
        .params(CLICK)
        .without(Faces::MCP)
        .more(on_target!("eye dblclick e9")),
    Operation::verb("hover", "page/hover", "Point at an element")
        .params(&[TARGET.required(), ACCEPT, DISMISS, SYNTHETIC])
        .more(on_target!("eye hover e9")),
    Operation::verb("focus", "page/focus", "Give an element the focus")
        .params(&[TARGET.required(), ACCEPT, DISMISS, SYNTHETIC])
        .more(on_target!("eye focus e3")),
    Operation::verb("check", "page/check", "Tick a box or choose a radio button")
        .params(&[TARGET.required(), ACCEPT, DISMISS, SYNTHETIC])
        .more(on_target!("eye check '#terms'")),
    Operation::verb("uncheck", "page/uncheck", "Untick a box")
        .params(&[TARGET.required(), ACCEPT, DISMISS, SYNTHETIC])
        .more(on_target!("eye uncheck '#terms'")),
    Operation::verb("fill", "page/fill", "Fill a field, or a whole form at once")
        .params(&[
            TARGET,
            VALUE,
            Param::new("fields", Kind::Fields, "Several fields at once: [[target, value], …]"),
            Param::new("click", Kind::Target, "Click this afterwards").called("TARGET"),
            ACCEPT,
            DISMISS,
            SYNTHETIC,
        ])
        .words(&[
            Param::new("words", Kind::Text, "TARGET VALUE, or TARGET=VALUE as often as needed")
                .required()
                .placed()
                .many()
                .called("TARGET[=]VALUE"),
            Param::new("click", Kind::Target, "Click this afterwards").called("TARGET"),
            ACCEPT,
            DISMISS,
            SYNTHETIC,
        ])
        .more(
            "Example: eye fill e3 'Ada Lovelace'
         eye fill e3='Ada Lovelace' e4=ada@example.org --click e9
         eye fill '[name=q]' shoes

TARGET=VALUE several times fills a form in one call; --click then clicks. Prints what changed.",
        ),
    Operation::verb("type", "page/type", "Type text key by key into an element")
        .params(&[TARGET.required(), VALUE.required(), ACCEPT, DISMISS, SYNTHETIC])
        .more(
            "Example: eye type e3 'hello'

Unlike fill it adds to what is there, one key at a time, for pages that listen to keys.",
        ),
    Operation::verb("press", "page/press", "Press a key, or keys together")
        .params(&[
            Param::new("keys", Kind::Text, "Such as Enter, Escape or Control+a").required().placed().called("KEYS"),
            TARGET.help("Where; else what has the focus"),
            ACCEPT,
            DISMISS,
            SYNTHETIC,
        ])
        .more("Example: eye press Enter\n         eye press Control+a e3"),
    Operation::verb("select", "page/select", "Select options of a list")
        .params(&[
            TARGET.required(),
            Param::new("value", Kind::Texts, "What a person reads, or the option's value")
                .required()
                .placed()
                .many()
                .called("OPTION"),
            ACCEPT,
            DISMISS,
            SYNTHETIC,
        ])
        .more("Example: eye select e5 Blue\n         eye select '#sizes' S M"),
    Operation::verb("scroll", "page/scroll", "Scroll the page or an element, or to an element")
        .params(&[
            TARGET.help("The element to bring into view, or with by to scroll"),
            Param::new("by", Kind::Point, "By so many pixels: [x, y]"),
            Param::new("to", Kind::Choice(&["up", "down", "top", "bottom"]), "A screen up or down, or an end"),
            ACCEPT,
            DISMISS,
            SYNTHETIC,
        ])
        .words(&[
            Param::new("to", Kind::Text, "up, down, top, bottom, or an element to bring into view")
                .placed().called("TO")
                .default("\"down\""),
            Param::new("by", Kind::Integer, "Scroll this element, or the page, by so many pixels").called("PIXELS"),
            ACCEPT,
            DISMISS,
            SYNTHETIC,
        ])
        .result("where it is now")
        .more(
            "Example: eye scroll down
         eye scroll e7
         eye scroll '#list' --by 400
         eye scroll bottom",
        ),
    Operation::verb("drag", "page/drag", "Drag an element, or what is at a place, to another or to a place")
        .params(&[
            Param::new("from", Kind::Place, "A target, or x,y in the viewport").required().placed().called("FROM"),
            Param::new("to", Kind::Place, "A target, or x,y in the viewport").required().placed().called("TO"),
            ACCEPT,
            DISMISS,
            SYNTHETIC,
        ])
        .more(
            "Example: eye drag e3 e9
         eye drag '#window .title' 300,200
         eye drag 100,100 300,200

A place is x,y in the viewport.",
        ),
    Operation::verb("upload", "page/upload", "Give files to a file field; in eye's own browser also to a button or by dropping")
        .params(&[
            TARGET.required(),
            Param::new("files", Kind::Files, "The files").required().placed().many().called("FILE"),
            ACCEPT,
            DISMISS,
            SYNTHETIC,
        ])
        .more("Example: eye upload e6 photo.png notes.txt"),
    Operation::verb("send", "page/send", "Send a message to an app of the page, opening it when needed")
        .done_in(World::Page)
        .group(Group::Messages)
        .params(&[APP.required(), MESSAGE.required()])
        .result("what the app answers")
        .gives("unknown")
        .without(Faces::MCP)
        .more("Example: eye send claude-eyes analyze"),
    Operation::verb("write", "page/write", "Write a message to the page, which gets it as an event")
        .done_in(World::Page)
        .group(Group::Messages)
        .params(&[MESSAGE.required()])
        .result("`{}`")
        .without(Faces::MCP.and(Faces::PAGE))
        .more(
            "Example: eye write '{\"msg\":\"hello\"}'

The page hears it with eye.onMessage(fn), or as the event eye:message.",
        ),
    Operation::verb("apps", "page/apps", "List the page's own applications")
        .done_in(World::Page)
        .reads()
        .result("`[{app, …}]` (`eye.app`)")
        .gives("unknown")
        .faces(Faces::RPC.and(Faces::PAGE)),
    Operation::verb("open", "page/open", "Open an application of the page")
        .done_in(World::Page)
        .params(&[APP.required().help("Which app; over MCP also a URL, or desktop, scene or geometry, without a page")])
        .result("what the app answers")
        .gives("unknown")
        .faces(Faces::RPC.and(Faces::PAGE).and(Faces::MCP)),
    Operation::verb("goto", "page/goto", "Go to another address in the page's own tab, and print what is seen there")
        .group(Group::Pages)
        .params(&[Param::new("url", Kind::Text, "The address; one that begins with / is of the same site")
            .required()
            .placed()
            .called("URL")])
        .result(ARRIVAL)
        .without(Faces::PAGE)
        .more(
            "Example: eye goto /orders
         eye goto http://localhost:5173/

Waits until the new page has joined and shows something, at most 10 s. eye open URL opens another tab of your browser.",
        ),
    Operation::verb("back", "page/back", "Go back to the page before, and print what is seen there")
        .done_in(World::Browser)
        .group(Group::Pages)
        .result(ARRIVAL)
        .without(Faces::PAGE)
        .more("Example: eye back"),
    Operation::verb("forward", "page/forward", "Go forward again, and print what is seen there")
        .done_in(World::Browser)
        .group(Group::Pages)
        .result(ARRIVAL)
        .without(Faces::PAGE)
        .more("Example: eye forward"),
    Operation::verb("shot", "page/shot", "Take a picture of the page, or of a part of it, in eye's own browser")
        .done_in(World::Browser)
        .reads()
        .params(&[PART, FULL, MAX, FORMAT, ANNOTATE, UNMASK, BEFORE])
        .words(&[PART, FULL, MAX, FORMAT, ANNOTATE, DIFF, UNMASK, OUTPUT])
        .result("`{base64, mediaType}`; with `before`, what differs, as text")
        .gives("unknown")
        .without(Faces::PAGE)
        .more(
            "Example: eye shot
         eye shot e9 -o button.png
         eye shot --annotate
         eye shot --diff before.png
         eye shot --full --max 4000 --format jpeg

Prints the file, its size and about how many tokens a model pays for it. --diff prints what differs from a PNG instead: places, \
their sizes, and what lies there. Filled fields for passwords, one-time codes and card numbers are painted over. A picture that \
is painted on is a PNG. Needs a page of eye's own browser: eye browse URL.",
        ),
    Operation::verb("pdf", "page/pdf", "Print the page into a PDF file, in eye's own browser without a window")
        .done_in(World::Browser)
        .reads()
        .words(&[OUTPUT])
        .result("`{base64, mediaType}`")
        .gives("unknown")
        .without(Faces::PAGE.and(Faces::MCP))
        .more("Example: eye pdf -o page.pdf"),
    Operation::verb("dialog", "page/dialog", "Answer the alert, confirm or prompt that a page of eye's own browser shows")
        .done_in(World::Browser)
        .params(&[ACCEPT.help("Accept it, with this text for a prompt"), DISMISS.help("Dismiss it")])
        .result("what it asked, and how it was answered")
        .without(Faces::PAGE)
        .more("Example: eye dialog\n         eye dialog --accept\n         eye dialog --accept=Ada\n         eye dialog --dismiss"),
    Operation::verb("emulate", "page/emulate", "Show a page of eye's own browser another device")
        .done_in(World::Browser)
        .params(&[
            Param::new("viewport", Kind::Text, "Its size, such as 390x844").called("WIDTHxHEIGHT"),
            Param::new("dark", Kind::Flag, "Dark colours are preferred"),
            Param::new("touch", Kind::Flag, "A touch screen: clicks are taps"),
            Param::new("offline", Kind::Flag, "Without a network"),
            Param::new("geolocation", Kind::Text, "Where it is, such as 52.52,13.40; needs --grant geolocation")
                .called("LAT,LON"),
            Param::new("grant", Kind::Texts, "What its site may do, such as geolocation or camera; all is denied else")
                .many()
                .called("PERMISSION")
                .class(Class::Admin),
            Param::new("reset", Kind::Flag, "First as the browser is"),
        ])
        .result("what is emulated from now on")
        .without(Faces::PAGE.and(Faces::MCP))
        .more("Example: eye emulate --viewport 390x844 --touch --dark
         eye emulate --grant geolocation --geolocation 52.52,13.40
         eye emulate --reset

What a page would ask a person for (geolocation, notifications, camera, microphone, midi, clipboard-read, idle-detection, \
window-management, local-fonts) is denied at once; --grant allows it to the page's site, until --reset or the browser's end."),
    Operation::verb("cookies", "page/cookies", "Show, set or remove the cookies of a page of eye's own browser")
        .done_in(World::Browser)
        .group(Group::Pages)
        .class(Class::Admin)
        .params(&[
            Param::new("action", Kind::Choice(&["get", "set", "clear"]), "What to do with them")
                .required()
                .placed()
                .called("ACTION"),
            Param::new("name", Kind::Text, "Which; else all").placed().called("NAME"),
            Param::new("value", Kind::Text, "What it is to hold").placed().called("VALUE"),
        ])
        .result("a line each, or what was done")
        .without(Faces::PAGE.and(Faces::MCP))
        .more("Example: eye cookies get\n         eye cookies set theme dark\n         eye cookies clear theme"),
    Operation::verb("storage", "page/storage", "Save the login of a page of eye's own browser into a file, or load it")
        .done_in(World::Browser)
        .group(Group::Pages)
        .class(Class::Admin)
        .params(&[
            Param::new("action", Kind::Choice(&["save", "load"]), "What to do").required().placed().called("ACTION"),
            Param::new("state", Kind::Object, "What was saved"),
        ])
        .words(&[
            Param::new("action", Kind::Choice(&["save", "load"]), "What to do").required().placed().called("ACTION"),
            Param::new("file", Kind::Text, "The file").required().placed().called("FILE"),
        ])
        .result("`save`: cookies and local storage as JSON, in Playwright's form; `load`: what was taken")
        .without(Faces::PAGE.and(Faces::MCP))
        .more(
            "Example: eye storage save login.json
         eye storage load login.json

The file holds what logs you in: it is readable by you alone. It has the cookies that the page's address gets and the local storage
of its origin; Playwright reads and writes the same form.",
        ),
    Operation::verb("net", "page/net", "List the requests of a page of eye's own browser since you last asked, or show one")
        .done_in(World::Browser)
        .reads()
        .params(&[
            Param::new("id", Kind::Text, "Which one, with its headers and bodies").placed().called("ID").class(Class::Eval),
            Param::new("all", Kind::Flag, "All that are kept"),
            Param::new("secrets", Kind::Flag, "With headers that carry a login").class(Class::Admin),
            Param::new("off", Kind::Flag, "Record no more"),
        ])
        .result("a line each: number, method, status, kind, size, time, address")
        .without(Faces::PAGE)
        .more(
            "Example: eye net
         eye net n12
         eye net --off

The first time, recording begins, because it slows the page; it ends 10 minutes after you last asked.",
        ),
    Operation::verb("downloads", "page/downloads", "List what was downloaded in eye's own browser, and where it is")
        .done_in(World::Browser)
        .group(Group::Pages)
        .reads()
        .result("a line each: name, size, file")
        .without(Faces::PAGE)
        .more("Example: eye downloads"),
    Operation::verb("close", "page/close", "Close the tab of a page of eye's own browser")
        .done_in(World::Browser)
        .group(Group::Pages)
        .result("`closed`")
        .without(Faces::PAGE.and(Faces::MCP))
        .more("Example: eye close"),
    Operation::verb("stop-script", "page/stop-script", "End a script that does not end by itself, in eye's own browser")
        .done_in(World::Browser)
        .result("whether one ran")
        .without(Faces::PAGE.and(Faces::MCP))
        .more("Example: eye stop-script"),
    Operation::verb("reload", "page/reload", "Load the page anew, and print its title and URL once it is back")
        .group(Group::Pages)
        .effect(Effect::Acts)
        .result("the title and URL once it is back")
        .without(Faces::PAGE)
        .more("Example: eye reload"),
];

/// The result of a verb that goes to another page.
const ARRIVAL: &str = "the outline of the page at which it arrives; its title and URL where that is of another origin";
const LEVELS: &[&str] = &["debug", "log", "info", "warn", "error"];
