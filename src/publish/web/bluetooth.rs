//! The search for boards over Bluetooth, ordered in the page.

use super::WebState;
use super::body;
use super::post::{COMMAND_LIMITS, read_own_body, require_right};
use super::refusal::{HandlerResult, coded_refusal};
use crate::game::rights::Right;
use crate::locale;
use crate::publish::http::headers::requested_locale;
use crate::publish::render::bluetooth::BluetoothReport;
use axum::Json;
use axum::extract::{Request, State};
use axum::response::IntoResponse;
use std::sync::Arc;

/// Handles `POST /api/bluetooth`: begins or ends a scan, or asks a device which board it is. The response is the state of the search.
pub(super) async fn handle(State(web): State<Arc<WebState>>, request: Request) -> HandlerResult {
    let locale = requested_locale(request.uri());
    let user = require_right(&web, request.headers(), Right::Boards)?;
    let order = read_own_body(&web, request, COMMAND_LIMITS, body::parse_bluetooth).await?;
    if let Some(order) = order {
        let outcome = web.hub.order_bluetooth(order, &user.name).await;
        outcome.map_err(|error| coded_refusal(error.code(), locale::sentence(locale, &error.text())))?;
    }
    Ok(Json(BluetoothReport::new(&web.hub.bluetooth(), locale)).into_response())
}
