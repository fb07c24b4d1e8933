/* Warploom's C interface. Plain C (C99); no call prints, exits or throws.
 *
 * Functions that can fail return a warploom_status and write a sentence into `message` (always ended with a
 * zero; may be NULL with size 0): what is wrong, where, and what was expected. Handles of sessions, questions
 * and steps are checked: one that was closed, NULL or of another kind gives WARPLOOM_BAD_INPUT. What a handle
 * needs lives as long as it does, so they may be closed in any order, and closing one waits for the calls
 * that use it. What the tuner opens is a plain pointer, for speed.
 *
 * Threads: a session, a table and a layer's experts may be used by any number of threads at once. A question
 * is asked by any number and changed by one alone, a step is used by one at a time: another thread that comes
 * meanwhile gets WARPLOOM_BAD_INPUT. No table or experts may be closed while another thread uses them.
 */
/* NOLINTBEGIN(modernize-deprecated-headers,modernize-use-using): this is C */
#ifndef WARPLOOM_WARPLOOM_H
#define WARPLOOM_WARPLOOM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

typedef enum warploom_status {
  WARPLOOM_OK = 0,
  WARPLOOM_BAD_INPUT = 1,   /* damaged table, table of another GPU or kernel, bad samples or arguments */
  WARPLOOM_IO_ERROR = 2,    /* a file cannot be read or written */
  WARPLOOM_UNSUPPORTED = 3, /* a table of a newer version, or of the published wave model */
  WARPLOOM_FAILED = 4       /* anything else, such as no memory */
} warploom_status;

/* "0.1.0"; never NULL. Functions keep their meaning within a major version. */
const char* warploom_version(void);

/* ---- Answers: one request in JSON, its answer in JSON -------------------------------------------------- */

typedef struct warploom_session warploom_session; /* an open predictor */

/* `predictor`: a folder that `warploom train` wrote, "roofline", or NULL or "" for the one in the library.
 * *session is NULL on failure. About 50 ms. */
warploom_status warploom_open(const char* predictor, warploom_session** session, char* message,
                              size_t message_size);
/* NULL and closed ones are allowed, as in every close of this interface but the table's. */
void warploom_close(warploom_session* session);

/* How to follow a long answer; every member may be NULL. Called from any thread, one call at a time. */
typedef struct warploom_watch {
  int (*progress)(void* user, double done, double total); /* anything but 0 stops a run where it is */
  void (*said)(void* user, const char* line);             /* a word on the way */
  void* user;
} warploom_watch;

/* What the command `request` ("predict", "step", "static", "simulate", "diagnose", "gpus", ...) prints with
 * --json. `fields`: a JSON object of the request's fields (`warploom schema REQUEST`), where those of nested
 * objects may stand at the top: {"model": "Llama-3.1-8B", "gpu": "H100-SXM", "decode": "64x500"}. *answer is
 * to be freed by warploom_free_text; NULL on failure. `watch` may be NULL. */
warploom_status warploom_answer(const warploom_session* session, const char* request, const char* fields,
                                const warploom_watch* watch, char** answer, char* message,
                                size_t message_size);
void warploom_free_text(char* text); /* NULL is allowed */

/* ---- Questions: one operator on one GPU, asked again and again ----------------------------------------- */

typedef struct warploom_question warploom_question;

typedef struct warploom_prediction {
  double p10_us, p50_us, p90_us;
  double physical_bound_us; /* no implementation on this GPU can be faster */
  int32_t bound;            /* index into tensor, fma, xu, shared, l2, dram, network, launch */
  int32_t tier;             /* 0 measured, 1 cross_gpu, 2 roofline */
  int32_t extrapolated;     /* outside the measured domain */
  int32_t stands_in;        /* answered by another measured kernel */
  int32_t in_step;          /* changed to what the kernel takes inside a step of an engine */
  int32_t reserved;         /* 0 */
} warploom_prediction;

/* `fields`: those of `predict`: {"gpu": "H100-SXM", "family": "gemm", "m": 64, "n": 4096, "k": 4096}, with
 * framework, framework_version, kernel if wanted. */
warploom_status warploom_question_open(const warploom_session* session, const char* fields,
                                       warploom_question** question, char* message, size_t message_size);
void warploom_question_close(warploom_question* question);
/* Changes a size of the operator; for attention also "batch", "tokens" and "context" of alike requests. */
warploom_status warploom_question_set(warploom_question* question, const char* field, int64_t value,
                                      char* message, size_t message_size);
warploom_status warploom_predict(const warploom_question* question, warploom_prediction* prediction,
                                 char* message, size_t message_size);

typedef struct warploom_column {
  const char* field;     /* as warploom_question_set takes it */
  const int64_t* values; /* `rows` of them */
} warploom_column;

/* `rows` predictions at once; each row takes its sizes from the columns and the rest from the question.
 * threads 0: as many as the machine has; no effect on results. After a failure, whose message names the row,
 * nothing can be relied on in `predictions`. */
warploom_status warploom_predict_rows(const warploom_question* question, const warploom_column* columns,
                                      size_t column_count, size_t rows, size_t threads,
                                      warploom_prediction* predictions, char* message, size_t message_size);

/* ---- Steps: one model on one GPU under one engine, a forward pass at a time ---------------------------- */

typedef struct warploom_step warploom_step;

typedef struct warploom_step_price {
  double p10_us, p50_us, p90_us; /* on the GPU */
  double host_us;                /* that the engine adds to p50 when such steps follow each other */
} warploom_step_price;

typedef struct warploom_prompt {
  int64_t tokens, context; /* new tokens, after so many in the cache */
} warploom_prompt;

/* `setup`: {"model": ..., "gpu": ..., and the engine's fields}. Steps are priced as `simulate` does it. */
warploom_status warploom_step_open(const warploom_session* session, const char* setup, warploom_step** step,
                                   char* message, size_t message_size);
void warploom_step_close(warploom_step* step);
/* `requests` that each add a token to `context` in the cache. About 100 ns once its tables know the sizes. */
warploom_status warploom_step_decode(warploom_step* step, int64_t requests, int64_t context,
                                     warploom_step_price* price, char* message, size_t message_size);
/* Decoding requests by their contexts, and parts of prompts; either may be empty (and then NULL). */
warploom_status warploom_step_mixed(warploom_step* step, const int64_t* contexts, size_t context_count,
                                    const warploom_prompt* prompts, size_t prompt_count,
                                    warploom_step_price* price, char* message, size_t message_size);

/* ---- Tables of the tuner ------------------------------------------------------------------------------- */

typedef struct warploom_tune_table warploom_tune_table;

/* tile_* in elements; is_default: the kernel's own default, kept where nothing is clearly faster. */
typedef struct warploom_tile_config {
  int32_t tile_m, tile_n, tile_k, warps, stages, split_k;
  float predicted_us;
  int32_t is_default;
} warploom_tile_config;

/* Reads a table that `warploom tune fit` wrote; what becomes of the file later does not matter. `gpu`
 * (catalogue name) and `kernel` (the table's kernel name) are compared when not NULL: a table of another GPU
 * or kernel is refused. *table is NULL on failure. */
warploom_status warploom_tune_open(const char* path, const char* gpu, const char* kernel,
                                   warploom_tune_table** table, char* message, size_t message_size);
/* NULL is allowed; a closed one is not. */
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

/* Configurations that were timed at one shape, predicted_us and is_default of which are not read, and their
 * microseconds (infinite: it does not run). Both may be NULL when count is 0. */
typedef struct warploom_timed_tiles {
  const warploom_tile_config* configs;
  const double* us;
  size_t count;
} warploom_timed_tiles;

/* Which configuration to time next at a shape, after those that were: first the pick, then what may be
 * expected to gain most. Returns 1 and writes *next; 0 when no timing is worth it any more, on a bad shape or
 * a NULL argument. Allocates. */
int32_t warploom_tune_next(const warploom_tune_table* table, int64_t m, int64_t n, int64_t k,
                           const warploom_timed_tiles* timed, warploom_tile_config* next);

/* A layer of experts asks a table of grouped products once for both of its products. `width`: of an expert on
 * this GPU; expert_parallel: GPUs that the experts are shared out over. */
typedef struct warploom_tune_experts warploom_tune_experts;
typedef struct warploom_expert_layer {
  int64_t hidden, width, top_k, expert_parallel;
} warploom_expert_layer;

/* predicted_us is of both products; group_rows: rows of tiles that the kernel walks together; keeps_own: the
 * caller's own configuration is as good, within what the table misses, or nothing is known. */
typedef struct warploom_expert_pick {
  warploom_tile_config config;
  int32_t group_rows, keeps_own;
} warploom_expert_pick;

/* Keeps what it needs of the table, which may be closed first. *experts is NULL on failure. */
warploom_status warploom_tune_experts_open(const warploom_tune_table* table,
                                           const warploom_expert_layer* layer,
                                           warploom_tune_experts** experts, char* message,
                                           size_t message_size);
/* NULL is allowed; a closed one is not. */
void warploom_tune_experts_close(warploom_tune_experts* experts);

/* The configuration at so many tokens of a launch, of those without parts of k. `own`: what the caller
 * launches without a table (predicted_us and is_default are not read); NULL: none. The first look at a number
 * of tokens compares all configurations, later ones remember: no allocation, no lock, no failure. Tokens out
 * of range, or NULL experts, give `own`, or the default (NULL experts: all zero), and predicted_us = 0. */
void warploom_tune_experts_pick(const warploom_tune_experts* experts, int64_t tokens,
                                const warploom_tile_config* own, warploom_expert_pick* pick);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* WARPLOOM_WARPLOOM_H */
/* NOLINTEND(modernize-deprecated-headers,modernize-use-using) */
