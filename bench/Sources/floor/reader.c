/* File -> yajl -> batches of checked records. */
#include "floor.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yajl/yajl_parse.h>

enum { CHUNK_SIZE = 64 * 1024, NO_FIELD = -1 };

void batch_make(struct batch *batch, size_t capacity) {
  *batch = (struct batch){ .capacity = capacity, .arena_capacity = 1 << 16 };
  batch->records = allocate(capacity * sizeof *batch->records);
  batch->arena = allocate(batch->arena_capacity);
}

void batch_clear(struct batch *batch) {
  batch->count = batch->arena_length = batch->new_category_count = 0;
}

void batch_free(struct batch *batch) {
  free(batch->records);
  free(batch->arena);
  free(batch->new_categories);
}

/* Room for `length` more bytes in the arena, at its end. */
static char *arena_room(struct batch *batch, size_t length) {
  if (batch->arena_capacity - batch->arena_length < length) {
    batch->arena_capacity = batch->arena_capacity * 2 + length;
    batch->arena = reallocate(batch->arena, batch->arena_capacity);
  }
  return batch->arena + batch->arena_length;
}

/* The state of the callbacks. */
struct state {
  struct batch *batch;
  struct record *record;
  struct categories *categories;
  struct reading reading;
  int depth;       /* of objects: 1 in a record, 2 in its category */
  int field;       /* the latest key, from the enumerations of floor.h */
  batch_taker take;
  void *context;
};

/* Whether a record has its required values, within their bounds. */
static bool is_acceptable(const struct record *record) {
  const uint32_t required =
      1u << IDENTIFIER | 1u << NAME | 1u << HAS_LATITUDE | 1u << HAS_LONGITUDE;
  return !record->is_malformed && (record->present & required) == required
         && record->texts[NAME].length > 0
         && record->latitude >= -90 && record->latitude <= 90
         && record->longitude >= -180 && record->longitude <= 180;
}

static void add_new_category(struct batch *batch, struct text name) {
  if (batch->new_category_count == batch->new_category_capacity) {
    batch->new_category_capacity = batch->new_category_capacity * 2 + 64;
    batch->new_categories = reallocate(
        batch->new_categories, batch->new_category_capacity * sizeof *batch->new_categories);
  }
  batch->new_categories[batch->new_category_count++] = name;
}

static void end_record(struct state *state) {
  struct batch *batch = state->batch;
  struct record *record = state->record;
  state->reading.read_count++;
  if (!is_acceptable(record)) {
    state->reading.rejected_count++;
    return;
  }
  if (record->present & 1u << CATEGORY) {
    struct text name = record->texts[CATEGORY];
    bool is_new;
    record->category =
        category_id(state->categories, batch->arena + name.offset, name.length, &is_new);
    if (is_new) add_new_category(batch, name);
  }
  if (++batch->count == batch->capacity) state->batch = state->take(state->context, batch);
}

static int on_start_map(void *context) {
  struct state *state = context;
  if (++state->depth == 1) {
    state->record = &state->batch->records[state->batch->count];
    state->record->present = 0;
    state->record->category = 0;
    state->record->is_malformed = false;
  }
  return 1;
}

static int on_end_map(void *context) {
  struct state *state = context;
  if (--state->depth == 0) end_record(state);
  return 1;
}

static int field_named(const char *name, size_t length) {
  switch (length) {
  case 4:
    if (memcmp(name, "name", 4) == 0) return NAME;
    return memcmp(name, "city", 4) == 0 ? CITY : NO_FIELD;
  case 7:
    if (memcmp(name, "address", 7) == 0) return ADDRESS;
    return memcmp(name, "country", 7) == 0 ? COUNTRY : NO_FIELD;
  case 8:
    if (memcmp(name, "latitude", 8) == 0) return HAS_LATITUDE;
    return memcmp(name, "category", 8) == 0 ? CATEGORY : NO_FIELD;
  case 9:
    if (memcmp(name, "longitude", 9) == 0) return HAS_LONGITUDE;
    return memcmp(name, "updatedAt", 9) == 0 ? HAS_UPDATED_AT : NO_FIELD;
  case 10: return memcmp(name, "identifier", 10) == 0 ? IDENTIFIER : NO_FIELD;
  case 11: return memcmp(name, "information", 11) == 0 ? INFORMATION : NO_FIELD;
  default: return NO_FIELD;
  }
}

static int on_map_key(void *context, const unsigned char *name, size_t length) {
  struct state *state = context;
  int field = state->field;
  if (state->depth == 1)
    state->field = field_named((const char *)name, length);
  else if (state->depth == 2 && field == CATEGORY && length == 4 && memcmp(name, "name", 4) == 0)
    state->field = CATEGORY;
  else
    state->field = NO_FIELD;
  return 1;
}

static int on_string(void *context, const unsigned char *bytes, size_t length) {
  struct state *state = context;
  struct record *record = state->record;
  const char *text = (const char *)bytes;
  int field = state->field;
  if (field == NO_FIELD) return 1;
  if (field < TEXT_COUNT) {
    char *room = arena_room(state->batch, length);
    if (field == IDENTIFIER)
      record->is_malformed |= !decode_uuid(text, length, room);
    else
      memcpy(room, text, length);
    record->texts[field] =
        (struct text){ (uint32_t)state->batch->arena_length, (uint32_t)length };
    state->batch->arena_length += length;
  } else if (field == HAS_UPDATED_AT) {
    record->is_malformed |= !decode_instant(text, length, &record->updated_at);
  } else {
    record->is_malformed = true;
  }
  record->present |= 1u << field;
  return 1;
}

static int on_number(void *context, const char *text, size_t length) {
  struct state *state = context;
  struct record *record = state->record;
  int field = state->field;
  if (field == NO_FIELD) return 1;
  if (field == HAS_LATITUDE)
    record->is_malformed |= !decode_real(text, length, &record->latitude);
  else if (field == HAS_LONGITUDE)
    record->is_malformed |= !decode_real(text, length, &record->longitude);
  else
    record->is_malformed = true;
  record->present |= 1u << field;
  return 1;
}

static int on_null(void *context) { (void)context; return 1; }

static int on_boolean(void *context, int value) {
  struct state *state = context;
  (void)value;
  if (state->field != NO_FIELD) state->record->is_malformed = true;
  return 1;
}

static const yajl_callbacks record_callbacks = {
  .yajl_null = on_null, .yajl_boolean = on_boolean, .yajl_number = on_number,
  .yajl_string = on_string, .yajl_start_map = on_start_map, .yajl_map_key = on_map_key,
  .yajl_end_map = on_end_map, .yajl_start_array = on_null, .yajl_end_array = on_null,
};

/* Empty callbacks, so that yajl extracts the lexemes. */
static int ignore(void *context) { (void)context; return 1; }
static int ignore_boolean(void *context, int value) { (void)context; (void)value; return 1; }
static int ignore_number(void *context, const char *text, size_t length) {
  (void)context; (void)text; (void)length;
  return 1;
}
static int ignore_string(void *context, const unsigned char *text, size_t length) {
  (void)context; (void)text; (void)length;
  return 1;
}

static const yajl_callbacks empty_callbacks = {
  .yajl_null = ignore, .yajl_boolean = ignore_boolean, .yajl_number = ignore_number,
  .yajl_string = ignore_string, .yajl_start_map = ignore, .yajl_map_key = ignore_string,
  .yajl_end_map = ignore, .yajl_start_array = ignore, .yajl_end_array = ignore,
};

static uint64_t parse_file(const char *path, const yajl_callbacks *callbacks, void *context) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) fail("%s cannot be opened", path);
  unsigned char *chunk = allocate(CHUNK_SIZE);
  yajl_handle parser = yajl_alloc(callbacks, NULL, context);
  uint64_t total = 0;
  yajl_status status = yajl_status_ok;
  ssize_t length;
  while (status == yajl_status_ok && (length = read(file, chunk, CHUNK_SIZE)) > 0) {
    status = yajl_parse(parser, chunk, (size_t)length);
    total += (uint64_t)length;
  }
  if (length < 0) fail("%s cannot be read", path);
  if (status == yajl_status_ok) status = yajl_complete_parse(parser);
  if (status != yajl_status_ok) fail("%s: %s", path, yajl_status_to_string(status));
  yajl_free(parser);
  free(chunk);
  close(file);
  return total;
}

struct reading parse_only(const char *path) {
  return (struct reading){ .byte_count = parse_file(path, &empty_callbacks, NULL) };
}

struct reading read_records(
    const char *path, struct batch *first, batch_taker take, void *context) {
  struct state state = {
    .batch = first, .categories = categories_make(), .field = NO_FIELD, .take = take,
    .context = context,
  };
  state.reading.byte_count = parse_file(path, &record_callbacks, &state);
  if (state.batch->count > 0) take(context, state.batch);
  categories_free(state.categories);
  return state.reading;
}
