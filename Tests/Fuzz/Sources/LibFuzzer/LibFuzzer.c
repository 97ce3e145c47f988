// The compiler links libFuzzer where it is asked for that sanitizer.
