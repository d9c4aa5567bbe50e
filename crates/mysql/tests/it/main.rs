//! What reading MySQL and MariaDB must survive: tables that change meanwhile, missing rights, faults, hostile servers.

#[cfg(test)]
mod common;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod large;
#[cfg(test)]
mod locks;
#[cfg(test)]
mod planning;
#[cfg(test)]
mod snapshots;
#[cfg(test)]
mod splitting;
#[cfg(test)]
mod warnings;
#[cfg(test)]
mod wire;
