//! Which decimal128 holds the values of a decimal256 column.

use arrow_buffer::i256;

/// Looks at values to find the smallest scale that keeps every digit.
pub(super) struct Narrow {
    /// The scale of the column.
    from: i8,
    /// Digits behind the point that values need, up to now.
    needed: i8,
    /// One at that scale, as it is in the column.
    unit: i256,
    /// The largest size, as it is in the column.
    largest: i256,
}

impl Narrow {
    pub(super) fn new(from: i8) -> Self {
        Narrow { from, needed: 0, unit: power(from), largest: i256::ZERO }
    }

    pub(super) fn add(&mut self, value: i256) {
        // No value of 76 digits is the lowest i256, which has no positive twin.
        self.largest = self.largest.max(value.wrapping_abs());
        while self.needed < self.from && value.wrapping_rem(self.unit) != i256::ZERO {
            self.needed += 1;
            self.unit = power(self.from - self.needed);
        }
    }

    /// The scale at which every value fits `digits` digits, if there is one.
    pub(super) fn scale(&self, digits: u8) -> Option<i8> {
        if self.from < 0 {
            return None;
        }
        let largest = self.largest.wrapping_div(self.unit);
        let fits = i8::try_from(digits).is_ok_and(|digits| self.needed <= digits && largest < power(digits));
        fits.then_some(self.needed)
    }
}

/// Ten to the power of `exponent`; one where that is negative.
pub(super) fn power(exponent: i8) -> i256 {
    let ten = i256::from_i128(10);
    (0..exponent).fold(i256::ONE, |product, _| product.wrapping_mul(ten))
}
