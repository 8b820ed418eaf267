//! The operations of traced programs on the files below one directory, in the order in which the calls returned.

use super::disk::{Disk, Fate};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A file, independent of its names.
pub type Inode = usize;

/// One call that changed something, or made it durable.
#[derive(Clone, Debug)]
pub enum Operation {
    /// A new directory under this name.
    MakeDir(PathBuf),
    /// A new file under this name.
    Create(PathBuf, Inode),
    /// The second name now refers to this file, and the first one no longer exists.
    Rename(PathBuf, PathBuf, Inode),
    /// A name no longer exists.
    Unlink(PathBuf),
    Write(Inode, u64, Vec<u8>),
    Truncate(Inode, u64),
    /// All operations on the file with a lower index than this, the start of the call, are durable.
    Sync(Inode, usize),
    /// The same for the names in a directory.
    SyncNames(PathBuf, usize),
}

/// An operation and when it began, in seconds since 1970.
#[derive(Clone, Debug)]
pub struct Timed {
    pub at: f64,
    pub operation: Operation,
}

/// The calls that are traced.
pub const CALLS: &str = "openat,write,writev,pwrite64,pwritev,fsync,fdatasync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,\
                         lseek,close,link,linkat,symlink,symlinkat,truncate,mkdir,mkdirat,rmdir,copy_file_range,sendfile,fallocate,\
                         syncfs,sync";

struct Open {
    inode: Option<Inode>,
    offset: u64,
    is_appending: bool,
}

/// Reads traces one after the other, and collects the operations below one directory.
pub struct Reader<'a> {
    root: &'a Path,
    names: BTreeMap<PathBuf, Inode>,
    inodes: usize,
    pub operations: Vec<Timed>,
}

fn text(hex: &str) -> Vec<u8> {
    hex.split("\\x").skip(1).filter_map(|digits| u8::from_str_radix(digits.get(..2)?, 16).ok()).collect()
}

fn path(hex: &str) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(&text(hex)).into_owned())
}

/// The texts between quotation marks, in order.
fn quoted(call: &str) -> Vec<&str> {
    call.split('"').skip(1).step_by(2).collect()
}

impl<'a> Reader<'a> {
    pub fn new(root: &'a Path) -> Reader<'a> {
        Reader { root, names: BTreeMap::new(), inodes: 0, operations: Vec::new() }
    }

    /// Whether a path matters: a lock is empty, and the index in shared memory does not survive a power cut.
    fn is_ours(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        path != self.root && path.starts_with(self.root) && !name.ends_with("-shm") && !name.ends_with(".lock")
    }

    /// Reads one trace of `strace -f -y -xx -ttt`, from the start of a program to its end, before the files change again.
    pub fn read(&mut self, trace: &str) {
        let mut unfinished: BTreeMap<&str, (f64, usize, String)> = BTreeMap::new();
        let mut open: BTreeMap<u64, Open> = BTreeMap::new();
        for line in trace.lines() {
            let Some((pid, rest)) = line.split_once(' ') else { continue };
            let Some((at, call)) = rest.trim_start().split_once(' ') else { continue };
            let Ok(at) = at.parse::<f64>() else { continue };
            let first_index = self.operations.len();
            if let Some(head) = call.strip_suffix(" <unfinished ...>") {
                if head.starts_with("close(") {
                    // From here on another thread may be given the same descriptor, before this call returns.
                    self.call(at, first_index, &format!("{}) = 0", head.trim_end_matches(')')), &mut open);
                } else {
                    unfinished.insert(pid, (at, first_index, head.to_owned()));
                }
            } else if let Some(resumed) = call.strip_prefix("<... ") {
                let Some((at, first_index, head)) = unfinished.remove(pid) else { continue };
                let tail = resumed.split_once("resumed>").map_or("", |(_, tail)| tail);
                self.call(at, first_index, &format!("{head}{tail}"), &mut open);
            } else if let Some(head) = call.strip_suffix(" = ?") {
                unfinished.insert(pid, (at, first_index, head.to_owned()));
            } else {
                self.call(at, first_index, call, &mut open);
            }
        }
        // Calls during which the program was killed: the files show whether they took effect.
        for (at, first_index, head) in unfinished.into_values() {
            let head = head.trim_end().trim_end_matches([',', ')']);
            let done = head.split_once('(').is_some_and(|(name, _)| name.contains("write"));
            let outcome = if done { quoted(head).first().map_or(0, |bytes| text(bytes).len()) } else { usize::MAX };
            let (differing_files, names, length) = (self.differing_files(), self.names.clone(), self.operations.len());
            self.call(at, first_index, &format!("{head}) = {outcome}"), &mut open);
            if self.differing_files() >= differing_files {
                self.names = names;
                self.operations.truncate(length);
            }
        }
    }

    /// The number of files that differ from the operations.
    fn differing_files(&self) -> usize {
        let model = Disk::new(self.root, self.operations.clone()).after(self.operations.len(), Fate::Kept);
        let mut model: BTreeMap<PathBuf, Vec<u8>> =
            model.files.into_iter().map(|(path, bytes)| (self.root.join(path), bytes)).collect();
        let (mut dirs, mut differing_files) = (vec![self.root.to_owned()], 0);
        while let Some(dir) = dirs.pop() {
            for path in fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()) {
                if path.is_dir() {
                    dirs.push(path);
                } else if self.is_ours(&path) {
                    differing_files += usize::from(model.remove(&path) != fs::read(&path).ok());
                }
            }
        }
        differing_files + model.len()
    }

    fn call(&mut self, at: f64, first_index: usize, call: &str, open: &mut BTreeMap<u64, Open>) {
        let Some((name, arguments)) = call.split_once('(') else { return };
        let Some((arguments, outcome)) = arguments.rsplit_once(") = ") else { return };
        let Ok(outcome) = outcome.split([' ', '<']).next().unwrap_or_default().parse::<u64>() else { return };
        let descriptor: u64 = arguments.split('<').next().and_then(|number| number.parse().ok()).unwrap_or(u64::MAX);
        let last = |count: usize| {
            let mut words = arguments.rsplit(", ");
            words.nth(count).and_then(|word| word.parse::<u64>().ok()).unwrap_or(0)
        };
        let (timed, quoted) = (|operation| Timed { at, operation }, quoted(arguments));
        match name {
            "openat" => {
                let path = path(quoted.first().unwrap_or(&""));
                let flags = arguments.rsplit_once('"').map_or("", |(_, flags)| flags);
                let (is_ours, known) = (self.is_ours(&path), self.names.get(&path).copied());
                let inode = match known {
                    Some(inode) if is_ours => {
                        if flags.contains("O_TRUNC") {
                            self.operations.push(timed(Operation::Truncate(inode, 0)));
                        }
                        Some(inode)
                    }
                    None if is_ours && flags.contains("O_CREAT") => {
                        self.inodes += 1;
                        self.names.insert(path.clone(), self.inodes);
                        self.operations.push(timed(Operation::Create(path, self.inodes)));
                        Some(self.inodes)
                    }
                    _ => None,
                };
                open.insert(outcome, Open { inode, offset: 0, is_appending: flags.contains("O_APPEND") });
            }
            "close" => drop(open.remove(&descriptor)),
            "lseek" => {
                if let Some(file) = open.get_mut(&descriptor) {
                    file.offset = outcome;
                }
            }
            "write" | "pwrite64" => {
                let Some(file) = open.get_mut(&descriptor) else { return };
                let Some(inode) = file.inode else { return };
                assert!(!file.is_appending, "a file that is appended to: {arguments:.200}");
                let mut bytes = text(quoted.first().unwrap_or(&""));
                assert!(bytes.len() as u64 >= outcome, "the trace is cut short: {} of {outcome} bytes", bytes.len());
                bytes.truncate(outcome as usize);
                let offset = if name == "pwrite64" { last(0) } else { file.offset };
                if name == "write" {
                    file.offset += outcome;
                }
                self.operations.push(timed(Operation::Write(inode, offset, bytes)));
            }
            "ftruncate" => {
                if let Some(inode) = open.get(&descriptor).and_then(|file| file.inode) {
                    self.operations.push(timed(Operation::Truncate(inode, last(0))));
                }
            }
            "fsync" | "fdatasync" => {
                if let Some(inode) = open.get(&descriptor).and_then(|file| file.inode) {
                    self.operations.push(timed(Operation::Sync(inode, first_index)));
                } else if let Some((_, name)) = arguments.split_once('<') {
                    let dir = path(name.trim_end_matches('>'));
                    if dir.starts_with(self.root) {
                        self.operations.push(timed(Operation::SyncNames(dir, first_index)));
                    }
                }
            }
            "rename" | "renameat" | "renameat2" => {
                let [from, to] = quoted[..] else { return };
                let (from, to) = (path(from), path(to));
                if let Some(inode) = self.names.remove(&from) {
                    self.names.insert(to.clone(), inode);
                    self.operations.push(timed(Operation::Rename(from, to, inode)));
                }
            }
            "unlink" | "unlinkat" => {
                let path = path(quoted.first().unwrap_or(&""));
                if self.names.remove(&path).is_some() {
                    self.operations.push(timed(Operation::Unlink(path)));
                }
            }
            "mkdir" | "mkdirat" => {
                let path = path(quoted.first().unwrap_or(&""));
                if self.is_ours(&path) {
                    self.operations.push(timed(Operation::MakeDir(path)));
                }
            }
            _ => {
                let is_ours = open.get(&descriptor).is_some_and(|file| file.inode.is_some())
                    || quoted.iter().any(|name| self.is_ours(&path(name)));
                assert!(!is_ours, "this model does not know the call {name}");
            }
        }
    }
}

/// A thread closes a file, and before that call returns, another thread gets the same descriptor.
#[test]
fn a_descriptor_is_free_when_its_close_begins() {
    let name = |text: &str| text.bytes().map(|byte| format!("\\x{byte:02x}")).collect::<String>();
    let create = |file: &str| format!(r#"openat(AT_FDCWD, "{}", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 5"#, name(file));
    let trace = [
        format!("1 1.0 {}", create("/state/a")),
        format!("1 1.1 close(5<{}> <unfinished ...>", name("/state/a")),
        format!("2 1.2 {}", create("/state/b")),
        "1 1.3 <... close resumed>)        = 0".to_owned(),
        format!(r#"2 1.4 write(5<{}>, "\x78", 1) = 1"#, name("/state/b")),
    ];
    let mut reader = Reader::new(Path::new("/state"));
    reader.read(&trace.join("\n"));
    let written =
        reader.operations.iter().filter(|timed| matches!(&timed.operation, Operation::Write(2, 0, bytes) if bytes == b"x"));
    assert_eq!(written.count(), 1, "{:?}", reader.operations);
}
