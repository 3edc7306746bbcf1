//! A SafeClaw process at the other end of a pipe, as a script would use it.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use rustix::process::{Pid, Signal, kill_process};

use crate::processes::router_of;
use crate::wait_until;

/// A process with its stdin open and everything that it has printed by now. It is killed when dropped.
#[derive(Debug)]
pub struct Chat {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Printed,
    stderr: Printed,
    /// How much of stdout has been waited for already.
    read: usize,
}

/// What a stream has printed by now.
#[derive(Debug, Clone, Default)]
struct Printed {
    bytes: Arc<Mutex<Vec<u8>>>,
    ended: Arc<AtomicBool>,
}

impl Printed {
    fn follow(mut stream: impl Read + Send + 'static) -> Self {
        let printed = Self::default();
        let kept = printed.clone();
        std::thread::spawn(move || {
            let mut chunk = [0; 4096];
            while let Ok(1..) = stream.read(&mut chunk).inspect(|&size| {
                kept.bytes.lock().unwrap().extend_from_slice(&chunk[..size]);
            }) {}
            kept.ended.store(true, Ordering::SeqCst);
        });
        printed
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap()).into_owned()
    }
}

impl Chat {
    /// Starts `program` with `args` in `home`, with an environment that holds nothing but PATH, HOME (the
    /// home, too), an Ollama address at which nothing listens, SAFECLAW_ACTIONS=names, and `variables`.
    ///
    /// # Panics
    /// When it can't be started.
    pub fn start(program: &str, args: &[&str], home: &Path, variables: &[(&str, &str)]) -> Self {
        let mut child = command(program, args, home, variables)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("can't start {program}: {error}"));
        let stdout = Printed::follow(child.stdout.take().unwrap());
        let stderr = Printed::follow(child.stderr.take().unwrap());
        let stdin = child.stdin.take();
        Self { child, stdin, stdout, stderr, read: 0 }
    }

    /// Says one line. A process that has ended by then hears nothing; what is expected of it next tells.
    ///
    /// # Panics
    /// When its stdin was closed, or fails otherwise.
    pub fn say(&mut self, line: impl AsRef<[u8]>) {
        let stdin = self.stdin.as_mut().expect("stdin is closed");
        let line = [line.as_ref(), b"\n"].concat();
        match stdin.write_all(&line).and_then(|()| stdin.flush()) {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
            said => said.unwrap(),
        }
    }

    /// Waits until `text` stands on stdout behind what was waited for before, and gives what stands there
    /// up to its end.
    ///
    /// # Panics
    /// When it never comes; then with all that came.
    pub fn expect(&mut self, text: &str) -> String {
        let (stdout, stderr, read) = (self.stdout.clone(), self.stderr.clone(), self.read);
        let shown = || stdout.text().get(read..).unwrap_or_default().to_owned();
        let found = std::panic::catch_unwind(|| {
            wait_until(&format!("{text:?} on stdout"), || shown().contains(text));
        });
        if found.is_err() {
            panic!("{text:?} never came.\nstdout: {}\nstderr: {}", shown(), stderr.text());
        }
        let new = shown();
        let end = new.find(text).unwrap_or_default() + text.len();
        self.read += end;
        new[..end].to_owned()
    }

    /// Says one line and waits for `text` in what comes back.
    ///
    /// # Panics
    /// As [`Chat::say`] and [`Chat::expect`].
    pub fn ask(&mut self, line: &str, text: &str) -> String {
        self.say(line);
        self.expect(text)
    }

    /// Waits until `text` stands on stderr.
    ///
    /// # Panics
    /// When it never comes.
    pub fn expect_on_stderr(&self, text: &str) {
        wait_until(&format!("{text:?} on stderr of\n{}", self.stderr()), || {
            self.stderr.text().contains(text)
        });
    }

    /// What stands on stderr by now.
    pub fn stderr(&self) -> String {
        self.stderr.text()
    }

    /// What stands on stdout by now.
    pub fn stdout(&self) -> String {
        self.stdout.text()
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The process id of the router of a `safeclaw`, which the process beside it has started. Waits for one while
    /// there is none.
    ///
    /// # Panics
    /// When there never is one.
    pub fn router(&self) -> u32 {
        router_of(self.pid())
    }

    /// Interrupts it, as Ctrl-C does.
    ///
    /// # Panics
    /// When it has ended.
    pub fn interrupt(&self) {
        kill_process(Pid::from_child(&self.child), Signal::INT).unwrap();
    }

    /// Kills it, and waits until it is gone. What it started is not asked.
    ///
    /// # Panics
    /// When it has ended.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to terminate.
    ///
    /// # Panics
    /// When it has ended.
    pub fn terminate(&self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
    }

    /// Closes stdin, as a service has it.
    pub fn close(&mut self) {
        drop(self.stdin.take());
    }

    /// Closes stdin and waits for the end.
    ///
    /// # Panics
    /// When it can't be waited for.
    pub fn end(&mut self) -> ExitStatus {
        self.close();
        self.wait()
    }

    /// Waits for the end, and for all that it has printed.
    ///
    /// # Panics
    /// When it does not end.
    pub fn wait(&mut self) -> ExitStatus {
        let mut ended = None;
        wait_until("the process ends", || {
            ended = self.child.try_wait().unwrap();
            ended.is_some()
        });
        for stream in [&self.stdout, &self.stderr] {
            wait_until("its last words are read", || stream.ended.load(Ordering::SeqCst));
        }
        ended.unwrap()
    }
}

/// `program` with what every SafeClaw process of a test is given.
pub(crate) fn command(
    program: &str,
    args: &[&str],
    home: &Path,
    variables: &[(&str, &str)],
) -> Command {
    let mut command = Command::new(program);
    command
        .args(args)
        .arg("--home")
        .arg(home)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", home)
        .env("OLLAMA_HOST", "127.0.0.1:1")
        .env("SAFECLAW_ACTIONS", "names")
        .envs(variables.iter().copied())
        .current_dir(home);
    command
}

impl Drop for Chat {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
