/* Loops that do less than an evaluator must, as a bound for its time. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define SLOTS 1024

static inline uint64_t hash_tag(PyObject *tag)
{
    /* 16 bytes that end with the string: they lie within its object, whatever its length. */
    const char *end = (const char *)PyUnicode_DATA(tag) + PyUnicode_GET_LENGTH(tag);
    uint64_t low, high;
    memcpy(&low, end - 16, 8);
    memcpy(&high, end - 8, 8);
    uint64_t shift = (16 - (uint64_t)PyUnicode_GET_LENGTH(tag)) * 8 & 127;
    unsigned __int128 both = ((unsigned __int128)high << 64 | low) >> shift;
    return ((uint64_t)both ^ (uint64_t)(both >> 64) * 31) * 0x9E3779B97F4A7C15u;
}

/* Hashes every string of two lists of lists in place, and looks each up in a small table. */
uint64_t hash_lists(PyObject *gold, PyObject *pred)
{
    static uint8_t ids[SLOTS];
    uint64_t sum = 0;
    for (Py_ssize_t row = 0; row < PyList_GET_SIZE(gold); row++) {
        PyObject *g = PyList_GET_ITEM(gold, row), *p = PyList_GET_ITEM(pred, row);
        for (Py_ssize_t at = 0; at < PyList_GET_SIZE(g); at++) {
            sum += ids[hash_tag(PyList_GET_ITEM(g, at)) >> 54];
            sum += ids[hash_tag(PyList_GET_ITEM(p, at)) >> 54] ^ 1;
        }
    }
    return sum;
}

#define IDS(name, type)                                                                                  \
    uint64_t name(const type *gold, const type *pred, const int64_t *lengths, int64_t sentences,         \
                  uint64_t *pairs)                                                                       \
    {                                                                                                    \
        uint64_t equal = 0;                                                                              \
        for (int64_t row = 0; row < sentences; row++) {                                                  \
            type before = 0;                                                                             \
            for (int64_t at = 0; at < lengths[row]; at++) {                                              \
                pairs[(before & 31) * 32 + (gold[at] & 31)]++;                                           \
                before = gold[at];                                                                       \
            }                                                                                            \
            equal += !memcmp(gold, pred, lengths[row] * sizeof(type));                                   \
            gold += lengths[row];                                                                        \
            pred += lengths[row];                                                                        \
        }                                                                                                \
        return equal;                                                                                    \
    }

/* Count neighbouring pairs of gold and compare the sentences of both sides. */
IDS(pairs_int64, int64_t)
IDS(pairs_int8, int8_t)
