use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use super::*;
use crate::audit_log::{Accept, Entries, Fault, Follower, Report, Row, archive, last, verify};

/// A log of ten rows in one file.
fn ten() -> (tempfile::TempDir, Files) {
    log(10, FULL)
}

fn log(rows: u64, full: u64) -> (tempfile::TempDir, Files) {
    let folder = tempfile::tempdir().unwrap();
    let files = Files::new(folder.path(), 1);
    write(&files, rows, full);
    (folder, files)
}

fn write(files: &Files, rows: u64, full: u64) {
    let log = ChainedLog::open(files.clone(), full, Millis(0)).unwrap();
    for count in 0..rows {
        log.append(&row(count)).unwrap();
    }
}

fn row(count: u64) -> Object {
    Object::from_iter([("row".to_owned(), "intent".into()), ("count".to_owned(), count.into())])
}

fn look(files: &Files) -> Report {
    verify(files, &[], Accept::default()).unwrap()
}

/// What is wrong, with the name of the file and the line.
fn fault(files: &Files) -> Option<(String, usize, Fault)> {
    look(files).broken.map(|broken| {
        let name = broken.place.file.file_name().unwrap().to_string_lossy().into_owned();
        (name, broken.place.line, broken.fault)
    })
}

fn lines(path: &PathBuf) -> Vec<String> {
    fs::read_to_string(path).unwrap().split_inclusive('\n').map(str::to_owned).collect()
}

/// Changes the lines of the current file.
fn tamper(files: &Files, change: impl FnOnce(&mut Vec<String>)) {
    let mut all = lines(&files.current());
    change(&mut all);
    fs::write(files.current(), all.concat()).unwrap();
}

/// What is wrong with ten rows after `change`, all of them in the current file.
fn after(change: impl FnOnce(&mut Vec<String>)) -> Option<(usize, Fault)> {
    let (_folder, files) = ten();
    tamper(&files, change);
    fault(&files).map(|(_, line, fault)| (line, fault))
}

#[test]
fn a_log_as_it_was_written_holds() {
    let (_folder, files) = ten();
    let report = look(&files);
    assert_eq!((report.rows, report.files, report.broken), (10, 1, None));
    assert!(report.notes.is_empty());
    write(&files, 5, FULL);
    assert_eq!((look(&files).rows, fault(&files)), (15, None));
}

#[test]
fn a_changed_row_is_found() {
    let changed =
        |from: &'static str, to: &'static str| after(move |all| all[6] = all[6].replace(from, to));
    assert_eq!(changed("\"count\":6", "\"count\":5"), Some((7, Fault::Changed { n: 7 })));
    assert_eq!(changed("intent", "outcome"), Some((7, Fault::Changed { n: 7 })));
    assert_eq!(changed(",\"hash\":\"", " ,\"hash\":\""), Some((7, Fault::Changed { n: 7 })));
    assert_eq!(changed("\"n\":7", "\"n\":17"), Some((7, Fault::Missing { from: 7, to: 16 })));
    let hash = after(|all| {
        let at = all[6].len() - 10;
        let other = if &all[6][at..=at] == "0" { "1" } else { "0" };
        all[6].replace_range(at..=at, other);
    });
    assert_eq!(hash, Some((7, Fault::Changed { n: 7 })));
}

#[test]
fn a_row_that_was_written_anew_with_a_hash_that_fits_is_found_at_the_next() {
    let (_folder, files) = ten();
    tamper(&files, |all| {
        let before = Row::read(all[5].trim_end().as_bytes()).unwrap().head;
        all[6] = before.followed_by(&row(66)).0;
    });
    assert_eq!(fault(&files).map(|(_, _, fault)| fault), Some(Fault::Changed { n: 8 }));
}

#[test]
fn a_missing_row_is_found() {
    assert_eq!(after(|all| drop(all.remove(0))), Some((1, Fault::Missing { from: 1, to: 1 })));
    assert_eq!(after(|all| drop(all.remove(6))), Some((7, Fault::Missing { from: 7, to: 7 })));
    let three = after(|all| drop(all.drain(2..5)));
    assert_eq!(three, Some((3, Fault::Missing { from: 3, to: 5 })));
}

#[test]
fn a_row_elsewhere_or_twice_is_found() {
    let Some((3, Fault::Reordered { expected: 3, found: 8, expected_at: Some(place) })) =
        after(|all| all.swap(2, 7))
    else {
        panic!("not found");
    };
    assert_eq!(place.line, 8);
    let twice = after(|all| all.insert(5, all[1].clone()));
    assert_eq!(twice, Some((6, Fault::Reordered { expected: 6, found: 2, expected_at: None })));
}

#[test]
fn a_row_that_was_cut_is_found() {
    let in_the_midst = after(|all| {
        all[6].truncate(20);
        all[6].push('\n');
    });
    assert_eq!(in_the_midst, Some((7, Fault::Cut { n: 7 })));
    let at_the_end = after(|all| all[9].truncate(20));
    assert_eq!(at_the_end, Some((10, Fault::HalfWritten { n: 10, bytes: 20 })));
}

#[test]
fn a_line_that_was_put_in_is_found() {
    let line = "{\"row\":\"intent\"}\n".to_owned();
    for at in [0, 5] {
        let put_in = after(|all| all.insert(at, line.clone()));
        assert_eq!(put_in, Some((at + 1, Fault::PutIn { lines: 1 })));
    }
}

#[test]
fn only_a_head_shows_that_whole_rows_were_cut_off_the_end() {
    let (_folder, files) = ten();
    let head = look(&files).head;
    let seen = || verify(&files, std::slice::from_ref(&head), Accept::default()).unwrap().seen;
    assert_eq!(seen().as_slice(), std::slice::from_ref(&head));
    write(&files, 3, FULL);
    assert_eq!(seen().as_slice(), std::slice::from_ref(&head));
    tamper(&files, |all| all.truncate(9));
    assert_eq!((fault(&files), seen()), (None, Vec::new()));
    write(&files, 3, FULL);
    assert_eq!((fault(&files), seen()), (None, Vec::new()));
}

#[test]
fn half_a_row_stays_and_the_next_start_tells_of_it() {
    let whole = { lines(&ten().1.current())[9].len() };
    for cut in 1..whole - 1 {
        let (_folder, files) = ten();
        tamper(&files, |all| all[9].truncate(cut));
        let half = lines(&files.current())[9].clone();
        write(&files, 2, FULL);
        let report = look(&files);
        assert_eq!((report.broken, report.rows), (None, 9 + 1 + 2), "{cut}");
        assert!(report.notes[0].contains(":10: half a row"), "{:?}", report.notes);
        assert_eq!(lines(&files.current())[9].trim_end(), half);
        // What was told of can't be changed afterwards.
        tamper(&files, |all| all[9].insert(0, 'x'));
        assert_eq!(fault(&files).map(|(_, line, _)| line), Some(10));
    }
}

#[test]
fn a_row_without_its_line_end_is_a_row() {
    let (_folder, files) = ten();
    tamper(&files, |all| assert_eq!(all[9].pop(), Some('\n')));
    write(&files, 2, FULL);
    let report = look(&files);
    assert_eq!((report.broken, report.rows, report.notes.len()), (None, 12, 0));
}

#[test]
fn rows_from_before_the_chain_stay_and_are_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let files = Files::new(folder.path(), 1);
    let old = "{\"row\":\"intent\"}\n{\"row\":\"outcome\"}\n";
    fs::write(files.current(), old).unwrap();
    write(&files, 3, FULL);
    let report = look(&files);
    assert_eq!((report.broken, report.rows), (None, 4));
    assert!(report.notes[0].contains("from before the chain"), "{:?}", report.notes);
    assert!(fs::read_to_string(files.current()).unwrap().starts_with(old));
}

#[test]
fn a_full_file_makes_way_and_the_chain_goes_on() {
    let (_folder, files) = log(30, 500);
    let full: Vec<PathBuf> = files.full_ones().unwrap().into_values().collect();
    assert!(full.len() > 3 && files.full(1).ends_with("router-1.0001.jsonl"), "{full:?}");
    let report = look(&files);
    let first_rows = full.len() as u64;
    assert_eq!((report.broken, report.rows), (None, 30 + first_rows));
    assert_eq!(report.files, full.len() + 1);
    assert!(full.iter().all(|path| fs::metadata(path).unwrap().len() < 500 + 400));
    assert_eq!(last(std::slice::from_ref(&files), 7).unwrap().len(), 7);

    // A crash between the two renames: no file has the current one's name.
    fs::rename(files.current(), files.full(full.len() as u32 + 1)).unwrap();
    write(&files, 1, 500);
    assert_eq!(fault(&files), None);
    fs::remove_file(files.full(2)).unwrap();
    let (name, line, fault) = fault(&files).unwrap();
    assert_eq!((name.as_str(), line), ("router-1.0003.jsonl", 1));
    assert!(matches!(fault, Fault::Missing { .. }), "{fault}");
}

#[test]
fn the_oldest_files_may_be_elsewhere_if_a_person_says_so() {
    let (_folder, files) = log(30, 500);
    fs::remove_file(files.full(1)).unwrap();
    let (name, _, found) = fault(&files).unwrap();
    assert_eq!(name, "router-1.0002.jsonl");
    assert!(matches!(found, Fault::Archived { to } if to > 1), "{found}");
    let accepted = verify(&files, &[], Accept { archived: true }).unwrap();
    assert_eq!(accepted.broken, None);
    assert!(accepted.notes[0].contains("are not here"));
    // Where the file begins is part of the chain.
    let path = files.full(2);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("\"after\":\"", "\"after\":\"0", 1)).unwrap();
    assert!(verify(&files, &[], Accept { archived: true }).unwrap().broken.is_some());
}

#[test]
fn the_log_of_another_router_is_not_taken_for_this_one() {
    let (folder, files) = ten();
    let other = Files::new(folder.path(), 2);
    fs::rename(files.current(), other.current()).unwrap();
    assert_eq!(fault(&other).map(|(_, _, fault)| fault), Some(Fault::Changed { n: 1 }));
}

#[test]
fn a_large_last_row_is_found_again_whatever_it_holds() {
    // What stands behind its `{"n":1` is as long as the part of a file that is read first, and looks like a row.
    let after_it = 64 * 1024 - "{'n':1,'x':''},'hash':''}\n".len() - 64;
    let inner = serde_json::json!({ "n": 1, "x": "y".repeat(after_it) });
    let (_folder, files) = ten();
    let log = ChainedLog::open(files.clone(), FULL, Millis(0)).unwrap();
    let texts = [("text".to_owned(), "z".into()), ("params".to_owned(), inner)];
    log.append(&Object::from_iter(texts)).unwrap();
    drop(log);
    let bytes = fs::read(files.current()).unwrap();
    assert!(Row::read(bytes[bytes.len() - 64 * 1024..].trim_ascii_end()).is_some());
    write(&files, 1, FULL);
    let report = look(&files);
    assert_eq!((report.broken, report.rows), (None, 12));
}

#[test]
fn what_was_written_is_synced_soon() {
    let (_folder, files) = ten();
    let log = Arc::new(ChainedLog::open(files, FULL, Millis(0)).unwrap());
    let syncing = Syncing::start(Arc::clone(&log)).unwrap();
    for count in 0..2 {
        log.append(&row(count)).unwrap();
        assert!(log.is_unsynced());
        syncing.soon();
        testkit::wait_until("it is synced", || !log.is_unsynced());
    }
}

#[test]
fn rows_of_many_threads_make_one_chain() {
    let (_folder, files) = log(0, 2_000);
    let log = Arc::new(ChainedLog::open(files.clone(), 2_000, Millis(0)).unwrap());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..50).for_each(|count| log.append(&row(count)).unwrap()));
        }
    });
    let report = look(&files);
    assert_eq!(report.broken, None);
    assert_eq!(report.rows, 200 + report.files as u64 - 1);
}

#[test]
fn a_follower_misses_nothing_when_a_file_is_full() {
    let (_folder, files) = ten();
    let mut follower = Follower::new(&files, false).unwrap();
    let log = ChainedLog::open(files.clone(), 1_200, Millis(0)).unwrap();
    let mut seen = Vec::new();
    for count in 0..30 {
        log.append(&row(count)).unwrap();
        seen.extend(follower.news().unwrap());
    }
    let numbers: Vec<u64> = seen.iter().map(|e| e.fields["n"].as_u64().unwrap()).collect();
    let expected: Vec<u64> = (11..=look(&files).head.n).collect();
    assert_eq!(numbers, expected);
}

/// The names of what is in the folder of a log.
fn names(files: &Files) -> Vec<String> {
    let entries = fs::read_dir(files.folder()).unwrap().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn what_is_compressed_is_read_as_it_was_written() {
    let (_folder, files) = log(30, 500);
    let (before, shown) = (look(&files), last(std::slice::from_ref(&files), 30).unwrap());
    archive(&files).unwrap();
    assert!(names(&files)[0].ends_with("router-1.0001.jsonl.gz"), "{:?}", names(&files));
    assert!(names(&files).iter().all(|name| name.ends_with(".gz") || *name == "router-1.jsonl"));
    let after = look(&files);
    assert_eq!((after.broken, after.rows, after.head), (None, before.rows, before.head));
    assert_eq!((after.files, after.compressed), (before.files, before.files - 1));
    let fields = |entries: Vec<crate::audit_log::Entry>| {
        entries.into_iter().map(|entry| entry.fields).collect::<Vec<_>>()
    };
    assert_eq!(fields(last(std::slice::from_ref(&files), 30).unwrap()), fields(shown));
    // The chain goes on, also where the current file is missing.
    fs::remove_file(files.current()).unwrap();
    write(&files, 40, 500);
    assert_eq!(look(&files).broken, None);
}

#[test]
fn rows_of_several_logs_come_by_time_and_none_is_missed_when_a_file_is_full_meanwhile() {
    /// After each time that a log notes of its own.
    const BEGIN: u64 = 1 << 50;
    let folder = tempfile::tempdir().unwrap();
    let mut logs = Vec::new();
    for number in 0..3 {
        let files = Files::new(folder.path(), number + 1);
        let log = ChainedLog::open(files.clone(), 1_000, Millis(0)).unwrap();
        for count in 0..30 {
            let mut row = row(count);
            row.insert("at".to_owned(), (BEGIN + count * 3 + u64::from(number)).into());
            log.append(&row).unwrap();
        }
        logs.push((files, log));
    }
    let files: Vec<Files> = logs.iter().map(|(files, _)| files.clone()).collect();
    let told = |entries: Entries| -> Vec<u64> {
        let entries = entries.map(Result::unwrap).filter(|entry| entry.fields["row"] == "intent");
        entries.map(|entry| entry.at() - BEGIN).collect()
    };
    assert_eq!(told(Entries::since(&files, 0).unwrap()), (0..90).collect::<Vec<_>>());
    let few = told(Entries::since(&files, 0).unwrap().holding("\"count\":7,"));
    assert_eq!(few, [21, 22, 23]);
    let newest = told(Entries::last(&files, 1).unwrap());
    assert_eq!(newest, [87, 88, 89]);
    let begun = Entries::since(&files, 0).unwrap();
    for (files, log) in &logs {
        for _ in 0..10 {
            log.append(&Object::from_iter([("row".to_owned(), "later".into())])).unwrap();
        }
        archive(files).unwrap();
    }
    assert_eq!(told(begun), (0..90).collect::<Vec<_>>());
}

#[test]
fn a_compression_that_was_cut_short_loses_nothing() {
    let (folder, files) = log(30, 500);
    let whole = look(&files).rows;
    // Killed in the midst of writing the compressed form.
    fs::write(files.compressing(), b"\x1f\x8b half").unwrap();
    assert_eq!((look(&files).broken, look(&files).rows), (None, whole));
    // Killed between the new name and the end of the plain file.
    let plain = fs::read(files.full(1)).unwrap();
    archive(&files).unwrap();
    fs::write(files.full(1), plain).unwrap();
    assert_eq!((look(&files).broken, look(&files).rows), (None, whole));
    archive(&files).unwrap();
    assert!(!files.full(1).exists() && !files.compressing().exists());
    assert_eq!((look(&files).broken, look(&files).rows), (None, whole));
    // What somebody has changed in it is found.
    let packed = folder.path().join("router-1.0002.jsonl.gz");
    let mut bytes = fs::read(&packed).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    fs::write(&packed, bytes).unwrap();
    let (name, _, fault) = fault(&files).unwrap();
    assert_eq!(name, "router-1.0002.jsonl.gz", "{fault}");
}
