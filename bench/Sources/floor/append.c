/* Checked records -> rows, one transaction for each batch. */
#include "floor.h"

#include <pthread.h>
#include <sqlite3.h>

struct writer {
  sqlite3 *store;
  sqlite3_stmt *begin, *commit, *insert, *insert_category;
};

static void bind_text(
    sqlite3_stmt *statement, int parameter, const struct batch *batch,
    const struct record *record, int field) {
  if ((record->present & 1u << field) == 0) {
    sqlite3_bind_null(statement, parameter);
    return;
  }
  struct text text = record->texts[field];
  sqlite3_bind_text(
      statement, parameter, batch->arena + text.offset, (int)text.length, SQLITE_STATIC);
}

static void write_batch(void *context, struct batch *batch) {
  struct writer *writer = context;
  sqlite3_stmt *insert = writer->insert;
  store_step(writer->store, writer->begin);
  for (size_t index = 0; index < batch->new_category_count; index++) {
    struct text name = batch->new_categories[index];
    sqlite3_bind_text(
        writer->insert_category, 1, batch->arena + name.offset, (int)name.length, SQLITE_STATIC);
    store_step(writer->store, writer->insert_category);
  }
  for (size_t index = 0; index < batch->count; index++) {
    const struct record *record = &batch->records[index];
    for (int field = IDENTIFIER; field <= INFORMATION; field++)
      bind_text(insert, field + 1, batch, record, field);
    sqlite3_bind_double(insert, 7, record->latitude);
    sqlite3_bind_double(insert, 8, record->longitude);
    if (record->present & 1u << HAS_UPDATED_AT)
      sqlite3_bind_int64(insert, 9, record->updated_at);
    else
      sqlite3_bind_null(insert, 9);
    if (record->category > 0)
      sqlite3_bind_int64(insert, 10, record->category);
    else
      sqlite3_bind_null(insert, 10);
    store_step(writer->store, insert);
  }
  store_step(writer->store, writer->commit);
}

/* Two batches: one is filled while the other is written. */
struct exchange {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  struct batch *full;    /* waits for the writer, or NULL */
  struct batch *empty;   /* waits for the reader, or NULL */
  bool is_at_end;
  batch_writer write;
  void *context;
};

static struct batch *hand_over(void *context, struct batch *full) {
  struct exchange *exchange = context;
  pthread_mutex_lock(&exchange->mutex);
  while (exchange->full != NULL) pthread_cond_wait(&exchange->changed, &exchange->mutex);
  exchange->full = full;
  pthread_cond_signal(&exchange->changed);
  while (exchange->empty == NULL) pthread_cond_wait(&exchange->changed, &exchange->mutex);
  struct batch *empty = exchange->empty;
  exchange->empty = NULL;
  pthread_mutex_unlock(&exchange->mutex);
  batch_clear(empty);
  return empty;
}

static void *write_batches(void *context) {
  struct exchange *exchange = context;
  pthread_mutex_lock(&exchange->mutex);
  for (;;) {
    while (exchange->full == NULL && !exchange->is_at_end)
      pthread_cond_wait(&exchange->changed, &exchange->mutex);
    struct batch *full = exchange->full;
    if (full == NULL) break;
    exchange->full = NULL;
    pthread_cond_signal(&exchange->changed);
    pthread_mutex_unlock(&exchange->mutex);
    exchange->write(exchange->context, full);
    pthread_mutex_lock(&exchange->mutex);
    exchange->empty = full;
    pthread_cond_signal(&exchange->changed);
  }
  pthread_mutex_unlock(&exchange->mutex);
  return NULL;
}

static struct batch *write_at_once(void *context, struct batch *full) {
  struct exchange *exchange = context;
  exchange->write(exchange->context, full);
  batch_clear(full);
  return full;
}

static struct reading read_beside_writing(struct exchange *exchange, struct batch *first,
                                          const char *input) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, write_batches, exchange) != 0) fail("no thread to write");
  struct reading reading = read_records(input, first, hand_over, exchange);
  pthread_mutex_lock(&exchange->mutex);
  exchange->is_at_end = true;
  pthread_cond_signal(&exchange->changed);
  pthread_mutex_unlock(&exchange->mutex);
  pthread_join(thread, NULL);
  return reading;
}

struct reading read_and_write(const struct options *options, batch_writer write, void *context) {
  struct batch batches[2];
  for (int index = 0; index < 2; index++) batch_make(&batches[index], options->batch_size);
  struct exchange exchange = {
    .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER,
    .empty = &batches[1], .write = write, .context = context,
  };
  struct reading reading =
      options->thread_count == 1
          ? read_records(options->input, &batches[0], write_at_once, &exchange)
          : read_beside_writing(&exchange, &batches[0], options->input);
  for (int index = 0; index < 2; index++) batch_free(&batches[index]);
  return reading;
}

struct reading append(sqlite3 *store, const struct options *options) {
  struct writer writer = {
    .store = store,
    .begin = store_prepare(store, "BEGIN IMMEDIATE"),
    .commit = store_prepare(store, "COMMIT"),
    .insert = store_prepare(
        store,
        "INSERT INTO poi (identifier, name, address, city, country, information, latitude,"
        " longitude, updatedAt, category) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
    .insert_category = store_prepare(store, "INSERT INTO category (name) VALUES (?)"),
  };
  struct reading reading = read_and_write(options, write_batch, &writer);
  sqlite3_finalize(writer.begin);
  sqlite3_finalize(writer.commit);
  sqlite3_finalize(writer.insert);
  sqlite3_finalize(writer.insert_category);
  return reading;
}
