# stortop: build, test, install. `make run` and `make test` do all the set-up on a fresh machine.
CC ?= cc
BUILD ?= build
PKGS = ncursesw libstatgrab sqlite3 inih jansson
CFLAGS ?= -O2 -g
WARN = -Wall -Wextra -Wformat=2 -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef \
	-Wpointer-arith -Wcast-qual -Wwrite-strings -Wold-style-definition -Wvla
ALL_CFLAGS = -std=c17 -D_GNU_SOURCE -Isrc -I. $(WARN) -MMD -MP $(shell pkg-config --cflags $(PKGS)) -pthread $(CFLAGS)
ALL_LIBS = $(shell pkg-config --libs $(PKGS)) -lm -pthread $(LDFLAGS)

SRC = $(sort $(wildcard src/*/*.c src/*/*/*.c probes/*.c views/*.c db/*.c))
OBJ = $(SRC:%.c=$(BUILD)/%.o)
LIB = $(BUILD)/libstortop.a
TESTS = $(patsubst %.c,$(BUILD)/%,$(sort $(wildcard tests/*/test_*.c)))

all: $(BUILD)/stortop

$(BUILD)/stortop: $(BUILD)/src/main.o $(LIB)
	$(CC) -o $@ $^ $(ALL_LIBS)

$(LIB): $(OBJ)
	rm -f $@
	$(AR) rcs $@ $(OBJ)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(LIB)
	$(CC) -o $@ $^ -lcmocka $(ALL_LIBS)

test-programs: $(TESTS)

test: $(BUILD)/stortop $(TESTS)
	@for t in $(TESTS); do $$t || exit 1; done

clean:
	rm -rf $(BUILD)

.PHONY: all test test-programs clean
.SECONDARY:
-include $(OBJ:.o=.d) $(TESTS:%=%.d) $(BUILD)/src/main.d
