#pragma once

#include <stddef.h>
#include <stdint.h>

// libFuzzer as a library: runs `run` until a limit of its options is reached, or something breaks.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *bytes, size_t count));
