/* The floor: the bare cost of the job in C on the same libraries.
 *
 * It reads the array of generate-poi and knows the built-in model only. There is no recovery, reject log,
 * checkpoint or digest: a record that fails a check is counted and skipped, and every other error ends
 * the program.
 */
#ifndef FLOOR_H
#define FLOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The parsed options. */
struct options {
  const char *mode;
  const char *input;
  const char *store;
  const char *synchronous;
  const char *pragmas;   /* further settings for experiments, or NULL */
  size_t batch_size;     /* records of a transaction */
  size_t record_count;   /* for the phases without a file */
  int thread_count;      /* 1, or 2 for a writing thread of its own */
  const char *road;      /* merge: which */
  bool unique_index;     /* dedup: make the unique index afterwards */
};

/* program.c */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *allocate(size_t size);
void *reallocate(void *memory, size_t size);

/* Elapsed time: by the clock, and in processor time of all threads. */
struct seconds {
  double wall, cpu;
};
struct seconds seconds_now(void);
struct seconds seconds_since(struct seconds start);

/* A place in the arena of a batch. */
struct text {
  uint32_t offset;
  uint32_t length;
};

enum text_field { IDENTIFIER, NAME, ADDRESS, CITY, COUNTRY, INFORMATION, CATEGORY, TEXT_COUNT };

/* Flags after those of the text fields. */
enum { HAS_LATITUDE = TEXT_COUNT, HAS_LONGITUDE, HAS_UPDATED_AT };

struct record {
  struct text texts[TEXT_COUNT];
  double latitude;
  double longitude;
  int64_t updated_at;   /* microseconds since 1970 in UTC */
  int32_t category;     /* the category's row id, or 0 */
  uint32_t present;     /* one bit for each field, in the order of the two enumerations above */
  bool is_malformed;    /* a value cannot be decoded */
};

/* Records of one transaction. The arena keeps its memory from batch to batch. */
struct batch {
  struct record *records;
  size_t count;
  size_t capacity;
  char *arena;
  size_t arena_length;
  size_t arena_capacity;
  struct text *new_categories;   /* texts of the arena; their row ids continue the previous ones */
  size_t new_category_count;
  size_t new_category_capacity;
};

void batch_make(struct batch *batch, size_t capacity);
void batch_clear(struct batch *batch);
void batch_free(struct batch *batch);

/* values.c: each returns false for an invalid text. */
bool decode_real(const char *text, size_t length, double *value);
bool decode_instant(const char *text, size_t length, int64_t *microseconds);
bool decode_uuid(const char *text, size_t length, char *upper_case);

/* categories.c: row ids of category names, in memory. */
struct categories;
struct categories *categories_make(void);
int32_t category_id(struct categories *categories, const char *name, size_t length, bool *is_new);
void categories_free(struct categories *categories);

/* reader.c: file -> batches of checked records. */
struct reading {
  size_t read_count;
  size_t rejected_count;
  uint64_t byte_count;
};

/* Receives a full batch (the last one may be smaller) and returns an empty one. */
typedef struct batch *(*batch_taker)(void *context, struct batch *full);

struct reading parse_only(const char *path);
struct reading read_records(
    const char *path, struct batch *first, batch_taker take, void *context);

/* store.c */
struct sqlite3;
struct sqlite3_stmt;
struct sqlite3 *store_open(const struct options *options, bool is_new);
void store_close(struct sqlite3 *store);
void store_run(struct sqlite3 *store, const char *sql);
struct sqlite3_stmt *store_prepare(struct sqlite3 *store, const char *sql);
void store_step(struct sqlite3 *store, struct sqlite3_stmt *statement);
int64_t store_integer(struct sqlite3 *store, const char *sql);
void store_make_unique_index(struct sqlite3 *store);

/* Writes a batch; it may change its records. */
typedef void (*batch_writer)(void *context, struct batch *batch);

/* append.c */
struct reading read_and_write(const struct options *options, batch_writer write, void *context);
struct reading append(struct sqlite3 *store, const struct options *options);

/* merge.c: the counts of the records and the seconds of its parts. */
struct merging {
  struct reading reading;
  size_t inserted, updated;
  struct seconds read, sort, update, insert;
};
struct merging merge(struct sqlite3 *store, const struct options *options);

/* window.c: the rows that records in the order of the table meet next. A packed record is a record and its texts. */
enum meeting { MEETS_NONE, MEETS_SAME, MEETS_OTHER };
struct window;
struct window *window_make(struct sqlite3 *store);
enum meeting window_meet(struct window *window, const char *packed, int64_t *id);
void window_free(struct window *window);

/* dedup.c: returns the number of losers, and the seconds of its parts. */
struct dedup_seconds {
  struct seconds scan, sort, delete;
};
size_t deduplicate(struct sqlite3 *store, size_t batch_size, struct dedup_seconds *seconds);

/* A row's sort key: 40 bytes, as poi-dedup sorts them. */
struct entry {
  uint64_t key[2];
  int64_t timestamp;
  uint64_t tie;
  int64_t row;
};
void sort_entries(struct entry *entries, size_t count);

/* murmur.c: MurmurHash3 x64 128. */
void murmur3(const void *bytes, size_t length, uint64_t digest[2]);

#endif
