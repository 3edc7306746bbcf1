//! A SafeClaw process at a real pseudo-terminal, as a person would use it.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex};

use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcgetattr, tcsetwinsize};

use crate::chat::command;
use crate::processes::router_of;
use crate::wait_until;

const ROWS: u16 = 50;
const COLUMNS: u16 = 120;

/// A process that leads a session on a terminal of its own. It is killed when dropped.
#[derive(Debug)]
pub struct Terminal {
    child: Child,
    keyboard: File,
    /// The process's side, kept open so that its settings can be looked at when the process has ended.
    tty: File,
    seen: Arc<Mutex<Seen>>,
}

/// What the process has printed by now.
struct Seen {
    bytes: Vec<u8>,
    screen: vt100::Parser,
}

impl std::fmt::Debug for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.screen.screen().contents())
    }
}

impl Terminal {
    /// Starts `program` as [`Chat::start`](crate::Chat::start) does, but at a terminal.
    ///
    /// # Panics
    /// When it can't be started; `setsid` belongs to util-linux.
    pub fn start(program: &str, args: &[&str], home: &Path, variables: &[(&str, &str)]) -> Self {
        Self::start_sized((COLUMNS, ROWS), program, args, home, variables)
    }

    /// The same at a terminal of `size`, in columns and rows.
    ///
    /// # Panics
    /// As [`Terminal::start`].
    pub fn start_sized(
        size: (u16, u16),
        program: &str,
        args: &[&str],
        home: &Path,
        variables: &[(&str, &str)],
    ) -> Self {
        let (keyboard, tty) = open(size);
        let mut terminal_first = vec![("TERM", "xterm")];
        terminal_first.extend(variables);
        // It makes the terminal the controlling one, so that Ctrl-C is a signal.
        let leader: Vec<&str> =
            ["--ctty", program].into_iter().chain(args.iter().copied()).collect();
        let side = || OwnedFd::from(tty.try_clone().unwrap());
        let child = command("setsid", &leader, home, &terminal_first)
            .stdin(side())
            .stdout(side())
            .stderr(side())
            .spawn()
            .unwrap_or_else(|error| panic!("can't start setsid {program}: {error}"));
        let screen = vt100::Parser::new(size.1, size.0, 0);
        let seen = Arc::new(Mutex::new(Seen { bytes: Vec::new(), screen }));
        follow(keyboard.try_clone().unwrap(), Arc::clone(&seen));
        Self { child, keyboard, tty, seen }
    }

    /// Presses keys: `\r` is Enter, `\x03` Ctrl-C, `\x04` Ctrl-D, `\x1b[A` the upward arrow.
    ///
    /// # Panics
    /// When the terminal is gone.
    pub fn press(&mut self, keys: impl AsRef<[u8]>) {
        self.keyboard.write_all(keys.as_ref()).unwrap();
    }

    /// What stands on the screen.
    ///
    /// # Panics
    /// When the thread that reads has panicked.
    #[must_use]
    pub fn screen(&self) -> String {
        self.seen.lock().unwrap().screen.screen().contents()
    }

    /// What stands on the screen, as an SVG picture.
    ///
    /// # Panics
    /// When the thread that reads has panicked.
    #[must_use]
    pub fn svg(&self) -> String {
        crate::drawing::svg(self.seen.lock().unwrap().screen.screen())
    }

    /// Every byte that the process has sent to the terminal.
    ///
    /// # Panics
    /// When the thread that reads has panicked.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.seen.lock().unwrap().bytes.clone()
    }

    /// Waits until `text` stands on the screen.
    ///
    /// # Panics
    /// When it never comes; then with the screen.
    pub fn expect(&self, text: &str) {
        self.until(&format!("{text:?} on the screen"), |screen| screen.contains(text));
    }

    /// Waits until `text` stands on the screen no more.
    ///
    /// # Panics
    /// When it stays; then with the screen.
    pub fn expect_gone(&self, text: &str) {
        self.until(&format!("{text:?} is gone"), |screen| !screen.contains(text));
    }

    /// Waits until the last line of the screen is `text`, spaces at its end aside.
    ///
    /// # Panics
    /// When it never is; then with the screen.
    pub fn expect_last(&self, text: &str) {
        self.until(&format!("{text:?} is the last line"), |screen| {
            screen.trim_end().lines().next_back().is_some_and(|line| line.trim_end() == text)
        });
    }

    fn until(&self, what: &str, is_true: impl Fn(&str) -> bool) {
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            wait_until(what, || is_true(&self.screen()));
        }));
        assert!(found.is_ok(), "waited in vain until {what}; the screen is\n{}", self.screen());
    }

    /// The terminal's settings, as `stty` shows them.
    ///
    /// # Panics
    /// When they can't be read.
    #[must_use]
    pub fn settings(&self) -> String {
        let settings = tcgetattr(&self.tty).unwrap();
        format!(
            "{:?} {:?} {:?} {:?}",
            settings.input_modes,
            settings.output_modes,
            settings.control_modes,
            settings.local_modes
        )
    }

    /// Asks the process to terminate.
    ///
    /// # Panics
    /// When it can't be asked.
    pub fn terminate(&self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
    }

    /// The process id of the router of a `safeclaw`. Waits for one while there is none.
    ///
    /// # Panics
    /// When there never is one.
    pub fn router(&self) -> u32 {
        router_of(self.child.id())
    }

    /// Waits for the end.
    ///
    /// # Panics
    /// When it does not end.
    pub fn wait(&mut self) -> ExitStatus {
        let mut ended = None;
        let seen = Arc::clone(&self.seen);
        wait_until(&format!("the process ends; the screen is\n{:?}", seen.lock().unwrap()), || {
            ended = self.child.try_wait().unwrap();
            ended.is_some()
        });
        ended.unwrap()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Both sides of a new pseudo-terminal of so many columns and rows: the person's and the process's.
fn open((columns, rows): (u16, u16)) -> (File, File) {
    let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&person).unwrap();
    unlockpt(&person).unwrap();
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&person, size).unwrap();
    let name = ptsname(&person, Vec::new()).unwrap().into_string().unwrap();
    // It must not become the terminal of the test.
    let flags = i32::try_from(rustix::fs::OFlags::NOCTTY.bits()).unwrap();
    let mut options = OpenOptions::new();
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    (File::from(person), options.read(true).write(true).open(name).unwrap())
}

fn follow(mut person: File, seen: Arc<Mutex<Seen>>) {
    std::thread::spawn(move || {
        let mut chunk = [0; 4096];
        while let Ok(size @ 1..) = person.read(&mut chunk) {
            let mut seen = seen.lock().unwrap();
            seen.bytes.extend_from_slice(&chunk[..size]);
            seen.screen.process(&chunk[..size]);
        }
    });
}
