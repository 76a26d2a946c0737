/*
 * The configuration file as text: sections of keys and values, read with inih, written by the user's wish
 * only and with what stands there already (comments, keys of others) left in place. What the keys mean is
 * known elsewhere (session/settings.h). Pure but for the paths; any thread.
 */
#ifndef SYS_CONFIG_H
#define SYS_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

struct config_entry {
	char *section, *key, *value;
};

struct config {
	size_t n;
	struct config_entry *entries;
	int bad_line;	/* the first that could not be understood; 0: none */
};

/* Never NULL. Lines that follow a key, indented, belong to its value, joined by a blank. */
struct config *config_parse(const char *text, size_t len);
void config_free(struct config *);	/* NULL is fine */

/* A key to be written, with its value; section and key are words, the value is one line. */
struct config_change {
	const char *section, *key, *value;
};

/*
 * The text of a file with these keys changed, or added where they are missing; all else stays as it is.
 * malloc'd.
 */
char *config_rewrite(const char *text, const struct config_change *, size_t n);

/* $XDG_CONFIG_HOME/stortop/stortop.ini or ~/.config/...; malloc'd. NULL where neither is known. */
char *config_default_path(void);
/*
 * Reads the file there is, changes these keys in it, and puts it in place with a rename; makes the directory.
 * May hang with a dead home directory: not for the main thread. 0 or -errno.
 */
int config_save(const char *path, const struct config_change *, size_t n);

#endif
