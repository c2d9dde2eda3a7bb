"""Charts that paint themselves: timeline, spend per day, spark lines. They take frozen values and decide nothing."""
