// The tables of all options (cutis/option_rows.h), with the structs they are of.
#pragma once

#include "cutis/bind.h"
#include "cutis/compose.h"
#include "cutis/hands.h"
#include "cutis/io.h"
#include "cutis/marker_solver.h"
#include "cutis/metrics.h"
#include "cutis/option_rows.h"
#include "cutis/preset.h"
#include "cutis/register.h"
#include "cutis/render.h"
#include "cutis/solve.h"
#include "cutis/weights.h"
