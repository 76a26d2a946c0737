/*
 * What frames the view: the header, the tabs, the status lines and the footer. Main thread.
 */
#ifndef VIEWS_FRAME_H
#define VIEWS_FRAME_H

#include "views/screen.h"

void frame_header(struct screen *, struct surface *, int y);
void frame_tabs(struct screen *, struct surface *, int y);
/* Lines of status there are to be shown now, at least 1. */
int frame_status_lines(const struct screen *);
/* Does the status have anything to say? */
bool frame_has_status(const struct screen *);
/* Where a prompt is open, its cursor goes to *cursor_y, *cursor_x. */
void frame_status(struct screen *, struct surface *, int y, int rows, int *cursor_y, int *cursor_x);
void frame_footer(struct screen *, struct surface *, int y);

#endif
