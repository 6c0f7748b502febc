"""Where reading lists are read from: files, https addresses, GitHub repositories."""
