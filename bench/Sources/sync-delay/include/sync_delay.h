#pragma once

// Makes a program wait after each sync of a file, as a slower disk would: loaded into it by LD_PRELOAD.
//
// SYNC_DELAY says for how many milliseconds; without it nothing changes.
