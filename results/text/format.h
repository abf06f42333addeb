/* Numbers as people read them, three significant digits. Each writes into out and returns it. */
#ifndef SPB_RESULTS_TEXT_FORMAT_H
#define SPB_RESULTS_TEXT_FORMAT_H

enum { FORMAT_ROOM = 32 };

/* "1.23 s", "45.6 ms", "789 us", "12.0 ns" */
char *format_seconds(char out[FORMAT_ROOM], double seconds);

/* Powers of two: "512 B", "1.50 KiB", "280 MiB" */
char *format_size(char out[FORMAT_ROOM], double bytes);

/* "0.031", "4.56", "45.6", "456", "12345" */
char *format_number(char out[FORMAT_ROOM], double value);

/* "12.3%", of a fraction */
char *format_percent(char out[FORMAT_ROOM], double fraction);

#endif
