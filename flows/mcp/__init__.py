"""The MCP server `paperlake mcp`, which answers language models from the lake."""
