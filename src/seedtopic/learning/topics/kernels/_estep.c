/* The E-step in C: see compiled.py, which is the only caller, and _estep_walks.h, which holds the loops.
 *
 * Arrays come through the buffer protocol, contiguous; their lengths and the indices into them are checked
 * here. The interpreter lock is released while a walk runs, so that Python threads can walk different ranges
 * of documents or words at once.
 */
#include "../../../base/_module.h"

#define VECTOR_BYTES 32 /* one AVX register, or two of SSE or NEON; interface.py says the same */
#define CACHE_LINE 64
#define AHEAD 16 /* steps between asking for a row and using it */

/* What both walks need: rows first to last of a compressed matrix, and the constants of the model. */
struct walk {
    int64_t first, last, n_topics, n_background;
    const int64_t *pointers;
    const int32_t *indices;
    int bayes;
    double delta_margin, tiny;
};

#define VECTORS(n) (((n) + LANES - 1) / LANES) /* whole vectors that hold n numbers */
/* The walk for numbers of vectors that the compiler knows, where they are common: sums then stay in registers.
 * In float32, 1, 2 and 3 hold up to 8, 16 and 24 categories; 2, 3 and 5 hold 10, 20 and 40 background topics. */
#define SIZED(t, b, walk, ...) \
    if (topic_vectors == t && background_vectors == b) { \
        walk(t, b, __VA_ARGS__); \
        return; \
    }
#define FOR_SIZES(walk, w, ...) \
    const int64_t topic_vectors = VECTORS(w->n_topics), background_vectors = VECTORS(w->n_background); \
    SIZED(1, 2, walk, w, __VA_ARGS__) \
    SIZED(1, 3, walk, w, __VA_ARGS__) \
    SIZED(1, 5, walk, w, __VA_ARGS__) \
    SIZED(2, 3, walk, w, __VA_ARGS__) \
    SIZED(2, 5, walk, w, __VA_ARGS__) \
    SIZED(3, 3, walk, w, __VA_ARGS__) \
    SIZED(3, 5, walk, w, __VA_ARGS__) \
    walk(topic_vectors, background_vectors, w, __VA_ARGS__);
#define REAL float
#define NAMED(x) x##_float
#include "_estep_walks.h"
#undef REAL
#undef NAMED
#define REAL double
#define NAMED(x) x##_double
#include "_estep_walks.h"

/* Bytes of a padded part of a row. */
static int64_t padded(int64_t n, int64_t size)
{
    return (n * size + VECTOR_BYTES - 1) / VECTOR_BYTES * VECTOR_BYTES;
}

/* Memory for the sums of one thread, on cache lines of its own: on lines shared with another thread's sums each
 * would wait for the other. Give the first to PyMem_Free and use the second. */
static void *sums_memory(int64_t row_bytes, void **sums)
{
    char *memory = PyMem_Malloc((size_t)(row_bytes + 2 * CACHE_LINE));
    if (memory)
        *sums = memory + (CACHE_LINE - (uintptr_t)memory % CACHE_LINE) % CACHE_LINE;
    return memory;
}

/* Whether the arrays common to both walks have lengths that belong together, and the rows that the range first
 * to last points at are there. (The positions of walk_words are a permutation made by Shard.by_word.) */
static int fits(const struct walk *w, int64_t size, const Py_buffer *pointers, const Py_buffer *indices,
                const Py_buffer *scales, const Py_buffer *topics, const Py_buffer *backgrounds,
                const Py_buffer *targets, int64_t target_bytes)
{
    const int64_t n_rows = pointers->len / 8 - 1, n_values = indices->len / 4;
    if ((size != 4 && size != 8) || w->n_topics < 1 || w->n_background < 1 || n_rows < 0 || w->first < 0
        || w->first > w->last || w->last > n_rows || scales->len != 2 * n_values * size
        || topics->len != n_rows * w->n_topics * size || backgrounds->len != n_rows * w->n_background * size
        || w->pointers[w->first] < 0 || w->pointers[w->last] > n_values)
        return 0;
    const int64_t n_targets = targets->len / target_bytes;
    return rows_fit(w->pointers, w->indices, w->first, w->last, n_targets);
}

static PyObject *walk_documents(PyObject *module, PyObject *args)
{
    enum { DATA, INDICES, POINTERS, DOCUMENTS, WORDS, SCALES, EVIDENCE, M, M_HAT, N_VIEWS };
    struct walk w;
    Py_ssize_t first, last, n_topics, n_background, size;
    Py_buffer b[N_VIEWS] = {{0}};
    (void)module;
    if (!PyArg_ParseTuple(args, "nnnnnpddy*y*y*y*y*w*w*w*w*", &first, &last, &size, &n_topics, &n_background,
                          &w.bayes, &w.delta_margin, &w.tiny, &b[DATA], &b[INDICES], &b[POINTERS],
                          &b[DOCUMENTS], &b[WORDS], &b[SCALES], &b[EVIDENCE], &b[M], &b[M_HAT]))
        return NULL;
    w.first = first, w.last = last, w.n_topics = n_topics, w.n_background = n_background;
    w.pointers = b[POINTERS].buf, w.indices = b[INDICES].buf;
    const int64_t row = padded(n_topics, size) + padded(n_background, size);
    const int64_t word_row = row + padded(n_topics, size);
    if (!fits(&w, size, &b[POINTERS], &b[INDICES], &b[SCALES], &b[M], &b[M_HAT], &b[WORDS], word_row)
        || b[DATA].len * 2 != b[SCALES].len || (b[EVIDENCE].len && b[EVIDENCE].len != b[DATA].len)
        || b[DOCUMENTS].len != (b[POINTERS].len / 8 - 1) * row)
        return done(b, N_VIEWS, "the E-step", 0);
    void *sums, *memory = sums_memory(row, &sums), *evidence = b[EVIDENCE].len ? b[EVIDENCE].buf : NULL;
    if (!memory)
        return done(b, N_VIEWS, NULL, 0);
    Py_BEGIN_ALLOW_THREADS
    if (size == 4)
        walk_documents_float(&w, b[DATA].buf, b[SCALES].buf, evidence, b[DOCUMENTS].buf, b[WORDS].buf, sums,
                             b[M].buf, b[M_HAT].buf);
    else
        walk_documents_double(&w, b[DATA].buf, b[SCALES].buf, evidence, b[DOCUMENTS].buf, b[WORDS].buf, sums,
                              b[M].buf, b[M_HAT].buf);
    Py_END_ALLOW_THREADS
    PyMem_Free(memory);
    return done(b, N_VIEWS, NULL, 1);
}

static PyObject *walk_words(PyObject *module, PyObject *args)
{
    enum { POINTERS, DOCUMENT_OF, POSITIONS, DOCUMENTS, WORDS, SCALES, N, N_HAT, N_VIEWS };
    struct walk w = {0};
    Py_ssize_t first, last, n_topics, n_background, size;
    Py_buffer b[N_VIEWS] = {{0}};
    (void)module;
    if (!PyArg_ParseTuple(args, "nnnnny*y*y*y*y*y*w*w*", &first, &last, &size, &n_topics, &n_background,
                          &b[POINTERS], &b[DOCUMENT_OF], &b[POSITIONS], &b[DOCUMENTS], &b[WORDS], &b[SCALES],
                          &b[N], &b[N_HAT]))
        return NULL;
    w.first = first, w.last = last, w.n_topics = n_topics, w.n_background = n_background;
    w.pointers = b[POINTERS].buf, w.indices = b[DOCUMENT_OF].buf;
    const int64_t row = padded(n_topics, size) + padded(n_background, size);
    const int64_t word_row = row + padded(n_topics, size);
    if (!fits(&w, size, &b[POINTERS], &b[DOCUMENT_OF], &b[SCALES], &b[N], &b[N_HAT], &b[DOCUMENTS], row)
        || b[POSITIONS].len != b[DOCUMENT_OF].len
        || b[WORDS].len != (b[POINTERS].len / 8 - 1) * word_row)
        return done(b, N_VIEWS, "the E-step", 0);
    void *sums, *memory = sums_memory(row, &sums);
    if (!memory)
        return done(b, N_VIEWS, NULL, 0);
    Py_BEGIN_ALLOW_THREADS
    if (size == 4)
        walk_words_float(&w, b[POSITIONS].buf, b[SCALES].buf, b[DOCUMENTS].buf, b[WORDS].buf, sums, b[N].buf,
                         b[N_HAT].buf);
    else
        walk_words_double(&w, b[POSITIONS].buf, b[SCALES].buf, b[DOCUMENTS].buf, b[WORDS].buf, sums, b[N].buf,
                          b[N_HAT].buf);
    Py_END_ALLOW_THREADS
    PyMem_Free(memory);
    return done(b, N_VIEWS, NULL, 1);
}

static PyMethodDef methods[] = {
    {"walk_documents", walk_documents, METH_VARARGS, "Expected counts of documents first to last."},
    {"walk_words", walk_words, METH_VARARGS, "Expected counts of words first to last."},
    {NULL, NULL, 0, NULL},
};

MODULE(_estep, )
