/* The SQLite store, with poi-import's schema of the built-in model. */
#include "floor.h"

#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

static const char schema[] =
    "CREATE TABLE category (poikit_id INTEGER PRIMARY KEY, name TEXT NOT NULL, UNIQUE (name))"
    " STRICT;"
    "CREATE TABLE poi (poikit_id INTEGER PRIMARY KEY, identifier TEXT NOT NULL,"
    " name TEXT NOT NULL, address TEXT, city TEXT, country TEXT, information TEXT,"
    " latitude REAL NOT NULL, longitude REAL NOT NULL, updatedAt INTEGER,"
    " category INTEGER REFERENCES category (poikit_id)) STRICT;";

void store_run(sqlite3 *store, const char *sql) {
  if (sqlite3_exec(store, sql, NULL, NULL, NULL) != SQLITE_OK)
    fail("%s: %s", sql, sqlite3_errmsg(store));
}

sqlite3_stmt *store_prepare(sqlite3 *store, const char *sql) {
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v3(store, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) != SQLITE_OK)
    fail("%s: %s", sql, sqlite3_errmsg(store));
  return statement;
}

void store_step(sqlite3 *store, sqlite3_stmt *statement) {
  if (sqlite3_step(statement) != SQLITE_DONE) fail("%s", sqlite3_errmsg(store));
  sqlite3_reset(statement);
}

int64_t store_integer(sqlite3 *store, const char *sql) {
  sqlite3_stmt *statement = store_prepare(store, sql);
  if (sqlite3_step(statement) != SQLITE_ROW) fail("%s: %s", sql, sqlite3_errmsg(store));
  int64_t value = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return value;
}

sqlite3 *store_open(const struct options *options, bool is_new) {
  if (options->store == NULL) fail("--store is missing");
  if (is_new && access(options->store, F_OK) == 0) fail("%s is there already", options->store);
  sqlite3 *store;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (is_new ? SQLITE_OPEN_CREATE : 0);
  if (sqlite3_open_v2(options->store, &store, flags, NULL) != SQLITE_OK)
    fail("%s: %s", options->store, sqlite3_errmsg(store));
  char settings[128];
  snprintf(settings, sizeof settings, "PRAGMA journal_mode = WAL; PRAGMA synchronous = %s;",
           options->synchronous);
  if (options->pragmas != NULL) store_run(store, options->pragmas);
  store_run(store, settings);
  if (is_new) store_run(store, schema);
  return store;
}

void store_close(sqlite3 *store) {
  if (sqlite3_close(store) != SQLITE_OK) fail("%s", sqlite3_errmsg(store));
}

void store_make_unique_index(sqlite3 *store) {
  store_run(store, "CREATE UNIQUE INDEX poi_identifier ON poi (identifier)");
}
