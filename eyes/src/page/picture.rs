//! Takes the picture of the whole page, up to a height.

use data_encoding::BASE64;
use serde::Deserialize;
use serde_json::{Value, json};

use super::tab::Tab;
use crate::look::LookError;

/// The greatest height of a picture, in CSS pixels. Ten million pixels are what the memory for it is for.
const MOST_HEIGHT: f64 = 8_000.0;
/// The greatest width. It is that of the window, which the page can't change.
const MOST_WIDTH: f64 = 1_920.0;

/// What the browser says of the page's size, in CSS pixels.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Layout {
    css_layout_viewport: Viewport,
    css_content_size: Content,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Viewport {
    client_width: f64,
    client_height: f64,
}

#[derive(Debug, Deserialize)]
struct Content {
    height: f64,
}

/// The picture as PNG, one pixel for each CSS pixel.
///
/// # Errors
/// Those of [`Tab::run`].
pub(super) async fn take(tab: &Tab<'_>, remarks: &mut Vec<String>) -> Result<Vec<u8>, LookError> {
    let _: Value = tab
        .run(
            "() => { scrollTo({ top: 0, left: 0, behavior: 'instant' }); return null; }",
            &json!({}),
        )
        .await?;
    let layout = tab.command("Page.getLayoutMetrics", json!({})).await?;
    let layout: Layout = serde_json::from_value(layout).map_err(super::trouble::unexpected)?;
    let view = &layout.css_layout_viewport;
    let height = layout.css_content_size.height.max(view.client_height).ceil();
    if height > MOST_HEIGHT {
        remarks.push(format!(
            "the page is {height} pixels high; the picture shows the first {MOST_HEIGHT}"
        ));
    }
    let clip = json!({
        "x": 0, "y": 0, "scale": 1,
        "width": view.client_width.clamp(1.0, MOST_WIDTH),
        "height": height.clamp(1.0, MOST_HEIGHT),
    });
    let how = json!({ "format": "png", "captureBeyondViewport": true, "clip": clip });
    let taken = tab.command("Page.captureScreenshot", how).await?;
    let data = taken["data"].as_str().unwrap_or_default();
    let picture = BASE64.decode(data.as_bytes());
    picture.map_err(|error| LookError::Browser(format!("its picture can't be decoded: {error}")))
}
