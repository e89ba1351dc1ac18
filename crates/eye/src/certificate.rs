//! Makes, reads and renews a certificate for this machine in one folder. Reporting is the verb's business.
//!
//! A small authority signs the certificate: browsers trust the authority once, and a renewed certificate needs no
//! further step. The authority is constrained to the same few names: a thief of its key can impersonate no other host.

mod authority;
mod folder;
mod store;

pub use folder::{CertificateError, CertificateFolder};

use folder::VALID;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, pem};
use std::net::IpAddr;
use std::path::Path;
use time::{Duration, OffsetDateTime};
use x509_parser::extensions::GeneralName;

/// The names that every certificate of ours contains.
pub const NAMES: [&str; 3] = ["localhost", "127.0.0.1", "::1"];
/// A certificate that expires sooner than this is signed again.
const RENEWED_BEFORE: Duration = Duration::days(30);

/// A parsed certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// DNS names and IP addresses from the subject alternative names.
    pub names: Vec<String>,
    pub ends: OffsetDateTime,
    /// SHA-256 of the DER, as browsers show it.
    pub fingerprint: String,
    /// SHA-256 of its public key in base64, as Chromium's flags take it.
    pub spki: String,
}

/// What [`ensure`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// There was no pair, other names were needed, or the authority expires too soon: the authority is new, and
    /// browsers do not know it.
    Made,
    /// The same authority signed again.
    Renewed,
    Kept,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Makes what is missing and renews what expires soon.
    AsNeeded,
    /// Signs again in any case.
    Renew,
    /// Makes a new authority, key and list of names.
    Anew,
}

/// The authority's certificate and the hub's certificate, as they are on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    pub authority: Certificate,
    pub cert: Certificate,
}

/// Reads the pair from its folder.
pub fn read(folder: &CertificateFolder) -> Result<Pair, CertificateError> {
    if !folder.authority().exists() || !folder.cert().exists() {
        return Err(CertificateError::Missing);
    }
    Ok(Pair { authority: Certificate::read(&folder.authority())?, cert: Certificate::read(&folder.cert())? })
}

/// Ensures that there is a certificate for [`NAMES`], for `more`, and for the names that it already has.
pub fn ensure(
    folder: &CertificateFolder,
    more: &[String],
    how: How,
    now: OffsetDateTime,
) -> Result<(Pair, Done), CertificateError> {
    let there = match read(folder) {
        Ok(pair) if how != How::Anew => Some(pair),
        Ok(_) | Err(CertificateError::Missing) => None,
        Err(error) if how != How::Anew => return Err(error),
        Err(_) => None,
    };
    let mut names: Vec<String> = NAMES.map(str::to_owned).into();
    names.extend(there.iter().flat_map(|pair| pair.cert.names.iter().cloned()));
    for name in more {
        names.push(clean(name)?);
    }
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    let Some(pair) = there.filter(|pair| names.iter().all(|name| pair.cert.names.contains(name))) else {
        authority::make(folder, &names, now)?;
        return Ok((read(folder)?, Done::Made));
    };
    if pair.authority.ends < now + VALID {
        authority::make(folder, &names, now)?;
        return Ok((read(folder)?, Done::Made));
    }
    if how == How::Renew || pair.cert.ends < now + RENEWED_BEFORE {
        authority::sign_again(folder, &names, now)?;
        return Ok((read(folder)?, Done::Renewed));
    }
    Ok((pair, Done::Kept))
}

/// Normalises a host name or address as a certificate holds it.
fn clean(name: &str) -> Result<String, CertificateError> {
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = bare.parse::<IpAddr>() {
        return Ok(address.to_string());
    }
    let label = |label: &str| {
        !label.is_empty() && label.len() <= 63 && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    if name.len() <= 253 && name.split('.').all(label) {
        Ok(name.to_ascii_lowercase())
    } else {
        Err(CertificateError::NotAName(name.to_owned()))
    }
}

impl Certificate {
    /// Reads the first certificate of a file.
    pub fn read(path: &Path) -> Result<Self, CertificateError> {
        let broken = |what: String| CertificateError::Broken { path: path.to_owned(), what };
        let der = CertificateDer::from_pem_file(path).map_err(|error| match error {
            pem::Error::Io(source) => CertificateError::Io { path: path.to_owned(), source },
            pem::Error::NoItemsFound => broken("no certificate".into()),
            error => broken(format!("what is no PEM: {error}")),
        })?;
        Self::parse(&der).map_err(|error| broken(format!("a certificate that cannot be read: {error}")))
    }

    pub fn parse(der: &[u8]) -> Result<Self, x509_parser::nom::Err<x509_parser::error::X509Error>> {
        let (_, parsed) = x509_parser::parse_x509_certificate(der)?;
        let names = parsed
            .subject_alternative_name()?
            .map_or_else(Vec::new, |found| found.value.general_names.iter().filter_map(shown).collect());
        Ok(Self {
            names,
            ends: parsed.validity().not_after.to_datetime(),
            fingerprint: colons(&sha256(der)),
            spki: base64::Engine::encode(&base64::engine::general_purpose::STANDARD, sha256(parsed.public_key().raw)),
        })
    }
}

fn shown(name: &GeneralName<'_>) -> Option<String> {
    match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        GeneralName::IPAddress(bytes) => {
            let v4 = <[u8; 4]>::try_from(*bytes).map(IpAddr::from);
            v4.or_else(|_| <[u8; 16]>::try_from(*bytes).map(IpAddr::from)).ok().map(|address| address.to_string())
        }
        _ => None,
    }
}

fn sha256(bytes: &[u8]) -> Vec<u8> {
    ring::digest::digest(&ring::digest::SHA256, bytes).as_ref().to_vec()
}

fn colons(bytes: &[u8]) -> String {
    let pairs: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    pairs.join(":")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn folder() -> (CertificateFolder, tempfile::TempDir) {
        let home = tempfile::tempdir().unwrap();
        (CertificateFolder::new(home.path().join("eye/tls")), home)
    }

    fn now() -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp(1_800_000_000).unwrap()
    }

    #[test]
    fn a_certificate_is_made_once_and_kept() {
        let (folder, _home) = folder();
        assert!(matches!(read(&folder), Err(CertificateError::Missing)));
        let (made, done) = ensure(&folder, &[], How::AsNeeded, now()).unwrap();
        assert_eq!((done, made.cert.names.as_slice()), (Done::Made, &NAMES.map(str::to_owned)[..]));
        assert_eq!(made.cert.ends, now() + VALID);
        assert_eq!(made.authority.fingerprint.len(), 95);
        assert_eq!(ensure(&folder, &["LOCALHOST".into()], How::AsNeeded, now()).unwrap(), (made, Done::Kept));
        for (path, mode) in
            [(folder.key(), 0o600), (folder.authority_key(), 0o600), (folder.key().parent().unwrap().to_owned(), 0o700)]
        {
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, mode, "{}", path.display());
        }
    }

    #[test]
    fn what_ends_soon_is_signed_anew_by_the_same_authority_with_the_same_key() {
        let (folder, _home) = folder();
        let (first, _) = ensure(&folder, &["box.local".into()], How::AsNeeded, now()).unwrap();
        let early = now() + VALID - RENEWED_BEFORE;
        assert_eq!(ensure(&folder, &[], How::AsNeeded, early).unwrap().1, Done::Kept);
        let (second, done) = ensure(&folder, &[], How::AsNeeded, early + Duration::seconds(1)).unwrap();
        assert_eq!(done, Done::Renewed);
        assert_eq!(second.authority, first.authority);
        assert_eq!((&second.cert.spki, &second.cert.names), (&first.cert.spki, &first.cert.names));
        assert_ne!(second.cert.fingerprint, first.cert.fingerprint);
        assert_eq!(ensure(&folder, &[], How::Renew, early).unwrap().1, Done::Renewed);
    }

    #[test]
    fn another_name_needs_another_authority() {
        let (folder, _home) = folder();
        let (first, _) = ensure(&folder, &[], How::AsNeeded, now()).unwrap();
        let more = ["Box.local".to_owned(), "[fe80::1]".into(), "192.168.1.5".into()];
        let (second, done) = ensure(&folder, &more, How::AsNeeded, now()).unwrap();
        assert_eq!(done, Done::Made);
        assert_ne!(second.authority.fingerprint, first.authority.fingerprint);
        assert_eq!(second.cert.names[3..], ["box.local", "fe80::1", "192.168.1.5"]);
        let (third, _) = ensure(&folder, &[], How::Anew, now()).unwrap();
        assert_eq!(third.cert.names, NAMES);
        for name in ["", "a b", "http://x", "a..b", "box.local:8765", "*"] {
            let refused = ensure(&folder, &[name.to_owned()], How::AsNeeded, now());
            assert!(matches!(refused, Err(CertificateError::NotAName(_))), "{name}");
        }
    }

    #[test]
    fn what_is_broken_is_reported_and_can_be_begun_anew() {
        let (folder, _home) = folder();
        ensure(&folder, &[], How::AsNeeded, now()).unwrap();
        fs::write(folder.cert(), "junk").unwrap();
        let error = ensure(&folder, &[], How::AsNeeded, now()).unwrap_err();
        assert!(error.to_string().ends_with("cert.pem holds no certificate"), "{error}");
        assert_eq!(ensure(&folder, &[], How::Anew, now()).unwrap().1, Done::Made);
    }

    #[test]
    fn the_authority_is_trusted_for_its_names_and_no_others() {
        use rustls::client::WebPkiServerVerifier;
        use rustls::client::danger::ServerCertVerifier;
        use rustls::pki_types::{ServerName, UnixTime};
        use std::sync::Arc;
        let (folder, _home) = folder();
        ensure(&folder, &["box.local".into()], How::AsNeeded, now()).unwrap();
        let authority = CertificateDer::from_pem_file(folder.authority()).unwrap();
        let mut roots = rustls::RootCertStore::empty();
        roots.add(authority).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap();
        let at = UnixTime::since_unix_epoch(std::time::Duration::from_hours(500_000));
        let refusal = |cert: &CertificateDer<'_>, name: &str| {
            let name = ServerName::try_from(name.to_owned()).unwrap();
            verifier.verify_server_cert(cert, &[], &name, &[], at).err().map(|error| format!("{error:?}"))
        };
        let cert = CertificateDer::from_pem_file(folder.cert()).unwrap();
        for name in ["localhost", "127.0.0.1", "::1", "box.local"] {
            assert_eq!(refusal(&cert, name), None, "{name}");
        }
        assert!(refusal(&cert, "bank.example").unwrap().contains("NotValidForName"));
        let stolen = authority::signed_for_test(&folder, "bank.example", now());
        let why = refusal(&stolen, "bank.example").unwrap();
        assert!(why.contains("NameConstraintViolation"), "{why}");
    }
}
