//! A hub that drives a real Chromium.

use eye_testkit::{Home, HubProcess, Ran, chromium_or_skip};

/// A hub that may start a browser. `None` if none is installed, which is printed.
pub fn hub() -> Option<(Home, HubProcess)> {
    hub_with("")
}

/// The same with arguments for the browser.
pub fn hub_with(arguments: &str) -> Option<(Home, HubProcess)> {
    let program = chromium_or_skip()?;
    let home = super::home();
    let hub = HubProcess::start_by(home.command().env("EYE_BROWSER", program).env("EYE_BROWSER_ARGS", arguments), &[]);
    Some((home, hub))
}

/// The output of a command, which must have succeeded.
pub fn ok(ran: Ran) -> String {
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.stdout
}

/// The process id of the only browser.
pub fn pid(home: &Home) -> u32 {
    let list = ok(home.eye(["browse", "--list"]));
    list.split(" pid ").nth(1).and_then(|rest| rest.split(',').next()).unwrap().parse().unwrap()
}

/// The renderer processes of a browser, including spare ones.
pub fn renderers(browser: u32) -> Vec<u32> {
    let found = below(browser).into_iter().filter(|(_, line)| line.contains("--type=renderer"));
    found.map(|(pid, _)| pid).collect()
}

/// The descendants of a process, with their command lines.
fn below(pid: u32) -> Vec<(u32, String)> {
    let mut found: Vec<(u32, String)> = Vec::new();
    let all: Vec<(u32, u32, String)> = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| {
            let pid: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
            let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()?;
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
            Some((pid, parent, String::from_utf8_lossy(&line).replace('\0', " ")))
        })
        .collect();
    let mut open = vec![pid];
    while let Some(parent) = open.pop() {
        for (pid, _, line) in all.iter().filter(|(_, above, _)| *above == parent) {
            open.push(*pid);
            found.push((*pid, line.clone()));
        }
    }
    found
}
