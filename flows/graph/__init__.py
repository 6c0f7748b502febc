"""Commands about the citation graph."""
