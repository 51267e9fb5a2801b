/* Rows of a sparse matrix, their columns in order. */
#define FEW 48 /* numbers that are sorted faster by insertion */

/* Sort numbers: few by insertion, many by counting their bytes, which is linear; the bits below `low` must not
 * matter. The result is in one of the two arrays. */
static uint64_t *sorted(uint64_t *numbers, uint64_t *spare, size_t n, int low)
{
    uint64_t largest = 0;
    if (n <= FEW) {
        for (size_t i = 1; i < n; i++) {
            const uint64_t number = numbers[i];
            size_t place = i;
            for (; place && numbers[place - 1] > number; place--)
                numbers[place] = numbers[place - 1];
            numbers[place] = number;
        }
        return numbers;
    }
    for (size_t i = 0; i < n; i++)
        largest = numbers[i] > largest ? numbers[i] : largest;
    for (int shift = low; shift < 64 && largest >> shift; shift += 8) {
        size_t starts[257] = {0};
        for (size_t i = 0; i < n; i++)
            starts[(numbers[i] >> shift & 0xFF) + 1]++;
        for (int byte = 0; byte < 256; byte++)
            starts[byte + 1] += starts[byte];
        for (size_t i = 0; i < n; i++)
            spare[starts[numbers[i] >> shift & 0xFF]++] = numbers[i];
        uint64_t *swapped = numbers;
        numbers = spare;
        spare = swapped;
    }
    return numbers;
}

/* Words of documents, by their numbers, with counts of 1, 2 or 4 bytes; and the column of each number. */
struct piece {
    const int32_t *lengths, *numbers, *column_of;
    const void *counts;
    size_t n_rows, n_values, n_numbers, count_size;
};

struct rows {
    int32_t *ends, *columns;
    float *counts, *left_out;
};

static inline uint32_t count_at(const struct piece *piece, size_t i)
{
    switch (piece->count_size) {
    case 1:
        return ((const uint8_t *)piece->counts)[i];
    case 2:
        return ((const uint16_t *)piece->counts)[i];
    default:
        return ((const uint32_t *)piece->counts)[i];
    }
}

/* Whether the arrays belong together. */
static int fits(const struct piece *piece)
{
    size_t n_values = 0;
    int wrong = 0;
    for (size_t row = 0; row < piece->n_rows; row++) {
        wrong |= piece->lengths[row] < 0;
        n_values += (size_t)piece->lengths[row];
    }
    for (size_t i = 0; i < piece->n_values; i++)
        wrong |= piece->numbers[i] < 0 || (size_t)piece->numbers[i] >= piece->n_numbers;
    return !wrong && n_values == piece->n_values;
}

/* Place words in their columns; the arrays of the result have room for all, as have the two of numbers. */
static size_t place(const struct piece *piece, uint64_t *numbers, uint64_t *spare, struct rows *rows)
{
    size_t next = 0, n_placed = 0;
    rows->ends[0] = 0;
    for (size_t row = 0; row < piece->n_rows; row++) {
        const size_t end = next + (size_t)piece->lengths[row];
        size_t n_kept = 0, n_missed = 0;
        for (; next < end; next++) {
            const int32_t column = piece->column_of[piece->numbers[next]];
            const uint32_t count = count_at(piece, next);
            n_missed += column == LEFT_OUT ? count : 0;
            if (column >= 0)
                numbers[n_kept++] = (uint64_t)column << 32 | count;
        }
        const uint64_t *in_order = sorted(numbers, spare, n_kept, 32);
        for (size_t i = 0; i < n_kept; i++, n_placed++) {
            rows->columns[n_placed] = (int32_t)(in_order[i] >> 32);
            rows->counts[n_placed] = (float)(uint32_t)in_order[i];
        }
        rows->ends[row + 1] = (int32_t)n_placed;
        rows->left_out[row] = (float)n_missed;
    }
    return n_placed;
}
