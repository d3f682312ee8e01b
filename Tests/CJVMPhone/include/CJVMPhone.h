#pragma once
#include <stdint.h>

// The fake phone of Java's tests, as Swift drives it.

/// Starts a phone of this API level. Returns 0, or -1 where Java threw, which is printed.
int32_t jvm_phone_start(int32_t level);

/// Tells the phone a command, and waits until it has happened. Returns the text of its answer, which the caller frees; NULL where
/// Java threw, which is printed.
char *jvm_phone_tell(const char *command);
