#include "cutis/version.h"

namespace cutis {
std::string_view version() { return CUTIS_VERSION; }
}  // namespace cutis
