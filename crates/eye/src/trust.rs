//! Which certificates this program trusts over TLS.

use crate::certificate::CertificateFolder;
use crate::failure::Failure;
use crate::places;
use eye_client::Trust;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

/// The trusted roots: the machine's or those of `SSL_CERT_FILE`, and the authority of `eye tls`, which can sign only
/// for this machine's own names.
pub fn roots() -> RootCertStore {
    let mut roots = eye_client::system_roots();
    let own = places::tls_folder()
        .ok()
        .and_then(|folder| CertificateDer::from_pem_file(CertificateFolder::new(folder).authority()).ok());
    roots.add_parsable_certificates(own);
    roots
}

/// Trust in [`roots`].
pub fn of_this_machine() -> Result<Trust, Failure> {
    Ok(Trust::new(roots())?)
}
