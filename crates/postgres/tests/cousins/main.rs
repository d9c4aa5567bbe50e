//! Servers that speak PostgreSQL's protocol and are not PostgreSQL. `dev/cousins_setup.sh` fetches them.

#[cfg(test)]
mod h2;
#[cfg(test)]
mod questdb;
#[cfg(test)]
mod reading;
#[cfg(test)]
mod stand_in;
