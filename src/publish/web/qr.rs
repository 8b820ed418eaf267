//! The address of a login, and its QR code.

pub use crate::publish::render::qr_code::{to_blocks, to_svg};

/// The view at which arbiters and operators log in.
pub const LOGIN_VIEW: &str = "login";

/// Returns the address at which a browser logs in with this code: that of the page, and one of its views. The code is in the fragment,
/// which no browser sends: the page reads it, and whoever fetches the address for a preview does not spend the code.
pub fn login_address(page: &str, view: &str, code: &str) -> String {
    format!("{page}{view}#code={code}")
}
