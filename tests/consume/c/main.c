#include <cutis/cutis_c.h>
#include <stdio.h>

int main(void) {
  cutis_context context;
  cutis_character character;
  cutis_counts counts = {sizeof counts, 0, 0, 0, 0, 0, 0};
  if (cutis_context_create(NULL, &context) != CUTIS_OK ||
      cutis_character_load(context, "builtin:cylinder", NULL, &character) != CUTIS_OK ||
      cutis_character_counts(character, &counts) != CUTIS_OK) {
    fprintf(stderr, "%s\n", cutis_last_error());
    return 1;
  }
  printf("cutis %s: %zu vertices\n", cutis_version(), counts.vertices);
  return counts.vertices > 100 ? 0 : 1;
}
