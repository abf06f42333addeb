/* What the reader of config.json files understands, as docs/models.md has it. */
#ifndef SPB_MODELS_DOCS_H
#define SPB_MODELS_DOCS_H

#include <stdio.h>

/* That page's tables, from the reader's rows. */
void model_docs(FILE *out);

#endif
