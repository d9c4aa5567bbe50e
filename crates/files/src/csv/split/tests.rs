use bytes::Bytes;
use proptest::prelude::*;

use super::*;
use crate::csv::Dialect;
use crate::csv::records::Records;
use crate::format::Format;

/// The fields of a text that is read in one go, or in ranges of about `target` bytes.
fn fields(text: &str, quotes: bool, target: Option<u64>) -> Vec<Vec<u8>> {
    let dialect = Dialect { quote: quotes.then_some(b'"'), ..Dialect::default() };
    let mut rules = dialect.completed(Format::Csv);
    let mut first = Records::new(&rules, None);
    first.split(text.as_bytes(), true, 1).unwrap();
    rules.ends = first.ends;
    let open = Arc::new(Open::memory("x.csv", Bytes::from(text.to_owned())));
    let length = text.len() as u64;
    let ranges = match target {
        None => vec![(0..length, 1)],
        Some(target) => {
            let goal = Goal { target, workers: 2, cancel: &Cancel::new() };
            split(&open, 0, 1, rules.quote, rules.ends(), &goal).unwrap()
        }
    };
    let mut fields = Vec::new();
    for (range, line) in ranges {
        let at = |place: u64| usize::try_from(place).unwrap();
        assert_eq!(line, 1 + rules.ends().count(&text.as_bytes()[..at(range.start)]), "{text:?}");
        let bytes = &text.as_bytes()[at(range.start)..at(range.end)];
        let mut records = Records::new(&rules, first.width);
        assert_eq!(records.split(bytes, true, usize::MAX).unwrap(), bytes.len());
        for field in &records.fields {
            fields.push(bytes[field.start as usize..field.end as usize].to_vec());
        }
    }
    fields
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn ranges_of_bytes_agree_with_the_whole(
        rows in prop::collection::vec(["[a-z,\r\n\"]{0,5}", "[a-z ]{0,5}"], 1..25),
        ends in prop::sample::select(vec![&["\n"][..], &["\r\n"], &["\r"], &["\r\r\n"], &["\n", "\r\n", "\r\r\n", "\n\n"]]),
        last in any::<bool>(),
        target in 1_u64..20,
    ) {
        let mut text = String::new();
        let mut wanted: Vec<Vec<u8>> = Vec::new();
        for (number, [quoted, plain]) in rows.iter().enumerate() {
            let doubled = quoted.replace('"', "\"\"");
            text += &format!("\"{doubled}\",{plain}");
            if last || number + 1 < rows.len() {
                text += ends[number % ends.len()];
            }
            wanted.extend([doubled.into_bytes(), plain.clone().into_bytes()]);
        }
        prop_assert_eq!(fields(&text, true, None), wanted.clone());
        prop_assert_eq!(fields(&text, true, Some(target)), wanted);
    }

    #[test]
    fn so_they_do_without_quotes(
        rows in prop::collection::vec("[a-z\"]{0,4},[a-z\"]{0,4}", 1..25),
        end in prop::sample::select(vec!["\n", "\r\n", "\r", "\r\r\n"]),
        target in 1_u64..20,
    ) {
        let text = rows.iter().map(|row| format!("{row}{end}")).collect::<String>();
        prop_assert_eq!(fields(&text, false, Some(target)), fields(&text, false, None));
        prop_assert_eq!(fields(&text, false, None).len(), 2 * rows.len());
    }
}
