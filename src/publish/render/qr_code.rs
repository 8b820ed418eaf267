//! QR codes: an address, for a telephone that reads it from a screen or a terminal.

use qrcode::QrCode;
use qrcode::render::{svg, unicode};
use qrcode::types::QrError;

/// Minimum size of an image, in pixels.
const IMAGE_SIZE: u32 = 240;

/// Draws a text as an SVG image.
///
/// # Errors
/// The text is too long.
pub fn to_svg(text: &str) -> Result<String, QrError> {
    let code = QrCode::new(text)?;
    Ok(code.render::<svg::Color>().min_dimensions(IMAGE_SIZE, IMAGE_SIZE).build())
}

/// Draws a text with block characters, for a terminal. `coloured`: black on white, whatever the colours of the terminal are;
/// otherwise for light text on a dark background.
///
/// # Errors
/// The text is too long.
pub fn to_blocks(text: &str, coloured: bool) -> Result<String, QrError> {
    let code = QrCode::new(text)?;
    let mut image = code.render::<unicode::Dense1x2>();
    if coloured {
        return Ok(image.build().lines().map(|line| format!("\x1b[30;107m{line}\x1b[0m\n")).collect());
    }
    image.dark_color(unicode::Dense1x2::Light).light_color(unicode::Dense1x2::Dark);
    Ok(image.build() + "\n")
}
