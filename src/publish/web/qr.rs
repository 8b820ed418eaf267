//! The address of a login, and its QR code.

pub use crate::publish::render::qr_code::{to_blocks, to_svg};

/// Returns the address of the page at which a browser logs in with this code. The code is in the fragment, which no browser sends:
/// the page reads it, and whoever fetches the address for a preview does not spend the code.
pub fn login_address(page: &str, code: &str) -> String {
    format!("{page}login#code={code}")
}
