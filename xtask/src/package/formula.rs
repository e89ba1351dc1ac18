//! Homebrew's formula, with the URLs and checksums of a release's tarballs.

use super::names::{DESCRIPTION, PACKAGE, Platform};
use std::fmt::Write;

/// The base URL of releases; `EYE_RELEASE_URL` overrides it.
pub fn release_url() -> String {
    std::env::var("EYE_RELEASE_URL").unwrap_or_else(|_| "https://example.invalid/eye/releases/download".into())
}

/// The formula of a version, for these tarballs: platform, file name, checksum.
pub fn make(version: &str, tarballs: &[(Platform, String, String)]) -> String {
    let class: String = PACKAGE.split('-').map(capital).collect();
    let mut text = format!(
        "# Made by `cargo xtask package`.\nclass {class} < Formula\n  desc \"{}\"\n  version \"{version}\"\n  \
         license any_of: [\"MIT\", \"Apache-2.0\"]\n",
        DESCRIPTION.trim_end_matches('.'),
    );
    for (os, block) in [("linux", "on_linux"), ("darwin", "on_macos")] {
        let here: Vec<_> = tarballs.iter().filter(|(platform, ..)| platform.node.0 == os).collect();
        if here.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n  {block} do");
        for (platform, file, sum) in here {
            let cpu = if platform.node.1 == "arm64" { "on_arm" } else { "on_intel" };
            let url = format!("{}/v{version}/{file}", release_url());
            let _ = write!(text, "    {cpu} do\n      url \"{url}\"\n      sha256 \"{sum}\"\n    end\n");
        }
        text.push_str("  end\n");
    }
    text.push_str(
        r##"
  def install
    bin.install "bin/eye"
    man1.install "share/man/man1/eye.1"
    bash_completion.install "share/completions/eye"
    zsh_completion.install "share/completions/_eye"
    fish_completion.install "share/completions/eye.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/eye version")
  end
end
"##,
    );
    text
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_names_only_the_systems_that_have_a_tarball() {
        let platform = Platform::by_triple("aarch64-apple-darwin").unwrap();
        let text = make("1.2.3", &[(platform, "eye.tar.gz".into(), "abc".into())]);
        assert!(
            text.contains("class EyeHub < Formula") && text.contains("on_arm do") && text.contains("sha256 \"abc\"")
        );
        assert!(!text.contains("on_linux") && !text.contains("on_intel"));
    }
}
