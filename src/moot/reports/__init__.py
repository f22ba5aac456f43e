"""The result drawn: text, Markdown, JSON, SARIF, HTML."""
