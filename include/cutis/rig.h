// Rigs, made and kept: cutis/bind.h and cutis/rig_file.h.
#pragma once

#include "cutis/bind.h"
#include "cutis/rig_file.h"
