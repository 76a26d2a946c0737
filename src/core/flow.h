/*
 * Sources and sinks of intervals. A command joins one source to some sinks, and nothing else.
 */
#ifndef CORE_FLOW_H
#define CORE_FLOW_H

#include "core/interval.h"

struct source {
	const struct source_ops *ops;
};

struct source_ops {
	const char *name;
	/*
	 * The next interval, one reference. 1: there is one; 0: the end; -EINTR: the caller asked to stop;
	 * other -errno: failed, source_error() says why. A live source waits for its tick.
	 */
	int (*next)(struct source *, struct interval **);
	const char *(*error)(struct source *);
	void (*close)(struct source *);
};

struct sink {
	const struct sink_ops *ops;
};

struct sink_ops {
	const char *name;
	/*
	 * Takes what it needs (its own reference); must not wait for a disk unless writing text is its
	 * purpose. 0 or -errno; -EPIPE: the reader has gone.
	 */
	int (*put)(struct sink *, struct interval *);
	/* Ends whole; 0 or -errno. Frees the sink. */
	int (*close)(struct sink *);
};

static inline int
source_next(struct source *s, struct interval **out)
{
	return s->ops->next(s, out);
}

static inline const char *
source_error(struct source *s)
{
	return s->ops->error(s);
}

static inline void
source_close(struct source *s)
{
	if (s != NULL)
		s->ops->close(s);
}

static inline int
sink_put(struct sink *s, struct interval *interval)
{
	return s->ops->put(s, interval);
}

static inline int
sink_close(struct sink *s)
{
	return s != NULL ? s->ops->close(s) : 0;
}

#endif
