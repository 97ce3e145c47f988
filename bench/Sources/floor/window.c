/* Merges records that come in the order of the rows: these are read ahead in two blocks, and only the records that
 * differ are written. A record that meets no row of the blocks is upserted. */
#include "floor.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 4096, BUCKET_COUNT = 4 * BLOCK_SIZE, MOVING_COUNT = BLOCK_SIZE / 8 };

struct row {
  int64_t id;
  size_t start;   /* of the packed record in the arena */
};

struct block {
  struct row rows[BLOCK_SIZE];
  size_t count;
  char *arena;
  size_t length, capacity;
  uint16_t buckets[BUCKET_COUNT];   /* numbers of rows, from 1 on */
};

struct window {
  sqlite3_stmt *read;
  struct block *first, *second;
  size_t met_second_count;
};

static size_t bucket_of(const char *identifier) {
  uint64_t words[4];
  memcpy(words, identifier, sizeof words);
  uint64_t hash = (words[0] ^ words[1] * 3 ^ words[2] * 5 ^ words[3] * 7) * 0x9E3779B97F4A7C15;
  return hash >> 40 & (BUCKET_COUNT - 1);
}

static const char *identifier_of(const char *packed) {
  struct record record;
  memcpy(&record, packed, sizeof record);
  return packed + record.texts[IDENTIFIER].offset;
}

static bool are_same(const char *left, const char *right) {
  struct record one, other;
  memcpy(&one, left, sizeof one);
  memcpy(&other, right, sizeof other);
  if (one.latitude != other.latitude || one.longitude != other.longitude
      || one.updated_at != other.updated_at || one.category != other.category)
    return false;
  for (int field = IDENTIFIER; field <= INFORMATION; field++) {
    const struct text *text = &one.texts[field], *stored = &other.texts[field];
    if (((one.present ^ other.present) & 1u << field) != 0) return false;
    if ((one.present & 1u << field) == 0) continue;
    if (text->length != stored->length
        || memcmp(left + text->offset, right + stored->offset, text->length) != 0)
      return false;
  }
  return true;
}

/* Packs the current row as a record of the input. */
static void keep_row(struct block *block, sqlite3_stmt *read) {
  size_t room = sizeof(struct record);
  for (int field = IDENTIFIER; field <= INFORMATION; field++)
    room += (size_t)sqlite3_column_bytes(read, field + 1);
  if (block->length + room > block->capacity) {
    block->capacity = (block->length + room) * 2;
    block->arena = reallocate(block->arena, block->capacity);
  }
  char *packed = block->arena + block->length;
  struct record record;
  memset(&record, 0, sizeof record);
  size_t length = sizeof record;
  for (int field = IDENTIFIER; field <= INFORMATION; field++) {
    if (sqlite3_column_type(read, field + 1) == SQLITE_NULL) continue;
    size_t count = (size_t)sqlite3_column_bytes(read, field + 1);
    memcpy(packed + length, sqlite3_column_text(read, field + 1), count);
    record.texts[field] = (struct text){ (uint32_t)length, (uint32_t)count };
    record.present |= 1u << field;
    length += count;
  }
  record.latitude = sqlite3_column_double(read, 7);
  record.longitude = sqlite3_column_double(read, 8);
  record.updated_at = sqlite3_column_int64(read, 9);
  record.category = sqlite3_column_int(read, 10);
  memcpy(packed, &record, sizeof record);
  block->rows[block->count++] = (struct row){ sqlite3_column_int64(read, 0), block->length };
  block->length += length;
}

static void read_block(struct window *window, struct block *block, int64_t after) {
  block->count = block->length = 0;
  memset(block->buckets, 0, sizeof block->buckets);
  sqlite3_bind_int64(window->read, 1, after);
  while (sqlite3_step(window->read) == SQLITE_ROW) keep_row(block, window->read);
  sqlite3_reset(window->read);
  for (size_t number = 0; number < block->count; number++) {
    size_t bucket = bucket_of(identifier_of(block->arena + block->rows[number].start));
    while (block->buckets[bucket] != 0) bucket = (bucket + 1) & (BUCKET_COUNT - 1);
    block->buckets[bucket] = (uint16_t)(number + 1);
  }
}

static int64_t last_of(const struct block *block) {
  return block->count > 0 ? block->rows[block->count - 1].id : INT64_MAX;
}

static const struct row *find(const struct block *block, const char *identifier) {
  for (size_t bucket = bucket_of(identifier); block->buckets[bucket] != 0;
       bucket = (bucket + 1) & (BUCKET_COUNT - 1)) {
    const struct row *row = &block->rows[block->buckets[bucket] - 1];
    if (memcmp(identifier_of(block->arena + row->start), identifier, 36) == 0) return row;
  }
  return NULL;
}

struct window *window_make(sqlite3 *store) {
  struct window *window = allocate(sizeof *window);
  *window = (struct window){
    .read = store_prepare(
        store, "SELECT poikit_id, identifier, name, address, city, country, information, latitude,"
               " longitude, updatedAt, category FROM poi WHERE poikit_id > ? ORDER BY poikit_id LIMIT 4096"),
    .first = allocate(sizeof *window->first), .second = allocate(sizeof *window->second)
  };
  memset(window->first, 0, sizeof *window->first);
  memset(window->second, 0, sizeof *window->second);
  read_block(window, window->first, INT64_MIN);
  read_block(window, window->second, last_of(window->first));
  return window;
}

enum meeting window_meet(struct window *window, const char *packed, int64_t *id) {
  if (window->met_second_count > MOVING_COUNT) {
    struct block *block = window->first;
    window->first = window->second;
    window->second = block;
    read_block(window, block, last_of(window->first));
    window->met_second_count = 0;
  }
  const char *identifier = identifier_of(packed);
  const struct block *block = window->first;
  const struct row *row = find(block, identifier);
  if (row == NULL) {
    block = window->second;
    row = find(block, identifier);
    if (row == NULL) return MEETS_NONE;
    window->met_second_count++;
  }
  *id = row->id;
  return are_same(packed, block->arena + row->start) ? MEETS_SAME : MEETS_OTHER;
}

void window_free(struct window *window) {
  sqlite3_finalize(window->read);
  free(window->first->arena);
  free(window->second->arena);
  free(window->first);
  free(window->second);
  free(window);
}
