//! Rejected requests: how long the daemon waits before the next one, and the advice in its errors.

use super::fake::{Act, Fake, TOKEN};
use super::{PACE, PlayingTable, TestDaemon, pairings};
use crate::harness::until;
use std::sync::Arc;
use std::time::Duration;
use touchmove::game::Delay;

#[tokio::test]
async fn retry_after_is_respected() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    fake.plan(&[Act::Status(429, "Retry-After: 1")]);
    let daemon = TestDaemon::open(&dir, &fake, "AbCd1234", Delay::default()).await;
    daemon.load(&pairings(), 1).await;
    until("the pairings", async || (fake.games().len() == 6).then_some(())).await;
    let times: Vec<_> = fake.requests().into_iter().map(|(at, _)| at).collect();
    // On this machine a request arrives when it is sent, or a little later.
    assert!(times[1] - times[0] > Duration::from_millis(900), "{:?}", times[1] - times[0]);
    daemon.end().await;
}

#[tokio::test]
async fn retry_after_applies_to_all_rounds() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    let daemon = TestDaemon::open(&dir, &fake, "1 = AbCd1234, 2 = EfGh5678", Delay::default()).await;
    let (mut first, mut second) = (PlayingTable::new("a"), PlayingTable::new("b"));
    let round = daemon.load(&pairings(), 1).await;
    first.register(&daemon);
    first.set_tags(&round);
    until("the pairings", async || (fake.games().len() == 6).then_some(())).await;
    let round = daemon.load(&pairings().replace("\"W", "\"V"), 2).await;
    second.register(&daemon);
    second.set_tags(&round);
    until("the next pairings", async || (fake.games().len() == 12).then_some(())).await;
    // A move in each round.
    fake.plan(&[Act::Status(429, "Retry-After: 1")]);
    let before = fake.requests().len();
    first.play();
    second.play();
    let moves = |white: &str, black: &str| fake.games()[&(white.to_owned(), black.to_owned())].moves.clone();
    until("both", async || {
        let there = moves("Wa, X", "Ba, Y") == first.played.moves && moves("Vb, X", "Bb, Y") == second.played.moves;
        there.then_some(())
    })
    .await;
    let times: Vec<_> = fake.requests().into_iter().skip(before).map(|(at, _)| at).collect();
    assert!(times[1] - times[0] > Duration::from_millis(900), "{:?}", times[1] - times[0]);
    (first.board_handle, second.board_handle) = (None, None);
    daemon.end().await;
}

#[tokio::test]
async fn errors_give_advice_and_requests_back_off() {
    let (dir, fake) = (Arc::new(tempfile::tempdir().unwrap()), Fake::start().await);
    fake.always(Some(Act::Status(404, "")));
    let daemon = TestDaemon::open(&dir, &fake, "AbCd1234", Delay::default()).await;
    daemon.load(&pairings(), 1).await;
    until("a health problem", async || daemon.problem_text().contains("no round AbCd1234").then_some(())).await;
    std::fs::write(dir.path().join("token"), "another").unwrap();
    until("a health problem", async || daemon.problem_text().contains("does not know the token").then_some(())).await;
    assert!(!daemon.problem_text().contains("another"), "{}", daemon.problem_text());
    std::fs::write(dir.path().join("token"), "").unwrap();
    until("a health problem", async || daemon.problem_text().contains("has no token for Lichess").then_some(())).await;
    std::fs::write(dir.path().join("token"), TOKEN).unwrap();
    fake.always(None);
    until("the pairings", async || (fake.games().len() == 6).then_some(())).await;
    daemon.wait_until_healthy().await;
    let requests = fake.requests();
    let gaps = requests.windows(2).map(|pair| pair[1].0 - pair[0].0);
    // Every request but the last one was refused.
    assert!(gaps.clone().all(|gap| gap > PACE.rejected_retry / 2), "{:?}", gaps.collect::<Vec<_>>());
    daemon.end().await;
}
