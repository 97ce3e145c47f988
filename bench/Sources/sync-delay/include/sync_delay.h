#pragma once

// A library for LD_PRELOAD that makes a program wait after each sync of a file, as a slower disk would.
//
// SYNC_DELAY is the time in milliseconds; without it nothing changes.
