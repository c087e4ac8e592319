/* What the C programs of these tests share. */
#ifndef CUTIS_TESTS_C_CHECK_H
#define CUTIS_TESTS_C_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cutis/cutis_c.h"

#define CHECK(condition)                                                                                            \
  do {                                                                                                              \
    if (!(condition)) {                                                                                             \
      fprintf(stderr, "%s:%d: not so: %s\n  last error: %s\n", __FILE__, __LINE__, #condition, cutis_last_error()); \
      exit(1);                                                                                                      \
    }                                                                                                               \
  } while (0)

#define OK(call)                                                                                    \
  do {                                                                                              \
    cutis_status status_ = (call);                                                                  \
    if (status_ != CUTIS_OK) {                                                                      \
      fprintf(stderr, "%s:%d: %s: %s: %s\n", __FILE__, __LINE__, #call, cutis_status_name(status_), \
              cutis_last_error());                                                                  \
      exit(1);                                                                                      \
    }                                                                                               \
  } while (0)

/* Refused with that status, and with a sentence that has these words in it. */
#define REFUSED(call, wanted, words)                                                                  \
  do {                                                                                                \
    cutis_status status_ = (call);                                                                    \
    if (status_ != (wanted) || strstr(cutis_last_error(), (words)) == NULL) {                         \
      fprintf(stderr, "%s:%d: %s: got '%s' (%s), wanted '%s' with '%s'\n", __FILE__, __LINE__, #call, \
              cutis_status_name(status_), cutis_last_error(), cutis_status_name(wanted), (words));    \
      exit(1);                                                                                        \
    }                                                                                                 \
  } while (0)

#endif
