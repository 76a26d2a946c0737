#include <stdio.h>

int
main(void)
{
	puts("stortop");
	return 0;
}
