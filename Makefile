# Every task starts from a fresh clone and needs git, make and Python 3.11 or newer; the rest it
# installs itself, into .venv, with uv where that is present and with pip where not.
#
#   make tour                   the guided tour
#   make tour TOUR="--lang ko"  the same in Korean; a target's name in capitals holds its arguments
#   make test TEST="-k erasure --exhaustive"
#   make tour PYTHON=/opt/python3.13/bin/python3    with this Python rather than the first that fits

.DEFAULT_GOAL := help
.PHONY: help tour environment test check wheel bench probes agmi sams clean moved

VENV := .venv
tour_extras := cli,testing
PYTHON :=
TOUR :=
TEST :=
BENCH :=
PROBES :=
AGMI :=
SAMS :=

help:  ## say what can be made
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile | expand -t 22

tour: $(VENV)/tour.stamp  ## the guided tour: a conversation remembered, recalled, corrected, explained
	@$(VENV)/bin/muniment tour $(TOUR)

environment: $(VENV)/dev.stamp  ## the environment of a contributor, in .venv

test: $(VENV)/dev.stamp  ## the whole test suite
	$(VENV)/bin/pytest -n 2 $(TEST)

check: $(VENV)/dev.stamp  ## style, format and types
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/pyright

bench: $(VENV)/dev.stamp  ## the benchmarks
	$(VENV)/bin/python -m benchmarks.run $(BENCH)

probes: $(VENV)/dev.stamp  ## the probes: what a memory must never do, tried
	$(VENV)/bin/python -m benchmarks.probes $(PROBES)

agmi: $(VENV)/dev.stamp  ## the public yardstick agmi: nine edits of the files, six attacks through the interface
	$(VENV)/bin/python -m benchmarks.integrity_yardstick $(AGMI)

sams: $(VENV)/dev.stamp  ## the public standard SAMS: its twelve rules for the memory of agents, tried
	$(VENV)/bin/python -m benchmarks.sams $(SAMS)

# The wheel is built from the sdist and used where a user would: in a fresh environment and an empty
# folder, first bare, then with its extras. Only there does a package missing from the map show.
wheel: $(VENV)/dev.stamp  ## the wheel, built and tried outside the repository
	@set -eu; root=$$PWD; \
	rm -rf build dist muniment.egg-info; \
	echo "Building the sdist, and the wheel from it"; \
	"$(VENV)/bin/python" -m build --outdir dist . >build.log 2>&1 || { cat build.log; exit 1; }; \
	rm build.log; ls dist; wheel=$$(ls "$$root"/dist/*.whl); \
	place=$$(mktemp -d); trap 'rm -rf "$$place"' EXIT; mkdir "$$place/empty"; \
	"$(VENV)/bin/python" -m venv "$$place/venv"; bin=$$place/venv/bin; \
	add() { \
	  if command -v uv >/dev/null; then uv pip install --quiet --python "$$bin/python" "$$@"; \
	  else "$$bin/python" -m pip install -qq --disable-pip-version-check "$$@"; fi; \
	}; \
	cd "$$place/empty"; \
	echo "Installing the wheel alone"; add "$$wheel"; \
	"$$bin/muniment" --version; \
	"$$bin/muniment" --help >/dev/null; \
	echo "Installing its extras"; add "$$wheel[cli,testing]" "pytest>=9"; \
	"$$bin/muniment" --version; \
	"$$bin/muniment" --help; \
	"$$bin/python" -c 'import muniment, sys; assert muniment.__file__.startswith(sys.prefix), muniment.__file__'; \
	"$$bin/pytest" -p no:cacheprovider "$$root/tests/packaging"; \
	cp "$$root/tests/typing/consumer.py" .; \
	"$$root/$(VENV)/bin/mypy" --strict --python-executable "$$bin/python" consumer.py; \
	"$$root/$(VENV)/bin/pyright" --pythonpath "$$bin/python" consumer.py

clean:  ## remove everything that was made, the environment too
	rm -rf $(VENV) build dist muniment.egg-info build.log htmlcov .coverage .coverage.* \
	  .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# $(1) the extras, $(2) how much there is to fetch. Of pip only errors are shown (-qq).
define install
set -eu; \
uv=$$(command -v uv || true); \
if [ -n "$$uv" ]; then manager=uv wait="under a minute"; else manager=pip wait="a minute or two"; fi; \
python=; \
for candidate in $(PYTHON) python3 python3.13 python3.12 python3.11; do \
  if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
  then python=$$candidate; break; fi; \
done; \
if [ -z "$$python$$uv" ]; then \
  echo "Muniment needs Python 3.11 or newer; found: $$(python3 --version 2>/dev/null || echo none)"; \
  echo "Install one, or uv, which brings its own; or say where one is: make tour PYTHON=/path/to/python3"; \
  exit 1; \
fi; \
place=$$(cat $(VENV)/place 2>/dev/null || pwd -P); \
if [ "$$place" != "$$(pwd -P)" ] || ! $(VENV)/bin/python -c '' 2>/dev/null; then \
  rm -rf $(VENV); \
  if [ -n "$$uv" ]; then uv venv --quiet --seed --python "$${python:->=3.11}" $(VENV); \
  elif "$$python" -c 'import ensurepip, venv' 2>/dev/null; then "$$python" -m venv $(VENV); \
  else \
    echo "$$python cannot make an environment: its modules venv and ensurepip are missing."; \
    echo "On Debian and Ubuntu: apt install python3-venv. Or install uv, which needs neither."; \
    exit 1; \
  fi; \
fi; \
echo "Installing Muniment into $(VENV) with $$manager and $$($(VENV)/bin/python --version), once."; \
echo "About $(2) to fetch, as a rule $$wait; nothing is printed meanwhile."; \
if [ -n "$$uv" ]; then uv pip install --quiet --python $(VENV)/bin/python --editable '.[$(1)]'; \
else \
  $(VENV)/bin/python -m pip --version >/dev/null 2>&1 || $(VENV)/bin/python -m ensurepip >/dev/null; \
  $(VENV)/bin/python -m pip install -qq --disable-pip-version-check --editable '.[$(1)]'; \
fi; \
pwd -P >$(VENV)/place
endef

# The environment. A stamp says that it is installed; it is installed again after pyproject.toml
# changed, and made anew after the repository was moved, since scripts hold the path they were made for.
$(VENV)/tour.stamp: pyproject.toml
	@$(call install,$(tour_extras),200 MB)
	@touch $@

$(VENV)/dev.stamp: pyproject.toml
	@$(call install,dev,400 MB)
	@touch $(VENV)/tour.stamp $@

ifneq ($(shell cat $(VENV)/place 2>/dev/null),$(shell pwd -P))
$(VENV)/tour.stamp $(VENV)/dev.stamp: moved
endif
moved:
