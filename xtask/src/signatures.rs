//! No function of the product returns a text as its error: a text has no variant to branch on. Test code is left out.

use crate::place;
use crate::tutorial::tracked;
use std::fs;
use syn::visit::{self, Visit};
use syn::{Attribute, GenericArgument, ImplItemFn, ItemFn, ItemMod, PathArguments, ReturnType, Signature, Type};

/// Collects the functions whose return type is `Result<_, String>`.
#[derive(Default)]
struct Texts(Vec<String>);

impl Texts {
    fn take(&mut self, signature: &Signature) {
        if let ReturnType::Type(_, output) = &signature.output
            && has_text_as_error(output)
        {
            self.0.push(signature.ident.to_string());
        }
    }
}

impl<'ast> Visit<'ast> for Texts {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if !is_test(&item.attrs) {
            self.take(&item.sig);
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.take(&item.sig);
        visit::visit_impl_item_fn(self, item);
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Path>().is_ok_and(|p| p.is_ident("test"))
    })
}

fn has_text_as_error(output: &Type) -> bool {
    let last = |path: &Type| match path {
        Type::Path(path) => path.path.segments.last().cloned(),
        _ => None,
    };
    let Some(result) = last(output).filter(|segment| segment.ident == "Result") else { return false };
    let PathArguments::AngleBracketed(arguments) = &result.arguments else { return false };
    let types: Vec<&Type> = arguments
        .args
        .iter()
        .filter_map(|argument| if let GenericArgument::Type(one) = argument { Some(one) } else { None })
        .collect();
    types.len() == 2 && last(types[1]).is_some_and(|error| error.ident == "String")
}

fn texts_in(code: &str) -> Vec<String> {
    let mut texts = Texts::default();
    texts.visit_file(&syn::parse_file(code).expect("code"));
    texts.0
}

#[test]
fn no_function_of_the_product_returns_a_text_as_its_error() {
    let root = place::root();
    let (mut read, mut found) = (0, Vec::new());
    for file in tracked(&root).unwrap() {
        let path = file.to_string_lossy().into_owned();
        let is_rust = file.extension().is_some_and(|end| end == "rs");
        let is_ours = is_rust && path.starts_with("crates/") && path.contains("/src/");
        let Ok(code) = fs::read_to_string(root.join(&file)) else { continue };
        if is_ours && !file.ends_with("tests.rs") {
            read += 1;
            found.extend(texts_in(&code).into_iter().map(|function| format!("{path}: {function}")));
        }
    }
    assert!(read > 300, "{read} files");
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn texts_as_errors_are_found_outside_of_tests() {
    let code = "fn a() -> Result<u8, String> {} \
                impl B { fn b(&self) -> std::result::Result<Vec<u8>, String> {} fn c() -> Result<String, Error> {} } \
                mod d { fn d() -> Option<Result<u8, String>> {} fn e() -> Result<(), String> {} } \
                #[cfg(test)] mod tests { fn f() -> Result<(), String> {} }";
    assert_eq!(texts_in(code), ["a", "b", "e"]);
}
