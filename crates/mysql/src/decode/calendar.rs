//! The Gregorian calendar, from the year 0 to the year 9999, as tables: two looks where a day's number would be worked out.

/// For each year, the days from 1970-01-01 to its first one, doubled, and 1 more where it is a leap year: forty kilobytes,
/// of which a column's dates touch a few lines.
static YEARS: [i32; 10_000] = years();

/// For each month of a common year, the days before it and how many it has: none where it is no month.
static COMMON: [(i32, u32); 16] = months(28);

/// The same of a leap year.
static LEAP: [(i32, u32); 16] = months(29);

const fn years() -> [i32; 10_000] {
    let mut years = [0; 10_000];
    let (mut year, mut days) = (0, -719_528);
    while year < years.len() {
        let is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        let (length, mark) = if is_leap { (366, 1) } else { (365, 0) };
        years[year] = days * 2 + mark;
        days += length;
        year += 1;
    }
    years
}

const fn months(february: u32) -> [(i32, u32); 16] {
    let lengths = [0, 31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 0, 0, 0];
    let mut months = [(0, 0); 16];
    let (mut month, mut before) = (0, 0);
    while month < months.len() {
        months[month] = (before, lengths[month]);
        before += lengths[month].cast_signed();
        month += 1;
    }
    months
}

/// Days from 1970-01-01 to a day that the calendar has.
#[inline(always)]
pub(super) fn days(year: u32, month: u32, day: u32) -> Option<i32> {
    let year = *YEARS.get(year as usize)?;
    let months = if year & 1 == 1 { &LEAP } else { &COMMON };
    let (before, length) = *months.get(month as usize)?;
    let day = day.wrapping_sub(1);
    (day < length).then(|| (year >> 1) + before + day.cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_is_the_one_after_the_day_before() {
        let mut expected = -719_528;
        for year in 0..10_000 {
            let is_leap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0);
            for month in 0..20 {
                let length = match month {
                    2 if is_leap => 29,
                    2 => 28,
                    4 | 6 | 9 | 11 => 30,
                    1..=12 => 31,
                    _ => 0,
                };
                for day in 0..40 {
                    let found = days(year, month, day);
                    if (1..=length).contains(&day) {
                        assert_eq!(found, Some(expected), "{year}-{month}-{day}");
                        expected += 1;
                    } else {
                        assert_eq!(found, None, "{year}-{month}-{day}");
                    }
                }
            }
        }
        assert_eq!((days(1970, 1, 1), days(1969, 12, 31), expected), (Some(0), Some(-1), 2_932_897));
        assert_eq!((days(10_000, 1, 1), days(u32::MAX, 1, 1), days(2024, u32::MAX, 1)), (None, None, None));
    }
}
