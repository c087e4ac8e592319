/* Calls of the C interface whose choices are the bytes of an input; when they run out it is over. */
#include "c_calls.h"

#include "c/random_calls.h"

static const uint8_t *at, *end;
static uint64_t fill_state;
static int is_filling;

static uint32_t next_number(void) {
  if (is_filling) { /* arrays: from one number of the input */
    fill_state ^= fill_state >> 12;
    fill_state ^= fill_state << 25;
    fill_state ^= fill_state >> 27;
    return (uint32_t)((fill_state * 2685821657736338717ULL) >> 32);
  }
  return at < end ? *at++ : 0;
}
static void filling(int on) {
  fill_state = on ? 1000003u * next_number() + 1 : 0;
  is_filling = on;
}

/* Made once, and again when the calls destroyed them: binding is dear. */
static cutis_context context;
static cutis_character character;
static cutis_rig rig;

static int is_there(void) {
  cutis_solver solver;
  cutis_counts c = {0};
  c.struct_size = sizeof c;
  if (cutis_character_counts(character, &c) != CUTIS_OK || c.clips != 2) return 0;
  if (cutis_context_set_callbacks(context, NULL) != CUTIS_OK) return 0;
  if (cutis_solver_create(context, rig, "{\"method\": \"lbs\"}", &solver) != CUTIS_OK) return 0;
  OK(cutis_solver_destroy(solver));
  return 1;
}

static void begin_calls(void) {
  memset(counts, 0, sizeof counts);
  if (!is_there()) {
    (void)cutis_rig_destroy(rig);
    (void)cutis_character_destroy(character);
    (void)cutis_context_destroy(context);
    OK(cutis_context_create("{\"threads\": 1}", &context));
    OK(cutis_character_builtin(context, "cylinder:500", &character));
    OK(cutis_rig_bind(context, character, NULL, &rig, NULL));
  }
  keep(kContext, context);
  keep(kCharacter, character);
  keep(kRig, rig);
  cutis_solver solver;
  OK(cutis_solver_create(context, rig, once_in(2) ? NULL : "{\"method\": \"dqs\"}", &solver));
  keep(kSolver, solver);
}

static void end_calls(void) {
  for (int kind = 0; kind < 9; ++kind)
    for (size_t i = 0; i < counts[kind]; ++i)
      if (bag[kind][i] != context && bag[kind][i] != character && bag[kind][i] != rig)
        for (int as = 0; as < 9; ++as) (void)destroy(as, bag[kind][i]);
}

void cutis_fuzz_calls(const uint8_t* bytes, size_t size) {
  enum { kMost = 30 };
  at = bytes;
  end = bytes + size;
  begin_calls();
  for (int i = 0; i < kMost && at < end; ++i) (void)one_call();
  end_calls();
}
