"""The declared tables: columns, types, meanings, keys."""
