# Installs what `paperlake check` and `paperlake fix` need into a virtual environment, and nothing else.
#
# PYTHON: the interpreter; ACTION: the checkout of paperlake; VENV: where the environment is made.
#
# Nothing of the working folder is run, which has what a pull request wrote: no module, and no path from a variable.
set -eu
unset PYTHONPATH PYTHONHOME
export PYTHONSAFEPATH=1
"$PYTHON" -I -m venv "$VENV"
"$VENV/bin/python" -I -m pip install --quiet --disable-pip-version-check --no-deps \
    --constraint "$ACTION/constraints.txt" --requirement "$ACTION/requirements-check.txt"
"$VENV/bin/python" -I -m pip install --quiet --disable-pip-version-check --no-deps "$ACTION"
