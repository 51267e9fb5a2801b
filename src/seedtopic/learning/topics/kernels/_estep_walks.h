/* The two walks of the E-step for one floating-point type.
 *
 * Included by _estep.c once for float and once for double, with REAL the type and NAMED(x) the name of x for
 * it. Vectors are written out, not left to the compiler: the rows are short and of any length, and a row of
 * whole vectors needs no remainder loop. The padding is zero, so it adds nothing to any sum.
 */
#define VECTOR NAMED(vector)
#define HALF NAMED(half)
#define LANES ((int64_t)(VECTOR_BYTES / sizeof(REAL)))

typedef REAL VECTOR __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(REAL)), may_alias));
typedef REAL HALF __attribute__((vector_size(VECTOR_BYTES / 2), aligned(sizeof(REAL)), may_alias));

/* Add up the lanes, by halves: a chain of additions one after another would be the slowest part of a walk. */
INLINED REAL NAMED(lane_sum)(const VECTOR *x)
{
    const HALF *halves = (const HALF *)x;
    const HALF sum = halves[0] + halves[1];
    REAL even = sum[0], odd = sum[1];
    for (int lane = 2; lane < LANES / 2; lane += 2) {
        even += sum[lane];
        odd += sum[lane + 1];
    }
    return even + odd;
}

INLINED void NAMED(clear)(VECTOR *sums, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        sums[i] = (VECTOR){0};
}

/* Ask for a row some steps before it is needed: rows are visited in no order the hardware could guess. */
INLINED void NAMED(fetch)(const VECTOR *row, int64_t n_vectors)
{
    const char *bytes = (const char *)row;
    for (int64_t i = 0; i < n_vectors * VECTOR_BYTES; i += CACHE_LINE)
        __builtin_prefetch(bytes + i);
}

/* sums[0..k) += topic_scale * row, sums[k..k+g) += background_scale * row */
INLINED void NAMED(add_scaled)(VECTOR *restrict sums, const VECTOR *restrict row, int64_t topic_vectors,
                               int64_t all_vectors, REAL topic_scale, REAL background_scale)
{
    for (int64_t i = 0; i < topic_vectors; i++)
        sums[i] += topic_scale * row[i];
    for (int64_t i = topic_vectors; i < all_vectors; i++)
        sums[i] += background_scale * row[i];
}

/* Multiply by the factor common to a whole sum (theta_dk or phi_kv), and leave the padding behind. */
INLINED void NAMED(finish)(const VECTOR *sums, const VECTOR *factors, REAL *restrict to, int64_t n)
{
    const REAL *sum = (const REAL *)sums, *factor = (const REAL *)factors;
    for (int64_t i = 0; i < n; i++)
        to[i] = sum[i] * factor[i];
}

/* Expected counts of documents, and for each non-zero the two scales its topic and background terms share. */
INLINED void NAMED(sized_walk_documents)(int64_t topic, int64_t background, const struct walk *w,
                                         const REAL *data, REAL *scales, REAL *evidence,
                                         const VECTOR *documents, const VECTOR *words, VECTOR *sums,
                                         REAL *m, REAL *m_hat)
{
    const int64_t both = topic + background, all = both + topic;
    const int64_t end = w->pointers[w->last];
    const REAL low = (REAL)w->delta_margin, high = 1 - low, tiny = (REAL)w->tiny;
    for (int64_t d = w->first; d < w->last; d++) {
        const VECTOR *theta = documents + d * both; /* [theta | theta-hat] */
        NAMED(clear)(sums, both);
        for (int64_t p = w->pointers[d]; p < w->pointers[d + 1]; p++) {
            if (p + AHEAD < end)
                NAMED(fetch)(words + w->indices[p + AHEAD] * all, all);
            const VECTOR *phi = words + w->indices[p] * all; /* [phi | phi-hat | gamma] */
            VECTOR topic_lanes = {0}, delta_lanes = {0}, background_lanes = {0};
            for (int64_t i = 0; i < topic; i++) {
                topic_lanes += theta[i] * phi[i];
                delta_lanes += theta[i] * phi[both + i];
            }
            for (int64_t i = topic; i < both; i++)
                background_lanes += theta[i] * phi[i];
            const REAL a = NAMED(lane_sum)(&topic_lanes), b = NAMED(lane_sum)(&background_lanes);
            REAL delta = NAMED(lane_sum)(&delta_lanes);
            delta = delta < low ? low : delta > high ? high : delta;
            const REAL p_word = delta * a + (1 - delta) * b; /* p(v | d) */
            REAL r, r_hat;
            if (w->bayes) {
                const REAL share = data[p] / (p_word + tiny);
                r = share * delta;
                r_hat = share * (1 - delta);
            } else { /* Eqs. 10-11 as printed */
                r = data[p] * delta / (a + tiny);
                r_hat = data[p] * (1 - delta) / (b + tiny);
            }
            scales[2 * p] = r;
            scales[2 * p + 1] = r_hat;
            if (evidence)
                evidence[p] = p_word;
            NAMED(add_scaled)(sums, phi, topic, both, r, r_hat);
        }
        NAMED(finish)(sums, theta, m + d * w->n_topics, w->n_topics);
        NAMED(finish)(sums + topic, theta + topic, m_hat + d * w->n_background, w->n_background);
    }
}

/* Expected counts of words, from the scales that the walk over documents left. */
INLINED void NAMED(sized_walk_words)(int64_t topic, int64_t background, const struct walk *w,
                                     const int32_t *positions, const REAL *scales,
                                     const VECTOR *documents, const VECTOR *words, VECTOR *sums,
                                     REAL *n, REAL *n_hat)
{
    const int64_t both = topic + background, all = both + topic;
    const int64_t end = w->pointers[w->last];
    for (int64_t v = w->first; v < w->last; v++) {
        const VECTOR *phi = words + v * all;
        NAMED(clear)(sums, both);
        for (int64_t q = w->pointers[v]; q < w->pointers[v + 1]; q++) {
            if (q + AHEAD < end) {
                NAMED(fetch)(documents + w->indices[q + AHEAD] * both, both);
                __builtin_prefetch(scales + 2 * positions[q + AHEAD]);
            }
            const REAL *scale = scales + 2 * positions[q];
            NAMED(add_scaled)(sums, documents + w->indices[q] * both, topic, both, scale[0], scale[1]);
        }
        NAMED(finish)(sums, phi, n + v * w->n_topics, w->n_topics);
        NAMED(finish)(sums + topic, phi + topic, n_hat + v * w->n_background, w->n_background);
    }
}

CLONED static void NAMED(walk_documents)(const struct walk *w, const REAL *data, REAL *scales, REAL *evidence,
                                         const VECTOR *documents, const VECTOR *words, VECTOR *sums,
                                         REAL *m, REAL *m_hat)
{
    FOR_SIZES(NAMED(sized_walk_documents), w, data, scales, evidence, documents, words, sums, m, m_hat)
}

CLONED static void NAMED(walk_words)(const struct walk *w, const int32_t *positions, const REAL *scales,
                                     const VECTOR *documents, const VECTOR *words, VECTOR *sums,
                                     REAL *n, REAL *n_hat)
{
    FOR_SIZES(NAMED(sized_walk_words), w, positions, scales, documents, words, sums, n, n_hat)
}

#undef VECTOR
#undef HALF
#undef LANES
