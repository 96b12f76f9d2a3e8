# Every command of the house. `make` alone lists them.

PY := .venv/bin/python
unexport PYTHONDONTWRITEBYTECODE  # every process would compile our sources anew, most of a second each

.PHONY: help run dev test check contract web web-checked web-built bench bench-ui screenshots soak mutants
.PHONY: requirements schema lock clean
.DEFAULT_GOAL := help

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

run: ## install what is needed, then serve on this machine
	@scripts/venv run
	@exec .venv/bin/fullhouse serve

dev: ## serve, and start again whenever a file changes
	@scripts/venv dev
	@exec .venv/bin/fullhouse serve --reload

test: ## run the tests, in parallel and in random order, on private servers
	@scripts/venv dev
	@scripts/brokers
	@scripts/browser
	@$(PY) -m pytest -n auto

check: ## lint, format, types, layers, migrations: changes nothing
	@scripts/venv dev
	@.venv/bin/ruff check
	@.venv/bin/ruff format --check
	@.venv/bin/mypy
	@.venv/bin/lint-imports
	@$(PY) scripts/checksums.py

contract: ## write the API's document, and its types for the front end
	@scripts/venv dev
	@$(PY) scripts/contract.py

web: web-checked ## check, test and build the front end (needs Node 20 or newer)
	@$(MAKE) --no-print-directory web-built

web-checked:
	@cd frontend && npm ci --silent && npm run --silent check && npm run --silent test

web-built:
	@cd frontend && npm run --silent build

bench: ## measure, and print ratios
	@scripts/venv dev
	@for file in $$(ls bench/[!_]*.py | grep -v bench/ui.py); do echo "== $$file"; $(PY) "$$file" || exit 1; done

bench-ui: ## measure the pages in Chromium against their goals (needs Node)
	@scripts/venv dev
	@scripts/browser
	@$(PY) bench/ui.py

screenshots: ## fill a demo, look at its pages, and write docs/screenshots
	@scripts/venv dev
	@scripts/browser whole
	@$(PY) scripts/screenshots.py

soak: ## run the long tests at full count, one after the other
	@scripts/venv dev
	@scripts/brokers
	@FULLHOUSE_SOAK=1 $(PY) -m pytest -o faulthandler_timeout=0 -m "soak or fault"
	@$(PY) -m tests.mutation

mutants: ## put small faults into the sale's decisions for half an hour: 95 % must be noticed
	@scripts/venv dev
	@scripts/brokers
	@$(PY) -m tests.mutation $(MUTANTS)

requirements: ## print which tests prove what, and how: over HTTP, on a page, through the broker
	@scripts/venv dev
	@$(PY) scripts/requirements.py

schema: ## after a change of SQL: write the migrations' checksums, the schema's guards and text, and what queries take
	@scripts/venv dev
	@$(PY) scripts/checksums.py --write
	@$(PY) scripts/schema.py --write
	@$(PY) scripts/queries.py --write

lock: ## choose the newest versions that pyproject.toml allows, and pin them
	@scripts/lock

clean: ## remove what these commands made, except the data of `make run`
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .mutation dist
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
