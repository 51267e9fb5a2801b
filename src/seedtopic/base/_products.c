/* Products of sparse and dense matrices in C: see products.py, which is the only caller.
 *
 * Each entry of a product is the sum over the entries of one row, one after another, so that nothing depends
 * on how rows are shared among threads. The interpreter lock is released meanwhile.
 */
#include "_module.h"
#include <string.h>

#define AHEAD 16 /* entries between asking for a row of the dense matrix and using it */

struct rows {
    int64_t first, last, n_columns;
    const int64_t *pointers;
    const int32_t *indices;
};

#define REAL float
#define NAMED(x) x##_float
#include "_products_rows.h"
#undef REAL
#undef NAMED
#define REAL double
#define NAMED(x) x##_double
#include "_products_rows.h"

/* Whether the arrays belong together, and the rows that the range points at are there. */
static int fits(const struct rows *r, int64_t size, const Py_buffer *data, const Py_buffer *indices,
                const Py_buffer *pointers, const Py_buffer *dense, const Py_buffer *product)
{
    const int64_t n_rows = pointers->len / 8 - 1, n_values = indices->len / 4;
    if ((size != 4 && size != 8) || r->n_columns < 1 || n_rows < 0 || r->first < 0 || r->first > r->last
        || r->last > n_rows || data->len != n_values * size || product->len != n_rows * r->n_columns * size
        || r->pointers[r->first] < 0 || r->pointers[r->last] > n_values)
        return 0;
    const int64_t n_dense = dense->len / (r->n_columns * size);
    return rows_fit(r->pointers, r->indices, r->first, r->last, n_dense);
}

static PyObject *multiply(PyObject *module, PyObject *args)
{
    enum { DATA, INDICES, POINTERS, DENSE, PRODUCT, N_VIEWS };
    struct rows r;
    Py_ssize_t first, last, n_columns, size;
    Py_buffer b[N_VIEWS] = {{0}};
    (void)module;
    if (!PyArg_ParseTuple(args, "nnnny*y*y*y*w*", &first, &last, &size, &n_columns, &b[DATA], &b[INDICES],
                          &b[POINTERS], &b[DENSE], &b[PRODUCT]))
        return NULL;
    r.first = first, r.last = last, r.n_columns = n_columns;
    r.pointers = b[POINTERS].buf, r.indices = b[INDICES].buf;
    const int fine = fits(&r, size, &b[DATA], &b[INDICES], &b[POINTERS], &b[DENSE], &b[PRODUCT]);
    if (fine) {
        Py_BEGIN_ALLOW_THREADS
        if (size == 4)
            multiply_float(&r, b[DATA].buf, b[DENSE].buf, b[PRODUCT].buf);
        else
            multiply_double(&r, b[DATA].buf, b[DENSE].buf, b[PRODUCT].buf);
        Py_END_ALLOW_THREADS
    }
    return done(b, N_VIEWS, fine ? NULL : "a product", 1);
}

static PyMethodDef methods[] = {
    {"multiply", multiply, METH_VARARGS, "Rows first to last of a product."},
    {NULL, NULL, 0, NULL},
};

MODULE(_products, )
