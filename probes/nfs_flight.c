#include "probes/nfs_flight.h"

#include <math.h>

#include "core/snapshot.h"

#define MOST 1e15	/* whatever a damaged file says, the number fits */

/* Growth of a sum, 0 where either reading lacks it. */
static double
growth(uint64_t before, uint64_t now)
{
	return before != ABSENT && now != ABSENT && now > before ? (double)(now - before) : 0;
}

/* What the sums tell of losses at so many sends; NaN where they do not. */
static double
told(double sends, double req_sum, double pending_sum, bool pending_known)
{
	return pending_known && sends > 0 ? fmax(0, (req_sum - pending_sum) / sends - 1) : NAN;
}

static double
outstanding(const struct nfs_xprt_text *x)
{
	return x->sends > x->replies ? (double)(x->sends - x->replies) : 0;
}

/*
 * The past is known from its mean alone. Without the queue of those who wait nothing is: then what is open now counts as
 * lost, since a mount that rests must not read as one that stands still.
 */
static void
begin(struct nfs_flight *f, const struct nfs_xprt_text *x)
{
	double mean = told((double)x->sends, (double)x->req_sum, (double)x->pending_sum,
	    x->req_sum != ABSENT && x->pending_sum != ABSENT);
	double bad = x->bad_xids != ABSENT ? (double)x->bad_xids : 0;

	f->lost = isnan(mean) ? outstanding(x) : fmax(round(mean), bad);
	f->backlog = 0;
	f->early = 0;
	f->begun = true;
}

static void
follow(struct nfs_flight *f, const struct nfs_xprt_text *x, uint64_t ops, uint64_t again)
{
	double sends = growth(f->last.sends, x->sends), replies = growth(f->last.replies, x->replies);
	double without = fmax(0, (double)ops - replies - (double)f->early);
	/* over a new connection everything is sent once more */
	double resent = growth(f->last.connects, x->connects) > 0 ? outstanding(&f->last) : 0;
	double most = f->lost + growth(f->last.bad_xids, x->bad_xids) + (double)again + without + resent;
	double mean = told(sends, growth(f->last.req_sum, x->req_sum), growth(f->last.pending_sum, x->pending_sum),
	    x->pending_sum != ABSENT);

	/* nothing is lost without a sign of it; requests sent by another's hand are missing in the queue */
	f->lost = isnan(mean) ? most : fmin(mean, most);
	f->early = replies > (double)ops ? (uint64_t)(replies - (double)ops) : 0;
	if (sends > 0)
		f->backlog = growth(f->last.backlog_sum, x->backlog_sum) / sends;
	else if (replies > 0)
		f->backlog = 0;
}

uint64_t
nfs_flight_next(struct nfs_flight *f, const struct nfs_xprt_text *x, uint64_t ops, uint64_t again)
{
	double open;

	if (x->sends == ABSENT || x->replies == ABSENT)
		return ABSENT;
	if (!f->begun || x->sends < f->last.sends || x->replies < f->last.replies)
		begin(f, x);
	else
		follow(f, x, ops, again);
	f->last = *x;
	f->last.type = (struct nfs_text) { NULL, 0 };
	open = outstanding(x);
	f->lost = fmin(f->lost, open);
	open = round(open - f->lost);
	return open > 0 ? (uint64_t)fmin(open + round(f->backlog), MOST) : 0;
}
