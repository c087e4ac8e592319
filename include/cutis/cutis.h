// Everything, in pipeline order.
#pragma once

#include "cutis/version.h"
#include "cutis/types.h"
#include "cutis/error.h"
#include "cutis/context.h"
#include "cutis/character.h"
#include "cutis/io.h"
#include "cutis/rig.h"
#include "cutis/solve.h"
#include "cutis/render.h"
