/* What every module in C here shares: how it is compiled for several processors, and how it ends.
 *
 * MODULE(name, SLOTS) defines a module of the functions in `methods`, with further slots, each with a comma
 * behind it, or none. In a build of Python without the global lock it says that it does not need the lock:
 * threads share nothing but the arrays of their caller, and what is atomic.
 *
 * A product is rounded before it is added, as numpy does: a processor that multiplies and adds at once would give
 * other last digits, and a fit that decides something by them other labels.
 */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

#define INLINED static inline __attribute__((always_inline))
/* One library for old and new processors: the loader picks the version that this one can run. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define CLONED __attribute__((target_clones("avx2", "default")))
#else
#define CLONED
#endif

/* Whether rows first to last of a compressed matrix follow each other, and have none but the columns there are. */
INLINED int rows_fit(const int64_t *starts, const int32_t *columns, int64_t first, int64_t last, int64_t n_columns)
{
    int wrong = 0;
    for (int64_t row = first; row < last; row++)
        wrong |= starts[row] > starts[row + 1];
    if (wrong)
        return 0;
    for (int64_t p = starts[first]; p < starts[last]; p++)
        wrong |= (columns[p] < 0) | (columns[p] >= n_columns);
    return !wrong;
}

/* Let arrays go; give None, or the error where those of `wrong` do not belong together or there was no room. */
static inline PyObject *done(Py_buffer *views, int n, const char *wrong, int room)
{
    for (int i = 0; i < n; i++)
        PyBuffer_Release(&views[i]);
    if (wrong)
        return PyErr_Format(PyExc_ValueError, "the arrays of %s do not belong together", wrong);
    return room ? Py_NewRef(Py_None) : PyErr_NoMemory();
}

#ifdef Py_GIL_DISABLED
#define NEEDS_NO_LOCK {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#else
#define NEEDS_NO_LOCK
#endif
#define MODULE(name, ...)                                                                                       \
    static PyModuleDef_Slot slots[] = {__VA_ARGS__ NEEDS_NO_LOCK{0, NULL}};                                     \
    static struct PyModuleDef definition = {                                                                    \
        PyModuleDef_HEAD_INIT, .m_name = #name, .m_methods = methods, .m_slots = slots,                         \
    };                                                                                                          \
    PyMODINIT_FUNC PyInit_##name(void) { return PyModuleDef_Init(&definition); }
