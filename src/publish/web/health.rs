//! What a logged-in user sees of the service itself: its front-ends, their problems, and the machines of its hall.

use super::WebState;
use super::post::require_right;
use super::refusal::HandlerResult;
use crate::daemon::hub::HealthProblem;
use crate::daemon::hub::is_health_kind_for;
use crate::daemon::steady_clock;
use crate::game::rights::Right;
use crate::publish::FRONT_ENDS;
use crate::publish::render::machines::MachineReport;
use crate::wire::Word;
use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::IntoResponse;
use serde_json::{Value, json};
use std::sync::Arc;

/// Handles `GET /api/health`: each front-end with its state and its problems, all other problems, and the machines of the hall.
pub(super) async fn read(State(web): State<Arc<WebState>>, headers: HeaderMap) -> HandlerResult {
    let audience = require_right(&web, &headers, Right::Desk)?.role.audience();
    let (mut problems, machines) =
        web.hub.read(|state| (state.health_problems.clone(), MachineReport::all(state, steady_clock::now_ms())));
    problems.retain(|problem| is_health_kind_for(problem.kind, audience));
    let front_ends: Vec<Value> = FRONT_ENDS
        .iter()
        .map(|front_end| {
            let (state, reason) = web.front_end_states.of(front_end.name());
            let own = problems.iter().filter(|problem| front_end.health_kinds().contains(&problem.kind));
            let reason = reason.map(|sentence| json!({"kind": "name_not_owned", "board": null, "sentence": sentence}));
            let problems: Vec<Value> = reason.into_iter().chain(own.map(problem_to_json)).collect();
            json!({"name": front_end.name(), "state": state.word(), "problems": problems})
        })
        .collect();
    let is_of_front_end =
        |problem: &HealthProblem| FRONT_ENDS.iter().any(|front_end| front_end.health_kinds().contains(&problem.kind));
    let others: Vec<Value> = problems.iter().filter(|problem| !is_of_front_end(problem)).map(problem_to_json).collect();
    Ok(Json(json!({"front_ends": front_ends, "problems": others, "machines": machines})).into_response())
}

fn problem_to_json(problem: &HealthProblem) -> Value {
    json!({"kind": problem.kind, "board": problem.board.as_ref().map(ToString::to_string), "sentence": problem.sentence})
}
