"""The engine: one door, one actor per run, supervision of shims, settling of dead sessions. No Qt, no fsync on the loop."""
