/* The nearest documents of each in C: see exact.py and approximate.py, whose numpy code gives the same bits.
 *
 * Exactly: the cosines of one document with all others are added up word by word. Most of that work is for a few
 * frequent words, which decide little. So they come last: what they can add to a cosine is at most the product
 * of the lengths of the two documents in these words alone, and only documents that can still be among the
 * nearest are looked at further. Whoever is, is compared by a sum over the words in their order, so that the
 * result is the same as without any of this.
 *
 * Approximately: the heaviest words of a document lead to candidates, which are compared by their cosine.
 *
 * Positions on a map: edges pull and random documents push, one after another, see web/studio/map.py.
 *
 * The interpreter lock is released meanwhile.
 */
#include "../../base/_module.h"
#include <stdlib.h>
#include <string.h>

#define TOGETHER 32     /* documents that are passed over at a time, a multiple of a vector register */
#define NOBODY INT32_MAX
#define ROUNDING 1e-4f  /* more than sums of the same numbers in another order can differ by */
#define LOOK 30         /* entries of a list of documents that take as long as one look at a document */

struct matrix { /* compressed rows */
    int64_t n_rows, n_columns;
    const float *weights;
    const int32_t *columns;
    const int64_t *starts;
};

struct search {
    struct matrix documents, words, frequent; /* the frequent words of each document are a part of its words */
    const float *lengths;                     /* of each document in the frequent words */
    const uint8_t *is_frequent;               /* of each word */
    int64_t n_neighbors;
};

struct desk { /* where one thread works */
    float *score;  /* of each document, a whole number of groups of them */
    float *here;   /* weights of the document at hand by word */
    float *common; /* its weights by frequent word */
    float *best;   /* a heap of the best scores, and whose they are */
    int32_t *whose;
};

INLINED int is_better(float score, int32_t document, float than, int32_t its)
{
    return score > than || (score == than && document < its);
}

/* Put a document in the place of the worst, which is the first of a heap. */
static void replace_worst(float *scores, int32_t *documents, int64_t n, float score, int32_t document)
{
    int64_t place = 0, child = 1;
    while (child < n) {
        const int64_t other = child + 1;
        if (other < n && is_better(scores[child], documents[child], scores[other], documents[other]))
            child = other;
        if (!is_better(score, document, scores[child], documents[child]))
            break;
        scores[place] = scores[child], documents[place] = documents[child];
        place = child, child = 2 * child + 1;
    }
    scores[place] = score, documents[place] = document;
}

/* Add what the words of a document, the frequent ones or the others, say of all documents. */
INLINED void add_words(const struct search *s, int64_t here, int frequent, float *restrict score)
{
    const struct matrix *d = &s->documents, *w = &s->words;
    for (int64_t p = d->starts[here]; p < d->starts[here + 1]; p++) {
        const int32_t word = d->columns[p];
        if (s->is_frequent[word] != frequent)
            continue;
        const float weight = d->weights[p];
        const float *restrict weights = w->weights;
        const int32_t *restrict documents = w->columns;
        for (int64_t q = w->starts[word], end = w->starts[word + 1]; q < end; q++)
            score[documents[q]] += weight * weights[q];
    }
}

INLINED float product(const struct matrix *rows, int64_t row, const float *dense)
{
    float sum = 0.0f;
    for (int64_t p = rows->starts[row]; p < rows->starts[row + 1]; p++)
        sum += dense[rows->columns[p]] * rows->weights[p];
    return sum;
}

/* A cosine that as many documents reach as are wanted: the least that the best so far have with all words. */
INLINED float reached(const struct search *s, const struct desk *desk, int64_t n_padded)
{
    const float *score = desk->score;
    float worst = 0.0f;
    for (int64_t i = 0; i < s->n_neighbors; i++)
        desk->best[i] = 0.0f, desk->whose[i] = NOBODY;
    for (int64_t group = 0; group < n_padded; group += TOGETHER) {
        int any = 0;
        for (int64_t there = group; there < group + TOGETHER; there++)
            any |= score[there] > worst;
        if (!any)
            continue;
        for (int64_t there = group; there < group + TOGETHER; there++)
            if (score[there] > worst) {
                replace_worst(desk->best, desk->whose, s->n_neighbors, score[there], (int32_t)there);
                worst = desk->best[0];
            }
    }
    if (worst == 0.0f)
        return 0.0f;
    float least = INFINITY;
    for (int64_t i = 0; i < s->n_neighbors; i++) {
        const float whole = desk->best[i] + product(&s->frequent, desk->whose[i], desk->common);
        least = whole < least ? whole : least;
    }
    return least;
}

INLINED int64_t n_above(const float *score, const float *lengths, float length, float bound, int64_t n_padded)
{
    int64_t n = 0;
    for (int64_t group = 0; group < n_padded; group += TOGETHER) {
        int here = 0;
        for (int64_t there = group; there < group + TOGETHER; there++)
            here += score[there] + length * lengths[there] > bound;
        n += here;
    }
    return n;
}

INLINED int64_t n_listed(const struct search *s, int64_t here)
{
    const struct matrix *d = &s->documents;
    int64_t n = 0;
    for (int64_t p = d->starts[here]; p < d->starts[here + 1]; p++)
        if (s->is_frequent[d->columns[p]])
            n += s->words.starts[d->columns[p] + 1] - s->words.starts[d->columns[p]];
    return n;
}

INLINED void find(const struct search *s, const struct desk *desk, int64_t here, int64_t n_padded,
                  int32_t *neighbor, float *cosine)
{
    float *score = desk->score, length = s->lengths[here];
    add_words(s, here, 0, score);
    score[here] = 0.0f;
    float bound = reached(s, desk, n_padded) - ROUNDING;
    if (n_above(score, s->lengths, length, bound, n_padded) * LOOK > n_listed(s, here)) {
        add_words(s, here, 1, score); /* too many to look at each: nothing is left to add */
        length = 0.0f;
    }
    score[here] = -1.0f; /* nobody is a neighbour of oneself */
    for (int64_t group = 0; group < n_padded; group += TOGETHER) {
        int any = 0;
        for (int64_t there = group; there < group + TOGETHER; there++)
            any |= score[there] + length * s->lengths[there] > bound;
        for (int64_t there = group; any && there < group + TOGETHER; there++) {
            if (score[there] + length * s->lengths[there] <= bound || there >= s->documents.n_rows || there == here)
                continue;
            if (length > 0.0f && score[there] + product(&s->frequent, there, desk->common) <= bound)
                continue;
            const float exactly = product(&s->documents, there, desk->here);
            if (exactly > cosine[0]) {
                replace_worst(cosine, neighbor, s->n_neighbors, exactly, (int32_t)there);
                bound = cosine[0] - ROUNDING > bound ? cosine[0] - ROUNDING : bound;
            }
        }
        memset(score + group, 0, TOGETHER * sizeof(float));
    }
}

INLINED void lay_out(const struct matrix *rows, int64_t row, float *dense, int there)
{
    for (int64_t p = rows->starts[row]; p < rows->starts[row + 1]; p++)
        dense[rows->columns[p]] = there ? rows->weights[p] : 0.0f;
}

CLONED static void find_rows(const struct search *s, const struct desk *desk, int64_t first, int64_t last,
                             int64_t n_padded, int32_t *neighbor, float *cosine)
{
    for (int64_t here = first; here < last; here++) {
        lay_out(&s->documents, here, desk->here, 1);
        lay_out(&s->frequent, here, desk->common, 1);
        find(s, desk, here, n_padded, neighbor + here * s->n_neighbors, cosine + here * s->n_neighbors);
        lay_out(&s->documents, here, desk->here, 0);
        lay_out(&s->frequent, here, desk->common, 0);
    }
}

/* Whether the arrays make a matrix. */
static int is_matrix(struct matrix *m, int64_t n_columns, const Py_buffer *b)
{
    m->weights = b[0].buf, m->columns = b[1].buf, m->starts = b[2].buf;
    m->n_rows = b[2].len / 8 - 1, m->n_columns = n_columns;
    const int64_t n_values = b[1].len / 4;
    if (m->n_rows < 0 || b[0].len != b[1].len || m->starts[0] != 0 || m->starts[m->n_rows] != n_values)
        return 0;
    return rows_fit(m->starts, m->columns, 0, m->n_rows, n_columns);
}

static PyObject *nearest(PyObject *module, PyObject *args)
{
    enum { DOCUMENTS = 0, WORDS = 3, FREQUENT = 6, LENGTHS = 9, IS_FREQUENT, NEIGHBOR, COSINE, N_VIEWS };
    struct search s;
    Py_ssize_t first, last, n_frequent;
    Py_buffer b[N_VIEWS] = {{0}};
    (void)module;
    if (!PyArg_ParseTuple(args, "nnny*y*y*y*y*y*y*y*y*y*y*w*w*", &first, &last, &n_frequent, &b[0], &b[1], &b[2],
                          &b[3], &b[4], &b[5], &b[6], &b[7], &b[8], &b[LENGTHS], &b[IS_FREQUENT], &b[NEIGHBOR],
                          &b[COSINE]))
        return NULL;
    const int64_t n_documents = b[DOCUMENTS + 2].len / 8 - 1, n_words = b[WORDS + 2].len / 8 - 1;
    const int64_t n_padded = (n_documents + TOGETHER - 1) / TOGETHER * TOGETHER;
    s.lengths = b[LENGTHS].buf, s.is_frequent = b[IS_FREQUENT].buf;
    s.n_neighbors = n_documents > 0 ? b[NEIGHBOR].len / 4 / n_documents : 0;
    const int fine = is_matrix(&s.documents, n_words, b + DOCUMENTS) && is_matrix(&s.words, n_documents, b + WORDS)
                     && is_matrix(&s.frequent, n_frequent, b + FREQUENT) && s.frequent.n_rows == n_documents
                     && b[LENGTHS].len == n_padded * 4 && b[IS_FREQUENT].len == n_words && n_frequent >= 0
                     && first >= 0 && first <= last && last <= n_documents && s.n_neighbors > 0
                     && b[NEIGHBOR].len == n_documents * s.n_neighbors * 4 && b[COSINE].len == b[NEIGHBOR].len;
    struct desk desk = {0};
    int room = 0;
    if (fine) {
        desk.score = calloc((size_t)n_padded, sizeof(float));
        desk.here = calloc((size_t)n_words + 1, sizeof(float));
        desk.common = calloc((size_t)n_frequent + 1, sizeof(float));
        desk.best = calloc((size_t)s.n_neighbors, sizeof(float));
        desk.whose = calloc((size_t)s.n_neighbors, sizeof(int32_t));
        room = desk.score && desk.here && desk.common && desk.best && desk.whose;
        if (room) {
            Py_BEGIN_ALLOW_THREADS
            find_rows(&s, &desk, first, last, n_padded, b[NEIGHBOR].buf, b[COSINE].buf);
            Py_END_ALLOW_THREADS
        }
        free(desk.score), free(desk.here), free(desk.common), free(desk.best), free(desk.whose);
    }
    return done(b, N_VIEWS, fine ? NULL : "a search for neighbours", room);
}

struct weighed { /* a word of a document by its weight */
    float weight;
    int32_t place;
};

static int heavier_first(const void *one, const void *other)
{
    const struct weighed *a = one, *b = other;
    return a->weight != b->weight ? (a->weight < b->weight ? 1 : -1) : (a->place > b->place) - (a->place < b->place);
}

/* Sort the words of a document; how many of the heaviest make up a share of its squared length. */
static int64_t n_leading(const float *weights, int64_t n, double share, struct weighed *words)
{
    float squared = 0.0f;
    for (int64_t i = 0; i < n; i++) {
        words[i].weight = weights[i], words[i].place = (int32_t)i;
        squared += weights[i] * weights[i];
    }
    qsort(words, (size_t)n, sizeof(*words), heavier_first);
    double length = 0.0;
    int64_t leading = 0;
    while (leading < n && length < share * squared) {
        const float square = words[leading].weight * words[leading].weight;
        length += square, leading++;
    }
    return leading;
}

struct candidates {
    struct matrix documents, lists; /* of each word the documents it leads to */
    double leading_share;
    int64_t n_candidates, n_neighbors;
};

static void find_among(const struct candidates *c, const struct desk *desk, struct weighed *words, int64_t here,
                       int32_t *neighbor, float *cosine)
{
    const struct matrix *d = &c->documents, *lists = &c->lists;
    const float *own = d->weights + d->starts[here];
    const int32_t *own_words = d->columns + d->starts[here];
    float *score = desk->score, worst = 0.0f;
    const int64_t n_words = d->starts[here + 1] - d->starts[here];
    const int64_t leading = n_leading(own, n_words, c->leading_share, words);
    for (int64_t i = 0; i < leading; i++) {
        const int32_t word = own_words[words[i].place];
        for (int64_t q = lists->starts[word]; q < lists->starts[word + 1]; q++)
            score[lists->columns[q]] += words[i].weight * lists->weights[q];
    }
    for (int64_t i = 0; i < c->n_candidates; i++)
        desk->best[i] = 0.0f, desk->whose[i] = NOBODY;
    score[here] = 0.0f;
    for (int64_t i = 0; i < leading; i++) {
        const int32_t word = own_words[words[i].place];
        for (int64_t q = lists->starts[word]; q < lists->starts[word + 1]; q++) {
            const int32_t there = lists->columns[q];
            const float reached = score[there];
            score[there] = 0.0f; /* so that it is met once, and ready for the next document */
            if (reached > worst) {
                replace_worst(desk->best, desk->whose, c->n_candidates, reached, there);
                worst = desk->best[0];
            }
        }
    }
    lay_out(d, here, desk->here, 1);
    for (int64_t i = 0; i < c->n_candidates; i++) {
        const int32_t there = desk->whose[i];
        if (there == NOBODY)
            continue;
        const float exactly = product(d, there, desk->here);
        if (is_better(exactly, there, cosine[0], neighbor[0]))
            replace_worst(cosine, neighbor, c->n_neighbors, exactly, there);
    }
    lay_out(d, here, desk->here, 0);
}

static PyObject *nearest_of_candidates(PyObject *module, PyObject *args)
{
    enum { DOCUMENTS = 0, LISTS = 3, NEIGHBOR = 6, COSINE, N_VIEWS };
    struct candidates c;
    Py_ssize_t first, last, n_candidates;
    Py_buffer b[N_VIEWS] = {{0}};
    (void)module;
    if (!PyArg_ParseTuple(args, "nnndy*y*y*y*y*y*w*w*", &first, &last, &n_candidates, &c.leading_share, &b[0], &b[1],
                          &b[2], &b[3], &b[4], &b[5], &b[NEIGHBOR], &b[COSINE]))
        return NULL;
    const int64_t n_documents = b[DOCUMENTS + 2].len / 8 - 1, n_words = b[LISTS + 2].len / 8 - 1;
    c.n_candidates = n_candidates, c.n_neighbors = n_documents > 0 ? b[NEIGHBOR].len / 4 / n_documents : 0;
    const int fine = is_matrix(&c.documents, n_words, b + DOCUMENTS) && is_matrix(&c.lists, n_documents, b + LISTS)
                     && n_candidates > 0 && first >= 0 && first <= last && last <= n_documents && c.n_neighbors > 0
                     && b[NEIGHBOR].len == n_documents * c.n_neighbors * 4 && b[COSINE].len == b[NEIGHBOR].len;
    struct desk desk = {0};
    struct weighed *words = NULL;
    int room = 0;
    if (fine) {
        int64_t longest = 1;
        for (int64_t row = first; row < last; row++) {
            const int64_t length = c.documents.starts[row + 1] - c.documents.starts[row];
            longest = length > longest ? length : longest;
        }
        desk.score = calloc((size_t)n_documents, sizeof(float));
        desk.here = calloc((size_t)n_words + 1, sizeof(float));
        desk.best = calloc((size_t)n_candidates, sizeof(float));
        desk.whose = calloc((size_t)n_candidates, sizeof(int32_t));
        words = calloc((size_t)longest, sizeof(*words));
        room = desk.score && desk.here && desk.best && desk.whose && words;
        if (room) {
            Py_BEGIN_ALLOW_THREADS
            for (int64_t here = first; here < last; here++)
                find_among(&c, &desk, words, here, (int32_t *)b[NEIGHBOR].buf + here * c.n_neighbors,
                           (float *)b[COSINE].buf + here * c.n_neighbors);
            Py_END_ALLOW_THREADS
        }
        free(desk.score), free(desk.here), free(desk.best), free(desk.whose), free(words);
    }
    return done(b, N_VIEWS, fine ? NULL : "a search for neighbours", room);
}

static uint64_t drawn(uint64_t *state)
{
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return *state;
}

static double cut(double step) { return step < -4.0 ? -4.0 : step > 4.0 ? 4.0 : step; }

static void settle_points(double *points, int64_t n_points, const int32_t *heads, const int32_t *tails,
                          const double *strength, int64_t n_edges, int64_t n_epochs, int64_t n_pushes)
{
    uint64_t state = 88172645463325252u;
    for (int64_t epoch = 0; epoch < n_epochs; epoch++) {
        const double rate = 1.0 - (double)epoch / (double)n_epochs;
        for (int64_t edge = 0; edge < n_edges; edge++) {
            if ((double)(drawn(&state) >> 11) / 9007199254740992.0 > strength[edge])
                continue; /* weak edges are used less often */
            double *here = points + 2 * heads[edge], *there = points + 2 * tails[edge];
            double across = here[0] - there[0], upwards = here[1] - there[1];
            const double pull = -2.0 / (1.0 + across * across + upwards * upwards);
            here[0] += rate * cut(pull * across), here[1] += rate * cut(pull * upwards);
            there[0] -= rate * cut(pull * across), there[1] -= rate * cut(pull * upwards);
            for (int64_t i = 0; i < n_pushes; i++) {
                const double *other = points + 2 * (drawn(&state) % (uint64_t)n_points);
                if (other == here)
                    continue;
                across = here[0] - other[0], upwards = here[1] - other[1];
                const double squared = across * across + upwards * upwards;
                const double push = 2.0 / ((0.001 + squared) * (1.0 + squared));
                here[0] += rate * cut(push * across), here[1] += rate * cut(push * upwards);
            }
        }
    }
}

static PyObject *settle(PyObject *module, PyObject *args)
{
    Py_ssize_t n_epochs, n_pushes;
    enum { POINTS, HEADS, TAILS, STRENGTH, N_VIEWS };
    Py_buffer b[N_VIEWS] = {{0}};
    (void)module;
    if (!PyArg_ParseTuple(args, "nnw*y*y*y*", &n_epochs, &n_pushes, &b[POINTS], &b[HEADS], &b[TAILS], &b[STRENGTH]))
        return NULL;
    const int64_t n_points = b[POINTS].len / 16, n_edges = b[HEADS].len / 4;
    const int32_t *heads = b[HEADS].buf, *tails = b[TAILS].buf;
    int wrong = b[TAILS].len != b[HEADS].len || b[STRENGTH].len != n_edges * 8;
    for (int64_t i = 0; i < n_edges && !wrong; i++)
        wrong = heads[i] < 0 || heads[i] >= n_points || tails[i] < 0 || tails[i] >= n_points;
    if (!wrong) {
        Py_BEGIN_ALLOW_THREADS
        settle_points(b[POINTS].buf, n_points, heads, tails, b[STRENGTH].buf, n_edges, n_epochs, n_pushes);
        Py_END_ALLOW_THREADS
    }
    return done(b, N_VIEWS, wrong ? "a map" : NULL, 1);
}

static PyMethodDef methods[] = {
    {"nearest", nearest, METH_VARARGS, "The nearest others of documents first to last."},
    {"nearest_of_candidates", nearest_of_candidates, METH_VARARGS, "Most of them, found by the heaviest words."},
    {"settle", settle, METH_VARARGS, "Move points along edges and away from others."},
    {NULL, NULL, 0, NULL},
};

MODULE(_nearest, )
