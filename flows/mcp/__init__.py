"""The tools of `paperlake mcp`: what the lake answers to programs that ask on behalf of a language model."""
