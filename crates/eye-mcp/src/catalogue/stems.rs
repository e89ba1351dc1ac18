//! Stems and stop words, by the language of the text.

use super::words::words;
use rust_stemmers::{Algorithm, Stemmer};

/// A language in Latin script. Its most frequent words serve to recognize it, and are its stop words.
struct Language {
    algorithm: Algorithm,
    stop: &'static [&'static str],
}

/// A text must have at least this many of a language's most frequent words to be taken for that language.
const STOP_WORDS_MIN: usize = 2;

const ENGLISH: &[&str] = &[
    "a",
    "about",
    "above",
    "after",
    "again",
    "all",
    "also",
    "am",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "be",
    "been",
    "before",
    "being",
    "below",
    "between",
    "both",
    "but",
    "by",
    "can",
    "could",
    "did",
    "do",
    "does",
    "doing",
    "don",
    "during",
    "each",
    "either",
    "every",
    "few",
    "for",
    "from",
    "further",
    "had",
    "has",
    "have",
    "having",
    "he",
    "her",
    "here",
    "hers",
    "him",
    "his",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "itself",
    "just",
    "let",
    "ll",
    "m",
    "many",
    "may",
    "me",
    "might",
    "more",
    "most",
    "much",
    "must",
    "my",
    "need",
    "no",
    "nor",
    "not",
    "now",
    "of",
    "on",
    "once",
    "only",
    "or",
    "other",
    "our",
    "ours",
    "out",
    "over",
    "own",
    "please",
    "re",
    "s",
    "same",
    "shall",
    "she",
    "should",
    "so",
    "some",
    "such",
    "t",
    "than",
    "that",
    "the",
    "their",
    "theirs",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "through",
    "to",
    "too",
    "tool",
    "tools",
    "under",
    "until",
    "use",
    "used",
    "using",
    "ve",
    "very",
    "via",
    "want",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "which",
    "while",
    "who",
    "whom",
    "whose",
    "why",
    "will",
    "with",
    "would",
    "you",
    "your",
    "yours",
    "already",
    "anything",
    "give",
    "off",
    "one",
    "something",
    "still",
    "take",
    "thing",
    "up",
    "whole",
];
const GERMAN: &[&str] = &[
    "aber", "als", "am", "an", "auch", "auf", "aus", "bei", "bitte", "das", "dass", "dem", "den", "der", "des", "die",
    "diese", "dieser", "dieses", "ein", "eine", "einem", "einen", "einer", "eines", "er", "es", "für", "hat", "ich",
    "im", "in", "ist", "kann", "mein", "meine", "meinem", "meinen", "meiner", "mich", "mir", "mit", "nach", "nicht",
    "oder", "sich", "sie", "sind", "so", "und", "uns", "vom", "von", "vor", "was", "wie", "wird", "zu", "zum", "zur",
];
const FRENCH: &[&str] = &[
    "à", "au", "aux", "avec", "ce", "ces", "cette", "d", "dans", "de", "des", "du", "elle", "en", "est", "et", "il",
    "ils", "je", "l", "la", "le", "les", "leur", "ma", "mais", "mes", "moi", "mon", "nous", "ou", "où", "par", "pas",
    "plus", "pour", "qu", "que", "qui", "sa", "se", "ses", "son", "sont", "sur", "un", "une", "vos", "votre", "vous",
];
const SPANISH: &[&str] = &[
    "al", "con", "de", "del", "donde", "el", "ella", "en", "es", "esta", "este", "esto", "la", "las", "lo", "los",
    "me", "mi", "mis", "no", "o", "para", "pero", "por", "que", "qué", "se", "sin", "sobre", "son", "su", "sus",
    "todo", "todos", "un", "una", "unos", "y", "ya",
];
const PORTUGUESE: &[&str] = &[
    "ao", "aos", "as", "com", "como", "da", "das", "de", "do", "dos", "e", "ela", "ele", "em", "esta", "este", "eu",
    "mais", "mas", "me", "meu", "minha", "na", "nas", "no", "nos", "não", "o", "os", "ou", "para", "pela", "pelo",
    "por", "que", "se", "sem", "seu", "sua", "são", "um", "uma",
];
const ITALIAN: &[&str] = &[
    "al", "alla", "anche", "che", "con", "da", "dal", "dalla", "dei", "del", "della", "delle", "di", "e", "gli", "ha",
    "i", "il", "in", "la", "le", "lo", "ma", "mi", "mia", "mio", "nel", "nella", "non", "o", "per", "più", "se", "si",
    "sono", "su", "sul", "tra", "tutti", "un", "una", "uno",
];
const DUTCH: &[&str] = &[
    "aan", "als", "bij", "dat", "de", "den", "der", "deze", "die", "dit", "door", "een", "en", "er", "het", "hij",
    "hoe", "ik", "in", "is", "maar", "mijn", "naar", "niet", "of", "om", "ook", "op", "over", "te", "tot", "uit",
    "van", "voor", "wat", "we", "wordt", "ze", "zijn",
];
const SWEDISH: &[&str] = &[
    "alla", "att", "av", "de", "den", "det", "ej", "eller", "en", "ett", "från", "för", "han", "har", "hur", "i",
    "inte", "jag", "kan", "med", "men", "min", "mitt", "när", "och", "om", "på", "sig", "som", "till", "vad", "var",
    "vi", "är",
];

const LATIN: [Language; 8] = [
    Language { algorithm: Algorithm::English, stop: ENGLISH },
    Language { algorithm: Algorithm::German, stop: GERMAN },
    Language { algorithm: Algorithm::French, stop: FRENCH },
    Language { algorithm: Algorithm::Spanish, stop: SPANISH },
    Language { algorithm: Algorithm::Portuguese, stop: PORTUGUESE },
    Language { algorithm: Algorithm::Italian, stop: ITALIAN },
    Language { algorithm: Algorithm::Dutch, stop: DUTCH },
    Language { algorithm: Algorithm::Swedish, stop: SWEDISH },
];

/// A word of a text with the forms that it is indexed and searched under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Lower-case.
    pub word: String,
    /// The stem in the language of the text.
    pub stem: String,
    /// The English stem, where it differs: names are mostly English.
    pub english: Option<String>,
    /// Whether it is a stop word.
    pub stop: bool,
}

/// The words of a text with their stems, in order.
pub fn terms(text: &str) -> Vec<Term> {
    let words = words(text);
    let language = language(&words);
    words.into_iter().map(|word| term(word, language)).collect()
}

fn term(word: String, language: &Language) -> Term {
    let algorithm = by_script(&word).unwrap_or(language.algorithm);
    let stem = stem(&word, algorithm);
    let english = (algorithm != Algorithm::English && word.is_ascii()).then(|| self::stem(&word, Algorithm::English));
    let stop = language.stop.contains(&word.as_str());
    Term { english: english.filter(|english| *english != stem), stem, stop, word }
}

/// The stem of a word. A word with other characters than letters is its own stem.
fn stem(word: &str, algorithm: Algorithm) -> String {
    if word.chars().all(char::is_alphabetic) {
        Stemmer::create(algorithm).stem(word).into_owned()
    } else {
        word.to_owned()
    }
}

pub fn english(word: &str) -> String {
    stem(word, Algorithm::English)
}

/// The stemmer for a script that only one of the supported languages uses.
fn by_script(word: &str) -> Option<Algorithm> {
    match word.chars().next()? {
        '\u{0370}'..='\u{03ff}' => Some(Algorithm::Greek),
        '\u{0400}'..='\u{04ff}' => Some(Algorithm::Russian),
        '\u{0600}'..='\u{06ff}' => Some(Algorithm::Arabic),
        '\u{0b80}'..='\u{0bff}' => Some(Algorithm::Tamil),
        _ => None,
    }
}

/// The language with the most of its frequent words in the text; English where none stands out.
fn language(words: &[String]) -> &'static Language {
    let count = |language: &Language| words.iter().filter(|word| language.stop.contains(&word.as_str())).count();
    let mut best = (&LATIN[0], count(&LATIN[0]).max(STOP_WORDS_MIN - 1));
    for language in &LATIN[1..] {
        let found = count(language);
        if found > best.1 {
            best = (language, found);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems(text: &str) -> String {
        let stems = terms(text).into_iter().filter(|term| !term.stop).map(|term| term.stem);
        stems.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn forms_of_a_word_share_their_stem() {
        for (one, other) in [
            ("files", "file"),
            ("queries", "query"),
            ("directories", "directory"),
            ("running", "run"),
            ("translation", "translate"),
            ("searches", "search"),
            ("created", "create"),
            ("lesen die Dateien in den Ordnern", "lese die Datei in den Ordnern"),
            ("créer des fichiers dans le dossier", "crée des fichier dans le dossier"),
            ("buscar los archivos en la carpeta", "buscar los archivo en las carpetas"),
            ("удалить файлы", "удалить файл"),
        ] {
            assert_eq!(stems(one), stems(other), "{one} {other}");
        }
        assert_eq!(stems("class"), "class");
        assert_eq!(stems("v2"), "v2");
    }

    #[test]
    fn words_that_say_nothing_are_marked_in_their_language() {
        assert_eq!(stems("the file of the page"), "file page");
        assert_eq!(stems("eine Datei in den Ordner"), "datei ordn");
        // One such word does not decide the language: `die` is an English word, too.
        assert_eq!(stems("die process"), "die process");
    }

    #[test]
    fn a_foreign_text_keeps_its_english_names() {
        let found = terms("öffnet die Queries in der Directory und zeigt sie");
        assert!(found.iter().any(|term| term.english.as_deref() == Some("directori")), "{found:?}");
    }
}
