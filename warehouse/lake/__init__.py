"""The lake: its sessions, catalogue, files, and ownership."""
