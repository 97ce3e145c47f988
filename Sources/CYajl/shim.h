#pragma once

#include <yajl/yajl_parse.h>

// yajl_config is variadic, which Swift cannot call: one wrapper for each option in use.

static inline int cyajl_allow_multiple_values(yajl_handle handle) {
  return yajl_config(handle, yajl_allow_multiple_values, 1);
}

// Strings are validated by JSONStreaming itself, more strictly than yajl does.
static inline int cyajl_do_not_validate_strings(yajl_handle handle) {
  return yajl_config(handle, yajl_dont_validate_strings, 1);
}
