/* Keeping the newest row of each identifier: read keys, decide in memory, delete by row id. */
#include "floor.h"

#include <sqlite3.h>
#include <stdlib.h>

/* The value of a valid hexadecimal digit. */
static uint64_t nibble(unsigned char c) { return (c & 0xF) + (c >> 6) * 9u; }

/* The 16 bytes of a canonical UUID. */
static void pack_uuid(const unsigned char *text, uint64_t key[2]) {
  uint64_t high = 0, low = 0;
  for (int index = 0; index < 18; index++)
    if (text[index] != '-') high = high << 4 | nibble(text[index]);
  for (int index = 19; index < 36; index++)
    if (text[index] != '-') low = low << 4 | nibble(text[index]);
  key[0] = high;
  key[1] = low;
}

static struct entry *read_entries(sqlite3 *store, size_t *count) {
  size_t capacity = 1 << 16;
  struct entry *entries = allocate(capacity * sizeof *entries);
  *count = 0;
  sqlite3_stmt *rows = store_prepare(store, "SELECT poikit_id, identifier, updatedAt FROM poi");
  while (sqlite3_step(rows) == SQLITE_ROW) {
    if (*count == capacity)
      entries = reallocate(entries, (capacity *= 2) * sizeof *entries);
    struct entry *entry = &entries[(*count)++];
    entry->row = sqlite3_column_int64(rows, 0);
    pack_uuid(sqlite3_column_text(rows, 1), entry->key);
    entry->timestamp = sqlite3_column_type(rows, 2) == SQLITE_NULL
                           ? INT64_MIN
                           : sqlite3_column_int64(rows, 2);
    entry->tie = 0;
  }
  if (sqlite3_finalize(rows) != SQLITE_OK) fail("%s", sqlite3_errmsg(store));
  return entries;
}

/* One bit for each losing row id, so that they are read in order. */
struct losers {
  uint64_t *words;
  size_t word_count;
  size_t count;
};

static struct losers find_losers(const struct entry *entries, size_t count) {
  int64_t last_row = 0;
  for (size_t index = 0; index < count; index++)
    if (entries[index].row > last_row) last_row = entries[index].row;
  struct losers losers = { .word_count = (size_t)last_row / 64 + 1 };
  losers.words = calloc(losers.word_count, sizeof *losers.words);
  if (losers.words == NULL) fail("no memory for losers");
  /* The last entry of a group is the winner. */
  for (size_t index = 1; index < count; index++) {
    const struct entry *entry = &entries[index - 1], *next = &entries[index];
    if (entry->key[0] != next->key[0] || entry->key[1] != next->key[1]) continue;
    losers.words[entry->row / 64] |= 1ull << entry->row % 64;
    losers.count++;
  }
  return losers;
}

static void delete_rows(sqlite3 *store, const struct losers *losers, size_t batch_size) {
  sqlite3_stmt *begin = store_prepare(store, "BEGIN IMMEDIATE");
  sqlite3_stmt *commit = store_prepare(store, "COMMIT");
  sqlite3_stmt *delete = store_prepare(store, "DELETE FROM poi WHERE poikit_id = ?");
  size_t in_batch = 0;
  for (size_t index = 0; index < losers->word_count; index++) {
    for (uint64_t word = losers->words[index]; word != 0; word &= word - 1) {
      if (in_batch == 0) store_step(store, begin);
      sqlite3_bind_int64(delete, 1, (int64_t)(index * 64) + __builtin_ctzll(word));
      store_step(store, delete);
      if (++in_batch == batch_size) {
        store_step(store, commit);
        in_batch = 0;
      }
    }
  }
  if (in_batch > 0) store_step(store, commit);
  sqlite3_finalize(begin);
  sqlite3_finalize(commit);
  sqlite3_finalize(delete);
}

size_t deduplicate(sqlite3 *store, size_t batch_size, struct dedup_seconds *seconds) {
  struct seconds start = seconds_now();
  size_t count;
  struct entry *entries = read_entries(store, &count);
  seconds->scan = seconds_since(start);

  start = seconds_now();
  sort_entries(entries, count);
  struct losers losers = find_losers(entries, count);
  free(entries);
  seconds->sort = seconds_since(start);

  start = seconds_now();
  delete_rows(store, &losers, batch_size);
  free(losers.words);
  seconds->delete = seconds_since(start);
  return losers.count;
}
