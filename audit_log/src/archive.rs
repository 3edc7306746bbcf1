//! Full files, compressed: the same bytes in a tenth of the room. A full file goes once its compressed form has been read
//! back and is on the disk, so whenever this is interrupted each row is still in a file that is read.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use super::files::{END, Files};

/// How much is read at a time, in bytes.
const BLOCK: usize = 64 * 1024;

/// Compresses each full file of `files` that is not.
///
/// # Errors
/// The first that is met, with its path; that file stays as it is.
pub fn archive(files: &Files) -> Result<(), home::FileError> {
    let listed = files.full_ones();
    let full = listed.map_err(|e| home::FileError::new("list", &files.current(), e))?;
    for path in full.values().filter(|path| !is_compressed(path)) {
        compress(path, files).map_err(|error| home::FileError::new("compress", path, error))?;
    }
    Ok(())
}

/// Whether the file at `path` is compressed, by its name.
pub(super) fn is_compressed(path: &Path) -> bool {
    path.to_string_lossy().ends_with(END)
}

/// What the file at `path` is called once it is compressed.
fn compressed(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(END);
    name.into()
}

/// The bytes of the log's file at `path` as they were written, also where it has been compressed since it was listed.
pub(super) fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let regular = |path: &Path| -> io::Result<File> {
        let file = File::open(path)?;
        let is_file = file.metadata()?.is_file();
        is_file.then_some(file).ok_or_else(|| io::Error::other("it is not a regular file"))
    };
    let unpacked = |file| Box::new(BufReader::new(MultiGzDecoder::new(BufReader::new(file))));
    if is_compressed(path) {
        return Ok(unpacked(regular(path)?));
    }
    match regular(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(unpacked(regular(&compressed(path)).map_err(|_| error)?))
        }
        file => Ok(Box::new(BufReader::new(file?))),
    }
}

fn compress(path: &Path, files: &Files) -> io::Result<()> {
    let draft = files.compressing();
    let mut plain = File::open(path)?;
    let file =
        OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(&draft)?;
    let mut packed = GzEncoder::new(file, Compression::default());
    let was = digest(&mut plain, |bytes| packed.write_all(bytes))?;
    packed.finish()?.sync_all()?;
    let is = digest(&mut MultiGzDecoder::new(BufReader::new(File::open(&draft)?)), |_| Ok(()))?;
    if was != is {
        fs::remove_file(&draft)?;
        return Err(io::Error::other("what was written can't be read back; is the disk failing?"));
    }
    let folder = File::open(files.folder())?;
    fs::rename(&draft, compressed(path))?;
    folder.sync_data()?;
    fs::remove_file(path)?;
    folder.sync_data()
}

/// The SHA-256 of all that `from` gives, each piece of which is shown to `see`.
fn digest(
    from: &mut impl Read,
    mut see: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<[u8; 32]> {
    let (mut state, mut block) = (Sha256::new(), vec![0; BLOCK]);
    loop {
        let piece = match from.read(&mut block) {
            Ok(0) => return Ok(state.finalize().into()),
            Ok(size) => &block[..size],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        state.update(piece);
        see(piece)?;
    }
}
