"""What each command does and prints: a module for each command or group of commands."""
