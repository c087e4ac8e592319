// Marker-driven animation from the file to the skin: load_take() of cutis/io.h, cutis/marker_solver.h and
// cutis/marker_editor.h.
#pragma once

#include "cutis/io.h"
#include "cutis/marker_editor.h"
#include "cutis/marker_solver.h"
