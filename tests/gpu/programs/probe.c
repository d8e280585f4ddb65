/* An injection library that only says that it was called: which code returns what, and whether a context was there. */
#include <stdio.h>
#include <stdlib.h>

__attribute__((visibility("default"))) int InitializeInjection(void) {
  const char* path = getenv("PROBE_FILE");
  FILE* file = path ? fopen(path, "a") : NULL;
  if (file) {
    fprintf(file, "called\n");
    fclose(file);
  }
  return getenv("PROBE_RETURN") ? atoi(getenv("PROBE_RETURN")) : 1;
}
#ifdef PROBE_UNRESOLVED
extern int a_symbol_that_nobody_has(void);
int use_it(void) { return a_symbol_that_nobody_has(); }
#endif
