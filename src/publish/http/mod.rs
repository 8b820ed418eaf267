//! HTTP, as far as several front-ends use it: the server that admits clients, what their requests say, and outgoing requests.

pub(super) mod admission;
pub mod headers;
pub(super) mod listener;
pub mod origin;
pub mod request;
pub(super) mod tls;
