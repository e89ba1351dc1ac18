//! The methods that agents request from the hub, and the verbs that send them.

use super::class::Class;
use super::operation::{Effect, Faces, Group, Operation};
use super::page::COMMON;
use super::param::{Kind, Param};
use super::words;

const PAGE: Param = COMMON[0];
const TIMEOUT: Param = COMMON[1];
const DELTA: Param = Param::new("delta", Kind::Flag, "The answer carries the change of state that it caused");
const IF_REVISION: Param =
    Param::new("ifRevision", Kind::Integer, "Only if the state has this revision; else -32007 with both revisions");
const SNAPSHOT: Param = Param::new("name", Kind::Text, "Its name").placed().called("NAME");
const TOPIC: Param = Param::new("topic", Kind::Text, "Which topic; one that ends in * stands for all that begin so");
const SESSION: Param = Param::new("sessionId", Kind::Text, "Which session");
const CWD: Param =
    Param::new("cwd", Kind::Text, "Whose servers: the project's folder; believed on the Unix socket only");
const ENV: Param = Param::new("env", Kind::Object, "Its environment; believed on the Unix socket only");
const ARGUMENTS: Param = Param::new("arguments", Kind::Object, "The tool's arguments").default("{}");
const CONFIRM: Param = Param::new("confirm", Kind::Flag, "A person wants what cannot be undone").class(Class::Admin);

const WHAT: Param = Param::new("what", Kind::Choice(&["agent", "page", "all"]), "What is meant").required();
const SEEN: Param = Param::new("seen", Kind::Text, "What was shown, by its hash: anything else is refused").required();
const ORIGIN: Param = Param::new("origin", Kind::Text, "Scheme, host and port").required();

pub const OPERATIONS: &[Operation] = &[
    Operation::method("hello", Class::Read, "Say who asks and how answers are written")
        .effect(Effect::Reads)
        .params(&[
            Param::new("clientType", Kind::Choice(&["browser", "agent"]), "Which side this is"),
            Param::new("version", Kind::Text, "The protocol's version"),
            Param::new("typed", Kind::Flag, "Answers in lines are typed"),
            Param::new("batch", Kind::Flag, "Every later message is a batch"),
            Param::new("binary", Kind::Flag, "Binary results come as binary messages"),
            Param::new("agent", Kind::Text, "Who asks, across connections"),
            Param::new("target", Kind::Text, "The page that calls of this connection mean"),
            Param::new("timeout", Kind::Integer, "How long its calls may take, in ms"),
            Param::new("frame", Kind::Text, "The frame that its calls mean"),
            Param::new("token", Kind::Text, "A token that lowers what this connection may do"),
            Param::new("build", Kind::Text, "The agent's own version; an older idle hub makes room"),
        ])
        .result("`{sessionId?, version, hub}`"),
    Operation::method("ping", Class::Read, "Ask whether the hub is there").effect(Effect::Reads).result("`{\"pong\":true}`"),
    Operation::method("call/cancel", Class::Read, "End a call of this connection as cancelled")
        .effect(Effect::Reads)
        .params(&[Param::new("id", Kind::Any, "The call's id").required()])
        .result("nothing: a notification"),
    Operation::verb("eval", "eval", "Evaluate code in a page and print its value")
        .group(Group::Ask)
        .class(Class::Eval)
        .effect(Effect::Evaluates)
        .params(&[
            Param::new("code", Kind::Text, "What to evaluate").required(),
            PAGE,
            Param::new("frame", Kind::Text, "In which frame of it: a selector, a name, an index, or part of a URL"),
            TIMEOUT,
            Param::new("mode", Kind::Choice(&["answer", "fire", "keep"]), "What becomes of the answer")
                .default("\"answer\""),
            Param::new("keep", Kind::Text, "The id to keep it under"),
            DELTA,
            IF_REVISION,
        ])
        .words(words::EVAL)
        .result(
            "`{\"value\":…}`, or `{\"rendering\":\"…\"}` for what JSON cannot hold; `mode: \"fire\"` → `{}`; `mode: \"keep\"` → \
             `{\"id\":\"k1\"}` at once",
        )
        .faces(Faces::CLI.and(Faces::RPC)),
    Operation::verb("collect", "collect", "Print what async calls came to, waiting for those under way")
        .group(Group::Ask)
        .class(Class::Eval)
        .effect(Effect::Reads)
        .params(&[
            Param::new("ids", Kind::Texts, "Which; all when there are none"),
            Param::new("timeout", Kind::Integer, "How long to wait for the pending ones, in ms"),
        ])
        .words(words::COLLECT)
        .result("`{\"results\":[{id, value \\| rendering \\| error}],\"pending\":[ids]}`")
        .faces(Faces::CLI.and(Faces::RPC)),
    Operation::verb("pages", "session/list", "List the pages, with who sees them and when they were last asked; * marks the one that is asked")
        .reads()
        .group(Group::Pages)
        .alias(&["tabs"])
        .words(words::NONE)
        .result(
            "`{\"sessions\":[{id,name?,alias?,title,url,origin,state,visible,frame,parent?,browser?,window?,eval,tools,pending,idleMs,usedMs?,usedBy?,\
             current}]}`; `state` is `connected`, `away` or `gone`",
        )
        .without(Faces::PAGE),
    Operation::verb("use", "session/use", "Choose the page to ask from here on, in this folder")
        .reads()
        .group(Group::Pages)
        .params(&[
            PAGE.required().placed().help("An id, an alias, an origin, or part of a title or URL"),
            Param::new("as", Kind::Text, "A name for it, which no page can take; empty takes it back").class(Class::Admin),
        ])
        .words(words::USE)
        .result("the row of that session, which is now this agent's")
        .without(Faces::PAGE),
    Operation::method("session/forget", Class::Admin, "Forget a page that is not there: its state, its mail and its origin")
        .params(&[PAGE.required().help("An id, an alias, an origin, or part of a title or URL")])
        .result("`{forgotten}`: the session's id"),
    Operation::method("session/join", Class::Read, "Ask a session from now on, and hear of it")
        .effect(Effect::Reads)
        .params(&[SESSION.required()])
        .result("`{success: true, sessionId, tools}`"),
    Operation::method("session/leave", Class::Read, "Hear of the session no more")
        .effect(Effect::Reads)
        .result("`{success: true}`"),
    Operation::method("session/info", Class::Read, "Tell about one session")
        .effect(Effect::Reads)
        .params(&[SESSION])
        .result("the session's row, with `tools` (count) and `createdMs` (its age)"),
    Operation::verb("tools", "tools/list", "List the tools that the page offers")
        .reads()
        .group(Group::Tools)
        .params(&[PAGE, Param::new("filter", Kind::Text, "Part of a name or description")])
        .words(words::TOOLS)
        .result("`{tools}`")
        .faces(Faces::CLI.and(Faces::RPC)),
    Operation::method("tools/get", Class::Read, "Give one tool's definition")
        .effect(Effect::Reads)
        .params(&[Param::new("name", Kind::Text, "Which").required(), PAGE])
        .result("the tool"),
    Operation::verb("call", "tools/call", "Call a tool that the page offers")
        .group(Group::Tools)
        .params(&[
            Param::new("name", Kind::Text, "Which").required(),
            ARGUMENTS,
            TIMEOUT,
            PAGE,
            CONFIRM,
            DELTA,
            IF_REVISION,
        ])
        .words(words::CALL)
        .result("`{content, isError, …}`")
        .faces(Faces::CLI.and(Faces::RPC)),
    Operation::method("tools/callBatch", Class::Act, "Call several tools, one after the other")
        .params(&[
            Param::new("calls", Kind::Objects, "[{name, arguments}]").required(),
            TIMEOUT,
            PAGE,
        ])
        .result("`{results: [{result} or {error}]}`, in order"),
    Operation::verb("state", "state/get", "Print the state that the page publishes")
        .reads()
        .params(&[
            PAGE,
            Param::new("path", Kind::Text, "Which part: model.color, /model/color or $.model.color").placed(),
            Param::new("fresh", Kind::Flag, "Ask the page first"),
            Param::new("since", Kind::Integer, "Only what changed after this revision"),
        ])
        .words(words::STATE)
        .result(
            "`{value, revision, source, wasCached, stale, ageMs, time, warning?}`; with `since`, `{patch, revision, …}` instead of \
             `value`, or the whole `value` when that is too long ago",
        )
        .without(Faces::PAGE),
    Operation::verb("watch", "state/watch", "Print every change of the page's state, every message of a topic, or every log entry as it happens")
        .reads()
        .params(&[PAGE])
        .words(words::WATCH)
        .result("`{revision}`; from then on `state/changed`")
        .faces(Faces::CLI.and(Faces::RPC)),
    Operation::verb("save", "state/save", "Keep the page's state under a name, to restore it later")
        .params(&[PAGE, SNAPSHOT.required()])
        .words(words::SAVE)
        .result("`{name, revision, bytes, time}`; a session keeps 16, the oldest gives way")
        .without(Faces::PAGE),
    Operation::verb("saved", "state/saved", "List the states of the page that are kept")
        .reads()
        .params(&[PAGE])
        .words(words::NONE)
        .result("`{snapshots: [{name, revision, bytes, time}]}`, the oldest first")
        .without(Faces::PAGE),
    Operation::verb("restore", "state/restore", "Give the page the state that is kept under a name")
        .params(&[PAGE, SNAPSHOT.required(), IF_REVISION])
        .words(words::SAVE)
        .result("`{value, delta}`, once the page has it")
        .without(Faces::PAGE),
    Operation::method("state/unwatch", Class::Read, "Hear of the state no more")
        .effect(Effect::Reads)
        .params(&[PAGE])
        .result("`{revision}`"),
    Operation::verb("pub", "topic/publish", "Publish a message under a topic")
        .group(Group::Messages)
        .params(&[
            TOPIC.required().help("Which topic"),
            Param::new("message", Kind::Any, "Any JSON").required(),
            Param::new("as", Kind::Text, "The sender's own word for itself; the hub writes `from`"),
            Param::new("all", Kind::Flag, "From an agent: pages of every origin hear it, not only of the page it uses"),
            Param::new("queue", Kind::Flag, "Whether it waits where nothing subscribes").default("true"),
            Param::new("timeout", Kind::Integer, "How long it waits, in ms").default("5000"),
        ])
        .words(words::PUB)
        .result(
            "`{\"status\":\"delivered\",\"count\":n}`, `{\"status\":\"queued\",\"reason\"}` or `{\"status\":\"dropped\",\"reason\"}`",
        )
        .faces(Faces::CLI.and(Faces::RPC)),
    Operation::verb("sub", "topic/subscribe", "Print the messages of a topic as they come")
        .reads()
        .group(Group::Messages)
        .params(&[TOPIC.required()])
        .words(words::SUB)
        .result("`{}`; from then on `topic/message`")
        .faces(Faces::CLI.and(Faces::RPC)),
    Operation::method("topic/unsubscribe", Class::Read, "Hear of a topic no more")
        .effect(Effect::Reads)
        .params(&[TOPIC.required()])
        .result("`{}`"),
    Operation::verb("read", "mailbox/read", "Print what the page had to say, each message once")
        .group(Group::Messages)
        .params(&[PAGE, Param::new("timeout", Kind::Integer, "How long to wait for the first, in ms")])
        .words(words::READ)
        .result("`{\"messages\":[{from, msg, timestamp}],\"dropped\":n}`; each is given once")
        .faces(Faces::CLI.and(Faces::RPC)),
    Operation::verb("status", "hub/status", "Tell whether a hub runs, and what it does")
        .reads()
        .group(Group::Hub)
        .words(words::STATUS)
        .result(
            "`{version,pid,uptimeMs,listen,socket,auth,pages,sessions,agents,pending}`; in a cluster also \
             `cluster: {cluster,own,up,others:[{name,pages}]}`",
        )
        .faces(Faces::CLI.and(Faces::RPC)),
    Operation::method("hub/serve", Class::Admin, "Serve a file or folder of the hub's machine; Unix socket only")
        .params(&[Param::new("path", Kind::Text, "An absolute path").required()])
        .result("`{url}`"),
    Operation::verb("down", "hub/stop", "Stop the hub")
        .group(Group::Hub)
        .class(Class::Admin)
        .params(&[Param::new("drain", Kind::Integer, "How long calls under way may take until they are ended, in ms")])
        .words(words::DOWN)
        .result("`{\"stopping\":true}`")
        .faces(Faces::CLI.and(Faces::RPC)),
    Operation::verb("audit", "audit/read", "Print what agents asked of pages, servers and the hub")
        .group(Group::Hub)
        .class(Class::Admin)
        .effect(Effect::Reads)
        .params(&[
            Param::new("since", Kind::Integer, "Only calls that were asked since then, Unix time in ms"),
            Param::new("limit", Kind::Integer, "At most so many rows, the latest; 10,000 are given at most"),
        ])
        .words(words::AUDIT)
        .result("`{mode, rows, cut}`: rows of the audit log, oldest first ([audit.md](audit.md))")
        .faces(Faces::CLI.and(Faces::RPC)),
    Operation::method("audit/watch", Class::Admin, "Hear of every row of the audit log")
        .effect(Effect::Reads)
        .result("`{mode}`; from then on `audit/row`"),
    Operation::verb("console", "console/link", "Open the console: what agents do, as it happens, and the means to stop it")
        .group(Group::Hub)
        .class(Class::Admin)
        .params(&[Param::new("expiresMs", Kind::Integer, "How long the tab's key outlives its last connection, in ms")
            .default("3600000")])
        .words(words::CONSOLE)
        .result("`{url}`: a link that opens the console once, within two minutes")
        .faces(Faces::CLI.and(Faces::RPC)),
    Operation::method("console/watch", Class::Admin, "Hear of pages, agents, servers, calls and counters as they change")
        .effect(Effect::Reads)
        .result("`{hub, now, audit, samples, pages, agents, control}`; from then on `console/feed`"),
    Operation::method("console/series", Class::Admin, "Give the counters of the last hour of an agent, a page or the hub")
        .effect(Effect::Reads)
        .params(&[WHAT, Param::new("name", Kind::Text, "The agent's name, or the page's session")])
        .result("`{samples}`"),
    Operation::method("console/pause", Class::Admin, "Pause an agent, a page or everything, or let it go on")
        .params(&[
            WHAT,
            Param::new("name", Kind::Text, "The agent's name, or the page's session"),
            Param::new("paused", Kind::Flag, "Whether it is paused from now on").default("true"),
        ])
        .result("`{all, agents, pages}`: what is paused"),
    Operation::method("console/confirm", Class::Admin, "Allow or refuse a call that waits for a person")
        .params(&[
            Param::new("id", Kind::Integer, "Its number in the queue").required(),
            Param::new("allow", Kind::Flag, "Whether it is done").required(),
        ])
        .result("`{decided: true}`"),
    Operation::method("console/tokens", Class::Admin, "List the named tokens, without their secrets")
        .effect(Effect::Reads)
        .result("`{tokens: [{name, may, pages, createdAt, expiresAt}]}`"),
    Operation::method("console/revoke", Class::Admin, "Take a named token back")
        .params(&[Param::new("name", Kind::Text, "Which").required()])
        .result("`{revoked}`"),
    Operation::method("console/origins", Class::Admin, "List the allowed origins and the denied sites")
        .effect(Effect::Reads)
        .result("`{origins: [{origin, eval, confirm, pages, backends}], denied: [pattern]}`"),
    Operation::method("console/allow", Class::Admin, "Let pages of an origin join, or change what is allowed there")
        .params(&[
            ORIGIN,
            Param::new("eval", Kind::Flag, "Whether code may be evaluated in its pages"),
            Param::new("confirm", Kind::Flag, "Whether its tools that cannot be undone need confirmation"),
        ])
        .result("`{origins}`"),
    Operation::method("console/remove", Class::Admin, "Take an allowed origin or a denied site off the list")
        .params(&[ORIGIN])
        .result("`{origins}`"),
    Operation::verb("servers", "gateway/servers", "List, add, import or try the MCP servers behind the gateway")
        .group(Group::Mcp)
        .class(Class::Servers)
        .effect(Effect::Reads)
        .params(&[CWD, ENV])
        .result("`{\"servers\":[{name, description?, command, state, tools, protocol?, counters}],\"errors\":[…]}`")
        .faces(Faces::CLI.and(Faces::RPC)),
    Operation::verb("discover", "gateway/discover", "Find tools of all pages and servers, by words or JSONPath")
        .reads()
        .group(Group::Tools)
        .params(&[Param::new("query", Kind::Text, "Words, or JSONPath").required(), CWD, ENV])
        .words(words::DISCOVER)
        .result("`{\"text\", \"hidden\", \"servers\", …}`: what was found, as text and as values")
        .faces(Faces::CLI.and(Faces::RPC)),
    Operation::method("gateway/call", Class::Servers, "Call a tool of a page or of an MCP server by its name")
        .params(&[
            Param::new("name", Kind::Text, "Which").required(),
            ARGUMENTS,
            Param::new("select", Kind::Text, "JSONPath into the result"),
            TIMEOUT,
            CONFIRM,
            CWD,
            ENV,
        ])
        .result("the tool's result, as `tools/call` gives it"),
    Operation::method("gateway/waiting", Class::Admin, "List what waits for a person: entries of projects, and tools that changed")
        .effect(Effect::Reads)
        .result("`{waiting: [{kind: \"entry\" or \"tools\", server, folder, seen, …}]}`"),
    Operation::method("gateway/approve", Class::Admin, "Approve the tools of a server as they were shown")
        .params(&[Param::new("server", Kind::Text, "Which").required(), SEEN])
        .result("`{approved}`: how many tools"),
    Operation::method("gateway/trust", Class::Admin, "Agree to an entry of a project's config as it was shown")
        .params(&[
            Param::new("server", Kind::Text, "Which").required(),
            Param::new("folder", Kind::Text, "The project's folder, as it was shown").required(),
            SEEN,
        ])
        .result("`{trusted}`"),
    Operation::method("gateway/logs", Class::Servers, "Give the end of what an MCP server wrote on stderr")
        .effect(Effect::Reads)
        .params(&[Param::new("server", Kind::Text, "Which").required(), CWD, ENV])
        .result("`{text}`"),
    Operation::verb("browse", "browser/open", "Open a page in eye's own browser, where every verb has real hands")
        .group(Group::Pages)
        .class(Class::Admin)
        .params(&[
            Param::new("url", Kind::Text, "Which page").unless("attach"),
            Param::new("attach", Kind::Text, "A browser that runs: its endpoint, or `auto`"),
            Param::new("profile", Kind::Text, "Whose logins: a name").default("\"default\""),
            Param::new("private", Kind::Flag, "A profile that is thrown away"),
            Param::new("headless", Kind::Flag, "Without a window"),
            Param::new("keep", Kind::Flag, "It does not end after 15 idle minutes"),
        ])
        .words(words::BROWSE)
        .result("`{id}`: the page's session; without `url`, `{pages}`: those of its tabs")
        .faces(Faces::CLI.and(Faces::RPC)),
    Operation::method("browser/list", Class::Admin, "List the browsers that run")
        .effect(Effect::Reads)
        .result("`{browsers: [{profile, product, pid, headless, pages, tabs}]}`"),
    Operation::method("browser/stop", Class::Admin, "End a browser, or all")
        .params(&[Param::new("profile", Kind::Text, "Which; else all")])
        .result("`{stopped: n}`"),
    Operation::verb("extension", "browser/pair", "Write the extension for your own browser, and print the code that pairs it")
        .group(Group::Pages)
        .class(Class::Admin)
        .params(&[Param::new("expiresMs", Kind::Integer, "How long the code can be used, in ms").default("600000")])
        .words(words::EXTENSION)
        .result("`{code}`: it pairs the extension of one browser, once")
        .faces(Faces::CLI.and(Faces::RPC)),
    Operation::method("relay/status", Class::Read, "Tell about the relay in the hub's place; a hub answers -32601")
        .effect(Effect::Reads)
        .result("`{url, transport, connected, sinceMs, warm, roundTripUs?, why?, agents, version, pid, socket}`"),
    Operation::method("relay/stop", Class::Admin, "End the relay").result("`{stopping: true, url}`"),
];
