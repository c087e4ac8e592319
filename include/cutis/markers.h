// Marker-driven animation from the file to the skin: load_take() of cutis/io.h and cutis/marker_solver.h.
#pragma once

#include "cutis/io.h"
#include "cutis/marker_solver.h"
