/* MurmurHash3 x64 128, as poi-import digests records. */
#include "floor.h"

#include <string.h>

static uint64_t rotate(uint64_t value, int count) { return value << count | value >> (64 - count); }

static uint64_t finish(uint64_t value) {
  value = (value ^ value >> 33) * 0xFF51AFD7ED558CCD;
  value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53;
  return value ^ value >> 33;
}

void murmur3(const void *bytes, size_t length, uint64_t digest[2]) {
  uint64_t first_factor = 0x87C37B91114253D5, second_factor = 0x4CF5AD432745937F;
  /* Hides the values from clang, which turns the rotation of a product with a constant into two products. */
  __asm__("" : "+r"(first_factor), "+r"(second_factor));
  const unsigned char *cursor = bytes, *end = cursor + length / 16 * 16;
  uint64_t low = 0, high = 0;
  for (; cursor < end; cursor += 16) {
    uint64_t first, second;
    memcpy(&first, cursor, 8);
    memcpy(&second, cursor + 8, 8);
    low ^= rotate(first * first_factor, 31) * second_factor;
    low = (rotate(low, 27) + high) * 5 + 0x52DCE729;
    high ^= rotate(second * second_factor, 33) * first_factor;
    high = (rotate(high, 31) + low) * 5 + 0x38495AB5;
  }
  if (length % 16 > 0) {
    uint64_t tail[2] = { 0, 0 };
    memcpy(tail, cursor, length % 16);
    high ^= rotate(tail[1] * second_factor, 33) * first_factor;
    low ^= rotate(tail[0] * first_factor, 31) * second_factor;
  }
  low ^= length;
  high ^= length;
  low += high;
  high += low;
  low = finish(low);
  high = finish(high);
  low += high;
  high += low;
  digest[0] = low;
  digest[1] = high;
}
