public import Foundation

// CoreFoundation's names, as far as the adapter uses them. Here they are Foundation's types, so that a cast to them
// compiles and does nothing, like bridging on Apple systems.

public typealias OSStatus = Int32
public typealias CFString = String
public typealias CFDictionary = [String: Any]
public typealias CFData = Data
public typealias CFTypeRef = AnyObject
/// An `NSError`, because its domain differs from one instance to another.
public typealias CFError = NSError
public typealias CFAllocator = AnyObject
public typealias CFOptionFlags = UInt
public typealias CFTypeID = UInt

/// `NSOSStatusErrorDomain` is Foundation's.
func osStatus(_ status: OSStatus) -> NSError { NSError(domain: NSOSStatusErrorDomain, code: Int(status)) }
