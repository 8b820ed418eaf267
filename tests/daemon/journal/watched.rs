//! A VFS for SQLite that calls a test's hook at every sync and write in the test's directory; the hook may make them fail.

use rusqlite::ffi;
use std::ffi::{CStr, OsStr, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

/// An operation that SQLite is about to do, or has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    BeforeSync,
    AfterSync,
    Write,
}

/// Is called for every operation; an `Err` is the result that SQLite gets. A write that fails has written its first half.
pub type Hook = dyn Fn(Moment, &Path) -> Result<(), c_int> + Send + Sync;

static WATCHES: Mutex<Vec<(PathBuf, Arc<Hook>)>> = Mutex::new(Vec::new());

/// Calls this hook for all files under this directory that are opened from now on.
pub fn watch(dir: &Path, hook: impl Fn(Moment, &Path) -> Result<(), c_int> + Send + Sync + 'static) {
    static REGISTERED: OnceLock<()> = OnceLock::new();
    REGISTERED.get_or_init(register);
    let dir = dir.canonicalize().expect("a directory to watch");
    WATCHES.lock().expect("watches").push((dir, Arc::new(hook)));
}

/// Registers a copy of the usual VFS as the default; the files of other tests pass through it without a hook.
fn register() {
    // SAFETY: the default file system lives as long as the process, and so does the copy.
    unsafe {
        let usual = ffi::sqlite3_vfs_find(std::ptr::null());
        let mut watched = *usual;
        watched.zName = c"watched".as_ptr();
        watched.pNext = std::ptr::null_mut();
        watched.xOpen = Some(open);
        let code = ffi::sqlite3_vfs_register(Box::leak(Box::new(watched)), 1);
        assert_eq!(code, ffi::SQLITE_OK);
    }
}

/// The methods of one open file, with its path and hook. SQLite sees only the first field.
#[repr(C)]
struct Methods {
    ours: ffi::sqlite3_io_methods,
    usual: *const ffi::sqlite3_io_methods,
    path: PathBuf,
    hook: Arc<Hook>,
}

unsafe extern "C" fn open(
    _: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    // SAFETY: arguments are passed on unchanged; the methods set here are a copy that is never freed.
    unsafe {
        let usual = ffi::sqlite3_vfs_find(c"unix".as_ptr());
        let code = (*usual).xOpen.expect("xOpen")(usual, name, file, flags, out);
        if code != ffi::SQLITE_OK || name.is_null() {
            return code;
        }
        let path = PathBuf::from(OsStr::from_bytes(CStr::from_ptr(name).to_bytes()));
        let watches = WATCHES.lock().expect("watches");
        if let Some((_, hook)) = watches.iter().rev().find(|(dir, _)| path.starts_with(dir)) {
            let usual = (*file).pMethods;
            let ours = ffi::sqlite3_io_methods { xSync: Some(sync), xWrite: Some(write), ..*usual };
            let methods = Box::leak(Box::new(Methods { ours, usual, path, hook: hook.clone() }));
            (*file).pMethods = &raw const methods.ours;
        }
        code
    }
}

unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: only files with `Methods` have this method.
    unsafe {
        let methods = &*(*file).pMethods.cast::<Methods>();
        if let Err(code) = (methods.hook)(Moment::BeforeSync, &methods.path) {
            return code;
        }
        let code = (*methods.usual).xSync.expect("xSync")(file, flags);
        match (methods.hook)(Moment::AfterSync, &methods.path) {
            Ok(()) => code,
            Err(code) => code,
        }
    }
}

unsafe extern "C" fn write(file: *mut ffi::sqlite3_file, bytes: *const c_void, count: c_int, offset: i64) -> c_int {
    // SAFETY: only files with `Methods` have this method.
    unsafe {
        let methods = &*(*file).pMethods.cast::<Methods>();
        let usual = (*methods.usual).xWrite.expect("xWrite");
        match (methods.hook)(Moment::Write, &methods.path) {
            Ok(()) => usual(file, bytes, count, offset),
            Err(code) => {
                usual(file, bytes, count / 2, offset);
                code
            }
        }
    }
}
