//! How often discovery finds the tool that a request is for, beside a plain stemmed BM25, among the tools of real
//! servers. `retrieval TOOLS.json QUERIES.tsv…`: prints one table per file of queries; asserts nothing.
//! `web/e2e/bench/record-tools.mjs` writes TOOLS.json.
#![allow(clippy::print_stdout, reason = "printing is all it does")]
#![allow(clippy::unwrap_used, reason = "a measurement that fails is of no use")]
#![allow(clippy::cast_precision_loss, reason = "counts are small")]

use eye_mcp::catalogue::{Catalogue, Entry, Found, Provider, Standing};
use rust_stemmers::{Algorithm, Stemmer};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

const DEPTHS: [usize; 4] = [1, 3, 5, 10];
/// Tools whose lines are counted in tokens.
const COUNTED: usize = 5;

#[derive(Deserialize)]
struct Recorded {
    server: String,
    tools: Vec<Box<RawValue>>,
}

fn main() {
    let mut args = std::env::args().skip(1);
    let recorded: Vec<Recorded> =
        serde_json::from_str(&std::fs::read_to_string(args.next().unwrap()).unwrap()).unwrap();
    let mut entries = Vec::new();
    for Recorded { server, tools } in &recorded {
        for tool in tools {
            let name = serde_json::from_str::<Value>(tool.get()).unwrap()["name"].as_str().unwrap().to_owned();
            entries.push(Arc::new(Entry::new(server.as_str(), name, tool.clone(), Standing::Ready)));
        }
    }
    let provider = |recorded: &Recorded| Provider {
        name: recorded.server.clone(),
        description: None,
        instructions: None,
        command: Vec::new(),
        available: true,
    };
    let catalogue = Catalogue::new(entries.clone(), recorded.iter().map(provider).collect(), Vec::new());
    let lean = Bm25::new(&entries, |entry| text(entry, false));
    let rich = Bm25::new(&entries, |entry| text(entry, true));
    for file in args {
        let queries = queries(&file, &entries);
        println!("\n{file}: {} requests, {} tools of {} servers", queries.len(), entries.len(), recorded.len());
        println!("| recall in percent | @1 | @3 | @5 | @10 |\n|---|---|---|---|---|");
        let verbose = std::env::var_os("MISSES").is_some();
        row(
            "eye",
            &queries,
            |query| {
                let found = discovered(&catalogue, query);
                found.iter().map(|name| qualified(catalogue.resolve(name).unwrap())).collect()
            },
            verbose,
        );
        row("BM25, stemmed: name and description", &queries, |query| lean.search(query), false);
        row("BM25, stemmed: with server and parameters", &queries, |query| rich.search(query), false);
        println!(
            "tokens (o200k) of the first {COUNTED} tools of an answer: {:.1} on average",
            tokens(&catalogue, &queries)
        );
    }
}

fn qualified(entry: &Arc<Entry>) -> String {
    format!("{}::{}", entry.server, entry.name)
}

struct Query {
    wanted: HashSet<String>,
    text: String,
}

/// Requests whose tools were recorded. A server that could not be had here takes its requests with it.
fn queries(file: &str, entries: &[Arc<Entry>]) -> Vec<Query> {
    let known: HashSet<String> = entries.iter().map(qualified).collect();
    let text = std::fs::read_to_string(file).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let query = |line: &str| {
        let (tools, text) = line.split_once('\t').unwrap();
        let wanted: HashSet<String> = tools.split(' ').map(str::to_owned).filter(|tool| known.contains(tool)).collect();
        (!wanted.is_empty()).then(|| Query { wanted, text: text.to_owned() })
    };
    lines.filter_map(query).collect()
}

fn row(name: &str, queries: &[Query], search: impl Fn(&str) -> Vec<String>, verbose: bool) {
    let mut hits = [0; DEPTHS.len()];
    for query in queries {
        let found = search(&query.text);
        let place = found.iter().position(|tool| query.wanted.contains(tool));
        for (hits, depth) in hits.iter_mut().zip(DEPTHS) {
            *hits += usize::from(place.is_some_and(|place| place < depth));
        }
        if verbose && place != Some(0) {
            println!("{place:?} {} <- {:?}: {:?}", query.text, query.wanted, &found[..found.len().min(5)]);
        }
    }
    let percent = |hits: usize| format!("{:.1}", hits as f64 * 100.0 / queries.len() as f64);
    println!("| {name} | {} |", hits.map(percent).join(" | "));
}

fn discovered(catalogue: &Catalogue, query: &str) -> Vec<String> {
    let Found::Tools { lines, near: false, .. } = catalogue.discover(query).unwrap().found else { return Vec::new() };
    lines.iter().map(|line| line.split('(').next().unwrap().to_owned()).collect()
}

fn tokens(catalogue: &Catalogue, queries: &[Query]) -> f64 {
    let tokenizer = tiktoken::get_encoding("o200k_base").unwrap();
    let mut sum = 0;
    for query in queries {
        let Found::Tools { lines, .. } = catalogue.discover(&query.text).unwrap().found else { continue };
        sum += tokenizer.count(&lines[..lines.len().min(COUNTED)].join("\n"));
    }
    sum as f64 / queries.len() as f64
}

fn text(entry: &Entry, rich: bool) -> String {
    let definition = entry.definition();
    let mut text = format!("{} {}", entry.name, definition["description"].as_str().unwrap_or_default());
    if rich {
        text = format!("{} {text}", entry.server);
        for (name, part) in definition["inputSchema"]["properties"].as_object().into_iter().flatten() {
            text = format!("{text} {name} {}", part["description"].as_str().unwrap_or_default());
        }
    }
    text
}

/// Okapi BM25 as textbooks have it: k1 1.2, b 0.75, the Snowball stemmer for English.
struct Bm25 {
    documents: Vec<(String, HashMap<String, f64>, f64)>,
    having: HashMap<String, f64>,
    mean: f64,
}

impl Bm25 {
    fn new(entries: &[Arc<Entry>], text: impl Fn(&Entry) -> String) -> Self {
        let mut having: HashMap<String, f64> = HashMap::new();
        let mut documents = Vec::new();
        for entry in entries {
            let mut counts: HashMap<String, f64> = HashMap::new();
            let stems = stems(&text(entry));
            for stem in &stems {
                *counts.entry(stem.clone()).or_default() += 1.0;
            }
            for stem in counts.keys() {
                *having.entry(stem.clone()).or_default() += 1.0;
            }
            documents.push((qualified(entry), counts, stems.len() as f64));
        }
        let mean = documents.iter().map(|(_, _, length)| length).sum::<f64>() / documents.len() as f64;
        Self { documents, having, mean }
    }

    fn search(&self, query: &str) -> Vec<String> {
        let stems = stems(query);
        let all = self.documents.len() as f64;
        let score = |(name, counts, length): &(String, HashMap<String, f64>, f64)| {
            let part = |stem: &String| {
                let (count, having) = (counts.get(stem).copied().unwrap_or(0.0), self.having.get(stem).copied());
                let having = having.unwrap_or(0.0);
                let rarity = (1.0 + (all - having + 0.5) / (having + 0.5)).ln();
                rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / self.mean))
            };
            (stems.iter().map(part).sum::<f64>(), name.clone())
        };
        let mut ranked: Vec<(f64, String)> =
            self.documents.iter().map(score).filter(|(score, _)| *score > 0.0).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranked.into_iter().map(|(_, name)| name).collect()
    }
}

/// Words of letters and digits, `camelCase` taken apart, stemmed as English.
fn stems(text: &str) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut apart = String::new();
    let mut before_lower = false;
    for c in text.chars() {
        if c.is_uppercase() && before_lower {
            apart.push(' ');
        }
        before_lower = c.is_lowercase();
        apart.push(c);
    }
    let words = apart.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| stemmer.stem(&word.to_lowercase()).into_owned()).collect()
}
