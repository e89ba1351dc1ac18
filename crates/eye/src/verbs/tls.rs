//! `eye tls`: makes a certificate for this machine, and explains how browsers come to trust it.

use crate::certificate::{self, CertificateFolder, Done, How, Pair};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::options::Options;
use crate::{places, ui};
use serde_json::json;
use std::fmt::Write;
use std::time::SystemTime;

/// Make a certificate for this machine, for HTTPS pages, and say how to trust it
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: eye tls
         eye tls --name box.local --name 192.168.1.5
         eye up --tls

It is for localhost, 127.0.0.1, ::1 and the names you give. A small authority signs it that can sign for nothing else; a browser \
that trusts the authority trusts every renewed certificate. eye up --tls uses and renews it; a hub that runs takes the new one by \
itself.")]
pub struct Args {
    /// A further name or address of this machine; names that it has already stay
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
    /// Sign it anew now; it is done by itself a month before it ends
    #[arg(long, conflicts_with = "new")]
    renew: bool,
    /// Begin anew, with another authority, another key, and the names given here
    #[arg(long)]
    new: bool,
}

/// Makes, renews or shows the certificate.
pub fn run(args: &Args, options: &Options) -> Result<Exit, Failure> {
    let folder = CertificateFolder::new(places::tls_folder()?);
    let how = match (args.renew, args.new) {
        (true, _) => How::Renew,
        (false, true) => How::Anew,
        (false, false) => How::AsNeeded,
    };
    let (pair, done) = certificate::ensure(&folder, &args.name, how, SystemTime::now().into())?;
    if options.json {
        ui::line(json!({
            "done": word(done),
            "authority": folder.authority(),
            "cert": folder.cert(),
            "key": folder.key(),
            "names": pair.cert.names,
            "ends": pair.cert.ends.date().to_string(),
            "fingerprint": pair.authority.fingerprint,
            "spki": pair.cert.spki,
        }))?;
    } else if !options.errors {
        ui::text_out(&text(&folder, &pair, done))?;
    }
    Ok(Exit::Success)
}

/// The certificate for `eye up --tls`, renewed if it expires soon. Fails unless it covers all names under which others
/// reach the hub.
pub fn in_use(hosts: &[String]) -> Result<CertificateFolder, Failure> {
    let folder = CertificateFolder::new(places::tls_folder()?);
    let names = certificate::read(&folder)?.cert.names;
    for host in hosts.iter().map(|host| host.trim_start_matches('[').trim_end_matches(']')) {
        if !names.iter().any(|name| name == host) {
            let why = format!("the certificate is not for {host}");
            return Err(Failure::usage(why, format!("eye tls --name {host}")));
        }
    }
    let (pair, done) = certificate::ensure(&folder, &[], How::AsNeeded, SystemTime::now().into())?;
    match done {
        Done::Kept => {}
        Done::Renewed => ui::note(format_args!("the certificate was renewed, until {}", pair.cert.ends.date())),
        Done::Made => ui::note("the authority had come to its end, and is a new one: eye tls says how to trust it"),
    }
    Ok(folder)
}

fn word(done: Done) -> &'static str {
    match done {
        Done::Made => "made",
        Done::Renewed => "renewed",
        Done::Kept => "kept",
    }
}

fn text(folder: &CertificateFolder, pair: &Pair, done: Done) -> String {
    let what = match done {
        Done::Made => "made a certificate",
        Done::Renewed => "renewed the certificate",
        Done::Kept => "there is a certificate",
    };
    let authority = folder.authority();
    let authority = authority.display();
    let mut text = format!("{what} for {}, until {}\n", pair.cert.names.join(", "), pair.cert.ends.date());
    let _ = write!(
        text,
        "cert       {}\nkey        {}\nauthority  {authority}\nSHA-256    {}\n",
        folder.cert().display(),
        folder.key().display(),
        pair.authority.fingerprint
    );
    if done == Done::Renewed {
        text.push_str("\nBrowsers that trust the authority need nothing; a hub that runs takes it by itself.\n");
        return text;
    }
    text.push_str("\nUse it:  eye up --tls\n\nTrust the authority, once in each browser (its SHA-256 is above):\n");
    for (where_, how) in [
        (
            "Chrome, Chromium, Edge on Linux",
            format!("certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n eye -i {authority}   (package libnss3-tools)"),
        ),
        (
            "Chrome, Safari, Edge on macOS",
            format!("security add-trusted-cert -r trustRoot -k ~/Library/Keychains/login.keychain-db {authority}"),
        ),
        ("Chrome, Edge on Windows, WSL", "certutil.exe -user -addstore Root ca.pem   (copy it there first)".into()),
        (
            "Firefox",
            "Settings, Privacy & Security, View Certificates, Authorities, Import; tick \"identify websites\"".into(),
        ),
        ("eye on this machine", "knows it already; elsewhere, SSL_CERT_FILE=ca.pem".into()),
        ("Node", format!("NODE_EXTRA_CA_CERTS={authority}")),
    ] {
        let _ = writeln!(text, "  {where_:<33}{how}");
    }
    text
}
