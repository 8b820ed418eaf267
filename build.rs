//! Sets linker options of the programs.

fn main() {
    // Packs relative relocations, which the loader applies when the program starts (addresses in tables of functions and strings).
    // This saves a third of a megabyte of memory. glibc supports it since 2.36 (Debian 12).
    if std::env::var("CARGO_CFG_TARGET_ENV").is_ok_and(|env| env == "gnu") {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
