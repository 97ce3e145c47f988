#pragma once

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

// yajl_config is variadic, which Swift cannot call: one wrapper for each option in use.

static inline int cyajl_allow_multiple_values(yajl_handle handle) {
  return yajl_config(handle, yajl_allow_multiple_values, 1);
}

// Strings are validated by JSONStreaming itself, more strictly than yajl does.
static inline int cyajl_do_not_validate_strings(yajl_handle handle) {
  return yajl_config(handle, yajl_dont_validate_strings, 1);
}

// yajl writes to the memory that it asks for without a look at whether it got any. So where there is
// none, the call of yajl is left: back to the wrapper that made it, over frames of yajl alone. What can be
// done with the parser then is to free it.

struct cyajl_memory {
  jmp_buf way_out;
  // How many of the bytes were parsed by an earlier call of yajl.
  size_t parsed;
};

static inline void *cyajl_allocate(void *memory, size_t size) {
  void *block = malloc(size);
  if (!block) longjmp(((struct cyajl_memory *)memory)->way_out, 1);
  return block;
}

static inline void *cyajl_reallocate(void *memory, void *block, size_t size) {
  void *moved = realloc(block, size);
  if (!moved) longjmp(((struct cyajl_memory *)memory)->way_out, 1);
  return moved;
}

static inline void cyajl_free(void *memory, void *block) {
  (void)memory;
  free(block);
}

// NULL where there is no memory.
static inline yajl_handle cyajl_alloc(
    const yajl_callbacks *callbacks, struct cyajl_memory *memory, void *context) {
  yajl_alloc_funcs functions = {cyajl_allocate, cyajl_reallocate, cyajl_free, memory};
  if (setjmp(memory->way_out)) return NULL;
  const yajl_handle handle = yajl_alloc(callbacks, &functions, context);
  if (handle) {
    cyajl_allow_multiple_values(handle);
    cyajl_do_not_validate_strings(handle);
  }
  return handle;
}

enum cyajl_status { cyajl_ok, cyajl_stopped, cyajl_failed, cyajl_out_of_memory };

static inline enum cyajl_status cyajl_status_of(yajl_status status) {
  if (status == yajl_status_ok) return cyajl_ok;
  return status == yajl_status_client_canceled ? cyajl_stopped : cyajl_failed;
}

// How many bytes come before the first vertical tab or form feed.
static inline size_t cyajl_plain_count(const unsigned char *bytes, size_t count) {
  for (int byte = '\v'; byte <= '\f' && count > 0; byte++) {
    const unsigned char *found = (const unsigned char *)memchr(bytes, byte, count);
    if (found) count = (size_t)(found - bytes);
  }
  return count;
}

// A parser that there was no memory for is NULL.
//
// yajl takes vertical tabs and form feeds for white space, which they are not in JSON. A byte that it refuses
// everywhere is parsed in their place.
static inline enum cyajl_status cyajl_parse(
    yajl_handle handle, struct cyajl_memory *memory, const unsigned char *bytes, size_t count) {
  memory->parsed = 0;
  if (!handle || setjmp(memory->way_out)) return cyajl_out_of_memory;
  const size_t plain = cyajl_plain_count(bytes, count);
  const yajl_status status = yajl_parse(handle, bytes, plain);
  if (status != yajl_status_ok || plain == count) return cyajl_status_of(status);
  memory->parsed = plain;
  return cyajl_status_of(yajl_parse(handle, (const unsigned char *)"\001", 1));
}

static inline enum cyajl_status cyajl_complete_parse(
    yajl_handle handle, struct cyajl_memory *memory) {
  memory->parsed = 0;
  if (!handle || setjmp(memory->way_out)) return cyajl_out_of_memory;
  return cyajl_status_of(yajl_complete_parse(handle));
}

// NULL where there is no memory for the words.
static inline unsigned char *cyajl_get_error(yajl_handle handle, struct cyajl_memory *memory) {
  if (!handle || setjmp(memory->way_out)) return NULL;
  return yajl_get_error(handle, 0, NULL, 0);
}

static inline size_t cyajl_get_bytes_consumed(yajl_handle handle, struct cyajl_memory *memory) {
  return handle ? memory->parsed + yajl_get_bytes_consumed(handle) : 0;
}

static inline void cyajl_free_parser(yajl_handle handle) {
  if (handle) yajl_free(handle);
}
