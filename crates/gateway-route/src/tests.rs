mod changes;
mod evasions;
mod rules;
mod several;
mod single;
