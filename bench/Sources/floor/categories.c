/* An open hash table of category names. */
#include "floor.h"

#include <stdlib.h>
#include <string.h>

struct category {
  uint32_t hash;
  uint32_t length;
  char *name;
};

/* Row ids are positions in `all`, counted from 1. */
struct categories {
  struct category *all;
  uint32_t count;
  uint32_t capacity;
  int32_t *buckets;   /* twice the capacity; 0 is empty */
};

struct categories *categories_make(void) {
  struct categories *made = allocate(sizeof *made);
  made->count = 0;
  made->capacity = 512;
  made->all = allocate(made->capacity * sizeof *made->all);
  made->buckets = calloc(made->capacity * 2, sizeof *made->buckets);
  if (made->buckets == NULL) fail("no memory for categories");
  return made;
}

void categories_free(struct categories *categories) {
  for (uint32_t index = 0; index < categories->count; index++) free(categories->all[index].name);
  free(categories->all);
  free(categories->buckets);
  free(categories);
}

static uint32_t hash_of(const char *name, size_t length) {
  uint32_t hash = 2166136261u;   /* FNV-1a */
  for (size_t index = 0; index < length; index++)
    hash = (hash ^ (unsigned char)name[index]) * 16777619u;
  return hash;
}

static void grow(struct categories *categories) {
  categories->capacity *= 2;
  categories->all =
      reallocate(categories->all, categories->capacity * sizeof *categories->all);
  free(categories->buckets);
  categories->buckets = calloc(categories->capacity * 2, sizeof *categories->buckets);
  if (categories->buckets == NULL) fail("no memory for categories");
  uint32_t mask = categories->capacity * 2 - 1;
  for (uint32_t index = 0; index < categories->count; index++) {
    uint32_t bucket = categories->all[index].hash & mask;
    while (categories->buckets[bucket] != 0) bucket = (bucket + 1) & mask;
    categories->buckets[bucket] = (int32_t)index + 1;
  }
}

int32_t category_id(
    struct categories *categories, const char *name, size_t length, bool *is_new) {
  uint32_t hash = hash_of(name, length), mask = categories->capacity * 2 - 1;
  uint32_t bucket = hash & mask;
  *is_new = false;
  for (; categories->buckets[bucket] != 0; bucket = (bucket + 1) & mask) {
    int32_t identifier = categories->buckets[bucket];
    struct category *known = &categories->all[identifier - 1];
    if (known->hash == hash && known->length == length && memcmp(known->name, name, length) == 0)
      return identifier;
  }
  *is_new = true;
  categories->all[categories->count++] =
      (struct category){ hash, (uint32_t)length, memcpy(allocate(length), name, length) };
  categories->buckets[bucket] = (int32_t)categories->count;
  if (categories->count == categories->capacity) grow(categories);
  return (int32_t)categories->count;
}
