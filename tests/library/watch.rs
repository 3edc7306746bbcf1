//! Folders that are looked at again and again.

use std::process::Child;

use super::*;

/// A watch of what `words` name, which writes what it says into files of the home.
fn watching(home: &TempHome, words: &[&str]) -> Child {
    Command::new(SAFECLAW)
        .args(["router", "library", "add"])
        .args(words)
        .args(["--watch", "--home", text(home.root())])
        .stdin(Stdio::null())
        .stdout(fs::File::create(home.root().join("out")).unwrap())
        .stderr(fs::File::create(home.root().join("err")).unwrap())
        .spawn()
        .unwrap()
}

#[test]
fn a_watch_goes_on_after_a_failure_and_tells_it_once() {
    let (home, (_held, papers)) = (TempHome::new(), papers());
    fs::write(papers.join("bad.pdf"), "%PDF-1.4 and no more").unwrap();
    let mut watch = watching(&home, &[text(&papers), text(&papers.join("letter.txt"))]);
    let said = |file: &str| home.text(file);
    wait_until("all is in", || said("out").contains("files indexed"));
    fs::write(papers.join("new.md"), "A zebra.").unwrap();
    wait_until("the new one is in", || said("out").contains("new.md: 1 passage"));
    fs::remove_file(papers.join("letter.txt")).unwrap();
    wait_until("the removed one is out", || said("out").contains("letter.txt: taken out"));
    wait_until("its place is missing", || said("err").contains("it is tried again"));
    fs::write(papers.join("newer.md"), "Two zebras.").unwrap();
    wait_until("it goes on", || said("out").contains("newer.md: 1 passage"));
    watch.kill().unwrap();
    watch.wait().unwrap();
    let (out, err) = (said("out"), said("err"));
    assert_eq!(err.matches("bad.pdf").count(), 1, "{err}");
    assert_eq!(err.matches("it is tried again").count(), 1, "{err}");
    assert_eq!(out.matches("new.md: 1 passage").count(), 1, "{out}");
}

#[test]
fn a_watched_folder_that_is_suddenly_empty_loses_no_paper() {
    let (home, (_held, papers)) = (TempHome::new(), papers());
    let disk = papers.join("disk");
    fs::create_dir_all(disk.join("all")).unwrap();
    fs::rename(papers.join("pump.md"), disk.join("all/pump.md")).unwrap();
    let mut watch = watching(&home, &[text(&disk)]);
    let said = |file: &str| home.text(file);
    wait_until("all is in", || said("out").contains("1 file indexed"));
    fs::rename(disk.join("all"), papers.join("all")).unwrap();
    wait_until("it notices", || said("err").contains("its papers stay in the library"));
    assert!(told(&home, &["list"]).contains("pump.md"));
    fs::rename(papers.join("all"), disk.join("all")).unwrap();
    fs::write(disk.join("all/new.md"), "A zebra.").unwrap();
    wait_until("the new one is in", || said("out").contains("new.md: 1 passage"));
    fs::remove_file(disk.join("all/pump.md")).unwrap();
    wait_until("the removed one is out", || said("out").contains("pump.md: taken out"));
    watch.kill().unwrap();
    watch.wait().unwrap();
}
