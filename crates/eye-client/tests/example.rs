//! The example on the crate's front page, against a real hub.

#[path = "../examples/calculator.rs"]
#[allow(dead_code, reason = "its `main` is for people")]
mod calculator;

use crate::stage::Hub;

#[test]
fn the_example_adds_over_both_transports() {
    let hub = Hub::start();
    for address in hub.addresses() {
        assert_eq!(calculator::add(address, 2.0, 3.0).unwrap(), "5.0");
    }
}
