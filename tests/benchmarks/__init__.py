"""Speed and size, as ratios within one run; nothing here is asserted."""
