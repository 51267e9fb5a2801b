/* Different words, each with a number: 0, 1, 2, ... in the order in which they were added.
 *
 * An open hash table. The hash has a secret key, so that nobody can write a text whose words all fall into one
 * place. Letters are UTF-8 without zero bytes where they come from a text; names given by a user may hold some.
 */
#define SHORT 8 /* words of fewer bytes are their own key, and need no further comparison */
#define FIRST_SLOTS 1024
#define MOST INT32_MAX /* words, documents or different words of them in one tally */

enum outcome { DONE, NO_MEMORY, TOO_MANY, FAILED }; /* FAILED: Python has the error */

struct word {
    const unsigned char *letters;
    size_t length;      /* in bytes */
    uint64_t key, hash; /* key: the letters of a short word, the hash of a long one */
};

struct slot {
    uint64_t key;
    uint32_t length;
    uint32_t number; /* and one: 0 is a free slot */
};

struct entry {
    size_t start, length; /* of its letters */
};

struct table {
    unsigned char *letters;
    struct entry *entries;
    struct slot *slots;
    size_t n_letters, letters_room, n_entries, entries_room, n_slots;
};

static uint64_t secret[2]; /* set when the module is loaded; results do not depend on it */

/* A growing array with room for n elements; amortized, so that adding one by one is linear. Where there is no
 * memory it is freed. */
static void *larger(void *array, size_t *room, size_t n, size_t size)
{
    const size_t wanted = n < SIZE_MAX / 2 ? n + n / 2 + 16 : n;
    void *moved = wanted > SIZE_MAX / size ? NULL : realloc(array, wanted * size);
    if (!moved)
        free(array);
    *room = moved ? wanted : 0;
    return moved;
}

#define RESERVE(array, room, n) ((n) <= (room) || ((array) = larger((array), &(room), (n), sizeof *(array))))

static inline uint64_t mixed(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    const unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    const uint64_t low = (a & UINT32_MAX) * (b & UINT32_MAX), high = (a >> 32) * (b >> 32);
    const uint64_t cross = (a >> 32) * (b & UINT32_MAX) + (low >> 32);
    const uint64_t other = (a & UINT32_MAX) * (b >> 32) + (cross & UINT32_MAX);
    return (a * b) ^ (high + (cross >> 32) + (other >> 32));
#endif
}

/* Eight bytes, the first in the lowest bits. */
static inline uint64_t load(const unsigned char *bytes)
{
    uint64_t loaded;
    memcpy(&loaded, bytes, sizeof loaded);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    loaded = __builtin_bswap64(loaded);
#endif
    return loaded;
}

static inline uint64_t first_bytes(uint64_t loaded, size_t n) { return loaded & (((uint64_t)1 << (8 * n)) - 1); }

static inline uint64_t short_hash(uint64_t key) { return mixed(key ^ secret[0], secret[1]); }

/* A word of so many bytes, wherever it is. */
static struct word word_of(const unsigned char *letters, size_t length)
{
    struct word word = {letters, length, 0, secret[0]};
    unsigned char tail[SHORT] = {0};
    size_t done = 0;
    for (; done + SHORT <= length; done += SHORT)
        word.hash = mixed(word.hash ^ load(letters + done), secret[1]);
    if (length > done)
        memcpy(tail, letters + done, length - done);
    word.hash = mixed(word.hash ^ load(tail), secret[1]);
    word.key = length < SHORT ? load(tail) : word.hash;
    return word;
}

/* The word that begins here and ends before a zero byte, behind which eight bytes can be read. */
static inline struct word word_at(const unsigned char *letters)
{
    const uint64_t ones = 0x0101010101010101, highs = 0x8080808080808080;
    struct word word = {letters, 0, 0, secret[0]};
    uint64_t loaded = load(letters), zeros = (loaded - ones) & ~loaded & highs;
    while (!zeros) {
        word.hash = mixed(word.hash ^ loaded, secret[1]);
        word.length += SHORT;
        loaded = load(letters + word.length);
        zeros = (loaded - ones) & ~loaded & highs;
    }
    const size_t rest = (size_t)__builtin_ctzll(zeros) / 8;
    loaded = first_bytes(loaded, rest);
    word.hash = mixed(word.hash ^ loaded, secret[1]);
    word.key = word.length ? word.hash : loaded;
    word.length += rest;
    return word;
}

static inline uint32_t clipped(size_t length) { return length < UINT32_MAX ? (uint32_t)length : UINT32_MAX; }

/* The slot of a word, or the free one where it belongs. */
static inline struct slot *slot_of(const struct table *table, const struct word *word)
{
    for (size_t i = word->hash & (table->n_slots - 1);; i = (i + 1) & (table->n_slots - 1)) {
        struct slot *slot = &table->slots[i];
        if (!slot->number)
            return slot;
        if (slot->key != word->key || slot->length != clipped(word->length))
            continue;
        if (word->length < SHORT)
            return slot;
        const struct entry *entry = &table->entries[slot->number - 1];
        if (entry->length == word->length
            && !memcmp(table->letters + entry->start, word->letters, word->length))
            return slot;
    }
}

/* The number of a word, or -1. */
static inline int64_t find(const struct table *table, const struct word *word)
{
    return table->n_slots ? (int64_t)slot_of(table, word)->number - 1 : -1;
}

static int grow(struct table *table)
{
    const size_t n_slots = table->n_slots ? 2 * table->n_slots : FIRST_SLOTS;
    struct slot *slots = calloc(n_slots, sizeof *slots);
    if (!slots)
        return NO_MEMORY;
    for (size_t i = 0; i < table->n_slots; i++) {
        const struct slot old = table->slots[i];
        if (!old.number)
            continue;
        size_t place = (old.length < SHORT ? short_hash(old.key) : old.key) & (n_slots - 1);
        while (slots[place].number)
            place = (place + 1) & (n_slots - 1);
        slots[place] = old;
    }
    free(table->slots);
    table->slots = slots;
    table->n_slots = n_slots;
    return DONE;
}

/* Find a word, or add it with the next number. */
static inline int add(struct table *table, const struct word *word, int64_t *number)
{
    if (2 * table->n_entries >= table->n_slots && grow(table))
        return NO_MEMORY;
    struct slot *slot = slot_of(table, word);
    *number = (int64_t)slot->number - 1;
    if (slot->number)
        return DONE;
    if (table->n_entries == MOST)
        return TOO_MANY;
    if (word->length > SIZE_MAX - table->n_letters
        || !RESERVE(table->letters, table->letters_room, table->n_letters + word->length)
        || !RESERVE(table->entries, table->entries_room, table->n_entries + 1))
        return NO_MEMORY;
    if (word->length)
        memcpy(table->letters + table->n_letters, word->letters, word->length);
    table->entries[table->n_entries] = (struct entry){table->n_letters, word->length};
    table->n_letters += word->length;
    *number = (int64_t)table->n_entries++;
    *slot = (struct slot){word->key, clipped(word->length), (uint32_t)table->n_entries};
    return DONE;
}

static void empty(struct table *table)
{
    free(table->letters);
    free(table->entries);
    free(table->slots);
}
