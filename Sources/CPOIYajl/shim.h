#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

// yajl_config is variadic, which Swift cannot call: one wrapper for each option in use.

static inline int cyajl_allow_multiple_values(yajl_handle handle) {
  return yajl_config(handle, yajl_allow_multiple_values, 1);
}

// JSONStreaming validates strings itself, more strictly than yajl does.
static inline int cyajl_do_not_validate_strings(yajl_handle handle) {
  return yajl_config(handle, yajl_dont_validate_strings, 1);
}

// yajl does not check its allocations, so a failed one ends the process, as in Swift.

static inline void *cyajl_checked(void *block) {
  if (block) return block;
  fputs("there is no memory to parse JSON\n", stderr);
  abort();
}

static inline void *cyajl_allocate(void *context, size_t size) {
  (void)context;
  return cyajl_checked(malloc(size));
}

static inline void *cyajl_reallocate(void *context, void *block, size_t size) {
  (void)context;
  return cyajl_checked(realloc(block, size));
}

static inline void cyajl_free(void *context, void *block) {
  (void)context;
  free(block);
}

static inline yajl_handle cyajl_alloc(const yajl_callbacks *callbacks, void *context) {
  yajl_alloc_funcs functions = {cyajl_allocate, cyajl_reallocate, cyajl_free, NULL};
  const yajl_handle handle = yajl_alloc(callbacks, &functions, context);
  cyajl_allow_multiple_values(handle);
  cyajl_do_not_validate_strings(handle);
  return handle;
}

enum cyajl_status { cyajl_ok, cyajl_stopped, cyajl_failed };

static inline enum cyajl_status cyajl_status_of(yajl_status status) {
  if (status == yajl_status_ok) return cyajl_ok;
  return status == yajl_status_client_canceled ? cyajl_stopped : cyajl_failed;
}

// The number of bytes before the first vertical tab or form feed.
static inline size_t cyajl_plain_count(const unsigned char *bytes, size_t count) {
  for (int byte = '\v'; byte <= '\f' && count > 0; byte++) {
    const unsigned char *found = (const unsigned char *)memchr(bytes, byte, count);
    if (found) count = (size_t)(found - bytes);
  }
  return count;
}

// yajl accepts vertical tabs and form feeds as white space, which JSON does not. In their place it
// gets a byte that it rejects everywhere. `parsed` receives the number of bytes that the first yajl
// call parsed.
static inline enum cyajl_status cyajl_parse(
    yajl_handle handle, size_t *parsed, const unsigned char *bytes, size_t count) {
  *parsed = 0;
  const size_t plain = cyajl_plain_count(bytes, count);
  const yajl_status status = yajl_parse(handle, bytes, plain);
  if (status != yajl_status_ok || plain == count) return cyajl_status_of(status);
  *parsed = plain;
  return cyajl_status_of(yajl_parse(handle, (const unsigned char *)"\001", 1));
}

static inline enum cyajl_status cyajl_complete_parse(yajl_handle handle) {
  return cyajl_status_of(yajl_complete_parse(handle));
}

static inline unsigned char *cyajl_get_error(yajl_handle handle) {
  return yajl_get_error(handle, 0, NULL, 0);
}
