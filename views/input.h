/*
 * Keys and clicks as the views know them: a character is its code point, the rest has a code of its own. So
 * only terminal.c knows curses, and tests press keys without a terminal.
 */
#ifndef VIEWS_INPUT_H
#define VIEWS_INPUT_H

#include <stdint.h>

enum input_code {
	INPUT_FIRST = 0x200000,	/* above every character */
	INPUT_UP, INPUT_DOWN, INPUT_LEFT, INPUT_RIGHT, INPUT_PAGE_UP, INPUT_PAGE_DOWN, INPUT_HOME, INPUT_END,
	INPUT_ENTER, INPUT_ESC, INPUT_TAB, INPUT_BACK_TAB, INPUT_BACKSPACE, INPUT_DELETE,
	INPUT_F1, INPUT_F10,
	INPUT_CLICK, INPUT_WHEEL_UP, INPUT_WHEEL_DOWN,
};
#define INPUT_CTRL(c) ((uint32_t)(c) & 0x1F)

struct input {
	uint32_t code;
	int y, x;	/* of a click or of the wheel */
};

#endif
