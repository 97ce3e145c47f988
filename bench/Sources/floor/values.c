/* Text -> real, instant, UUID. */
#include "floor.h"

#include <stdlib.h>
#include <string.h>

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* The value of eight digits, the first of them in the lowest byte. */
static uint64_t eight_digits(uint64_t bytes) {
  bytes = (bytes & 0x0F0F0F0F0F0F0F0F) * (1 + (10 << 8)) >> 8;
  bytes = (bytes & 0x00FF00FF00FF00FF) * (1 + (100 << 16)) >> 16;
  return (bytes & 0x0000FFFF0000FFFF) * (1 + (10000ull << 32)) >> 32;
}

static bool are_eight_digits(uint64_t bytes) {
  return ((bytes & 0xF0F0F0F0F0F0F0F0) | ((bytes + 0x0606060606060606) & 0xF0F0F0F0F0F0F0F0) >> 4)
         == 0x3333333333333333;
}

/* Appends the digits at `text` to `mantissa` and returns their end. */
static const char *read_digits(const char *text, const char *end, uint64_t *mantissa) {
  while (end - text >= 8) {
    uint64_t bytes;
    memcpy(&bytes, text, 8);
    if (!are_eight_digits(bytes)) break;
    *mantissa = *mantissa * 100000000 + eight_digits(bytes);
    text += 8;
  }
  while (text < end && is_digit(*text)) *mantissa = *mantissa * 10 + (uint64_t)(*text++ - '0');
  return text;
}

static bool decode_real_slowly(const char *text, size_t length, double *value) {
  char copy[512];
  if (length >= sizeof copy) return false;
  memcpy(copy, text, length);
  copy[length] = 0;
  char *end;
  *value = strtod(copy, &end);
  return end == copy + length && *value - *value == 0;
}

enum { LARGEST_SCALE = 19 };

/* 10^n and, with its top bit set, the floor of 2^m / 10^n; and -m. */
static const uint64_t powers[LARGEST_SCALE + 1] = {
  1ull, 10ull, 100ull, 1000ull, 10000ull, 100000ull, 1000000ull, 10000000ull, 100000000ull,
  1000000000ull, 10000000000ull, 100000000000ull, 1000000000000ull, 10000000000000ull,
  100000000000000ull, 1000000000000000ull, 10000000000000000ull, 100000000000000000ull,
  1000000000000000000ull, 10000000000000000000ull,
};
static struct { uint64_t factor; int exponent; } reciprocals[LARGEST_SCALE + 1];

__attribute__((constructor)) static void make_reciprocals(void) {
  for (int scale = 1; scale <= LARGEST_SCALE; scale++) {
    /* 10^n has 64 - z bits, so that 2^(127 - z) / 10^n has 64. No power above 1 divides it. */
    int zeros = __builtin_clzll(powers[scale]);
    reciprocals[scale].factor =
        (uint64_t)(((unsigned __int128)1 << (127 - zeros)) / powers[scale]);
    reciprocals[scale].exponent = zeros - 127;
  }
}

/* mantissa / 10^scale, rounded to the nearest double; false if 128 bits do not decide it. */
static bool divide_exactly(uint64_t mantissa, int scale, double *value) {
  if (mantissa == 0) { *value = 0; return true; }
  int zeros = __builtin_clzll(mantissa);
  unsigned __int128 product =
      (unsigned __int128)(mantissa << zeros) * reciprocals[scale].factor;
  uint64_t high = (uint64_t)(product >> 64);
  int exponent = reciprocals[scale].exponent - zeros + 64;
  if (high >> 63 == 0) {
    high = high << 1 | (uint64_t)product >> 63;
    exponent--;
  }
  /* The quotient is in [high, high + 3). Eleven bits are dropped; they decide the rounding unless the
     interval touches or contains a half. */
  uint64_t rest = high & 0x7FF;
  if (rest >= 0x3FD && rest <= 0x400) return false;
  uint64_t significand = (high >> 11) + (rest > 0x400);
  /* A significand of 2^53 carries into the exponent by the addition. */
  uint64_t bits = ((uint64_t)(exponent + 11 + 52 + 1023 - 1) << 52) + significand;
  memcpy(value, &bits, 8);
  return true;
}

/* The lexeme is a JSON number already. */
bool decode_real(const char *text, size_t length, double *value) {
  const char *cursor = text, *end = text + length;
  bool is_negative = cursor < end && *cursor == '-';
  if (is_negative) cursor++;
  uint64_t mantissa = 0;
  const char *digits = cursor;
  cursor = read_digits(cursor, end, &mantissa);
  int scale = 0;
  size_t digit_count = (size_t)(cursor - digits);
  if (cursor < end && *cursor == '.') {
    const char *fraction = ++cursor;
    cursor = read_digits(cursor, end, &mantissa);
    scale = (int)(cursor - fraction);
    digit_count += (size_t)scale;
  }
  if (cursor != end || digit_count > 19 || scale > LARGEST_SCALE)
    return decode_real_slowly(text, length, value);
  if (scale == 0 && mantissa < 1ull << 53) {
    *value = (double)mantissa;
  } else if (mantissa < 1ull << 53) {
    /* Both are exact, so their quotient is rounded once (10^19 is 5^19 times a power of two). */
    *value = (double)mantissa / (double)powers[scale];
  } else if (scale == 0 || !divide_exactly(mantissa, scale, value)) {
    return decode_real_slowly(text, length, value);
  }
  if (is_negative) *value = -*value;
  return true;
}

static int two_digits(const char *text) { return (text[0] - '0') * 10 + text[1] - '0'; }

/* Days since 1970-01-01 of a date of the Gregorian calendar. */
static int64_t days_since_1970(int year, int month, int day) {
  /* Years begin in March here, so that a leap day is the last day of its year. */
  if (month <= 2) { year--; month += 12; }
  int century = year / 100;
  return 365ll * year + year / 4 - century + century / 4 + (153 * (month - 3) + 2) / 5 + day - 1
         - 719468;
}

/* YYYY-MM-DDTHH:MM:SSZ, the one form that the generator writes. */
bool decode_instant(const char *text, size_t length, int64_t *microseconds) {
  static const char form[] = "0000-00-00T00:00:00Z";
  static const unsigned char month_lengths[13] = {
    0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31
  };
  if (length != 20) return false;
  unsigned wrong = 0;
  for (int index = 0; index < 20; index++) {
    unsigned char distance = (unsigned char)(text[index] - form[index]);
    wrong |= distance > (form[index] == '0' ? 9 : 0);
  }
  if (wrong) return false;
  int year = two_digits(text) * 100 + two_digits(text + 2);
  int month = two_digits(text + 5), day = two_digits(text + 8);
  int hour = two_digits(text + 11), minute = two_digits(text + 14);
  int second = two_digits(text + 17);
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return false;
  bool is_leap_year = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  if (day < 1 || day > month_lengths[month] + (month == 2 && is_leap_year)) return false;
  *microseconds = (((days_since_1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second)
                  * 1000000ll;
  return true;
}

/* Writes 36 characters. The loop has no branch, so the compiler processes 16 characters at a time. */
bool decode_uuid(const char *text, size_t length, char *upper_case) {
  if (length != 36) return false;
  unsigned char wrong = 0;
  for (int index = 0; index < 36; index++) {
    unsigned char c = (unsigned char)text[index];
    unsigned char is_hyphen = index == 8 || index == 13 || index == 18 || index == 23;
    unsigned char is_decimal = (unsigned char)(c - '0') < 10;
    unsigned char is_letter = (unsigned char)((c | 0x20) - 'a') < 6;
    wrong |= is_hyphen ? c != '-' : !(is_decimal | is_letter);
    upper_case[index] = (char)(is_letter ? c & 0xDF : c);
  }
  return !wrong;
}
