#pragma once
#include <stdint.h>

// The calls of JNI that the bridge needs, with explicit widths. The headers of the JDK and of the NDK differ in the types of JNI, so
// pointers are untyped here.

/// Caches the class and the method of the bridge. Returns the version of JNI, or JNI_ERR.
int32_t thumbturn_load(void *machine);

/// The environment of this thread, which is attached where it is not yet, until its end. NULL where that fails, and before the
/// library was loaded by Java.
void *thumbturn_environment(void);

/// Calls Bridge.begin(long, int, byte[]) on this thread, which is attached as above. What Java throws is cleared. Returns 0, or -1
/// where it was not called or threw.
int32_t thumbturn_begin(int64_t id, int32_t operation, const uint8_t *bytes, int64_t count);

/// The length of a byte[]; -1 for null.
int64_t thumbturn_length(void *environment, void *array);

/// Copies a byte[]. Returns 0, or -1 where Java threw.
int32_t thumbturn_read(void *environment, void *array, uint8_t *into, int64_t count);
