"""The canvas: a projection of view values. Items paint what they are given and know no run, no engine, no file."""
