//! `bowshot`, the command: `bowshot serve` puts sources behind Arrow Flight SQL.

mod access;
mod check;
mod config;
mod console;
mod demo;
mod engine;
mod gateway;
mod key_set;
mod kind;
mod logs;
mod name;
mod password;
mod serve;
mod settings;
mod signals;
mod spark_jar;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Your database, one bowshot from your dataframe.
#[derive(Parser)]
#[command(name = "bowshot", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Serve(Box<serve::Serve>),
    Settings(settings::Settings),
    HashPassword(password::HashPassword),
    SparkJar(spark_jar::SparkJar),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Serve(serve) => serve.run(),
        Command::Settings(settings) => settings.run().map(|()| ExitCode::SUCCESS),
        Command::HashPassword(hash) => hash.run().map(|()| ExitCode::SUCCESS),
        Command::SparkJar(jar) => jar.run().map(|()| ExitCode::SUCCESS),
    };
    done.unwrap_or_else(|error| {
        say(&format!("error: {error}"));
        ExitCode::from(2)
    })
}

/// Writes a line for people, beside what the command is for.
fn say(line: &str) {
    // Where standard error is closed, nobody reads it.
    let _ = writeln!(std::io::stderr(), "{line}");
}
