//! Makes a backup.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use age::Encryptor;
use age::secrecy::SecretString;
use flate2::Compression;
use flate2::write::GzEncoder;
use home::Home;
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};
use tempfile::NamedTempFile;

use crate::BackupError;
use crate::choose::{self, Chosen, SKILLS};
use crate::manifest::{FORMAT, LONGEST, Manifest, ManifestFile, NAME};

/// What was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// How many files it holds.
    pub files: usize,
    /// How many bytes these have.
    pub bytes: u64,
    /// How large the backup is, in bytes.
    pub size: u64,
    /// The files whose names can't stand in a list, because they are no text or move a cursor; as they can be shown.
    pub left_out: Vec<String>,
}

/// Makes a backup of `home` at `to`, readable by its owner alone. With a `passphrase` it is encrypted and holds the secrets as
/// well. `version` is that of the program. The backup has its name only when it is whole.
///
/// # Errors
/// [`BackupError`]; then there is no file at `to`.
pub fn make(
    home: &Home,
    to: &Path,
    passphrase: Option<SecretString>,
    version: &str,
) -> Result<Made, BackupError> {
    if to.symlink_metadata().is_ok() {
        return Err(BackupError::Taken(to.to_owned()));
    }
    let Chosen { files, left_out } = choose::files(home.root(), passphrase.is_some())?;
    if files.is_empty() {
        return Err(BackupError::Nothing(home.root().to_owned()));
    }
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let write = BackupError::io("write", to);
    let mut draft = match NamedTempFile::new_in(folder) {
        Ok(draft) => draft,
        Err(error) => return Err(write(error)),
    };
    let (listed, contents) = copied(home.root(), &files)?;
    let manifest = Manifest {
        format: FORMAT,
        made_by: version.to_owned(),
        made_at: jiff::Timestamp::now().to_string(),
        has_secrets: passphrase.is_some(),
        files: listed,
    };
    let list = serde_json::to_vec_pretty(&manifest)
        .map_err(|error| BackupError::io("write", to)(error.into()))?;
    if list.len() as u64 > LONGEST {
        return Err(BackupError::TooMany { files: manifest.files.len() });
    }
    let out = BufWriter::new(draft.as_file_mut());
    let written = match passphrase {
        None => archive(out, (&list, &manifest), contents).and_then(|mut out| out.flush()),
        Some(passphrase) => {
            let encrypted = Encryptor::with_user_passphrase(passphrase)
                .wrap_output(out)
                .map_err(|error| BackupError::Encrypt(error.to_string()))?;
            archive(encrypted, (&list, &manifest), contents)
                .and_then(age::stream::StreamWriter::finish)
                .and_then(|mut out| out.flush())
        }
    };
    written.and_then(|()| draft.as_file().sync_all()).map_err(BackupError::io("write", to))?;
    let size = draft.as_file().metadata().map_or(0, |meta| meta.len());
    draft.persist_noclobber(to).map_err(|error| BackupError::io("write", to)(error.error))?;
    let bytes = manifest.files.iter().map(|file| file.bytes).sum();
    Ok(Made { files: manifest.files.len(), bytes, size, left_out })
}

/// The files as they stand now, listed, and their contents one behind the other: a file that grows meanwhile is listed as it was
/// read.
fn copied(root: &Path, paths: &[PathBuf]) -> Result<(Vec<ManifestFile>, File), BackupError> {
    let mut contents =
        tempfile::tempfile().map_err(BackupError::io("make a file in", std::env::temp_dir()))?;
    let mut listed = Vec::new();
    for path in paths {
        let full = root.join(path);
        let (bytes, mode) = match read(&full) {
            // Somebody has removed it meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            read => read.map_err(BackupError::io("read", &full))?,
        };
        contents.write_all(&bytes).map_err(BackupError::io("write in", std::env::temp_dir()))?;
        listed.push(ManifestFile {
            path: path.to_string_lossy().into_owned(),
            bytes: bytes.len() as u64,
            sha256: sum(&bytes),
            runs: mode & 0o100 != 0,
            shared_mode: path.starts_with(SKILLS).then_some(mode & 0o777),
        });
    }
    contents.rewind().map_err(BackupError::io("read in", std::env::temp_dir()))?;
    Ok((listed, contents))
}

fn read(path: &Path) -> io::Result<(Vec<u8>, u32)> {
    let mode = fs::symlink_metadata(path)?.permissions().mode();
    Ok((fs::read(path)?, mode))
}

/// The SHA-256 sum of `bytes`, in hexadecimal.
pub(crate) fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn archive<W: Write>(
    out: W,
    (list, manifest): (&[u8], &Manifest),
    mut contents: File,
) -> io::Result<W> {
    let mut tar = Builder::new(GzEncoder::new(out, Compression::default()));
    tar.append_data(&mut header(list.len() as u64, 0o600), NAME, list)?;
    for file in &manifest.files {
        let content = (&mut contents).take(file.bytes);
        tar.append_data(&mut header(file.bytes, file.mode()), &file.path, content)?;
    }
    tar.into_inner()?.finish()
}

fn header(bytes: u64, mode: u32) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(EntryType::Regular);
    header.set_size(bytes);
    header.set_mode(mode);
    header
}
