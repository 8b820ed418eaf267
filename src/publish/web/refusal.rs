//! Error responses.

use crate::game::ErrorCode;
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

/// Creates the response for an error with this code.
pub(super) fn coded_refusal(code: ErrorCode, message: impl Into<String>) -> Refusal {
    let status = match code {
        ErrorCode::Invalid(_) => StatusCode::BAD_REQUEST,
        ErrorCode::Unknown(_) => StatusCode::NOT_FOUND,
        ErrorCode::Conflict(_) => StatusCode::CONFLICT,
        ErrorCode::Unconfirmed(_) => StatusCode::PRECONDITION_REQUIRED,
        ErrorCode::Stale(_) => StatusCode::PRECONDITION_FAILED,
        ErrorCode::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
    };
    refusal(status, message)
}

/// Creates an error response with this sentence.
pub(super) fn refusal(status: StatusCode, message: impl Into<String>) -> Refusal {
    Refusal(status, message.into())
}
