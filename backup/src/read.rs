//! Reads a backup, and proves it.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use age::secrecy::SecretString;
use age::{DecryptError, Decryptor};
use flate2::read::GzDecoder;
use home::format::{HomeFormat, NEWEST};
use tar::Archive;
use tempfile::TempDir;

use crate::BackupError;
use crate::manifest::{FORMAT, LONGEST, Manifest, ManifestFile, NAME};
use crate::place::Ground;
use crate::write::sum;

/// How the name of a folder begins into which a backup is read.
const PREFIX: &str = ".restore-";

/// How an encrypted backup begins.
const ENCRYPTED: &[u8] = b"age-encryption.org/";

/// A backup that was read and is whole: every file has the length and the sum that the list says. Its files lie in a folder of
/// their own, which goes with this value.
#[derive(Debug)]
pub struct Backup {
    pub(crate) manifest: Manifest,
    pub(crate) folder: TempDir,
    /// Goes after the folder, which lies in it.
    _ground: Ground,
    /// Locks the folder, so that nobody takes it for one that was left behind.
    _held: File,
}

impl Backup {
    /// Reads the backup at `path` into a new folder within `beside`, and proves it.
    ///
    /// # Errors
    /// [`BackupError`] says what is wrong with it.
    pub fn read(
        path: &Path,
        beside: &Path,
        passphrase: Option<SecretString>,
    ) -> Result<Self, BackupError> {
        let _ground = Ground::at(beside)?;
        remove_left_behind(beside);
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(beside);
        let folder = folder.map_err(BackupError::io("make a folder in", beside))?;
        let held = File::open(folder.path()).and_then(|held| held.lock().map(|()| held));
        let _held = held.map_err(BackupError::io("lock", folder.path()))?;
        let mut file = File::open(path).map_err(BackupError::io("read", path))?;
        let manifest = if is_encrypted(&mut file).map_err(BackupError::io("read", path))? {
            let passphrase =
                passphrase.ok_or_else(|| BackupError::NoPassphrase(path.to_owned()))?;
            let broken = |error: DecryptError| broken(path, error.to_string());
            let decryptor = Decryptor::new_buffered(BufReader::new(file)).map_err(broken)?;
            let identity = age::scrypt::Identity::new(passphrase);
            match decryptor.decrypt(std::iter::once(&identity as &dyn age::Identity)) {
                Ok(plain) => unpack(plain, folder.path()),
                Err(DecryptError::NoMatchingKeys | DecryptError::DecryptionFailed) => {
                    return Err(BackupError::WrongPassphrase(path.to_owned()));
                }
                Err(error) => return Err(broken(error)),
            }
        } else {
            unpack(BufReader::new(file), folder.path())
        };
        let manifest = manifest.map_err(|why| match why {
            Unfit::Unwritten(error) => BackupError::io("unpack the backup in", beside)(error),
            Unfit::Newer(by) => BackupError::Newer { path: path.to_owned(), by },
            Unfit::Broken(why) => broken(path, why),
        })?;
        let home = HomeFormat::of(folder.path())?;
        if home.format > NEWEST {
            let (found, by) = (home.format, home.by);
            return Err(BackupError::NewerHome { path: path.to_owned(), found, by });
        }
        Ok(Self { manifest, folder, _ground, _held })
    }

    /// When it was made, in UTC, by RFC 3339.
    #[must_use]
    pub fn made_at(&self) -> &str {
        &self.manifest.made_at
    }

    /// Whether the secrets are in it.
    #[must_use]
    pub fn has_secrets(&self) -> bool {
        self.manifest.has_secrets
    }
}

/// Removes what a restore has left behind that was killed: there may be secrets in it.
fn remove_left_behind(beside: &Path) {
    for entry in fs::read_dir(beside).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX)
            && entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_ours && File::open(&path).is_ok_and(|held| held.try_lock().is_ok()) {
            // What can't be removed now is tried again the next time.
            let _ = fs::remove_dir_all(path);
        }
    }
}

fn broken(path: &Path, why: String) -> BackupError {
    BackupError::Broken { path: path.to_owned(), why }
}

fn is_encrypted(file: &mut File) -> io::Result<bool> {
    let mut head = Vec::new();
    (&mut *file).take(ENCRYPTED.len() as u64).read_to_end(&mut head)?;
    io::Seek::rewind(file)?;
    Ok(head == ENCRYPTED)
}

/// Why an archive can't be used.
enum Unfit {
    /// Nothing is wrong with the archive: there is no place for its files.
    Unwritten(io::Error),
    Newer(String),
    Broken(String),
}

impl From<io::Error> for Unfit {
    fn from(error: io::Error) -> Self {
        Self::Broken(error.to_string())
    }
}

/// Writes the files of an archive into `folder`, as far as the list allows and nothing beside it.
fn unpack(archive: impl Read, folder: &Path) -> Result<Manifest, Unfit> {
    let mut archive = Archive::new(GzDecoder::new(archive));
    let mut entries = archive.entries()?;
    let mut first = entries.next().ok_or_else(|| Unfit::Broken("it is empty".to_owned()))??;
    if first.path()?.as_os_str() != NAME {
        return Err(Unfit::Broken(format!("it does not begin with {NAME}")));
    }
    let mut list = Vec::new();
    (&mut first).take(LONGEST).read_to_end(&mut list)?;
    let manifest = listed(&list)?;
    for file in &manifest.files {
        let missing = || Unfit::Broken(format!("{} is missing", file.path));
        let entry = entries.next().ok_or_else(missing)??;
        let path = file.safe_path().ok_or_else(|| {
            Unfit::Broken(format!("{:?} leads out of the home, or can't be shown", file.path))
        })?;
        if entry.path()?.as_os_str() != path.as_os_str() || !entry.header().entry_type().is_file() {
            return Err(missing());
        }
        let mut bytes = Vec::new();
        entry.take(file.bytes.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != file.bytes || sum(&bytes) != file.sha256 {
            return Err(Unfit::Broken(format!("{} is not what was written", file.path)));
        }
        put(&folder.join(&path), &bytes, file).map_err(Unfit::Unwritten)?;
    }
    Ok(manifest)
}

fn listed(list: &[u8]) -> Result<Manifest, Unfit> {
    #[derive(serde::Deserialize)]
    struct Form {
        format: u32,
        made_by: String,
    }
    let unread =
        |error: serde_json::Error| Unfit::Broken(format!("its list can't be read: {error}"));
    let form: Form = serde_json::from_slice(list).map_err(unread)?;
    if form.format > FORMAT {
        return Err(Unfit::Newer(form.made_by));
    }
    serde_json::from_slice(list).map_err(unread)
}

fn put(path: &PathBuf, bytes: &[u8], file: &ManifestFile) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mode = file.mode();
    // The same path twice would be an error here.
    let mut open = fs::OpenOptions::new();
    let mut written = open.write(true).create_new(true).mode(mode).open(path)?;
    written.write_all(bytes)?;
    // Before it takes the place of a file that is there.
    written.sync_data()?;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}
