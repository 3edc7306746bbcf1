use std::fs;

use storm::AgentFile;

use super::*;

fn sample(shelf: &Shelf) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let copy = |name: &str| {
        let to = shelf.folder().join(name.split_once('/').unwrap().1);
        file::write(&to, &fs::read(from.join(name)).unwrap()).unwrap();
    };
    for agent in ["Creative Thinker", "Critical Analyst", "Practical Implementer"] {
        copy(&format!("earlier/SessionExample/Agents/{agent}.md"));
    }
    copy("earlier/SessionExample/SessionExample.ini.md");
    copy("earlier/SessionExample/SessionExample.log.md");
    copy("later/Weekend.session.md");
}

fn sampled() -> (tempfile::TempDir, Shelf) {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(folder.path().to_owned());
    sample(&shelf);
    (folder, shelf)
}

fn cast() -> Cast {
    let file = AgentFile::new("OpenAI", "gpt-4", "You think.");
    Cast::new(vec![Agent { name: Name::new("A").unwrap(), file }]).unwrap()
}

#[test]
fn storms_of_both_layouts_are_opened_and_the_earlier_one_is_written() {
    let (folder, shelf) = sampled();
    let names: Vec<String> = shelf.names().unwrap().iter().map(Name::to_string).collect();
    assert_eq!(names, ["SessionExample", "Weekend"]);
    for name in ["SessionExample", "SessionExample.log.md", "Weekend", "Weekend.session.md"] {
        let stored = shelf.open(name).unwrap();
        let names: Vec<&str> =
            stored.cast().unwrap().agents().iter().map(|a| a.name.as_str()).collect();
        assert_eq!(
            names,
            ["Creative Thinker", "Critical Analyst", "Practical Implementer"],
            "{name}"
        );
    }
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    for name in [".ini.md", "/Agents/Critical Analyst.md"] {
        let path = |storm: &str| {
            if name.starts_with('/') {
                format!("{storm}{name}")
            } else {
                format!("{storm}/{storm}{name}")
            }
        };
        assert_eq!(read(&path("Weekend")), read(&path("SessionExample")));
    }
    assert!(read("Weekend.session.md").contains("type=\"premise\""));
    // Taken over once: what is said from then on stands in the log.
    assert_eq!(shelf.open("Weekend").unwrap().log.log().messages().count(), 3);
    assert_eq!(shelf.names().unwrap().len(), 2);
}

#[test]
fn the_folder_may_be_called_otherwise_than_the_storm() {
    let (folder, shelf) = sampled();
    fs::rename(folder.path().join("SessionExample"), folder.path().join("Example")).unwrap();
    assert_eq!(shelf.open("Example").unwrap().log.log().messages().count(), 5);
}

#[test]
fn no_name_leads_out_of_the_folder_and_none_is_taken_twice() {
    let (_folder, shelf) = sampled();
    for name in ["../x", "a/b", "..", "", ".git"] {
        assert!(matches!(shelf.open(name), Err(ShelfError::Name(_))), "{name}");
    }
    let (premise, weekend) = (Premise::new("x").unwrap(), Name::new("Weekend").unwrap());
    let taken = shelf.create(&weekend, &premise, &cast(), now()).unwrap_err().to_string();
    assert_eq!(
        taken,
        "there is a storm Weekend already; go on with `safeclaw storm next Weekend`, or choose another name"
    );
    let missing = shelf.open("Wekend").unwrap_err().to_string();
    assert!(missing.ends_with("did you mean Weekend?"), "{missing}");
}

#[test]
fn no_storm_is_called_as_a_file_of_another_is() {
    let (folder, shelf) = sampled();
    let premise = Premise::new("x").unwrap();
    for name in ["plan.md", "Weekend.log.md", "a.ini.md", "a.session.md"] {
        let error = shelf.create(&Name::new(name).unwrap(), &premise, &cast(), now()).unwrap_err();
        assert!(error.to_string().contains("files of storms end in"), "{error}");
        assert!(!folder.path().join(name).exists());
    }
    shelf.create(&Name::new("plan.mdx").unwrap(), &premise, &cast(), now()).unwrap();
    assert_eq!(shelf.open("plan.mdx").unwrap().name.as_str(), "plan.mdx");
}

#[test]
fn what_can_t_be_read_is_named() {
    let (folder, shelf) = sampled();
    let agents = folder.path().join("SessionExample/Agents");
    let error = || {
        shelf
            .open("SessionExample")
            .map(|stored| stored.cast().map(drop))
            .map_err(|e| e.to_string())
    };
    fs::write(agents.join("Poet.md"), "You are a poet.").unwrap();
    let told = error().unwrap().unwrap_err().to_string();
    assert!(
        told.contains("Agents/Poet.md can't be read: it has no line such as <aistorm"),
        "{told}"
    );
    fs::write(agents.join("Poet.md"), b"\xff").unwrap();
    let told = error().unwrap().unwrap_err().to_string();
    assert!(told.contains("Agents/Poet.md can't be read: it is not UTF-8"), "{told}");
    fs::remove_file(agents.join("Poet.md")).unwrap();
    fs::write(agents.join("critical analyst.md"), "<aistorm type=\"OpenAI\" model=\"m\" />\n\nx")
        .unwrap();
    let told = error().unwrap().unwrap_err().to_string();
    assert_eq!(
        told,
        "SessionExample: two agents are called critical analyst; rename one of their files"
    );
    fs::remove_dir_all(&agents).unwrap();
    let told = error().unwrap().unwrap_err().to_string();
    assert!(told.starts_with("SessionExample: there are no agents; put a file"), "{told}");
}
