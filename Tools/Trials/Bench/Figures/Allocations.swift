#if Tools
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The number of allocations of this process so far; nil unless `scripts/allocations.c` is preloaded.
func allocationCount() -> UInt64? { counter?() }

private let counter: (@convention(c) () -> UInt64)? = {
    guard let program = unsafe dlopen(nil, RTLD_NOW), let symbol = unsafe dlsym(program, "allocation_count") else { return nil }
    return unsafe unsafeBitCast(symbol, to: (@convention(c) () -> UInt64).self)
}()
#endif
