//! The compose file of three hubs: runs the commands of its services here without containers, and checks its load
//! balancer's list of hubs. With the real binary and a real nats-server.

use crate::stage::hubs::{lists, setup};
use crate::stage::{answers, home, table};
use eye_testkit::{HubProcess, Nats, ScriptedPage};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Deserialize)]
struct Compose {
    services: BTreeMap<String, Service>,
}

#[derive(Deserialize)]
struct Service {
    #[serde(default)]
    command: Vec<String>,
    #[serde(default)]
    ports: Vec<String>,
    #[serde(default)]
    depends_on: Vec<String>,
}

fn file(name: &str) -> String {
    std::fs::read_to_string(format!("{}/../../docs/compose/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

#[test]
fn the_hubs_of_the_compose_file_are_one_service_behind_its_load_balancer() {
    let compose: Compose = serde_saphyr::from_str(&file("cluster.yaml")).unwrap();
    let hubs: BTreeMap<&str, &Service> = compose
        .services
        .iter()
        .filter(|(name, _)| name.starts_with("hub-"))
        .map(|(name, hub)| (&**name, hub))
        .collect();
    assert_eq!(hubs.len(), 3);
    // Only the load balancer can be reached, from this machine; it knows every hub and forwards WebSockets.
    let published: Vec<_> = compose.services.values().flat_map(|service| &service.ports).collect();
    assert_eq!(published, ["127.0.0.1:8765:8765"]);
    let balancer = file("balancer.conf");
    let listed = balancer.lines().filter_map(|line| line.trim().strip_prefix("server ")?.split_once(":8765"));
    let listed: BTreeSet<&str> = listed.map(|(name, _)| name).collect();
    assert_eq!(listed, hubs.keys().copied().collect());
    assert!(compose.services["balancer"].depends_on.iter().all(|name| listed.contains(&**name)));
    for needed in
        ["proxy_set_header Host $http_host;", "proxy_set_header Upgrade $http_upgrade;", "proxy_http_version 1.1;"]
    {
        assert!(balancer.contains(needed), "{needed}");
    }
    // The server stores its files in the volume, and has the features that hubs need.
    assert_eq!(compose.services["nats"].command, ["-js", "-sd", "/data"]);

    let nats = Nats::start();
    let mut running = Vec::new();
    for (name, hub) in &hubs {
        assert_eq!(&hub.command[..3], ["eye", "up", "--foreground"], "{name}");
        let flags: Vec<String> =
            hub.command[3..].iter().map(|word| word.replace("nats://nats:4222", &nats.url())).collect();
        assert!(flags.contains(&nats.url()) && flags.contains(&(*name).to_owned()), "{flags:?}");
        let home = home();
        let hub = HubProcess::start_with(&home, &flags.iter().map(String::as_str).collect::<Vec<_>>());
        running.push((home, hub));
    }
    let [(a, _), (b, _), (c, _)] = &running[..] else { panic!("three hubs") };
    let _page = ScriptedPage::join(c, &setup(c, "Shop").alias("shop"), table);
    for home in [a, b] {
        let listed = lists(home, "shop");
        assert!(listed.stdout.contains("at hub-c"), "{listed:?}");
        assert_eq!(home.eye(["--page", "shop", "document.title"]), answers(0, "Shop\n", ""));
    }
}
