@_exported public import ThumbturnCore
@_exported public import ThumbturnDevice
