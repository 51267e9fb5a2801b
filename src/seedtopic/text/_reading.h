/* From the bytes of a text to its words and phrases, as seedtopic.text.tokens defines them.
 *
 * A text is folded into a buffer: lower-case letters and digits stay, everything else becomes a zero byte.
 * Nothing here needs the interpreter, so other threads of Python can run meanwhile.
 */

/* What characters.py says of a character: the letter or digit that it becomes, none if it only separates words;
 * and whether Python must normalize the text, and whether it is a letter or digit as it is, or unspaced. */
#define BECOMES(fate) ((fate) & 0x1FFFFF)
#define MUST_NORMALIZE 0x80000000u
#define STAYS 0x40000000u
#define UNSPACED 0x20000000u
#define BLOCK 256
#define N_BLOCKS (0x110000 / BLOCK)

static uint32_t *blocks[N_BLOCKS]; /* read from characters.py when a text first needs them, and then kept */

enum form { ASCII, SIMPLE, NORMALIZED, COUNTED };

struct counted {
    struct word word;
    int32_t times;
};

struct text {
    const unsigned char *bytes; /* UTF-8 */
    size_t length;
    enum form form;
    size_t first, last; /* of the words that Python has counted */
};

/* Where in its document a word was seen last. */
struct seen {
    int32_t document, place;
};

/* A column of `found` that counts more than once. */
struct repeated {
    int32_t column, again;
};

struct known {
    struct table words;
    int32_t *columns; /* of each word */
    size_t columns_room;
};

/* Everything one call needs. With `known` only its words are counted, and columns are sorted. */
struct reader {
    const struct known *known;
    struct phrases phrases;
    struct table words;
    struct seen *seen;
    unsigned char *folded;
    int32_t *columns, *counts, *lengths;
    uint64_t *found, *spare; /* columns of one document, where words are known */
    struct repeated *repeated;
    float *left_out;
    size_t seen_room, folded_room, columns_room, counts_room, lengths_room, found_room, spare_room, repeated_room,
        left_out_room;
    size_t n_columns, n_lengths, n_found, n_repeated, n_missed;
};

static void close_reader(struct reader *reader)
{
    close_phrases(&reader->phrases);
    empty(&reader->words);
    free(reader->seen);
    free(reader->folded);
    free(reader->columns);
    free(reader->counts);
    free(reader->lengths);
    free(reader->found);
    free(reader->spare);
    free(reader->repeated);
    free(reader->left_out);
}

/* The character that begins here, of valid UTF-8 in which surrogates may be; moves on behind it. */
static inline uint32_t decoded(const unsigned char **bytes)
{
    const unsigned char *b = *bytes;
    const int more = b[0] < 0x80 ? 0 : b[0] < 0xE0 ? 1 : b[0] < 0xF0 ? 2 : 3;
    *bytes += more + 1;
    switch (more) {
    case 0:
        return b[0];
    case 1:
        return (uint32_t)(b[0] & 0x1F) << 6 | (b[1] & 0x3F);
    case 2:
        return (uint32_t)(b[0] & 0x0F) << 12 | (uint32_t)(b[1] & 0x3F) << 6 | (b[2] & 0x3F);
    default:
        return (uint32_t)(b[0] & 0x07) << 18 | (uint32_t)(b[1] & 0x3F) << 12 | (uint32_t)(b[2] & 0x3F) << 6
               | (b[3] & 0x3F);
    }
}

static inline unsigned char *encoded(uint32_t c, unsigned char *out)
{
    if (c < 0x80) {
        *out++ = (unsigned char)c;
    } else if (c < 0x800) {
        *out++ = (unsigned char)(0xC0 | c >> 6);
        *out++ = (unsigned char)(0x80 | (c & 0x3F));
    } else {
        if (c < 0x10000) {
            *out++ = (unsigned char)(0xE0 | c >> 12);
        } else {
            *out++ = (unsigned char)(0xF0 | c >> 18);
            *out++ = (unsigned char)(0x80 | (c >> 12 & 0x3F));
        }
        *out++ = (unsigned char)(0x80 | (c >> 6 & 0x3F));
        *out++ = (unsigned char)(0x80 | (c & 0x3F));
    }
    return out;
}

static inline unsigned char folded(unsigned char c)
{
    const unsigned char lower = c | 0x20;
    const int letter = (unsigned char)(lower - 'a') < 26, digit = (unsigned char)(c - '0') < 10;
    return letter ? lower : digit ? c : 0;
}

/* Fold a text into the buffer, whose end is followed by zeros; its length there. A character may need one byte
 * more than before, as U+023A does, but never twice as many. */
static size_t fold(const struct text *text, unsigned char *out)
{
    size_t length = text->length;
    if (text->form == ASCII) {
        for (size_t i = 0; i < length; i++)
            out[i] = folded(text->bytes[i]);
    } else {
        const unsigned char *in = text->bytes, *end = in + length;
        unsigned char *next = out;
        while (in < end) {
            if (*in < 0x80) {
                *next++ = folded(*in++);
                continue;
            }
            const uint32_t c = decoded(&in), fate = blocks[c / BLOCK][c % BLOCK];
            next = encoded(text->form == SIMPLE ? BECOMES(fate) : fate & STAYS ? c : 0, next);
        }
        length = (size_t)(next - out);
    }
    memset(out + length, 0, 2 * SHORT);
    return length;
}

static inline int is_single(const struct word *word)
{
    const unsigned char first = word->letters[0];
    return word->length == (first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4);
}

/* Count a word of the document that is being read. */
static inline int note(struct reader *reader, const struct word *word, int32_t times)
{
    if (reader->known) {
        const int64_t number = find(&reader->known->words, word);
        const int32_t column = number < 0 ? LEFT_OUT : reader->known->columns[number];
        if (column == LEFT_OUT)
            reader->n_missed += (size_t)times;
        if (column < 0)
            return DONE;
        if (!RESERVE(reader->found, reader->found_room, reader->n_found + 1))
            return NO_MEMORY;
        reader->found[reader->n_found++] = (uint64_t)column;
        if (times == 1)
            return DONE;
        if (!RESERVE(reader->repeated, reader->repeated_room, reader->n_repeated + 1))
            return NO_MEMORY;
        reader->repeated[reader->n_repeated++] = (struct repeated){column, times - 1};
        return DONE;
    }
    int64_t number;
    const size_t n_words = reader->words.n_entries;
    const int outcome = add(&reader->words, word, &number);
    if (outcome)
        return outcome;
    if (!RESERVE(reader->seen, reader->seen_room, reader->words.n_entries))
        return NO_MEMORY;
    struct seen *seen = &reader->seen[number];
    if ((size_t)number < n_words && seen->document == (int32_t)reader->n_lengths) {
        int32_t *count = &reader->counts[seen->place];
        if (*count > MOST - times)
            return TOO_MANY;
        *count += times;
        return DONE;
    }
    if (reader->n_columns == MOST)
        return TOO_MANY;
    if (!RESERVE(reader->columns, reader->columns_room, reader->n_columns + 1)
        || !RESERVE(reader->counts, reader->counts_room, reader->n_columns + 1))
        return NO_MEMORY;
    *seen = (struct seen){(int32_t)reader->n_lengths, (int32_t)reader->n_columns};
    reader->columns[reader->n_columns] = (int32_t)number;
    reader->counts[reader->n_columns++] = times;
    return DONE;
}

/* Count the phrases of a document, in the order of Phrases.counts: by the first appearance of their first token. */
static int note_phrases(struct reader *reader)
{
    struct phrases *phrases = &reader->phrases;
    size_t n = 0;
    int outcome = add_shorter(phrases, (int64_t)reader->n_lengths);
    for (size_t i = 0; i < phrases->n_met && !outcome; i++)
        for (int64_t p = phrases->nodes[phrases->met[i]].first_phrase; p >= 0; p = phrases->phrases[p].next) {
            if (!RESERVE(phrases->found, phrases->found_room, n + 1))
                return NO_MEMORY;
            phrases->found[n++] = phrases->tokens[phrases->phrases[p].first].place << 32 | (uint64_t)p;
        }
    if (!outcome && !RESERVE(phrases->spare, phrases->spare_room, n))
        outcome = NO_MEMORY;
    const uint64_t *in_order = outcome ? NULL : sorted(phrases->found, phrases->spare, n, 0);
    for (size_t i = 0; i < n && !outcome; i++) {
        const struct phrase *phrase = &phrases->phrases[(uint32_t)in_order[i]];
        const int64_t times = phrases->nodes[phrase->end].times;
        outcome = note(reader, &phrase->name, (int32_t)(times < MOST ? times : MOST));
    }
    return outcome;
}

/* Write down the known words of a document: its columns in order, each with its count. */
static int close_known(struct reader *reader)
{
    if (!RESERVE(reader->spare, reader->spare_room, reader->n_found)
        || !RESERVE(reader->columns, reader->columns_room, reader->n_columns + reader->n_found)
        || !RESERVE(reader->counts, reader->counts_room, reader->n_columns + reader->n_found)
        || !RESERVE(reader->left_out, reader->left_out_room, reader->n_lengths + 1))
        return NO_MEMORY;
    if (reader->n_found > MOST - reader->n_columns)
        return TOO_MANY;
    const size_t first = reader->n_columns;
    const uint64_t *in_order = sorted(reader->found, reader->spare, reader->n_found, 0);
    for (size_t i = 0; i < reader->n_found; i++) {
        const int32_t column = (int32_t)in_order[i];
        const int again = reader->n_columns > first && reader->columns[reader->n_columns - 1] == column;
        reader->n_columns += !again;
        reader->columns[reader->n_columns - 1] = column;
        reader->counts[reader->n_columns - 1] = again ? reader->counts[reader->n_columns - 1] + 1 : 1;
    }
    for (size_t i = 0; i < reader->n_repeated; i++) {
        const struct repeated repeated = reader->repeated[i];
        size_t low = first, high = reader->n_columns - 1;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (reader->columns[middle] < repeated.column)
                low = middle + 1;
            else
                high = middle;
        }
        if (reader->counts[low] > MOST - repeated.again)
            return TOO_MANY;
        reader->counts[low] += repeated.again;
    }
    reader->left_out[reader->n_lengths] = (float)reader->n_missed;
    return DONE;
}

static int read_words(struct reader *reader, const struct text *text)
{
    if (text->length > SIZE_MAX / 2 - 2 * SHORT)
        return NO_MEMORY;
    if (!RESERVE(reader->folded, reader->folded_room, 2 * text->length + 2 * SHORT))
        return NO_MEMORY;
    const unsigned char *next = reader->folded, *end = next + fold(text, reader->folded);
    const int any_phrases = reader->phrases.n_phrases > 0;
    for (;;) {
        while (next < end && !*next)
            next++;
        if (next >= end)
            return any_phrases ? note_phrases(reader) : DONE;
        const struct word word = word_at(next);
        next += word.length;
        int outcome = is_single(&word) ? DONE : note(reader, &word, 1);
        if (any_phrases && !outcome)
            outcome = walk(&reader->phrases, find(&reader->phrases.words, &word), (int64_t)reader->n_lengths);
        if (outcome)
            return outcome;
    }
}

/* Read one text, as the next document. */
static int read_text(struct reader *reader, const struct text *text, const struct counted *counted)
{
    const size_t before = reader->n_columns;
    if (reader->n_lengths == MOST)
        return TOO_MANY;
    if (!RESERVE(reader->lengths, reader->lengths_room, reader->n_lengths + 1))
        return NO_MEMORY;
    reader->n_found = reader->n_repeated = reader->n_missed = 0;
    reader->phrases.n_met = reader->phrases.n_places = reader->phrases.at = 0;
    int outcome = DONE;
    if (text->form != COUNTED)
        outcome = read_words(reader, text);
    else
        for (size_t i = text->first; i < text->last && !outcome; i++)
            outcome = note(reader, &counted[i].word, counted[i].times);
    if (reader->known && !outcome)
        outcome = close_known(reader);
    reader->lengths[reader->n_lengths++] = (int32_t)(reader->n_columns - before);
    return outcome;
}
