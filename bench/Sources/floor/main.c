/* floor MODE [options]: does one job and prints a line of JSON, its counts and its seconds. */
#include "floor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: floor MODE [options]\n"
    "\n"
    "Does one job at the speed of C on yajl and SQLite; prints its counts and seconds as JSON, by the\n"
    "clock and of the processors.\n"
    "\n"
    "  parse    yajl with empty callbacks                        (--input)\n"
    "  check    yajl, records collected, decoded and checked     (--input)\n"
    "  append   check, and rows in a new store                   (--input --store)\n"
    "  dedup    the newest row of each identifier stays          (--store)\n"
    "  whole    append, dedup, unique index in one process       (--input --store)\n"
    "  merge    the newer of a record and a stored row with its key (--input --store --road)\n"
    "  digest   MurmurHash3 x64 128 of records of 400 bytes      (--records)\n"
    "  sort     entries of 40 bytes in random order              (--records)\n"
    "\n"
    "  --input FILE        an array of generate-poi\n"
    "  --store FILE        the SQLite store\n"
    "  --batch N           records or losers in one transaction (500)\n"
    "  --threads N         2: one reads, one writes; 1: one does both (2)\n"
    "  --synchronous MODE  PRAGMA synchronous (FULL)\n"
    "  --pragmas SQL       further settings, to see what they change\n"
    "  --unique-index      dedup: then make the unique index\n"
    "  --road ROAD         merge: upsert, in the order of the input; sorted, all in memory and upsert\n"
    "                      by key; landing, in a table, then by row and by key; window, in\n"
    "                      the order of the rows, which are read ahead (landing)\n"
    "  --records N         for digest and sort (1000000)\n";

static size_t number(const char *option, const char *text) {
  char *end;
  unsigned long value = text == NULL ? 0 : strtoul(text, &end, 10);
  if (text == NULL || *end != 0 || value == 0) fail("%s needs a number from 1", option);
  return value;
}

static struct options parse_arguments(char **arguments) {
  struct options options = {
    .synchronous = "FULL", .batch_size = 500, .record_count = 1000000, .thread_count = 2,
    .road = "landing"
  };
  while (*arguments != NULL) {
    const char *option = *arguments++;
    if (strcmp(option, "--help") == 0) {
      fputs(help, stdout);
      exit(0);
    }
    if (option[0] != '-') { options.mode = option; continue; }
    if (strcmp(option, "--unique-index") == 0) { options.unique_index = true; continue; }
    const char *value = *arguments;
    if (value == NULL) fail("%s needs a value; see --help", option);
    arguments++;
    if (strcmp(option, "--input") == 0) options.input = value;
    else if (strcmp(option, "--road") == 0) options.road = value;
    else if (strcmp(option, "--store") == 0) options.store = value;
    else if (strcmp(option, "--synchronous") == 0) options.synchronous = value;
    else if (strcmp(option, "--pragmas") == 0) options.pragmas = value;
    else if (strcmp(option, "--batch") == 0) options.batch_size = number(option, value);
    else if (strcmp(option, "--threads") == 0) options.thread_count = (int)number(option, value);
    else if (strcmp(option, "--records") == 0) options.record_count = number(option, value);
    else fail("unknown option '%s'; see --help", option);
  }
  if (options.mode == NULL) fail("no mode; see --help");
  return options;
}

static const char *input_of(const struct options *options) {
  if (options->input == NULL) fail("--input is missing");
  return options->input;
}

static void print_reading(const struct reading *reading) {
  printf("\"bytes\": %llu, \"read\": %zu, \"rejected\": %zu, ",
         (unsigned long long)reading->byte_count, reading->read_count, reading->rejected_count);
}

struct phase {
  const char *name;
  struct seconds seconds;
};

static void print_phases(const struct phase *phases, size_t count) {
  printf("\"seconds\": {");
  for (size_t index = 0; index < count; index++)
    printf("%s\"%s\": %.6f", index > 0 ? ", " : "", phases[index].name,
           phases[index].seconds.wall);
  printf("}, \"cpu\": {");
  for (size_t index = 0; index < count; index++)
    printf("%s\"%s\": %.6f", index > 0 ? ", " : "", phases[index].name,
           phases[index].seconds.cpu);
  printf("}");
}

static void print_phase(const char *name, struct seconds seconds) {
  print_phases(&(struct phase){ name, seconds }, 1);
}

static void run_parse(const struct options *options) {
  struct seconds start = seconds_now();
  struct reading reading = parse_only(input_of(options));
  struct seconds seconds = seconds_since(start);
  printf("\"bytes\": %llu, ", (unsigned long long)reading.byte_count);
  print_phase("parse", seconds);
}

static struct batch *discard(void *context, struct batch *full) {
  *(size_t *)context += full->count;
  batch_clear(full);
  return full;
}

static void run_check(const struct options *options) {
  struct batch batch;
  batch_make(&batch, options->batch_size);
  size_t accepted_count = 0;
  struct seconds start = seconds_now();
  struct reading reading = read_records(input_of(options), &batch, discard, &accepted_count);
  struct seconds seconds = seconds_since(start);
  batch_free(&batch);
  print_reading(&reading);
  printf("\"accepted\": %zu, ", accepted_count);
  print_phase("check", seconds);
}

static void run_store_modes(const struct options *options) {
  bool is_whole = strcmp(options->mode, "whole") == 0;
  bool appends = is_whole || strcmp(options->mode, "append") == 0;
  if (appends) input_of(options);
  struct seconds start = seconds_now(), append_seconds = { 0 }, index_seconds = { 0 };
  struct sqlite3 *store = store_open(options, appends);
  if (appends) {
    struct reading reading = append(store, options);
    print_reading(&reading);
    append_seconds = seconds_since(start);
  }
  struct dedup_seconds parts = { 0 };
  if (is_whole || !appends)
    printf("\"losers\": %zu, ", deduplicate(store, options->batch_size, &parts));
  if (is_whole || options->unique_index) {
    struct seconds index_start = seconds_now();
    store_make_unique_index(store);
    index_seconds = seconds_since(index_start);
  }
  /* The last connection to close copies the log into the file. */
  struct seconds close_start = seconds_now();
  store_close(store);
  const struct phase phases[] = {
    { "append", append_seconds }, { "scan", parts.scan }, { "sort", parts.sort },
    { "delete", parts.delete }, { "index", index_seconds },
    { "close", seconds_since(close_start) }, { "all", seconds_since(start) },
  };
  print_phases(phases, sizeof phases / sizeof *phases);
}

static void run_merge(const struct options *options) {
  input_of(options);
  struct seconds start = seconds_now();
  struct sqlite3 *store = store_open(options, false);
  struct merging merging = merge(store, options);
  struct seconds close_start = seconds_now();
  store_close(store);
  print_reading(&merging.reading);
  printf("\"inserted\": %zu, \"updated\": %zu, ", merging.inserted, merging.updated);
  const struct phase phases[] = {
    { "read", merging.read }, { "sort", merging.sort }, { "update", merging.update },
    { "insert", merging.insert }, { "close", seconds_since(close_start) },
    { "all", seconds_since(start) },
  };
  print_phases(phases, sizeof phases / sizeof *phases);
}

static uint64_t next_random(uint64_t *state) {
  uint64_t value = *state += 0x9E3779B97F4A7C15;   /* SplitMix64 */
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9;
  value = (value ^ value >> 27) * 0x94D049BB133111EB;
  return value ^ value >> 31;
}

static void run_digest(const struct options *options) {
  enum { LENGTH = 400, VARIETY = 64 };
  static unsigned char records[VARIETY][LENGTH];
  uint64_t random = 1, digest[2], sum = 0;
  for (size_t index = 0; index < sizeof records; index++)
    records[0][index] = (unsigned char)next_random(&random);
  struct seconds start = seconds_now();
  for (size_t index = 0; index < options->record_count; index++) {
    murmur3(records[index % VARIETY], LENGTH, digest);
    sum += digest[0];
  }
  struct seconds seconds = seconds_since(start);
  printf("\"records\": %zu, \"sum\": %llu, ", options->record_count, (unsigned long long)sum);
  print_phase("digest", seconds);
}

static void run_sort(const struct options *options) {
  struct entry *entries = allocate(options->record_count * sizeof *entries);
  uint64_t random = 1;
  for (size_t index = 0; index < options->record_count; index++) {
    entries[index] = (struct entry){
      .key = { next_random(&random), next_random(&random) },
      .timestamp = (int64_t)(next_random(&random) >> 14), .row = (int64_t)index + 1
    };
  }
  struct seconds start = seconds_now();
  sort_entries(entries, options->record_count);
  struct seconds seconds = seconds_since(start);
  for (size_t index = 1; index < options->record_count; index++)
    if (entries[index].key[0] < entries[index - 1].key[0]) fail("not sorted");
  free(entries);
  printf("\"records\": %zu, ", options->record_count);
  print_phase("sort", seconds);
}

int main(int count, char **arguments) {
  (void)count;
  struct options options = parse_arguments(arguments + 1);
  const char *mode = options.mode;
  printf("{\"mode\": \"%s\", ", mode);
  if (strcmp(mode, "parse") == 0) run_parse(&options);
  else if (strcmp(mode, "check") == 0) run_check(&options);
  else if (strcmp(mode, "merge") == 0) run_merge(&options);
  else if (strcmp(mode, "digest") == 0) run_digest(&options);
  else if (strcmp(mode, "sort") == 0) run_sort(&options);
  else if (strcmp(mode, "append") == 0 || strcmp(mode, "dedup") == 0 || strcmp(mode, "whole") == 0)
    run_store_modes(&options);
  else fail("unknown mode '%s'; see --help", mode);
  puts("}");
  return 0;
}
