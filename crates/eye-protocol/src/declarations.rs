//! The messages as TypeScript declarations, for `cargo xtask gen`. Only with the feature `ts`.

use crate::error::{Code, ErrorData, ErrorObject, Source};
use crate::messages::{
    ClientType, Collect, Collected, Eval, EvalInPage, EvalMode, Hello, Kept, Navigating, PageInfo, Presence, Retiring,
    SessionRow, Sessions, Use, Welcome,
};
use crate::page_hint::TABLE;
use crate::status::{Hubs, OtherHub, Status};
use crate::tools::{Registered, Rejected};
use ts_rs::{Config, TS};

/// All declarations, one a line. Our integers are small enough for TypeScript's `number`.
pub fn typescript() -> String {
    let config = Config::new().with_large_int("number");
    let hints: Vec<String> = TABLE.iter().map(|(id, _)| format!("{id:?}")).collect();
    let declarations = [
        format!("type HintId = {};", hints.join(" | ")),
        Code::decl(&config),
        Source::decl(&config),
        ErrorData::decl(&config),
        ErrorObject::decl(&config),
        ClientType::decl(&config),
        PageInfo::decl(&config),
        Hello::decl(&config),
        Welcome::decl(&config),
        Navigating::decl(&config),
        EvalInPage::decl(&config),
        EvalMode::decl(&config),
        Eval::decl(&config),
        Collect::decl(&config),
        Kept::decl(&config),
        Collected::decl(&config),
        Use::decl(&config),
        Presence::decl(&config),
        SessionRow::decl(&config),
        Sessions::decl(&config),
        OtherHub::decl(&config),
        Hubs::decl(&config),
        Status::decl(&config),
        Retiring::decl(&config),
        Registered::decl(&config),
        Rejected::decl(&config),
    ];
    declarations.into_iter().flat_map(|declaration| ["export ".to_owned(), declaration, "\n".to_owned()]).collect()
}
