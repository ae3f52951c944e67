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
	.venv/bin/pytest -n 3 --dist loadfile

fix: .venv
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

schemas: .venv
	$(PY) -c "import json; from viewer.profiles import profile_json_schema as s; print(json.dumps(s(), indent=2, ensure_ascii=False))" > schemas/profile.schema.json

golden: .venv
	GOLDEN=accept .venv/bin/pytest tests/golden

bench: .venv
	$(PY) bench/run.py --quick

.PHONY: run check fix schemas golden bench
