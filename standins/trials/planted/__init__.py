"""Lists in many styles with faults planted at known lines, for the figures of `paperlake check`."""
