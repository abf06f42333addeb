/* What a reader has to say of a file that it accepts. */
#ifndef SPB_MODELS_CONFIG_NOTES_H
#define SPB_MODELS_CONFIG_NOTES_H

/* Lines, each once; owned by who released them last. */
struct model_notes {
    char **lines;
    int n;
};

/* Adds a line, of which characters that are not printable ASCII become '?', since fields and names
 * come from files. Where it is cut and without memory it is worth less and no error. */
void note_add(struct model_notes *notes, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

void notes_free(char **lines, int n);

#endif
