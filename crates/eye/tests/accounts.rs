//! Hubs at a nats-server with operator-signed accounts: credentials files, and tenants that are isolated from each
//! other. With the real binary and a real nats-server.

use crate::stage::hubs::{lists, setup, until};
use crate::stage::{answers, home, table};
use data_encoding::BASE64URL_NOPAD;
use eye_testkit::{Home, HubProcess, Nats, ScriptedPage};
use nkeys::KeyPair;
use serde_json::{Value, json};

/// A JSON Web Token of NATS, signed by a key.
fn token(by: &KeyPair, of: &KeyPair, name: &str, nats: &Value) -> String {
    let (issuer, subject) = (by.public_key(), of.public_key());
    let claims = json!({ "jti": subject, "iat": 1, "iss": issuer, "sub": subject, "name": name, "nats": nats });
    let part = |json: &Value| BASE64URL_NOPAD.encode(json.to_string().as_bytes());
    let signed = format!("{}.{}", part(&json!({ "typ": "JWT", "alg": "ed25519-nkey" })), part(&claims));
    format!("{signed}.{}", BASE64URL_NOPAD.encode(&by.sign(signed.as_bytes()).unwrap()))
}

/// An account with its token.
fn account(operator: &KeyPair, name: &str) -> (KeyPair, String) {
    let key = KeyPair::new_account();
    let limits = json!({
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
        "mem_storage": if name == "SYS" { 0 } else { -1 }, "disk_storage": if name == "SYS" { 0 } else { -1 },
    });
    let token = token(operator, &key, name, &json!({ "limits": limits, "type": "account", "version": 2 }));
    (key, token)
}

/// The text of a file of credentials for a new user.
fn credentials(account: &KeyPair, name: &str) -> String {
    let user = KeyPair::new_user();
    let rights = json!({ "subs": -1, "data": -1, "payload": -1, "type": "user", "version": 2, "pub": {}, "sub": {} });
    let (token, seed) = (token(account, &user, name, &rights), user.seed().unwrap());
    let line = "------";
    format!(
        "-----BEGIN NATS USER JWT-----\n{token}\n{line}END NATS USER JWT{line}\n\n\
         -----BEGIN USER NKEY SEED-----\n{seed}\n{line}END USER NKEY SEED{line}\n"
    )
}

fn start(nats: &Nats, name: &str, credentials: &str) -> (Home, HubProcess) {
    let home = home();
    let file = home.path("user.creds");
    std::fs::write(&file, credentials).unwrap();
    let flags = ["--cluster", &nats.url(), "--hub-name", name, "--cluster-creds", file.to_str().unwrap()];
    let hub = HubProcess::start_with(&home, &flags);
    (home, hub)
}

#[test]
fn hubs_with_credentials_of_one_account_are_one_service_and_those_of_another_are_not_in_it() {
    let operator = KeyPair::new_operator();
    let own = token(&operator, &operator, "operator", &json!({ "type": "operator", "version": 2 }));
    let [(system, system_token), (shop, shop_token), (bank, bank_token)] =
        ["SYS", "shop", "bank"].map(|name| account(&operator, name));
    let nats = Nats::start_with(&format!(
        "operator: {own}\nsystem_account: {}\nresolver: MEMORY\nresolver_preload: {{\n{}: {system_token}\n{}: \
         {shop_token}\n{}: {bank_token}\n}}\n",
        system.public_key(),
        system.public_key(),
        shop.public_key(),
        bank.public_key(),
    ));
    let (a, _hub_a) = start(&nats, "a", &credentials(&shop, "a"));
    let (b, _hub_b) = start(&nats, "b", &credentials(&shop, "b"));
    let (c, _hub_c) = start(&nats, "c", &credentials(&bank, "c"));
    let _page = ScriptedPage::join(&b, &setup(&b, "Shop").alias("shop"), table);
    let _other = ScriptedPage::join(&c, &setup(&c, "Bank").alias("bank"), table);
    lists(&a, "shop");
    assert_eq!(a.eye(["--page", "shop", "document.title"]), answers(0, "Shop\n", ""));
    until(&c, &["status", "--cluster"], |ran| *ran == answers(0, "cluster default, linked\nc  1 page, this hub\n", ""));
    assert!(!c.eye(["pages"]).stdout.contains("Shop") && !a.eye(["pages"]).stdout.contains("Bank"));
    // A user that no account of this operator signed is refused.
    let (d, _hub_d) = start(&nats, "d", &credentials(&KeyPair::new_account(), "d"));
    until(&d, &["status"], |ran| ran.stdout.contains("own pages only"));
}
