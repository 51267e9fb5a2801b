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
