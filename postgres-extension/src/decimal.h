/*
 * numeric as it lies on disk, as a whole number of its scale's last digits.
 *
 * Only what is common: the short form with up to four digits to the base 10,000
 * (NumericData in PostgreSQL's numeric.c).  The library knows the rest.
 */
#ifndef BOWSHOT_DECIMAL_H
#define BOWSHOT_DECIMAL_H

#include "postgres.h"

#include "common/int.h"

#include "bowshot_arrow.h"

/* The two bits of the header that tell the short form from the others. */
#define DECIMAL_FORM 0xC000
#define DECIMAL_SHORT 0x8000
#define DECIMAL_NEGATIVE 0x2000

/* Its weight is a number of seven bits with a sign. */
#define DECIMAL_WEIGHT(header) ((int) (((header) & 0x7F) ^ 0x40) - 0x40)

static inline uint64
decimal_digit(const char *digits, int place)
{
	uint16 digit;

	memcpy(&digit, digits + 2 * place, sizeof(digit));
	return digit;
}

/* The number times ten to this power, if that is whole and fits. */
static pg_attribute_always_inline bool
decimal_shift(int64 number, int power, int64 *shifted)
{
	static const int64 powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

	switch (power)
	{
		case -3:
			*shifted = number / 1000;
			return *shifted * 1000 == number;
		case -2:
			*shifted = number / 100;
			return *shifted * 100 == number;
		case -1:
			*shifted = number / 10;
			return *shifted * 10 == number;
		default:
			return power >= 0 && power < (int) lengthof(powers) &&
				   !pg_mul_s64_overflow(number, powers[power], shifted);
	}
}

/* The unscaled value; false for what has to be looked at more closely. */
static pg_attribute_always_inline bool
decimal_unscaled(const BowshotColumn *column, const char *numeric, size_t length, int64 *unscaled)
{
	const char *digits = numeric + 2;
	int count = (int) (length / 2) - 1;
	uint16 header;
	uint64 number;

	memcpy(&header, numeric, sizeof(header));
	if ((header & DECIMAL_FORM) != DECIMAL_SHORT)
		return false;
	switch (count)
	{
		case 0:
			*unscaled = 0;
			return true;
		case 1:
			number = decimal_digit(digits, 0);
			break;
		case 2:
			number = decimal_digit(digits, 0) * 10000 + decimal_digit(digits, 1);
			break;
		case 3:
			number = decimal_digit(digits, 0) * 100000000 + decimal_digit(digits, 1) * 10000 +
					 decimal_digit(digits, 2);
			break;
		case 4:
			number = decimal_digit(digits, 0) * UINT64CONST(1000000000000) +
					 decimal_digit(digits, 1) * 100000000 + decimal_digit(digits, 2) * 10000 +
					 decimal_digit(digits, 3);
			break;
		default:
			return false;
	}
	if (!decimal_shift((int64) number, column->scale + 4 * (DECIMAL_WEIGHT(header) + 1 - count), unscaled) ||
		*unscaled >= column->limit)
		return false;
	if (header & DECIMAL_NEGATIVE)
		*unscaled = -*unscaled;
	return true;
}

#endif
