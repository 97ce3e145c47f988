#!/bin/sh
# variant: Swift JSONDecoder | array
# remark: checks of types only; no journal, no sync; all in memory; a bad record ends it
# What a Swift program does without the toolkit; see bench/Sources/decode-peer.
exec "$BENCH_PRODUCTS_FOLDER/decode-peer" "$1" "$2"
