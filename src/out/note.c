#include "out/note.h"

#include <stdlib.h>

#include "core/xalloc.h"

void
note_add(struct note *note, const char *name)
{
	if (note->n++ == 0)
		line_text(&note->text, note->lead);
	if (note->limit > 0 && note->n > note->limit)
		return;
	line_text(&note->text, note->n == 1 ? " " : ", ");
	line_text(&note->text, name);
}

void
note_end(struct note *note)
{
	if (note->limit > 0 && note->n > note->limit) {
		char *more = xasprintf(" and %zu more", note->n - note->limit);

		line_text(&note->text, more);
		free(more);
	}
	line_char(&note->text, '\0');
	if (note->n > 0 && note->options->note != NULL)
		note->options->note(note->options->note_arg, note->text.buf);
	line_free(&note->text);
}
