//! The tables of the book, and what the program reads and writes.

use super::*;

/// Variables for the makers alone.
const FOR_MAKERS: [&str; 2] = ["SAFECLAW_FAILPOINT", "SAFECLAW_VICTIM"];

fn page(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src").join(name)).unwrap()
}

/// What stands in backticks in the first column of the table under `heading`, row by row.
fn first_column(page: &str, heading: &str) -> Vec<Vec<String>> {
    let (_, behind) = page.split_once(&format!("\n## {heading}\n")).unwrap();
    let section = behind.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let cells = rows.map(|row| row.split(" |").next().unwrap());
    cells.map(|cell| cell.split('`').step_by(2).map(str::to_owned).collect()).collect()
}

/// The variables of this program's own that `code` names.
fn own_variables(code: &str) -> impl Iterator<Item = &str> {
    code.match_indices("\"SAFECLAW_").filter_map(|(at, _)| {
        let name = code[at + 1..].split('"').next()?;
        name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_').then_some(name)
    })
}

#[test]
fn each_variable_that_is_read_stands_in_a_table_and_each_of_the_tables_is_read() {
    let person = first_column(&page("configuration.md"), "Environment").concat();
    let skill = first_column(&page("skills.md"), "What it is told").concat();
    let lists = [&home::SHARED_NAMES[..], &home::MODEL_KEY_NAMES, &home::CHANNEL_KEY_NAMES];
    for name in lists.concat() {
        assert!(person.iter().any(|told| told == name), "{name} is not in configuration.md");
    }
    let sources = sources();
    let mut own = 0;
    for (path, code) in &sources {
        for name in own_variables(code).filter(|name| !FOR_MAKERS.contains(name)) {
            let is_told = person.iter().chain(&skill).any(|told| told == name);
            assert!(is_told, "{}: {name} is in no table", path.display());
            own += 1;
        }
    }
    assert!(own > 15, "only {own} were found");
    for name in person.iter().chain(&skill) {
        let is_read = |(_, code): &(PathBuf, String)| code.contains(&format!("\"{name}\""));
        assert!(sources.iter().any(is_read), "nothing reads {name}");
    }
}

/// All files below `folder`, by their paths from `root`.
fn files(root: &Path, folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(root, &path, found);
        } else {
            found.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
        }
    }
}

#[test]
fn each_file_of_a_fresh_home_stands_in_the_table_of_files() {
    let home = TempHome::new();
    let root = home.root().to_str().unwrap();
    for said in ["Remember my name is Frankie.", "/remember the key is under the pot", "/new"] {
        let output = run(Path::new(SAFECLAW), &["--home", root, "-p", said]);
        assert!(output.status.success(), "{said}: {output:?}");
    }
    let mut told = Vec::new();
    for row in first_column(&page("configuration.md"), "Files") {
        // What stands behind the first one lies beside it.
        let folder = row[0].trim_end_matches('/').rsplit_once('/').map_or("", |(folder, _)| folder);
        let beside = row[1..].iter().map(|name| Path::new(folder).join(name));
        told.extend([PathBuf::from(&row[0])].into_iter().chain(beside));
    }
    let mut found = Vec::new();
    files(home.root(), home.root(), &mut found);
    assert!(found.len() > 10, "{found:?}");
    let missing: Vec<&String> = found
        .iter()
        .filter(|path| !told.iter().any(|told| Path::new(path).starts_with(told)))
        .collect();
    assert!(missing.is_empty(), "in no row: {missing:#?}");
}
