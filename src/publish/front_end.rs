//! What all front-ends have in common: how they are started, what they may use, and how they report problems.

use crate::config::Config;
use crate::daemon::hub::BoardId;
use crate::daemon::{DelayedView, Hub, LiveConfig, Stop, wait_for_stop};
use crate::publish::dbus::{Bus, NameState};
use crate::publish::front_end_states::FrontEndStates;
use crate::publish::web::codes::LoginCodes;
use std::path::PathBuf;
use std::pin::{Pin, pin};
use std::sync::Arc;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;
use tracing::{debug, error, info, warn};

/// A front-end. The list of all is [`super::FRONT_ENDS`].
pub trait FrontEnd: Sync {
    /// Returns the name: that of its table in the configuration, or on the bus. A thread of its own has it, too.
    fn name(&self) -> &'static str;

    /// Returns where the front-end runs.
    fn runtime(&self) -> Runtime {
        Runtime::Main
    }

    /// Returns the kinds of its health problems.
    fn health_kinds(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the kinds of its health problems that everybody may read. All others would reveal without delay that a game is
    /// played, or that an alert was raised.
    fn public_health_kinds(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns how the front-end follows changes of the configuration; `None`: not before touchmoved is started next.
    fn restart(&self) -> Option<Restart> {
        None
    }

    /// Starts the front-end; returns `None` if the configuration does not enable it.
    fn start(&self, config: &Config, context: &Context) -> Option<StartedFrontEnd>;
}

/// How a front-end follows changes of the configuration: it is stopped, and started again if the configuration enables it.
#[derive(Clone, Copy)]
pub struct Restart {
    /// Returns whether a change of the configuration concerns it.
    pub is_changed: fn(&Config, &Config) -> bool,
}

/// Where a front-end runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runtime {
    /// On the thread of the boards. It must compute little there.
    Main,
    /// On its own thread, so that its computing, encryption and writing never delay a board.
    OwnThread,
}

/// A front-end that was started.
pub struct StartedFrontEnd {
    /// Its task, which runs until [`Context::stop`], and then until everything that happened before is published.
    task: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// The state of the bus name that it serves, if any: the service is ready once that is known.
    name_state: Option<watch::Receiver<NameState>>,
}

impl StartedFrontEnd {
    /// A front-end that consists of this task.
    pub fn new(task: impl Future<Output = ()> + Send + 'static) -> StartedFrontEnd {
        StartedFrontEnd { task: Box::pin(task), name_state: None }
    }

    /// Adds the state of the bus name that the front-end serves.
    #[must_use]
    pub fn with_name_state(self, name_state: watch::Receiver<NameState>) -> StartedFrontEnd {
        StartedFrontEnd { name_state: Some(name_state), ..self }
    }
}

/// What a front-end may use.
#[derive(Clone)]
pub struct Context {
    /// The live games, for the arbiter and the operator.
    pub hub: Arc<Hub>,
    /// The games that the public may see.
    pub delayed_view: Arc<DelayedView>,
    /// The configuration, for those who change it.
    pub live_config: Arc<LiveConfig>,
    /// Which front-ends run.
    pub front_end_states: Arc<FrontEndStates>,
    /// The one-time codes for logging in to the page.
    pub login_codes: Arc<LoginCodes>,
    /// The directory where the service keeps its files.
    pub state_dir: PathBuf,
    /// The bus on which the D-Bus names are served.
    pub bus: Bus,
    /// The shutdown signal.
    pub stop: Stop,
}

impl Context {
    /// Returns what a front-end reports its health problems to.
    pub fn health(&self, log: HealthLog) -> HealthReporter {
        HealthReporter { hub: Arc::clone(&self.hub), log }
    }
}

/// How changes of a front-end's health problems are logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HealthLog {
    /// Not at all: the front-end logs its problems itself.
    Nothing,
    /// Problems only: the front-end itself logs when it is well again.
    Problems,
    /// Problems, and this sentence when there is none any more.
    Until(&'static str),
    /// Problems, and the kinds of those that are resolved.
    All,
    /// As [`HealthLog::All`], but as [`Hub::warn_about_play`] does, because the problem reveals play.
    AboutPlay,
}

/// Reports the health problems of a front-end to the hub, and logs each change.
pub struct HealthReporter {
    hub: Arc<Hub>,
    log: HealthLog,
}

impl HealthReporter {
    /// Reports a problem of this kind (`board`: of this board): a sentence that says what is wrong and what to do, or `None` if all
    /// is well.
    pub fn report(&self, kind: &'static str, board: Option<&BoardId>, sentence: Option<String>) {
        let problem = sentence.clone();
        if !self.hub.set_health_problem(kind, board, sentence) {
            return;
        }
        match (self.log, problem) {
            (HealthLog::Nothing, _) | (HealthLog::Problems, None) => {}
            (HealthLog::AboutPlay, Some(problem)) => self.hub.warn_about_play(board, &problem),
            (_, Some(problem)) => warn!("{problem}"),
            (HealthLog::Until(sentence), None) => info!("{sentence}"),
            (HealthLog::AboutPlay, None) if self.hub.has_public_delay() => debug!("health problem {kind:?} is resolved"),
            (HealthLog::All | HealthLog::AboutPlay, None) => info!("health problem {kind:?} is resolved"),
        }
    }
}

/// Starts those of the front-ends that the configuration enables, and later those that a change of it enables. Returns their tasks,
/// and the states of the bus names.
pub fn start_all(
    front_ends: &'static [&'static dyn FrontEnd],
    context: &Context,
) -> (JoinSet<()>, Vec<watch::Receiver<NameState>>) {
    let (mut tasks, mut name_states) = (JoinSet::new(), Vec::new());
    let config = context.live_config.subscribe().borrow().clone();
    for front_end in front_ends {
        if let Some(restart) = front_end.restart() {
            tasks.spawn(run_restarting(*front_end, restart, context.clone()));
        } else if let Some(started) = front_end.start(&config, context) {
            name_states.extend(started.name_state.clone());
            tasks.spawn(run(*front_end, started, Arc::clone(&context.front_end_states)));
        }
    }
    (tasks, name_states)
}

/// Runs a front-end where it says.
async fn run(front_end: &dyn FrontEnd, started: StartedFrontEnd, states: Arc<FrontEndStates>) {
    let StartedFrontEnd { task, name_state } = started;
    states.set_running(front_end.name(), name_state);
    match front_end.runtime() {
        Runtime::Main => task.await,
        Runtime::OwnThread => run_on_thread(front_end.name(), task).await,
    }
    states.set_ended(front_end.name());
}

/// Runs a front-end, and restarts it when the configuration changes.
async fn run_restarting(front_end: &dyn FrontEnd, restart: Restart, mut context: Context) {
    let mut configs = context.live_config.subscribe();
    let mut stop = context.stop;
    loop {
        let config = Arc::clone(&configs.borrow_and_update());
        let (stop_sender, stop_receiver) = watch::channel(false);
        context.stop = stop_receiver;
        let started = front_end.start(&config, &context);
        let is_started = started.is_some();
        let mut running = pin!(async {
            match started {
                Some(started) => run(front_end, started, Arc::clone(&context.front_end_states)).await,
                None => {
                    context.front_end_states.set_off(front_end.name());
                    std::future::pending().await
                }
            }
        });
        let is_changed = |new: &Arc<Config>| (restart.is_changed)(&config, new);
        let is_stopped = tokio::select! {
            () = &mut running => return,
            changed = configs.wait_for(is_changed) => changed.is_err(),
            () = wait_for_stop(&mut stop) => true,
        };
        if is_started {
            stop_sender.send_replace(true);
            running.await;
        }
        if is_stopped {
            return;
        }
        context.hub.clear_health_problems(front_end.health_kinds());
        info!("the configuration of {} has changed", front_end.name());
    }
}

/// Runs a front-end on its own thread.
async fn run_on_thread(name: &'static str, task: impl Future<Output = ()> + Send + 'static) {
    let (done, ended) = oneshot::channel::<()>();
    let run = move || {
        match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime.block_on(task),
            Err(error) => log_start_failure(&error),
        }
        drop(done);
    };
    if let Err(error) = std::thread::Builder::new().name(name.to_owned()).spawn(run) {
        log_start_failure(&error);
    }
    // The sender is dropped when the front-end has ended, for whatever reason.
    let _ = ended.await;
}

fn log_start_failure(error: &std::io::Error) {
    error!("a front-end cannot be started ({error}): restart touchmoved");
}
