"""Markdown and HTML as blocks of text with mark-up; nothing about papers."""
