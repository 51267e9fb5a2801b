/* Rows of a product for one floating-point type.
 *
 * Included by _products.c once for float and once for double, with REAL the type and NAMED(x) the name of x
 * for it. Columns are taken a vector at a time. Where they are no whole number of vectors, the last vector
 * overlaps the one before it: both compute the same sums for the columns that they share.
 */
#define VECTOR NAMED(vector)
#define LANES ((int64_t)(32 / sizeof(REAL)))

typedef REAL VECTOR __attribute__((vector_size(32), aligned(sizeof(REAL)), may_alias));

/* Up to four vectors of columns, the first from column `from` on and the last from column `last` on. */
INLINED void NAMED(columns)(int64_t n_vectors, int64_t from, int64_t last, const struct rows *r,
                            const REAL *data, const REAL *dense, REAL *product)
{
    const int64_t n = r->n_columns, end = r->pointers[r->last];
    int64_t offset[4];
    for (int64_t i = 0; i < n_vectors; i++)
        offset[i] = i + 1 < n_vectors ? from + i * LANES : last;
    for (int64_t row = r->first; row < r->last; row++) {
        VECTOR sums[4] = {{0}, {0}, {0}, {0}};
        for (int64_t p = r->pointers[row]; p < r->pointers[row + 1]; p++) {
            if (p + AHEAD < end)
                __builtin_prefetch(dense + r->indices[p + AHEAD] * n + from);
            const REAL *other = dense + r->indices[p] * n;
            for (int64_t i = 0; i < n_vectors; i++)
                sums[i] += data[p] * *(const VECTOR *)(other + offset[i]);
        }
        for (int64_t i = 0; i < n_vectors; i++)
            *(VECTOR *)(product + row * n + offset[i]) = sums[i];
    }
}

/* Fewer columns than a vector has lanes. */
INLINED void NAMED(few_columns)(int64_t n, const struct rows *r, const REAL *data, const REAL *dense,
                                REAL *product)
{
    const int64_t end = r->pointers[r->last];
    for (int64_t row = r->first; row < r->last; row++) {
        REAL sums[8] = {0};
        for (int64_t p = r->pointers[row]; p < r->pointers[row + 1]; p++) {
            if (p + AHEAD < end)
                __builtin_prefetch(dense + r->indices[p + AHEAD] * n);
            const REAL *other = dense + r->indices[p] * n;
            for (int64_t i = 0; i < n; i++)
                sums[i] += data[p] * other[i];
        }
        memcpy(product + row * n, sums, (size_t)n * sizeof(REAL));
    }
}

#define CASE(n, call) \
    case n: \
        call; \
        break;

CLONED static void NAMED(multiply)(const struct rows *r, const REAL *data, const REAL *dense, REAL *product)
{
    const int64_t n = r->n_columns, last = n - LANES;
    if (n < LANES) {
        switch (n) { /* a number that the compiler knows keeps the sums in registers */
            CASE(1, NAMED(few_columns)(1, r, data, dense, product))
            CASE(2, NAMED(few_columns)(2, r, data, dense, product))
            CASE(3, NAMED(few_columns)(3, r, data, dense, product))
            CASE(4, NAMED(few_columns)(4, r, data, dense, product))
            CASE(5, NAMED(few_columns)(5, r, data, dense, product))
            CASE(6, NAMED(few_columns)(6, r, data, dense, product))
            CASE(7, NAMED(few_columns)(7, r, data, dense, product))
        }
        return;
    }
    for (int64_t from = 0; from < n; from += 4 * LANES) {
        const int64_t left = n - from, end = left > 4 * LANES ? from + 3 * LANES : last;
        switch (left > 4 * LANES ? 4 : (left + LANES - 1) / LANES) {
            CASE(1, NAMED(columns)(1, from, end, r, data, dense, product))
            CASE(2, NAMED(columns)(2, from, end, r, data, dense, product))
            CASE(3, NAMED(columns)(3, from, end, r, data, dense, product))
            CASE(4, NAMED(columns)(4, from, end, r, data, dense, product))
        }
    }
}

#undef CASE
#undef VECTOR
#undef LANES
