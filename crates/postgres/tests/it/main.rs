//! What reading PostgreSQL must survive: queries of every shape, tables that change meanwhile, faults, hostile servers.

#[cfg(test)]
mod arrow;
#[cfg(test)]
mod consistency;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod leaks;
#[cfg(test)]
mod leftovers;
#[cfg(test)]
mod notices;
#[cfg(test)]
mod planning;
#[cfg(test)]
mod reading;
#[cfg(test)]
mod scale;
#[cfg(test)]
mod splitting;
#[cfg(test)]
mod tickets;
