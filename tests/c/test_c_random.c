/* Calls the interface at random, rightly and wrongly: test_c_random SEED SECONDS. It may refuse anything, but must not
 * crash or hang. The same seed makes the same calls; a hundred of them are made however slow the machine is. */
#include "random_calls.h"

#include <time.h>

static uint64_t state;
static uint32_t next_number(void) { /* xorshift64* */
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (uint32_t)((state * 2685821657736338717ULL) >> 32);
}
static void filling(int on) { (void)on; }

static void begin_calls(void) {
  memset(counts, 0, sizeof counts);
  cutis_context context;
  cutis_character character;
  cutis_rig rig;
  cutis_solver solver;
  OK(cutis_context_create("{\"threads\": 2}", &context));
  OK(cutis_character_builtin(context, "cylinder", &character));
  OK(cutis_rig_bind(context, character, NULL, &rig, NULL));
  OK(cutis_solver_create(context, rig, once_in(2) ? NULL : "{\"method\": \"dqs\"}", &solver));
  keep(kContext, context);
  keep(kCharacter, character);
  keep(kRig, rig);
  keep(kSolver, solver);
}

static void end_calls(void) {
  for (int kind = 0; kind < 9; ++kind)
    for (size_t i = 0; i < counts[kind]; ++i)
      for (int as = 0; as < 9; ++as) (void)destroy(as, bag[kind][i]);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const time_t end = time(NULL) + atoi(argv[2]);
  unsigned long calls = 0, done = 0;
  for (uint64_t round = 0; time(NULL) < end || calls < 100; ++round) {
    state = (uint64_t)atoi(argv[1]) * 1000003u + round * 7919u + 1;
    begin_calls();
    for (int i = 0; i < 400 && (time(NULL) < end || calls < 100); ++i) {
      ++calls;
      const cutis_status status = one_call();
      done += status == CUTIS_OK;
    }
    end_calls();
  }
  printf("%lu calls, %lu done, the others refused\n", calls, done);
  /* It must do something, or it tries nothing. */
  CHECK(calls > 50 && done * 10 > calls && done < calls);
  return 0;
}
