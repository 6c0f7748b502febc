"""The lake: sessions that read and write, its catalogue, its files, and who owns them."""
