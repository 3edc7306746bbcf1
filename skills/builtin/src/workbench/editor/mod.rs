//! The editor environment: views of files that follow meaning and not line numbers, and edits of what they show.
//!
//! A view says what it shows by a pattern or a name, and is found anew after every command, of whichever environment. So it
//! shows the file as it is, and an edit counts only where the model has seen the very lines in a view since the file changed
//! last, but by the edits of the same reply.

mod definition;
mod file;
mod order;
mod search;
mod seen;
mod view;

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Environment, Reply, output};
use file::File;
use order::Order;
use search::Files;
use seen::Seen;
use view::{Found, View, What};

/// How many views there are; the oldest makes room.
const VIEWS: usize = 5;

/// What stands on the screen without one.
const NONE: &str = "(no views)";

/// The views, in the order in which they were opened.
pub(super) struct Editor {
    project: PathBuf,
    views: Vec<View>,
    opened: u64,
    seen: Seen,
}

impl Editor {
    pub(super) fn at(project: &Path) -> Self {
        Self { project: project.to_owned(), views: Vec::new(), opened: 0, seen: Seen::default() }
    }

    /// Whoever commands has seen the latest screen.
    pub(super) fn note_seen(&mut self) {
        self.seen.look();
    }

    fn does(&mut self, order: Order, limit: Duration) -> Result<String, String> {
        match order {
            Order::View { file, what, label } => self.open(file, what, label),
            Order::GotoDefinition { name } => {
                let (file, line) = definition::find(&self.project, &name, limit)?;
                let definition = What::Definition { name };
                let opened = self.open(file.clone(), definition, None)?;
                Ok(format!("{opened} (defined at {file}:{line})"))
            }
            Order::Match { id, forward } => self.step(id, forward),
            Order::Close { which } => self.close(&which),
            Order::Search { pattern, glob } => {
                search::search(&self.project, &pattern, Files::of(&self.project, &glob, limit)?)
            }
            Order::Edit { file, lines, text } => self.edit(&file, lines, &text),
            Order::Create { file, text } => {
                file::create(&self.project, &file, &text)?;
                Ok(format!("Created {file} ({} lines).", text.lines().count()))
            }
        }
    }

    fn open(&mut self, file: String, what: What, label: Option<String>) -> Result<String, String> {
        let read = File::read(&self.project, &file)?;
        let view = View { id: self.opened + 1, file, what, label, at: 0, broken: None };
        let found = view.find(&read)?;
        let said = format!("View {}: {}", view.id, view.title(&found));
        self.opened += 1;
        self.views.push(view);
        if self.views.len() > VIEWS {
            let closed = self.views.remove(0);
            return Ok(format!("{said}\nView {} was closed to make room.", closed.id));
        }
        Ok(said)
    }

    fn step(&mut self, id: u64, forward: bool) -> Result<String, String> {
        let project = self.project.clone();
        let view = self.view(id)?;
        let read = File::read(&project, &view.file)?;
        let before = view.at;
        view.at = match forward {
            true => before + 1,
            false => before.checked_sub(1).ok_or("There is no match before this one.")?,
        };
        match view.find(&read) {
            Ok(found) => Ok(format!("View {id}: {}", view.title(&found))),
            Err(_) => {
                view.at = before;
                Err("There is no further match.".to_owned())
            }
        }
    }

    fn view(&mut self, id: u64) -> Result<&mut View, String> {
        let ids = self.ids();
        let view = self.views.iter_mut().find(|view| view.id == id);
        view.ok_or_else(|| format!("There is no view {id}; there are {ids}."))
    }

    fn ids(&self) -> String {
        let ids: Vec<_> = self.views.iter().map(|view| view.id.to_string()).collect();
        if ids.is_empty() { "none".to_owned() } else { ids.join(", ") }
    }

    fn close(&mut self, which: &str) -> Result<String, String> {
        let before = self.views.len();
        let is_meant = |view: &View| {
            which == "all" || view.id.to_string() == which || view.label.as_deref() == Some(which)
        };
        self.views.retain(|view| !is_meant(view));
        match before - self.views.len() {
            0 => Err(format!("There is no view {which}; there are {}.", self.ids())),
            1 => Ok("Closed 1 view.".to_owned()),
            closed => Ok(format!("Closed {closed} views.")),
        }
    }

    fn edit(&mut self, file: &str, lines: (usize, usize), text: &str) -> Result<String, String> {
        let read = File::read(&self.project, file)?;
        let (first, last) = lines;
        let now = self.seen.place(&read, lines)?;
        let mut edited = (first..).zip(read.lines(now.0, now.1));
        if let Some((line, _)) = edited.find(|(_, text)| output::is_cut(text)) {
            return Err(format!(
                "Line {line} of {file} is longer than a view shows, so you have not seen all of it; change it with bash or python."
            ));
        }
        let count = text.lines().count();
        let digest = read.replace(&self.project, now, text)?;
        self.seen.edit(&read, (lines, count), digest);
        Ok(format!("Edited {file}: lines {first}-{last} are {count} lines now."))
    }

    /// Finds all views anew. One that can't be found is shown with the reason once, and then gone.
    fn render(&mut self) -> String {
        self.seen.redraw();
        self.views.retain(|view| view.broken.is_none());
        let (mut parts, mut used) = (Vec::new(), 0);
        for view in &mut self.views {
            let found = File::read(&self.project, &view.file).and_then(|read| {
                let found = view.find(&read)?;
                Ok((read, found))
            });
            match found {
                Ok((read, found)) => {
                    let Found { first, last, .. } = found;
                    parts.push(view.title(&found));
                    parts.extend(read.lines(first, last).map(output::line));
                    // Only what the section has room for has been seen.
                    let room = output::LINES.saturating_sub(used + 2);
                    used += last + 1 - first + 1;
                    if room > 0 {
                        let seen = last.min(first + room - 1);
                        self.seen.draw(&read, (first, seen));
                    }
                }
                Err(why) => {
                    parts.push(format!("> {}: {why} (this view is closed)", view.file));
                    used += 1;
                    view.broken = Some(why);
                }
            }
        }
        if parts.is_empty() { NONE.to_owned() } else { parts.join("\n") }
    }
}

impl Environment for Editor {
    fn command(&mut self, command: &str, limit: Duration) -> Reply {
        let done = Order::read(command).and_then(|order| self.does(order, limit));
        match done {
            Ok(said) => Reply { exit_code: Some(0), ..Reply::of(said) },
            Err(why) => Reply { exit_code: Some(1), ..Reply::of(why) },
        }
    }

    fn screen(&mut self) -> String {
        self.render()
    }
}

#[cfg(test)]
mod tests;
