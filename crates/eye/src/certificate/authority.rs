//! The authority: makes its own certificate and signs the hub's.

use super::folder::{CertificateError, CertificateFolder, SLACK, VALID};
use super::store::{read_secret, write};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, CidrSubnet, DistinguishedName, DnType,
    ExtendedKeyUsagePurpose, GeneralSubtree, IsCa, Issuer, KeyPair, KeyUsagePurpose, NameConstraints,
};
use std::fs;
use std::net::IpAddr;
use time::{Duration, OffsetDateTime};

/// Long, because a user adds the authority to the browsers by hand.
const AUTHORITY_VALID: Duration = Duration::days(3650);

/// Makes an authority for these names, a key, and the certificate of that key.
pub fn make(folder: &CertificateFolder, names: &[String], now: OffsetDateTime) -> Result<(), CertificateError> {
    let authority = CertifiedIssuer::self_signed(authority_params(names, now), KeyPair::generate()?)?;
    let key = KeyPair::generate()?;
    let cert = cert_params(names, now)?.signed_by(&key, &authority)?;
    // The certificate is written last: when it exists, all the other files exist.
    write(&folder.authority_key(), &authority.key().serialize_pem(), false)?;
    write(&folder.authority(), &authority.pem(), true)?;
    write(&folder.key(), &key.serialize_pem(), false)?;
    write(&folder.cert(), &cert.pem(), true)
}

/// Signs the existing key again.
pub fn sign_again(folder: &CertificateFolder, names: &[String], now: OffsetDateTime) -> Result<(), CertificateError> {
    let key = KeyPair::from_pem(&read_secret(&folder.key())?)?;
    let cert = cert_params(names, now)?.signed_by(&key, &issuer(folder)?)?;
    write(&folder.cert(), &cert.pem(), true)
}

fn issuer(folder: &CertificateFolder) -> Result<Issuer<'static, KeyPair>, CertificateError> {
    let path = folder.authority();
    let pem = fs::read_to_string(&path).map_err(|source| CertificateError::Io { path, source })?;
    let key = KeyPair::from_pem(&read_secret(&folder.authority_key())?)?;
    Ok(Issuer::from_ca_cert_pem(&pem, key)?)
}

fn authority_params(names: &[String], now: OffsetDateTime) -> CertificateParams {
    let mut params = CertificateParams::default();
    // Several authorities of this name may be trusted at once; year and month help a person to distinguish them.
    params.distinguished_name = named(&format!("eye on this machine, {}-{:02}", now.year(), u8::from(now.month())));
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params.not_before = now - SLACK;
    params.not_after = now + AUTHORITY_VALID;
    let subtree = |name: &String| match name.parse::<IpAddr>() {
        Ok(address @ IpAddr::V4(_)) => GeneralSubtree::IpAddress(CidrSubnet::from_addr_prefix(address, 32)),
        Ok(address @ IpAddr::V6(_)) => GeneralSubtree::IpAddress(CidrSubnet::from_addr_prefix(address, 128)),
        Err(_) => GeneralSubtree::DnsName(name.clone()),
    };
    let permitted_subtrees = names.iter().map(subtree).collect();
    params.name_constraints = Some(NameConstraints { permitted_subtrees, excluded_subtrees: Vec::new() });
    params
}

fn cert_params(names: &[String], now: OffsetDateTime) -> Result<CertificateParams, CertificateError> {
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name = named("eye hub");
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    params.not_before = now - SLACK;
    params.not_after = now + VALID;
    Ok(params)
}

fn named(name: &str) -> DistinguishedName {
    let mut full = DistinguishedName::new();
    full.push(DnType::CommonName, name);
    full
}

/// Signs a certificate for any name with the authority's key, as a thief of that key could.
#[cfg(test)]
pub fn signed_for_test(
    folder: &CertificateFolder,
    name: &str,
    now: OffsetDateTime,
) -> rustls::pki_types::CertificateDer<'static> {
    let key = KeyPair::generate().unwrap();
    let cert = cert_params(&[name.to_owned()], now).unwrap().signed_by(&key, &issuer(folder).unwrap()).unwrap();
    cert.der().clone()
}
