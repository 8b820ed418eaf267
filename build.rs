//! Sets linker options of the programs.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={OPTIONAL_CODE}");
    // Other systems have other linkers.
    if std::env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env == "gnu") {
        // Packs relative relocations, which the loader applies when the program starts (addresses in tables of functions and strings).
        // This saves a third of a megabyte of memory. glibc supports it since 2.36 (Debian 12).
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
        // Only optimised programs are small enough that their code is most of the memory.
        if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
            let root = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
            println!("cargo::rustc-link-arg-bin=touchmoved=-T{root}/{OPTIONAL_CODE}");
        }
    }
}

/// The linker script that puts code which touchmoved seldom runs into a section of its own.
const OPTIONAL_CODE: &str = "config/optional-code.ld";
