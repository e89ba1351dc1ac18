//! Which tools fit some words, best first: BM25 over several fields, with stems, synonyms and beginnings of words.
//! Nothing that fits is left out; what fits badly stands last.

use super::document::Provider;
use super::entry::Entry;
use super::fields::{PLACES, Place, texts};
use super::stems::{self, Term};
use super::synonyms;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// How fast further occurrences of a word stop counting.
const SATURATION: f32 = 0.8;
/// What a synonym counts, beside the word itself.
const SYNONYM: f32 = 0.8;
/// What a word counts that only begins as the query's does, or the other way round.
const BEGINS: f32 = 0.4;
/// What two words written as one count, or one written as two.
const JOINED: f32 = 1.0;
/// What a word that says little counts.
const STOP: f32 = 0.08;
/// How much it counts that all words of the query are found.
const COVERED: f32 = 0.6;
/// How much it counts that all words of the tool's name are asked for.
const NAMED: f32 = 0.5;

/// A word that begins another counts from this length on.
const BEGINNING_CHARS_MIN: usize = 4;
/// Words that begin alike are looked at up to this many.
const BEGINNINGS_MAX: usize = 32;
/// Words of a query that are looked at.
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
    /// Places in `vocabulary` of the stems of each entry's name.
    names: Vec<Box<[u32]>>,
    /// How much each stem tells, by its place.
    rarity: Vec<f32>,
}

/// What a word of a query stands for in the index.
struct Wanted {
    /// Places in the vocabulary, and how well each fits.
    fitting: Vec<(usize, f32)>,
    /// How much the word matters in the query.
    weight: f32,
}

impl Ranking {
    /// Indexes the entries. The description of a provider counts for each of their tools.
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

    /// The places of the entries that fit, best first.
    pub fn search(&self, query: &str) -> Vec<usize> {
        self.ranked(&self.wanted(query))
    }

    fn ranked(&self, wanted: &[Wanted]) -> Vec<usize> {
        // By place, not by key: a common word is in every tool, and this is all that a search does.
        let count = self.names.len();
        let mut scores: Vec<f32> = vec![0.0; count];
        let mut covered: Vec<f32> = vec![0.0; count];
        let mut best: Vec<f32> = vec![0.0; count];
        let mut asked: HashMap<u32, f32> = HashMap::new();
        let mut all = 0.0;
        for Wanted { fitting, weight } in wanted {
            let tells = fitting.iter().map(|(at, fit)| fit * self.rarity[*at]).fold(0.0, f32::max) * weight;
            all += tells;
            best.fill(0.0);
            for (at, fit) in fitting {
                let known = asked.entry(u32::try_from(*at).unwrap_or(u32::MAX)).or_default();
                *known = known.max(*fit * weight);
                for Posting { entry, weight: found } in &self.vocabulary[*at].1 {
                    let score = fit * weight * self.rarity[*at] * found * (SATURATION + 1.0) / (found + SATURATION);
                    let best = &mut best[*entry as usize];
                    *best = best.max(score);
                }
            }
            for ((score, covered), best) in scores.iter_mut().zip(&mut covered).zip(&best) {
                *score += best;
                *covered += if *best > 0.0 { tells } else { 0.0 };
            }
        }
        let whole = |at: usize| {
            let covered = if all > 0.0 { covered[at] / all } else { 0.0 };
            scores[at] * (1.0 + COVERED * covered) * (1.0 + NAMED * self.named(at, &asked))
        };
        let fitting = scores.iter().enumerate().filter(|(_, score)| **score > 0.0);
        let mut ranked: Vec<(f32, usize)> = fitting.map(|(at, _)| (whole(at), at)).collect();
        ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        ranked.into_iter().map(|(_, entry)| entry).collect()
    }

    /// How much of an entry's name is asked for, 0 to 1.
    fn named(&self, at: usize, asked: &HashMap<u32, f32>) -> f32 {
        let (mut found, mut all) = (0.0, 0.0);
        for stem in &self.names[at] {
            let rarity = self.rarity[*stem as usize];
            found += rarity * asked.get(stem).copied().unwrap_or(0.0);
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

    /// Places in the vocabulary that a word of a query fits, and how well.
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
        // `web page` is `webpage`, and the other way round.
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

    /// Stems that begin as this one does, and those that it begins with.
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

    /// What a query was probably meant to be: each word replaced by the nearest that there is.
    pub fn nearest(&self, query: &str) -> Vec<usize> {
        let mut meant = Vec::new();
        for term in stems::terms(query).iter().filter(|term| !term.stop).take(QUERY_WORDS_MAX) {
            let word = &term.stem;
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
            let all = self.vocabulary.iter().enumerate();
            let best = all.filter_map(|(at, (known, _))| near(known).map(|slips| (slips, at))).min();
            meant.extend(best.map(|(_, at)| Wanted { fitting: vec![(at, 1.0)], weight: 1.0 }));
        }
        self.ranked(&meant)
    }
}

/// How often each stem stands at each place of one entry.
struct Counts {
    stems: Vec<HashMap<u32, f32>>,
    lengths: [f32; PLACES.len()],
    name: Vec<u32>,
}

impl Counts {
    fn of(entry: &Entry, server_description: Option<&str>, known: &mut HashMap<String, u32>) -> Self {
        let mut counts =
            Self { stems: vec![HashMap::new(); PLACES.len()], lengths: [0.0; PLACES.len()], name: Vec::new() };
        for (place, text) in texts(entry, server_description) {
            let index = place as usize;
            for term in stems::terms(&text) {
                counts.lengths[index] += if term.stop { 0.0 } else { 1.0 };
                for stem in std::iter::once(term.stem).chain(term.english) {
                    let fresh = u32::try_from(known.len()).unwrap_or(u32::MAX);
                    let id = *known.entry(stem).or_insert(fresh);
                    *counts.stems[index].entry(id).or_default() += 1.0;
                    if place == Place::Name && !counts.name.contains(&id) {
                        counts.name.push(id);
                    }
                }
            }
        }
        counts
    }

    /// What each stem of the entry counts, over all places.
    fn weights(&self, mean: &[f32; PLACES.len()]) -> HashMap<u32, f32> {
        let mut weights: HashMap<u32, f32> = HashMap::new();
        for place in PLACES {
            let index = place as usize;
            let relative = if mean[index] > 0.0 { self.lengths[index] / mean[index] } else { 1.0 };
            let dilution = 1.0 - place.dilution() + place.dilution() * relative;
            for (stem, count) in &self.stems[index] {
                *weights.entry(*stem).or_default() += place.weight() * count / dilution.max(0.1);
            }
        }
        weights
    }
}

/// How long the texts of each place are on average, among the entries that have any there.
fn mean_lengths(counts: &[Counts]) -> [f32; PLACES.len()] {
    let mut mean = [0.0; PLACES.len()];
    for (index, mean) in mean.iter_mut().enumerate() {
        let having = counts.iter().filter(|counts| counts.lengths[index] > 0.0);
        let (sum, number) = having.fold((0.0, 0), |(sum, n), counts| (sum + counts.lengths[index], n + 1));
        *mean = if number > 0 { sum / as_f32(number) } else { 0.0 };
    }
    mean
}

/// A stem that few tools have says more.
fn rarity(all: usize, having: usize) -> f32 {
    let (all, having) = (as_f32(all), as_f32(having));
    (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
}

#[allow(clippy::cast_precision_loss, reason = "counts of tools are small, and a score is a guess anyway")]
fn as_f32(count: usize) -> f32 {
    count as f32
}
