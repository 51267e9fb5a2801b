/* Phrases, all found in one pass over the words of a document: see seedtopic.text.phrases.
 *
 * The nodes of a tree are beginnings of phrases; the walk is always at the longest one that it may be in.
 */

struct phrase {
    struct word name;
    uint32_t end;  /* the node of its last token */
    int64_t first; /* token */
    int64_t next;  /* that has the same tokens, or -1 */
};

struct node {
    uint32_t parent, token, depth;
    uint32_t otherwise;     /* where the walk goes on if the next token does not fit */
    uint32_t longest, next; /* phrase that ends here, and behind it: nodes, 0 if there is none */
    uint32_t waiting;       /* longer phrases of the document that have not been added yet */
    int64_t first_phrase, last_phrase;
    int64_t document, times; /* how often it is the longest that ends, in the document that is being read */
};

#define ADDED UINT32_MAX /* in the place of `waiting` */

struct edge {
    uint64_t key; /* node and token */
    uint32_t node; /* 0: a free slot */
};

/* A token of phrases, and in which place it comes among those of the document that is being read. */
struct token {
    int64_t document;
    uint64_t place;
};

struct phrases {
    struct table words; /* the tokens */
    struct phrase *phrases;
    struct node *nodes;
    struct token *tokens;
    struct edge *edges;
    uint32_t *met; /* nodes of phrases that the document contains */
    uint64_t *found, *spare;
    size_t n_phrases, n_nodes, n_edges, n_met;
    size_t phrases_room, nodes_room, tokens_room, met_room, found_room, spare_room;
    uint64_t n_places;
    uint32_t at; /* the node of the walk */
};

static void close_phrases(struct phrases *phrases)
{
    empty(&phrases->words);
    free(phrases->phrases);
    free(phrases->nodes);
    free(phrases->tokens);
    free(phrases->edges);
    free(phrases->met);
    free(phrases->found);
    free(phrases->spare);
}

static inline uint64_t edge_key(uint32_t node, int64_t token) { return (uint64_t)node << 32 | (uint64_t)token; }

/* The edge with a key, or the free place where it belongs. */
static inline struct edge *edge_of(const struct edge *edges, size_t n_edges, uint64_t key)
{
    size_t i = short_hash(key) & (n_edges - 1);
    while (edges[i].node && edges[i].key != key)
        i = (i + 1) & (n_edges - 1);
    return (struct edge *)&edges[i];
}

static int grow_edges(struct phrases *phrases)
{
    const size_t n_edges = phrases->n_edges ? 2 * phrases->n_edges : 64;
    struct edge *edges = calloc(n_edges, sizeof *edges);
    if (!edges)
        return NO_MEMORY;
    for (size_t i = 0; i < phrases->n_edges; i++)
        if (phrases->edges[i].node)
            *edge_of(edges, n_edges, phrases->edges[i].key) = phrases->edges[i];
    free(phrases->edges);
    phrases->edges = edges;
    phrases->n_edges = n_edges;
    return DONE;
}

static int new_node(struct phrases *phrases, uint32_t parent, uint32_t token, uint32_t *number)
{
    if (phrases->n_nodes == MOST)
        return TOO_MANY;
    if (!RESERVE(phrases->nodes, phrases->nodes_room, phrases->n_nodes + 1))
        return NO_MEMORY;
    *number = (uint32_t)phrases->n_nodes++;
    phrases->nodes[*number] = (struct node){
        .parent = parent, .token = token, .depth = *number ? phrases->nodes[parent].depth + 1 : 0,
        .first_phrase = -1, .last_phrase = -1, .document = -1,
    };
    return DONE;
}

/* Follow one more token of a phrase that is being added, from node to node. */
static int add_token(struct phrases *phrases, const struct word *word, uint32_t *node, int64_t *token)
{
    const size_t n_tokens = phrases->words.n_entries;
    int outcome = phrases->n_nodes ? DONE : new_node(phrases, 0, 0, node); /* the root */
    if (!outcome)
        outcome = add(&phrases->words, word, token);
    if (!outcome && !RESERVE(phrases->tokens, phrases->tokens_room, phrases->words.n_entries))
        outcome = NO_MEMORY;
    if (!outcome && 2 * phrases->n_nodes >= phrases->n_edges)
        outcome = grow_edges(phrases);
    if (outcome)
        return outcome;
    if ((size_t)*token == n_tokens)
        phrases->tokens[*token].document = -1;
    const uint64_t key = edge_key(*node, *token);
    struct edge *edge = edge_of(phrases->edges, phrases->n_edges, key);
    if (!edge->node) {
        uint32_t number;
        outcome = new_node(phrases, *node, (uint32_t)*token, &number);
        if (outcome)
            return outcome;
        *edge = (struct edge){key, number};
    }
    *node = edge->node;
    return DONE;
}

/* Add a phrase that ends at a node. */
static int add_phrase(struct phrases *phrases, struct word name, int64_t first_token, uint32_t end)
{
    if (phrases->n_phrases == MOST)
        return TOO_MANY;
    if (!RESERVE(phrases->phrases, phrases->phrases_room, phrases->n_phrases + 1))
        return NO_MEMORY;
    struct node *node = &phrases->nodes[end];
    const int64_t number = (int64_t)phrases->n_phrases++;
    phrases->phrases[number] = (struct phrase){name, end, first_token, -1};
    if (node->first_phrase < 0)
        node->first_phrase = number;
    else
        phrases->phrases[node->last_phrase].next = number;
    node->last_phrase = number;
    return DONE;
}

static inline uint32_t step(const struct phrases *phrases, uint32_t node, int64_t token)
{
    for (;; node = phrases->nodes[node].otherwise) {
        const uint32_t after = edge_of(phrases->edges, phrases->n_edges, edge_key(node, token))->node;
        if (after || !node)
            return after;
    }
}

/* Say of each node where the walk goes on and which phrases end there: shorter ones first. */
static int close_tree(struct phrases *phrases)
{
    const size_t n_nodes = phrases->n_nodes;
    uint32_t *in_order = calloc(n_nodes + 1, sizeof *in_order);
    size_t *starts = calloc(n_nodes + 2, sizeof *starts); /* of each depth */
    if (in_order && starts) {
        for (size_t i = 0; i < n_nodes; i++)
            starts[phrases->nodes[i].depth + 1]++;
        for (size_t depth = 0; depth < n_nodes; depth++)
            starts[depth + 1] += starts[depth];
        for (size_t i = 0; i < n_nodes; i++)
            in_order[starts[phrases->nodes[i].depth]++] = (uint32_t)i;
        for (size_t i = 1; i < n_nodes; i++) {
            struct node *node = &phrases->nodes[in_order[i]];
            const uint32_t before = phrases->nodes[node->parent].otherwise;
            const uint32_t other = node->parent ? step(phrases, before, node->token) : 0;
            node->otherwise = other;
            node->next = phrases->nodes[other].longest;
            node->longest = node->first_phrase >= 0 ? in_order[i] : node->next;
        }
    }
    const int outcome = in_order && starts ? DONE : NO_MEMORY;
    free(in_order);
    free(starts);
    return outcome;
}

/* Note that a phrase is in the document; the others that end with it follow later. */
static int meet(struct phrases *phrases, uint32_t number, int64_t document)
{
    struct node *node = &phrases->nodes[number];
    if (node->document == document)
        return DONE;
    if (!RESERVE(phrases->met, phrases->met_room, phrases->n_met + 1))
        return NO_MEMORY;
    phrases->met[phrases->n_met++] = number;
    node->document = document;
    node->times = node->waiting = 0;
    return DONE;
}

/* Walk on by one word of a document, with its number among the tokens or -1. */
static inline int walk(struct phrases *phrases, int64_t number, int64_t document)
{
    if (number < 0) {
        phrases->at = 0;
        return DONE;
    }
    struct token *token = &phrases->tokens[number];
    if (token->document != document)
        *token = (struct token){document, phrases->n_places++};
    phrases->at = step(phrases, phrases->at, number);
    const uint32_t longest = phrases->nodes[phrases->at].longest;
    if (!longest)
        return DONE;
    const int outcome = meet(phrases, longest, document);
    if (!outcome)
        phrases->nodes[longest].times++;
    return outcome;
}

/* Count the shorter phrases that end where longer ones do: each is added when all the longer ones are. */
static int add_shorter(struct phrases *phrases, int64_t document)
{
    struct node *nodes = phrases->nodes;
    for (size_t i = 0; i < phrases->n_met; i++) { /* grows meanwhile */
        const uint32_t next = nodes[phrases->met[i]].next;
        if (next && meet(phrases, next, document))
            return NO_MEMORY;
        nodes[next].waiting += next > 0;
    }
    for (size_t i = 0; i < phrases->n_met; i++) {
        struct node *node = &nodes[phrases->met[i]];
        while (!node->waiting) {
            node->waiting = ADDED;
            if (!node->next)
                break;
            nodes[node->next].times += node->times;
            nodes[node->next].waiting--;
            node = &nodes[node->next];
        }
    }
    return DONE;
}
