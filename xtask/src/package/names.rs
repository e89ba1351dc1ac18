//! The package names, in one place; docs/release.md explains them. Nothing is published from here.

/// The name of the npm launcher, the wheel, the Debian package and the formula. The program is `eye`.
pub const PACKAGE: &str = "eye-hub";
/// One line for the package descriptions.
pub const DESCRIPTION: &str = "Eyes and hands for AI agents in live web pages.";

/// A system that a binary is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Platform {
    /// Rust's target triple.
    pub triple: &'static str,
    /// Node's `process.platform` and `process.arch`.
    pub node: (&'static str, &'static str),
    pub wheel: &'static str,
    /// Debian's architecture; `None` if no package is built for it.
    pub debian: Option<&'static str>,
}

/// All platforms. The Linux binaries are static: they need no libc, so the oldest wheel tag fits.
pub const PLATFORMS: [Platform; 5] = [
    Platform {
        triple: "x86_64-unknown-linux-gnu",
        node: ("linux", "x64"),
        wheel: "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
        debian: Some("amd64"),
    },
    Platform {
        triple: "aarch64-unknown-linux-gnu",
        node: ("linux", "arm64"),
        wheel: "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
        debian: Some("arm64"),
    },
    Platform { triple: "x86_64-apple-darwin", node: ("darwin", "x64"), wheel: "macosx_10_12_x86_64", debian: None },
    Platform { triple: "aarch64-apple-darwin", node: ("darwin", "arm64"), wheel: "macosx_11_0_arm64", debian: None },
    Platform { triple: "x86_64-pc-windows-gnu", node: ("win32", "x64"), wheel: "win_amd64", debian: None },
];

impl Platform {
    pub fn by_triple(triple: &str) -> Option<Self> {
        PLATFORMS.into_iter().find(|platform| platform.triple == triple)
    }

    /// The program's file name on this platform.
    pub fn program(self) -> &'static str {
        if self.node.0 == "win32" { "eye.exe" } else { "eye" }
    }

    /// The npm package that contains only the binary.
    pub fn npm(self) -> String {
        format!("{PACKAGE}-{}-{}", self.node.0, self.node.1)
    }
}
