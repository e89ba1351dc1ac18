//! The table of operations: every method and verb once, with its parameters, result, help line, class, hints and faces.
//!
//! The CLI's page verbs, the MCP tools, the TypeScript types and the tables of `docs/wire.md` are made from it; what is
//! written by hand elsewhere is compared with it by parity tests. It uses nothing but `core`, so that
//! `docs/adding-a-verb.md` can be tested by compiling this folder alone.

mod class;
mod command;
mod hub;
mod operation;
mod page;
mod param;
mod provide;
mod render;
mod table;
mod words;

pub use class::Class;
pub use operation::{BROWSER_METHODS, Effect, Faces, Group, Operation, PAGE_METHODS, World};
pub use page::COMMON;
pub use param::{Kind, Param};
pub use render::{mcp_params, mcp_tool, typescript, with_tables};
pub use table::{TABLES, all, class_of, command_named, of_method, shown_by, world_of};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_methods_are_given_once() {
        for face in [Faces::CLI, Faces::MCP, Faces::RPC, Faces::PAGE] {
            let mut seen = Vec::new();
            for operation in shown_by(face) {
                let words = if face == Faces::RPC { &[][..] } else { operation.aliases };
                let name = if face == Faces::RPC { operation.method } else { operation.name };
                seen.extend(words.iter().copied().chain([name]));
            }
            let mut once = seen.clone();
            once.sort_unstable();
            once.dedup();
            assert_eq!(once.len(), seen.len(), "{seen:?}");
        }
    }

    #[test]
    fn help_lines_are_one_line_without_a_full_stop() {
        for operation in all() {
            let about = operation.about;
            assert!(!about.is_empty() && !about.ends_with('.') && !about.contains('\n'), "{about}");
            assert!(about.starts_with(char::is_uppercase), "{about}");
            for param in operation.params.iter().chain(operation.line()) {
                assert!(!param.help.is_empty() && !param.help.contains('\n'), "{} {}", operation.method, param.name);
                let required_default = param.required && param.default.is_some();
                assert!(!required_default, "{} {}", operation.method, param.name);
            }
        }
    }

    #[test]
    fn words_of_page_verbs_have_a_name_for_their_value() {
        for operation in shown_by(Faces::CLI).filter(|operation| operation.in_page()) {
            for param in operation.line() {
                let named = param.kind == Kind::Flag || !param.value_name.is_empty();
                assert!(named, "{} {}", operation.name, param.name);
            }
        }
    }

    #[test]
    fn every_operation_says_where_it_is_shown() {
        for operation in all() {
            let Operation { name, method, faces, .. } = *operation;
            for face in [Faces::CLI, Faces::MCP, Faces::PAGE] {
                assert!(!faces.has(face) || !name.is_empty(), "{method}");
            }
            assert_eq!(faces.has(Faces::RPC), !method.is_empty(), "{name} {method}");
            if faces.has(Faces::PAGE) {
                assert!(operation.in_page(), "{name}");
            }
        }
    }

    #[test]
    fn effects_fit_classes() {
        for operation in all().filter(|operation| operation.class == Class::Read) {
            assert_eq!(operation.effect, Effect::Reads, "{} {}", operation.name, operation.method);
        }
        assert_eq!(class_of("page/look"), Class::Read);
        assert_eq!(class_of("page/click"), Class::Act);
        assert_eq!(class_of("page/unheard-of"), Class::Eval);
        assert_eq!(class_of("hub/unheard-of"), Class::Admin);
    }

    #[test]
    fn a_class_covers_what_it_contains() {
        for class in Class::ALL {
            assert!(class.covers(class));
            assert_eq!(Class::parse(class.word()), Some(class));
            assert_eq!(Class::Join.covers(class), class == Class::Join);
            assert_eq!(Class::Admin.covers(class), class != Class::Join);
            assert_eq!(class.covers(Class::Read), class != Class::Join);
        }
        assert!(Class::Eval.covers(Class::Act) && !Class::Act.covers(Class::Eval));
        assert!(!Class::Servers.covers(Class::Act) && !Class::Eval.covers(Class::Servers));
    }
}
