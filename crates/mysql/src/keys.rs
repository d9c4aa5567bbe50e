//! Ranges of a table's key with about the same number of rows, whatever the key's types are.
//!
//! Every key is given a place on a line of whole numbers ([`Line`]): the larger key never has the lower place. On that
//! line ranges are balanced by looking at a few rows ([`balanced_ranges`]), and the places between them are turned back into
//! literals. A key that shares its place with others only makes ranges a little uneven.

mod condition;
mod line;
mod part;
mod text;

use bowshot_core::Result;
use bowshot_sql::{KeyRange, Probe, balanced_ranges};

use crate::catalog::scalar;
use crate::connect::Session;
use crate::split::Keyed;
use condition::{between, from_on};
use line::Line;

/// How many places are looked at to find out between which values the second and later columns of a key lie.
const SAMPLES: u64 = 16;

/// A range of keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// What holds for its rows; the conditions of all ranges together hold for every row once.
    pub(crate) condition: String,
    /// What it holds, for people.
    pub(crate) label: String,
    /// About how many rows.
    pub(crate) rows: u64,
}

/// At most about `count` ranges of at least about `least` rows, none for an empty table; or why there are none.
pub(crate) fn ranges(
    session: &mut Session,
    table: &Keyed,
    count: u64,
    least: u64,
) -> Result<std::result::Result<Vec<Range>, String>> {
    let mut line = match Line::new(session, table)? {
        Ok(line) => line,
        Err(reason) => return Ok(Err(reason)),
    };
    let mut prober = Prober { session, table };
    if !sample(&mut prober, &mut line)? {
        return Ok(Ok(Vec::new()));
    }
    let found = balanced_ranges(line.last(), count, least, |probes| after(&mut prober, &line, probes))?;
    let ranges = cut(&line, &found);
    if !ascends(prober.session, &line, &ranges)? {
        return Ok(Err(format!("the order of {}'s keys is not known well enough", table.table.name)));
    }
    let names = line.names();
    let range = |range: &Cut| Range {
        condition: between(&names, &range.from, &range.until).unwrap_or_else(|| "TRUE".to_owned()),
        label: label(&names, range),
        rows: range.rows,
    };
    Ok(Ok(ranges.iter().map(range).collect()))
}

/// A range between two keys, the first one inclusive; without literals it has no end there.
struct Cut {
    from: Vec<String>,
    until: Vec<String>,
    rows: u64,
}

/// The ranges with literals at their ends; those that come to the same are joined.
fn cut(line: &Line, found: &[KeyRange]) -> Vec<Cut> {
    let mut ranges: Vec<Cut> = Vec::new();
    for range in found {
        let from = match ranges.last() {
            None => Vec::new(),
            Some(_) => line.next_certain(range.first).map(|place| line.literals(place)).unwrap_or_default(),
        };
        match ranges.last_mut() {
            Some(last) if from.is_empty() || from == last.from => last.rows = last.rows.saturating_add(range.rows),
            last => {
                if let Some(last) = last {
                    last.until.clone_from(&from);
                }
                ranges.push(Cut { from, until: Vec::new(), rows: range.rows });
            }
        }
    }
    ranges
}

fn label(names: &[String], range: &Cut) -> String {
    let bare: Vec<String> = names.iter().map(|name| name.trim_matches('`').to_owned()).collect();
    let tuple = |literals: &[String]| literals.join(", ");
    let name = bare.join(", ");
    match (range.from.is_empty(), range.until.is_empty()) {
        (true, true) => format!("all {name}"),
        (true, false) => format!("{name} before {}", tuple(&range.until)),
        (false, true) => format!("{name} from {}", tuple(&range.from)),
        (false, false) => format!("{name} from {} to before {}", tuple(&range.from), tuple(&range.until)),
    }
}

/// Whether the server finds the ranges' ends in ascending order. It knows the orders of text and of UUIDs; ours are guesses.
fn ascends(session: &mut Session, line: &Line, ranges: &[Cut]) -> Result<bool> {
    let mut checks = Vec::new();
    for [one, next] in ranges.array_windows() {
        if one.from.is_empty() {
            continue;
        }
        // The first column in which they differ decides; a missing literal is lower than all.
        let differ = one.from.iter().zip(&next.from).position(|(one, next)| one != next);
        match differ {
            Some(place) => {
                let literal = |from: &[String]| from.get(place).cloned().unwrap_or_default();
                checks.extend(line.check(place, &literal(&one.from), &literal(&next.from)));
            }
            None if next.from.len() > one.from.len() => {}
            None => return Ok(false),
        }
    }
    if checks.is_empty() {
        return Ok(true);
    }
    Ok(scalar(session, &format!("SELECT {}", checks.join(" AND ")))?.as_deref() == Some("1"))
}

/// The places of the keys that probes ask for.
fn after(prober: &mut Prober<'_>, line: &Line, probes: &[Probe]) -> Result<Vec<Option<i64>>> {
    let places: Vec<Option<i64>> = probes.iter().map(|probe| line.next_certain(probe.from)).collect();
    let asked = |(place, probe): (&Option<i64>, &Probe)| -> Option<Asked> {
        let condition = from_on(&line.names(), &line.literals((*place)?));
        Some(Asked { condition, is_last: false, offset: probe.offset })
    };
    let asked: Vec<Asked> = places.iter().zip(probes).filter_map(asked).collect();
    let mut rows = prober.rows(line, &asked)?.into_iter();
    let answer = |place: &Option<i64>| {
        let (place, row) = ((*place)?, rows.next().flatten()?);
        // A key's own place may be a little before the one that was asked for, since literals are cut off.
        line.place(&row).map(|found| found.max(place))
    };
    Ok(places.iter().map(answer).collect())
}

/// Reads single keys.
struct Prober<'a> {
    session: &'a mut Session,
    table: &'a Keyed,
}

/// The key `offset` rows behind the first one for which the condition holds, or before the last one.
struct Asked {
    condition: Option<String>,
    is_last: bool,
    offset: i64,
}

/// So many keys are asked for in one statement.
const TOGETHER: usize = 64;

impl Prober<'_> {
    /// A row for each key that is asked for, as the line reads it; `None` where there is none.
    fn rows(&mut self, line: &Line, asked: &[Asked]) -> Result<Vec<Option<Vec<Option<String>>>>> {
        let mut rows = vec![None; asked.len()];
        for (asked, rows) in asked.chunks(TOGETHER).zip(rows.chunks_mut(TOGETHER)) {
            let selects: Vec<String> =
                asked.iter().enumerate().map(|(number, asked)| self.select(line, number, asked)).collect();
            for mut row in self.session.query(&selects.join(" UNION ALL "))? {
                // The number of the question comes last.
                let number = row.pop().flatten().and_then(|number| number.parse::<usize>().ok());
                if let Some(place) = number.and_then(|number| rows.get_mut(number)) {
                    *place = Some(row);
                }
            }
        }
        Ok(rows)
    }

    fn select(&self, line: &Line, number: usize, asked: &Asked) -> String {
        let direction = if asked.is_last { " DESC" } else { "" };
        let order: Vec<String> = line.names().iter().map(|name| format!("{name}{direction}")).collect();
        format!(
            "(SELECT {}, {number} FROM {} FORCE INDEX ({}) WHERE {} ORDER BY {} LIMIT 1 OFFSET {})",
            line.expressions().join(", "),
            self.table.table.quoted(),
            self.table.quoted_key(),
            asked.condition.as_deref().unwrap_or("TRUE"),
            order.join(", "),
            asked.offset
        )
    }
}

/// Finds out between which values each column of the key lies; `false` for an empty table.
fn sample(prober: &mut Prober<'_>, line: &mut Line) -> Result<bool> {
    let end = |is_last| Asked { condition: None, is_last, offset: 0 };
    let rows = prober.rows(line, &[end(false), end(true)])?;
    let [Some(first), Some(last)] = rows.as_slice() else { return Ok(false) };
    line.see(first);
    line.see(last);
    if line.needs_samples() {
        line.learn(prober.session)?;
        line.settle_first();
        let name = line.names().into_iter().next().unwrap_or_default();
        // The last key of one value of the first column, and the first one of the next.
        let around = |number| {
            let literal = line.first_literal(number, SAMPLES);
            [(true, format!("{name} < {literal}")), (false, format!("{name} >= {literal}"))]
        };
        let asked: Vec<Asked> = (1..SAMPLES)
            .flat_map(around)
            .map(|(is_last, condition)| Asked { condition: Some(condition), is_last, offset: 0 })
            .collect();
        for row in prober.rows(line, &asked)?.iter().flatten() {
            line.see(row);
        }
        line.learn(prober.session)?;
    }
    line.settle();
    Ok(true)
}
