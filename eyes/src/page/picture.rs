//! Takes the picture of the whole page, up to a height, and a small one of what is seen first.

use data_encoding::BASE64;
use serde::Deserialize;
use serde_json::{Value, json};

use super::tab::Tab;
use crate::look::LookError;

/// The greatest height of a picture, in CSS pixels. Ten million pixels are what the memory for it is for.
const MOST_HEIGHT: f64 = 8_000.0;
/// The greatest width. It is that of the window, which the page can't change.
const MOST_WIDTH: f64 = 1_920.0;
/// The longer side of a glance, in pixels: what models that see take without making it smaller themselves.
const GLANCE: f64 = 1_000.0;
/// The most that a glance takes, in bytes.
const MOST_GLANCE: usize = 512 * 1024;
/// How well a glance is kept, in hundredths (JPEG); the second try is for pictures that are all noise.
const QUALITIES: [u8; 2] = [70, 30];

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
    let layout = layout(tab).await?;
    let view = &layout.css_layout_viewport;
    let height = layout.css_content_size.height.max(view.client_height).ceil();
    if height > MOST_HEIGHT {
        remarks.push(format!(
            "the page is {height} pixels high; the picture shows the first {MOST_HEIGHT}"
        ));
        let most = json!({ "most": MOST_HEIGHT });
        let _: usize = tab.run(include_str!("scripts/above.js"), &most).await?;
    }
    let clip = json!({
        "x": 0, "y": 0, "scale": 1,
        "width": view.client_width.clamp(1.0, MOST_WIDTH),
        "height": height.clamp(1.0, MOST_HEIGHT),
    });
    let how = json!({ "format": "png", "captureBeyondViewport": true, "clip": clip });
    capture(tab, how).await
}

/// What the window shows of the page's beginning, as a small JPEG for models that see; `None` where it would be large all
/// the same.
///
/// # Errors
/// Those of [`Tab::run`].
pub(super) async fn glance(tab: &Tab<'_>) -> Result<Option<Vec<u8>>, LookError> {
    let view = layout(tab).await?.css_layout_viewport;
    let (width, height) = (view.client_width.max(1.0), view.client_height.max(1.0));
    let scale = (GLANCE / width.max(height)).min(1.0);
    let clip = json!({ "x": 0, "y": 0, "scale": scale, "width": width, "height": height });
    for quality in QUALITIES {
        let how = json!({ "format": "jpeg", "quality": quality, "clip": clip });
        let picture = capture(tab, how).await?;
        if picture.len() <= MOST_GLANCE {
            return Ok(Some(picture));
        }
    }
    Ok(None)
}

async fn layout(tab: &Tab<'_>) -> Result<Layout, LookError> {
    let layout = tab.command("Page.getLayoutMetrics", json!({})).await?;
    serde_json::from_value(layout).map_err(super::trouble::unexpected)
}

async fn capture(tab: &Tab<'_>, how: Value) -> Result<Vec<u8>, LookError> {
    let taken = tab.command("Page.captureScreenshot", how).await?;
    let data = taken["data"].as_str().unwrap_or_default();
    let picture = BASE64.decode(data.as_bytes());
    picture.map_err(|error| LookError::Browser(format!("its picture can't be decoded: {error}")))
}
