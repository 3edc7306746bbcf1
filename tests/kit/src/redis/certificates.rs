//! A certificate authority for the length of a test, and one certificate that it has signed.

use std::fs;
use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use tempfile::TempDir;

/// The files, in a temporary folder that goes with the value.
#[derive(Debug)]
pub(super) struct Certificates {
    folder: TempDir,
}

impl Certificates {
    /// For a server that has these names or addresses.
    pub(super) fn made_for(names: &[&str]) -> Self {
        let folder = TempDir::with_prefix("safeclaw-tls-").unwrap();
        let mut authority = CertificateParams::default();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        // With the name of the server's certificate, that one would look as if it had signed itself.
        authority.distinguished_name.push(DnType::CommonName, "A CA for a test");
        let key = KeyPair::generate().unwrap();
        let ca = authority.self_signed(&key).unwrap();
        let issuer = Issuer::new(authority, key);
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let server_key = KeyPair::generate().unwrap();
        let server =
            CertificateParams::new(names).unwrap().signed_by(&server_key, &issuer).unwrap();
        let files = Self { folder };
        fs::write(files.ca(), ca.pem()).unwrap();
        fs::write(files.server(), server.pem()).unwrap();
        fs::write(files.server_key(), server_key.serialize_pem()).unwrap();
        files
    }

    pub(super) fn ca(&self) -> PathBuf {
        self.path().join("ca.pem")
    }

    pub(super) fn server(&self) -> PathBuf {
        self.path().join("server.pem")
    }

    pub(super) fn server_key(&self) -> PathBuf {
        self.path().join("server.key")
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}
