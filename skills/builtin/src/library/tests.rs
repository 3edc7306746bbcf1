//! The skill as a process of its own, as the router starts it, with real papers and a real library.
#![expect(clippy::disallowed_types, reason = "each call is a process")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// What [`House::start`] starts. Alone it would wait for its parameters.
#[test]
#[ignore = "it is the process of a call, which the other tests start"]
fn process() {
    let _ = super::main();
}

/// Papers, and the library that they go into.
struct House(tempfile::TempDir);

impl House {
    fn new(papers: &[(&str, &str)]) -> Self {
        let house = Self(tempfile::tempdir().unwrap());
        for folder in ["papers", "library"] {
            fs::create_dir(house.0.path().join(folder)).unwrap();
        }
        for (name, text) in papers {
            house.put(name, text);
        }
        house
    }

    fn papers(&self) -> PathBuf {
        self.0.path().join("papers")
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.papers().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn program(&self, action: &str) -> Command {
        let papers = self.papers();
        let folders = json!({"papers": papers, "library": self.0.path().join("library")});
        let settings = json!({"papers": papers, "own": "false", "patience": "90"});
        let mut program = Command::new(std::env::current_exe().unwrap());
        program
            .args(["--exact", "--ignored", "--nocapture", "library::tests::process"])
            .env("SAFECLAW_SKILL", action)
            .env("SAFECLAW_FOLDERS", folders.to_string())
            .env("SAFECLAW_SETTINGS", settings.to_string())
            .env("SAFECLAW_SESSION", "owner")
            .env("SAFECLAW_OWNER", "1")
            .stdout(Stdio::piped());
        program
    }

    fn start(&self, action: &str, params: &Value) -> Child {
        let stdin = tempfile::tempfile().unwrap();
        std::os::unix::fs::FileExt::write_all_at(&stdin, params.to_string().as_bytes(), 0).unwrap();
        self.program(action).stdin(stdin).spawn().unwrap()
    }

    fn ask(&self, action: &str, params: &Value) -> Value {
        let output = self.start(action, params).wait_with_output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        // Around the answer stand the words of the harness.
        let (begin, end) = (said.find('{').unwrap(), said.rfind('}').unwrap());
        serde_json::from_str(&said[begin..=end]).unwrap()
    }

    fn index(&self, path: impl AsRef<Path>) -> Value {
        self.ask("INDEX_DOC", &json!({"path": path.as_ref()}))
    }

    fn publish(&self, path: impl AsRef<Path>) -> Value {
        self.ask("PUBLISH_DOC", &json!({"path": path.as_ref()}))
    }

    /// The names of all papers, each with its role.
    fn roles(&self) -> Vec<(String, String)> {
        let list = self.ask("LIST_DOCS", &json!({}));
        let word = |paper: &Value, key: &str| paper[key].as_str().unwrap().to_owned();
        let papers = list["papers"].as_array().unwrap().iter();
        papers.map(|paper| (word(paper, "name"), word(paper, "role"))).collect()
    }
}

/// A process that stays from one call to the next, as the router keeps it.
struct Stays(Child, BufReader<ChildStdout>);

impl Stays {
    fn start(house: &House, action: &str) -> Self {
        let mut program = house.program(action);
        let mut child =
            program.env("SAFECLAW_MODE", "serve").stdin(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self(child, output)
    }

    fn ask(&mut self, params: &Value) -> Value {
        let mut params = params.clone();
        params["_call"] = json!({"owner": true, "session": "owner"});
        writeln!(self.0.stdin.as_mut().unwrap(), "{params}").unwrap();
        loop {
            let mut line = String::new();
            assert!(self.1.read_line(&mut line).unwrap() > 0, "it has ended");
            // Before the first answer stand the words of the harness.
            if let Some(begin) = line.find('{') {
                return serde_json::from_str(&line[begin..]).unwrap();
            }
        }
    }
}

impl Drop for Stays {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

fn has_roles(house: &House, roles: [(&str, &str); 2]) {
    assert_eq!(house.roles(), roles.map(|(name, role)| (name.to_owned(), role.to_owned())));
}

#[test]
fn a_paper_keeps_its_label_until_it_is_named() {
    let house = House::new(&[("costs.md", "A pump costs 9."), ("open/manual.md", "Turn it on.")]);
    let labels = [("costs.md", "admin"), ("manual.md", "public")];
    assert_eq!(house.index(".")["indexed"], 2);
    assert_eq!(house.publish("open/manual.md")["indexed"], 1);
    has_roles(&house, labels);
    // The folder again, for the owner alone and for everybody, as it was and with a change.
    let done = house.index(".");
    assert_eq!((&done["unchanged"], &done["keep_their_label"]), (&json!(2), &json!(1)));
    house.put("open/manual.md", "Turn it on, and off again.");
    let done = house.index(".");
    assert_eq!((&done["indexed"], &done["keep_their_label"]), (&json!(1), &json!(1)));
    house.put("costs.md", "A pump costs 10, and no less.");
    let done = house.publish(".");
    assert_eq!((&done["indexed"], &done["keep_their_label"]), (&json!(1), &json!(1)));
    assert_eq!(done["_brings"], json!(["public", "private"]));
    has_roles(&house, labels);
    // A watch was told of the file once; by now the owner has decided anew.
    house.put("costs.md", "A pump costs 11, which nobody is to know.");
    let done = house.ask("PUBLISH_DOC", &json!({"path": "costs.md", "again": true}));
    assert_eq!((&done["indexed"], &done["keep_their_label"]), (&json!(1), &json!(1)));
    has_roles(&house, labels);
    assert!(house.publish("costs.md").get("keep_their_label").is_none());
    has_roles(&house, [("costs.md", "public"), labels[1]]);
}

#[test]
fn one_paper_is_taken_out_unless_all_are_asked_for() {
    let papers = ["a/one.md", "a/two.md", "b/one.md", "three.md"].map(|name| (name, name));
    let house = House::new(&papers);
    assert_eq!(house.index(".")["indexed"], 4);
    let forget = |params: Value| house.ask("FORGET_DOC", &params);
    let folder = house.papers();
    for several in [folder.clone(), folder.join("a"), folder.join("b"), "one.md".into()] {
        let refused = forget(json!({"path": several}));
        let why = refused["error"].as_str().unwrap();
        assert!(why.contains("stands for more than one file"), "{several:?}: {why}");
    }
    assert_eq!(house.roles().len(), 4);
    for one in [folder.join("a/one.md"), "three.md".into()] {
        assert_eq!(forget(json!({"path": one}))["forgotten"], 1);
    }
    assert_eq!(forget(json!({"path": folder, "all": true}))["forgotten"], 2);
    assert!(house.roles().is_empty());
}

/// A paper on which a reader works for an hour: white letters on each page, and thousands of areas that they may stand on.
fn endless() -> String {
    let areas = "0 0 1 1 re f ".repeat(10_000);
    let letters = "(a) Tj ".repeat(100_000);
    let drawn = format!("0 g {areas} 1 g BT /F 12 Tf 100 100 Td {letters} ET");
    let pages = 4..100;
    let kids: String = pages.clone().map(|page| format!("{page} 0 R ")).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", pages.len()),
        format!("<< /Length {} >> stream\n{drawn}\nendstream", drawn.len()),
    ];
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 3 0 R >>";
    objects.extend(pages.map(|_| page.to_owned()));
    let (mut pdf, mut table) = ("%PDF-1.4\n".to_owned(), "0000000000 65535 f \n".to_owned());
    for (at, object) in objects.iter().enumerate() {
        table += &format!("{:010} 00000 n \n", pdf.len());
        pdf += &format!("{} 0 obj {object} endobj\n", at + 1);
    }
    let (count, begins) = (objects.len() + 1, pdf.len());
    let end = format!("trailer << /Size {count} /Root 1 0 R >>\nstartxref\n{begins}\n%%EOF\n");
    pdf + &format!("xref\n0 {count}\n{table}{end}")
}

/// Begins to index `path` and kills whoever does, as soon as it reads `bad.pdf` after `deaths` others have died at that.
fn killed(house: &House, path: &str, deaths: u64) {
    let mut call = house.start("INDEX_DOC", &json!({"path": path}));
    let place = house.papers().join("bad.pdf");
    loop {
        let text = fs::read(house.0.path().join("library/trying.json")).unwrap_or_default();
        let kept: Value = serde_json::from_slice(&text).unwrap_or_default();
        let died = kept["died"][place.to_str().unwrap()][1].as_u64().unwrap_or(0);
        if kept["now"][0].as_str() == place.to_str() && died == deaths {
            break;
        }
        assert_eq!(call.try_wait().unwrap(), None, "it has ended before it was killed: {kept}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    call.kill().unwrap();
    call.wait().unwrap();
}

#[test]
fn a_paper_that_ends_its_readers_blocks_no_other_and_is_named() {
    let house = House::new(&[("bad.pdf", &endless()), ("good.md", "A heron stands here.")]);
    killed(&house, ".", 0);
    let library = house.0.path().join("library");
    assert_eq!(super::fatal(&library), Some(format!("{}/bad.pdf", house.papers().display())));
    assert!(house.roles().is_empty(), "it comes first");
    killed(&house, ".", 1);
    assert_eq!(house.roles(), [("good.md".to_owned(), "admin".to_owned())]);
    let done = house.index(".");
    assert_eq!(super::fatal(&library), None);
    assert_eq!((&done["unchanged"], &done["failed"][0]["name"]), (&json!(1), &json!("bad.pdf")));
    let why = done["failed"][0]["why"].as_str().unwrap();
    assert!(why.contains("left out until it changes"), "{why}");
    // It is tried where it is named, and once it is another.
    killed(&house, "bad.pdf", 2);
    house.put("bad.pdf", "%PDF-1.4 and no more");
    let why = house.index(".")["failed"][0]["why"].to_string();
    assert!(why.contains("cannot be read as PDF"), "{why}");
}

#[test]
fn a_paper_that_failed_for_a_reason_that_passes_is_tried_again() {
    let house = House::new(&[("bad.pdf", "%PDF-1.4 and no more")]);
    let mut process = Stays::start(&house, "INDEX_DOC");
    let mut failed = || {
        let done = process.ask(&json!({"path": "."}));
        let failed = done["failed"].as_array().unwrap().iter();
        failed.map(|failed| failed["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(failed(), ["bad.pdf"]);
    house.put("good.md", "A heron stands here.");
    let texts = house.0.path().join("library/texts");
    fs::rename(&texts, texts.with_extension("away")).unwrap();
    assert_eq!(failed(), ["bad.pdf", "good.md"]);
    fs::rename(texts.with_extension("away"), &texts).unwrap();
    assert_eq!(failed(), ["bad.pdf"]);
    assert_eq!(house.roles(), [("good.md".to_owned(), "admin".to_owned())]);
}

#[test]
fn a_paper_that_cannot_be_put_in_hinders_none_that_goes_in_with_it() {
    let house = House::new(&[("b.md", "A stork stands here.")]);
    assert_eq!(house.index(".")["indexed"], 1);
    // Where a folder is, no text can be kept.
    let texts = house.0.path().join("library/texts");
    let text = fs::read_dir(texts).unwrap().next().unwrap().unwrap().path();
    fs::remove_file(&text).unwrap();
    fs::create_dir(&text).unwrap();
    for (name, words) in [("a.md", "A heron."), ("b.md", "A stork, again."), ("c.md", "A crane.")] {
        house.put(name, words);
    }
    let done = house.index(".");
    assert_eq!((&done["indexed"], &done["failed"][0]["name"]), (&json!(2), &json!("b.md")));
    assert_eq!(house.roles().len(), 3);
    fs::remove_dir(&text).unwrap();
    let done = house.index(".");
    assert_eq!((&done["indexed"], &done["unchanged"]), (&json!(1), &json!(2)));
}
