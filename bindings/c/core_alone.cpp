// In place of files_api.cpp, markers_api.cpp and editor_api.cpp where only the core is built: what reads arrays and glTF, binds, solves
// and measures.
#include "support.h"

namespace cutis::c {

void add_more_tables(Json&) {}

}  // namespace cutis::c
