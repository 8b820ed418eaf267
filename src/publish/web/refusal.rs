//! Error responses.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// An error response; its sentence says what to do.
#[derive(Debug)]
pub(super) struct Refusal(pub StatusCode, pub String);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.0, Json(json!({"error": self.1}))).into_response()
    }
}

/// A response, or an error response.
pub(super) type HandlerResult = Result<Response, Refusal>;

/// Creates an error response with this sentence.
pub(super) fn refusal(status: StatusCode, message: impl Into<String>) -> Refusal {
    Refusal(status, message.into())
}
