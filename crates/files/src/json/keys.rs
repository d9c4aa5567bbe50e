//! The keys of objects that are alike: which one comes next, and which were there.

use std::collections::HashMap;

/// Names, each with a place.
#[derive(Debug, Default)]
pub(super) struct Keys {
    names: Vec<String>,
    places: HashMap<String, usize>,
    /// For each, the last object that had it.
    objects: Vec<u64>,
    /// The number of the object at hand.
    object: u64,
    /// The place that is tried first: objects order their keys alike, as a rule.
    next: usize,
}

impl Keys {
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let mut keys = Keys::default();
        names.for_each(|name| {
            keys.add(name);
        });
        keys
    }

    /// Adds a name that is not there; its place.
    pub(super) fn add(&mut self, name: &str) -> usize {
        let place = self.names.len();
        self.names.push(name.to_owned());
        self.places.insert(name.to_owned(), place);
        self.objects.push(0);
        place
    }

    /// Another object begins.
    pub(super) fn start(&mut self) {
        self.object += 1;
        self.next = 0;
    }

    pub(super) fn find(&mut self, name: &str) -> Option<usize> {
        let place = match self.names.get(self.next) {
            Some(next) if next == name => self.next,
            _ => *self.places.get(name)?,
        };
        self.next = place + 1;
        Some(place)
    }

    /// Notes that the object has this key; false where it had it before.
    pub(super) fn mark(&mut self, place: usize) -> bool {
        match self.objects.get_mut(place) {
            Some(object) => std::mem::replace(object, self.object) != self.object,
            None => false,
        }
    }

    /// For each name, whether the object has it.
    pub(super) fn had(&self) -> impl Iterator<Item = bool> + '_ {
        self.objects.iter().map(|object| *object == self.object)
    }
}
