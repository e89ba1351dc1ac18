//! Evolution, cartridges and area agents through the real hub, on real sockets, with a scripted page.

use crate::stage;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use eye_testkit::{DEADLINE, Home, HubProcess, PageSetup, Reply, ScriptedPage, ToolReply};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

const SHADER: &str = "@fragment fn main(@location(0) uv: vec2f) -> @location(0) vec4f {\n  return vec4f(uv.x, 0.5, uv.y * 0.5, 1.0);\n}\n";

/// One connection to a backend, as eye's own page opens it.
struct Line {
    socket: WebSocket<TcpStream>,
    /// Messages that arrived while another was awaited.
    early: VecDeque<Value>,
}

impl Line {
    fn open(home: &Home, path: &str) -> Self {
        let port = home.port();
        let tcp = TcpStream::connect(("127.0.0.1", port)).unwrap();
        tcp.set_read_timeout(Some(DEADLINE)).unwrap();
        let mut request = format!("ws://localhost:{port}{path}").into_client_request().unwrap();
        request.headers_mut().insert("origin", format!("http://localhost:{port}").parse().unwrap());
        let (socket, _) = tungstenite::client(request, tcp).map_err(|error| error.to_string()).unwrap();
        Self { socket, early: VecDeque::new() }
    }

    fn send(&mut self, message: &Value) {
        self.socket.send(Message::text(message.to_string())).unwrap();
    }

    /// Returns the first wanted message; keeps the others.
    fn receive(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.early.iter().position(&wanted) {
            return self.early.remove(at).unwrap();
        }
        loop {
            let Message::Text(text) = self.socket.read().expect("a message in time") else { continue };
            let value: Value = serde_json::from_str(&text).unwrap();
            if wanted(&value) {
                return value;
            }
            self.early.push_back(value);
        }
    }

    /// Sends a message and returns its reply.
    fn ask(&mut self, message: &Value) -> Value {
        self.send(message);
        self.reply(&message["requestId"])
    }

    fn reply(&mut self, id: &Value) -> Value {
        self.receive(|value| value["requestId"] == *id && value["success"].is_boolean())
    }

    fn event(&mut self, agent: &Value, event: &str) -> Value {
        self.receive(|value| value["agentId"] == *agent && value["event"] == event)
    }

    /// Sends an order for an agent.
    fn steer(&mut self, action: &str, agent: &Value) -> Value {
        self.ask(&json!({ "requestId": action, "action": action, "agentId": agent }))
    }
}

/// A run that would take minutes.
fn long(id: &str) -> Value {
    json!({ "requestId": id, "action": "evolve", "seed_shader": SHADER, "generations": 100, "population_size": 200, "fitness_metric": "visual_quality", "time_budget_ms": 600_000, "progress": true })
}

/// A run that takes hardly any time.
fn short(id: &str) -> Value {
    json!({ "requestId": id, "action": "evolve", "seed_shader": SHADER, "generations": 2, "population_size": 4, "fitness_metric": "entropy", "seed": 7 })
}

fn get(home: &Home, path: &str) -> (u16, Vec<u8>) {
    let mut stream = TcpStream::connect(("127.0.0.1", home.port())).unwrap();
    let head = format!(
        "GET {path} HTTP/1.1\r\nhost: localhost:{}\r\nsec-fetch-site: same-origin\r\nconnection: close\r\n\r\n",
        home.port()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
    let status = String::from_utf8_lossy(&answer[9..12]).parse().unwrap();
    (status, answer.split_off(end + 4))
}

fn cartridges(home: &Home) -> Vec<Value> {
    serde_json::from_slice(&get(home, "/cartridges/").1).unwrap()
}

#[test]
fn both_wire_forms_breed_and_the_cartridge_outlives_the_hub() {
    let home = stage::home();
    let hub = HubProcess::start(&home);
    let mut line = Line::open(&home, "/evolution");
    let one = line.ask(&short("r1"));
    assert_eq!(one["success"], true, "{one}");
    assert_eq!((&one["generationsCompleted"], &one["ended"], &one["seed"]), (&2.into(), &"done".into(), &7.into()));
    for name in ["bestFitness", "seedFitness", "evaluations", "invalid", "entropy", "elapsedMs"] {
        assert!(one[name].is_number(), "{name}: {one}");
    }
    assert!(one["bestFitness"].as_f64() >= one["seedFitness"].as_f64(), "{one}");
    // The other format, at the other path, with the same seed: the same shader.
    let two = Line::open(&home, "/evo").ask(&json!({
        "type": "evolve", "requestId": 2, "seedShader": SHADER, "generations": 2, "populationSize": 4, "fitnessMetric": "entropy", "seed": 7,
    }));
    assert_eq!((&two["requestId"], &two["evolvedShader"]), (&2.into(), &one["evolvedShader"]));

    let (id, url) = (one["cartridgeId"].as_str().unwrap(), one["cartridgeUrl"].as_str().unwrap());
    assert_eq!(url, format!("/cartridges/{id}.rts.png"));
    drop(line);
    hub.kill();
    let _hub = HubProcess::start(&home);
    let (status, png) = get(&home, url);
    assert!(status == 200 && png.starts_with(b"\x89PNG\r\n"), "{status}");
    let size = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert_eq!((size(16), size(20)), (256, 256));
    let (status, source) = get(&home, &format!("/cartridges/{id}.wgsl"));
    assert_eq!((status, String::from_utf8(source).unwrap().as_str()), (200, one["evolvedShader"].as_str().unwrap()));
    let list = cartridges(&home);
    assert_eq!(list.len(), 2);
    let row = list.iter().find(|row| row["id"] == id).expect("it is listed");
    assert_eq!(
        (&row["metric"], &row["fitness"], &row["entropy"]),
        (&"entropy".into(), &one["bestFitness"], &one["entropy"])
    );
    assert_eq!((row["bytes"].as_u64(), row["url"].as_str()), (Some(png.len() as u64), Some(url)));
    for path in ["/cartridges/none.rts.png", "/cartridges/..%2fhub.log", "/cartridges/a.b"] {
        assert_eq!(get(&home, path).0, 404, "{path}");
    }
}

#[test]
fn progress_is_reported_when_it_is_asked_for() {
    let home = stage::home();
    let _hub = HubProcess::start(&home);
    let mut line = Line::open(&home, "/evolution");
    let mut ask = short("r");
    ask["progress"] = true.into();
    assert_eq!(line.ask(&ask)["success"], true);
    let outcome: Vec<u64> = line.early.iter().map(|news| news["generation"].as_u64().unwrap()).collect();
    assert_eq!(outcome, [1, 2]);
    assert!(line.early.iter().all(|news| news["type"] == "progress" && news["requestId"] == "r"), "{:?}", line.early);
    line.early.clear();
    assert_eq!(line.ask(&short("quiet"))["success"], true);
    assert!(line.early.is_empty());
}

#[test]
fn what_does_not_fit_is_refused_in_the_seeds_words() {
    let home = stage::home();
    let _hub = HubProcess::start(&home);
    let mut line = Line::open(&home, "/evolution");
    let bad = line.ask(&json!({ "requestId": "a", "action": "evolve", "seed_shader": "fn main(uv: vec2f) -> vec4f {\n  return nonsense;\n}" }));
    assert_eq!(
        (&bad["success"], &bad["error_code"], &bad["line"]),
        (&false.into(), &"INVALID_INPUT".into(), &2.into()),
        "{bad}"
    );
    let bad = line.ask(&json!({ "requestId": "b", "action": "evolve", "seed_shader": SHADER, "generations": 0 }));
    assert_eq!(bad["error"], "generations must be an integer between 1 and 100");
    line.send(&json!([1]));
    let bad = line.receive(|value| value["requestId"].is_null());
    assert_eq!((&bad["success"], &bad["error_code"]), (&false.into(), &"INVALID_INPUT".into()));
    assert_eq!(line.ask(&json!({ "requestId": "c", "action": "cancel" }))["error_code"], "INVALID_INPUT");
}

#[test]
fn a_cancelled_run_answers_with_its_best_and_leaves_no_cartridge() {
    let home = stage::home();
    let _hub = HubProcess::start(&home);
    let mut line = Line::open(&home, "/evolution");
    line.send(&long("r"));
    line.receive(|value| value["type"] == "progress");
    assert!(line.ask(&long("r"))["error"].as_str().unwrap().contains("under way already"));
    let ended = line.ask(&json!({ "type": "cancel", "requestId": "r" }));
    assert_eq!(
        (&ended["success"], &ended["ended"], &ended["cartridgeId"]),
        (&true.into(), &"cancelled".into(), &Value::Null),
        "{ended}"
    );
    assert!(ended["evolvedShader"].as_str().is_some_and(|shader| !shader.is_empty()));
    assert!(cartridges(&home).is_empty());
}

#[test]
fn a_run_ends_with_its_time() {
    let home = stage::home();
    let _hub = HubProcess::start(&home);
    let mut ask = long("r");
    ask["time_budget_ms"] = 4000.into();
    let ended = Line::open(&home, "/evolution").ask(&ask);
    assert_eq!((&ended["success"], &ended["ended"]), (&true.into(), &"time_budget".into()), "{ended}");
    assert!(ended["cartridgeId"].is_string(), "{ended}");
}

#[test]
fn a_waiting_client_gets_its_place_and_a_closed_connection_makes_room() {
    let home = stage::home();
    let _hub = HubProcess::start(&home);
    let mut busy = Line::open(&home, "/evolution");
    for id in ["a", "b"] {
        busy.send(&long(id));
        busy.receive(|value| value["requestId"] == id && value["type"] == "progress");
    }
    let mut patient = Line::open(&home, "/evolution");
    let mut ask = short("r");
    ask["progress"] = true.into();
    patient.send(&ask);
    assert_eq!(patient.receive(|value| value["type"] == "queued")["ahead"], 1);
    let mut second = short("s");
    second["progress"] = true.into();
    patient.send(&second);
    assert_eq!(patient.receive(|value| value["requestId"] == "s" && value["type"] == "queued")["ahead"], 2);
    let cancelled = patient.ask(&json!({ "requestId": "s", "action": "cancel" }));
    assert_eq!((&cancelled["success"], &cancelled["error"]), (&false.into(), &"cancelled before it began".into()));
    drop(busy);
    assert_eq!(patient.reply(&"r".into())["success"], true);
}

#[test]
fn so_many_runs_wait_and_no_more() {
    let home = stage::home();
    let _hub = HubProcess::start(&home);
    let mut lines: Vec<Line> = (0..3).map(|_| Line::open(&home, "/evolution")).collect();
    // Two run and sixteen wait; eight per connection.
    for n in 0..18 {
        let line = &mut lines[n / 8];
        let id = n.to_string();
        line.send(&long(&id));
        let kind = if n < 2 { "progress" } else { "queued" };
        line.receive(|value| value["requestId"] == id.as_str() && value["type"] == kind);
    }
    let refused = lines[0].ask(&long("ninth"));
    assert_eq!(refused["error_code"], "BACKEND_UNAVAILABLE");
    assert!(refused["error"].as_str().unwrap().contains("this connection has 8"), "{refused}");
    let refused = lines[2].ask(&long("nineteenth"));
    assert_eq!(refused["error_code"], "BACKEND_UNAVAILABLE");
    assert!(refused["error"].as_str().unwrap().contains("16 evolutions are waiting"), "{refused}");
}

#[test]
fn what_cannot_be_stored_is_answered_all_the_same() {
    let home = stage::home();
    std::fs::create_dir_all(home.path("state/eye")).unwrap();
    std::fs::write(home.path("state/eye/cartridges"), "a file where the folder should be").unwrap();
    let _hub = HubProcess::start(&home);
    let ended = Line::open(&home, "/evolution").ask(&short("r"));
    assert_eq!((&ended["success"], &ended["cartridgeId"]), (&true.into(), &Value::Null), "{ended}");
    assert!(ended["warning"].as_str().unwrap().contains("could not be stored"), "{ended}");
    assert!(ended["evolvedShader"].is_string() && ended["entropy"].is_number(), "{ended}");
}

/// The brightness of the whole map of the page.
type Tone = Arc<Mutex<u8>>;

/// A page with a map, as the geometry app offers it to area agents.
fn map(home: &Home, session: &str, tone: &Tone) -> ScriptedPage {
    let tone = tone.clone();
    let eval = move |code: &str| {
        if code.starts_with("geometryOSApp.shaderAt(") {
            return Reply::text(SHADER);
        }
        let numbers = code.strip_prefix("geometryOSApp.readRegion(").and_then(|rest| rest.strip_suffix(')'));
        let Some(numbers) = numbers else { return Reply::threw(format!("{code} is not defined")) };
        let numbers: Vec<u32> = numbers.split(", ").map(|number| number.parse().unwrap()).collect();
        let [x, y, width, height] = numbers[..] else { panic!("{numbers:?}") };
        let rgba = vec![*tone.lock().unwrap(); 4 * width as usize * height as usize];
        Reply::json(
            json!({ "x": x, "y": y, "width": width, "height": height, "step": 1, "rgba": STANDARD.encode(rgba) })
                .to_string(),
        )
    };
    let tools = [json!({ "name": "execute_pixel_program" }), json!({ "name": "load_rts_cartridge" })];
    let call = |name: &str, arguments: &Value| match (name, arguments["program"].as_str()) {
        (_, Some("bad")) => ToolReply::Result(json!({ "success": false, "error": "unknown opcode 186 at 0" })),
        _ => ToolReply::Result(json!({ "success": true, "name": name, "arguments": arguments, "trace": ["left out"] })),
    };
    ScriptedPage::acting(home, &PageSetup::new(home, "Geometry").session(session), eval, &tools, call)
}

fn spawn(kind: &str, config: &Value) -> Value {
    json!({ "requestId": kind, "action": "spawn", "agent_type": kind, "session": "map", "region": { "x": 10, "y": 20, "width": 4, "height": 2, "unit": "pixels" }, "config": config })
}

/// An agent on the Unix socket that has subscribed to a topic.
struct Listener(BufReader<UnixStream>);

impl Listener {
    fn of(home: &Home, topic: &str) -> Self {
        let mut stream = UnixStream::connect(home.socket()).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        let subscribe = json!({ "jsonrpc": "2.0", "id": 1, "method": "topic/subscribe", "params": { "topic": topic } });
        writeln!(stream, "{subscribe}").unwrap();
        let mut listener = Self(BufReader::new(stream));
        listener.receive(|value| value["id"] == 1);
        listener
    }

    fn receive(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).expect("a message in time") > 0);
            let value: Value = serde_json::from_str(&line).unwrap();
            if wanted(&value) {
                return value;
            }
        }
    }
}

#[test]
fn an_analyzer_measures_its_region_and_reports_to_topic_and_connection() {
    let home = stage::home();
    let _hub = HubProcess::start(&home);
    let _page = map(&home, "map", &Tone::default());
    let mut topic = Listener::of(&home, "geometry/agents/*");
    let mut line = Line::open(&home, "/agents");
    let spawned = line.ask(&spawn("analyzer", &json!({})));
    assert_eq!((&spawned["success"], &spawned["status"]), (&true.into(), &"running".into()), "{spawned}");
    assert_eq!(spawned["region"], json!({ "x": 10.0, "y": 20.0, "width": 4.0, "height": 2.0, "unit": "pixels" }));
    assert_eq!(spawned["heartbeatInterval"], 5);
    let agent = &spawned["agentId"];
    let report = line.event(agent, "report");
    assert_eq!((&report["report"]["entropy"], &report["report"]["uniqueColors"]), (&0.0.into(), &1.into()), "{report}");
    assert_eq!((&report["report"]["histogram"][0], &report["report"]["pixels"]), (&8.into(), &8.into()), "{report}");
    assert_eq!(line.event(agent, "ended")["status"], "finished");
    let outcome = topic.receive(|value| value["params"]["message"]["event"] == "report");
    assert_eq!(outcome["params"]["topic"], format!("geometry/agents/{}", agent.as_str().unwrap()));
    assert_eq!((&outcome["params"]["message"], &outcome["params"]["from"]), (&report, &"geometry".into()));
    let row = line.steer("get", agent);
    assert_eq!((&row["status"], &row["lastReport"]), (&"finished".into(), &report));
}

#[test]
fn a_monitor_reports_changes_through_a_reload_and_ends_with_its_page() {
    let home = stage::home();
    let _hub = HubProcess::start(&home);
    let tone = Tone::default();
    let page = map(&home, "map", &tone);
    let mut line = Line::open(&home, "/agents");
    let config = json!({ "interval_ms": 200, "heartbeat_interval": 1 });
    let agent = line.ask(&spawn("monitor", &config))["agentId"].clone();
    assert_eq!(line.event(&agent, "report")["report"]["kind"], "baseline");
    *tone.lock().unwrap() = 200;
    let changed = line.event(&agent, "report");
    assert_eq!((&changed["report"]["kind"], &changed["report"]["changed"]), (&"changed".into(), &1.0.into()));
    assert_eq!(changed["report"]["bounds"], json!({ "x": 10.0, "y": 20.0, "width": 4.0, "height": 2.0 }));
    page.crash();
    let page = map(&home, "map", &tone);
    *tone.lock().unwrap() = 100;
    assert_eq!(line.event(&agent, "report")["report"]["kind"], "changed");
    assert_eq!(line.event(&agent, "heartbeat")["status"], "running");
    page.crash();
    let ended = line.event(&agent, "ended");
    assert_eq!((&ended["status"], &ended["reason"]), (&"stopped".into(), &"its page is gone".into()));
}

#[test]
fn an_executor_runs_its_program_over_its_region() {
    let home = stage::home();
    let _hub = HubProcess::start(&home);
    let _page = map(&home, "map", &Tone::default());
    let mut line = Line::open(&home, "/agents");
    let config = json!({ "program": "0102", "args": [7], "runs": 2, "interval_ms": 200 });
    let agent = line.ask(&spawn("executor", &config))["agentId"].clone();
    for _ in 0..2 {
        let report = &line.event(&agent, "report")["report"];
        let arguments = json!({ "program": "0102", "args": [10.0, 20.0, 4.0, 2.0, 7.0], "trace": false });
        assert_eq!((&report["kind"], &report["arguments"]), (&"executed".into(), &arguments));
        assert!(report["trace"].is_null());
    }
    assert_eq!(line.event(&agent, "ended")["status"], "finished");
    let agent = line.ask(&spawn("executor", &json!({ "program": "bad" })))["agentId"].clone();
    let ended = line.event(&agent, "ended");
    assert_eq!(
        (&ended["status"], &ended["reason"]),
        (&"error".into(), &"execute_pixel_program: unknown opcode 186 at 0".into())
    );
    let row = line.steer("get", &agent);
    assert_eq!((&row["status"], &row["error"]), (&"error".into(), &ended["reason"]), "who asks later learns why");
}

#[test]
fn an_evolver_breeds_its_regions_shader_and_places_it() {
    let home = stage::home();
    let _hub = HubProcess::start(&home);
    let _page = map(&home, "map", &Tone::default());
    let mut line = Line::open(&home, "/agents");
    let config = json!({ "generations": 2, "population_size": 4, "fitness_metric": "entropy", "seed": 7 });
    let agent = line.ask(&spawn("evolver", &config))["agentId"].clone();
    assert_eq!(line.event(&agent, "progress")["generation"], 1);
    let report = &line.event(&agent, "report")["report"];
    assert_eq!((&report["kind"], &report["placed"]), (&"evolved".into(), &true.into()), "{report}");
    assert_eq!(line.event(&agent, "ended")["status"], "finished");
    assert_eq!(get(&home, report["cartridgeUrl"].as_str().unwrap()).0, 200);
    let agent = line.ask(&spawn("evolver", &json!({ "seed_shader": "nonsense" })))["agentId"].clone();
    assert_eq!(line.event(&agent, "ended")["status"], "error");
}

#[test]
fn agents_wait_rest_go_on_and_stop_as_they_are_told() {
    let home = stage::home();
    let _hub = HubProcess::start(&home);
    let _page = map(&home, "map", &Tone::default());
    let mut line = Line::open(&home, "/agents");
    let mut wish = spawn("monitor", &json!({ "interval_ms": 200 }));
    wish["auto_start"] = false.into();
    let spawned = line.ask(&wish);
    assert_eq!(spawned["status"], "spawned");
    let agent = &spawned["agentId"];
    assert_eq!(line.steer("pause", agent)["error_code"], "INVALID_INPUT");
    assert_eq!(line.steer("resume", agent)["status"], "running");
    line.event(agent, "report");
    assert_eq!(line.steer("pause", agent)["status"], "paused");
    // Another connection sees and controls the same agents.
    let mut other = Line::open(&home, "/agents");
    let list = other.ask(&json!({ "type": "list", "requestId": 5, "session": "map" }));
    assert_eq!((list["agents"].as_array().unwrap().len(), &list["agents"][0]["status"]), (1, &"paused".into()));
    let none = other.ask(&json!({ "requestId": 6, "action": "list", "session": "elsewhere" }));
    assert_eq!(none["agents"], json!([]));
    assert_eq!(other.steer("stop", agent)["status"], "stopped");
    assert_eq!(line.event(agent, "ended")["reason"], "it was stopped");
    assert_eq!(other.steer("resume", agent)["error_code"], "INVALID_INPUT");
    assert_eq!(other.steer("get", &"nobody".into())["error_code"], "INVALID_INPUT");
}

#[test]
fn a_page_is_named_or_the_only_one() {
    let home = stage::home();
    let _hub = HubProcess::start(&home);
    let mut line = Line::open(&home, "/agents");
    let mut wish = spawn("analyzer", &json!({}));
    assert_eq!(line.ask(&wish)["error"], "there is no page with the session map");
    wish.as_object_mut().unwrap().shift_remove("session");
    assert_eq!(line.ask(&wish)["error_code"], "BACKEND_UNAVAILABLE");
    let _page = map(&home, "map", &Tone::default());
    assert_eq!(line.ask(&wish)["session"], "map");
    let _other = map(&home, "other", &Tone::default());
    assert!(line.ask(&wish)["error"].as_str().unwrap().contains("several pages are connected"));
}

#[test]
fn agents_outlive_their_connection_but_not_the_hub() {
    let home = stage::home();
    let hub = HubProcess::start(&home);
    let page = map(&home, "map", &Tone::default());
    let mut topic = Listener::of(&home, "geometry/agents/*");
    let mut line = Line::open(&home, "/agents");
    let config = json!({ "interval_ms": 200, "heartbeat_interval": 1 });
    let agent = line.ask(&spawn("monitor", &config))["agentId"].clone();
    drop(line);
    topic.receive(|value| value["params"]["message"]["event"] == "heartbeat");
    assert_eq!(Line::open(&home, "/agents").steer("get", &agent)["status"], "running");
    hub.kill();
    let _hub = HubProcess::start(&home);
    page.wait_closed();
    let _page = map(&home, "map", &Tone::default());
    assert_eq!(Line::open(&home, "/agents").ask(&json!({ "requestId": 1, "action": "list" }))["agents"], json!([]));
}

#[test]
fn a_hub_that_ends_cancels_what_is_under_way() {
    let home = stage::home();
    let hub = HubProcess::start(&home);
    let _page = map(&home, "map", &Tone::default());
    let mut line = Line::open(&home, "/evolution");
    line.send(&long("r"));
    line.receive(|value| value["type"] == "progress");
    let mut agents = Line::open(&home, "/agents");
    agents.ask(&spawn("monitor", &json!({})));
    let mut topic = Listener::of(&home, "geometry/agents/*");
    assert_eq!(home.eye(["down"]).code, 0);
    let ended = topic.receive(|value| value["params"]["message"]["event"] == "ended");
    assert_eq!(ended["params"]["message"]["reason"], "the hub ends");
    // A thread that continued to compute would keep the process alive.
    hub.wait();
}
