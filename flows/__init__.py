"""The command line, the refresh and its Prefect flow, and the review of mentions by people."""
