"""GitHub as the tests of the Action need it: a repository, a runner's job, and the API."""
