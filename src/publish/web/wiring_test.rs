//! The wiring test of a board, carried out in the page.

use super::WebState;
use super::body::{self, PageStep, WiringTestRequest};
use super::post::{COMMAND_LIMITS, read_own_body, require_right};
use super::refusal::{HandlerResult, coded_refusal};
use crate::daemon::hub::{OrderError, TestOrder};
use crate::game::rights::Right;
use crate::publish::http::headers::requested_locale;
use crate::publish::outcome::order_error;
use crate::publish::render::wiring_test::WiringTestReport;
use axum::Json;
use axum::extract::{Request, State};
use axum::response::IntoResponse;
use std::sync::Arc;
use std::time::Duration;

/// How long a test goes on after the last request of its page.
const LEASE: Duration = Duration::from_secs(30);

/// Handles `POST /api/wiring-test`: begins a test or goes on with it. The response is the state of the test.
pub(super) async fn handle(State(web): State<Arc<WebState>>, request: Request) -> HandlerResult {
    let locale = requested_locale(request.uri());
    let user = require_right(&web, request.headers(), Right::Boards)?;
    let WiringTestRequest { board, step } = read_own_body(&web, request, COMMAND_LIMITS, body::parse_wiring_test).await?;
    let outcome = match step {
        PageStep::Begin => web.hub.begin_wiring_test(&board, &user.name, Some(LEASE)).await.map(drop),
        PageStep::Step(step) => web.hub.continue_wiring_test(&board, TestOrder::Step(step)).await,
        PageStep::Watch => match web.hub.continue_wiring_test(&board, TestOrder::Renew).await {
            // The page learns why it is over.
            Err(OrderError::NotTesting(_)) if web.hub.wiring_test(&board).is_some() => Ok(()),
            outcome => outcome,
        },
    };
    let refuse = |error: &OrderError| coded_refusal(error.code(), order_error(locale, error));
    outcome.map_err(|error| refuse(&error))?;
    let view = web.hub.wiring_test(&board).ok_or_else(|| refuse(&OrderError::NotTesting(board.clone())))?;
    Ok(Json(WiringTestReport::new(&view, locale)).into_response())
}
