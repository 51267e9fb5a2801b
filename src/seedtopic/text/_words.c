/* Words counted in C: see compiled.py and numbers.py, which are the only callers.
 *
 * Texts are prepared first, with the interpreter (_texts.h). Then all are read (_reading.h) into a table of words
 * (_table.h), with their phrases (_phrases.h), and the interpreter lock is released while that takes long.
 * _placing.h makes rows of a matrix.
 */
#include "../base/_module.h"
#include <stdlib.h>
#include <string.h>

#define LEFT_OUT (-1) /* in the place of a column: of words that are not known, and of stop words; see placing.py */
#define STOPPED (-2)
#define LONG (1 << 16)         /* bytes of texts for which the lock is released */
#define UNINTERRUPTED (1 << 24) /* bytes between two looks whether the user wants to stop */
#define AHEAD 8 /* words between asking for a slot and using it */
#define KNOWN "seedtopic.text._words.known"
#define NUMBERED "seedtopic.text._words.numbered"
#include "_table.h"
#include "_placing.h"
#include "_phrases.h"
#include "_reading.h"
#include "_texts.h"

/* Read all texts; other threads of Python run meanwhile if that takes long. */
static int read_all(struct reader *reader, const struct texts *all)
{
    int outcome = DONE;
    size_t read = 0;
    PyThreadState *lock = all->n_bytes < LONG ? NULL : PyEval_SaveThread();
    for (size_t i = 0; i < all->n_texts && !outcome; i++) {
        outcome = read_text(reader, &all->texts[i], all->counted);
        read += all->texts[i].length;
        if (lock && read > UNINTERRUPTED) {
            read = 0;
            PyEval_RestoreThread(lock);
            if (PyErr_CheckSignals())
                outcome = FAILED;
            lock = PyEval_SaveThread();
        }
    }
    if (lock)
        PyEval_RestoreThread(lock);
    return failed(outcome);
}

static PyObject *array_of(const void *content, size_t n, size_t size)
{
    if (n > PY_SSIZE_T_MAX / size)
        return PyErr_NoMemory();
    return PyByteArray_FromStringAndSize(n ? content : "", (Py_ssize_t)(n * size));
}

static PyObject *strings_of(const struct table *table)
{
    PyObject *strings = PyList_New((Py_ssize_t)table->n_entries);
    for (size_t i = 0; strings && i < table->n_entries; i++) {
        const char *letters = (const char *)table->letters + table->entries[i].start;
        PyObject *string = PyUnicode_DecodeUTF8(letters, (Py_ssize_t)table->entries[i].length, "surrogatepass");
        if (!string || PyList_SetItem(strings, (Py_ssize_t)i, string))
            Py_CLEAR(strings);
    }
    return strings;
}

/* Words, lengths, columns and counts. */
static PyObject *tally_of(const struct reader *reader)
{
    return Py_BuildValue("NNNN", strings_of(&reader->words),
                         array_of(reader->lengths, reader->n_lengths, sizeof *reader->lengths),
                         array_of(reader->columns, reader->n_columns, sizeof *reader->columns),
                         array_of(reader->counts, reader->n_columns, sizeof *reader->counts));
}

/* The rows of a sparse matrix, their ends first, and how many words of each are left out. */
static PyObject *rows_of(const struct reader *reader)
{
    const size_t n_rows = reader->n_lengths, n_values = reader->n_columns;
    int32_t *ends = calloc(n_rows + 1, sizeof *ends);
    float *values = calloc(n_values + 1, sizeof *values);
    PyObject *rows = NULL;
    if (ends && values) {
        for (size_t i = 0; i < n_rows; i++)
            ends[i + 1] = ends[i] + reader->lengths[i];
        for (size_t i = 0; i < n_values; i++)
            values[i] = (float)reader->counts[i];
        rows = Py_BuildValue("NNNN", array_of(ends, n_rows + 1, sizeof *ends),
                             array_of(reader->columns, n_values, sizeof *reader->columns),
                             array_of(values, n_values, sizeof *values),
                             array_of(reader->left_out, n_rows, sizeof *reader->left_out));
    } else {
        PyErr_NoMemory();
    }
    free(ends);
    free(values);
    return rows;
}

static PyObject *counted(struct texts *all, PyObject *texts, PyObject *sequences, const struct known *known)
{
    struct reader reader = {.known = known};
    PyObject *result = NULL;
    if (!open_texts(all, texts) && !open_phrases(&reader.phrases, sequences, all->kept)
        && !read_all(&reader, all))
        result = known ? rows_of(&reader) : tally_of(&reader);
    close_reader(&reader);
    close_texts(all);
    return result;
}

static PyObject *tally(PyObject *module, PyObject *args)
{
    struct texts all = {0};
    PyObject *texts, *sequences;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO!OOO", &texts, &PyDict_Type, &sequences, &all.count, &all.normalize, &all.block))
        return NULL;
    return counted(&all, texts, sequences, NULL);
}

static PyObject *count_known(PyObject *module, PyObject *args)
{
    struct texts all = {0};
    PyObject *capsule, *texts, *sequences;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO!OOO", &capsule, &texts, &PyDict_Type, &sequences, &all.count, &all.normalize,
                          &all.block))
        return NULL;
    const struct known *known = PyCapsule_GetPointer(capsule, KNOWN);
    return known ? counted(&all, texts, sequences, known) : NULL;
}

static void close_known_words(struct known *known)
{
    empty(&known->words);
    free(known->columns);
    free(known);
}

static void destroy_known_words(PyObject *capsule) { close_known_words(PyCapsule_GetPointer(capsule, KNOWN)); }

/* Give words columns, one after the other or all the same; a word that has one already gets the new one. */
static int know(struct known *known, PyObject *words, int stopped)
{
    PyObject *kept = PyList_New(0), *listed = PySequence_Tuple(words);
    int outcome = kept && listed ? DONE : FAILED;
    const Py_ssize_t n_words = listed ? PyTuple_Size(listed) : 0;
    for (Py_ssize_t i = 0; i < n_words && !outcome; i++) {
        struct word word;
        int64_t number;
        if (word_from(PyTuple_GetItem(listed, i), kept, &word)) {
            outcome = FAILED;
            break;
        }
        const size_t n_known = known->words.n_entries;
        outcome = failed(add(&known->words, &word, &number));
        if (!outcome && !RESERVE(known->columns, known->columns_room, known->words.n_entries))
            outcome = failed(NO_MEMORY);
        if (!outcome && (!stopped || (size_t)number == n_known))
            known->columns[number] = stopped ? STOPPED : (int32_t)i;
        if (i % 4096 == 4095 && PyList_SetSlice(kept, 0, PyList_Size(kept), NULL)) /* the table has its letters */
            outcome = FAILED;
    }
    Py_XDECREF(kept);
    Py_XDECREF(listed);
    return outcome;
}

static PyObject *known_words(PyObject *module, PyObject *args)
{
    PyObject *words, *stopped, *capsule = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &words, &stopped))
        return NULL;
    struct known *known = calloc(1, sizeof *known);
    if (!known)
        return PyErr_NoMemory();
    if (!know(known, words, 0) && !know(known, stopped, 1))
        capsule = PyCapsule_New(known, KNOWN, destroy_known_words);
    if (!capsule)
        close_known_words(known);
    return capsule;
}

static void destroy_numbered(PyObject *capsule)
{
    struct table *table = PyCapsule_GetPointer(capsule, NUMBERED);
    empty(table);
    free(table);
}

static PyObject *new_numbers(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    struct table *table = calloc(1, sizeof *table);
    PyObject *capsule = table ? PyCapsule_New(table, NUMBERED, destroy_numbered) : PyErr_NoMemory();
    if (!capsule)
        free(table);
    return capsule;
}

/* The numbers of words in a table; new ones are added, or have the number -1. */
static PyObject *number_words(PyObject *module, PyObject *args)
{
    PyObject *capsule, *words, *numbers = NULL, *kept = NULL;
    int adding;
    (void)module;
    if (!PyArg_ParseTuple(args, "OO!p", &capsule, &PyList_Type, &words, &adding))
        return NULL;
    struct table *table = PyCapsule_GetPointer(capsule, NUMBERED);
    const Py_ssize_t n_words = PyList_Size(words);
    if (!table || !(kept = PyList_New(0)))
        return NULL;
    struct word *given = malloc(((size_t)n_words + 1) * sizeof *given);
    int32_t *found = malloc(((size_t)n_words + 1) * sizeof *found);
    int outcome = given && found ? DONE : failed(NO_MEMORY);
    for (Py_ssize_t i = 0; i < n_words && !outcome; i++) {
        PyObject *string = PyList_GetItem(words, i);
        Py_ssize_t size;
        const char *bytes = string && PyUnicode_Check(string) ? PyUnicode_AsUTF8AndSize(string, &size) : NULL;
        if (bytes) {
            given[i] = word_of((const unsigned char *)bytes, (size_t)size);
        } else { /* half of a character in the name of a phrase, or no memory */
            PyErr_Clear();
            outcome = string ? word_from(string, kept, &given[i]) : FAILED;
        }
    }
    for (Py_ssize_t i = 0; i < n_words && !outcome; i++) {
        int64_t number = -1;
        if (i + AHEAD < n_words && table->n_slots) /* the table is larger than any cache */
            __builtin_prefetch(&table->slots[given[i + AHEAD].hash & (table->n_slots - 1)]);
        if (adding)
            outcome = failed(add(table, &given[i], &number));
        else
            number = find(table, &given[i]);
        found[i] = (int32_t)number;
    }
    if (!outcome)
        numbers = array_of(found, (size_t)n_words, sizeof *found);
    free(given);
    free(found);
    Py_DECREF(kept);
    return numbers;
}

/* The words of a table, in the order of their numbers. */
static PyObject *numbered_words(PyObject *module, PyObject *capsule)
{
    (void)module;
    const struct table *table = PyCapsule_GetPointer(capsule, NUMBERED);
    return table ? strings_of(table) : NULL;
}

static PyObject *place_rows(PyObject *module, PyObject *args)
{
    enum { LENGTHS, NUMBERS, COUNTS, COLUMN_OF, N_VIEWS };
    Py_buffer b[N_VIEWS] = {{0}};
    (void)module;
    if (!PyArg_ParseTuple(args, "y*y*y*y*", &b[LENGTHS], &b[NUMBERS], &b[COUNTS], &b[COLUMN_OF]))
        return NULL;
    const size_t n_rows = (size_t)b[LENGTHS].len / 4, n_values = (size_t)b[NUMBERS].len / 4;
    const struct piece piece = {
        b[LENGTHS].buf, b[NUMBERS].buf, b[COLUMN_OF].buf, b[COUNTS].buf, n_rows, n_values,
        (size_t)b[COLUMN_OF].len / 4, n_values ? (size_t)b[COUNTS].len / n_values : 1,
    };
    PyObject *arrays[4] = {NULL}, *result = NULL;
    uint64_t *numbers = NULL;
    if (n_values > MOST || (piece.count_size != 1 && piece.count_size != 2 && piece.count_size != 4)
        || (size_t)b[COUNTS].len != n_values * piece.count_size || !fits(&piece)) {
        PyErr_SetString(PyExc_ValueError, "the arrays of counts do not belong together");
    } else if (!(numbers = malloc((2 * n_values + 1) * sizeof *numbers))) {
        PyErr_NoMemory();
    } else if ((arrays[0] = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(4 * (n_rows + 1))))
               && (arrays[1] = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(4 * n_values)))
               && (arrays[2] = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(4 * n_values)))
               && (arrays[3] = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(4 * n_rows)))) {
        struct rows rows = {
            (int32_t *)PyByteArray_AsString(arrays[0]), (int32_t *)PyByteArray_AsString(arrays[1]),
            (float *)PyByteArray_AsString(arrays[2]), (float *)PyByteArray_AsString(arrays[3]),
        };
        const Py_ssize_t size = 4 * (Py_ssize_t)place(&piece, numbers, numbers + n_values, &rows);
        if (!PyByteArray_Resize(arrays[1], size) && !PyByteArray_Resize(arrays[2], size))
            result = Py_BuildValue("OOOO", arrays[0], arrays[1], arrays[2], arrays[3]);
    }
    free(numbers);
    for (int i = 0; i < 4; i++)
        Py_XDECREF(arrays[i]);
    for (int i = 0; i < N_VIEWS; i++)
        PyBuffer_Release(&b[i]);
    return result;
}

static PyMethodDef methods[] = {
    {"place_rows", place_rows, METH_VARARGS, "Place counted words in their columns, as the rows of a sparse matrix."},
    {"new_numbers", new_numbers, METH_NOARGS, "Make a table that numbers words."},
    {"number_words", number_words, METH_VARARGS, "Give the numbers of words in a table; new ones are added, or have the number -1."},
    {"numbered_words", numbered_words, METH_O, "List the words of a table in the order of their numbers."},
    {"tally", tally, METH_VARARGS, "Count the words of texts."},
    {"known_words", known_words, METH_VARARGS, "Prepare words for count_known: those with a column, and stop words."},
    {"count_known", count_known, METH_VARARGS, "Count known words of texts, as the rows of a sparse matrix."},
    {NULL, NULL, 0, NULL},
};

/* Draw the key of the hash, which all tables of this process share. */
static int draw_secret(PyObject *module)
{
    char *content;
    Py_ssize_t size;
    PyObject *os = PyImport_ImportModule("os");
    PyObject *drawn = os ? PyObject_CallMethod(os, "urandom", "i", (int)sizeof secret) : NULL;
    const int failure = !drawn || PyBytes_AsStringAndSize(drawn, &content, &size) || size != sizeof secret;
    (void)module;
    if (!failure && !secret[1]) {
        memcpy(secret, content, sizeof secret);
        secret[1] |= 1;
    }
    Py_XDECREF(os);
    Py_XDECREF(drawn);
    return failure ? -1 : 0;
}

MODULE(_words, {Py_mod_exec, draw_secret},)
