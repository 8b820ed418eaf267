//! The limit of open files.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Limit of open files that the program requests, above the usual default: for front-ends with many connections.
const OPEN_FILES_LIMIT: u64 = 8192;

/// Raises the limit of open files, as far as permitted.
pub(crate) fn allow() {
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(OPEN_FILES_LIMIT, |maximum| maximum.min(OPEN_FILES_LIMIT));
    if limit.current.is_some_and(|now| now < wanted) {
        // The current limit is enough for boards, and front-ends adapt to it.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..limit });
    }
}
