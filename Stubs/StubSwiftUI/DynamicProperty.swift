@_spi(Reflection) import Swift

// developer.apple.com/documentation/swiftui/dynamicproperty, iOS 13.
@preconcurrency public protocol DynamicProperty {
    mutating func update()
}

extension DynamicProperty {
    public mutating func update() {}
}

/// A property wrapper that is told where its view stands before the body is evaluated.
@MainActor protocol Connected {
    mutating func connect(in context: Context)
}

/// Connects the properties of a view, a modifier or a style with the place where it stands, in the copy that is evaluated.
@MainActor func connect<Owner>(_ owner: inout Owner, in context: Context) {
    guard !(Owner.self is AnyObject.Type) else { return }
    withUnsafeMutablePointer(to: &owner) { pointer in
        let start = UnsafeMutableRawPointer(pointer)
        _ = unsafe _forEachField(of: Owner.self) { name, offset, type, _ in
            if let type = type as? any DynamicProperty.Type {
                connectField(at: start + offset, type, in: context.at(String(cString: name)))
            }
            return true
        }
    }
}

@MainActor private func connectField<Field: DynamicProperty>(
    at pointer: UnsafeMutableRawPointer, _: Field.Type, in context: Context
) {
    let field = pointer.assumingMemoryBound(to: Field.self)
    if var connected = field.pointee as? any Connected {
        connected.connect(in: context)
        field.pointee = connected as! Field
    } else {
        // A property of the app's own that is made of others.
        connect(&field.pointee, in: context)
        field.pointee.update()
    }
}
