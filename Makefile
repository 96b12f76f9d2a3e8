# Every command of the project. `make` alone lists them.

PY := .venv/bin/python
unexport PYTHONDONTWRITEBYTECODE  # with it every process would compile all sources, for most of a second

.PHONY: help run dev test check contract web web-checked web-built bench bench-ui screenshots soak mutants
.PHONY: requirements schema lock clean
.DEFAULT_GOAL := help

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

run: ## install what is needed, then serve on this machine
	@scripts/venv run
	@exec .venv/bin/fullhouse serve

dev: ## serve, and restart when a file changes
	@scripts/venv dev
	@exec .venv/bin/fullhouse serve --reload

test: ## run all tests, in parallel and in random order, on servers of their own
	@scripts/venv dev
	@scripts/brokers
	@scripts/browser
	@$(PY) -m pytest -n auto

check: ## check lint, format, types, layers and checksums of migrations; changes nothing
	@scripts/venv dev
	@.venv/bin/ruff check
	@.venv/bin/ruff format --check
	@.venv/bin/mypy
	@.venv/bin/lint-imports
	@$(PY) scripts/checksums.py

contract: ## write the API's OpenAPI document and the front end's types
	@scripts/venv dev
	@$(PY) scripts/contract.py

web: web-checked ## check, test and build the front end (needs Node 20 or newer)
	@$(MAKE) --no-print-directory web-built

web-checked:
	@cd frontend && npm ci --silent && npm run --silent check && npm run --silent test

web-built:
	@cd frontend && npm run --silent build

bench: ## run the benchmarks and print ratios
	@scripts/venv dev
	@for file in $$(ls bench/[!_]*.py | grep -v bench/ui.py); do echo "== $$file"; $(PY) "$$file" || exit 1; done

bench-ui: ## measure the pages in Chromium against their goals (needs Node)
	@scripts/venv dev
	@scripts/browser
	@$(PY) bench/ui.py

screenshots: ## take the pictures in docs/screenshots, on a demo of its own
	@scripts/venv dev
	@scripts/browser whole
	@$(PY) scripts/screenshots.py

soak: ## run the soak and fault tests at full count, one after the other, then `mutants`
	@scripts/venv dev
	@scripts/brokers
	@FULLHOUSE_SOAK=1 $(PY) -m pytest -o faulthandler_timeout=0 -m "soak or fault"
	@$(PY) -m tests.mutation

mutants: ## mutation tests of the sale, half an hour: the tests must notice 95 % of the faults
	@scripts/venv dev
	@scripts/brokers
	@$(PY) -m tests.mutation $(MUTANTS)

requirements: ## print each requirement with its tests, and whether they use HTTP, a page, the broker
	@scripts/venv dev
	@$(PY) scripts/requirements.py

schema: ## after a change of SQL: write checksums, the schema's guards and text, and the types of statements
	@scripts/venv dev
	@$(PY) scripts/checksums.py --write
	@$(PY) scripts/schema.py --write
	@$(PY) scripts/queries.py --write

lock: ## pin the newest versions that pyproject.toml allows, with hashes
	@scripts/lock

clean: ## remove what these commands created, except the data of `make run`
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .mutation dist
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
