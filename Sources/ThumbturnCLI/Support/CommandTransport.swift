#if Tools
import Thumbturn

/// The transport of the commands: on Linux the one that a hostile server cannot harm.
func commandTransport() -> any Transport {
    #if os(Linux)
    NIOTransport()
    #else
    URLSessionTransport()
    #endif
}
#endif
