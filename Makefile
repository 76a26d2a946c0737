# stortop: build, test, install. `make run` and `make test` do all the set-up on a fresh machine.
# CC=clang, CFLAGS=..., BUILD=dir and PREFIX=dir do what one expects.
VERSION = 0.1
BUILD ?= build
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
bindir = $(PREFIX)/bin
mandir = $(PREFIX)/share/man
completiondir = $(PREFIX)/share/bash-completion/completions
unitdir = $(PREFIX)/lib/systemd/system

PKGS = ncursesw libstatgrab sqlite3 inih jansson blkid liburing libpcap
# Built in where they are found: targets on NFS and iSCSI servers.
MAYBE = libnfs libiscsi
WARN = -Wall -Wextra -Wformat=2 -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef \
	-Wpointer-arith -Wcast-qual -Wwrite-strings -Wold-style-definition -Wvla
# pkg-config is asked once, and not before it is needed: `make run` may have to install it first.
FOUND = $(eval FOUND := $$(shell for p in $(MAYBE); do if pkg-config --exists $$$$p; then echo $$$$p; fi; done))$(FOUND)
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(shell pkg-config --cflags $(PKGS) $(FOUND)))$(PKG_CFLAGS)
PKG_LIBS = $(eval PKG_LIBS := $$(shell pkg-config --libs $(PKGS) $(FOUND)))$(PKG_LIBS)
BASE_CFLAGS = -std=c17 -D_GNU_SOURCE -Isrc -I. -I$(BUILD) $(WARN) $(PKG_CFLAGS) -pthread
ALL_CFLAGS = $(BASE_CFLAGS) -MMD -MP $(CFLAGS)
# libaio has no file for pkg-config.
ALL_LIBS = $(LDFLAGS) $(PKG_LIBS) -laio -lm -pthread

SRC = $(sort $(wildcard src/*/*.c src/*/*/*.c probes/*.c probes/*/*.c views/*.c db/*.c))
LIB = $(BUILD)/libstortop.a
programs = $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/*/$1_*.c)))
TESTS = $(call programs,test)
BENCHES = $(call programs,bench)
FUZZERS = $(call programs,fuzz)
WORKLOADS = $(sort $(wildcard src/load/workloads/*.fio))
# What several of them share: any source beside them that is not a program itself.
TESTLIB_SRC = $(filter-out $(patsubst $(BUILD)/%,%.c,$(TESTS) $(BENCHES) $(FUZZERS)),$(sort $(wildcard tests/*/*.c)))
TESTLIB = $(BUILD)/libtests.a
# stortop-columns(7) is written by a program from the catalogue.
COLUMNS_MANUAL = $(BUILD)/man/stortop-columns.7
MANUALS = $(wildcard man/*.[1-9]) $(COLUMNS_MANUAL)
# The parts that have threads, or processes of their own.
THREADED = $(filter $(addprefix $(BUILD)/tests/,db/% load/% probes/test_load probes/test_wire session/% sampler/% cmd/% sys/test_helper), $(TESTS))
FUZZ_SECONDS ?= 10
# A make within a recipe: quiet without V=1, and on all cores where the user has not said how many.
SUBMAKE = $(MAKE) --no-print-directory $(if $(V),,-s) $(if $(filter -j%,$(MAKEFLAGS)),,-j$$(nproc))

all: $(BUILD)/stortop $(COLUMNS_MANUAL)

# The first build takes a minute or more, and make says nothing meanwhile.
BUILDING = [ -x $(BUILD)/stortop ] || echo "building in $(BUILD)/ (V=1 shows how)"

run:
	@tests/setup.sh build
	@$(BUILDING)
	+@$(SUBMAKE) all
	@$(BUILD)/stortop

test:
	@tests/setup.sh build test
	@$(BUILDING)
	+@$(SUBMAKE) all test-programs
	@STORTOP=$(BUILD)/stortop tests/run.sh $(TESTS)

test-programs: $(TESTS)

$(BUILD)/stortop: $(BUILD)/src/main.o $(LIB)
	$(CC) $(CFLAGS) -o $@ $^ $(ALL_LIBS)

$(BUILD)/man/gen_columns: $(BUILD)/man/gen_columns.o $(LIB)
	$(CC) $(CFLAGS) -o $@ $^ $(ALL_LIBS)

$(COLUMNS_MANUAL): $(BUILD)/man/gen_columns
	$< >$@.new
	mv $@.new $@

$(LIB): $(SRC:%.c=$(BUILD)/%.o) $(BUILD)/sources
$(BUILD)/libtests.a: $(TESTLIB_SRC:%.c=$(BUILD)/%.o) $(BUILD)/sources
%.a:
	rm -f $@
	$(AR) rcs $@ $(filter %.o,$^)

$(BUILD)/%.o: %.c $(BUILD)/flags | $(BUILD)/config.h
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(TESTLIB) $(LIB)
	$(CC) $(CFLAGS) -o $@ $^ -lcmocka $(ALL_LIBS)

# The built-in workloads are job files, compiled in as text.
$(BUILD)/workloads.h: src/load/workloads/embed.sh $(WORKLOADS)
	@mkdir -p $(@D)
	src/load/workloads/embed.sh $(WORKLOADS) >$@.new
	mv $@.new $@
$(BUILD)/src/load/workload.o: $(BUILD)/workloads.h

# These are looked at every time, but are new only when what they say is: other flags rebuild everything,
# a source that went rebuilds the library, another version what includes it.
keep_if_same = >$@.new && if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(ALL_CFLAGS)' $(keep_if_same)
$(BUILD)/sources: FORCE
	@mkdir -p $(@D)
	@echo $(SRC) $(TESTLIB_SRC) $(keep_if_same)
$(BUILD)/config.h: FORCE
	@mkdir -p $(@D)
	@tests/config.sh $(VERSION) "$(MAYBE)" $(PKGS) $(FOUND) $(keep_if_same)

# GCC's guesses at how long a text may get are worse when it is instrumented.
ASAN_CFLAGS = -O1 -g -Werror -Wno-format-truncation -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=undefined
TSAN_CFLAGS = -O1 -g -Werror -fno-omit-frame-pointer -fsanitize=thread

# Lint, then all tests under ASan and UBSan (GCC), then the threaded ones under TSan (Clang).
check:
	@tests/setup.sh build test check
	+@$(SUBMAKE) lint
	+@$(SUBMAKE) BUILD=$(BUILD)/asan CFLAGS='$(ASAN_CFLAGS)' sanitized
	+@$(SUBMAKE) BUILD=$(BUILD)/tsan CFLAGS='$(TSAN_CFLAGS)' CC=clang sanitized-threads

sanitized: all test-programs
	@STORTOP=$(BUILD)/stortop TEST_TIMEOUT=300 tests/run.sh $(TESTS)

sanitized-threads: all $(THREADED)
	@STORTOP=$(BUILD)/stortop TEST_TIMEOUT=300 tests/run.sh $(THREADED)

# Fuzzers and benchmarks are built by nobody else here. Null pointers are left to clang's analyzer, which follows them further.
lint: $(BUILD)/config.h $(BUILD)/workloads.h $(MANUALS)
	@echo fuzz, bench; $(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) -Werror -fsyntax-only $(wildcard tests/fuzz/*.c tests/bench/*.c)
	@echo clang-tidy; printf '%s\n' $(SRC) src/main.c | \
		xargs -P 2 -n 4 sh -c 'clang-tidy --quiet "$$@" -- $(BASE_CFLAGS) 2>/dev/null' sh
	@echo cppcheck; cppcheck --quiet -j 2 --std=c11 --enable=warning,performance,portability --error-exitcode=1 \
		--inline-suppr --suppress=nullPointer -D_GNU_SOURCE -Isrc -I. -I$(BUILD) $(SRC) src/main.c
	@echo mandoc; mandoc -T lint -W warning $(MANUALS)

# Figures beside their bars; they differ from machine to machine and fail nothing.
bench:
	@tests/setup.sh build test
	+@$(SUBMAKE) all bench-programs
	@for b in $(BENCHES); do STORTOP=$(BUILD)/stortop $$b || exit 1; done

bench-programs: $(BENCHES)

# Each fuzzer starts from tests/fuzz/corpus/NAME and keeps what it finds there under $(BUILD).
fuzz:
	@tests/setup.sh build fuzz
	+@$(SUBMAKE) BUILD=$(BUILD)/fuzz fuzz-programs CC=clang \
		CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined'
	@tests/fuzz/run.sh $(BUILD)/fuzz $(FUZZ_SECONDS)

fuzz-programs: $(FUZZERS)
$(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.o $(LIB)
	$(CC) $(CFLAGS) -fsanitize=fuzzer -o $@ $^ $(ALL_LIBS)

# The unit is installed, not enabled. DESTDIR is for packagers.
install: all
	install -d $(addprefix $(DESTDIR),$(bindir) $(mandir)/man1 $(mandir)/man7 $(completiondir) $(unitdir))
	install $(BUILD)/stortop $(DESTDIR)$(bindir)
	install -m 644 $(filter %.1,$(MANUALS)) $(DESTDIR)$(mandir)/man1
	install -m 644 $(filter %.7,$(MANUALS)) $(DESTDIR)$(mandir)/man7
	install -m 644 man/stortop.bash $(DESTDIR)$(completiondir)/stortop
	sed 's|@bindir@|$(bindir)|' man/stortop-record.service.in >$(DESTDIR)$(unitdir)/stortop-record.service

uninstall:
	rm -f $(addprefix $(DESTDIR),$(bindir)/stortop $(completiondir)/stortop $(unitdir)/stortop-record.service \
		$(foreach m,$(notdir $(MANUALS)),$(mandir)/man$(patsubst .%,%,$(suffix $m))/$m))

clean:
	rm -rf $(BUILD)

FORCE:
.PHONY: all run test test-programs install uninstall check sanitized sanitized-threads lint bench bench-programs fuzz fuzz-programs clean FORCE
.SECONDARY:
-include $(patsubst %.c,$(BUILD)/%.d,src/main.c man/gen_columns.c $(SRC) $(wildcard tests/*/*.c))
