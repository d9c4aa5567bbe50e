//! The digits of an expression, by PostgreSQL's rules for `numeric`.

/// How many digits a number has at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digits {
    /// Before the point; a bound that only says how large a number may become.
    pub before: u32,
    /// After the point: its scale.
    pub after: u32,
}

/// So many digits more has a sum than its largest item, however many rows a table has.
const OF_ROWS: u32 = 19;

impl Digits {
    /// Those of all values of `numeric(precision, scale)`, whose scale may be below zero.
    ///
    /// ```
    /// use bowshot_sql::Digits;
    ///
    /// assert_eq!(Digits::of_type(15, 2), Digits { before: 13, after: 2 });
    /// assert_eq!(Digits::of_type(3, -2), Digits { before: 5, after: 0 });
    /// ```
    pub fn of_type(precision: u32, scale: i32) -> Digits {
        let before = i64::from(precision) - i64::from(scale);
        Digits { before: u32::try_from(before).unwrap_or(0), after: u32::try_from(scale).unwrap_or(0) }
    }

    fn widest(self, other: Digits) -> Digits {
        Digits { before: self.before.max(other.before), after: self.after.max(other.after) }
    }

    fn plus(self, other: Digits) -> Digits {
        let widest = self.widest(other);
        Digits { before: widest.before.saturating_add(1), ..widest }
    }

    fn times(self, other: Digits) -> Digits {
        Digits { before: self.before.saturating_add(other.before), after: self.after.saturating_add(other.after) }
    }

    fn summed(self) -> Digits {
        Digits { before: self.before.saturating_add(OF_ROWS), ..self }
    }
}

/// An expression, operands before what is done to them: it may be as deep as a text is long.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Term(pub(super) Vec<Step>);

/// A step of the calculation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A column of the table at this index, or of whichever has it.
    Column(Option<usize>, String),
    /// A number as it is written.
    Number(Digits),
    /// What is cast to a type of these digits.
    Typed(Digits),
    /// `+` or `-` of two.
    Plus,
    /// `*` of two.
    Times,
    /// The sum of many.
    Sum,
    /// One of so many.
    OneOf(usize),
}

impl Term {
    /// The digits of its value; `None` where a column's are not known.
    pub(super) fn digits(&self, known: impl Fn(Option<usize>, &str) -> Option<Digits>) -> Option<Digits> {
        let mut stack: Vec<Digits> = Vec::new();
        for step in &self.0 {
            let digits = match step {
                Step::Column(table, name) => known(*table, name)?,
                Step::Number(digits) | Step::Typed(digits) => *digits,
                Step::Plus => stack.pop()?.plus(stack.pop()?),
                Step::Times => stack.pop()?.times(stack.pop()?),
                Step::Sum => stack.pop()?.summed(),
                Step::OneOf(count) => {
                    let items = stack.split_off(stack.len().checked_sub(*count)?);
                    items.into_iter().reduce(Digits::widest)?
                }
            };
            stack.push(digits);
        }
        stack.pop()
    }
}
