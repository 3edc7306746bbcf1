//! What the model has seen of files: only that can be edited.

use super::file::File;

/// Lines of a file that a screen shows.
#[derive(Debug, Clone)]
struct Shown {
    file: String,
    /// The digest of the file's text.
    digest: u64,
    lines: (usize, usize),
}

/// Lines of a file that were exchanged.
#[derive(Debug)]
struct Exchanged {
    file: String,
    lines: (usize, usize),
    /// How many lines stand there now.
    count: usize,
}

/// What screens show, and what was done since the model saw one.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// What the latest screen shows.
    drawn: Vec<Shown>,
    /// What the screen shows that the model saw last.
    seen: Vec<Shown>,
    /// What the model has edited since, by the numbers of the lines that it saw.
    edits: Vec<Exchanged>,
}

impl Seen {
    /// The model has seen the latest screen.
    pub(super) fn look(&mut self) {
        self.seen.clone_from(&self.drawn);
        self.edits.clear();
    }

    /// Another screen is drawn.
    pub(super) fn redraw(&mut self) {
        self.drawn.clear();
    }

    /// The screen shows `lines` of `file`.
    pub(super) fn draw(&mut self, file: &File, lines: (usize, usize)) {
        self.drawn.push(Shown { file: file.path.clone(), digest: file.digest, lines });
    }

    /// Where the lines of `file` are now that the model saw as `lines`.
    ///
    /// # Errors
    /// Why they can't be edited.
    pub(super) fn place(
        &self,
        file: &File,
        (first, last): (usize, usize),
    ) -> Result<(usize, usize), String> {
        let path = &file.path;
        let of_file = self.seen.iter().filter(|shown| shown.file == *path);
        let fresh: Vec<_> = of_file.clone().filter(|shown| shown.digest == file.digest).collect();
        if of_file.count() > 0 && fresh.is_empty() {
            return Err(format!(
                "{path} has changed since it was shown; look at the view again, then edit."
            ));
        }
        let is_shown =
            |line: usize| fresh.iter().any(|shown| (shown.lines.0..=shown.lines.1).contains(&line));
        if !(first..=last).all(is_shown) {
            return Err(format!(
                "Lines {first}-{last} of {path} are not all in a view that you have seen; open one that shows them, look at it, then edit."
            ));
        }
        let (mut more, mut less) = (0, 0);
        for edit in self.edits.iter().filter(|edit| edit.file == *path && edit.lines.0 <= last) {
            if edit.lines.1 >= first {
                return Err(format!(
                    "Lines {}-{} of {path} are already edited; look at the view again, then edit.",
                    edit.lines.0, edit.lines.1
                ));
            }
            more += edit.count;
            less += edit.lines.1 + 1 - edit.lines.0;
        }
        Ok((first + more - less, last + more - less))
    }

    /// The model has put `count` lines into the place of those that it saw as `lines`, and `file` has the digest `now`.
    pub(super) fn edit(&mut self, file: &File, (lines, count): ((usize, usize), usize), now: u64) {
        let is_fresh = |shown: &&mut Shown| shown.file == file.path && shown.digest == file.digest;
        self.seen.iter_mut().filter(is_fresh).for_each(|shown| shown.digest = now);
        self.edits.push(Exchanged { file: file.path.clone(), lines, count });
    }
}
