//! A bounded number of stretches of time: when there are too many, neighbours become one.

use std::time::Instant;

/// From when to when, and what happened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span<T> {
    pub(super) start: Instant,
    pub(super) end: Instant,
    pub(super) what: T,
}

/// Spans without a gap between them. The last one grows.
#[derive(Clone, Debug)]
pub(super) struct Spans<T> {
    spans: Vec<Span<T>>,
    /// How many there may be.
    most: usize,
    /// How many items one has.
    width: u32,
    /// How many the last one has.
    items: u32,
}

impl<T: Copy + Default + std::ops::AddAssign> Spans<T> {
    /// At most `most`, from `start` on.
    pub(super) fn new(start: Instant, most: usize) -> Self {
        let first = Span { start, end: start, what: T::default() };
        Spans { spans: vec![first], most: most.max(1), width: 1, items: 0 }
    }

    /// `what` happened until `now`.
    pub(super) fn add(&mut self, now: Instant, what: T) {
        if let Some(last) = self.spans.last_mut() {
            last.end = now;
            last.what += what;
        }
    }

    /// An item ends here; what follows may belong to another span.
    pub(super) fn end_item(&mut self, now: Instant) {
        self.items = self.items.saturating_add(1);
        if self.most == 1 || self.items < self.width {
            return;
        }
        if self.spans.len() >= self.most {
            self.halve();
        }
        if self.items >= self.width {
            self.spans.push(Span { start: now, end: now, what: T::default() });
            self.items = 0;
        }
    }

    /// Makes one of every two.
    fn halve(&mut self) {
        let merged = self.spans.chunks(2).filter_map(|pair| pair.iter().copied().reduce(join)).collect();
        // The last one has half of what a span has from now on where it had no neighbour.
        self.items = if self.spans.len().is_multiple_of(2) { self.width.saturating_mul(2) } else { self.width };
        self.width = self.width.saturating_mul(2);
        self.spans = merged;
    }

    /// All of them, in their order.
    pub(super) fn as_slice(&self) -> &[Span<T>] {
        &self.spans
    }
}

fn join<T: std::ops::AddAssign>(mut first: Span<T>, second: Span<T>) -> Span<T> {
    first.end = second.end;
    first.what += second.what;
    first
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn spans_stay_few_and_lose_nothing() {
        let start = Instant::now();
        for most in [1, 2, 3, 7, 64] {
            let mut spans = Spans::new(start, most);
            for item in 1..=10_000_u64 {
                let now = start + Duration::from_micros(item);
                spans.add(now, item);
                spans.end_item(now);
                let all = spans.as_slice();
                assert!(all.len() <= most, "{} of {most}", all.len());
                assert_eq!(all.iter().map(|span| span.what).sum::<u64>(), item * (item + 1) / 2);
                assert_eq!((all[0].start, all[all.len() - 1].end), (start, now));
                assert!(all.windows(2).all(|pair| pair[0].end == pair[1].start), "a gap");
            }
            let lengths: Vec<_> = spans.as_slice().iter().map(|span| span.end - span.start).collect();
            let even = lengths.iter().rev().skip(1).collect::<std::collections::BTreeSet<_>>();
            assert!(even.len() <= 1, "all but the last are equally long: {even:?}");
            assert!(most < 3 || spans.as_slice().len() > most / 3, "{} of {most}", spans.as_slice().len());
        }
    }
}
