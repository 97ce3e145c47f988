/* Sorting of entries with hashed or random keys. */
#include "floor.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BITS = 11, SECOND_BITS = 8, FEW = 32 };

static inline bool is_less(const struct entry *a, const struct entry *b) {
  if (a->key[0] != b->key[0]) return a->key[0] < b->key[0];
  if (a->key[1] != b->key[1]) return a->key[1] < b->key[1];
  if (a->timestamp != b->timestamp) return a->timestamp < b->timestamp;
  if (a->tie != b->tie) return a->tie < b->tie;
  return a->row < b->row;
}

static int compare(const void *a, const void *b) { return is_less(b, a) - is_less(a, b); }

static void sort_few(struct entry *entries, size_t count) {
  if (count > FEW) {
    qsort(entries, count, sizeof *entries, compare);
    return;
  }
  for (size_t index = 1; index < count; index++) {
    struct entry moved = entries[index];
    size_t place = index;
    for (; place > 0 && is_less(&moved, &entries[place - 1]); place--)
      entries[place] = entries[place - 1];
    entries[place] = moved;
  }
}

/* Distributes entries to `target` by the bits of their key from `shift`; sets the end of each value of
   these bits. */
static void distribute(
    const struct entry *source, struct entry *target, size_t count, int shift, int bits,
    uint32_t *ends) {
  uint64_t mask = (1u << bits) - 1;
  memset(ends, 0, sizeof *ends << bits);
  for (size_t index = 0; index < count; index++) ends[source[index].key[0] >> shift & mask]++;
  uint32_t sum = 0;
  for (uint64_t value = 0; value <= mask; value++) {
    uint32_t length = ends[value];
    ends[value] = sum;
    sum += length;
  }
  for (size_t index = 0; index < count; index++)
    target[ends[source[index].key[0] >> shift & mask]++] = source[index];
}

void sort_entries(struct entry *entries, size_t count) {
  uint32_t first[1 << FIRST_BITS], second[1 << SECOND_BITS];
  struct entry *scratch = allocate((count + 1) * sizeof *scratch);
  distribute(entries, scratch, count, 64 - FIRST_BITS, FIRST_BITS, first);
  size_t start = 0;
  for (size_t value = 0; value < 1 << FIRST_BITS; value++) {
    size_t length = first[value] - start;
    struct entry *part = entries + start;
    distribute(scratch + start, part, length, 64 - FIRST_BITS - SECOND_BITS, SECOND_BITS, second);
    size_t inner_start = 0;
    for (size_t inner = 0; inner < 1 << SECOND_BITS; inner++) {
      sort_few(part + inner_start, second[inner] - inner_start);
      inner_start = second[inner];
    }
    start = first[value];
  }
  free(scratch);
}
