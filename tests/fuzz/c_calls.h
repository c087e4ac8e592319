#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
#endif
    void
    cutis_fuzz_calls(const uint8_t* bytes, size_t size);
