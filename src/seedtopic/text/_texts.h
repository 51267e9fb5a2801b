/* From Python's strings to bytes that can be read without the interpreter.
 *
 * An ASCII text is read where it is, any other as UTF-8. Python normalizes a text whose characters cannot be
 * folded one by one, and counts the words of those in scripts without spaces.
 */

/* The texts of one call, and what keeps their bytes alive. */
struct texts {
    struct text *texts;
    struct counted *counted;
    PyObject *given, *kept, *normalize, *block, *count, *is_ascii;
    size_t n_texts, n_bytes, n_counted, counted_room;
};

static int failed(int outcome)
{
    if (outcome == NO_MEMORY)
        PyErr_NoMemory();
    else if (outcome == TOO_MANY)
        PyErr_SetString(PyExc_OverflowError, "more words than a tally can number");
    return outcome;
}

/* UTF-8 of a str, in which unpaired surrogates may be; `kept` keeps it alive. */
static int utf8(PyObject *string, PyObject *kept, const unsigned char **bytes, size_t *length)
{
    PyObject *encoding;
    char *content;
    Py_ssize_t size;
    if (!PyUnicode_Check(string)) {
        PyErr_SetString(PyExc_TypeError, "a text or word is not a str");
        return FAILED;
    }
    encoding = PyUnicode_AsEncodedString(string, "utf-8", "surrogatepass");
    if (!encoding)
        return FAILED;
    const int added = PyList_Append(kept, encoding);
    Py_DECREF(encoding); /* the list has it */
    if (added || PyBytes_AsStringAndSize(encoding, &content, &size))
        return FAILED;
    *bytes = (const unsigned char *)content;
    *length = (size_t)size;
    return DONE;
}

static int word_from(PyObject *string, PyObject *kept, struct word *word)
{
    const unsigned char *bytes;
    size_t length;
    if (utf8(string, kept, &bytes, &length))
        return FAILED;
    *word = word_of(bytes, length);
    return DONE;
}

/* Have characters.py describe a block of characters, once. */
static int load_block(PyObject *describe, uint32_t number)
{
    uint32_t *none = NULL;
    char *content;
    Py_ssize_t size;
    PyObject *description = PyObject_CallFunction(describe, "I", number);
    if (!description)
        return FAILED;
    if (PyBytes_AsStringAndSize(description, &content, &size) || size != BLOCK * (Py_ssize_t)sizeof(uint32_t)) {
        Py_DECREF(description);
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "a block of characters has another size");
        return FAILED;
    }
    uint32_t *block = malloc((size_t)size);
    if (block)
        memcpy(block, content, (size_t)size);
    Py_DECREF(description);
    if (!block)
        return failed(NO_MEMORY);
    if (!__atomic_compare_exchange_n(&blocks[number], &none, block, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        free(block); /* another thread was first */
    return DONE;
}

/* What holds of any character beyond ASCII. */
static int scan(const struct text *text, PyObject *describe, uint32_t *any)
{
    const unsigned char *next = text->bytes, *end = next + text->length;
    *any = 0;
    while (next < end) {
        if (*next < 0x80) {
            next++;
            continue;
        }
        const uint32_t c = decoded(&next);
        uint32_t *block = __atomic_load_n(&blocks[c / BLOCK], __ATOMIC_ACQUIRE);
        if (!block) {
            if (load_block(describe, c / BLOCK))
                return FAILED;
            block = __atomic_load_n(&blocks[c / BLOCK], __ATOMIC_ACQUIRE);
        }
        *any |= block[c % BLOCK];
    }
    return DONE;
}

/* Have Python count the words of a text. */
static int count_elsewhere(struct texts *all, PyObject *string, struct text *text)
{
    PyObject *counts = PyObject_CallFunctionObjArgs(all->count, string, NULL), *word, *times;
    Py_ssize_t position = 0;
    if (!counts)
        return FAILED;
    if (!PyDict_Check(counts)) {
        Py_DECREF(counts);
        PyErr_SetString(PyExc_TypeError, "counts are not a dict");
        return FAILED;
    }
    text->form = COUNTED;
    text->first = all->n_counted;
    int outcome = DONE;
    while (!outcome && PyDict_Next(counts, &position, &word, &times)) {
        struct counted counted;
        const long number = PyLong_AsLong(times);
        if ((number == -1 && PyErr_Occurred()) || word_from(word, all->kept, &counted.word)) {
            outcome = FAILED;
        } else if (number < 1 || number > MOST) {
            outcome = failed(TOO_MANY);
        } else if (!RESERVE(all->counted, all->counted_room, all->n_counted + 1)) {
            outcome = failed(NO_MEMORY);
        } else {
            counted.times = (int32_t)number;
            all->counted[all->n_counted++] = counted;
        }
    }
    Py_DECREF(counts);
    text->last = all->n_counted;
    return outcome;
}

static int prepare(struct texts *all, PyObject *string, struct text *text)
{
    uint32_t any;
    Py_ssize_t size;
    if (!PyUnicode_Check(string)) {
        PyErr_SetString(PyExc_TypeError, "a text is not a str");
        return FAILED;
    }
    PyObject *ascii = PyObject_CallMethodObjArgs(string, all->is_ascii, NULL);
    if (!ascii)
        return FAILED;
    Py_DECREF(ascii);
    text->form = ASCII;
    if (ascii == Py_True) { /* whose UTF-8 is the string itself; of others Python would keep a copy */
        text->bytes = (const unsigned char *)PyUnicode_AsUTF8AndSize(string, &size);
        text->length = (size_t)size;
        return text->bytes ? DONE : FAILED;
    }
    text->form = SIMPLE;
    if (utf8(string, all->kept, &text->bytes, &text->length) || scan(text, all->block, &any))
        return FAILED;
    if (!(any & MUST_NORMALIZE))
        return DONE;
    text->form = NORMALIZED;
    PyObject *normalized = PyObject_CallFunctionObjArgs(all->normalize, string, NULL);
    if (!normalized)
        return FAILED;
    const int outcome
        = utf8(normalized, all->kept, &text->bytes, &text->length) || scan(text, all->block, &any);
    Py_DECREF(normalized);
    if (outcome)
        return FAILED;
    return any & UNSPACED ? count_elsewhere(all, string, text) : DONE;
}

static void close_texts(struct texts *all)
{
    free(all->texts);
    free(all->counted);
    Py_XDECREF(all->given);
    Py_XDECREF(all->kept);
    Py_XDECREF(all->is_ascii);
}

static int open_texts(struct texts *all, PyObject *given)
{
    all->given = PySequence_Tuple(given); /* of our own, so that no other thread can shorten it */
    all->kept = PyList_New(0);
    all->is_ascii = PyUnicode_InternFromString("isascii");
    if (!all->given || !all->kept || !all->is_ascii)
        return FAILED;
    const size_t n_texts = (size_t)PyTuple_Size(all->given);
    all->texts = calloc(n_texts + 1, sizeof *all->texts);
    if (!all->texts)
        return failed(NO_MEMORY);
    for (; all->n_texts < n_texts; all->n_texts++) {
        struct text *text = &all->texts[all->n_texts];
        if (prepare(all, PyTuple_GetItem(all->given, (Py_ssize_t)all->n_texts), text))
            return FAILED;
        all->n_bytes += text->length;
    }
    return DONE;
}

static int open_phrases(struct phrases *phrases, PyObject *sequences, PyObject *kept)
{
    PyObject *name, *tokens;
    Py_ssize_t position = 0;
    while (PyDict_Next(sequences, &position, &name, &tokens)) {
        if (!PyList_Check(tokens) || !PyList_Size(tokens)) {
            PyErr_SetString(PyExc_TypeError, "a phrase needs a list of tokens");
            return FAILED;
        }
        struct word word;
        uint32_t node = 0;
        int64_t first = -1, token;
        for (Py_ssize_t i = 0; i < PyList_Size(tokens); i++) {
            if (word_from(PyList_GetItem(tokens, i), kept, &word))
                return FAILED;
            const int outcome = add_token(phrases, &word, &node, &token);
            if (outcome)
                return failed(outcome);
            first = i ? first : token;
        }
        if (word_from(name, kept, &word))
            return FAILED;
        const int outcome = add_phrase(phrases, word, first, node);
        if (outcome)
            return failed(outcome);
    }
    return failed(close_tree(phrases));
}
