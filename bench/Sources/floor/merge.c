/* Merges records into a store with unique identifiers, in four ways. The newer of two records stays, in
 * the existing row. Row ids never change, and the index exists all the time. */
#include "floor.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS \
  "identifier, name, address, city, country, information, latitude, longitude, updatedAt, category"

struct merger {
  sqlite3 *store;
  sqlite3_stmt *begin, *commit, *upsert, *find_category, *insert_category;
  int32_t *categories;   /* row ids, by the number that the reader gives */
  size_t category_count, category_capacity;

  /* landing */
  sqlite3_stmt *land;
  char *content;
  size_t content_capacity;

  /* sorted: every record followed by its text */
  char **records;
  size_t record_count, record_capacity;

  /* window */
  struct window *window;
  sqlite3_stmt *update;

  struct merging merging;
};

/* A landed record with its text in one block. */
static size_t pack(
    const struct merger *merger, const struct batch *batch, const struct record *record,
    char *content) {
  struct record packed = *record;
  size_t length = sizeof packed;
  for (int field = 0; field < CATEGORY; field++) {
    struct text *text = &packed.texts[field];
    if ((record->present & 1u << field) == 0) continue;
    memcpy(content + length, batch->arena + text->offset, text->length);
    text->offset = (uint32_t)length;
    length += text->length;
  }
  if (record->category > 0) packed.category = merger->categories[record->category - 1];
  memcpy(content, &packed, sizeof packed);
  return length;
}

static size_t packed_size(const struct record *record) {
  size_t length = sizeof *record;
  for (int field = 0; field < CATEGORY; field++)
    if (record->present & 1u << field) length += record->texts[field].length;
  return length;
}

static void bind_packed(sqlite3_stmt *statement, const char *content) {
  struct record record;
  memcpy(&record, content, sizeof record);
  for (int field = IDENTIFIER; field <= INFORMATION; field++) {
    if (record.present & 1u << field)
      sqlite3_bind_text(
          statement, field + 1, content + record.texts[field].offset,
          (int)record.texts[field].length, SQLITE_STATIC);
    else
      sqlite3_bind_null(statement, field + 1);
  }
  sqlite3_bind_double(statement, 7, record.latitude);
  sqlite3_bind_double(statement, 8, record.longitude);
  if (record.present & 1u << HAS_UPDATED_AT)
    sqlite3_bind_int64(statement, 9, record.updated_at);
  else
    sqlite3_bind_null(statement, 9);
  if (record.category > 0)
    sqlite3_bind_int64(statement, 10, record.category);
  else
    sqlite3_bind_null(statement, 10);
}

/* Row ids of categories that are new to the reader; they may be stored already. */
static void add_categories(struct merger *merger, const struct batch *batch) {
  for (size_t index = 0; index < batch->new_category_count; index++) {
    struct text name = batch->new_categories[index];
    if (merger->category_count == merger->category_capacity) {
      merger->category_capacity = merger->category_capacity * 2 + 512;
      merger->categories = reallocate(
          merger->categories, merger->category_capacity * sizeof *merger->categories);
    }
    sqlite3_stmt *find = merger->find_category;
    sqlite3_bind_text(find, 1, batch->arena + name.offset, (int)name.length, SQLITE_STATIC);
    bool is_stored = sqlite3_step(find) == SQLITE_ROW;
    int32_t row = is_stored ? sqlite3_column_int(find, 0) : 0;
    sqlite3_reset(find);
    if (!is_stored) {
      sqlite3_bind_text(
          merger->insert_category, 1, batch->arena + name.offset, (int)name.length,
          SQLITE_STATIC);
      store_step(merger->store, merger->insert_category);
      row = (int32_t)sqlite3_last_insert_rowid(merger->store);
    }
    merger->categories[merger->category_count++] = row;
  }
}

static char *room(struct merger *merger, size_t length) {
  if (merger->content_capacity < length) {
    merger->content_capacity = length * 2;
    merger->content = reallocate(merger->content, merger->content_capacity);
  }
  return merger->content;
}

/* Upserts a record; the number of changed rows does not show whether it was inserted or updated. */
static void upsert(struct merger *merger, const char *content) {
  bind_packed(merger->upsert, content);
  store_step(merger->store, merger->upsert);
}

static void upsert_batch(void *context, struct batch *batch) {
  struct merger *merger = context;
  store_step(merger->store, merger->begin);
  add_categories(merger, batch);
  for (size_t index = 0; index < batch->count; index++) {
    const struct record *record = &batch->records[index];
    char *content = room(merger, packed_size(record));
    pack(merger, batch, record, content);
    upsert(merger, content);
  }
  store_step(merger->store, merger->commit);
}

static void follow_batch(void *context, struct batch *batch) {
  struct merger *merger = context;
  store_step(merger->store, merger->begin);
  add_categories(merger, batch);
  for (size_t index = 0; index < batch->count; index++) {
    const struct record *record = &batch->records[index];
    char *content = room(merger, packed_size(record));
    pack(merger, batch, record, content);
    int64_t row;
    switch (window_meet(merger->window, content, &row)) {
    case MEETS_SAME: break;
    case MEETS_NONE: upsert(merger, content); break;
    case MEETS_OTHER:
      bind_packed(merger->update, content);
      sqlite3_bind_int64(merger->update, 11, row);
      store_step(merger->store, merger->update);
      merger->merging.updated += (size_t)sqlite3_changes(merger->store);
    }
  }
  store_step(merger->store, merger->commit);
}

static void keep_batch(void *context, struct batch *batch) {
  struct merger *merger = context;
  store_step(merger->store, merger->begin);
  add_categories(merger, batch);
  store_step(merger->store, merger->commit);
  for (size_t index = 0; index < batch->count; index++) {
    if (merger->record_count == merger->record_capacity) {
      merger->record_capacity = merger->record_capacity * 2 + (1 << 16);
      merger->records =
          reallocate(merger->records, merger->record_capacity * sizeof *merger->records);
    }
    const struct record *record = &batch->records[index];
    char *content = allocate(packed_size(record));
    pack(merger, batch, record, content);
    merger->records[merger->record_count++] = content;
  }
}

/* The first 16 bytes of an identifier, ordered like the index. */
static void prefix_of(const char *identifier, uint64_t key[2]) {
  for (int half = 0; half < 2; half++) {
    key[half] = 0;
    for (int index = 0; index < 8; index++)
      key[half] = key[half] << 8 | (unsigned char)identifier[half * 8 + index];
  }
}

static void land_batch(void *context, struct batch *batch) {
  struct merger *merger = context;
  store_step(merger->store, merger->begin);
  add_categories(merger, batch);
  for (size_t index = 0; index < batch->count; index++) {
    const struct record *record = &batch->records[index];
    uint64_t key[2];
    prefix_of(batch->arena + record->texts[IDENTIFIER].offset, key);
    char *content = room(merger, packed_size(record));
    size_t length = pack(merger, batch, record, content);
    sqlite3_bind_int64(merger->land, 1, (int64_t)key[0]);
    sqlite3_bind_int64(merger->land, 2, (int64_t)key[1]);
    sqlite3_bind_blob(merger->land, 3, content, (int)length, SQLITE_STATIC);
    store_step(merger->store, merger->land);
  }
  store_step(merger->store, merger->commit);
}

static int64_t stored_count(struct merger *merger) {
  return store_integer(merger->store, "SELECT max(poikit_id) FROM poi");
}

static int by_identifier(const void *a, const void *b) {
  const char *left = *(char *const *)a, *right = *(char *const *)b;
  struct record one, other;
  memcpy(&one, left, sizeof one);
  memcpy(&other, right, sizeof other);
  int order = memcmp(
      left + one.texts[IDENTIFIER].offset, right + other.texts[IDENTIFIER].offset, 36);
  return order != 0 ? order : left < right ? -1 : 1;
}

static void upsert_sorted(struct merger *merger, size_t batch_size) {
  struct seconds start = seconds_now();
  qsort(merger->records, merger->record_count, sizeof *merger->records, by_identifier);
  merger->merging.sort = seconds_since(start);
  start = seconds_now();
  for (size_t index = 0; index < merger->record_count; index++) {
    if (index % batch_size == 0) store_step(merger->store, merger->begin);
    upsert(merger, merger->records[index]);
    free(merger->records[index]);
    if (index % batch_size == batch_size - 1 || index == merger->record_count - 1)
      store_step(merger->store, merger->commit);
  }
  free(merger->records);
  merger->merging.insert = seconds_since(start);
}

/* Scales row ids so that sort_entries spreads them over all of its parts. */
static uint64_t spread(int64_t row, int64_t greatest) {
  return (uint64_t)row << __builtin_clzll((uint64_t)greatest | 1);
}

/* Landed records in the order of their keys. */
static struct entry *read_landed(struct merger *merger, size_t *count) {
  *count = (size_t)store_integer(merger->store, "SELECT count(*) FROM landing");
  struct entry *entries = allocate((*count + 1) * sizeof *entries);
  sqlite3_stmt *rows = store_prepare(merger->store, "SELECT id, key_high, key_low FROM landing");
  for (size_t index = 0; sqlite3_step(rows) == SQLITE_ROW; index++) {
    entries[index] = (struct entry){
      .key = { (uint64_t)sqlite3_column_int64(rows, 1), (uint64_t)sqlite3_column_int64(rows, 2) },
      .row = sqlite3_column_int64(rows, 0)
    };
  }
  sqlite3_finalize(rows);
  sort_entries(entries, *count);
  return entries;
}

/* Partitions the entries: first those with a stored row, in row order, with the row id in `timestamp`.
   Returns their number. */
static size_t find_rows(struct merger *merger, struct entry *entries, size_t count) {
  int64_t greatest = stored_count(merger);
  struct entry *found = allocate((count + 1) * sizeof *found);
  size_t found_count = 0, new_count = 0;
  sqlite3_stmt *keys = store_prepare(
      merger->store, "SELECT identifier, poikit_id FROM poi ORDER BY identifier");
  uint64_t key[2] = { 0, 0 };
  bool is_row = false, is_begun = false;
  for (size_t index = 0; index < count; index++) {
    struct entry *entry = &entries[index];
    while (!is_begun || (is_row && (key[0] < entry->key[0]
                                    || (key[0] == entry->key[0] && key[1] < entry->key[1])))) {
      is_begun = true;
      is_row = sqlite3_step(keys) == SQLITE_ROW;
      if (is_row) prefix_of((const char *)sqlite3_column_text(keys, 0), key);
    }
    if (is_row && key[0] == entry->key[0] && key[1] == entry->key[1]) {
      int64_t row = sqlite3_column_int64(keys, 1);
      found[found_count++] = (struct entry){
        .key = { spread(row, greatest), (uint64_t)entry->row }, .timestamp = row, .row = entry->row
      };
    } else {
      entries[new_count++] = *entry;
    }
  }
  sqlite3_finalize(keys);
  sort_entries(found, found_count);
  memmove(entries + found_count, entries, new_count * sizeof *entries);
  memcpy(entries, found, found_count * sizeof *found);
  free(found);
  return found_count;
}

static size_t write_landed(
    struct merger *merger, sqlite3_stmt *write, bool is_update, const struct entry *entries,
    size_t count, size_t batch_size) {
  sqlite3_stmt *read = store_prepare(merger->store, "SELECT content FROM landing WHERE id = ?");
  int before = sqlite3_total_changes(merger->store);
  for (size_t index = 0; index < count; index++) {
    if (index % batch_size == 0) store_step(merger->store, merger->begin);
    sqlite3_bind_int64(read, 1, entries[index].row);
    if (sqlite3_step(read) != SQLITE_ROW) fail("%s", sqlite3_errmsg(merger->store));
    const char *content = sqlite3_column_blob(read, 0);
    bind_packed(write, content);
    if (is_update) sqlite3_bind_int64(write, 11, entries[index].timestamp);
    store_step(merger->store, write);
    sqlite3_reset(read);
    if (index % batch_size == batch_size - 1 || index == count - 1)
      store_step(merger->store, merger->commit);
  }
  sqlite3_finalize(read);
  return (size_t)(sqlite3_total_changes(merger->store) - before);
}

static void merge_landed(struct merger *merger, size_t batch_size) {
  struct seconds start = seconds_now();
  size_t count;
  struct entry *entries = read_landed(merger, &count);
  size_t found_count = find_rows(merger, entries, count);
  merger->merging.sort = seconds_since(start);

  start = seconds_now();
  merger->merging.updated =
      write_landed(merger, merger->update, true, entries, found_count, batch_size);
  merger->merging.update = seconds_since(start);

  start = seconds_now();
  /* If the file has it twice, it is stored when it comes again. */
  write_landed(
      merger, merger->upsert, false, entries + found_count, count - found_count, batch_size);
  free(entries);
  store_run(merger->store, "DROP TABLE landing");
  merger->merging.insert = seconds_since(start);
}

struct merging merge(sqlite3 *store, const struct options *options) {
  bool lands = strcmp(options->road, "landing") == 0;
  bool sorts = strcmp(options->road, "sorted") == 0;
  bool follows = strcmp(options->road, "window") == 0;
  if (!lands && !sorts && !follows && strcmp(options->road, "upsert") != 0)
    fail("unknown road '%s'; see --help", options->road);
  if (lands)
    store_run(store, "CREATE TABLE landing (id INTEGER PRIMARY KEY, key_high INTEGER,"
                     " key_low INTEGER, content BLOB) STRICT");
  struct merger merger = {
    .store = store,
    .begin = store_prepare(store, "BEGIN IMMEDIATE"),
    .commit = store_prepare(store, "COMMIT"),
    .upsert = store_prepare(
        store,
        "INSERT INTO poi (" COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (identifier) DO UPDATE SET name = excluded.name, address = excluded.address,"
        " city = excluded.city, country = excluded.country, information = excluded.information,"
        " latitude = excluded.latitude, longitude = excluded.longitude,"
        " updatedAt = excluded.updatedAt, category = excluded.category"
        " WHERE excluded.updatedAt > ifnull(updatedAt, -9223372036854775808)"),
    .update = store_prepare(
        store,
        "UPDATE poi SET name = ?2, address = ?3, city = ?4, country = ?5, information = ?6,"
        " latitude = ?7, longitude = ?8, updatedAt = ?9, category = ?10"
        " WHERE poikit_id = ?11 AND ?9 > ifnull(updatedAt, -9223372036854775808)"),
    .window = follows ? window_make(store) : NULL,
    .find_category = store_prepare(store, "SELECT poikit_id FROM category WHERE name = ?"),
    .insert_category = store_prepare(store, "INSERT INTO category (name) VALUES (?)"),
    .land = lands ? store_prepare(
        store, "INSERT INTO landing (key_high, key_low, content) VALUES (?, ?, ?)") : NULL,
  };
  int64_t before = store_integer(store, "SELECT count(*) FROM poi");
  struct seconds start = seconds_now();
  merger.merging.reading = read_and_write(
      options,
      lands ? land_batch : sorts ? keep_batch : follows ? follow_batch : upsert_batch, &merger);
  merger.merging.read = seconds_since(start);
  if (lands) merge_landed(&merger, options->batch_size);
  if (sorts) upsert_sorted(&merger, options->batch_size);
  merger.merging.inserted = (size_t)(store_integer(store, "SELECT count(*) FROM poi") - before);
  sqlite3_finalize(merger.begin);
  sqlite3_finalize(merger.commit);
  sqlite3_finalize(merger.upsert);
  sqlite3_finalize(merger.update);
  sqlite3_finalize(merger.find_category);
  sqlite3_finalize(merger.insert_category);
  sqlite3_finalize(merger.land);
  if (follows) window_free(merger.window);
  free(merger.categories);
  free(merger.content);
  return merger.merging;
}
