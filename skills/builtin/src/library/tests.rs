//! The skill as a process of its own, as the router starts it, with real papers and a real library.
#![expect(clippy::disallowed_types, reason = "each call is a process")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

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

    fn start(&self, action: &str, params: &Value) -> Child {
        let papers = self.papers();
        let folders = json!({"papers": papers, "library": self.0.path().join("library")});
        let settings = json!({"papers": papers, "own": "false", "patience": "90"});
        let (me, stdin) = (std::env::current_exe().unwrap(), tempfile::tempfile().unwrap());
        std::os::unix::fs::FileExt::write_all_at(&stdin, params.to_string().as_bytes(), 0).unwrap();
        Command::new(me)
            .args(["--exact", "--ignored", "--nocapture", "library::tests::process"])
            .env("SAFECLAW_SKILL", action)
            .env("SAFECLAW_FOLDERS", folders.to_string())
            .env("SAFECLAW_SETTINGS", settings.to_string())
            .env("SAFECLAW_SESSION", "owner")
            .env("SAFECLAW_OWNER", "1")
            .stdin(stdin)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
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
