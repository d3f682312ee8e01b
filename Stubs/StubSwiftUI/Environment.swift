public import Observation

// developer.apple.com/documentation/swiftui/environmentkey, iOS 13.
public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Self.Value { get }
}

// developer.apple.com/documentation/swiftui/environmentvalues, iOS 13.
public struct EnvironmentValues {
    private var values: [ObjectIdentifier: Any] = [:]
    var objects: [ObjectIdentifier: AnyObject] = [:]

    public init() {}

    public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
        get { values[ObjectIdentifier(key)] as? K.Value ?? K.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }

    // developer.apple.com/documentation/swiftui/environmentvalues/subscript(_:), iOS 17.
    public subscript<T: AnyObject & Observable>(objectType: T.Type) -> T? {
        get { objects[ObjectIdentifier(objectType)] as? T }
        set { objects[ObjectIdentifier(objectType)] = newValue }
    }

    // developer.apple.com/documentation/swiftui/environmentvalues: what can be set.
    public var locale = Locale(identifier: "en_US")
    public var calendar = Calendar(identifier: .gregorian)
    public var timeZone = TimeZone.gmt
    public var layoutDirection = LayoutDirection.leftToRight
    public var colorScheme = ColorScheme.light
    public var dynamicTypeSize = DynamicTypeSize.large
    /// Whether the window is small, so that a `ViewThatFits` takes its last view. A name that only the stand-in has.
    public var standInIsSmall = false
    public var scenePhase = ScenePhase.active
    public var isEnabled = true
    public var controlSize = ControlSize.regular
    public var font: Font?
    public var lineLimit: Int?
    public var multilineTextAlignment = TextAlignment.leading
    public var minimumScaleFactor: CGFloat = 1
    public var redactionReasons: RedactionReasons = []
    public var openURL = OpenURLAction { _ in .systemAction }

    // What can only be read. A host's test sets the internal value with `standIn`.
    public internal(set) var colorSchemeContrast = ColorSchemeContrast.standard
    public internal(set) var accessibilityReduceMotion = false
    public internal(set) var accessibilityReduceTransparency = false
    public internal(set) var accessibilityVoiceOverEnabled = false
    public internal(set) var accessibilityDifferentiateWithoutColor = false
    public internal(set) var accessibilityInvertColors = false
    public internal(set) var accessibilitySwitchControlEnabled = false
    public internal(set) var isFocused = false
    public internal(set) var isPresented = false
    public internal(set) var dismiss = DismissAction {}
    public internal(set) var refresh: RefreshAction?

    // What styles and modifiers pass down unseen.
    var buttonStyle: ButtonLook?
    var toggleStyle: (any ToggleStyle)?
    var labelStyle: (any LabelStyle)?
    var submit: [@MainActor (SubmitTriggers) -> Void] = []
}

extension EnvironmentValues {
    /// What differs of the values that change how something is drawn and that the element itself does not tell.
    func facts(unlike other: EnvironmentValues) -> [Shown.Fact] {
        var facts: [Shown.Fact] = []
        if layoutDirection != other.layoutDirection { facts.append(.init("layoutDirection", "\(layoutDirection)")) }
        if colorScheme != other.colorScheme { facts.append(.init("colorScheme", "\(colorScheme)")) }
        if dynamicTypeSize != other.dynamicTypeSize { facts.append(.init("dynamicTypeSize", "\(dynamicTypeSize)")) }
        if controlSize != other.controlSize { facts.append(.init("controlSize", "\(controlSize)")) }
        if isEnabled != other.isEnabled { facts.append(.init(isEnabled ? "enabled" : "disabled")) }
        if redactionReasons != other.redactionReasons { facts.append(.init("redacted", redactionReasons.fact)) }
        return facts
    }
}

/// What a test says about the device: the settings that an app can only read.
public struct StandInSettings: Sendable {
    public var reducesMotion = false
    public var reducesTransparency = false
    public var voiceOver = false
    public var differentiatesWithoutColor = false
    public var invertsColors = false
    public var switchControl = false
    public var increasesContrast = false

    public init() {}
}

extension EnvironmentValues {
    /// The settings of the device, which an app can only read. The stand-in's tests set them.
    public var standInSettings: StandInSettings {
        get {
            var settings = StandInSettings()
            settings.reducesMotion = accessibilityReduceMotion
            settings.reducesTransparency = accessibilityReduceTransparency
            settings.voiceOver = accessibilityVoiceOverEnabled
            settings.differentiatesWithoutColor = accessibilityDifferentiateWithoutColor
            settings.invertsColors = accessibilityInvertColors
            settings.switchControl = accessibilitySwitchControlEnabled
            settings.increasesContrast = colorSchemeContrast == .increased
            return settings
        }
        set {
            accessibilityReduceMotion = newValue.reducesMotion
            accessibilityReduceTransparency = newValue.reducesTransparency
            accessibilityVoiceOverEnabled = newValue.voiceOver
            accessibilityDifferentiateWithoutColor = newValue.differentiatesWithoutColor
            accessibilityInvertColors = newValue.invertsColors
            accessibilitySwitchControlEnabled = newValue.switchControl
            colorSchemeContrast = newValue.increasesContrast ? .increased : .standard
        }
    }
}

// developer.apple.com/documentation/swiftui/environment, iOS 13.
@propertyWrapper public struct Environment<Value>: DynamicProperty, Connected {
    let read: (EnvironmentValues) -> Value
    var values: EnvironmentValues?

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { read = { $0[keyPath: keyPath] } }

    // developer.apple.com/documentation/swiftui/environment/init(_:)-8slkf, iOS 17.
    public init(_ objectType: Value.Type) where Value: AnyObject & Observable {
        read = { values in
            guard let object = values[objectType] else {
                fatalError("No observable object of type \(objectType) found: say it with .environment(_:)")
            }
            return object
        }
    }

    public init<T: AnyObject & Observable>(_ objectType: T.Type) where Value == T? { read = { $0[objectType] } }

    public var wrappedValue: Value { read(values ?? EnvironmentValues()) }

    mutating func connect(in context: Context) { values = context.environment }
}

extension View {
    // developer.apple.com/documentation/swiftui/view/environment(_:_:), iOS 13.
    public func environment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some View {
        around { content, context in
            let before = context.environment
            var context = context
            context.environment[keyPath: keyPath] = value
            var elements = shownElements(of: content, in: context)
            // What else is drawn otherwise for it is said where it differs from around it.
            let facts = context.environment.facts(unlike: before)
            for index in elements.indices { elements[index].facts += facts }
            return elements
        }
    }

    // developer.apple.com/documentation/swiftui/view/environment(_:), iOS 17.
    public func environment<T: AnyObject & Observable>(_ object: T?) -> some View {
        around { content, context in
            var context = context
            context.environment[T.self] = object
            return shownElements(of: content, in: context)
        }
    }

    // developer.apple.com/documentation/swiftui/view/transformenvironment(_:transform:), iOS 13.
    public func transformEnvironment<V>(
        _ keyPath: WritableKeyPath<EnvironmentValues, V>, transform: @escaping (inout V) -> Void
    ) -> some View {
        around { content, context in
            var context = context
            transform(&context.environment[keyPath: keyPath])
            return shownElements(of: content, in: context)
        }
    }
}

// developer.apple.com/documentation/swiftui/dismissaction, iOS 15.
@MainActor @preconcurrency public struct DismissAction {
    let action: @MainActor () -> Void
    nonisolated init(action: @escaping @MainActor () -> Void) { self.action = action }
    public func callAsFunction() { action() }
}

// developer.apple.com/documentation/swiftui/refreshaction, iOS 15.
public struct RefreshAction: Sendable {
    let action: @Sendable () async -> Void
    public func callAsFunction() async { await action() }
}

// developer.apple.com/documentation/swiftui/openurlaction, iOS 14.
@MainActor @preconcurrency public struct OpenURLAction {
    // developer.apple.com/documentation/swiftui/openurlaction/result, iOS 15.
    public struct Result: Sendable {
        enum Kind { case handled, discarded, systemAction }
        let kind: Kind
        var url: URL?
        public static let handled = Result(kind: .handled)
        public static let discarded = Result(kind: .discarded)
        public static let systemAction = Result(kind: .systemAction)
        public static func systemAction(_ url: URL) -> Result { Result(kind: .systemAction, url: url) }
    }

    let handler: @MainActor (URL) -> Result
    nonisolated public init(handler: @escaping @MainActor (URL) -> Result) { self.handler = handler }

    public func callAsFunction(_ url: URL) { callAsFunction(url) { _ in } }

    public func callAsFunction(_ url: URL, completion: @escaping (Bool) -> Void) {
        let result = handler(url)
        if result.kind == .systemAction { Journal.current?.opened.append(result.url ?? url) }
        completion(result.kind != .discarded)
    }
}
