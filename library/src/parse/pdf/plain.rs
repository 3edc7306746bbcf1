//! Makes the drawing of each page plain: what shows text stays, and what nobody could see goes.
//!
//! A page that shows a picture, and has no other text than such without ink, is a scan with a layer of
//! recognised text: that layer is kept, and said.

use std::collections::BTreeMap;

use pdf_extract::content::{Content, Operation};
use pdf_extract::{Dictionary, Document, Object, ObjectId, Stream};

use super::drawing::{Drawing, Found};
use super::matrix::{Area, Matrix};

/// A form within a form, and so on, at most so deep.
const DEEPEST: usize = 8;

/// The most operations of one page, its forms counted as often as they are shown.
const MOST: usize = 500_000;

/// What was found in a whole file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// Characters of hidden text that were left out.
    pub(super) hidden: usize,
    /// Pages whose text was recognised from a picture.
    pub(super) recognised: usize,
    /// How many pictures are shown.
    pub(super) pictures: usize,
}

/// Rewrites all pages of `pdf`.
pub(super) fn make_plain(pdf: &mut Document) -> Seen {
    let mut seen = Seen::default();
    for page in pdf.get_pages().into_values().collect::<Vec<_>>() {
        let Some((read, found, is_scan)) = read_page(pdf, page) else { continue };
        seen.pictures += found.pictures;
        seen.recognised += usize::from(is_scan);
        seen.hidden += if is_scan { found.hidden } else { found.hidden + found.inkless };
        for (form, bytes) in read.forms {
            if let Ok(stream) = pdf.get_object_mut(form).and_then(Object::as_stream_mut) {
                stream.set_plain_content(bytes);
            }
        }
        let contents = pdf.add_object(Stream::new(Dictionary::new(), read.page));
        if let Ok(page) = pdf.get_object_mut(page).and_then(Object::as_dict_mut) {
            page.set("Contents", contents);
        }
    }
    seen
}

/// A page's plain drawing, and those of the forms that it shows.
struct Read {
    page: Vec<u8>,
    forms: BTreeMap<ObjectId, Vec<u8>>,
}

fn read_page(pdf: &Document, page: ObjectId) -> Option<(Read, Found, bool)> {
    let content = pdf.get_page_content(page).ok()?;
    let resources = inherited(pdf, page, b"Resources").and_then(|object| object.as_dict().ok());
    let read = |keep_inkless| {
        let mut reader = Reader {
            pdf,
            area: area(pdf, page),
            keep_inkless,
            forms: BTreeMap::new(),
            open: Vec::new(),
            left: MOST,
            found: Found::default(),
        };
        let bytes = reader.stream(&content, resources, Matrix::IDENTITY)?;
        Some((Read { page: bytes, forms: reader.forms }, reader.found))
    };
    let (plain, found) = read(false)?;
    let is_scan = found.pictures > 0 && found.visible == 0 && found.inkless > 0;
    if is_scan {
        return read(true).map(|(plain, _)| (plain, found, true));
    }
    Some((plain, found, false))
}

struct Reader<'a> {
    pdf: &'a Document,
    area: Option<Area>,
    keep_inkless: bool,
    forms: BTreeMap<ObjectId, Vec<u8>>,
    /// The forms that are being read, against forms that show themselves.
    open: Vec<ObjectId>,
    left: usize,
    found: Found,
}

impl<'a> Reader<'a> {
    /// The plain form of the drawing `content`.
    fn stream(
        &mut self,
        content: &[u8],
        resources: Option<&'a Dictionary>,
        place: Matrix,
    ) -> Option<Vec<u8>> {
        let content = Content::decode(content).ok()?;
        self.left = self.left.checked_sub(content.operations.len())?;
        let mut drawing = Drawing::new(place, self.area);
        let mut kept = Vec::new();
        for operation in content.operations {
            let stays = match operation.operator.as_str() {
                "Do" => self.shown(&operation, resources, &mut drawing),
                "gs" => {
                    drawing.fade(alpha(self.pdf, resources, &operation));
                    false
                }
                _ => drawing.take(&operation, self.keep_inkless),
            };
            if stays {
                plain(operation, &mut kept);
            }
        }
        self.found.add(drawing.found);
        Content { operations: kept }.encode().ok()
    }

    /// Reads the form that `operation` shows; whether it stays.
    fn shown(
        &mut self,
        operation: &Operation,
        resources: Option<&'a Dictionary>,
        drawing: &mut Drawing,
    ) -> bool {
        let Some((id, form)) = named(self.pdf, resources, b"XObject", operation) else {
            return false;
        };
        let Ok(stream) = form.as_stream() else { return false };
        if stream.dict.get(b"Subtype").and_then(Object::as_name).ok() != Some(b"Form") {
            drawing.picture();
            return false;
        }
        let Some(id) = id.filter(|id| !self.open.contains(id)) else { return false };
        if self.open.len() >= DEEPEST || drawing.hides_forms() {
            return false;
        }
        let own = stream.dict.get_deref(b"Resources", self.pdf).and_then(Object::as_dict).ok();
        let matrix = stream.dict.get(b"Matrix").and_then(Object::as_array).ok();
        let matrix = matrix.and_then(|numbers| Matrix::of(numbers)).unwrap_or(Matrix::IDENTITY);
        let content = stream.decompressed_content().unwrap_or_else(|_| stream.content.clone());
        self.open.push(id);
        let read = self.stream(&content, own.or(resources), matrix.then(drawing.place()));
        self.open.pop();
        read.map(|bytes| self.forms.insert(id, bytes)).is_some()
    }
}

/// Adds `operation` in words that every reader of text knows.
fn plain(mut operation: Operation, kept: &mut Vec<Operation>) {
    match operation.operator.as_str() {
        "'" => kept.push(Operation::new("T*", Vec::new())),
        "\"" if operation.operands.len() == 3 => {
            let text = operation.operands.split_off(2);
            let mut spacing = operation.operands.into_iter();
            kept.push(Operation::new("Tw", spacing.next().into_iter().collect()));
            kept.push(Operation::new("Tc", spacing.next().into_iter().collect()));
            kept.push(Operation::new("T*", Vec::new()));
            operation = Operation::new("Tj", text);
        }
        _ => {}
    }
    if operation.operator == "'" {
        operation.operator = "Tj".to_owned();
    }
    kept.push(operation);
}

/// The resource of `kind` that `operation` names.
fn named<'a>(
    pdf: &'a Document,
    resources: Option<&'a Dictionary>,
    kind: &[u8],
    operation: &Operation,
) -> Option<(Option<ObjectId>, &'a Object)> {
    let name = operation.operands.first()?.as_name().ok()?;
    let found = resources?.get_deref(kind, pdf).ok()?.as_dict().ok()?.get(name).ok()?;
    pdf.dereference(found).ok()
}

/// How opaque fillings are after `operation`.
fn alpha(pdf: &Document, resources: Option<&Dictionary>, operation: &Operation) -> Option<f32> {
    let name = operation.operands.first()?.as_name().ok()?;
    let states = resources?.get_deref(b"ExtGState", pdf).ok()?.as_dict().ok()?;
    states.get_deref(name, pdf).ok()?.as_dict().ok()?.get(b"ca").ok()?.as_float().ok()
}

/// What `page` or a node above it says under `key`.
fn inherited<'a>(pdf: &'a Document, page: ObjectId, key: &[u8]) -> Option<&'a Object> {
    let mut node = pdf.get_dictionary(page).ok()?;
    for _ in 0..64 {
        if let Ok(found) = node.get_deref(key, pdf) {
            return Some(found);
        }
        node = node.get_deref(b"Parent", pdf).ok()?.as_dict().ok()?;
    }
    None
}

/// The part of `page` that is shown.
fn area(pdf: &Document, page: ObjectId) -> Option<Area> {
    let found = inherited(pdf, page, b"CropBox").or_else(|| inherited(pdf, page, b"MediaBox"))?;
    let numbers: Vec<f32> =
        found.as_array().ok()?.iter().filter_map(|number| number.as_float().ok()).collect();
    match numbers[..] {
        [left, low, right, high] => Area::around([(left, low), (right, high)]),
        _ => None,
    }
}
