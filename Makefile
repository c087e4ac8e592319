# The front door for people. Everything is built with CMake; see CMakePresets.json for the presets.
.PHONY: demo test test-slow bits build build-all library wheel blender-addon configure package cuda wasm bench benchmark figures readme-pictures format fuzz campaign sanitize deps clean

JOBS ?= $(shell nproc)

demo: build                 ## installs, builds, runs the main job on the built-in characters
	build/cutis demo -o build/demo
	@echo "Open build/demo/report.html"

# WEB=on: what runs in browsers is built and tested, too; else its tests say that they are skipped where it was not built.
test: build-all $(if $(filter on,$(WEB)),wasm)  ## installs, builds, runs the tests; WEB=on: what runs in browsers, too
	@scripts/run-tests build -LE slow

test-slow: build-all $(if $(filter on,$(WEB)),wasm)  ## the tests that take minutes each: every clip of every character
	@scripts/run-tests build -L slow

build: configure            ## the program at build/cutis, and nothing else
	@cmake --build --preset dev -j $(JOBS) --target cutis_cli

build-all: configure        ## the program, the tests and the examples
	@cmake --build --preset dev -j $(JOBS)

library: configure          ## libcutis_c.so, the C interface, in build/
	@cmake --build --preset dev -j $(JOBS) --target cutis_c

wheel: library              ## the Python package in build/packages
	@python3 bindings/python/make_wheel.py build/libcutis_c.so.1 build/packages

blender-addon: library      ## the add-on for Blender 3.4 and later in build/packages: Preferences > Add-ons > Install
	@python3 integrations/blender/make_addon.py build/libcutis_c.so.1 build/packages

configure: deps
	@cmake --preset dev --log-level=WARNING >/dev/null

deps:
	@scripts/install-deps core

wasm:                       ## the solver for browsers, the npm package in web/cutis, the viewer at build/viewer/index.html
	@scripts/install-deps core web
	@scripts/build-web

cuda: deps                  ## the program with the back end cuda at build-cuda/cutis, and its tests; needs nvcc
	@cmake --preset cuda --log-level=WARNING >/dev/null
	@cmake --build --preset cuda -j $(JOBS) --target cutis_cli test_backends

package: build library      ## a .deb and a .tar.gz in build/packages: program, libraries, headers, manual page, completions, SBOM, licences
	@cd build && SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)} cpack
	@ls -l build/packages/*.deb build/packages/*.tar.gz

bench: build                ## one machine-readable row a benchmark, each with a hash of its result
	build/cutis bench --json > build/bench.json
	@echo "build/bench.json; cutis compare puts two of them side by side"

benchmark: build            ## docs/benchmark.md: every method over every clip
	scripts/benchmark build/cutis

figures: build              ## what the papers claim, with pictures, numbers and verdicts: build/figures/index.html
	scripts/make-figures build/cutis build/figures

readme-pictures: demo       ## the first picture of README.md, from the demo
	cp build/demo/overview.png docs/images/overview.png

bits: build                 ## the same bits with clang, not optimised, and on 64-bit ARM (under qemu): builds all three
	@scripts/install-deps tools arm
	@scripts/make-sysroot build-arm64/sysroot
	@for p in clang debug arm64; do cmake --preset $$p --log-level=WARNING && \
	  cmake --build --preset $$p -j $(JOBS) --target cutis_cli || exit 1; done
	@scripts/same-bits build/cutis build-clang/cutis build-debug/cutis "qemu-aarch64 -L build-arm64/sysroot build-arm64/cutis"

sanitize: deps              ## the whole suite under ASan + UBSan, then under TSan
	@for p in asan tsan; do cmake --preset $$p --log-level=WARNING && cmake --build --preset $$p -j $(JOBS) && \
	  scripts/run-tests build-$$p || exit 1; done

campaign: build-all         ## tries to break it for hours: faults, random characters, long runs, fuzzing; CAMPAIGN=--scale=0.01: minutes
	@scripts/install-deps core tools
	@scripts/campaign $(CAMPAIGN)

fuzz:                       ## every reader under libFuzzer; FUZZ_SECONDS each (default 300)
	@scripts/install-deps core tools
	@scripts/run-fuzz $${FUZZ_SECONDS:-300}

format:
	@scripts/install-deps tools
	git ls-files '*.h' '*.cpp' | xargs clang-format-19 -i

clean:
	rm -rf build build-*
