#include "comm/transport/mpi/block_type.h"

#include "comm/plan/block.h"

MPI_Datatype unit_type(size_t unit) {
    return unit == 8   ? MPI_UINT64_T
           : unit == 4 ? MPI_UINT32_T
           : unit == 2 ? MPI_UINT16_T
                       : MPI_BYTE;
}

/* Parts of rows, in the order in which they stand in the block. */
struct parts {
    size_t unit;
    int n;
    MPI_Aint at[3];
    MPI_Datatype types[3];
};

static void add(struct parts *parts, size_t at, MPI_Datatype type) {
    parts->at[parts->n] = (MPI_Aint)at;
    parts->types[parts->n++] = type;
}

static void add_bytes(struct parts *parts, size_t at, size_t bytes) {
    MPI_Datatype type;
    if (bytes == 0)
        return;
    MPI_Type_contiguous((int)(bytes / parts->unit), unit_type(parts->unit), &type);
    add(parts, at, type);
}

MPI_Datatype block_type(const struct block *b, size_t from, size_t bytes, size_t unit) {
    const size_t width = block_contiguous(b) ? block_bytes(b) : b->row_bytes;
    const size_t row = from / width, skipped = from % width;
    const size_t rest = (width - skipped) % width; /* of a row that begins before the range */
    const size_t head = rest < bytes ? rest : bytes;
    const size_t rows = (bytes - head) / width, tail = (bytes - head) % width;
    const size_t first_whole = row + (skipped > 0);
    struct parts parts = {.unit = unit};
    add_bytes(&parts, row * b->stride + skipped, head);
    if (rows > 0) {
        MPI_Datatype type;
        MPI_Type_create_hvector((int)rows, (int)(width / unit), (MPI_Aint)b->stride,
                                unit_type(unit), &type);
        add(&parts, first_whole * b->stride, type);
    }
    add_bytes(&parts, (first_whole + rows) * b->stride, tail);

    /* Whole rows from the first one on, the usual case, need no struct around them. */
    static const int once[3] = {1, 1, 1};
    MPI_Datatype out = parts.types[0];
    if (parts.n == 1 && parts.at[0] == 0) {
        MPI_Type_commit(&out);
        return out;
    }
    MPI_Type_create_struct(parts.n, once, parts.at, parts.types, &out);
    MPI_Type_commit(&out);
    for (int i = 0; i < parts.n; i++)
        MPI_Type_free(&parts.types[i]);
    return out;
}
