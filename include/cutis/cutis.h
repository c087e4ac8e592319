// Everything, in pipeline order.
#pragma once

#include "cutis/character.h"
#include "cutis/compose.h"
#include "cutis/context.h"
#include "cutis/error.h"
#include "cutis/hands.h"
#include "cutis/io.h"
#include "cutis/markers.h"
#include "cutis/metrics.h"
#include "cutis/preset.h"
#include "cutis/render.h"
#include "cutis/rig.h"
#include "cutis/skin_field.h"
#include "cutis/solve.h"
#include "cutis/types.h"
#include "cutis/version.h"
#include "cutis/weights.h"
