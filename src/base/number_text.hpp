// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

/// Floating-point numbers as text, and text as numbers. Every double that is printed goes through
/// here: a text is as long as its number needs, whatever the number is. One that is not finite is
/// "infinite", "-infinite" or "not a number", and a zero has no sign.
namespace nettune::inline base {

/// "12.50" with 2 places.
std::string decimals(double value, int places);
/// "13": rounded to a whole number.
std::string whole(double value);
/// "0.0123457" with 6 digits; very large and very small ones have an exponent, zeros at the end are
/// left out.
std::string significant(double value, int digits);
/// "1.2e-30" with 1 place.
std::string scientific(double value, int places);

/// The whole of `text` as a number: decimal, with or without an exponent. Nothing for anything
/// else, also for blanks, hex, "inf" and "nan". A number that no double holds (1e400) is infinite,
/// so that every limit refuses it; one that is too small is 0.
std::optional<double> read_number(std::string_view text);

}  // namespace nettune::inline base
