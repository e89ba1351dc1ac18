//! Reads from an HTML document the policies in `<meta>` and the tag that loads the client.

use html5gum::{DefaultEmitter, HtmlString, StartTag, Token, Tokenizer};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Contents of `<meta http-equiv="Content-Security-Policy">` in the head; elsewhere browsers ignore them.
    pub policies: Vec<String>,
    /// The first script whose address ends in `/eye.js`.
    pub client: Option<Client>,
}

/// A tag that loads the client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// As written, not resolved.
    pub src: String,
    /// The tag's `data-hub`.
    pub hub: Option<String>,
    /// The tag's `nonce`.
    pub nonce: String,
    /// How many of the policies precede the tag, and so are in force for it.
    pub policies_before: usize,
}

/// Reads a document, which may be truncated.
pub fn read(html: &str) -> Document {
    let mut document = Document::default();
    let mut inert: usize = 0;
    let mut in_head = true;
    let mut emitter = DefaultEmitter::default();
    // Text inside a script, a style or a title that looks like a tag is not one.
    emitter.naively_switch_states(true);
    for token in Tokenizer::new_with_emitter(html, emitter) {
        match token {
            Ok(Token::StartTag(tag)) if is_inert(&tag.name) => inert += usize::from(!tag.self_closing),
            Ok(Token::EndTag(tag)) if is_inert(&tag.name) => inert = inert.saturating_sub(1),
            Ok(Token::StartTag(tag)) if inert == 0 => {
                in_head &= belongs_to_head(&tag.name);
                document.take(&tag, in_head);
            }
            Ok(Token::EndTag(tag)) if tag.name.as_slice() == b"head" => in_head = false,
            Ok(_) | Err(_) => {}
        }
    }
    document
}

/// The contents of these elements have no effect where scripts run.
fn is_inert(name: &HtmlString) -> bool {
    matches!(name.as_slice(), b"noscript" | b"template")
}

/// The head ends at the first tag that cannot be in it, with or without `</head>`.
fn belongs_to_head(name: &HtmlString) -> bool {
    const HEAD: [&[u8]; 8] = [b"html", b"head", b"base", b"link", b"meta", b"script", b"style", b"title"];
    HEAD.contains(&name.as_slice())
}

impl Document {
    fn take(&mut self, tag: &StartTag<()>, in_head: bool) {
        match tag.name.as_slice() {
            b"meta" if in_head => {
                let named = attribute(tag, "http-equiv").unwrap_or_default();
                if named.trim().eq_ignore_ascii_case("content-security-policy") {
                    self.policies.extend(attribute(tag, "content"));
                }
            }
            b"script" if self.client.is_none() => {
                let src = attribute(tag, "src").unwrap_or_default();
                let path = src.split(['?', '#']).next().unwrap_or_default();
                if path == "eye.js" || path.ends_with("/eye.js") {
                    self.client = Some(Client {
                        hub: attribute(tag, "data-hub").filter(|hub| !hub.is_empty()),
                        nonce: attribute(tag, "nonce").unwrap_or_default(),
                        policies_before: self.policies.len(),
                        src,
                    });
                }
            }
            _ => {}
        }
    }
}

fn attribute(tag: &StartTag<()>, name: &str) -> Option<String> {
    tag.attributes.get(name.as_bytes()).map(|value| String::from_utf8_lossy(value).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_and_the_clients_tag_are_found() {
        let found = read(concat!(
            "<!doctype html><HEAD><meta HTTP-EQUIV='content-security-policy' content=\"default-src &#39;self&#39;\">",
            "<script nonce=abc src=/__eye/eye.js?x data-hub='http://localhost:9'></script>",
            "<meta http-equiv=Content-Security-Policy content=\"connect-src *\">"
        ));
        assert_eq!(found.policies, ["default-src 'self'", "connect-src *"]);
        let client = found.client.unwrap();
        assert_eq!((client.src.as_str(), client.nonce.as_str()), ("/__eye/eye.js?x", "abc"));
        assert_eq!((client.hub.as_deref(), client.policies_before), (Some("http://localhost:9"), 1));
    }

    #[test]
    fn policies_count_in_the_head_only() {
        let meta = "<meta http-equiv=Content-Security-Policy content=x>";
        for before in ["<body>", "<head></head>", "<title>t</title><p>", "<head><link><div>"] {
            assert_eq!(read(&format!("{before}{meta}")).policies, Vec::<String>::new(), "{before}");
        }
        for before in ["", "<html lang=en><head><title>t</title>", "<script>1</script><style>a{}</style>"] {
            assert_eq!(read(&format!("{before}{meta}")).policies, ["x"], "{before}");
        }
    }

    #[test]
    fn what_only_looks_like_a_tag_is_none() {
        let found = read(concat!(
            "<!-- <script src=/eye.js></script> --><script>'<script src=/eye.js>'</script><style><script src=/eye.js></style>",
            "<noscript><meta http-equiv=Content-Security-Policy content=x></noscript>",
            "<template><script src=/eye.js></script></template><script src=/myeye.js></script><title><script src=/eye.js></title>"
        ));
        assert_eq!(found, Document::default());
    }
}
