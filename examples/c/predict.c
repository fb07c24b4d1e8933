/* Asks the library for one operator, a column of them, a step and a whole run.
 *
 *   cc -std=c99 examples/c/predict.c -Isrc -Lbuild/release/lib -lwarploom -o predict
 *   LD_LIBRARY_PATH=build/release/lib ./predict
 */
#include <stdio.h>
#include <stdlib.h>

#include "warploom/capi/warploom.h"

static char message[400];

static void check(warploom_status status) {
  if (status == WARPLOOM_OK) return;
  fprintf(stderr, "predict: %s\n", message);
  exit(1);
}

int main(void) {
  warploom_session* session = NULL;
  warploom_question* question = NULL;
  warploom_step* step = NULL;
  warploom_prediction one, rows[3];
  warploom_step_price price;
  const int64_t m[3] = {1, 64, 4096};
  warploom_column column;
  char* answer = NULL;
  size_t i;

  check(warploom_open(NULL, &session, message, sizeof message));

  check(warploom_question_open(session, "{\"gpu\": \"H100-SXM\", \"family\": \"gemm\", \"m\": 1, \"n\": 4096, \"k\": 4096}",
                               &question, message, sizeof message));
  check(warploom_predict(question, &one, message, sizeof message));
  printf("1 x 4096 x 4096: %.2f us (%.2f .. %.2f)\n", one.p50_us, one.p10_us, one.p90_us);

  column.field = "m";
  column.values = m;
  check(warploom_predict_rows(question, &column, 1, 3, 1, rows, message, sizeof message));
  for (i = 0; i < 3; ++i) printf("m %5ld: %.2f us\n", (long)m[i], rows[i].p50_us);

  check(warploom_step_open(session, "{\"model\": \"Llama-3.1-8B\", \"gpu\": \"H100-SXM\"}", &step, message,
                           sizeof message));
  check(warploom_step_decode(step, 64, 500, &price, message, sizeof message));
  printf("64 requests decode in %.2f ms\n", (price.p50_us + price.host_us) / 1000);

  check(warploom_answer(session, "static",
                        "{\"model\": \"Llama-3.1-8B\", \"gpu\": \"H200\", \"batch\": 8, \"input_tokens\": 1024, "
                        "\"output_tokens\": 128}",
                        NULL, &answer, message, sizeof message));
  printf("%.40s ...\n", answer);

  warploom_free_text(answer);
  warploom_step_close(step);
  warploom_question_close(question);
  warploom_close(session);
  return 0;
}
