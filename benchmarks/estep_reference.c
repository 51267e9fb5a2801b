/* A yardstick for the E-step: what a C programmer writes first, for one K and one G known to the compiler.
 *
 * One thread, one pass over the non-zeros, Bayes posterior, float32. Not part of the package. The benchmark
 * puts other numbers in the two definitions below.
 */
#include <stdint.h>
#include <string.h>

#define K 20
#define G 20

void estep(int64_t n_documents, const int32_t *indptr, const int32_t *indices, const float *data,
           const float *theta, const float *theta_hat, const float *phi, const float *phi_hat,
           const float *gamma, float *m, float *m_hat, float *n, float *n_hat, int64_t n_words)
{
    memset(n, 0, sizeof(float) * n_words * K);
    memset(n_hat, 0, sizeof(float) * n_words * G);
    memset(m, 0, sizeof(float) * n_documents * K);
    memset(m_hat, 0, sizeof(float) * n_documents * G);
    for (int64_t d = 0; d < n_documents; d++) {
        for (int64_t p = indptr[d]; p < indptr[d + 1]; p++) {
            const int64_t v = indices[p];
            float topic[K], background[G], a = 0, b = 0, delta = 0;
            for (int k = 0; k < K; k++) {
                topic[k] = theta[d * K + k] * phi[v * K + k];
                a += topic[k];
                delta += theta[d * K + k] * gamma[v * K + k];
            }
            for (int g = 0; g < G; g++) {
                background[g] = theta_hat[d * G + g] * phi_hat[v * G + g];
                b += background[g];
            }
            const float share = data[p] / (delta * a + (1 - delta) * b + 1e-30f);
            for (int k = 0; k < K; k++) {
                m[d * K + k] += share * delta * topic[k];
                n[v * K + k] += share * delta * topic[k];
            }
            for (int g = 0; g < G; g++) {
                m_hat[d * G + g] += share * (1 - delta) * background[g];
                n_hat[v * G + g] += share * (1 - delta) * background[g];
            }
        }
    }
}
