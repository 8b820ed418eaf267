//! Programs of others that are Python packages.

use std::io::Write;
use std::process::{Command, Stdio};

/// A Python that has a package.
pub struct Python(String);

impl Python {
    /// Finds a Python with this package: the one that the environment variable names, else `python3`. If it does not have it, prints
    /// that and returns `None`.
    pub fn with(package: &str, variable: &str) -> Option<Python> {
        let python = std::env::var(variable).unwrap_or_else(|_| "python3".to_owned());
        let import = Command::new(&python).args(["-c", &format!("import {package}")]).output();
        if import.is_ok_and(|output| output.status.success()) {
            return Some(Python(python));
        }
        eprintln!(
            "SKIPPED: {python} has no package {package}: python3 -m venv x && x/bin/pip install {package}, and {variable}=x/bin/python"
        );
        None
    }

    /// Runs a script with this input; returns what it prints.
    pub fn run(&self, script: &str, input: &str) -> String {
        let mut command = Command::new(&self.0);
        command.args(["-c", script]).env("PYTHONIOENCODING", "utf-8").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (mut pipe, input) = (child.stdin.take().unwrap(), input.to_owned());
        let writer = std::thread::spawn(move || pipe.write_all(input.as_bytes()));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap().unwrap();
        assert!(output.status.success(), "the script failed");
        String::from_utf8(output.stdout).unwrap()
    }
}
