//! The picture shows the page as it is, pixel by pixel.

use super::kit::{AMPLE, Answer, Site, see, with_browser};
use crate::look::{Look, Seen};

/// A picture that was taken apart.
struct Pixels {
    width: usize,
    height: usize,
    bytes: Vec<u8>,
    each: usize,
}

impl Pixels {
    fn of(seen: &Seen) -> Self {
        let decoder = png::Decoder::new(std::io::Cursor::new(seen.picture.as_ref().unwrap()));
        let mut reader = decoder.read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        let each = info.color_type.samples();
        Self { width: info.width as usize, height: info.height as usize, bytes, each }
    }

    fn at(&self, x: usize, y: usize) -> [u8; 3] {
        let from = (y * self.width + x) * self.each;
        self.bytes[from..from + 3].try_into().unwrap()
    }
}

/// Bands of colour, one below the other.
fn bands(bands: &[(&str, usize)]) -> String {
    let bands = bands.iter().map(|(colour, height)| {
        format!("<div style='background:{colour};height:{height}px'></div>")
    });
    format!("<style>body{{margin:0}}</style>{}", bands.collect::<String>())
}

#[tokio::test]
async fn the_whole_page_is_in_the_picture() {
    let seen = see(&bands(&[("#f00", 500), ("#0f0", 1500), ("#00f", 1000)])).await;
    let pixels = Pixels::of(&seen);
    assert_eq!((pixels.width >= 1200, pixels.height), (true, 3000));
    for (y, colour) in [
        (0, [255, 0, 0]),
        (499, [255, 0, 0]),
        (500, [0, 255, 0]),
        (1999, [0, 255, 0]),
        (2000, [0, 0, 255]),
        (2999, [0, 0, 255]),
    ] {
        for x in [0, pixels.width / 2, pixels.width - 1] {
            assert_eq!(pixels.at(x, y), colour, "{x}, {y}");
        }
    }
    assert_eq!(seen.remarks, Vec::<String>::new());
}

#[tokio::test]
async fn a_picture_has_a_greatest_height_and_begins_at_the_top() {
    let html = bands(&[("#f00", 7999), ("#0f0", 12_001)]) + "<script>scrollTo(0, 15000)</script>";
    let seen = see(&html).await;
    let pixels = Pixels::of(&seen);
    assert_eq!(pixels.height, 8000);
    assert_eq!(
        (pixels.at(5, 0), pixels.at(5, 7998), pixels.at(5, 7999)),
        ([255, 0, 0], [255, 0, 0], [0, 255, 0])
    );
    assert_eq!(seen.remarks, ["the page is 20000 pixels high; the picture shows the first 8000"]);
}

#[tokio::test]
async fn what_lies_below_the_picture_is_not_laid_out_for_it() {
    let band = "<div style='background:#f00;height:100px'>a</div><div style='background:#00f;height:100px'><b>b</b></div>";
    let html = format!("<style>body{{margin:0}}</style><main>{}</main>", band.repeat(1_000));
    let site = Site::serve([("/", Answer::page(&html))]).await;
    let look = Look { url: site.url("/").parse().unwrap(), limit: AMPLE };
    let (seen, left) = with_browser(async |client| {
        let seen = crate::page::look(client, &look).await.unwrap();
        let left = "return [...document.querySelectorAll('div')].filter(band => band.offsetHeight > 0).length";
        (seen, client.execute(left, Vec::new()).await.unwrap().as_u64())
    })
    .await;
    assert_eq!(seen.text.matches('b').count(), 1_000);
    let pixels = Pixels::of(&seen);
    assert_eq!(pixels.height, 8000);
    assert_eq!((pixels.at(600, 7850), pixels.at(600, 7950)), ([255, 0, 0], [0, 0, 255]));
    assert_eq!(left, Some(80));
}

#[tokio::test]
async fn what_hangs_on_what_lies_below_the_picture_stays_where_it_is() {
    let band = "<div style='height:1000px;background:#0f0'></div>";
    let html = format!(
        "<style>body{{margin:0}}</style><main style='position:relative'>\
        <p style='position:absolute;bottom:19000px;height:500px;width:100%;margin:0;background:#f00'></p>{}</main>",
        band.repeat(20)
    );
    let pixels = Pixels::of(&see(&html).await);
    assert_eq!((pixels.at(5, 750), pixels.at(5, 1_500)), ([255, 0, 0], [0, 255, 0]));
}

#[tokio::test]
async fn a_short_page_fills_the_window() {
    let seen = see("<style>html{background:#fff}</style><p>x").await;
    let pixels = Pixels::of(&seen);
    assert!((400..=900).contains(&pixels.height), "{}", pixels.height);
    assert_eq!(pixels.at(pixels.width - 1, pixels.height - 1), [255, 255, 255]);
}

#[tokio::test]
async fn what_is_seen_first_is_there_in_small_for_models() {
    let seen = see(&bands(&[("#f00", 500), ("#0f0", 19_500)])).await;
    let glance = seen.glance.unwrap();
    assert!(glance.len() <= 512 * 1024);
    let (width, height) = jpeg_size(&glance);
    assert!((900..=1_000).contains(&width) && (300..=1_000).contains(&height), "{width} {height}");
}

/// The size that a JPEG's frame header says (ITU-T T.81, B.2.2).
fn jpeg_size(bytes: &[u8]) -> (usize, usize) {
    assert_eq!(bytes[..2], [0xff, 0xd8]);
    let mut at = 2;
    loop {
        let two = |from: usize| usize::from(u16::from_be_bytes([bytes[from], bytes[from + 1]]));
        if matches!(bytes[at + 1], 0xc0..=0xc2) {
            return (two(at + 7), two(at + 5));
        }
        at += 2 + two(at + 2);
    }
}
