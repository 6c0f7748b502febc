# Installs what `paperlake check` and `paperlake fix` need into a virtual environment, and nothing else.
#
# PYTHON: the interpreter; ACTION: the checkout of paperlake; VENV: where the environment is made.
set -eu
"$PYTHON" -m venv "$VENV"
"$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
    --constraint "$ACTION/constraints.txt" --requirement "$ACTION/requirements-check.txt"
"$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps "$ACTION"
