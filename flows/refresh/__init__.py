"""One refresh, step by step: compare the lists, resolve the mentions, harvest the papers, load. Knows no Prefect."""
