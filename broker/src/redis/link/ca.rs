//! The certificate authority that a Redis is trusted by, when it is a private one.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use redis::TlsCertificates;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use super::AddressError;

/// The largest file that is read, in bytes; the whole list that Debian trusts is a quarter of it.
const LIMIT: u64 = 1024 * 1024;

/// Certificates of an authority, in PEM. They take the place of the public ones.
#[derive(Debug, Clone)]
pub(in crate::redis) struct Ca {
    pem: Vec<u8>,
}

impl Ca {
    /// Reads the file that `REDIS_CA_FILE` names.
    ///
    /// # Errors
    /// [`AddressError`] when it can't be read, or does not hold what it should.
    pub(in crate::redis) fn read(path: &Path) -> Result<Self, AddressError> {
        let unreadable = |source| AddressError::CaFile { path: path.to_owned(), source };
        let mut pem = Vec::new();
        let file = File::open(path).map_err(unreadable)?;
        file.take(LIMIT + 1).read_to_end(&mut pem).map_err(unreadable)?;
        if pem.len() as u64 > LIMIT {
            return Err(unreadable(io::ErrorKind::FileTooLarge.into()));
        }
        if !holds_authorities(&pem) {
            return Err(AddressError::NoCa { path: path.to_owned() });
        }
        Ok(Self { pem })
    }

    /// In the form that the client wants; certificates of its own it has none.
    pub(super) fn certificates(&self) -> TlsCertificates {
        TlsCertificates { client_tls: None, root_cert: Some(self.pem.clone()) }
    }
}

/// Whether there is a certificate in it, and nothing in it is broken.
fn holds_authorities(pem: &[u8]) -> bool {
    let mut roots = RootCertStore::empty();
    let mut all = CertificateDer::pem_slice_iter(pem);
    all.all(|one| one.is_ok_and(|one| roots.add(one).is_ok())) && !roots.is_empty()
}
