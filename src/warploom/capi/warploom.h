/* Warploom's C interface. Plain C; no call prints, exits or throws.
 *
 * A table is opened once and picked from any thread without locks. Functions that can fail return a
 * warploom_status and write a sentence into `message` (always ended with a zero; may be NULL with size 0).
 */
#ifndef WARPLOOM_WARPLOOM_H
#define WARPLOOM_WARPLOOM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum warploom_status {
  WARPLOOM_OK = 0,
  WARPLOOM_BAD_INPUT = 1,   /* damaged table, table of another GPU or kernel, bad samples or arguments */
  WARPLOOM_IO_ERROR = 2,    /* a file cannot be read or written */
  WARPLOOM_UNSUPPORTED = 3, /* a table of a newer version */
  WARPLOOM_FAILED = 4       /* anything else, such as no memory */
} warploom_status;

typedef struct warploom_tune_table warploom_tune_table;

/* tile_* in elements; is_default: the kernel's own default, kept where nothing is clearly faster. */
typedef struct warploom_tile_config {
  int32_t tile_m, tile_n, tile_k, warps, stages, split_k;
  float predicted_us;
  int32_t is_default;
} warploom_tile_config;

/* Maps a table that `warploom tune fit` wrote. `gpu` (catalogue name) and `kernel` (the table's kernel name)
 * are compared when not NULL: a table of another GPU or kernel is refused. *table is NULL on failure. */
warploom_status warploom_tune_open(const char* path, const char* gpu, const char* kernel,
                                   warploom_tune_table** table, char* message, size_t message_size);
/* NULL is allowed. */
void warploom_tune_close(warploom_tune_table* table);

/* The configuration for a shape: no allocation, no lock, no failure. A dimension outside [1, 2^31), or a
 * NULL table, gives the default (with a NULL table: all zero) and predicted_us = 0. */
void warploom_tune_pick(const warploom_tune_table* table, int64_t m, int64_t n, int64_t k,
                        warploom_tile_config* config);

/* The same as a number below warploom_tune_configs(table); 0 with a NULL table. For callers who hold what
 * each number stands for, and pay for every field that crosses a language. */
int32_t warploom_tune_pick_index(const warploom_tune_table* table, int64_t m, int64_t n, int64_t k);

/* How many configurations the table has; the first `count` of them are written, in the order of their
 * numbers, predicted_us being 0. 0 with a NULL table. Allocates. */
size_t warploom_tune_configs(const warploom_tune_table* table, warploom_tile_config* configs, size_t count);

/* The `count` best configurations by predicted time, best first; returns how many were written. For callers
 * that measure the top few of a shape once. 0 on a bad shape or a NULL argument. Allocates. */
size_t warploom_tune_best(const warploom_tune_table* table, int64_t m, int64_t n, int64_t k,
                          warploom_tile_config* configs, size_t count);

#ifdef __cplusplus
}
#endif

#endif /* WARPLOOM_WARPLOOM_H */
