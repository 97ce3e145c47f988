#pragma once

#include <sqlite3.h>

// sqlite3_db_config is variadic, which Swift cannot call: one wrapper for each option in use.

static inline int csqlite_set_defensive(sqlite3 *database, int is_on) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, is_on, (int *)0);
}

static inline int csqlite_set_triggers(sqlite3 *database, int is_on) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, is_on, (int *)0);
}

static inline int csqlite_distrust_schema(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}

static inline int csqlite_disable_extension_loading(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, (int *)0);
}

// sqlite3_config is variadic, too.

static inline int csqlite_disable_memory_statistics(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static inline int csqlite_take_pages_singly(void) {
  return sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 0);
}

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift does not import: the two binds that copy.

static inline int csqlite_bind_text_copy(
    sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int csqlite_bind_blob_copy(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// Whether a text is stored in UTF-8. Before SQLite 3.40 this is unknown, and SQLite converts.

static inline int csqlite_is_utf8(sqlite3_value *value) {
#if SQLITE_VERSION_NUMBER >= 3040000
  return sqlite3_value_encoding(value) == SQLITE_UTF8;
#else
  (void)value;
  return 0;
#endif
}
