"""OpenAlex as the tests need it."""
