public import Observation

/// Where the value of a state lives while its view is in the tree.
final class Location<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}

// developer.apple.com/documentation/swiftui/state, iOS 13.
@propertyWrapper public struct State<Value>: DynamicProperty, Connected {
    let initial: Value
    var location: Location<Value>?

    public init(wrappedValue value: Value) { initial = value }
    public init(initialValue value: Value) { initial = value }

    public var wrappedValue: Value {
        get { location?.value ?? initial }
        nonmutating set { location?.value = newValue }
    }

    public var projectedValue: Binding<Value> {
        let (location, initial) = (location, initial)
        return Binding(read: { location?.value ?? initial }, write: { location?.value = $0 })
    }

    mutating func connect(in context: Context) { location = context.evaluation.location(at: context.place, initial) }
}

extension State: Sendable where Value: Sendable {}

extension State where Value: ExpressibleByNilLiteral {
    public init() { self.init(wrappedValue: nil) }
}

// developer.apple.com/documentation/swiftui/binding, iOS 13.
@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    let read: () -> Value
    let write: (Value) -> Void

    init(read: @escaping () -> Value, write: @escaping (Value) -> Void) {
        self.read = read
        self.write = write
    }

    // Since iOS 18's SDK the closures are sendable and have the isolation of the place where they
    // are written, which for a view is the main actor.
    @preconcurrency public init(
        @_inheritActorContext get: @escaping @isolated(any) @Sendable () -> Value,
        @_inheritActorContext set: @escaping @isolated(any) @Sendable (Value) -> Void
    ) {
        // A call through this type would have to be awaited. Views call bindings on the main actor, where these may run.
        let get = unsafeBitCast(get, to: (@Sendable () -> Value).self)
        let set = unsafeBitCast(set, to: (@Sendable (Value) -> Void).self)
        self.init(read: get, write: set)
    }

    public static func constant(_ value: Value) -> Binding<Value> { Binding(read: { value }, write: { _ in }) }

    public var wrappedValue: Value {
        get { read() }
        nonmutating set { write(newValue) }
    }

    public var projectedValue: Binding<Value> { self }

    public init(projectedValue: Binding<Value>) { self = projectedValue }

    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
        let whole = self
        return Binding<Subject>(
            read: { whole.wrappedValue[keyPath: keyPath] },
            write: {
                var value = whole.wrappedValue
                value[keyPath: keyPath] = $0
                whole.wrappedValue = value
            })
    }

    // developer.apple.com/documentation/swiftui/binding/animation(_:), iOS 13.
    public func animation(_ animation: Animation? = .default) -> Binding<Value> { self }
}

extension Binding: @unchecked Sendable where Value: Sendable {}
extension Binding: DynamicProperty {}

extension Binding: Identifiable where Value: Identifiable {
    public var id: Value.ID { wrappedValue.id }
}

extension Binding {
    // developer.apple.com/documentation/swiftui/binding/init(_:), iOS 13.
    public init<V>(_ base: Binding<V>) where Value == V? {
        self.init(read: { base.wrappedValue }, write: { if let value = $0 { base.wrappedValue = value } })
    }

    public init?(_ base: Binding<Value?>) {
        guard let last = base.wrappedValue else { return nil }
        self.init(read: { base.wrappedValue ?? last }, write: { base.wrappedValue = $0 })
    }
}

extension Binding where Value: MutableCollection {
    func element(at index: Value.Index) -> Binding<Value.Element> {
        let whole = self
        return Binding<Value.Element>(read: { whole.wrappedValue[index] }, write: { whole.wrappedValue[index] = $0 })
    }
}

// developer.apple.com/documentation/swiftui/bindable, iOS 17. Only for what is observable.
@dynamicMemberLookup @propertyWrapper public struct Bindable<Value> {
    public var wrappedValue: Value
    public var projectedValue: Bindable<Value> { self }

    @available(*, unavailable, message: "The wrapped value must be an object that conforms to Observable")
    public init(wrappedValue: Value) { fatalError("never made") }

    init(object: Value) { wrappedValue = object }
}

extension Bindable where Value: AnyObject {
    public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> {
        let object = wrappedValue
        return Binding(read: { object[keyPath: keyPath] }, write: { object[keyPath: keyPath] = $0 })
    }
}

extension Bindable where Value: AnyObject, Value: Observable {
    public init(wrappedValue: Value) { self.init(object: wrappedValue) }
    public init(_ wrappedValue: Value) { self.init(object: wrappedValue) }
    public init(projectedValue: Bindable<Value>) { self = projectedValue }
}

extension Bindable: Identifiable where Value: Identifiable {
    public var id: Value.ID { wrappedValue.id }
}

extension Bindable: Sendable where Value: Sendable {}

// developer.apple.com/documentation/swiftui/focusstate, iOS 15.
@propertyWrapper public struct FocusState<Value: Hashable>: DynamicProperty, Connected {
    // developer.apple.com/documentation/swiftui/focusstate/binding, iOS 15.
    @propertyWrapper public struct Binding {
        let location: Location<Value>
        let initial: Value

        public var wrappedValue: Value {
            get { location.value }
            nonmutating set { location.value = newValue }
        }

        public var projectedValue: FocusState<Value>.Binding { self }
    }

    let initial: Value
    var location: Location<Value>?

    public init() where Value == Bool { initial = false }
    public init<T>() where Value == T?, T: Hashable { initial = nil }

    public var wrappedValue: Value {
        get { location?.value ?? initial }
        nonmutating set { location?.value = newValue }
    }

    public var projectedValue: FocusState<Value>.Binding { Binding(location: location ?? Location(initial), initial: initial) }

    mutating func connect(in context: Context) { location = context.evaluation.location(at: context.place, initial) }
}

// developer.apple.com/documentation/swiftui/accessibilityfocusstate, iOS 15.
@propertyWrapper public struct AccessibilityFocusState<Value: Hashable>: DynamicProperty, Connected {
    // developer.apple.com/documentation/swiftui/accessibilityfocusstate/binding, iOS 15.
    @propertyWrapper public struct Binding {
        let location: Location<Value>

        public var wrappedValue: Value {
            get { location.value }
            nonmutating set { location.value = newValue }
        }

        public var projectedValue: AccessibilityFocusState<Value>.Binding { self }
    }

    let initial: Value
    var location: Location<Value>?

    public init() where Value == Bool { initial = false }
    public init<T>() where Value == T?, T: Hashable { initial = nil }

    public var wrappedValue: Value {
        get { location?.value ?? initial }
        nonmutating set { location?.value = newValue }
    }

    public var projectedValue: AccessibilityFocusState<Value>.Binding { Binding(location: location ?? Location(initial)) }

    mutating func connect(in context: Context) { location = context.evaluation.location(at: context.place, initial) }
}

// developer.apple.com/documentation/swiftui/scaledmetric, iOS 14.
@propertyWrapper public struct ScaledMetric<Value: BinaryFloatingPoint>: DynamicProperty, Connected {
    let base: Value
    var factor: Double = 1

    public init(wrappedValue: Value) { base = wrappedValue }
    public init(wrappedValue: Value, relativeTo textStyle: Font.TextStyle) { base = wrappedValue }

    public var wrappedValue: Value { Value((Double(base) * factor).rounded()) }

    mutating func connect(in context: Context) { factor = context.environment.dynamicTypeSize.scale }
}
