-- The library's index. It is a cache of the texts beside it, and can be built from them again.

CREATE TABLE document (
  id         TEXT PRIMARY KEY,      -- 16 hexadecimal digits of role and place
  element    TEXT NOT NULL,         -- pdf | docx | md | txt | html | epub | xlsx | csv
  role       TEXT NOT NULL,         -- public | admin
  place      TEXT NOT NULL,
  name       TEXT NOT NULL,
  own        INTEGER NOT NULL,      -- 1 when the owner wrote it
  changed_at INTEGER NOT NULL,      -- of the file, in milliseconds since 1970
  bytes      INTEGER NOT NULL,      -- of the file
  notes      TEXT NOT NULL,         -- JSON list: what a person should know of how it was read
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE passage (
  rowid           INTEGER PRIMARY KEY,
  role            TEXT NOT NULL,
  id              TEXT NOT NULL UNIQUE,
  document        TEXT NOT NULL REFERENCES document (id) ON DELETE CASCADE,
  ordinal         INTEGER NOT NULL,
  first_page      INTEGER,
  last_page       INTEGER,
  created_at      INTEGER NOT NULL,
  base_activation REAL NOT NULL DEFAULT 0,
  access_count    INTEGER NOT NULL DEFAULT 0,
  last_accessed   INTEGER,
  headings        TEXT NOT NULL,    -- JSON list, the outermost first
  name            TEXT NOT NULL,    -- the file's name and the headings, for words in them
  grams           TEXT NOT NULL,    -- pairs of characters of scripts without spaces
  text            TEXT NOT NULL
);
CREATE INDEX passage_document ON passage (document, ordinal);

CREATE TABLE vector (
  passage INTEGER PRIMARY KEY REFERENCES passage (rowid) ON DELETE CASCADE,
  role    TEXT NOT NULL,
  scale   REAL NOT NULL,            -- what a step of the numbers is worth
  numbers BLOB NOT NULL             -- one signed byte each
);

CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- Marks belong to letters (Mn, Mc), so that words of Indic scripts stay whole.
CREATE VIRTUAL TABLE words USING fts5 (
  text, name, grams, content = 'passage', content_rowid = 'rowid',
  tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);
INSERT INTO words (words, rank) VALUES ('rank', 'bm25(1.0, 2.0, 1.0)');
-- So many bytes of words are sorted in memory before they are written: as a rule all of one transaction.
INSERT INTO words (words, rank) VALUES ('hashsize', 16777216);
CREATE VIRTUAL TABLE vocabulary USING fts5vocab (words, row);

-- Whoever adds a passage adds its words. A trigger would have FTS5 write them to the disk after each passage, for it is told to
-- before every statement that writes twice and may fail. Nothing is REPLACEd, which would not fire the trigger on deletion.
CREATE TRIGGER passage_removed AFTER DELETE ON passage BEGIN
  INSERT INTO words (words, rowid, text, name, grams)
  VALUES ('delete', old.rowid, old.text, old.name, old.grams);
END;
CREATE TRIGGER passage_changed AFTER UPDATE OF text, name, grams ON passage BEGIN
  INSERT INTO words (words, rowid, text, name, grams)
  VALUES ('delete', old.rowid, old.text, old.name, old.grams);
  INSERT INTO words (rowid, text, name, grams) VALUES (new.rowid, new.text, new.name, new.grams);
END;
