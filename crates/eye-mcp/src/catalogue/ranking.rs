//! Ranks tools by how well they match some words: BM25 over several fields, with stems, synonyms and prefixes. Every
//! match is listed; poor matches come last.

use super::document::Provider;
use super::entry::Entry;
use super::fields::{FIELDS, Field, texts};
use super::stems::{self, Term};
use super::synonyms;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// BM25's k1: how fast further occurrences of a word stop adding to the score.
const SATURATION: f32 = 0.8;
/// Score of a synonym, relative to the word itself.
const SYNONYM: f32 = 0.8;
/// Score of a word that is a prefix of the query's word, or has it as a prefix.
const BEGINS: f32 = 0.4;
/// Score of two words written as one, or of one word written as two.
const JOINED: f32 = 1.0;
/// Score of a stop word.
const STOP: f32 = 0.08;
/// Weight of the share of the query's words that are found.
const COVERED: f32 = 0.6;
/// Weight of the share of the tool name's words that the query has.
const NAMED: f32 = 0.5;

/// The shortest stem that matches as a prefix.
const BEGINNING_CHARS_MIN: usize = 4;
/// Stems with the same prefix that are considered, at most.
const BEGINNINGS_MAX: usize = 32;
/// Words of a query that are considered, at most.
const QUERY_WORDS_MAX: usize = 256;

#[derive(Debug)]
struct Posting {
    entry: u32,
    weight: f32,
}

/// An index of entries by the stems of their words.
#[derive(Debug, Default)]
pub struct Ranking {
    /// Sorted by stem.
    vocabulary: Vec<(Box<str>, Vec<Posting>)>,
    /// For each entry, the indexes into `vocabulary` of the stems of its name.
    names: Vec<Box<[u32]>>,
    /// The inverse document frequency of each stem, by its index in `vocabulary`.
    rarity: Vec<f32>,
}

/// A word of a query, resolved against the index.
struct Wanted {
    /// Indexes into `vocabulary`, each with how well it matches, 0 to 1.
    fitting: Vec<(usize, f32)>,
    weight: f32,
}

impl Ranking {
    /// Indexes the entries. A provider's description is indexed with each of its tools.
    pub fn new(entries: &[Arc<Entry>], providers: &[Provider]) -> Self {
        let described: HashMap<&str, &str> =
            providers.iter().filter_map(|of| Some((of.name.as_str(), of.description.as_deref()?))).collect();
        let mut known: HashMap<String, u32> = HashMap::new();
        let mut counts: Vec<Counts> = Vec::with_capacity(entries.len());
        for entry in entries {
            counts.push(Counts::of(entry, described.get(&*entry.server).copied(), &mut known));
        }
        let mean = mean_lengths(&counts);
        let mut postings: Vec<Vec<Posting>> = known.iter().map(|_| Vec::new()).collect();
        for (at, counts) in counts.iter().enumerate() {
            let entry = u32::try_from(at).unwrap_or(u32::MAX);
            for (stem, weight) in counts.weights(&mean) {
                postings[stem as usize].push(Posting { entry, weight });
            }
        }
        let mut sorted: Vec<(Box<str>, u32)> = known.into_iter().map(|(stem, id)| (stem.into(), id)).collect();
        sorted.sort_unstable();
        let mut place = vec![0_u32; sorted.len()];
        let mut vocabulary = Vec::with_capacity(sorted.len());
        for (at, (stem, id)) in sorted.into_iter().enumerate() {
            place[id as usize] = u32::try_from(at).unwrap_or(u32::MAX);
            vocabulary.push((stem, std::mem::take(&mut postings[id as usize])));
        }
        let rarity = vocabulary.iter().map(|(_, postings)| rarity(entries.len(), postings.len())).collect();
        let names = counts.iter().map(|counts| counts.name.iter().map(|id| place[*id as usize]).collect()).collect();
        Self { vocabulary, names, rarity }
    }

    /// Indexes of the entries that match, best first.
    pub fn search(&self, query: &str) -> Vec<usize> {
        self.ranked(&self.wanted(query))
    }

    fn ranked(&self, wanted: &[Wanted]) -> Vec<usize> {
        // Vectors by entry index instead of maps: common words occur in every tool, and this loop is the whole cost of
        // a search.
        let count = self.names.len();
        let mut scores: Vec<f32> = vec![0.0; count];
        let mut covered: Vec<f32> = vec![0.0; count];
        let mut best: Vec<f32> = vec![0.0; count];
        let mut query_weights: HashMap<u32, f32> = HashMap::new();
        let mut all = 0.0;
        for Wanted { fitting, weight } in wanted {
            let gain = fitting.iter().map(|(at, fit)| fit * self.rarity[*at]).fold(0.0, f32::max) * weight;
            all += gain;
            best.fill(0.0);
            for (at, fit) in fitting {
                let known = query_weights.entry(u32::try_from(*at).unwrap_or(u32::MAX)).or_default();
                *known = known.max(*fit * weight);
                for Posting { entry, weight: found } in &self.vocabulary[*at].1 {
                    let score = fit * weight * self.rarity[*at] * found * (SATURATION + 1.0) / (found + SATURATION);
                    let best = &mut best[*entry as usize];
                    *best = best.max(score);
                }
            }
            for ((score, covered), best) in scores.iter_mut().zip(&mut covered).zip(&best) {
                *score += best;
                *covered += if *best > 0.0 { gain } else { 0.0 };
            }
        }
        let total = |at: usize| {
            let covered = if all > 0.0 { covered[at] / all } else { 0.0 };
            scores[at] * (1.0 + COVERED * covered) * (1.0 + NAMED * self.named(at, &query_weights))
        };
        let fitting = scores.iter().enumerate().filter(|(_, score)| **score > 0.0);
        let mut ranked: Vec<(f32, usize)> = fitting.map(|(at, _)| (total(at), at)).collect();
        ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        ranked.into_iter().map(|(_, entry)| entry).collect()
    }

    /// The share of an entry's name that the query has, 0 to 1.
    fn named(&self, at: usize, query_weights: &HashMap<u32, f32>) -> f32 {
        let (mut found, mut all) = (0.0, 0.0);
        for stem in &self.names[at] {
            let rarity = self.rarity[*stem as usize];
            found += rarity * query_weights.get(stem).copied().unwrap_or(0.0);
            all += rarity;
        }
        if all > 0.0 { found / all } else { 0.0 }
    }

    fn wanted(&self, query: &str) -> Vec<Wanted> {
        let mut seen = HashSet::new();
        let mut terms = stems::terms(query);
        terms.retain(|term| seen.insert(term.stem.clone()));
        terms.truncate(QUERY_WORDS_MAX);
        let only_stops = terms.iter().all(|term| term.stop);
        let mut wanted = Vec::new();
        for (at, term) in terms.iter().enumerate() {
            let next = terms.get(at + 1).filter(|next| !next.stop && !term.stop);
            let fitting = self.fitting(term, next);
            if !fitting.is_empty() {
                wanted.push(Wanted { fitting, weight: if term.stop && !only_stops { STOP } else { 1.0 } });
            }
        }
        wanted
    }

    /// Indexes into `vocabulary` of the stems that match a word of a query, each with how well it matches.
    fn fitting(&self, term: &Term, next: Option<&Term>) -> Vec<(usize, f32)> {
        let mut fitting: Vec<(usize, f32)> = Vec::new();
        for stem in std::iter::once(&term.stem).chain(&term.english) {
            fitting.extend(self.place(stem).map(|at| (at, 1.0)));
            if !term.stop {
                let alike = synonyms::of(stem).iter().filter_map(|other| self.place(other));
                fitting.extend(alike.map(|at| (at, SYNONYM)));
            }
        }
        if term.stop {
            return fitting;
        }
        self.beginnings(&term.stem, &mut fitting);
        // `web page` also matches `webpage`, and the other way round.
        if let Some(next) = next {
            let joined = stems::english(&format!("{}{}", term.word, next.word));
            fitting.extend(self.place(&joined).map(|at| (at, JOINED)));
        }
        if fitting.is_empty() {
            let halves = term.word.char_indices().map(|(at, _)| term.word.split_at(at));
            let halves = halves.filter(|(one, other)| one.len() >= 3 && other.len() >= 3);
            let known = halves.filter_map(|(one, other)| {
                Some([self.place(&stems::english(one))?, self.place(&stems::english(other))?])
            });
            fitting.extend(known.flatten().map(|at| (at, JOINED / 2.0)));
        }
        fitting
    }

    fn place(&self, stem: &str) -> Option<usize> {
        self.vocabulary.binary_search_by(|(known, _)| (**known).cmp(stem)).ok()
    }

    /// Adds the stems that begin with this one, and the stems that this one begins with.
    fn beginnings(&self, stem: &str, fitting: &mut Vec<(usize, f32)>) {
        if stem.chars().count() < BEGINNING_CHARS_MIN {
            return;
        }
        let from = self.vocabulary.partition_point(|(known, _)| &**known < stem);
        let alike =
            self.vocabulary[from..].iter().take(BEGINNINGS_MAX).take_while(|(known, _)| known.starts_with(stem));
        fitting
            .extend(alike.enumerate().skip_while(|(_, (known, _))| &**known == stem).map(|(n, _)| (from + n, BEGINS)));
        for (end, _) in stem.char_indices().skip(BEGINNING_CHARS_MIN) {
            fitting.extend(self.place(&stem[..end]).map(|at| (at, BEGINS)));
        }
    }

    /// A search with each word of the query replaced by the nearest indexed word, for typing errors.
    pub fn nearest(&self, query: &str) -> Vec<usize> {
        let mut meant = Vec::new();
        for term in stems::terms(query).iter().filter(|term| !term.stop).take(QUERY_WORDS_MAX) {
            let word = &term.stem;
            let slips_max = if word.chars().count() <= 4 { 1 } else { 2 };
            let numeral = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
            let near = |known: &str| {
                // Any two short numbers are within the edit distance, so numbers never match.
                if numeral(known) {
                    return None;
                }
                let length = known.chars().count().abs_diff(word.chars().count());
                (length <= slips_max).then(|| strsim::damerau_levenshtein(word, known)).filter(|n| *n <= slips_max)
            };
            let all = self.vocabulary.iter().enumerate();
            let best = all.filter_map(|(at, (known, _))| near(known).map(|slips| (slips, at))).min();
            meant.extend(best.map(|(_, at)| Wanted { fitting: vec![(at, 1.0)], weight: 1.0 }));
        }
        self.ranked(&meant)
    }
}

/// How often each stem occurs in each field of one entry.
struct Counts {
    stems: Vec<HashMap<u32, f32>>,
    lengths: [f32; FIELDS.len()],
    name: Vec<u32>,
}

impl Counts {
    fn of(entry: &Entry, server_description: Option<&str>, known: &mut HashMap<String, u32>) -> Self {
        let mut counts =
            Self { stems: vec![HashMap::new(); FIELDS.len()], lengths: [0.0; FIELDS.len()], name: Vec::new() };
        for (field, text) in texts(entry, server_description) {
            let index = field as usize;
            for term in stems::terms(&text) {
                counts.lengths[index] += if term.stop { 0.0 } else { 1.0 };
                for stem in std::iter::once(term.stem).chain(term.english) {
                    let fresh = u32::try_from(known.len()).unwrap_or(u32::MAX);
                    let id = *known.entry(stem).or_insert(fresh);
                    *counts.stems[index].entry(id).or_default() += 1.0;
                    if field == Field::Name && !counts.name.contains(&id) {
                        counts.name.push(id);
                    }
                }
            }
        }
        counts
    }

    /// The weight of each stem of the entry, summed over the fields.
    fn weights(&self, mean: &[f32; FIELDS.len()]) -> HashMap<u32, f32> {
        let mut weights: HashMap<u32, f32> = HashMap::new();
        for field in FIELDS {
            let index = field as usize;
            let relative = if mean[index] > 0.0 { self.lengths[index] / mean[index] } else { 1.0 };
            let dilution = 1.0 - field.dilution() + field.dilution() * relative;
            for (stem, count) in &self.stems[index] {
                *weights.entry(*stem).or_default() += field.weight() * count / dilution.max(0.1);
            }
        }
        weights
    }
}

/// The average length of each field's text, over the entries that have one.
fn mean_lengths(counts: &[Counts]) -> [f32; FIELDS.len()] {
    let mut mean = [0.0; FIELDS.len()];
    for (index, mean) in mean.iter_mut().enumerate() {
        let having = counts.iter().filter(|counts| counts.lengths[index] > 0.0);
        let (sum, number) = having.fold((0.0, 0), |(sum, n), counts| (sum + counts.lengths[index], n + 1));
        *mean = if number > 0 { sum / as_f32(number) } else { 0.0 };
    }
    mean
}

/// Inverse document frequency: a stem that few tools have counts more.
fn rarity(all: usize, having: usize) -> f32 {
    let (all, having) = (as_f32(all), as_f32(having));
    (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
}

#[allow(clippy::cast_precision_loss, reason = "counts of tools are small, and a score is a guess anyway")]
fn as_f32(count: usize) -> f32 {
    count as f32
}
