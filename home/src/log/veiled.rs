//! A log file in which some things never stand.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tracing_subscriber::fmt::MakeWriter;

use super::LogFile;

/// A log file whose events go through a function first, which takes secrets out of them.
#[derive(Debug)]
pub struct Veiled<V> {
    file: Mutex<LogFile>,
    veil: V,
}

/// The file for one event, which is one write.
#[derive(Debug)]
pub struct VeiledEvent<'a, V> {
    file: MutexGuard<'a, LogFile>,
    veil: &'a V,
}

impl<V: Fn(String) -> String> Veiled<V> {
    /// The `file`, with `veil` in front of it.
    pub fn new(file: LogFile, veil: V) -> Self {
        Self { file: Mutex::new(file), veil }
    }
}

impl<'a, V: Fn(String) -> String + 'a> MakeWriter<'a> for Veiled<V> {
    type Writer = VeiledEvent<'a, V>;

    fn make_writer(&'a self) -> Self::Writer {
        // Poisoned, the file is still whole.
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        VeiledEvent { file, veil: &self.veil }
    }
}

impl<V: Fn(String) -> String> Write for VeiledEvent<'_, V> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event).into_owned();
        self.file.write_all((self.veil)(text).as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_goes_through_the_veil_before_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.log");
        let log = LogFile::open(&path).unwrap();
        let veiled = Veiled::new(log, |text: String| text.replace("hunter2", "[secret]"));
        let lines = tracing_subscriber::fmt().with_ansi(false).with_writer(veiled).finish();
        tracing::subscriber::with_default(lines, || {
            tracing::info!(key = "hunter2", "it is hunter2")
        });
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.contains("it is [secret]") && !text.contains("hunter2"), "{text}");
    }
}
