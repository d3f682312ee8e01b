// A back end names the messages, times and rules in its calls of the verifier, so one import shows them all.
@_exported public import ThumbturnCore
@_exported public import ThumbturnMessages
