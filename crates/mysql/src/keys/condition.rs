//! Conditions on keys of several columns, written so that the server reads ranges of the key.
//!
//! The server turns neither `(a, b) >= (1, 2)` nor nested conditions into ranges of the whole key; a list of ranges, each
//! with all columns before the last one equal, it does.

/// Keys at or after these literals; `None` where there are none: all keys.
pub(super) fn from_on(names: &[String], from: &[String]) -> Option<String> {
    any(&rising(names, from, 0))
}

/// Keys at or after `from` and before `until`; an empty list means no end there.
pub(super) fn between(names: &[String], from: &[String], until: &[String]) -> Option<String> {
    if from.is_empty() || until.is_empty() {
        return if until.is_empty() { from_on(names, from) } else { any(&falling(names, until, 0)) };
    }
    let same = from.iter().zip(until).take_while(|(one, other)| one == other).count();
    let equal = equal(names, from, same);
    let conditions = match (names.get(same), from.get(same), until.get(same)) {
        (Some(name), Some(low), Some(high)) => {
            // From the lower literal on; what lies strictly between; up to the higher one.
            let mut conditions = Vec::new();
            if from.len() > same + 1 {
                conditions.extend(rising(names, from, same + 1));
                conditions
                    .push(join(&[equal.clone(), vec![format!("{name} > {low}"), format!("{name} < {high}")]].concat()));
            } else {
                conditions.push(join(
                    &[equal.clone(), vec![format!("{name} >= {low}"), format!("{name} < {high}")]].concat(),
                ));
            }
            if until.len() > same + 1 {
                conditions.extend(falling(names, until, same + 1));
            }
            conditions
        }
        // One is the beginning of the other.
        (Some(_), None, Some(_)) => falling(names, until, same),
        _ => vec!["FALSE".to_owned()],
    };
    any(&conditions)
}

/// The ranges at or after the literals, in which the first `equal_to` columns are equal.
fn rising(names: &[String], from: &[String], equal_to: usize) -> Vec<String> {
    let mut conditions = Vec::new();
    // The lowest range first: all columns but the last equal, then all but the last two, and so on.
    for place in (equal_to..from.len()).rev() {
        let (Some(name), Some(low)) = (names.get(place), from.get(place)) else { continue };
        let sign = if place + 1 == from.len() { ">=" } else { ">" };
        conditions.push(join(&[equal(names, from, place), vec![format!("{name} {sign} {low}")]].concat()));
    }
    conditions
}

/// The ranges before the literals, in which the first `equal_to` columns are equal.
fn falling(names: &[String], until: &[String], equal_to: usize) -> Vec<String> {
    let mut conditions = Vec::new();
    for place in equal_to..until.len() {
        let (Some(name), Some(high)) = (names.get(place), until.get(place)) else { continue };
        conditions.push(join(&[equal(names, until, place), vec![format!("{name} < {high}")]].concat()));
    }
    conditions
}

fn equal(names: &[String], literals: &[String], count: usize) -> Vec<String> {
    names.iter().zip(literals).take(count).map(|(name, literal)| format!("{name} = {literal}")).collect()
}

fn join(conditions: &[String]) -> String {
    conditions.join(" AND ")
}

fn any(conditions: &[String]) -> Option<String> {
    match conditions {
        [] => None,
        [one] => Some(one.clone()),
        several => {
            let each: Vec<String> = several.iter().map(|one| format!("({one})")).collect();
            Some(format!("({})", each.join(" OR ")))
        }
    }
}
