//! Which tools fit some words, best first. An index over the words of names, descriptions and parameters.

use super::entry::Entry;
use super::words::{stem, telling, words};
use std::collections::HashMap;
use std::sync::Arc;

const IN_NAME: f32 = 8.0;
const IN_SERVER: f32 = 3.0;
const IN_PARAMETERS: f32 = 1.5;
const IN_DESCRIPTION: f32 = 1.0;

const SAME: f32 = 1.0;
const SAME_STEM: f32 = 0.9;
const BEGINS: f32 = 0.6;
const BEGUN_BY: f32 = 0.4;

/// A word that begins another counts from this length on.
const BEGINNING_CHARS_MIN: usize = 3;
/// What scores less than this part of the best is noise.
const NOISE: f32 = 0.3;
/// Words of a description that are looked at; some are essays.
const DESCRIPTION_WORDS_MAX: usize = 200;
/// Words of a query that are looked at.
const QUERY_WORDS_MAX: usize = 32;

#[derive(Debug)]
struct Posting {
    entry: u32,
    weight: f32,
}

/// An index of entries by their words.
#[derive(Debug, Default)]
pub struct Ranking {
    /// Sorted by word.
    vocabulary: Vec<(Box<str>, Vec<Posting>)>,
    /// Places in `vocabulary` by stem.
    stems: HashMap<Box<str>, Vec<u32>>,
    count: usize,
}

impl Ranking {
    /// Indexes the entries.
    pub fn new(entries: &[Arc<Entry>]) -> Self {
        let mut found: HashMap<String, Vec<Posting>> = HashMap::new();
        for (at, entry) in entries.iter().enumerate() {
            for (word, weight) in weights(entry) {
                found.entry(word).or_default().push(Posting { entry: u32::try_from(at).unwrap_or(u32::MAX), weight });
            }
        }
        let mut vocabulary: Vec<(Box<str>, Vec<Posting>)> = found.into_iter().map(|(w, p)| (w.into(), p)).collect();
        vocabulary.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut stems: HashMap<Box<str>, Vec<u32>> = HashMap::new();
        for (at, (word, _)) in vocabulary.iter().enumerate() {
            stems.entry(stem(word).into()).or_default().push(u32::try_from(at).unwrap_or(u32::MAX));
        }
        Self { vocabulary, stems, count: entries.len() }
    }

    /// The places of the entries that fit, best first, without noise.
    pub fn search(&self, query: &str) -> Vec<usize> {
        let mut telling = telling(query);
        telling.truncate(QUERY_WORDS_MAX);
        self.of_words(&telling)
    }

    fn of_words(&self, query: &[String]) -> Vec<usize> {
        // By place, not by key: a common word is in every tool, and this is all that a search does.
        let mut scores: Vec<(f32, u16)> = vec![(0.0, 0); self.count];
        let mut best: Vec<f32> = vec![0.0; self.count];
        for word in query {
            best.fill(0.0);
            for (at, quality) in self.fitting(word) {
                let postings = &self.vocabulary[at].1;
                let rarity = rarity(self.count, postings.len());
                for Posting { entry, weight } in postings {
                    let score = &mut best[*entry as usize];
                    *score = score.max(quality * weight * rarity);
                }
            }
            for ((sum, matched), best) in scores.iter_mut().zip(&best) {
                *sum += best;
                *matched += u16::from(*best > 0.0);
            }
        }
        // Whoever fits all of the words stands above whoever fits one of them well.
        let all = as_f32(query.len());
        let score = |(sum, matched): &(f32, u16)| sum * f32::from(*matched) / all;
        let fitting = scores.iter().enumerate().filter(|(_, (_, matched))| *matched > 0);
        let mut ranked: Vec<(f32, usize)> = fitting.map(|(entry, found)| (score(found), entry)).collect();
        let floor = ranked.iter().map(|(score, _)| *score).fold(0.0, f32::max) * NOISE;
        ranked.retain(|(score, _)| *score >= floor);
        ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        ranked.into_iter().map(|(_, entry)| entry).collect()
    }

    /// What a query was probably meant to be: each word replaced by the nearest that there is.
    pub fn nearest(&self, query: &str) -> Vec<usize> {
        let mut meant = Vec::new();
        for word in telling(query).iter().take(QUERY_WORDS_MAX) {
            let slips_max = if word.chars().count() <= 4 { 1 } else { 2 };
            let numeral = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            let near = |known: &str| {
                // Every number is near every other.
                if numeral(known) {
                    return None;
                }
                let length = known.chars().count().abs_diff(word.chars().count());
                (length <= slips_max).then(|| strsim::damerau_levenshtein(word, known)).filter(|n| *n <= slips_max)
            };
            let best = self.vocabulary.iter().filter_map(|(known, _)| near(known).map(|slips| (slips, known)));
            meant.extend(best.min_by_key(|(slips, _)| *slips).map(|(_, known)| known.to_string()));
        }
        if meant.is_empty() { Vec::new() } else { self.of_words(&meant) }
    }

    /// Places in the vocabulary that a word of a query fits, and how well.
    fn fitting(&self, word: &str) -> Vec<(usize, f32)> {
        let mut fitting: Vec<(usize, f32)> = Vec::new();
        let from = self.vocabulary.partition_point(|(known, _)| &**known < word);
        let long = word.chars().count() >= BEGINNING_CHARS_MIN;
        for (at, (known, _)) in self.vocabulary.iter().enumerate().skip(from) {
            if !known.starts_with(word) || (!long && &**known != word) {
                break;
            }
            fitting.push((at, if &**known == word { SAME } else { BEGINS }));
        }
        for at in self.stems.get(stem(word)).into_iter().flatten() {
            fitting.push((*at as usize, SAME_STEM));
        }
        for (end, _) in word.char_indices().skip(BEGINNING_CHARS_MIN + 1) {
            if let Ok(at) = self.vocabulary.binary_search_by(|(known, _)| (**known).cmp(&word[..end])) {
                fitting.push((at, BEGUN_BY));
            }
        }
        fitting
    }
}

/// The words of an entry, each with the best place it stands at.
fn weights(entry: &Entry) -> HashMap<String, f32> {
    let definition = entry.definition();
    let mut found: HashMap<String, f32> = HashMap::new();
    let mut add = |text: &str, weight: f32, words_max: usize| {
        for word in words(text).into_iter().take(words_max) {
            let known = found.entry(word).or_default();
            *known = known.max(weight);
        }
    };
    add(&entry.name, IN_NAME, usize::MAX);
    add(&entry.server, IN_SERVER, usize::MAX);
    add(definition["title"].as_str().unwrap_or_default(), IN_NAME / 2.0, DESCRIPTION_WORDS_MAX);
    add(definition["description"].as_str().unwrap_or_default(), IN_DESCRIPTION, DESCRIPTION_WORDS_MAX);
    for (name, _) in definition["inputSchema"]["properties"].as_object().into_iter().flatten().take(100) {
        add(name, IN_PARAMETERS, DESCRIPTION_WORDS_MAX);
    }
    found
}

/// A word that few tools have says more.
fn rarity(all: usize, having: usize) -> f32 {
    (1.0 + as_f32(all) / as_f32(having.max(1))).ln()
}

#[allow(clippy::cast_precision_loss, reason = "counts of tools are small, and a score is a guess anyway")]
fn as_f32(count: usize) -> f32 {
    count as f32
}
