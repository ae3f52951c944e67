PY = .venv/bin/python

.venv:
	python3 -m venv .venv
	.venv/bin/pip install -q -e '.[test]'

run: .venv
	.venv/bin/checkpoint-viewer open

check: .venv
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	.venv/bin/pytest -n 2

fix: .venv
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

bench: .venv
	$(PY) bench/run.py --quick

.PHONY: run check fix bench
