"""Static analysers as reviewers: what each tool is, how it runs on both versions of a change, what is new."""
