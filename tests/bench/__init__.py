"""Measured figures, each as a ratio in one run (docs: performance goals). Nothing here is asserted in tests."""
