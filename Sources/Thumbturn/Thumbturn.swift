@_exported public import ThumbturnCore
@_exported public import ThumbturnDevice
@_exported public import ThumbturnURLSession
#if os(iOS) || os(macOS) || os(visionOS)
@_exported public import ThumbturnApple
#endif
#if LinuxDevice && os(Linux)
@_exported public import ThumbturnLinux
#endif
